"""Settings of the random tests: few examples, no time limits; a run in CI always draws the same ones. And Ctrl-C."""

from __future__ import annotations

import os
import signal

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

# Shells start jobs in the background with Ctrl-C ignored, and programs started from there inherit that. Tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
