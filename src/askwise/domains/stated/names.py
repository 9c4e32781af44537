"""What a state may be called in problem files.

A state is called by a text, by a whole number, or by a cell ``[x, y]``.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

import numpy as np

from askwise.errors import InputError
from askwise.text.limits import read_name
from askwise.text.reading import Field

StateName: TypeAlias = str | int | tuple[int, int]
"""What a state is called: a text, a number, or a cell ``(x, y)``."""

LARGEST_NUMBER = 10**15
STATE = "a state: a text, a whole number of at most 15 digits, or a cell [x, y]"


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


def name_to_json(name: Hashable, field: str) -> Any:
    """Return a state's name as a file holds it."""
    plain = tuple(_plain(each) for each in name) if isinstance(name, tuple) else _plain(name)
    if isinstance(plain, str) or is_number(plain) or is_cell(plain):
        return as_json(plain)
    raise InputError(field, f"a state called {name!r}", "states called by texts, whole numbers or cells (x, y)")


def _plain(value: Hashable) -> Any:
    return int(value) if isinstance(value, np.integer) else value
