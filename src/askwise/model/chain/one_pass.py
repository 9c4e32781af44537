"""One backward pass over an acyclic chain: exact, every edge looked at once.

States are taken in an order in which all successors of a state come before it (Kahn's algorithm on the
reversed graph). States that lead into a cycle never become ready, which is how a cycle shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.model.chain.absorbing import AbsorbingChain
from askwise.types import BoolArray, FloatArray, IntArray


def backward_pass(chain: AbsorbingChain) -> tuple[FloatArray, BoolArray]:
    """Return ``V = 1 + Q V``, ``float64 [n]``, and where it is settled: all states if the chain is acyclic."""
    values, matrix = np.zeros(chain.size), chain.matrix
    order, settled = _successors_first(chain)
    _sums(order, matrix.indptr, matrix.indices, matrix.data, values)
    return values, settled


def longest_path(chain: AbsorbingChain) -> FloatArray:
    """Return ``L = 1 + max of L over successors``, ``float64 [n]``; ``inf`` where a cycle can be reached."""
    values, matrix = np.full(chain.size, np.inf), chain.matrix
    order, _ = _successors_first(chain)
    _maxima(order, matrix.indptr, matrix.indices, values)
    return values


def _successors_first(chain: AbsorbingChain) -> tuple[IntArray, BoolArray]:
    """Return the states that lead into no cycle, each after its successors, and a mask of them."""
    waiting = np.diff(chain.matrix.indptr).astype(np.int64)
    order = np.empty(chain.size, dtype=np.int32)
    filled = _order(waiting, chain.reverse.indptr, chain.reverse.indices, order)
    return order[:filled], waiting == 0


@compiled
def _order(waiting: Any, back_indptr: Any, back_indices: Any, order: Any) -> int:
    filled = 0
    for s in range(waiting.size):
        if waiting[s] == 0:
            order[filled] = s
            filled += 1
    head = 0
    while head < filled:
        s = order[head]
        head += 1
        for k in range(back_indptr[s], back_indptr[s + 1]):
            t = back_indices[k]
            waiting[t] -= 1
            if waiting[t] == 0:
                order[filled] = t
                filled += 1
    return filled


@compiled
def _sums(order: Any, indptr: Any, indices: Any, data: Any, values: Any) -> None:
    for s in order:
        total = 1.0
        for k in range(indptr[s], indptr[s + 1]):
            total += data[k] * values[indices[k]]
        values[s] = total


@compiled
def _maxima(order: Any, indptr: Any, indices: Any, values: Any) -> None:
    for s in order:
        longest = 0.0
        for k in range(indptr[s], indptr[s + 1]):
            longest = max(longest, values[indices[k]])
        values[s] = longest + 1.0
