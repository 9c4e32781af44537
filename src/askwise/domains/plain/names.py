"""Names in problem files: how long they may be, what a state may be called.

A state is called by a text, by a whole number, or by a cell ``[x, y]``.
"""

from __future__ import annotations

from typing import TypeAlias

from askwise.errors import InputError
from askwise.reading import Field, shown

StateName: TypeAlias = str | int | tuple[int, int]
"""What a state is called: a text, a number, or a cell ``(x, y)``."""

LONGEST_NAME = 200
LARGEST_NUMBER = 10**15
STATE = "a state: a text, a whole number, or a cell [x, y]"


def check_name(name: str, path: str) -> str:
    """Return a name that can be printed, saved and found again."""
    if not name:
        raise InputError(path, "an empty name", "names with at least one character")
    if len(name) > LONGEST_NAME:
        raise InputError(path, f"a name of {len(name)} characters, {shown(name)}", f"at most {LONGEST_NAME}")
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise InputError(path, f"{name!a}, which holds half a character", "whole characters")
    return name


def read_name(given: Field) -> str:
    """Return a name."""
    return check_name(given.text(), given.path)


def read_state_name(given: Field) -> StateName:
    """Return what a state is called."""
    value = given.value
    if isinstance(value, str):
        return read_name(given)
    if is_number(value):
        return int(value)
    if is_cell(value):
        return value[0], value[1]
    raise given.refuse(STATE)


def is_number(value: object) -> bool:
    """Whether something is a whole number that may name a state."""
    return type(value) is int and abs(value) <= LARGEST_NUMBER


def is_cell(value: object) -> bool:
    """Whether something is a cell ``[x, y]``."""
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value))


def as_json(name: StateName) -> str | int | list[int]:
    """Return a state's name as files hold it."""
    return list(name) if isinstance(name, tuple) else name
