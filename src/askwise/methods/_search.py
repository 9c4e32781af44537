"""Compiled branch and bound over questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.methods._climb import GAIN
from askwise.methods.question_value import union_length


@compiled
def branch_and_bound(
    best_mask: Any,
    best_net: float,
    order: Any,
    belief: Any,
    torn: Any,
    intervals: Any,
    by_size: Any,
    extra: Any,
    budget: int,
) -> tuple[float, int, bool]:
    """Assign the goals of `order` to one side after the other; improve `best_mask` in place.

    What a partial question can still become is bounded from above: the truth keeps at least the goals that are already
    on its side, and the price is at least the cheapest that the sizes still possible allow. Sides are swapped freely,
    because a question and its complement tell the same: the first goal stays on one side, and the price is that of the
    cheaper of the two: ``by_size[number of goals]`` and, for each goal named, ``extra[goal]``.
    """
    n = belief.size
    side = np.full(n, -1, dtype=np.int8)  # by goal: 0, 1, or -1 while it is not assigned
    tried = np.zeros(n, dtype=np.int8)  # by depth: how many sides have been tried
    counts = np.zeros(2, dtype=np.int64)
    cheapest = _cheapest(by_size)
    depth = 0
    looked_at = 0
    while depth >= 0:
        goal = order[depth]
        if side[goal] >= 0:
            counts[side[goal]] -= 1
            side[goal] = -1
        if tried[depth] == (1 if depth == 0 else 2):
            tried[depth] = 0
            depth -= 1
            continue
        side[goal] = tried[depth]
        counts[side[goal]] += 1
        tried[depth] += 1
        looked_at += 1
        if looked_at > budget:
            return best_net, looked_at, False
        value = _bound(side, belief, torn, intervals)
        price = min(_least(0, side, counts, cheapest, extra), _least(1, side, counts, cheapest, extra))
        if value - price <= best_net + GAIN:
            continue
        if depth + 1 < n:
            depth += 1
            continue
        if counts[0] > 0 and counts[1] > 0:
            best_net = value - price
            one, other = _least(1, side, counts, cheapest, extra), _least(0, side, counts, cheapest, extra)
            asked = 1 if one <= other else 0
            for g in range(n):
                best_mask[g] = side[g] == asked
    return best_net, looked_at, True


@inner
def _cheapest(prices: Any) -> Any:
    """``[lowest, highest]``: the cheapest price of a question whose size lies between the two."""
    n = prices.size - 1
    cheapest = np.full((n + 1, n + 1), np.inf)
    for lowest in range(1, n):
        price = np.inf
        for highest in range(lowest, n):
            price = min(price, prices[highest])
            cheapest[lowest, highest] = price
    return cheapest


@inner
def _least(asked: int, side: Any, counts: Any, cheapest: Any, extra: Any) -> float:
    """Return the least that naming the goals on side `asked` can cost once the others have been assigned too."""
    n = side.size
    price = cheapest[max(counts[asked], 1), min(n - counts[1 - asked], n - 1)]
    for g in range(n):
        if side[g] == asked or (side[g] < 0 and extra[g] < 0.0):  # an open goal that is a discount may be named
            price += extra[g]
    return float(price)


@inner
def _bound(side: Any, belief: Any, torn: Any, intervals: Any) -> float:
    """Return the most that any completion of a partial question is worth."""
    value = 0.0
    for g in range(side.size):
        if belief[g] == 0.0:
            continue
        if side[g] >= 0:
            kept = union_length(g, side[g], side, intervals)
        else:
            zero = union_length(g, 0, side, intervals)
            one = union_length(g, 1, side, intervals)
            kept = min(zero, one)
        value += belief[g] * (torn[g] - kept)
    return value
