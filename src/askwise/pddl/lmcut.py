"""LM-cut: a lower bound on the length of plans, found by counting cuts.

A *cut* is a set of operators of which every plan uses at least one. The cuts that are found share no operators. So a
plan has at least as many steps as there are cuts (Helmert and Domshlak, "Landmarks, critical paths and abstractions",
2009).

**One cut after the other.** What operators delete is ignored. At first, each operator costs 1. A bit that is set in the
state costs 0. Any other bit costs as much as the cheapest way to set it: an operator and its most expensive condition.
If the goal cannot be reached even without deletes, the bound is `NO_WAY`.

Operators lead from their most expensive condition to the bits that they set. From some bits, operators of cost 0 lead
to the goal. The operators that lead to these bits from other bits are the cut. From now on they cost 0. Cuts are
computed until the goal costs 0.

**From a state to its successor.** After the first operator of a plan, the rest still uses an operator of every cut that
does not contain this first one. The next state inherits these cuts, and only the missing ones are computed. So the
bound depends on the path to the state, but never exceeds the length of the shortest plan (Pommerening and Helmert,
"Incremental LM-cut", 2013).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner, int64
from askwise.pddl.task import GoalTask, Lists, Numbers, members_of, turned

NO_WAY = 1_000_000
"""The bound of states without a plan; larger than the length of any plan."""
MOST_CUTS = 255
"""Maximal number of cuts that are stored for one state: their numbers must fit into a byte."""


class OperatorGraph(NamedTuple):
    """Tables of the bits that each operator requires and adds, and of the operators that require and add each bit.

    Operator `o` requires the bits ``pre[pre_from[o] : pre_from[o + 1]]``. In the same way, `add` has the bits that it
    adds and does not require. For each bit, `need` has the operators with this bit in `pre`, `adder` those with it in
    `add`. The last operator and the last bit are the goal. The last bit but one is "always true".
    """

    pre_from: Numbers
    pre: Numbers
    add_from: Numbers
    add: Numbers
    need_from: Numbers
    need: Numbers
    adder_from: Numbers
    adder: Numbers


def graph(task: GoalTask) -> OperatorGraph:
    """Return tables of the bits that the operators of a task require and add.

    An additional operator at the end stands for the goal: it requires the bits of the goal.
    """
    n_bits = task.bits.size
    always, reached = n_bits, n_bits + 1
    pre = _with_last(task.pre, members_of(task.goal))
    bare = np.diff(pre.starts) == 0
    counts = np.where(bare, 1, np.diff(pre.starts))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    members = np.full(int(starts[-1]), always, dtype=np.int32)
    members[~np.repeat(bare, counts)] = pre.members
    pre = Lists(starts, members)
    add = _with_last(task.gain, np.array([reached], dtype=np.int32))
    return OperatorGraph(*pre, *add, *turned(pre, n_bits + 2), *turned(add, n_bits + 2))


def _with_last(lists: Lists, last: Numbers) -> Lists:
    """Return `lists` with one more set at the end, whose members are `last`."""
    starts = np.append(lists.starts, lists.starts[-1] + last.size).astype(np.int32)
    return Lists(starts, np.concatenate((lists.members, last)).astype(np.int32))


class CutWorkspace(NamedTuple):
    """Scratch arrays for LM-cut, a lower bound on the length of plans: the number of cuts.

    A cut is a set of operators of which every plan uses at least one. `price`, `queue`, `later`, `queued` and `zone`
    are ``int32 [n_bits]``, the others ``int32 [n_operators]``.

    Attributes:
        price: cost of making each bit true.
        dear: most expensive condition of each operator, -1 if unknown.
        cost: cost of each operator.
        missing: number of each operator's conditions that have no cost yet.
        queue: bits to process.
        later: bits to process at a higher cost.
        queued: 1 for bits in the queue.
        zone: 1 for bits after the cut, 2 for bits before it.
        cut: the first entries are the operators in the current cut.
        member: number (from 1) of each operator's cut, 0 for none.
    """

    price: Numbers
    dear: Numbers
    cost: Numbers
    missing: Numbers
    queue: Numbers
    later: Numbers
    queued: Numbers
    zone: Numbers
    cut: Numbers
    member: Numbers


def workspace_for(lists: OperatorGraph) -> CutWorkspace:
    """Allocate the scratch arrays for computing lower bounds (LM-cut) with the operators in `lists`."""
    n_operators, n_bits = lists.pre_from.size - 1, lists.need_from.size - 1
    sizes = (n_bits, *[n_operators] * 3, *[n_bits] * 4, *[n_operators] * 2)
    return CutWorkspace(*(np.zeros(size, dtype=np.int32) for size in sizes))


# The loops below are few and long: split further, a search took a third longer and compiling twice as long.


@compiled
def bound_all(
    states: Any,
    which: Any,
    parents: Any,
    steps: Any,
    bound: Any,
    cuts: Any,
    n_cuts: Any,
    lists: OperatorGraph,
    room: CutWorkspace,
) -> None:
    """Compute lower bounds on the steps from states to the goal, and write them to `bound` (LM-cut, compiled).

    A cut is a set of operators of which every plan from a state uses at least one. No two cuts share an operator: the
    bound is the number of cuts. A state inherits most cuts of its parent, the state before it.

    Args:
        states: ``uint64 [n_states, n_words]``, bits of each state.
        which: ``int32 [n]``, indices of the states to bound.
        parents: ``int32 [n]``, indices of the parents of these states, -1 for none.
        steps: ``int32 [n]``, operators that lead from the parents to these states.
        bound: ``int32 [n_states]``, gets the bounds.
        cuts: ``uint8 [n_stored, n_operators]``, gets the number (from 1) of each operator's cut, 0 for none, in the
            first `n_stored` states.
        n_cuts: ``uint8 [n_stored]``, gets the number of cuts of each such state.
        lists: the bits that operators require and add.
        room: scratch arrays.
    """
    price, dear, cost, missing, queue, later, queued, zone, cut, member = room
    goal = price.size - 1
    for i in range(which.size):
        k = which[i]
        total = _inherit(parents[i], steps[i], cuts, n_cuts, member, cost)
        _first_prices(states[k], lists, price, dear, cost, missing, queue, later)
        if price[goal] >= NO_WAY:
            bound[k] = NO_WAY
            continue
        while price[goal] > 0:
            total += 1
            size = _cut(states[k], lists, dear, cost, queue, zone, cut)
            if total <= MOST_CUTS:
                for c in range(size):
                    member[cut[c]] = total
            _repair(size, cut, lists, price, dear, cost, queue, queued)
        bound[k] = total
        if k < cuts.shape[0]:
            n_cuts[k] = min(total, MOST_CUTS)
            for o in range(member.size):
                cuts[k, o] = member[o]


@inner
def _inherit(parent: int, step: int, cuts: Any, n_cuts: Any, member: Any, cost: Any) -> int:
    """Copy the cuts of the previous state to `member`, except the cut that contains `step`; return how many are copied.

    `parent` is the index of the previous state, -1 for none. `member` gets the number of each operator's cut, from 1, 0
    for none. `cost` gets 0 for operators in a cut and for the goal (the last one), 1 for others.
    """
    known = 0 <= parent < cuts.shape[0]
    n = int64(n_cuts[parent]) if known else 0
    broken = int64(cuts[parent, step]) if known else 0
    for o in range(member.size):
        number = int64(cuts[parent, o]) if known else 0
        if broken > 0 and number == broken:
            number = 0
        elif broken > 0 and number == n:
            number = broken
        member[o] = number
        cost[o] = 1 if number == 0 else 0
    cost[member.size - 1] = 0  # the goal, which is not a real operator
    return n - 1 if broken > 0 else n


@inner
def _first_prices(  # noqa: C901
    state: Any, lists: OperatorGraph, price: Any, dear: Any, cost: Any, missing: Any, queue: Any, later: Any
) -> None:
    """Compute the cost of making each bit true from a state, and the most expensive condition of each operator.

    What operators delete is ignored. `price` gets the costs, `NO_WAY` for bits that cannot become true. If the goal
    costs 0, the costs of other bits may be too high. `dear` gets the conditions, -1 if unknown.
    """
    n_operators, n_bits = cost.size, price.size
    price[:] = NO_WAY
    dear[:] = -1
    for o in range(n_operators):
        missing[o] = lists.pre_from[o + 1] - lists.pre_from[o]
    filled = 0
    for bit in range(n_bits - 1):
        if bit == n_bits - 2 or state[bit // 64] >> np.uint64(bit % 64) & np.uint64(1):
            price[bit] = 0
            queue[filled] = bit
            filled += 1
    now = 0
    while filled > 0:
        head, waiting = 0, 0
        while head < filled:  # all bits with this cost; free operators add more of them
            bit = queue[head]
            head += 1
            if price[bit] < now:
                continue  # a cheaper path was found after it was queued
            for k in range(lists.need_from[bit], lists.need_from[bit + 1]):
                o = lists.need[k]
                missing[o] -= 1
                if missing[o] > 0:
                    continue
                dear[o] = bit
                after = now + cost[o]
                for j in range(lists.add_from[o], lists.add_from[o + 1]):
                    target = lists.add[j]
                    if price[target] > after:
                        price[target] = after
                        if target == n_bits - 1:
                            continue  # no operator needs the goal
                        if cost[o] == 0:
                            queue[filled] = target
                            filled += 1
                        else:
                            later[waiting] = target
                            waiting += 1
        if price[n_bits - 1] == 0:
            return  # there are no further cuts
        queue, later = later, queue
        filled = waiting
        now += 1


@inner
def _cut(state: Any, lists: OperatorGraph, dear: Any, cost: Any, queue: Any, zone: Any, cut: Any) -> int:  # noqa: C901
    """Find a cut, and write its operators to the beginning of `cut`; return their number.

    Every plan from `state`, ``uint64 [n_words]``, uses an operator of the cut. `dear` is the most expensive condition
    of each operator, -1 if unknown.
    """
    n_bits = zone.size
    zone[:] = 0
    zone[n_bits - 1] = 1
    queue[0] = n_bits - 1
    head, filled = 0, 1
    while head < filled:  # bits from which the goal costs nothing more
        bit = queue[head]
        head += 1
        for k in range(lists.adder_from[bit], lists.adder_from[bit + 1]):
            o = lists.adder[k]
            if cost[o] == 0 and dear[o] >= 0 and zone[dear[o]] == 0:
                zone[dear[o]] = 1
                queue[filled] = dear[o]
                filled += 1
    head, filled, size = 0, 0, 0
    for bit in range(n_bits - 1):
        always = bit == n_bits - 2
        if zone[bit] == 0 and (always or state[bit // 64] >> np.uint64(bit % 64) & np.uint64(1)):
            zone[bit] = 2
            queue[filled] = bit
            filled += 1
    while head < filled:  # bits that can be reached without entering that zone
        bit = queue[head]
        head += 1
        for k in range(lists.need_from[bit], lists.need_from[bit + 1]):
            o = lists.need[k]
            if dear[o] != bit:
                continue
            crosses = False
            for j in range(lists.add_from[o], lists.add_from[o + 1]):
                target = lists.add[j]
                if zone[target] == 1:
                    crosses = True
                elif zone[target] == 0:
                    zone[target] = 2
                    queue[filled] = target
                    filled += 1
            if crosses:
                cut[size] = o
                size += 1
    return size


@inner
def _repair(  # noqa: C901
    size: int, cut: Any, lists: OperatorGraph, price: Any, dear: Any, cost: Any, queue: Any, queued: Any
) -> None:
    """Set the cost of the operators ``cut[:size]`` to 0, and update the costs of the bits that depend on them.

    `dear`, the most expensive condition of each operator, is updated, too. `queue` is scratch space. `queued` is all 0
    before and after the call.
    """
    n_bits = price.size
    head, waiting = 0, 0
    for c in range(size):
        o = cut[c]
        cost[o] = 0
        for j in range(lists.add_from[o], lists.add_from[o + 1]):
            target = lists.add[j]
            if price[target] > price[dear[o]]:
                price[target] = price[dear[o]]
                if queued[target] == 0:
                    queued[target] = 1
                    queue[(head + waiting) % n_bits] = target
                    waiting += 1
    while waiting > 0:
        bit = queue[head]
        head = (head + 1) % n_bits
        waiting -= 1
        queued[bit] = 0
        for k in range(lists.need_from[bit], lists.need_from[bit + 1]):
            o = lists.need[k]
            if dear[o] != bit:
                continue
            for j in range(lists.pre_from[o], lists.pre_from[o + 1]):
                if price[lists.pre[j]] > price[dear[o]]:
                    dear[o] = lists.pre[j]
            after = price[dear[o]] + cost[o]
            for j in range(lists.add_from[o], lists.add_from[o + 1]):
                target = lists.add[j]
                if price[target] > after:
                    price[target] = after
                    if queued[target] == 0:
                        queued[target] = 1
                        queue[(head + waiting) % n_bits] = target
                        waiting += 1
