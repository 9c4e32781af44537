"""Compiled loops of the exact search: a state is put on the stack, with its actions and what it costs at most."""

from __future__ import annotations

import numpy as np

from askwise._compiled import inner, int64
from askwise.core.side import FAR
from askwise.planning.exact.memory import NO_CHOICE, Arrays, Stack, useful, where_of


@inner
def push(
    arrays: Arrays, stack: Stack, depth: int, goals: int, w: int, place: int, load: int, least: float, most: float
) -> None:
    """Put a state on the stack and sort its actions by what they cost at once.

    Its regret is known to be `least` or more; `most` is the regret from which on nobody cares for it.
    """
    load = useful(goals, load)
    weight = 0.0
    for goal in range(arrays.weight.shape[1]):
        if (goals >> goal) & 1:
            weight += arrays.weight[w, goal]
    frame = stack.frames[depth]
    frame.goals, frame.w, frame.place, frame.load = goals, w, place, load
    frame.option, frame.level, frame.choice = 0, -1, NO_CHOICE
    frame.where = where_of(arrays, goals, w, place, load)
    frame.weight, frame.least = weight, least
    # A little more than what is surely possible: the option that does it has to be found, and may cost just as much,
    # nothing at all if questions are free.
    if arrays.charges.size:
        finding_out = _finding_out_charged(arrays, goals, w, weight)
    else:
        finding_out = _finding_out(arrays, stack, goals, w)
    frame.best = min(most, finding_out * (1.0 + 1e-9) + 1e-9 * weight)
    frame.options = _sort_actions(arrays, stack, depth, goals, w, place, load)


@inner
def _sort_actions(arrays: Arrays, stack: Stack, depth: int, goals: int, w: int, place: int, load: int) -> int:
    """Write the actions that can be taken into the stack, those of least regret first; return their number."""
    actions, regrets = stack.actions[depth], stack.regrets[depth]
    n_moves, n = arrays.next.shape[1], 0
    loads = arrays.loads[place] & goals
    ties = stack.room[0]
    for action in range(n_moves + arrays.weight.shape[1]):
        if action < n_moves:
            there, hand = int64(arrays.next[place, action]), load
            if there < 0:
                continue
        else:
            there, hand = place, action - n_moves
            if not (loads >> hand) & 1 or hand == load:
                continue
        regret, tie = _at_once(arrays, goals, w, place, load, there, hand)
        if regret == np.inf:
            continue
        k = n
        while k > 0 and (regrets[k - 1] > regret or (regrets[k - 1] == regret and ties[k - 1] > tie)):
            regrets[k], ties[k], actions[k] = regrets[k - 1], ties[k - 1], actions[k - 1]
            k -= 1
        regrets[k], ties[k], actions[k] = regret, tie, action
        n += 1
    return n


@inner
def _at_once(arrays: Arrays, goals: int, w: int, place: int, load: int, there: int, hand: int) -> tuple[float, float]:
    """Return the regret of an action by itself, and the steps left after it: of equals the nearer is tried first.

    The regret is infinite if a goal that could be reached no longer can.
    """
    regret, left = 0.0, 0.0
    for goal in range(arrays.weight.shape[1]):
        if not (goals >> goal) & 1:
            continue
        weight, steps = arrays.weight[w, goal], arrays.steps[w, goal]
        before = arrays.loaded[place, goal] if load == goal else arrays.unloaded[place, goal]
        after = arrays.loaded[there, goal] if hand == goal else arrays.unloaded[there, goal]
        if after >= FAR:
            if before < FAR:
                return np.inf, np.inf
            continue
        regret += weight * (1 + max(steps, after) - max(steps + 1, before))
        left += weight * after
    return regret, left


@inner
def _finding_out(arrays: Arrays, stack: Stack, goals: int, w: int) -> float:
    """Return the regret of finding out the goal by questions now, one by one or by Huffman's tree of halves."""
    masses, extras, sizes, n = stack.room[1], stack.room[2], stack.room[3], 0
    for goal in range(arrays.weight.shape[1]):
        if (goals >> goal) & 1:
            mass, k = arrays.weight[w, goal], n
            while k > 0 and masses[k - 1] > mass:
                masses[k], extras[k] = masses[k - 1], extras[k - 1]
                k -= 1
            masses[k], extras[k] = mass, arrays.extra[goal]
            sizes[n] = 1.0
            n += 1
    singly, rest = 0.0, masses[0]
    for k in range(1, n):
        rest += masses[k]
        singly += rest * (arrays.base + (arrays.per_goal + extras[k]))
    halves = 0.0
    while n > 1:
        mass, size, extra = masses[0] + masses[1], sizes[0] + sizes[1], extras[0] + extras[1]
        named, others = arrays.per_goal * sizes[0] + extras[0], arrays.per_goal * sizes[1] + extras[1]
        halves += mass * (arrays.base + min(named, others))
        k = 0
        while k + 2 < n and masses[k + 2] < mass:
            masses[k], sizes[k], extras[k] = masses[k + 2], sizes[k + 2], extras[k + 2]
            k += 1
        masses[k], sizes[k], extras[k] = mass, size, extra
        for j in range(k + 1, n - 1):
            masses[j], sizes[j], extras[j] = masses[j + 1], sizes[j + 1], extras[j + 1]
        n -= 1
    return min(singly, halves)


@inner
def _finding_out_charged(arrays: Arrays, goals: int, w: int, weight: float) -> float:
    """Return the same where questions are charged: one by one, in the order of the goals."""
    regret, left = 0.0, goals
    for goal in range(arrays.weight.shape[1]):
        if (left >> goal) & 1 and left & (left - 1):
            own, other = arrays.charges[arrays.zone[w], 0, 0], arrays.charges[arrays.zone[w], 1, 1]
            regret += arrays.weight[w, goal] * own + (weight - arrays.weight[w, goal]) * other
            weight -= arrays.weight[w, goal]
            left ^= int64(1) << goal
    return regret
