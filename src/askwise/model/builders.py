"""Building the tables of a model from a list of edges or from a step function.

States and actions are numbered as they first appear. A step function is called for all states reachable from a first
state, breadth-first. Column k of the resulting tables is for the k-th action of each state (see `Labels` in
`askwise.model.names`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.frozen import is_hashable
from askwise.types import IntArray, LazyModule

sparse = LazyModule("scipy.sparse")


@dataclass(slots=True)
class Edges:
    """The transitions of a model as the edges of a graph, in parallel lists of indices.

    Attributes:
        states: names of all states, in index order.
        actions: names of all actions, in index order.
        source: state in which each edge starts.
        action: action of each edge.
        target: state to which each edge leads.
        probability: probability of each edge; empty if edges have none.
    """

    states: list[Hashable]
    actions: list[Hashable] = field(default_factory=list)
    source: list[int] = field(default_factory=list)
    action: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    probability: list[float] = field(default_factory=list)

    @property
    def stochastic(self) -> bool:
        """Whether the edges have probabilities."""
        return bool(self.probability)

    def successor(self) -> Any:
        """Return the next state after each action, ``int64 [n_states, n_actions]``, -1 where there is no edge."""
        table = np.full((len(self.states), len(self.actions)), -1, dtype=np.int64)
        table[self.source, self.action] = self.target
        return table

    def matrices(self) -> list[Any]:
        """Return a sparse matrix of transition probabilities for each action, ``[n_states (from), n_states (to)]``."""
        source, target, action = (np.asarray(each) for each in (self.source, self.target, self.action))
        probability, n = np.asarray(self.probability, dtype=np.float64), len(self.states)
        chosen = [action == a for a in range(len(self.actions))]
        return [sparse.coo_array((probability[k], (source[k], target[k])), shape=(n, n)) for k in chosen]


def read_edges(edges: Iterable[Sequence[Any]], states: Iterable[Hashable] | None) -> Edges:
    """Return `Edges` for a list of edges; states and actions are numbered in the order in which they first appear.

    Args:
        edges: ``(state, action, next_state)`` by name; stochastic models add a probability.
        states: names of states to number before all others; None for none.

    Raises:
        InputError: an edge is malformed, only some edges have a probability, an action without probabilities leads from
            one state to two, or `states` repeats a name.
    """
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


StepFunction = Callable[[Any], Iterable[tuple[Hashable, Any]]]
"""A function from a state to pairs ``(action, next state)``."""
EVERY = 10_000
"""Number of states between two progress reports."""


class Exploration:
    """The part of a state space that a breadth-first exploration has found so far.

    Args:
        start: the first state.
        max_states: limit on the number of states.

    Attributes:
        states: index of each state.
        labels: index (label) of each action.
        counts: number of edges of each state for which `expand` was called.
        targets: index of the next state of each edge, sorted by the state in which it starts.
        of_edge: label of each edge.
    """

    def __init__(self, start: Hashable, max_states: int) -> None:
        if isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 1:
            raise InputError("max_states", repr(max_states), "a whole number from 1")
        self.max_states = max_states
        self.states: dict[Hashable, int] = {}
        self.labels: dict[Hashable, int] = {}
        self.counts: list[int] = []
        self.targets: list[int] = []
        self.of_edge: list[int] = []
        self.number(start, "start")

    def number(self, state: Hashable, field: str) -> int:
        """Return the index of a state; a new state is added to `self.states` and gets the next free index.

        `field` is the name of the input in error messages. Raises an `InputError` if the state is not hashable, or if
        there are already `max_states` states.
        """
        if not is_hashable(state):
            raise InputError(field, repr(state), "a state that is hashable, such as a tuple or a string")
        known = self.states.get(state)
        if known is not None:
            return known
        if len(self.states) == self.max_states:
            allowed = f"at most {self.max_states} (raise it with max_states=...)"
            raise InputError("model", "more reachable states", allowed)
        self.states[state] = len(self.states)
        return len(self.states) - 1

    def expand(self, state: Hashable, pairs: Any, stay: Hashable) -> None:
        """Add the actions of a state to this exploration, and the states that the actions lead to.

        Call this method for the states in the order of their indices. `pairs` is what the step function returned for
        the state: pairs ``(action, next state)``, without the action `stay` that stays in place. Raises an `InputError`
        for malformed pairs.
        """
        where = f"step({state!r})"
        if not isinstance(pairs, Iterable) or isinstance(pairs, str):
            raise InputError(where, repr(pairs), "pairs (action, next state)")
        here: set[Hashable] = set()
        for pair in pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise InputError(where, repr(pair), "pairs (action, next state)")
            action, following = pair
            if not is_hashable(action) or action == stay:
                allowed = f"a hashable name other than {stay!r}, which every state has"
                raise InputError(where, f"the action {action!r}", allowed)
            if action in here:
                raise InputError(where, f"the action {action!r} twice", "each action once: they are deterministic")
            here.add(action)
            self.of_edge.append(self.labels.setdefault(action, len(self.labels)))
            self.targets.append(self.number(following, where))
        self.counts.append(len(here))

    def tables(self) -> tuple[IntArray, IntArray]:
        """Return two tables: the next state and the label (index among all actions) of each action of each state.

        Both are ``int32 [n_states, most actions of a state]``. Column k is for the k-th action of a state, -1 where the
        state has fewer actions.
        """
        counts = np.asarray(self.counts, dtype=np.int64)
        targets, labels = (np.asarray(each, dtype=np.int32) for each in (self.targets, self.of_edge))
        successor, label = rank_tables(counts, targets, labels)
        return successor, label


def rank_tables(counts: Any, *columns: IntArray) -> tuple[IntArray, ...]:
    """Turn lists with one value for each edge into tables with one row for each state.

    Edges are sorted by the state in which they start. `counts`, ``int [n_states]``, is the number of edges of each
    state. `columns` are the lists, ``int32 [n_edges]``. The tables are ``int32 [n_states, most edges of a state]``;
    shorter rows end in -1.
    """
    sources = np.repeat(np.arange(counts.size), counts)
    ranks = np.arange(sources.size) - np.repeat(np.cumsum(counts) - counts, counts)
    tables = []
    for values in columns:
        table = np.full((counts.size, int(counts.max(initial=0))), -1, dtype=np.int32)
        table[sources, ranks] = values
        tables.append(table)
    return tuple(tables)


def explore(
    start: Hashable, step: StepFunction, *, max_states: int, progress: Callable[[int], None] | None, stay: Hashable
) -> Exploration:
    """Find all states that can be reached from `start`, breadth-first, and return the exploration.

    Args:
        start: the first state.
        step: returns the actions of a state, as pairs ``(action, next state)``.
        max_states: limit on the number of states; more raise `InputError`.
        progress: called now and then with the number of states; None for no calls.
        stay: name of the action that stays in place; not returned by `step`.
    """
    found = Exploration(start, max_states)
    waiting: list[Hashable] = [start]
    while len(found.counts) < len(waiting):
        state = waiting[len(found.counts)]
        before = len(found.states)
        found.expand(state, step(state), stay)
        waiting += _newest(found.states, before)
        if progress is not None and len(found.counts) % EVERY == 0:
            progress(len(found.states))
    return found


def _newest(states: dict[Hashable, int], before: int) -> list[Hashable]:
    """Return the newest states, those whose index is at least `before`, in index order.

    `states` maps all states to their indices, in index order. Only the end of this dict is read, because the dict may
    be long.
    """
    return list(islice(reversed(states), len(states) - before))[::-1]
