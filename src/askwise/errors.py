"""The exceptions that askwise raises; all derive from `AskwiseError`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_COMPARED = 60
"""Limit on the length of names that are compared for a suggestion: comparing long texts is slow."""
SHORTEST_PART = 3
"""Least length of a text for which the only name that contains it is suggested."""
LONGEST_PART = 500
"""Number of characters of the field, and of the value found, that a message shows; both may be of any length."""
LONGEST_ALLOWED = 2000
"""Number of characters of the expectation that a message shows; it may be a long list of names."""


class AskwiseError(Exception):
    """Base class of all exceptions that askwise raises on purpose."""


class InputError(AskwiseError, ValueError):
    """Raised for invalid input, with a message of three parts: the field, the value found, and what is expected.

    Long parts are shortened in the message, but not in the attributes.

    Attributes:
        field: the input that is wrong: an argument, an option or a path inside a file.
        found: the value found there.
        expected: what is allowed.
    """

    def __init__(self, field: str, found: object, expected: str) -> None:
        where, what = _shortened(field, LONGEST_PART), _shortened(str(found), LONGEST_PART)
        super().__init__(f"{where}: found {what}; expected {_shortened(expected, LONGEST_ALLOWED)}")
        self.field = field
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[type[InputError], tuple[str, object, str]]:
        # Exceptions are pickled between processes; by default only one argument would be passed on.
        return type(self), (self.field, self.found, self.expected)


def _shortened(text: str, most: int) -> str:
    """Return `text`; if it has more than `most` characters, " ... " replaces its middle, so that it fits."""
    half = most // 2 - 3
    return text if len(text) <= most else f"{text[:half]} ... {text[-half:]}"


class NotConvergedError(AskwiseError):
    """Raised if an iterative computation ended without a proven bound of its error; it then returns no result."""


def did_you_mean(given: str, options: Iterable[str]) -> str:
    """Return the text " (did you mean 'X'?)" for the end of an error message, or an empty text.

    Args:
        given: the unknown name that the user gave.
        options: the known names. X is the most similar one; if none is similar, the text is empty.
    """
    if len(given) > LONGEST_COMPARED:
        return ""
    short = [option for option in options if len(option) <= LONGEST_COMPARED and option != given]
    by_letters = {option.casefold(): option for option in reversed(short[:1000])}
    wanted = given.casefold()
    within = [letters for letters in by_letters if len(given) >= SHORTEST_PART and wanted in letters]
    near = get_close_matches(wanted, by_letters, n=1) or (within if len(within) == 1 else [])
    return f" (did you mean {by_letters[near[0]]!r}?)" if near else ""
