"""The undirected graph of a model, and the part of it that is drawn.

Two states are connected if an action leads from one to the other. Directions only matter for arrows. Of a large model,
the start, the targets, the paths between them and their surroundings are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askwise.model import Model
from askwise.model.graph import breadth_first
from askwise.text.wording import printable
from askwise.types import IntArray

ELSEWHERE = -1
"""Stands for all states that are not drawn."""
MOST_DRAWN = 300
"""Largest number of states for which the whole graph is drawn; a larger drawing would be unreadable."""
PART = 60
"""Number of states that are drawn of a larger graph."""
MOST_TARGETS = 20


@dataclass(frozen=True, eq=False)
class Net:
    """A graph to draw: some states of a model as nodes, and the connections between them.

    Attributes:
        states: the index of each node's state, or `ELSEWHERE` (-1) for the node that stands for all states without a
            node.
        names: the full name of each node, printable.
        pairs: ``int [n_pairs, 2]``, pairs of connected nodes, the lower index first.
        there: for each pair, the names of the actions that lead from its first to its second node.
        back: for each pair, the names of the actions that lead from its second to its first node.
        n_states: number of states of the model.
    """

    states: tuple[int, ...]
    names: tuple[str, ...]
    pairs: IntArray
    there: tuple[tuple[str, ...], ...]
    back: tuple[tuple[str, ...], ...]
    n_states: int

    @classmethod
    def of(cls, model: Model, states: Sequence[int] | None = None) -> Net:
        """Return the graph of all states of a deterministic model, or of some of them.

        Args:
            model: the model.
            states: the indices of the states that become nodes; None for all. If some are left out, one more node,
                without edges, stands for all of these.
        """
        chosen = range(model.n_states) if states is None else states
        node_of = {state: node for node, state in enumerate(chosen)}
        joined: dict[tuple[int, int], tuple[list[str], list[str]]] = {}
        for state, node in node_of.items():
            for action, following in enumerate(model.successor[state].tolist()):
                other = node_of.get(following, node)
                if other != node:
                    key = (min(node, other), max(node, other))
                    name = printable(str(model.action_name(state, action)))
                    joined.setdefault(key, ([], []))[node > other].append(name)
        pairs = sorted(joined)
        hidden = model.n_states - len(node_of)
        return cls(
            (*node_of, *([ELSEWHERE] if hidden else [])),
            (*(printable(str(model.name(s))) for s in node_of), *([f"{hidden} more"] if hidden else [])),
            np.array(pairs, dtype=np.int32).reshape(-1, 2),
            tuple(tuple(joined[pair][0]) for pair in pairs),
            tuple(tuple(joined[pair][1]) for pair in pairs),
            model.n_states,
        )

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @cached_property
    def indptr(self) -> Any:
        """``int64 [n + 1]``: the neighbours of node `k` are ``indices[indptr[k] : indptr[k + 1]]``."""
        return np.concatenate(([0], np.cumsum(np.bincount(self.pairs.ravel(), minlength=self.n))))

    @cached_property
    def indices(self) -> IntArray:
        """``int32 [2 n_pairs]``, the neighbours of node 0, then those of node 1, and so on.

        The neighbours of each node are in ascending order.
        """
        nodes, others = np.concatenate([self.pairs, self.pairs[:, ::-1]]).T
        return np.ascontiguousarray(others[np.lexsort((others, nodes))], dtype=np.int32)

    def steps_from(self, node: int) -> IntArray:
        """Return the fewest edges on a path from `node` to each node, ``int32 [n]``, -1 if there is no path.

        All edges can be used in both directions.
        """
        return breadth_first([node], self.indptr, self.indices)[0]

    @cached_property
    def one_way(self) -> float:
        """The fraction of edges, from 0 to 1, for which actions lead in one direction only."""
        single = sum(not (there and back) for there, back in zip(self.there, self.back, strict=True))
        return single / max(len(self.pairs), 1)


# -- the part that is drawn ---------------------------------------------------------------------------------------


def excerpt(model: Model, start: int, targets: Iterable[int]) -> list[int] | None:
    """Return the indices of the states to draw of a large model, in ascending order; None if all can be drawn.

    These are the start, the states in which goals are reached, the paths to them, and states near the start. The time
    is linear in the size of the model.

    Args:
        model: a deterministic model.
        start: the state in which the agent starts.
        targets: the states in which a goal is reached.
    """
    if model.n_states <= MOST_DRAWN:
        return None
    steps, order = _from_start(model, start)
    shown = {start}
    for target in list(dict.fromkeys(targets))[:MOST_TARGETS]:
        path = list(_path_back(model, steps, target))
        # A path that does not fit would fill the whole drawing; only its end is shown.
        shown.update(path if len(shown) + len(path) <= PART else [target])
    for state in order.tolist():
        if len(shown) >= PART:
            break
        shown.add(state)
    return sorted(shown)


def _from_start(model: Model, start: int) -> tuple[IntArray, IntArray]:
    """Return the fewest steps from `start` to each state, and the states that can be reached, nearest first.

    The steps are ``int32 [n_states]``, -1 for a state that cannot be reached.
    """
    following = model.successor
    available = following >= 0
    indptr = np.concatenate(([0], np.cumsum(available.sum(axis=1))))
    return breadth_first([start], indptr, following[available])


def _path_back(model: Model, steps: IntArray, target: int) -> Iterator[int]:
    """Iterate over the states of a shortest path from the start to `target`, beginning with `target`.

    Args:
        model: a deterministic model.
        steps: ``int32 [n_states]``, the fewest steps from the start to each state, -1 if it cannot be reached.
        target: the state at the end of the path; if it cannot be reached, it is the only state.
    """
    indptr, indices = model.predecessors
    state = target
    yield state
    while steps[state] > 0:
        before = indices[indptr[state] : indptr[state + 1]]
        state = int(before[steps[before] == steps[state] - 1].min())
        yield state
