"""Compiled searches over questions: hill climbing and branch and bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.query.value import flip_gain, question_value, union_length, union_lengths

GAIN = 1e-12
"""Smaller improvements are rounding; following them could go round in circles."""

SWAP_WIDTH = 12
"""Goals on each side that are tried in swaps."""


@compiled
def climb(mask: Any, belief: Any, torn: Any, intervals: Any, prices: Any) -> tuple[float, int]:
    """Improve `mask` in place by the best flip or, where no flip helps, by a swap that does.

    Return its net value and how many questions were looked at.
    """
    n = mask.size
    gains = np.empty(n)
    looked_at = 0
    while True:
        kept = union_lengths(mask, intervals)
        size = mask.sum()
        for k in range(n):
            new_size = size - 1 if mask[k] else size + 1
            gains[k] = -np.inf
            if 0 < new_size < n:
                gains[k] = flip_gain(k, mask, kept, belief, intervals) + prices[size] - prices[new_size]
                looked_at += 1
        best = gains.argmax()
        if gains[best] > GAIN:
            mask[best] = not mask[best]
            continue
        swapped, more = _first_swap(mask, gains, kept, belief, intervals)
        looked_at += more
        if not swapped:
            break
    return question_value(mask, belief, torn, intervals) - prices[size], looked_at


@compiled
def _first_swap(mask: Any, gains: Any, kept: Any, belief: Any, intervals: Any) -> tuple[bool, int]:
    """Exchange a goal in the question for one outside if that helps; the cost stays the same.

    Only the goals whose flips alone would lose least are tried: all pairs would be too many for hundreds of goals.
    """
    order = np.argsort(-gains)
    inside = order[mask[order]][:SWAP_WIDTH]
    outside = order[~mask[order]][:SWAP_WIDTH]
    looked_at = 0
    for k in inside:
        for h in outside:
            mask[k], mask[h] = False, True
            looked_at += 1
            if _gain(mask, kept, belief, intervals) > GAIN:
                return True, looked_at
            mask[k], mask[h] = True, False
    return False, looked_at


@compiled
def _gain(mask: Any, kept: Any, belief: Any, intervals: Any) -> float:
    gain = 0.0
    for g in range(mask.size):
        gain += belief[g] * (kept[g] - union_length(g, mask[g], mask, intervals))
    return float(gain)


@compiled
def branch_and_bound(
    best_mask: Any,
    best_net: float,
    order: Any,
    belief: Any,
    torn: Any,
    intervals: Any,
    prices: Any,
    budget: int,
) -> tuple[float, int, bool]:
    """Assign the goals of `order` to one side after the other; improve `best_mask` in place.

    What a partial question can still become is bounded from above: the truth keeps at least the goals that are already
    on its side, and the price is at least the cheapest that the sizes still possible allow. Sides are swapped freely,
    because a question and its complement tell the same: the first goal stays on one side, and the price is that of the
    cheaper of the two.
    """
    n = belief.size
    side = np.full(n, -1, dtype=np.int8)  # by goal: 0, 1, or -1 while it is not assigned
    tried = np.zeros(n, dtype=np.int8)  # by depth: how many sides have been tried
    counts = np.zeros(2, dtype=np.int64)
    cheapest = _cheapest(prices)
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
        price = _price(counts, n, cheapest)
        if value - price <= best_net + GAIN:
            continue
        if depth + 1 < n:
            depth += 1
            continue
        if counts[0] > 0 and counts[1] > 0:
            best_net = value - price
            asked = 1 if prices[counts[1]] <= prices[counts[0]] else 0
            for g in range(n):
                best_mask[g] = side[g] == asked
    return best_net, looked_at, True


@compiled
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


@compiled
def _price(counts: Any, n: int, cheapest: Any) -> float:
    """Return the least that a question can cost that has at least `counts` goals on its two sides."""
    one = cheapest[max(counts[0], 1), min(n - counts[1], n - 1)]
    other = cheapest[max(counts[1], 1), min(n - counts[0], n - 1)]
    return float(min(one, other))


@compiled
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
