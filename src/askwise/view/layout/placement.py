"""Two ways to place the nodes of a connected graph: in layers, and by stress majorisation.

**Layers** suit trees and graphs of one-way edges. The layer of a node is its distance from the root, where the agent
starts. To reduce crossings, the nodes of a layer are sorted by the mean position of their neighbours in the adjacent
layer. Then each node is placed as near its neighbours as this order allows.

**Stress majorisation** suits all other graphs. Let ``d`` be the distance of two nodes in the graph, and ``D`` in the
drawing. The stress is the sum of ``(D - d) ** 2 / d ** 2`` over all pairs of nodes. Each step minimises a quadratic
upper bound that is exact at the current drawing (Gansner et al. 2004).
"""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from askwise.types import FloatArray, IntArray, LazyModule
from askwise.view.layout.net import Boxes, Net

SWEEPS = 12
MOST_ACROSS = 18
"""Largest number of nodes in a layer; more would make a drawing that is mostly height."""
LONGEST_ROW = 9
"""Number of layers above which a thin drawing is folded."""
MOSTLY_ONE_WAY = 0.6
ROWS_SHAPE = 1.6
"""Aspect ratio (width to height) of a folded drawing."""
LABEL_LINES = 0.7
"""Space for the names of actions between layers that lie one below the other."""
linalg = LazyModule("scipy.linalg")
MOST_STEPS = 300
ENOUGH = 1e-4
"""Stop when a step reduces the stress by less than this fraction."""
TREMBLE = 0.05
"""Displacement of the initial positions, without which nodes with equal distances would stay on top of each other."""


# -- layers -------------------------------------------------------------------------------------------------------


def suits_layers(net: Net, layers: IntArray) -> bool:
    """Return whether to draw a connected graph in layers, as trees are drawn, instead of by `stress_layout`.

    Args:
        net: the graph.
        layers: ``int32 [n]``, the layer of each node, as `layers_of` returns it.
    """
    if np.bincount(layers).max() > MOST_ACROSS:
        return False
    if len(net.pairs) == net.n - 1:
        return True
    first, second = net.pairs.T
    return net.one_way >= MOSTLY_ONE_WAY and bool((layers[first] != layers[second]).all())


def layers_of(net: Net, root: int) -> IntArray:
    """Return the layer of each node of a connected graph, ``int32 [n]``: its distance from the node `root`, in edges.

    If the graph is a single path, edges are counted from one of its ends.
    """
    degrees = np.diff(net.indptr)
    ends = np.flatnonzero(degrees == 1)
    if degrees.max() <= 2 and ends.size and degrees[root] > 1:
        root = int(ends[0])
    return net.steps_from(root)


def layered_layout(net: Net, layers: IntArray, boxes: Boxes, label: float) -> FloatArray:
    """Return the positions (x, y) of all nodes, ``float64 [n, 2]``, in layers from left to right or from top to bottom.

    Many small layers are folded into rows.

    Args:
        net: a connected graph of `n` nodes.
        layers: ``int32 [n]``, the layer of each node, from 0.
        boxes: the rectangles of the nodes.
        label: the room between layers for names of actions.
    """
    rows = _ordered(net, layers)
    widths, heights = boxes.widths, boxes.heights
    if len(rows) > LONGEST_ROW and max(map(len, rows)) <= 3:
        return _folded(net, rows, boxes, label)
    down, right = (_in_layers(net, rows, *room) for room in (boxes.down, boxes.right))
    sideways = np.column_stack([_depths(rows, *boxes.right, label), -down])
    downwards = np.column_stack([right, -_depths(rows, *boxes.down, LABEL_LINES)])
    # Take the one that can be drawn larger; long names make one of the two much wider.
    return min(sideways, downwards, key=lambda places: _shape(places, widths, heights))


def _shape(places: FloatArray, widths: FloatArray, heights: FloatArray) -> float:
    wide = float(np.ptp(places[:, 0]) + widths.mean())
    high = float(np.ptp(places[:, 1]) + heights.mean())
    return max(wide, 1.15 * high)


def _ordered(net: Net, layers: IntArray) -> list[list[int]]:
    """Return a list of the nodes of each layer, in an order with few crossings of edges.

    `net` is a connected graph; `layers`, ``int32 [n]``, has the layer of each node, from 0.
    """
    rows = [np.flatnonzero(layers == k).tolist() for k in range(int(layers.max()) + 1)]
    for row, below in pairwise(rows):
        below.sort(key=lambda node: (_middle(net, row, node, -1.0), node))
    best, fewest = [list(row) for row in rows], _crossings(net, rows)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        pairs = list(pairwise(rows)) if sweep % 2 == 0 else [(b, a) for a, b in reversed(list(pairwise(rows)))]
        for fixed, moved in pairs:
            own = {node: k for k, node in enumerate(moved)}
            middles = {node: _middle(net, fixed, node, own[node]) for node in moved}
            moved.sort(key=lambda node: (middles[node], own[node]))
        if (crossings := _crossings(net, rows)) < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _crossings(net: Net, rows: list[list[int]]) -> int:
    """Return the number of crossings of edges between neighbouring layers.

    Args:
        net: a connected graph.
        rows: for each layer, the indices of its nodes in the order in which they are drawn.
    """
    total = 0
    for row, below in pairwise(rows):
        place = {node: k for k, node in enumerate(below)}
        ends = [end for node in row for end in sorted(place[k] for k in _neighbours(net, node) if k in place)]
        total += int(np.triu(np.subtract.outer(ends, ends) > 0, 1).sum()) if ends else 0
    return total


def _middle(net: Net, row: list[int], node: int, otherwise: float) -> float:
    near = set(_neighbours(net, node))
    places = [k for k, other in enumerate(row) if other in near]
    return float(np.mean(places)) if places else otherwise


def _neighbours(net: Net, node: int) -> list[int]:
    return list(net.indices[net.indptr[node] : net.indptr[node + 1]].tolist())


def _in_layers(net: Net, rows: list[list[int]], before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the coordinate of each node along its layer, ``float64 [n]``, close to those of neighbours in the graph.

    `rows` are the nodes of each layer, in the order to keep. `before` and `after`, ``float64 [n]``, are the room along
    the layer that each node needs before and after its position.
    """
    places = np.zeros(net.n)
    for row in rows:
        offsets = _offsets(before[row], after[row])
        places[row] = offsets - offsets[-1] / 2
    for sweep in range(SWEEPS):
        pairs = list(pairwise(rows)) if sweep % 2 else [(b, a) for a, b in reversed(list(pairwise(rows)))]
        for fixed, moved in pairs:
            near = [[k for k in _neighbours(net, node) if k in set(fixed)] for node in moved]
            wanted = np.array([places[k].mean() if k else places[n] for n, k in zip(moved, near, strict=True)])
            offsets = _offsets(before[moved], after[moved])
            places[moved] = rising(wanted - offsets) + offsets
    return places


def _offsets(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the distance of each node of a layer from its first node, ``float64 [n]``, if nodes are packed closely.

    `before` and `after`, ``float64 [n]``, are the room that each node needs before and after its position.
    """
    return np.concatenate(([0.0], np.cumsum(after[:-1] + before[1:])))


def _depths(rows: list[list[int]], before: FloatArray, after: FloatArray, label: float) -> FloatArray:
    """Return the coordinate of each node across the layers, ``float64 [n]``; it is 0 for the first layer and increases.

    `rows` are the nodes of each layer. `before` and `after`, ``float64 [n]``, are the room across the layers that each
    node needs; `label` is the room between two layers.
    """
    found = np.zeros(len(before))
    gaps = [max(after[a].max() + before[b].max(), 1.4) + 0.2 + label for a, b in pairwise(rows)]
    for row, depth in zip(rows, accumulate(gaps, initial=0.0), strict=True):
        found[row] = depth
    return found


def _folded(net: Net, rows: list[list[int]], boxes: Boxes, label: float) -> FloatArray:
    """Return the positions (x, y) of all nodes, ``float64 [n_nodes, 2]``, for a graph with many small layers.

    The layers are folded into rows that run alternately to the right and to the left. `rows` has the nodes of each
    layer; `label` is the room between layers.
    """
    step = float(boxes.widths.max()) + 0.2 + label
    across = -_in_layers(net, rows, *boxes.down)
    high = float(np.ptp(across)) + float(boxes.heights.max()) + 0.6
    length = max(2, math.ceil((len(rows) * ROWS_SHAPE * high / step) ** 0.5))
    places = np.zeros((net.n, 2))
    for depth, row in enumerate(rows):
        turn, along = divmod(depth, length)
        places[row, 0] = step * (along if turn % 2 == 0 else length - 1 - along)
        places[row, 1] = across[row] - turn * high
    return places


def rising(wanted: FloatArray) -> FloatArray:
    """Return the non-decreasing numbers that are closest to the numbers `wanted` by least squares.

    This is isotonic regression; `wanted` and the result are ``float64 [n]``.
    """
    blocks: list[tuple[float, int]] = []  # sums and sizes
    for number in wanted.tolist():
        total, size = number, 1
        while blocks and blocks[-1][0] * size >= total * blocks[-1][1]:
            before, several = blocks.pop()
            total, size = before + total, several + size
        blocks.append((total, size))
    return np.repeat([total / size for total, size in blocks], [size for _, size in blocks])


# -- stress -------------------------------------------------------------------------------------------------------


def stress_layout(net: Net, root: int, edge: float) -> FloatArray:
    """Return positions (x, y) of all nodes, ``float64 [n, 2]``, at distances that resemble those in the graph.

    Args:
        net: a connected graph.
        root: the agent's first node, placed on the left.
        edge: the desired distance between neighbours.
    """
    if net.n == 1:
        return np.zeros((1, 2))
    distances = np.array([net.steps_from(node) for node in range(net.n)], dtype=np.float64)
    return _turned(edge * _settled(distances, _first_guess(distances, root)), root)


def _first_guess(distances: FloatArray, root: int) -> FloatArray:
    """Return initial positions (x, y) of all nodes, ``float64 [n, 2]``, from the distances to four remote nodes.

    The first of the four is the node farthest from `root`; each of the others is farthest from those chosen before.
    `distances`, ``float64 [n, n]``, are counted in edges.
    """
    west = int(np.argmax(distances[root]))
    east = int(np.argmax(distances[west]))
    south = int(np.argmax(np.minimum(distances[west], distances[east])))
    north = int(np.argmax(np.minimum(np.minimum(distances[west], distances[east]), distances[south])))
    guess = np.column_stack([distances[west] - distances[east], distances[south] - distances[north]]) / 2
    turns = np.arange(len(distances)) * math.pi * (3 - math.sqrt(5))
    return np.asarray(guess + TREMBLE * np.column_stack([np.cos(turns), np.sin(turns)]))


def _settled(distances: FloatArray, places: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        weights = np.where(distances > 0, distances**-2.0, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    # The first node is fixed, because the stress does not depend on the position of the whole drawing.
    factor = linalg.cho_factor(laplacian[1:, 1:])
    before = math.inf
    for _ in range(MOST_STEPS):
        apart, stress = _apart(places, distances, weights)
        if stress >= before * (1 - ENOUGH):
            break
        before = stress
        pull = np.where(apart > 1e-9, weights * distances / np.maximum(apart, 1e-9), 0.0)
        right = (np.diag(pull.sum(axis=1)) - pull) @ places
        places = np.vstack([np.zeros((1, 2)), linalg.cho_solve(factor, right[1:])])
    return places


def _apart(places: FloatArray, distances: FloatArray, weights: FloatArray) -> tuple[Any, float]:
    apart = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    return apart, float((weights * (apart - distances) ** 2).sum())


def _turned(places: FloatArray, root: int) -> FloatArray:
    """Return the positions of nodes, rotated and mirrored so that the longer axis of the drawing is horizontal.

    The node `root` comes to lie in the left half, and not in the lower half. `places`, ``float64 [n_nodes, 2]``, is not
    changed.
    """
    centred = places - places.mean(axis=0)
    sizes, axes = np.linalg.eigh(centred.T @ centred)
    if sizes[0] > 0.6 * sizes[1]:
        # About as wide as high: any rotation is fine, so turn the root to the left.
        along = -centred[root] / (np.hypot(*centred[root]) or 1.0)
        axes = np.column_stack([[-along[1], along[0]], along]) if along.any() else axes
    turned = centred @ axes[:, ::-1]
    turned[:, 0] *= -1 if turned[root, 0] > 0 else 1
    turned[:, 1] *= -1 if turned[root, 1] < 0 else 1
    return np.asarray(turned)
