"""One number for each intent, as people write them: one number for all, a list, or a table by name with an ``else``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from askwise.errors import InputError, did_you_mean
from askwise.text.reading import Field, shown

ELSE = "else"
"""In a table: all intents that it does not name."""

Places: TypeAlias = Mapping[str, int]
"""The number of each intent, by its name, in their order."""


def read_row(given: Field, places: Places, number: Callable[[Field], float]) -> list[float]:
    """Return one number for each intent."""
    if isinstance(given.value, dict):
        return _by_name(given, places, number)
    if isinstance(given.value, list):
        if len(given.value) != len(places):
            raise InputError(given.path, f"a list of {len(given.value)}", f"{len(places)} numbers, one for each intent")
        return [number(each) for each in given.elements()]
    return [number(given)] * len(places)


def _by_name(given: Field, places: Places, number: Callable[[Field], float]) -> list[float]:
    for name in given.value:
        if name not in places and name != ELSE:
            hint = did_you_mean(name, places)
            raise InputError(given.path, f"the unknown intent {shown(name)}", f"intents of the belief{hint}")
    missing = next((name for name in places if name not in given.value), None)
    if missing is None:
        return [number(given.child(name)) for name in places]
    if not given.has(ELSE):
        expected = f"a number for each intent, or {ELSE!r} for all others"
        raise InputError(f"{given.path}.{missing}", "nothing", expected)
    rest = number(given.child(ELSE))
    return [number(given.child(name)) if given.has(name) else rest for name in places]
