"""Running the command line in this process or as a user would, and what came of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def assert_fine(self) -> str:
        """Check that nothing went wrong and return what was printed."""
        assert (self.code, self.err) == (0, "")
        return self.out

    def assert_refused(self, message: str) -> None:
        """Check that the message is all there is, on one line."""
        assert self == Outcome(2, "", message + "\n")

    def assert_refused_somehow(self) -> None:
        """Check for one line of complaint, whatever its words, for input whose wording depends on the system."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith("askwise ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")


class Run(Protocol):
    """Runs ``askwise ARGUMENTS`` in this process, in an empty folder."""

    def __call__(self, *arguments: str, stdin: str | bytes = "") -> Outcome: ...


def run_as_user(*arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
    """Run ``python -m askwise.cli ARGUMENTS`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "askwise.cli", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env=user_environment(env),
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def user_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of this process without what changes how Python prints."""
    plain = {k: v for k, v in os.environ.items() if k not in ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8")}
    return {**plain, **(extra or {})}
