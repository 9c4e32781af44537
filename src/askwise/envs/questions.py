"""A short list of questions, for agents that cannot choose among 2^n.

Every kind turns into questions about the stations that are possible at the moment:

- ``toolbox``: for each toolbox, the stations whose tool is in it;
- ``move``: for each of the four moves, the stations for which that move is an optimal one for the fetcher;
- ``half``: the likeliest stations that together have at least half of the probability;
- ``likeliest``: the likeliest station alone;
- ``station``: each station alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np

from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.envs.starting import Shape
from askwise.errors import InputError
from askwise.model.grid import MOVES
from askwise.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Situation:
    """What a question may depend on.

    Attributes:
        problem: what is played.
        boxes: ``int [n_stations]``, number of the toolbox with each station's tool.
        ego: the fetcher's state, as of ``problem.ego_optimal``.
        possible: ``bool [n_stations]``, the stations that are possible.
        probabilities: ``float64 [n_stations]``, how likely they are.
    """

    problem: ToolFetching
    boxes: IntArray
    ego: int
    possible: BoolArray
    probabilities: FloatArray


Asking: TypeAlias = Callable[[Situation], Any]
"""Returns stations to ask about: ``bool [n_stations]``, or one such row for each of several questions."""


def by_toolbox(situation: Situation) -> BoolArray:
    """Ask where the tool is."""
    boxes = np.arange(len(situation.problem.instance.toolboxes))
    return np.asarray(situation.boxes == boxes[:, np.newaxis])


def by_move(situation: Situation) -> BoolArray:
    """Ask which way to go."""
    return situation.problem.ego_optimal(situation.ego)[:, : len(MOVES)].T


def half(situation: Situation) -> BoolArray:
    """Ask about the likeliest stations that together have at least half of the probability."""
    order = np.argsort(-situation.probabilities, kind="stable")
    # Two equal stations are a half each, whatever the last digit says.
    enough = int(np.searchsorted(np.cumsum(situation.probabilities[order]), 0.5 - 1e-9))
    return _only(order[: enough + 1], order.size)


def likeliest(situation: Situation) -> BoolArray:
    """Ask about the likeliest station."""
    return _only(situation.probabilities.argmax(), situation.probabilities.size)


def by_station(situation: Situation) -> BoolArray:
    """Ask for each station by itself."""
    return np.eye(situation.possible.size, dtype=np.bool_)


KINDS: dict[str, tuple[Asking, Callable[[Shape], int]]] = {
    "toolbox": (by_toolbox, lambda shape: shape.toolboxes),
    "move": (by_move, lambda _: len(MOVES)),
    "half": (half, lambda _: 1),
    "likeliest": (likeliest, lambda _: 1),
    "station": (by_station, lambda shape: shape.stations),
}
"""What each kind asks, and how many questions that makes."""


class Questions:
    """A list of questions.

    Args:
        kinds: kinds by name, or callables that make one question each.
        shape: what they are about.
    """

    def __init__(self, kinds: Sequence[str | Asking], shape: Shape) -> None:
        if isinstance(kinds, str):
            raise InputError("questions", repr(kinds), f"a list, such as [{kinds!r}]")
        known = [(kind, lambda _: 1) if callable(kind) else _kind(kind) for kind in kinds]
        ends = np.cumsum([count(shape) for _, count in known], dtype=int).tolist()
        self._askings = [
            (asking, slice(start, end)) for (asking, _), start, end in zip(known, [0, *ends], ends, strict=False)
        ]
        self.n = ends[-1] if ends else 0
        self._shape = (self.n, shape.stations)

    def __call__(self, situation: Situation) -> BoolArray:
        """``bool [n, n_stations]``: the possible stations that each question asks about."""
        rows = np.empty(self._shape, dtype=np.bool_)
        for asking, place in self._askings:
            rows[place] = asking(situation)
        rows &= situation.possible
        return rows


def toolbox_numbers(instance: Instance) -> IntArray:
    """``int [n_stations]``: number of the toolbox that holds each station's tool."""
    numbers = {name: k for k, name in enumerate(instance.toolboxes)}
    return np.array([numbers[station.toolbox] for station in instance.stations.values()], dtype=np.int32)


def _kind(name: object) -> tuple[Asking, Callable[[Shape], int]]:
    if isinstance(name, str) and name in KINDS:
        return KINDS[name]
    near = get_close_matches(str(name), KINDS, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    known = ", ".join(map(repr, KINDS))
    raise InputError("questions", repr(name), f"one of {known}, or a callable{hint}")


def _only(stations: Any, n: int) -> BoolArray:
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[stations] = True
    return chosen
