"""Checked values from files and command lines; every error names the field, the value found and what is expected.

`Field` reads parsed JSON and TOML. The ``read_`` functions apply the limits that hold for all files and for Python
callers. The ``parse_`` functions read values that users type as options.

Limits: a name is printed, saved, drawn and looked up, so it has at most `LONGEST_NAME` characters and no lone
surrogates, which can be neither printed nor saved. Prices are summed over questions and episodes; above
`LARGEST_PRICE`, single steps would be lost to rounding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import InputError, did_you_mean
from askwise.text.data import LONGEST_SHOWN, short_json

LONGEST_NAME = 200
LARGEST_PRICE = 1e12
LARGEST_COST = 1e18
"""Limit on the cost of a step or an episode, which adds up the prices of many questions."""


@dataclass(frozen=True, slots=True)
class Field:
    """A value of parsed JSON or TOML and the path to it, such as ``stations.S1.at``.

    Attributes:
        path: the path, empty for the whole file.
        value: the value.
        folder: the folder of files that the value may name, None if it may name none.
    """

    path: str
    value: Any
    folder: Path | None = None

    def refuse(self, expected: str) -> InputError:
        """Return the error that this field has an unexpected value."""
        return InputError(self.path or "file", short_json(self.value), expected)

    def child(self, key: str) -> Field:
        """Return the field `key` of an object; the key must exist."""
        return Field(self._path_of(key), self.value[key], self.folder)

    def _path_of(self, key: str) -> str:
        name = _cut(key)
        return f"{self.path}.{name}" if self.path else name

    def has(self, key: str) -> bool:
        """Return whether this object has the key."""
        return key in self.value

    def object(self, required: Iterable[str] = (), optional: Iterable[str] | None = None) -> Field:
        """Check that this is an object with the right keys, and return the field itself.

        Args:
            required: keys that it must have.
            optional: keys that it may also have; None allows any key.
        """
        if not isinstance(self.value, dict):
            raise self.refuse("an object, { ... }")
        required = list(required)
        for key in required:
            if key not in self.value:
                raise InputError(self._path_of(key), "nothing", "this key, which is required")
        if optional is not None:
            self._refuse_unknown([*required, *optional])
        return self

    def _refuse_unknown(self, known: list[str]) -> None:
        for key in self.value:
            if key not in known:
                hint = did_you_mean(key, known)
                where = self.path or "file"
                raise InputError(where, f"the unknown key {short_json(key)}", f"only {_listed(known)}{hint}")

    def items(self) -> Iterator[tuple[str, Field]]:
        """Iterate over the keys and fields of an object; raise an `InputError` for an empty key."""
        for key in self.object().value:
            if not key:
                raise InputError(self.path, "an empty name", "names with at least one character")
            yield key, self.child(key)

    def elements(self) -> Iterator[Field]:
        """Iterate over the elements of a list."""
        if not isinstance(self.value, list):
            raise self.refuse("a list, [ ... ]")
        for k, value in enumerate(self.value):
            yield Field(f"{self.path}[{k}]", value, self.folder)

    def whole(self, lowest: int, highest: int | None = None) -> int:
        """Return an integer from `lowest` to `highest`."""
        value = self.value
        fits = isinstance(value, int) and value >= lowest and (highest is None or value <= highest)
        if isinstance(value, bool) or not fits:
            raise self.refuse(f"a whole number from {lowest}" + ("" if highest is None else f" to {highest}"))
        return int(value)

    def number(self, *, above: float | None = None) -> float:
        """Return a finite number that is at least 0 or, with `above`, larger than `above`."""
        allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refuse(allowed)
        try:
            number = float(self.value)
        except OverflowError:
            raise self.refuse(allowed) from None
        if not math.isfinite(number) or (number < 0 if above is None else number <= above):
            raise self.refuse(allowed)
        return number

    def text(self, allowed: Iterable[str] | None = None) -> str:
        """Return a string, one of `allowed` unless that is None."""
        options = None if allowed is None else list(allowed)
        expected = "a string" if options is None else "one of " + _listed([repr(option) for option in options])
        if not isinstance(self.value, str):
            raise self.refuse(expected)
        if options is not None and self.value not in options:
            raise self.refuse(expected + did_you_mean(self.value, options))
        return self.value

    def cell(self, width: int, height: int) -> tuple[int, int]:
        """Return a cell ``[x, y]`` of a grid with `width` columns and `height` rows."""
        value = self.value
        pair = isinstance(value, list) and len(value) == 2 and all(type(k) is int for k in value)
        if not pair or not (0 <= value[0] < width and 0 <= value[1] < height):
            raise self.refuse(f"a cell [x, y] with x from 0 to {width - 1} and y from 0 to {height - 1}")
        return value[0], value[1]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def _listed(names: list[str], most: int = 20) -> str:
    return ", ".join(map(_cut, names[:most])) + (", ..." if len(names) > most else "")


# -- limits that hold in all files and in Python -------------------------------------------------------------------


def check_name(name: str, path: str) -> str:
    """Return `name`; raise an `InputError` about the field `path` if it is empty, too long or has lone surrogates."""
    if not name:
        raise InputError(path, "an empty name", "names with at least one character")
    if len(name) > LONGEST_NAME:
        raise InputError(path, f"a name of {len(name)} characters, {short_json(name)}", f"at most {LONGEST_NAME}")
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise InputError(path, f"{name!a}, which contains a lone surrogate", "valid Unicode")
    return name


def refuse_blank(text: str, source: str, expected: str) -> None:
    """Raise an `InputError` about the file `source`, with the text `expected`, if its `text` is blank."""
    if not text.strip():
        raise InputError(source, "nothing in it", expected)


def read_name(given: Field) -> str:
    """Return a string that is a valid name (see `check_name`)."""
    return check_name(given.text(), given.path)


def read_finite(given: Field) -> float:
    """Return a finite number, which may be negative."""
    try:
        number = math.nan if isinstance(given.value, bool) else float(given.value)
    except (TypeError, ValueError, OverflowError):  # no number, or an integer of hundreds of digits
        number = math.nan
    if not math.isfinite(number) or isinstance(given.value, str):
        raise given.refuse("a finite number")
    return number


def read_cost(given: Field) -> float:
    """Return the cost of a step or an episode: a number from 0 to `LARGEST_COST`."""
    return _read_up_to(given, LARGEST_COST)


def read_price(given: Field) -> float:
    """Return the price of a question or a part of it: a number from 0 to `LARGEST_PRICE`."""
    return _read_up_to(given, LARGEST_PRICE)


def _read_up_to(given: Field, most: float) -> float:
    number = given.number()
    if number > most:
        raise given.refuse(f"at most {most:g}")
    return number


# -- options that users type ---------------------------------------------------------------------------------------


def parse_whole(text: str, option: str, lowest: int = 0) -> int:
    """Return an integer that is at least `lowest`; an error names the `option`."""
    # int() would also accept underscores, spaces and digits of other scripts.
    if not (text.isascii() and text.isdecimal() and len(text) <= 40) or int(text) < lowest:
        raise InputError(option, repr(text), f"a whole number from {lowest}")
    return int(text)


def parse_number(text: str, option: str, *, above: float | None = None) -> float:
    """Return a finite number that is at least 0 or, with `above`, larger than `above`; an error names the `option`."""
    allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
    try:
        value = float(text)
    except ValueError:
        raise InputError(option, repr(text), allowed) from None
    if not math.isfinite(value) or (value < 0 if above is None else value <= above):
        raise InputError(option, repr(text), allowed)
    return value


def parse_cell(text: str, option: str) -> tuple[int, int]:
    """Return the cell ``(x, y)`` that is written as ``X,Y``; an error names the `option`."""
    parts = re.fullmatch(r"\s*(-?\d{1,99})\s*,\s*(-?\d{1,99})\s*", text, re.ASCII)
    if parts is None:
        raise InputError(option, repr(text), "a cell X,Y, two whole numbers")
    return int(parts[1]), int(parts[2])
