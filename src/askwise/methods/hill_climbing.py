"""Compiled hill climbing over questions: flip one goal after the other, and update only what a flip changes.

A question has two sides: the goals in it, and all others. To flip a goal means to move it to the other side. If `g` is
the true goal, the value of the question depends on the length of a union of intervals, one for each other goal on the
side of `g` (`askwise.methods.question_value`). Intervals with the same start form a *group*. Of those that belong to
goals on the side of `g`, the longest in a group is its *lead*, the next longest its *second*. Only leads count. So if
another goal `k` changes sides, the union changes only

- if `k` joins the side of `g` and its interval is longer than the lead: by the part of its interval outside the union;
- if the interval of `k` is the lead, and `k` leaves: by the part of it that no other interval in the union covers; in
  its own group, the second becomes the lead.

A group is sorted longest first, so only the goals up to the lead matter; flips of all others gain nothing. For each
interval, `Standing` keeps its *share*: how much the flip of its goal `k` gains if `g` is the true goal. It also keeps
the gain of flipping each goal, a sum of shares. If `g` itself changes sides, the longest intervals of the other side,
its *rivals*, become the leads.

After a flip of `k`, a group needs an update only if the interval of `k` does not come after both its second and its
rival. That holds for few goals of each group, and the work is about the number of groups in the list of `g`. So a climb
takes time about quadratic in the number of goals.
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
    goal g has a list of intervals, one for each other goal k (`Intervals`). Intervals of a list that begin in the same
    step form a group, sorted longest first. Here, `n` is the number of goals and `m` that of all intervals.

    `lead`, `second`, `rival` and `reach` belong to groups. Their entry for a group is at the index of its first
    interval. Entries of `lead`, `second` and `rival` are indices of intervals; if a group has no such interval, the
    entry is the index of the first interval after the group.

    Attributes:
        mask: ``bool [n]``, whether a goal is in the question.
        gains: ``float64 [n]``, the increase of the value if a goal changes sides: its entry in `own`, plus the `shares`
            of all intervals that belong to it as the other goal.
        own: ``float64 [n]``, the part of a goal's gain for the case that this goal is the true one.
        shares: ``float64 [m]``, for an interval of goal g and other goal k: the part of the gain of k for the case that
            g is the true goal.
        lead: ``int64 [m]``, the longest interval of a group of g whose other goal is on the same side as g.
        second: ``int64 [m]``, the second longest of these intervals.
        rival: ``int64 [m]``, the longest interval of the group whose other goal is on the other side.
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
    """Improve a question in place until no move of one goal, and no swap of two goals, increases its net value.

    A move takes a goal into or out of the question. Returns the net value (value minus price) of the question, and the
    number of questions compared. The price of a question is ``by_size[number of goals]`` plus ``extra[goal]`` for each
    goal in it.

    Args:
        mask: ``bool [n]``, the goals in the question; changed in place.
        swaps: whether to try swaps of a goal in the question for one outside it, where no single move helps.
        belief: ``float64 [n]``, probabilities of the goals.
        conflict_steps: ``float64 [n]``, for each true goal the steps without a clear action if nothing is asked.
        intervals: the `Intervals`: for each true goal, the steps in which each other goal makes the best action
            unclear.
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

    The net value is the value minus the price. Moves that lead to a question about no goal or about all goals are not
    allowed. The goal is -1 if no move is left.

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

    Only the `SWAP_WIDTH` goals whose removal loses least are tried, because all pairs are too many for hundreds of
    goals. Returns whether a swap was made, and the number of questions compared.

    Args:
        now: the `Standing` of the question; updated by a swap.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: the `Intervals`: for each true goal, the steps in which each other goal makes the best action
            unclear.
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
        intervals: the `Intervals`: for each true goal, the steps in which each other goal makes the best action
            unclear.
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
    """Recompute ``now.gains``, the gains of a `Standing`, from ``own`` and ``shares``, to remove rounding errors."""
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
        intervals: the `Intervals` of all goals.
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
    """Recompute the part of all goals' gains that stands for the case that `g` is the true goal.

    Args:
        g: index of the goal.
        now: the `Standing` to update.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: the `Intervals` of all goals.
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
    """Find the lead, second and rival (see `Standing`) of a group of intervals, and store them in `now`.

    A group has the intervals of one goal that begin in the same step; `Standing` defines lead, second, rival, shares
    and gains. Intervals after the lead no longer have a share: their shares are subtracted from the gains and set to 0.

    Args:
        group: index of the first interval of the group.
        g: the true goal to whose list the group belongs.
        now: the `Standing` to update.
        intervals: the `Intervals` of all goals.
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

    This gain is `probability` times the difference of two lengths: that of the union of the leads of `g`, minus that of
    the union of its rivals. It is stored in ``now.own`` and added to ``now.gains``; the ends of leads are stored in
    ``now.reach``.

    Args:
        g: index of the goal.
        probability: the probability of the goal.
        now: the `Standing` to update, which defines leads and rivals.
        intervals: the `Intervals` of all goals.
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

    These gains are the shares of the intervals in the list of `g`, stored in ``now.shares`` and added to ``now.gains``.
    In a group, only the lead, whose goal could leave the side of `g`, and longer intervals, whose goals could join it,
    have a share.

    Args:
        g: index of the true goal.
        probability: the probability of the goal.
        now: the `Standing` to update, which defines shares and leads.
        intervals: the `Intervals` of all goals.
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
    """Return the length of the part of the interval from `reach` to `until` that no lead of the given groups covers.

    The groups are some of the groups of one true goal (see `Standing`). `Standing` and `Intervals` themselves are not
    passed, because that would cost more than the work in this innermost loop.

    Args:
        reach: start of the interval.
        until: end of the interval.
        group: index of the first interval of the first group.
        stop: index of the first interval after the last group.
        lead: the lead of each group, from `Standing`.
        begin: the start of each interval, from `Intervals`.
        end: the end of each interval, from `Intervals`.
        following: for each interval, the index of the first interval of the next group, from `Intervals`.
    """
    length = 0.0
    while reach < until and group < stop and begin[group] < until:
        after = following[group]
        if lead[group] < after:
            length += max(0.0, begin[group] - reach)
            reach = max(reach, end[lead[group]])
        group = after
    return length + max(0.0, until - reach)
