"""The exceptions askwise raises; every one derives from `AskwiseError`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_COMPARED = 60
"""Names longer than this get no suggestion: comparing long texts takes long, and nobody mistypes them by hand."""


LONGEST_PART = 500
"""Letters of the field and of what was found there that a message shows: both may quote a value of any length."""
LONGEST_ALLOWED = 2000
"""Letters of what is allowed that a message shows: lists of names are long, and worth reading."""


class AskwiseError(Exception):
    """Base of every exception that askwise raises on purpose."""


class InputError(AskwiseError, ValueError):
    """Something given to askwise is not what it can work with.

    The message always has the same three parts: which field, what was found there, what is allowed. Each is cut in the
    middle where it is longer than anybody reads; the attributes keep all of it.
    """

    def __init__(self, field: str, found: object, expected: str) -> None:
        where, what = _shortened(field, LONGEST_PART), _shortened(str(found), LONGEST_PART)
        super().__init__(f"{where}: found {what}; expected {_shortened(expected, LONGEST_ALLOWED)}")
        self.field = field
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[type[InputError], tuple[str, object, str]]:
        # Exceptions cross process boundaries in sweeps; the default recipe would pass one argument only.
        return type(self), (self.field, self.found, self.expected)


def _shortened(text: str, most: int) -> str:
    """Return a text with its middle left out if it is longer than `most` letters: its end may say where it is from."""
    half = most // 2 - 3
    return text if len(text) <= most else f"{text[:half]} ... {text[-half:]}"


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
