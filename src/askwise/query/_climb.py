"""Compiled hill climbing over questions: flip one goal after the other, and look only at what a flip changes.

For a true goal `g`, only the goals on its own side count, and among intervals that begin together only the longest of
these, their *lead*. So if another goal `k` changes sides, the union of `g` changes

- if `k` joins and its interval reaches further than the lead: by what the union leaves uncovered of it;
- if `k` is the lead and leaves: by what the others, the *second* now leading, leave uncovered of it.

Intervals that begin together are listed longest first, so the goals that matter are those up to the lead, and all
others share nothing. `Standing` keeps for each interval what `g` would gain if the other goal changed sides, and their
sums: the gains of all flips. A flip of `k` then concerns few true goals: those in whose lists it comes early enough.
Where a list begins with goals of both sides early on, as it does for most questions, the work for a flip is about
proportional to the number of goals, and a whole climb to its square.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled
from askwise.query.value import question_value

GAIN = 1e-12
"""Smaller improvements, beside the longest union, are rounding; following them could go round in circles."""

SWAP_WIDTH = 12
"""Goals in the question that are tried in swaps."""


class Standing(NamedTuple):
    """A question, and what each flip of a goal would add to its value.

    Attributes:
        mask: ``bool [n]``, the question.
        gains: ``float64 [n]``, by how much the value grows if the goal changes sides.
        own: ``float64 [n]``, the part of it that comes from the goal being the truth itself.
        shares: ``float64 [m]``, for each interval the part that comes from the true goal in whose list it is.
        lead: ``int64 [m]``, at the first of several intervals that begin together: the longest on the true goal's side.
        second: ``int64 [m]``, likewise: the next one on that side.
        rival: ``int64 [m]``, likewise: the longest on the other side.
        reach: ``float64 [m]``, likewise: how far the leads before it cover.
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
def climb(mask: Any, swaps: bool, belief: Any, torn: Any, intervals: Any, prices: Any) -> tuple[float, int]:
    """Improve `mask` in place by the best flip or, where no flip helps and `swaps` are wanted, by a swap that does.

    Return its net value and how many questions were looked at.
    """
    n = mask.size
    now = standing(mask, belief, intervals)
    tolerance = GAIN * max(1.0, torn.max())
    looked_at = 0
    summed = True
    while True:
        best, gain = _best_flip(now, prices)
        looked_at += n
        if gain > tolerance:
            flip(best, now, belief, intervals)
            summed = False
        elif not summed:
            sum_up(now, intervals)  # what is left of many small updates must not decide where to stop
            summed = True
        elif not swaps:
            break
        else:
            swapped, more = _swap(now, belief, intervals, tolerance)
            looked_at += more
            if not swapped:
                break
            summed = False
    return question_value(mask, belief, torn, intervals) - prices[mask.sum()], looked_at


@compiled
def _best_flip(now: Any, prices: Any) -> tuple[int, float]:
    """Return the goal whose flip adds most, price and all; neither the empty question nor the full one is one."""
    n = now.mask.size
    size = now.mask.sum()
    best, most = -1, -np.inf
    for k in range(n):
        new_size = size - 1 if now.mask[k] else size + 1
        if 0 < new_size < n:
            gain = now.gains[k] + prices[size] - prices[new_size]
            if gain > most:
                best, most = k, gain
    return best, most


@compiled
def _swap(now: Any, belief: Any, intervals: Any, tolerance: float) -> tuple[bool, int]:
    """Exchange a goal in the question for the best one outside if that helps; the price stays the same.

    Only the goals whose leaving alone would lose least are tried: all pairs would be too many for hundreds of goals.
    """
    inside = np.flatnonzero(now.mask)
    inside = inside[np.argsort(-now.gains[inside])[:SWAP_WIDTH]]
    outside = np.flatnonzero(~now.mask)
    looked_at = 0
    for k in inside:
        lost = now.gains[k]
        flip(k, now, belief, intervals)
        h = outside[now.gains[outside].argmax()]
        looked_at += outside.size
        if lost + now.gains[h] > tolerance:
            flip(h, now, belief, intervals)
            return True, looked_at
        flip(k, now, belief, intervals)
    return False, looked_at


@compiled
def standing(mask: Any, belief: Any, intervals: Any) -> Any:
    """Work out the gains of all flips of `mask`, which is kept and changed by `flip`."""
    n, m = mask.size, intervals.others.size
    none = np.full(m, -1, dtype=np.int64)
    now = Standing(mask, np.zeros(n), np.zeros(n), np.zeros(m), none, none.copy(), none.copy(), np.empty(m))
    for g in range(n):
        _look_around(g, now, belief, intervals)
    sum_up(now, intervals)
    return now


@compiled
def sum_up(now: Any, intervals: Any) -> None:
    """Add the gains up anew."""
    now.gains[:] = now.own
    for k in range(intervals.others.size):
        now.gains[intervals.others[k]] += now.shares[k]


@compiled
def flip(k: int, now: Any, belief: Any, intervals: Any) -> None:
    """Let goal `k` change sides."""
    now.mask[k] = not now.mask[k]
    for u in range(intervals.user_starts[k], intervals.user_starts[k + 1]):
        g, place = intervals.users[u], intervals.places[u]
        group = intervals.first[place]
        among_leads, among_rivals = place <= now.second[group], place <= now.rival[group]
        if belief[g] > 0.0 and (among_leads or among_rivals):
            _find_leads(group, g, now, intervals)
            _measure(g, belief[g], now, intervals)
            if among_leads:
                _hand_out_shares(g, belief[g], now, intervals)
    _look_around(k, now, belief, intervals)


@compiled
def _look_around(g: int, now: Any, belief: Any, intervals: Any) -> None:
    """Work out anew what every flip would gain if `g` were the truth."""
    if belief[g] == 0.0:
        return
    group = intervals.starts[g]
    while group < intervals.starts[g + 1]:
        _find_leads(group, g, now, intervals)
        group = intervals.following[group]
    _measure(g, belief[g], now, intervals)
    _hand_out_shares(g, belief[g], now, intervals)


@compiled
def _find_leads(group: int, g: int, now: Any, intervals: Any) -> None:
    """Find lead, second and rival; shares are withdrawn from where the lead no longer reaches."""
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


@compiled
def _measure(g: int, probability: float, now: Any, intervals: Any) -> None:
    """Work out the unions of leads and of rivals, and so what `g` would gain by changing sides itself."""
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


@compiled
def _hand_out_shares(g: int, probability: float, now: Any, intervals: Any) -> None:
    """Set the shares of the goals that could join as a new lead, and of the leads, which could leave."""
    begin, end, following = intervals.begin, intervals.end, intervals.following
    stop = intervals.starts[g + 1]
    k = intervals.starts[g]
    while k < stop:
        after, lead, second = following[k], now.lead[k], now.second[k]
        reach = max(begin[k], now.reach[k])
        led = max(reach, end[lead]) if lead < after else reach
        for place in range(k, min(lead + 1, after)):
            if place < lead:
                share = -probability * _uncovered(led, end[place], after, stop, now.lead, begin, end, following)
            else:
                left = max(reach, end[second]) if second < after else reach
                share = probability * _uncovered(left, end[lead], after, stop, now.lead, begin, end, following)
            now.gains[intervals.others[place]] += share - now.shares[place]
            now.shares[place] = share
        k = after


@compiled
def _uncovered(
    reach: float, until: float, k: int, stop: int, lead: Any, begin: Any, end: Any, following: Any
) -> float:
    """Length of what the leads of the intervals from `k` up to `stop` leave uncovered between `reach` and `until`."""
    length = 0.0
    while reach < until and k < stop and begin[k] < until:
        after = following[k]
        if lead[k] < after:
            length += max(0.0, begin[k] - reach)
            reach = max(reach, end[lead[k]])
        k = after
    return length + max(0.0, until - reach)
