"""Compiled hill climbing over questions: flip one goal after the other, and update only what a flip changes.

A question has two sides: the goals in it, and all others. To flip a goal means to move it to the other side. Each goal
`g` has a list of intervals of steps, one for each other goal `k`. The interval says in which steps the best action is
unclear if `g` is the true goal and `k` is possible, too. If `g` is the true goal, the answer leaves only the goals on
the side of `g` possible. So the value of the question then depends on the length of the union of the intervals of goals
on this side (`askwise.methods.question_value`).

Intervals in the list of `g` with the same start form a *group*. Among the intervals of a group whose goals are on the
side of `g`, the longest is the *lead* of the group, and the next longest is the *second*. Only leads count for the
union. So if another goal `k` changes sides, the union changes only in two cases:

- `k` joins the side of `g`, and the interval of `k` is longer than the lead of its group: the union gains the part of
  this interval that was not in it before.
- `k` leaves the side of `g`, and the interval of `k` is the lead: the union loses the part of this interval that no
  other interval covers, and the second of the group becomes the lead.

The *rival* of a group is the longest of its intervals whose goals are not on the side of `g`. If `g` itself changes
sides, the rivals become the leads.

The gain of flipping a goal `k` is a sum over the goals that may be the true one. The part for the case that `g` is the
true goal is called the *share* of the interval of `k` in the list of `g`. `Standing` keeps all shares and gains. A
group is sorted, longest first; intervals that stand behind the lead have the share 0.

After a flip of `k`, a group needs no update if the interval of `k` stands behind both the second and the rival of the
group. Most intervals stand behind both. So the time of a climb is about quadratic in the number of goals.
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

    A question splits the goals in two sides: the goals in the question, and all others. A goal changes sides if it
    moves into or out of the question. The value of a question is a sum over the goals g that may be the true one. Each
    goal g has a list of intervals of steps, one for each other goal k (`Intervals`): the steps in which the best action
    is unclear if g is the true goal and k is possible, too. Intervals of a list that begin in the same step form a
    group, sorted longest first. Here, `n` is the number of goals, and `m` is the number of intervals in all lists.

    The arrays `lead`, `second`, `rival` and `reach` have one entry for each group, at the index of the group's first
    interval; other entries are not used. An entry of `lead`, `second` or `rival` is the index of an interval. If the
    group has no such interval, the entry is the index of the first interval after the group.

    Attributes:
        mask: ``bool [n]``, True for the goals in the question.
        gains: ``float64 [n]``, for each goal k, the increase of the value if k changes sides: ``own[k]`` plus the
            `shares` of all intervals whose other goal is k.
        own: ``float64 [n]``, for each goal, the part of its gain for the case that this goal is the true one.
        shares: ``float64 [m]``. The entry for the interval of the other goal k in the list of g is the part of the gain
            of k for the case that g is the true goal.
        lead: ``int64 [m]``, the longest interval of the group whose other goal is on the same side as g.
        second: ``int64 [m]``, the second longest interval of the group whose other goal is on the same side as g.
        rival: ``int64 [m]``, the longest interval of the group whose other goal is not on the side of g.
        reach: ``float64 [m]``, the largest end of the leads of all earlier groups of g; ``-inf`` for the first group.
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
    """Improve a question in place until no move of one goal, and no swap that is tried, increases its net value.

    A move takes one goal into or out of the question. A swap exchanges a goal in the question for a goal outside it.
    Returns the net value (value minus price) of the improved question, and the number of questions compared. The price
    of a question is ``by_size[number of goals]`` plus ``extra[goal]`` for each goal in it.

    Args:
        mask: ``bool [n]``, the goals in the question; changed in place.
        swaps: whether to try swaps, too, when no move increases the net value.
        belief: ``float64 [n]``, probabilities of the goals.
        conflict_steps: ``float64 [n]``, for each goal: the number of steps in which the best action is unclear, if this
            goal is the true one and nothing is asked.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
        by_size: ``float64 [n + 1]``, price by number of goals.
        extra: ``float64 [n]``, extra price of each goal.
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
    """Return the goal that increases the net value most by moving into or out of the question, and the increase.

    The net value is the value minus the price; the increase can be negative. Moves that lead to a question about no
    goal or about all goals are not allowed. If no move is allowed, the result is -1 and ``-inf``.

    Args:
        now: the `Standing` of the question.
        by_size: ``float64 [n + 1]``, price by number of goals.
        extra: ``float64 [n]``, extra price of each goal.
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
    """Exchange a goal in the question for the best goal outside it, if the net value (value minus price) increases.

    Only a few goals in the question are tried (`SWAP_WIDTH`), those whose removal decreases the net value least. With
    hundreds of goals, there are too many pairs to try all. Returns whether a swap was made, and the number of questions
    compared.

    Args:
        now: the `Standing` of the question; updated by a swap.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
        extra: ``float64 [n]``, extra price of each goal.
        tolerance: smaller increases count as rounding errors.
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
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
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
    """Recompute ``now.gains`` as sums of ``now.own`` and ``now.shares``, to remove rounding errors of many updates.

    Args:
        now: the `Standing` of a question: ``gains[k]`` is the increase of the question's value if goal k moves into or
            out of the question. It is ``own[k]`` plus the shares of all intervals that belong to k.
        intervals: the `Intervals`, which say to which goal each share belongs.
    """
    now.gains[:] = now.own
    for k in range(intervals.others.size):
        now.gains[intervals.others[k]] += now.shares[k]


@compiled
def flip(k: int, now: Any, belief: Any, intervals: Any) -> None:
    """Move goal `k` into or out of the question, and update the gains of all goals.

    Args:
        k: index of the goal.
        now: the `Standing` of the question, changed in place.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
    """
    now.mask[k] = not now.mask[k]
    for u in range(intervals.user_starts[k], intervals.user_starts[k + 1]):
        g, place = intervals.users[u], intervals.places[u]
        group = intervals.first[place]
        among_leads, among_rivals = place <= now.second[group], place <= now.rival[group]
        if belief[g] > 0.0 and (among_leads or among_rivals):
            _find_leads(group, g, now, intervals)
            _set_own_gain(g, belief[g], now, intervals)
            if among_leads:
                _set_shares(g, belief[g], now, intervals)
    _update_goal(k, now, belief, intervals)


@inner
def _update_goal(g: int, now: Any, belief: Any, intervals: Any) -> None:
    """Recompute one part of the gain of every goal: the part for the case that `g` is the true goal.

    The gain of a goal is the increase of the question's value if the goal moves into or out of the question. It is a
    sum over the goals that may be the true one.

    Args:
        g: index of the true goal.
        now: the `Standing` of the question, which contains the gains; changed in place.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
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

    A group has those intervals in the list of the true goal `g` that begin in the same step, longest first. Each
    interval belongs to another goal. The lead and the second are the two longest intervals whose goals are on the side
    of `g`, that is, in the question if and only if `g` is. The rival is the longest interval whose goal is on the other
    side.

    The share of an interval is the part of its goal's gain for the case that `g` is the true goal. Intervals behind the
    lead do not change the value of the question, so their shares are subtracted from the gains and set to 0.

    Args:
        group: index of the first interval of the group.
        g: index of the true goal to whose list the group belongs.
        now: the `Standing` of the question; changed in place.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
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
    """Recompute how much the value of the question increases if `g` is the true goal and changes sides.

    A goal changes sides if it moves into or out of the question. The leads of `g` are the intervals that count now, and
    the rivals of `g` are those that would count instead. Take the length of the union of the leads, minus the length of
    the union of the rivals; the increase is this difference times `probability`. It is stored in ``now.own[g]`` and
    added to ``now.gains[g]``. For each group of intervals of `g`, the largest end of the leads of all earlier groups is
    stored in ``now.reach``.

    Args:
        g: index of the goal.
        probability: the probability of the goal.
        now: the `Standing` of the question, whose leads and rivals are up to date; changed in place.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
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

    A goal changes sides if it moves into or out of the question. Each interval in the list of `g` belongs to another
    goal. The increase for this goal, times `probability`, is the share of the interval; it is stored in ``now.shares``
    and added to ``now.gains``. Intervals that begin in the same step form a group, longest first. The lead of a group
    is the longest interval whose goal is on the side of `g`. Intervals behind the lead have the share 0.

    Args:
        g: index of the true goal.
        probability: the probability of the goal.
        now: the `Standing` of the question, whose leads are up to date; changed in place.
        intervals: the `Intervals`: for each goal as the true one, and each other goal, the steps in which the best
            action is unclear if both goals are possible.
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

    A group has those intervals of one goal that begin in the same step; at most one of them is its lead.

    Args:
        reach: start of the interval.
        until: end of the interval.
        group: index of the first interval of the first group.
        stop: index of the first interval after the last group.
        lead: ``int64 [m]``, at the first interval of each group, the index of the group's lead; if it has no lead, the
            index of the first interval after the group.
        begin: ``float64 [m]``, the start of each interval.
        end: ``float64 [m]``, the end of each interval.
        following: ``int64 [m]``, for each interval, the index of the first interval of the next group.
    """
    length = 0.0
    while reach < until and group < stop and begin[group] < until:
        after = following[group]
        if lead[group] < after:
            length += max(0.0, begin[group] - reach)
            reach = max(reach, end[lead[group]])
        group = after
    return length + max(0.0, until - reach)
