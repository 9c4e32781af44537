"""A net as a finished drawing: each connected part laid out, all with room, ways and names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from askwise.types import FloatArray, IntArray
from askwise.view.grounds import Graph, Node
from askwise.view.layout.boxes import Boxes, in_lines, shortened, spread
from askwise.view.layout.lines import extent, labels_of, longest_labels, moved, ways_of
from askwise.view.layout.net import ELSEWHERE, Net
from askwise.view.layout.placement import layered_layout, layers_of, stress_layout, suits_layers

MANY = 40
"""Nodes beyond which names have one short line."""
TOO_MANY = 110
"""Nodes beyond which there is no room for names at all."""
LONGEST_ABOVE = 20
MARGIN = 0.3


def lay_out(net: Net, root: int = 0, above: Mapping[int, str] | None = None) -> Graph:
    """Return the drawing of a net; the same net always gets the same one.

    Args:
        net: what to draw.
        root: the node from which layers count: where the agent starts.
        above: the nodes that goals are about, and what is to be written above them.
    """
    given = above or {}
    names = [_written(net, node, node == root or node in given) for node in range(net.n)]
    texts = [shortened(given.get(node, ""), LONGEST_ABOVE) for node in range(net.n)]
    boxes = Boxes.of(names, texts)
    places = _placed(net, root, boxes).round(3)
    ways = ways_of(net, places)
    left, low, right, high = extent(places, boxes, ways)
    shift = np.array([left - MARGIN, low - MARGIN])
    places = (places - shift).round(3)
    ways = [moved(way, -shift) for way in ways]
    return Graph(
        tuple(
            Node(net.names[k], (float(x), float(y)), names[k], texts[k], k in given) for k, (x, y) in enumerate(places)
        ),
        tuple(ways),
        tuple(labels_of(ways, places, boxes)),
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
    """Return the places of all nodes: connected parts one below the other, the one with the root first."""
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
    """Return ``int [n]``, the number of the connected part that each node is in."""
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
    """Return one connected part of a net."""
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
    """Put nodes that nothing leads to or from in rows below the rest."""
    if not loners:
        return
    wide, high = float(boxes.widths[loners].max()), float(boxes.heights[loners].max())
    across = max(1, int(max(float(np.ptp(places[:, 0])), 4 * wide) // wide))
    for k, node in enumerate(loners):
        row, column = divmod(k, across)
        places[node] = (column * wide, below - boxes.above[node] - row * high)
