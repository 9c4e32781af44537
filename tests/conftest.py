"""Settings of the random tests: few examples, no time limits; a run in CI always draws the same ones. And processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from askwise.studies.running import run
from askwise.workers import pool

settings.register_profile(
    "askwise",
    deadline=None,
    max_examples=40,
    derandomize="CI" in os.environ,
    # The first example of a run may wait for a compiler.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("askwise")

# Shells start jobs in the background with Ctrl-C ignored, and programs started from there inherit that. Tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

KEPT = "tests"


@pytest.fixture(autouse=True, scope="session")
def processes_are_kept() -> Iterator[None]:
    """Let all studies of the tests share the processes that play, which otherwise are new for each run."""
    end = pool.end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "new_run", lambda: KEPT)
        patch.setattr(pool, "end", lambda run: None if run == KEPT else end(run))
        yield
    end(KEPT)


@pytest.fixture(scope="session")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it would be shipped, built from this folder."""
    pytest.importorskip("hatchling")
    pytest.importorskip("pip")
    folder, root = tmp_path_factory.mktemp("wheel"), str(Path(__file__).resolve().parent.parent)
    command = ["wheel", root, "--no-deps", "--no-build-isolation", "--no-index", "--quiet", "-w", str(folder)]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = subprocess.run([*pip, *command], capture_output=True, check=False, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path
