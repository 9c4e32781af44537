"""Settings of the random tests: few examples, no time limits; a run in CI always draws the same ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "askwise",
    deadline=None,
    max_examples=60,
    derandomize="CI" in os.environ,
    # The first example of a run may wait for a compiler.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("askwise")
