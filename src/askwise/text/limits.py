"""How long names and how large prices may be, and that files are not empty: the same in all files and in Python.

A name is printed, saved, drawn and found again: half a character (a lone surrogate) can be neither printed nor saved,
and nobody reads a name of thousands of letters. Prices are added up over questions and episodes; above `LARGEST_PRICE`
the steps beside them would drown in rounding, and the largest numbers that there are add up to infinity.
"""

from __future__ import annotations

import math
import re

from askwise.errors import InputError
from askwise.text.reading import Field, shown

LONGEST_NAME = 200
LARGEST_PRICE = 1e12
LARGEST_COST = 1e18
"""Of a step, or of an episode: a question may name as many goals as there are."""


def check_name(name: str, path: str) -> str:
    """Return a name that can be printed, saved and found again."""
    if not name:
        raise InputError(path, "an empty name", "names with at least one character")
    if len(name) > LONGEST_NAME:
        raise InputError(path, f"a name of {len(name)} characters, {shown(name)}", f"at most {LONGEST_NAME}")
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise InputError(path, f"{name!a}, which holds half a character", "whole characters")
    return name


def refuse_blank(text: str, source: str, expected: str) -> None:
    """Refuse a file with nothing in it, in the same words wherever it is read."""
    if not text.strip():
        raise InputError(source, "nothing in it", expected)


def read_name(given: Field) -> str:
    """Return a name."""
    return check_name(given.text(), given.path)


def read_finite(given: Field) -> float:
    """Return a finite number, below 0 as well."""
    try:
        number = math.nan if isinstance(given.value, bool) else float(given.value)
    except (TypeError, ValueError, OverflowError):  # no number, or one with hundreds of digits
        number = math.nan
    if not math.isfinite(number) or isinstance(given.value, str):
        raise given.refuse("a finite number")
    return number


def read_cost(given: Field) -> float:
    """Return what happened to be paid: a number from 0 to `LARGEST_COST`."""
    cost = given.number()
    if cost > LARGEST_COST:
        raise given.refuse(f"at most {LARGEST_COST:g}")
    return cost


def read_price(given: Field) -> float:
    """Return a price: a number from 0 to `LARGEST_PRICE`."""
    price = given.number()
    if price > LARGEST_PRICE:
        raise given.refuse(f"at most {LARGEST_PRICE:g}")
    return price


# -- values that people type on a command line, checked: a wrong one is refused in on ------------------------------


def whole(text: str, option: str, lowest: int = 0) -> int:
    """Return a whole number, at least `lowest`."""
    # int() would also take underscores, spaces and digits of other scripts.
    if not (text.isascii() and text.isdecimal() and len(text) <= 40) or int(text) < lowest:
        raise InputError(option, repr(text), f"a whole number from {lowest}")
    return int(text)


def real(text: str, option: str, *, above: float | None = None) -> float:
    """Return a finite number from 0, or above the given bound."""
    allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
    try:
        value = float(text)
    except ValueError:
        raise InputError(option, repr(text), allowed) from None
    if not math.isfinite(value) or (value < 0 if above is None else value <= above):
        raise InputError(option, repr(text), allowed)
    return value


def cell(text: str, option: str) -> tuple[int, int]:
    """Return the cell written as ``X,Y``."""
    parts = re.fullmatch(r"\s*(-?\d{1,99})\s*,\s*(-?\d{1,99})\s*", text, re.ASCII)
    if parts is None:
        raise InputError(option, repr(text), "a cell X,Y, two whole numbers")
    return int(parts[1]), int(parts[2])
