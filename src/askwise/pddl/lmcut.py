"""LM-cut: a lower bound on the length of plans, found by counting cuts.

A *cut* is a set of operators of which every plan uses at least one. No two of the cuts that are found share an
operator. So a plan has at least as many steps as there are cuts (Helmert and Domshlak, "Landmarks, critical paths and
abstractions", 2009).

**One cut after the other.** What operators delete is ignored. At first, each operator costs 1. A bit that is set in the
state costs 0. Any other bit costs as much as the cheapest way to set it: the cost of an operator plus the cost of the
most expensive condition of this operator. A graph has an edge from the most expensive condition of each operator to
each bit that the operator sets. Every plan contains a path through this graph to the goal. The graph is cut just before
the bits from which the rest of the way to the goal costs nothing: the operators that lead to these bits from other bits
are a cut. Then the operators of the cut get the cost 0, and the next cut is computed, until the goal costs nothing.

The costs of operators only decrease. So after each cut, only the costs of bits that depend on operators of the cut are
updated. If the goal cannot be reached even without deletes, the bound is `NO_WAY`.

**From a state to its successor.** Every plan from a state uses an operator of each cut of this state. After the first
step of such a plan, the rest of the plan still uses an operator of every cut that does not contain the first operator.
At most one cut contains the first operator. So the next state inherits all other cuts of the state before it. The
operators of the inherited cuts cost nothing, and only the missing cuts are computed, usually one or two. The result
depends on the state before. It may be slightly above or below the bound that is computed without inherited cuts, but it
never exceeds the length of the shortest plan (Pommerening and Helmert, "Incremental LM-cut", 2013). One byte for each
state and operator stores the number of the cut that contains the operator.
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
    """Tables of which bits each operator requires and adds, and which operators require and add each bit.

    The last operator stands for the goal. The last two bits stand for "always true" and for the goal. Each table has
    two arrays: the bits that operator `o` requires are ``pre[pre_from[o] : pre_from[o + 1]]``. In the same way, `add`
    has the bits that each operator adds and does not require, `need` has the operators that require each bit, and
    `adder` has the operators that add each bit and do not require it.
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
    """Scratch arrays for LM-cut, a lower bound on the length of plans that counts cuts.

    A cut is a set of operators of which every plan uses at least one. The arrays `price`, `queue`, `later`, `queued`
    and `zone` are ``int32 [n_bits]``, the others ``int32 [n_operators]``.

    Attributes:
        price: the cost of making each bit true.
        dear: the most expensive condition of each operator, -1 if it is not known.
        cost: the cost of each operator.
        missing: the number of conditions of each operator that have no cost yet.
        queue: a queue of bits.
        later: bits that come into the queue when all bits of the current cost are done.
        queued: 1 for bits in the queue, otherwise 0.
        zone: 1 for bits after the cut, from which the rest of the way to the goal costs nothing; 2 for bits before the
            cut; otherwise 0.
        cut: the indices of the operators in the current cut, at the beginning of the array.
        member: for each operator the number (from 1) of the cut that contains it, 0 if no cut does.
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

    A cut of a state is a set of operators of which every plan from this state uses at least one. No two cuts of a state
    share an operator, so the number of its cuts is a lower bound. To save time, a state inherits most cuts of the state
    before it on the path from the start.

    Args:
        states: ``uint64 [n_states, n_words]``, the bits of each state.
        which: ``int32 [n]``, the indices of the states whose bounds are computed.
        parents: ``int32 [n]``, for each state in `which` the index of the state before it, -1 for none.
        steps: ``int32 [n]``, for each state in `which` the operator that leads to it from the state before it.
        bound: ``int32 [n_states]``, gets the bound of state `k` at ``bound[k]``.
        cuts: ``uint8 [n_stored, n_operators]``, gets the cuts of state `k` at ``cuts[k]``: for each operator the number
            (from 1) of the cut that contains it, 0 if no cut does. Only the first `n_stored` states have a row.
        n_cuts: ``uint8 [n_stored]``, gets the number of cuts of each state that has a row in `cuts`.
        lists: which bits the operators require and add.
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

    A cut of a state is a set of operators of which every plan from this state uses at least one. The copied cuts are
    numbered from 1 without gaps: the last cut gets the number of the cut that is left out.

    Args:
        parent: the index of the previous state, -1 for none.
        step: the operator that leads from the previous state to the new state.
        cuts: ``uint8 [n_stored, n_operators]``, for each state and operator the number of the cut that contains the
            operator, 0 for none.
        n_cuts: ``uint8 [n_stored]``, the number of cuts of each state.
        member: ``int32 [n_operators]``, gets for each operator the number of the cut that contains it, 0 for none.
        cost: ``int32 [n_operators]``, gets the cost of each operator: 0 if it is in a cut, otherwise 1; and 0 for the
            last operator, which stands for the goal.
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

    What operators delete is ignored.

    Args:
        state: ``uint64 [n_words]``, the bits of the state.
        lists: which bits the operators require and add.
        price: ``int32 [n_bits]``, gets the cost of making each bit true, `NO_WAY` if that is impossible. If the goal
            costs 0, the costs of some other bits are not computed.
        dear: ``int32 [n_operators]``, gets the bit of each operator's most expensive condition, -1 if it is not known.
        cost: ``int32 [n_operators]``, the cost of each operator, 0 or 1.
        missing: scratch space, ``int32 [n_operators]``.
        queue: scratch space, ``int32 [n_bits]``.
        later: scratch space, ``int32 [n_bits]``.
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
    """Find a cut, and write its operators to the beginning of `cut`; return the number of these operators.

    A cut is a set of operators of which every plan from the state uses at least one.

    Args:
        state: ``uint64 [n_words]``, the bits of the state.
        lists: which bits the operators require and add.
        dear: ``int32 [n_operators]``, the bit of each operator's most expensive condition, -1 if it is not known.
        cost: ``int32 [n_operators]``, the cost of each operator, 0 or 1.
        queue: scratch space, ``int32 [n_bits]``.
        zone: scratch space, ``int32 [n_bits]``.
        cut: ``int32 [n_operators]``, gets the operators of the cut.
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
    """Set the cost of a cut's operators to 0, and update the costs of the bits (atoms) that depend on these operators.

    A cut is a set of operators of which every plan uses at least one.

    Args:
        size: the number of operators in the cut.
        cut: ``int32 [n_operators]``, the operators of the cut are ``cut[:size]``.
        lists: which bits the operators require and add.
        price: ``int32 [n_bits]``, the cost of making each bit true, which is updated.
        dear: ``int32 [n_operators]``, the bit of each operator's most expensive condition, which is updated.
        cost: ``int32 [n_operators]``, the cost of each operator, 0 or 1, which is updated.
        queue: scratch space, ``int32 [n_bits]``.
        queued: scratch space, ``int32 [n_bits]``, all 0 before and after.
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
