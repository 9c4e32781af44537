"""Stress majorisation: distances in the drawing as near as can be to those in the graph.

Minimised is the stress, the sum over pairs of ``w (|x_i - x_j| - d)^2`` with ``w = 1 / d^2``. Each step minimises a
quadratic function that lies above the stress and touches it at the present drawing (Gansner, Koren and North 2004), so
the stress never grows. It starts from distances to a few nodes, which unfolds loops and long ways at once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise.lazy_module import Later
from askwise.types import FloatArray
from askwise.view.layout.net import Net

linalg = Later("scipy.linalg")

MOST_STEPS = 300
ENOUGH = 1e-4
"""Stop when a step lowers the stress by less than this share."""
TREMBLE = 0.05
"""Nodes that look alike start at slightly different places, or they would stay on top of each other."""


def stress_layout(net: Net, root: int, edge: float) -> FloatArray:
    """Return ``float64 [n, 2]``, places of the nodes of a connected net; neighbours are about `edge` apart."""
    if net.n == 1:
        return np.zeros((1, 2))
    distances = np.array([net.steps_from(node) for node in range(net.n)], dtype=np.float64)
    return _turned(edge * _settled(distances, _first_guess(distances, root)), root)


def _first_guess(distances: FloatArray, root: int) -> FloatArray:
    """Return places by the distances to four nodes that are far apart."""
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
    # The first node stays where it is: a drawing may be moved as a whole without changing its stress.
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
    """Return a drawing turned so that it is wider than high, the root on the left, and not below the middle."""
    centred = places - places.mean(axis=0)
    sizes, axes = np.linalg.eigh(centred.T @ centred)
    if sizes[0] > 0.6 * sizes[1]:
        # About as wide as high: any direction would do, so the root's own becomes the left.
        along = -centred[root] / (np.hypot(*centred[root]) or 1.0)
        axes = np.column_stack([[-along[1], along[0]], along]) if along.any() else axes
    turned = centred @ axes[:, ::-1]
    turned[:, 0] *= -1 if turned[root, 0] > 0 else 1
    turned[:, 1] *= -1 if turned[root, 1] < 0 else 1
    return np.asarray(turned)
