"""Graphs to draw: their nodes and edges, the names at them, and the boxes that nodes take in a drawing.

A node is a state of a model. An edge means that an action leads from one state to another. Large models are drawn in
part: states near the start, states in which goals are reached, and paths between them.

A box is a rectangle for a node and its names. A node's mark is about one unit wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askwise.model import Model
from askwise.model.graph import breadth_first
from askwise.text.wording import columns_of, printable
from askwise.types import BoolArray, FloatArray, IntArray

ELSEWHERE = -1
"""Stands for all states that are not drawn."""
MOST_DRAWN = 300
"""Largest number of states for which the whole graph is drawn; a larger drawing would be unreadable."""
PART = 60
"""Number of states that are drawn of a larger graph."""
MOST_TARGETS = 20

NAME_LETTERS = 0.34
"""Font size of a name; a letter is about half as wide (`LETTER_WIDTH`)."""
LABEL_LETTERS = 0.27
LETTER_WIDTH = 0.56
LINE_HEIGHT = 0.38
NAME_BELOW = 0.5
"""Distance from a node's centre to its name below; marks extend that far."""

LONGEST_LINE = 12
LONGEST_LABEL = 12
TAIL = 4
"""Letters kept at the end of a shortened name, where names most often differ."""
PUSHES = 250
HALF_MARK = 0.55
"""Half the width of a mark on a node."""
BETWEEN = 0.35
"""Minimum gap between two boxes."""


# -- nodes and edges -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Net:
    """A graph to draw, with states of a model as nodes and their connections as edges.

    Attributes:
        states: the state of each node; `ELSEWHERE` (-1) for a node that stands for all other states.
        names: the full, printable names of the nodes.
        pairs: ``int32 [n_edges, 2]``, the nodes of each edge, the lower index first.
        there: for each edge, the names of actions from its first to its second node.
        back: for each edge, those from its second to its first node.
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
        """Return the graph of a deterministic model, or of a part of it.

        Args:
            model: the model.
            states: the indices of the states that become nodes; None for all. An additional node, such as "12 more",
                stands for the others.
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
        """The index in the array `indices` at which the neighbours of each node begin, ``int64 [n + 1]``.

        The neighbours of node ``k`` are ``indices[indptr[k] : indptr[k + 1]]``.
        """
        return np.concatenate(([0], np.cumsum(np.bincount(self.pairs.ravel(), minlength=self.n))))

    @cached_property
    def indices(self) -> IntArray:
        """The neighbours of all nodes, ``int32 [2 * n_pairs]``: those of node 0, then those of node 1, and so on.

        The neighbours of each node are in ascending order. The array `indptr` says where they begin.
        """
        nodes, others = np.concatenate([self.pairs, self.pairs[:, ::-1]]).T
        return np.ascontiguousarray(others[np.lexsort((others, nodes))], dtype=np.int32)

    def steps_from(self, node: int) -> IntArray:
        """Return the smallest number of edges from the node with the index `node` to each node, ``int32 [n]``.

        Edges count in both directions. The number is -1 for a node to which no path leads.
        """
        return breadth_first([node], self.indptr, self.indices)[0]

    @cached_property
    def one_way(self) -> float:
        """The fraction of edges, from 0 to 1, whose actions lead in one direction only; 0 without edges."""
        single = sum(not (there and back) for there, back in zip(self.there, self.back, strict=True))
        return single / max(len(self.pairs), 1)


# -- the part that is drawn ---------------------------------------------------------------------------------------


def excerpt(model: Model, start: int, targets: Iterable[int]) -> list[int] | None:
    """Return the indices of the states to draw, in ascending order; None if the model is small enough to draw them all.

    A model with at most `MOST_DRAWN` states is small enough. In a larger one, the states to draw are the start, the
    targets, shortest paths to them as far as these fit, and states near the start.

    Args:
        model: a deterministic model.
        start: the agent's first state.
        targets: the states in which a goal is reached; only the first `MOST_TARGETS` count.
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
    """Return the number of steps from the state `start` to each state, and the states that can be reached.

    Returns:
        Two arrays: ``int32 [n_states]``, with -1 if a state cannot be reached, and ``int32 [n_reached]``, the indices
        of the reached states, nearest first.
    """
    following = model.successor
    available = following >= 0
    indptr = np.concatenate(([0], np.cumsum(available.sum(axis=1))))
    return breadth_first([start], indptr, following[available])


def _path_back(model: Model, steps: IntArray, target: int) -> Iterator[int]:
    """Yield the states of a shortest path from the start to the state `target` in reverse order, `target` first.

    `steps`, ``int32 [n_states]``, are the steps from the start to each state; -1 if a state cannot be reached. If
    `target` cannot be reached, only `target` is yielded.
    """
    indptr, indices = model.predecessors
    state = target
    yield state
    while steps[state] > 0:
        before = indices[indptr[state] : indptr[state + 1]]
        state = int(before[steps[before] == steps[state] - 1].min())
        yield state


# -- names --------------------------------------------------------------------------------------------------------


def name_width(lines: tuple[str, ...]) -> float:
    """Return the width of a node's name that is written in the lines `lines`; 0 without lines.

    The unit is about the size of a node's mark.
    """
    return NAME_LETTERS * LETTER_WIDTH * max((columns_of(line) for line in lines), default=0)


def label_width(text: str) -> float:
    """Return the width of a label, a text with names of actions next to an edge, in units of the drawing.

    One unit is about the size of a node's mark.
    """
    return LABEL_LETTERS * LETTER_WIDTH * columns_of(text)


def shortened(text: str, longest: int) -> str:
    """Return a text shortened to at most `longest` columns, with two dots in place of its middle.

    A column is the width of a usual character. Wide characters, such as Chinese ones, take two columns.
    """
    if columns_of(text) <= longest:
        return text
    tail = text[::-1][: _fitting(text[::-1], min(TAIL, (longest - 1) // 2))][::-1]
    head = text[: _fitting(text, longest - 2 - columns_of(tail))]
    return head.rstrip() + ".." + tail.lstrip()


def _fitting(text: str, columns: int) -> int:
    """Return how many of the first characters of `text` fit into `columns` columns."""
    return next((k for k in range(len(text)) if columns_of(text[: k + 1]) > columns), len(text))


def in_lines(name: str, longest: int = LONGEST_LINE) -> tuple[str, ...]:
    """Return a name as one line or, if it is longer than `longest` columns, as two lines of similar length.

    The name is split after a space, hyphen, slash or underscore. A line that is still too long is shortened. Wide
    characters, such as Chinese ones, take two columns.
    """
    if columns_of(name) <= longest:
        return (name,)
    breaks = [found.end() for found in re.finditer(r"[\s_/-]+", name) if 0 < found.end() < len(name)]
    halves = [(name[:k].rstrip(), name[k:]) for k in breaks]
    if not halves:
        return (shortened(name, longest),)
    best = min(halves, key=lambda pair: max(map(columns_of, pair)))
    return tuple(shortened(half, longest) for half in best)


# -- boxes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """The rectangles that the nodes of a graph take in a drawing, with the texts above and below each node.

    All arrays are ``float64 [n_nodes]``.

    Attributes:
        half_width: half the width; the node is in the middle.
        above: the distance from node to upper edge.
        below: the distance from node to lower edge.
    """

    half_width: FloatArray
    above: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, names: list[tuple[str, ...]], above: list[str]) -> Boxes:
        """Return the rectangles of nodes with the given texts.

        Args:
            names: for each node, the lines of its name, which are written below the node.
            above: for each node, the line of text above the node; empty for none.
        """
        texts = zip(names, above, strict=True)
        half = np.array([max(HALF_MARK, name_width((*lines, text)) / 2) for lines, text in texts])
        below = np.array([NAME_BELOW + LINE_HEIGHT * len(lines) for lines in names])
        return cls(half, np.array([HALF_MARK + (LINE_HEIGHT if text else 0.0) for text in above]), below)

    @property
    def widths(self) -> FloatArray:
        """The width of each node's rectangle plus the smallest gap between two rectangles, ``float64 [n]``."""
        return 2 * self.half_width + BETWEEN

    @property
    def heights(self) -> FloatArray:
        """The height of each node's rectangle plus the smallest gap between two rectangles, ``float64 [n]``."""
        return self.above + self.below + BETWEEN

    @property
    def right(self) -> tuple[FloatArray, FloatArray]:
        """The room that each node needs to the left and to the right of its position, as two arrays ``float64 [n]``.

        Both include half of the smallest gap between rectangles that are side by side.
        """
        return self.half_width + BETWEEN / 2, self.half_width + BETWEEN / 2

    @property
    def down(self) -> tuple[FloatArray, FloatArray]:
        """The room that each node needs above and below its position, as two arrays ``float64 [n]``.

        Both include half of the smallest gap between two rectangles. Use this property for nodes that are placed one
        below the other.
        """
        return self.above + BETWEEN / 2, self.below + BETWEEN / 2

    def some(self, chosen: list[int]) -> Boxes:
        """Return the rectangles of the nodes with the indices `chosen`, in the order of `chosen`."""
        return Boxes(self.half_width[chosen], self.above[chosen], self.below[chosen])


def spread(places: FloatArray, boxes: Boxes) -> FloatArray:
    """Move nodes until no two boxes overlap, and return their new positions (x, y), ``float64 [n, 2]``.

    `places`, ``float64 [n, 2]``, are the old positions, which are not changed.
    """
    places = _separated(places.copy())
    for _ in range(PUSHES):
        push = _push(places, boxes)
        if not push.any():
            return places
        places += 0.6 * push
    # If pushing has not separated all boxes, enlarging the drawing does: no two positions are equal.
    places = _separated(places)
    while (factor := _factor(places, boxes)) > 1:
        places *= factor
    return places


def _separated(places: FloatArray) -> FloatArray:
    """Move nodes with equal positions slightly apart, so that no two positions are equal.

    Args:
        places: ``float64 [n, 2]``, the positions (x, y) of the nodes; the array is changed.

    Returns:
        The same array.
    """
    _, first = np.unique(places.round(6), axis=0, return_index=True)
    same = np.setdiff1d(np.arange(len(places)), first)
    places[same] += 0.01 * np.column_stack([same + 1, same % 7 + 1])
    return places


def _overlaps(places: FloatArray, boxes: Boxes) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return three arrays ``[n_nodes, n_nodes]``: how far any two boxes overlap in x, in y, and whether they overlap.

    Boxes include the smallest allowed gap. A negative overlap is a gap.
    """
    middles = places[:, 1] + (boxes.above - boxes.below) / 2
    needed_x = (boxes.widths[:, None] + boxes.widths[None, :]) / 2
    needed_y = (boxes.heights[:, None] + boxes.heights[None, :]) / 2
    short_x = needed_x - np.abs(places[:, None, 0] - places[None, :, 0])
    short_y = needed_y - np.abs(middles[:, None] - middles[None, :])
    overlap = (short_x > 1e-6) & (short_y > 1e-6)
    np.fill_diagonal(overlap, val=False)
    return short_x, short_y, overlap


def _push(places: FloatArray, boxes: Boxes) -> FloatArray:
    """Return the vector (x, y) by which to move each node, ``float64 [n, 2]``, so that overlapping boxes move apart.

    Two overlapping boxes move apart along the axis on which they overlap less.
    """
    short_x, short_y, overlap = _overlaps(places, boxes)
    order = np.arange(len(places))
    before = np.where(order[:, None] < order[None, :], -1.0, 1.0)
    push = np.zeros_like(places)
    for axis, short, chosen in ((0, short_x, short_x <= short_y), (1, short_y, short_x > short_y)):
        side = np.sign(places[:, None, axis] - places[None, :, axis])
        side = np.where(side == 0, before, side)
        push[:, axis] = np.where(overlap & chosen, side * (short + 1e-3) / 2, 0.0).sum(axis=1)
    return push


def _factor(places: FloatArray, boxes: Boxes) -> float:
    """Return the factor (1 or larger) by which to multiply all positions to separate the boxes that overlap now.

    Other boxes may overlap afterwards, so the caller repeats this until the factor is 1. No two of the positions
    `places`, ``float64 [n, 2]``, may be equal.
    """
    short_x, short_y, overlap = _overlaps(places, boxes)
    if not overlap.any():
        return 1.0
    apart_x, apart_y = (np.abs(places[:, None, axis] - places[None, :, axis]) for axis in (0, 1))
    with np.errstate(divide="ignore"):
        needed = np.minimum(1 + short_x / apart_x, 1 + short_y / apart_y)
    return max(float(needed[overlap].max()), 1.02)
