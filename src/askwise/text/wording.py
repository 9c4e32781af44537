"""Numbers, names and lists as people read them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.text.reading import printable
from askwise.types import FloatArray

MOST_BELIEFS = 6
"""How many goals are listed with their probabilities."""


def columns_of(text: str) -> int:
    """Return how many columns a terminal takes to show `text`."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def number(value: float) -> str:
    """Return a number without the noise of binary fractions."""
    return f"{value:.10g}"


def percent(probability: float) -> str:
    """Return a probability in whole percent; what is neither impossible nor certain never looks so."""
    shown = round(100 * probability)
    if shown == 0 and probability > 0:
        return "<1 %"
    if shown == 100 and probability < 1 - 1e-12:
        return ">99 %"
    return f"{shown} %"


def counted(n: int, what: str) -> str:
    """Return ``"1 goal"``, ``"3 goals"``, ``"no goals"``."""
    return f"{n or 'no'} {what if n == 1 else plural(what)}"


def plural(what: str) -> str:
    """Return a noun for several of its kind."""
    if what.endswith("y") and what[-2:-1] not in ("", *"aeiou"):
        return f"{what[:-1]}ies"
    return what + ("es" if what.endswith(("s", "x", "z", "ch", "sh")) else "s")


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return the names one after the other; of a long list the first ones, and how many more there are."""
    shown = [printable(name) for name in names[:most]]
    if len(names) <= most:
        return ", ".join(shown)
    return f"{', '.join(shown)} and {len(names) - most} more"


def either(names: Sequence[str], most: int = 4) -> str:
    """Return ``"a, b or c"``; of a long list the first ones, and how many more there are."""
    shown = [printable(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} or {len(names) - most} more"
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def place_in(names: Sequence[str], name: str, field: str, what: str) -> int:
    """Return the place of a name that somebody typed in a list; `what` is what the names are of."""
    if name not in names:
        expected = f"some of {listed(names)}" + did_you_mean(name, names)
        raise InputError(field, f"the unknown {what} {name!r}", expected)
    return names.index(name)


def likeliest_of(names: Sequence[str], belief: FloatArray, most: int = MOST_BELIEFS) -> str:
    """Return the likeliest goals and their probabilities; equally likely ones in the problem's order."""
    order = np.argsort(-belief, kind="stable")
    order = order[belief[order] > 0]
    shown = [f"{printable(names[k])} {percent(float(belief[k]))}" for k in order[:most].tolist()]
    return ", ".join(shown) + (f", {len(order) - most} more" if len(order) > most else "")
