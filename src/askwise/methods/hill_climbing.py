"""Compiled hill climbing over questions: flip one goal after the other, and update only what a flip changes.

A question has two sides: the goals in it, and all others. To *flip* a goal is to move it to the other side. Let `g` be
the true goal. While another goal `k` is possible, the best action is unclear during an interval of steps. The list of
`g` has these intervals for all `k`. After the answer, only goals on the side of `g` are possible. The fewer steps their
intervals cover, the higher the value of the question (`askwise.methods.question_value`).

Intervals of a list with the same start form a *group*, longest first. In each group, the *lead* and the *second* are
the two longest intervals of goals on the side of `g`. The *rival* is the longest of a goal on the other side. The leads
determine the steps covered. A lead changes in three cases:

- A goal with an interval longer than the lead joins the side of `g`.
- The goal of the lead leaves the side of `g`. The second becomes the lead.
- `g` itself is flipped. The rivals become the leads.

The *gain* of flipping `k` is the increase of the value, a sum over true goals. The term for another goal `g` is the
*share* of the interval of `k` in the list of `g`. Intervals that follow the lead of their group have the share 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner
from askwise.methods.question_value import question_value

GAIN = 1e-12
"""Improvements below this share of the longest union are rounding errors; following them could cycle."""

SWAP_WIDTH = 12
"""Largest number of goals in the question that are tried in swaps."""


class Standing(NamedTuple):
    """A question in hill climbing, with the increase of its value if one goal moves into or out of the question.

    The list of each true goal g has one interval for each other goal k (`Intervals`). Intervals of a list with the same
    start form a group. There are `n` goals and `m` intervals. The last four arrays use the entry at the first interval
    of each group. `lead`, `second` and `rival` are indices of intervals; the first index after the group means none.

    Attributes:
        mask: ``bool [n]``, the goals in the question.
        gains: ``float64 [n]``, increase of the value if k moves: ``own[k]`` plus the `shares` of the intervals of k.
        own: ``float64 [n]``, the part of this increase with k as the true goal.
        shares: ``float64 [m]``, for the interval of k in the list of g, the part with g as the true goal.
        lead: ``int64 [m]``, longest interval of a goal on the side of g (in the question, or not).
        second: ``int64 [m]``, second longest such interval.
        rival: ``int64 [m]``, longest interval of a goal on the other side.
        reach: ``float64 [m]``, largest end of the leads of earlier groups of g; ``-inf`` for the first.
    """

    mask: Any
    gains: Any
    own: Any
    shares: Any
    lead: Any
    second: Any
    rival: Any
    reach: Any


@compiled
def climb(
    mask: Any, swaps: bool, belief: Any, conflict_steps: Any, intervals: Any, by_size: Any, extra: Any
) -> tuple[float, int]:
    """Improve a question in place until no move and no tried swap increases its value minus price.

    A move takes one goal in or out. A swap is a move in and a move out.

    Args:
        mask: ``bool [n]``, the goals in the question; changed in place.
        swaps: whether to try swaps when no move helps.
        belief: ``float64 [n]``, probabilities of the goals.
        conflict_steps: ``float64 [n]``, by true goal, number of steps with an unclear best action if nothing is asked.
        intervals: the interval of such steps for each true goal and each other goal.
        by_size: ``float64 [n + 1]``, price by number of goals.
        extra: ``float64 [n]``, extra price of each goal.

    Returns:
        The value minus price of the improved question, and the number of questions compared.
    """
    n = mask.size
    now = standing(mask, belief, intervals)
    tolerance = GAIN * max(1.0, conflict_steps.max())
    looked_at = 0
    summed = True
    while True:
        best, gain = _best_flip(now, by_size, extra)
        looked_at += n
        if gain > tolerance:
            flip(best, now, belief, intervals)
            summed = False
        elif not summed:
            sum_up(now, intervals)  # rounding errors of many updates must not decide where to stop
            summed = True
        elif not swaps:
            break
        else:
            swapped, more = _swap(now, belief, intervals, extra, tolerance)
            looked_at += more
            if not swapped:
                break
            summed = False
    paid = by_size[mask.sum()]
    for k in range(n):
        if mask[k]:
            paid += extra[k]
    return question_value(mask, belief, conflict_steps, intervals) - paid, looked_at


@inner
def _best_flip(now: Any, by_size: Any, extra: Any) -> tuple[int, float]:
    """Return the goal whose move into or out of the question increases its value minus price most, and the increase.

    The increase can be negative. If each move leads to a question about no goal or all goals, the result is -1 and
    ``-inf``.
    """
    n = now.mask.size
    size = now.mask.sum()
    best, most = -1, -np.inf
    for k in range(n):
        new_size = size - 1 if now.mask[k] else size + 1
        if 0 < new_size < n:
            gain = now.gains[k] + by_size[size] - by_size[new_size] + (extra[k] if now.mask[k] else -extra[k])
            if gain > most:
                best, most = k, gain
    return best, most


@inner
def _swap(now: Any, belief: Any, intervals: Any, extra: Any, tolerance: float) -> tuple[bool, int]:
    """Exchange a goal in the question for the best goal outside it, if this increases the value minus price.

    Only the `SWAP_WIDTH` goals that cost least to remove are tried. Returns whether a swap was made (in `now`), and the
    number of questions compared.
    """
    inside = np.flatnonzero(now.mask)
    inside = inside[np.argsort(-(now.gains[inside] + extra[inside]))[:SWAP_WIDTH]]
    outside = np.flatnonzero(~now.mask)
    looked_at = 0
    for goal in inside:
        k = int(goal)
        lost = now.gains[k] + extra[k]
        flip(k, now, belief, intervals)
        h = int(outside[(now.gains[outside] - extra[outside]).argmax()])
        looked_at += outside.size
        if lost + now.gains[h] - extra[h] > tolerance:
            flip(h, now, belief, intervals)
            return True, looked_at
        flip(k, now, belief, intervals)
    return False, looked_at


@compiled
def standing(mask: Any, belief: Any, intervals: Any) -> Any:
    """Return the `Standing` of a question, which includes the gain of moving each goal into or out of it.

    Args:
        mask: ``bool [n]``, the goals in the question; not copied, so `flip` changes it.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: for each true goal and each other goal, the steps in which the best action is unclear.
    """
    n, m = mask.size, intervals.others.size
    none = np.full(m, -1, dtype=np.int64)
    now = Standing(mask, np.zeros(n), np.zeros(n), np.zeros(m), none, none.copy(), none.copy(), np.empty(m))
    for g in range(n):
        _update_goal(g, now, belief, intervals)
    sum_up(now, intervals)
    return now


@compiled
def sum_up(now: Any, intervals: Any) -> None:
    """Recompute ``now.gains`` as sums of ``now.own`` and ``now.shares``, to remove rounding errors of many updates."""
    now.gains[:] = now.own
    for k in range(intervals.others.size):
        now.gains[intervals.others[k]] += now.shares[k]


@compiled
def flip(k: int, now: Any, belief: Any, intervals: Any) -> None:
    """Move goal `k` into or out of the question, and update the gains of all goals in place.

    `belief`, ``float64 [n]``, has the probabilities of the goals. `intervals` has, for each true goal and each other
    goal, the steps in which the best action is unclear.
    """
    now.mask[k] = not now.mask[k]
    for u in range(intervals.user_starts[k], intervals.user_starts[k + 1]):
        g, place = intervals.users[u], intervals.places[u]
        group = intervals.first[place]
        # Most intervals stand behind both the second and the rival; then their group needs no update.
        among_leads, among_rivals = place <= now.second[group], place <= now.rival[group]
        if belief[g] > 0.0 and (among_leads or among_rivals):
            _find_leads(group, g, now, intervals)
            _set_own_gain(g, belief[g], now, intervals)
            if among_leads:
                _set_shares(g, belief[g], now, intervals)
    _update_goal(k, now, belief, intervals)


@inner
def _update_goal(g: int, now: Any, belief: Any, intervals: Any) -> None:
    """Recompute the part of every goal's gain for the case that `g` is the true goal, in place in `now`.

    The gain of a goal is the increase of the question's value if the goal moves into or out of the question.
    """
    if belief[g] == 0.0:
        return
    group = intervals.starts[g]
    while group < intervals.starts[g + 1]:
        _find_leads(group, g, now, intervals)
        group = intervals.following[group]
    _set_own_gain(g, belief[g], now, intervals)
    _set_shares(g, belief[g], now, intervals)


@inner
def _find_leads(group: int, g: int, now: Any, intervals: Any) -> None:
    """Find the lead, second and rival of a group of intervals, and store their indices in `now`.

    `group` is the index of the group's first interval, in the list of the true goal `g`. The shares of intervals after
    the lead become 0. The module docstring defines the terms.
    """
    mask, others, after = now.mask, intervals.others, intervals.following[group]
    old_lead = now.lead[group]
    lead = second = rival = after
    for place in range(group, after):
        if mask[others[place]] != mask[g]:
            if rival == after:
                rival = place
        elif lead == after:
            lead = place
        elif second == after:
            second = place
        if second < after and rival < after:
            break
    now.lead[group], now.second[group], now.rival[group] = lead, second, rival
    for place in range(lead + 1, min(old_lead + 1, after)):
        now.gains[others[place]] -= now.shares[place]
        now.shares[place] = 0.0


@inner
def _set_own_gain(g: int, probability: float, now: Any, intervals: Any) -> None:
    """Recompute how much the value of the question increases if `g` is the true goal and moves to the other side.

    The leads and rivals in `now` must be up to date. ``now.own``, ``now.gains`` and ``now.reach`` are updated.
    """
    begin, end, lead, rival = intervals.begin, intervals.end, now.lead, now.rival
    kept = other = 0.0
    reach = other_reach = -np.inf
    group = intervals.starts[g]
    while group < intervals.starts[g + 1]:
        after = intervals.following[group]
        now.reach[group] = reach
        if lead[group] < after and end[lead[group]] > reach:
            kept += end[lead[group]] - max(reach, begin[group])
            reach = end[lead[group]]
        if rival[group] < after and end[rival[group]] > other_reach:
            other += end[rival[group]] - max(other_reach, begin[group])
            other_reach = end[rival[group]]
        group = after
    now.gains[g] -= now.own[g]
    now.own[g] = probability * (kept - other)
    now.gains[g] += now.own[g]


@inner
def _set_shares(g: int, probability: float, now: Any, intervals: Any) -> None:
    """Recompute how much the value of the question increases if `g` is the true goal and another goal changes sides.

    The leads in `now` must be up to date. For each other goal, the increase times `probability`, that of `g`, becomes
    the share of this goal's interval in the list of `g`. ``now.shares`` and ``now.gains`` are updated.
    """
    begin, end, following = intervals.begin, intervals.end, intervals.following
    stop = intervals.starts[g + 1]
    group = intervals.starts[g]
    while group < stop:
        after, lead, second = following[group], now.lead[group], now.second[group]
        reach = max(begin[group], now.reach[group])
        led = max(reach, end[lead]) if lead < after else reach
        for place in range(group, min(lead + 1, after)):
            if place < lead:
                share = -probability * _uncovered(led, end[place], after, stop, now.lead, begin, end, following)
            else:
                left = max(reach, end[second]) if second < after else reach
                share = probability * _uncovered(left, end[lead], after, stop, now.lead, begin, end, following)
            now.gains[intervals.others[place]] += share - now.shares[place]
            now.shares[place] = share
        group = after


@inner
def _uncovered(
    reach: float, until: float, group: int, stop: int, lead: Any, begin: Any, end: Any, following: Any
) -> float:
    """Return how much of the interval from `reach` to `until` is not covered by the leads of some groups.

    The groups are those of the intervals from index `group` to ``stop - 1``. `begin`, `end` and `following` are arrays
    of `Intervals`, `lead` is an array of `Standing`.
    """
    length = 0.0
    while reach < until and group < stop and begin[group] < until:
        after = following[group]
        if lead[group] < after:
            length += max(0.0, begin[group] - reach)
            reach = max(reach, end[lead[group]])
        group = after
    return length + max(0.0, until - reach)
