"""Checked values from files and command lines; every error names the field, the value found and what is expected.

`Field` reads parsed JSON and TOML. The ``read_`` functions apply limits to values from files and from Python callers.
The ``parse_`` functions read options that users type.

A name has at most `LONGEST_NAME` characters and no lone surrogates (half characters), which cannot be printed. A price
is at most `LARGEST_PRICE`.

`check_size` raises an error before a table gets too large. The limit is `DEFAULT_MEMORY`, unless the environment
variable `MEMORY_VARIABLE` (the option ``--memory``) states another one, such as ``16GB``. The free memory of the
machine plays no role.
"""

from __future__ import annotations

import math
import os
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

MEMORY_VARIABLE = "ASKWISE_MEMORY"
DEFAULT_MEMORY = 4 * 2**30
SMALL_TABLE = 2**24
"""Size in bytes up to which tables are not checked."""
RUNNING = 2**28
"""Bytes assumed for the interpreter, its libraries and compiled code."""
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


@dataclass(frozen=True, slots=True)
class Field:
    """A value of parsed JSON or TOML, and where it was found.

    Attributes:
        path: the keys that lead to the value, such as ``stations.S1.at``; empty for the whole file.
        value: the value.
        folder: where to look for files that the value names; None if it may not name any.
    """

    path: str
    value: Any
    folder: Path | None = None

    def refuse(self, expected: str) -> InputError:
        """Return an `InputError` that says that this value is not allowed, for the caller to raise.

        Args:
            expected: a text that says what is allowed, such as ``true or false``.
        """
        return InputError(self.path or "file", short_json(self.value), expected)

    def child(self, key: str) -> Field:
        """Return the value that this object (a dict) has under `key`, as a field; the key must exist."""
        return Field(self._path_of(key), self.value[key], self.folder)

    def _path_of(self, key: str) -> str:
        name = _cut(key)
        return f"{self.path}.{name}" if self.path else name

    def has(self, key: str) -> bool:
        """Return whether this object (a dict) has the key `key`."""
        return key in self.value

    def object(self, required: Iterable[str] = (), optional: Iterable[str] | None = None) -> Field:
        """Return this field; raise an `InputError` unless its value is an object (a dict) with the right keys.

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
        """Yield each key of this object (a dict) with its value as a field.

        Raises an `InputError` if the value is no object or a key is empty.
        """
        for key in self.object().value:
            if not key:
                raise InputError(self.path, "an empty name", "names with at least one character")
            yield key, self.child(key)

    def elements(self) -> Iterator[Field]:
        """Yield the elements of this list as fields; raise an `InputError` if the value is no list."""
        if not isinstance(self.value, list):
            raise self.refuse("a list, [ ... ]")
        for k, value in enumerate(self.value):
            yield Field(f"{self.path}[{k}]", value, self.folder)

    def whole(self, lowest: int, highest: int | None = None) -> int:
        """Return the value; raise an `InputError` unless it is an integer from `lowest` to `highest`.

        If `highest` is None, there is no upper limit.
        """
        value = self.value
        fits = isinstance(value, int) and value >= lowest and (highest is None or value <= highest)
        if isinstance(value, bool) or not fits:
            raise self.refuse(f"a whole number from {lowest}" + ("" if highest is None else f" to {highest}"))
        return int(value)

    def number(self, *, above: float | None = None) -> float:
        """Return the value as a float; raise an `InputError` unless it is a finite number of at least 0.

        Args:
            above: if given, the number must be larger than this instead of at least 0.
        """
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
        """Return the value; raise an `InputError` unless it is a string.

        Args:
            allowed: the only strings that are allowed; None allows any string.
        """
        options = None if allowed is None else list(allowed)
        expected = "a string" if options is None else "one of " + _listed([repr(option) for option in options])
        if not isinstance(self.value, str):
            raise self.refuse(expected)
        if options is not None and self.value not in options:
            raise self.refuse(expected + did_you_mean(self.value, options))
        return self.value

    def truth(self) -> bool:
        """Return the value; raise an `InputError` unless it is true or false."""
        if not isinstance(self.value, bool):
            raise self.refuse("true or false")
        return self.value

    def cell(self, width: int, height: int) -> tuple[int, int]:
        """Return the value as ``(x, y)``; raise an `InputError` unless it is a list ``[x, y]`` with a cell of the grid.

        Args:
            width: number of columns of the grid.
            height: number of rows of the grid.
        """
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
    """Return `name`; raise an `InputError` if it is empty, too long or contains lone surrogates (half characters).

    The error message names the field `path`.
    """
    if not name:
        raise InputError(path, "an empty name", "names with at least one character")
    if len(name) > LONGEST_NAME:
        raise InputError(path, f"a name of {len(name)} characters, {short_json(name)}", f"at most {LONGEST_NAME}")
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise InputError(path, f"{name!a}, which contains a lone surrogate", "valid Unicode")
    return name


def refuse_blank(text: str, source: str, expected: str) -> None:
    """Raise an `InputError` if a text is empty or only white space.

    Args:
        text: the text.
        source: where it comes from, for the error message.
        expected: what should be there instead, for the error message.
    """
    if not text.strip():
        raise InputError(source, "nothing in it", expected)


def read_name(given: Field) -> str:
    """Return the name that a field holds; raise an `InputError` if it is not valid (see `check_name`)."""
    return check_name(given.text(), given.path)


def read_finite(given: Field) -> float:
    """Return the number that a field holds, which may be negative; raise an `InputError` unless it is finite."""
    try:
        number = math.nan if isinstance(given.value, bool) else float(given.value)
    except (TypeError, ValueError, OverflowError):  # no number, or an integer of hundreds of digits
        number = math.nan
    if not math.isfinite(number) or isinstance(given.value, str):
        raise given.refuse("a finite number")
    return number


def read_cost(given: Field) -> float:
    """Read a cost, of a step or of an episode, from a field; raise an `InputError` if it is not valid.

    A valid cost is a number from 0 to `LARGEST_COST`.
    """
    return _read_up_to(given, LARGEST_COST)


def read_price(given: Field) -> float:
    """Read the price of a question, or a part of such a price, from a field; raise an `InputError` if it is not valid.

    A valid price is a number from 0 to `LARGEST_PRICE`.
    """
    return _read_up_to(given, LARGEST_PRICE)


def _read_up_to(given: Field, most: float) -> float:
    number = given.number()
    if number > most:
        raise given.refuse(f"at most {most:g}")
    return number


# -- options that users type ---------------------------------------------------------------------------------------


def parse_whole(text: str, option: str, lowest: int = 0) -> int:
    """Return the integer that a user typed; raise an `InputError` unless it is at least `lowest`.

    Args:
        text: what the user typed.
        option: name of the input in error messages.
        lowest: the smallest allowed integer.
    """
    # int() would also accept underscores, spaces and digits of other scripts.
    if not (text.isascii() and text.isdecimal() and len(text) <= 40) or int(text) < lowest:
        raise InputError(option, repr(text), f"a whole number from {lowest}")
    return int(text)


def parse_number(text: str, option: str, *, above: float | None = None) -> float:
    """Return the number that a user typed; raise an `InputError` unless it is finite and at least 0.

    Args:
        text: what the user typed.
        option: the option, for error messages.
        above: if given, the number must be larger than this, not at least 0.
    """
    allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
    try:
        value = float(text)
    except ValueError:
        raise InputError(option, repr(text), allowed) from None
    if not math.isfinite(value) or (value < 0 if above is None else value <= above):
        raise InputError(option, repr(text), allowed)
    return value


def parse_cell(text: str, option: str) -> tuple[int, int]:
    """Return the cell ``(x, y)`` that a user typed as ``X,Y``; raise an `InputError` for any other text.

    Args:
        text: what the user typed.
        option: name of the input in error messages.
    """
    parts = re.fullmatch(r"\s*(-?\d{1,99})\s*,\s*(-?\d{1,99})\s*", text, re.ASCII)
    if parts is None:
        raise InputError(option, repr(text), "a cell X,Y, two whole numbers")
    return int(parts[1]), int(parts[2])


def parse_memory(text: str, field: str) -> int:
    """Return an amount of memory that a user typed, in bytes; raise an `InputError` if the text is no such amount.

    Args:
        text: a number of bytes, or of KB, MB, GB, TB (powers of 1000), KiB, MiB, GiB or TiB (powers of 1024), in upper
            or lower case, such as ``1.5GB``.
        field: the input, for error messages.
    """
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([A-Za-z]*)\s*", text, re.ASCII)
    unit = None if found is None else UNITS.get(found[2].upper())
    if found is None or unit is None or float(found[1]) * unit < 1:
        raise InputError(field, repr(text), "an amount of memory, such as 16GB or 500MB")
    return int(float(found[1]) * unit)


# -- memory ---------------------------------------------------------------------------------------------------------


def _memory_limit() -> int:
    """Return the limit on the size of a table, in bytes.

    The environment variable `MEMORY_VARIABLE` states the limit; if it is not set, the limit is `DEFAULT_MEMORY`.
    """
    stated = os.environ.get(MEMORY_VARIABLE, "")
    return parse_memory(stated, MEMORY_VARIABLE) if stated.strip() else DEFAULT_MEMORY


def check_size(n_bytes: int, field: str, sizes: str, instead: str = "a smaller one") -> None:
    """Raise an `InputError` if a table would take more memory than allowed.

    The environment variable `MEMORY_VARIABLE` sets the limit. Tables of at most `SMALL_TABLE` bytes are always allowed.

    Args:
        n_bytes: the size of the table, with temporary memory.
        field: what is too large, for the message.
        sizes: the sizes that make it large, such as ``900 states and 5 goals``.
        instead: the advice in the message, such as ``fewer actions``.
    """
    if n_bytes <= SMALL_TABLE:
        return
    needed, most = RUNNING + n_bytes, _memory_limit()
    if needed > most:
        more = f"{math.ceil(needed / 10**9)}GB"
        raise InputError(
            field,
            f"{sizes}, which take about {_gib(needed)} of memory",
            f"at most {_gib(most)}: {instead}, or allow more by {MEMORY_VARIABLE}={more} (commands: --memory {more})",
        )


def _gib(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:.1f} GiB"
