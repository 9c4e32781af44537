"""Reading a model that was written down edge by edge."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from askwise.errors import InputError
from askwise.frozen import is_hashable


@dataclass(slots=True)
class Edges:
    """Edges with names replaced by numbers, in order of first appearance."""

    states: list[Hashable]
    actions: list[Hashable] = field(default_factory=list)
    source: list[int] = field(default_factory=list)
    action: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    probability: list[float] = field(default_factory=list)

    @property
    def stochastic(self) -> bool:
        """Whether the edges came with probabilities."""
        return bool(self.probability)


def read_edges(edges: Iterable[Sequence[Any]], states: Iterable[Hashable] | None) -> Edges:
    """Give numbers to the states and actions of `edges`, each ``(state, action, next_state[, probability])``."""
    read = Edges(states=[])
    state_index: dict[Hashable, int] = {}
    for k, name in enumerate([] if states is None else states):
        number = _number(name, state_index, read.states, f"name of state {k}")
        if number < k:
            raise InputError(f"name of state {k}", f"{name!r}, already the name of {number}", "a new name")
    action_index: dict[Hashable, int] = {}
    first_seen: dict[tuple[int, int], int] = {}
    lengths = set()
    for k, edge in enumerate(edges):
        if not isinstance(edge, Sequence) or isinstance(edge, str) or len(edge) not in (3, 4):
            raise InputError(f"edge {k}", repr(edge), "(state, action, next_state) or that with a probability")
        lengths.add(len(edge))
        if len(lengths) == 2:
            raise InputError(f"edge {k}", repr(edge), "a probability on every edge or on none")
        s, a, t = (
            _number(edge[0], state_index, read.states),
            _number(edge[1], action_index, read.actions),
            _number(edge[2], state_index, read.states),
        )
        if first_seen.setdefault((s, a), t) != t and len(edge) == 3:
            raise InputError(
                f"edge {k}",
                f"a second successor {edge[2]!r} of state {edge[0]!r} under action {edge[1]!r}",
                "one successor, or a probability on every edge",
            )
        read.source.append(s)
        read.action.append(a)
        read.target.append(t)
        if len(edge) == 4:
            read.probability.append(_probability(edge[3], k))
    return read


def _number(name: Hashable, index: dict[Hashable, int], names: list[Hashable], field: str = "name in an edge") -> int:
    if not is_hashable(name):
        raise InputError(field, repr(name), "something hashable")
    if name not in index:
        index[name] = len(names)
        names.append(name)
    return index[name]


def _probability(value: Any, edge: int) -> float:
    try:
        probability = float(value)
    except (TypeError, ValueError):
        raise InputError(f"probability of edge {edge}", repr(value), "a number from 0 to 1") from None
    if not 0 <= probability <= 1:
        raise InputError(f"probability of edge {edge}", value, "a number from 0 to 1")
    return probability
