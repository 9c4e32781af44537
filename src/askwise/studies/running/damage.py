"""What was found damaged in the folder of a study, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from askwise.errors import InputError


@dataclass(frozen=True)
class Damaged:
    """A file that is not as askwise wrote it.

    Attributes:
        path: the file.
        why: what is wrong with it.
        cure: what becomes of it.
    """

    path: Path
    why: str
    cure: str = "its instance is played again"

    def __str__(self) -> str:
        return f"{self.path} is damaged ({self.why}): {self.cure}"


def as_error(path: Path, why: str) -> InputError:
    """Return the error for a file that is found damaged when its numbers are needed."""
    expected = "what askwise wrote there (the same command, given again, finds the damage and puts it right)"
    return InputError(f"file {str(path)!r}", f"damage ({why})", expected)
