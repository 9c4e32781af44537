"""The finished drawing of a graph (`Net`): positions of nodes, curved edges, and labels with the names of actions.

Each connected part is laid out by itself. An edge is curved if a straight one would run through another node. The unit
of length is about the size of a node's mark; y increases upwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from askwise.types import FloatArray, IntArray
from askwise.view.layout.net import (
    ELSEWHERE,
    LABEL_LETTERS,
    LONGEST_LABEL,
    Boxes,
    Net,
    in_lines,
    label_width,
    shortened,
    spread,
)
from askwise.view.layout.placement import layered_layout, layers_of, stress_layout, suits_layers
from askwise.view.scene import DrawnGraph, Edge, Label, Node, Place, curve

MOST_BENT = 150
"""Largest number of edges for which edges are curved; among more, single edges cannot be followed."""
MOST_NAMED = 45
BENDS = (0.0, 0.16, -0.16, 0.3, -0.3)
"""Offsets of a curve to the side, as fractions of its length, in the order in which they are tried."""
CLEAR = 0.5
"""Minimum distance between an edge and a node that it does not connect."""
SAMPLES = 12
ROOM_FOR_NAMES = 2.4

Box = tuple[float, float, float, float]
"""Left, lower, right and upper side of a rectangle."""
MANY = 40
"""Number of nodes above which names are reduced to one short line."""
TOO_MANY = 110
"""Number of nodes above which only important nodes have names."""
LONGEST_ABOVE = 20
MARGIN = 0.3


# -- edges --------------------------------------------------------------------------------------------------------


def edges_of(net: Net, places: FloatArray) -> list[Edge]:
    """Return the edges of a graph, drawn as curves that avoid other nodes if possible.

    If there are more than `MOST_BENT` edges, all are straight. `places`, ``float64 [n, 2]``, are the positions (x, y)
    of the nodes.
    """
    bend = len(net.pairs) <= MOST_BENT
    return [_edge(net, places, k, bend) for k in range(len(net.pairs))]


def _edge(net: Net, places: FloatArray, k: int, bend: bool) -> Edge:
    first, second = net.pairs[k].tolist()
    there, back = net.there[k], net.back[k]
    if not there:
        first, second, there, back = second, first, back, ()
    start, end = places[first], places[second]
    others = np.delete(places, [first, second], axis=0)
    choices = [_towards(start, end, share) for share in (BENDS if bend and len(others) else BENDS[:1])]
    hits = [_hits(start, through, end, others) for through in choices] if len(choices) > 1 else [0]
    return Edge(first, second, there, back, _rounded(choices[int(np.argmin(hits))]))


def _towards(start: FloatArray, end: FloatArray, share: float) -> Place:
    middle, across = (start + end) / 2, end - start
    # A quadratic curve deviates half as far as its control point.
    return float(middle[0] - 2 * share * across[1]), float(middle[1] + 2 * share * across[0])


def _hits(start: FloatArray, through: Place, end: FloatArray, others: FloatArray) -> int:
    """Return the number of nodes that are closer than `CLEAR` to a quadratic Bézier curve.

    `through` is the control point. `others`, ``float64 [n, 2]``, are the positions of all nodes except the two at the
    ends of the curve.
    """
    shares = np.linspace(0, 1, SAMPLES + 2)[1:-1, None]
    line = (1 - shares) ** 2 * start + 2 * shares * (1 - shares) * np.array(through) + shares**2 * end
    apart = np.hypot(*(line[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
    return int((apart.min(axis=0) < CLEAR).sum())


def moved(edge: Edge, by: FloatArray) -> Edge:
    """Return a copy of a drawn edge with its control point moved by the vector `by`, ``float64 [2]``.

    The ends of the edge are indices of nodes, so they stay the same.
    """
    return replace(edge, through=_rounded((edge.through[0] + float(by[0]), edge.through[1] + float(by[1]))))


def _rounded(place: Place) -> Place:
    return round(place[0], 3), round(place[1], 3)


# -- names of actions --------------------------------------------------------------------------------------------


def labels_of(edges: list[Edge], places: FloatArray, boxes: Boxes) -> list[Label]:
    """Return labels with the names of actions, for the edges that have room for a label.

    There are none if all actions have the same name, or if there are more than `MOST_NAMED` edges. `places`,
    ``float64 [n, 2]``, are the positions (x, y) of the nodes; `boxes` are their rectangles, which labels avoid.
    """
    if len(edges) > MOST_NAMED or len({name for edge in edges for name in (*edge.there, *edge.back)}) < 2:
        return []
    taken = [_node_box(places[k], boxes, k) for k in range(len(places))]
    labels = []
    for edge in edges:
        ends = [(float(x), float(y)) for x, y in (places[edge.first], places[edge.second])]
        for texts in _wanted(edge):
            found = _fitted(ends, edge.through, texts, taken)
            if found is not None:
                taken += found
                labels += [Label(text, _middle(box)) for (text, _), box in zip(texts, found, strict=True)]
                break
    return labels


def longest_labels(net: Net) -> float:
    """Return the largest width that the labels of one edge take, in units of the drawing; 0 if the graph has no labels.

    The widths of two labels of an edge are added. The result is at most `ROOM_FOR_NAMES`.
    """
    names = {name for both in (net.there, net.back) for actions in both for name in actions}
    if len(net.pairs) > MOST_NAMED or len(names) < 2:
        return 0.0
    needed = [sum(map(label_width, _texts(*both))) for both in zip(net.there, net.back, strict=True)]
    return min(max(needed), ROOM_FOR_NAMES)


def _texts(there: tuple[str, ...], back: tuple[str, ...]) -> tuple[str, str]:
    """Return the texts of the labels for the two directions of an edge; if both are equal, the second text is empty.

    A text has the names of a direction's actions (`there` or `back`), joined by slashes and shortened.
    """
    one, other = (shortened("/".join(names), LONGEST_LABEL) for names in (there, back))
    return one, "" if one == other else other


def _wanted(edge: Edge) -> Iterator[list[tuple[str, tuple[float, ...]]]]:
    """Yield the possible ways to label an edge, the best first; the caller uses the first way for which there is room.

    Yields:
        A list with a pair for each label: its text, and the positions to try, the best first. A position is a number
        from 0 (the first node of the edge) to 1 (the second node).
    """
    there, back = _texts(edge.there, edge.back)
    if not back:
        yield [(there, (0.5, 0.42, 0.58, 0.34, 0.66))]
        return
    yield [(there, (0.34, 0.3, 0.38, 0.26, 0.42)), (back, (0.66, 0.7, 0.62, 0.74, 0.58))]
    yield [(there, (0.4, 0.45, 0.35, 0.5, 0.3))]


def _fitted(
    ends: list[Place], through: Place, texts: list[tuple[str, tuple[float, ...]]], taken: list[Box]
) -> list[Box] | None:
    """Return a free rectangle for each label of an edge; None if there is no room for one of them.

    `ends` and `through` are the edge's end points and control point. `texts` has for each label its text and the
    positions to try, from 0 to 1 along the edge.
    """
    found: list[Box] = []
    for text, shares in texts:
        boxes = (_box(curve(ends[0], through, ends[1], share), text) for share in shares)
        free = next((box for box in boxes if not any(_touch(box, other) for other in (*taken, *found))), None)
        if free is None:
            return None
        found.append(free)
    return found


def _middle(box: Box) -> Place:
    return _rounded(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))


def _box(middle: Place, text: str) -> Box:
    wide, high = label_width(text) / 2, LABEL_LETTERS * 0.62
    return middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high


def _node_box(place: FloatArray, boxes: Boxes, k: int) -> Box:
    half = float(boxes.half_width[k])
    x, y = float(place[0]), float(place[1])
    return x - half, y - float(boxes.below[k]), x + half, y + float(boxes.above[k])


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def extent(places: FloatArray, boxes: Boxes, edges: list[Edge]) -> Box:
    """Return the rectangle that a drawing takes: left, lower, right and upper coordinate, rounded outwards to integers.

    Args:
        places: ``float64 [n, 2]``, the positions (x, y) of the nodes.
        boxes: the rectangles of the nodes and their names.
        edges: the edges.
    """
    left, right = (places[:, 0] - boxes.half_width).min(), (places[:, 0] + boxes.half_width).max()
    low, high = (places[:, 1] - boxes.below).min(), (places[:, 1] + boxes.above).max()
    middles = [curve(_place(places, edge.first), edge.through, _place(places, edge.second), 0.5) for edge in edges]
    xs, ys = [left, right, *(x for x, _ in middles)], [low, high, *(y for _, y in middles)]
    return math.floor(min(xs)), math.floor(min(ys)), math.ceil(max(xs)), math.ceil(max(ys))


def _place(places: FloatArray, node: int) -> Place:
    return float(places[node, 0]), float(places[node, 1])


# -- the drawing --------------------------------------------------------------------------------------------------


def lay_out(net: Net, root: int = 0, above: Mapping[int, str] | None = None) -> DrawnGraph:
    """Return the drawing of a graph of states; equal graphs have equal drawings.

    Args:
        net: the graph.
        root: the index of the node where the agent starts; a layered drawing begins with it, unless the graph is a
            single path.
        above: the text above each node in which a goal is reached, by index; None for none.
    """
    given = above or {}
    names = [_written(net, node, node == root or node in given) for node in range(net.n)]
    texts = [shortened(given.get(node, ""), LONGEST_ABOVE) for node in range(net.n)]
    boxes = Boxes.of(names, texts)
    places = _placed(net, root, boxes).round(3)
    edges = edges_of(net, places)
    left, low, right, high = extent(places, boxes, edges)
    shift = np.array([left - MARGIN, low - MARGIN])
    places = (places - shift).round(3)
    edges = [moved(edge, -shift) for edge in edges]
    return DrawnGraph(
        tuple(
            Node(net.names[k], (float(x), float(y)), names[k], texts[k], k in given) for k, (x, y) in enumerate(places)
        ),
        tuple(edges),
        tuple(labels_of(edges, places, boxes)),
        round(right - left + 2 * MARGIN, 3),
        round(high - low + 2 * MARGIN, 3),
        net.n_states,
    )


def _written(net: Net, node: int, matters: bool) -> tuple[str, ...]:
    if net.states[node] == ELSEWHERE:
        return (net.names[node],)
    if net.n > TOO_MANY and not matters:
        return ()
    if net.n > MANY:
        return in_lines(net.names[node], 8)[:1]
    return in_lines(net.names[node])


def _placed(net: Net, root: int, boxes: Boxes) -> FloatArray:
    """Return the positions (x, y) of all nodes, ``float64 [n, 2]``, with connected parts of the graph below each other.

    The part with the node `root`, where the agent starts, is at the top.
    """
    part_of = _parts(net)
    n_parts = int(part_of.max()) + 1
    order = sorted(range(n_parts), key=lambda part: (part != part_of[root], -int((part_of == part).sum()), part))
    places = np.zeros((net.n, 2))
    below = 0.0
    loners: list[int] = []
    for part in order:
        members = np.flatnonzero(part_of == part).tolist()
        if len(members) == 1 and n_parts > 1 and members != [root]:
            loners += members
            continue
        own = boxes.some(members)
        start = members.index(root) if root in members else 0
        found = _one_part(_part(net, members), start, own)
        places[members] = found - [found[:, 0].min(), (found[:, 1] + own.above).max() - below]
        below = float((places[members, 1] - own.below).min()) - 0.4
    _in_rows(places, loners, boxes, below)
    return places


def _parts(net: Net) -> IntArray:
    """Return for each node the number of the connected part of the graph to which it belongs, ``int64 [n]``.

    Parts are numbered from 0. Two nodes are in the same part if a path of edges connects them.
    """
    part_of = np.full(net.n, -1)
    while (part_of < 0).any():
        part_of[net.steps_from(int(np.argmin(part_of))) >= 0] = part_of.max() + 1
    return part_of


def _one_part(net: Net, root: int, boxes: Boxes) -> FloatArray:
    layers = layers_of(net, root)
    if suits_layers(net, layers):
        return layered_layout(net, layers, boxes, longest_labels(net))
    edge = 1.2 + 0.6 * float(boxes.widths.mean()) + 0.5 * longest_labels(net)
    return spread(stress_layout(net, root, edge), boxes)


def _part(net: Net, members: list[int]) -> Net:
    """Return the part of a graph that consists of the nodes `members` and the edges between them.

    They become nodes 0, 1, ... of the result; no edge may lead to other nodes.
    """
    if len(members) == net.n:
        return net
    number = np.full(net.n, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    kept = np.flatnonzero(number[net.pairs[:, 0]] >= 0)
    return Net(
        tuple(net.states[k] for k in members),
        tuple(net.names[k] for k in members),
        np.asarray(number[net.pairs[kept]], dtype=np.int32),
        tuple(net.there[k] for k in kept),
        tuple(net.back[k] for k in kept),
        net.n_states,
    )


def _in_rows(places: FloatArray, loners: list[int], boxes: Boxes, below: float) -> None:
    """Place the isolated nodes `loners` in rows below the rest of a drawing, by writing their positions into `places`.

    `places` is ``float64 [n, 2]``, the positions (x, y) of all nodes. Below the y coordinate `below` there is room.
    """
    if not loners:
        return
    wide, high = float(boxes.widths[loners].max()), float(boxes.heights[loners].max())
    across = max(1, int(max(float(np.ptp(places[:, 0])), 4 * wide) // wide))
    for k, node in enumerate(loners):
        row, column = divmod(k, across)
        places[node] = (column * wide, below - boxes.above[node] - row * high)
