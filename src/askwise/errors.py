"""The exceptions askwise raises; every one derives from `AskwiseError`."""

from __future__ import annotations


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
