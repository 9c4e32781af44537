"""The exceptions askwise raises; every one derives from `AskwiseError`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_COMPARED = 60
"""Names longer than this get no suggestion: comparing long texts takes long, and nobody mistypes them by hand."""


class AskwiseError(Exception):
    """Base of every exception that askwise raises on purpose."""


class InputError(AskwiseError, ValueError):
    """Something given to askwise is not what it can work with.

    The message always has the same three parts: which field, what was found there, what is allowed.
    """

    def __init__(self, field: str, found: object, expected: str) -> None:
        super().__init__(f"{field}: found {found}; expected {expected}")
        self.field = field
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[type[InputError], tuple[str, object, str]]:
        # Exceptions cross process boundaries in sweeps; the default recipe would pass one argument only.
        return type(self), (self.field, self.found, self.expected)


class NotConvergedError(AskwiseError):
    """An iterative method stopped without any provable error bound, so it has no answer to give."""


def did_you_mean(given: str, options: Iterable[str]) -> str:
    """Return `` (did you mean '...'?)`` with the option closest to `given`, or nothing if none is close."""
    if len(given) > LONGEST_COMPARED:
        return ""
    short = [option for option in options if len(option) <= LONGEST_COMPARED and option != given]
    by_letters = {option.casefold(): option for option in reversed(short[:1000])}
    near = get_close_matches(given.casefold(), by_letters, n=1)
    return f" (did you mean {by_letters[near[0]]!r}?)" if near else ""
