"""LM-cut: a lower bound on the length of plans, found by counting cuts.

A *cut* is a set of operators of which every plan uses at least one. No two of the cuts that are found share an
operator. A plan therefore has at least as many steps as there are cuts (Helmert and Domshlak, "Landmarks, critical
paths and abstractions", 2009).

**One cut after the other.** What operators delete is ignored. At first, each operator costs 1. A bit that is set in the
state costs 0. Any other bit costs as much as the cheapest way to set it: the cost of an operator plus the cost of its
most expensive condition. A graph has an edge from this condition to each bit that the operator sets. From some bits,
the rest of the way to the goal costs nothing. The operators that lead to these bits from other bits are a cut. They
then get the cost 0, and the next cut is computed, until the goal costs nothing. If the goal cannot be reached even
without deletes, the bound is `NO_WAY`.

**From a state to its successor.** Every plan from a state uses an operator of each cut of this state. After the first
step of the plan, the rest still uses an operator of every cut that does not contain the first operator. The next state
inherits these cuts, and only the missing cuts are computed. The bound then depends on the path to the state, but it
never exceeds the length of the shortest plan (Pommerening and Helmert, "Incremental LM-cut", 2013).
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

    The last operator stands for the goal. The last two bits stand for "always true" and for the goal. The bits that
    operator `o` requires are ``pre[pre_from[o] : pre_from[o + 1]]``. In the same way, `add` has the bits that each
    operator adds and does not require. `need` and `adder` have the operators with a given bit in `pre` and `add`.
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

    A cut is a set of operators of which every plan uses at least one. `price`, `queue`, `later`, `queued` and `zone`
    are ``int32 [n_bits]``, the others ``int32 [n_operators]``.

    Attributes:
        price: the cost of making each bit true.
        dear: the most expensive condition of each operator, -1 if unknown.
        cost: the cost of each operator.
        missing: the number of conditions of each operator without a cost.
        queue: a queue of bits.
        later: bits for the queue when all bits of the current cost are done.
        queued: 1 for bits in the queue, otherwise 0.
        zone: 1 for bits after the cut, 2 for bits before the cut, otherwise 0.
        cut: the operators in the current cut, at the beginning of the array.
        member: the number (from 1) of each operator's cut, 0 for none.
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

    A cut of a state is a set of operators of which every plan from this state uses at least one. No two cuts share an
    operator, and the bound is the number of cuts. A state inherits most cuts of its parent, the state before it.

    Args:
        states: ``uint64 [n_states, n_words]``, the bits of each state.
        which: ``int32 [n]``, indices of the states whose bounds are computed.
        parents: ``int32 [n]``, their parents, -1 for none.
        steps: ``int32 [n]``, the operators that lead to them.
        bound: ``int32 [n_states]``, gets the bounds.
        cuts: ``uint8 [n_stored, n_operators]``, gets the number (from 1) of each operator's cut in the first `n_stored`
            states, 0 for none.
        n_cuts: ``uint8 [n_stored]``, gets the numbers of cuts of these states.
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

    A cut is a set of operators of which every plan uses at least one. `parent` is the index of the previous state, -1
    for none. `step` is the operator that leads to the new state. `cuts` and `n_cuts` are those of `bound_all`. `member`
    and `cost`, ``int32 [n_operators]``, get the new numbers of the cuts, from 1 without gaps, and the costs: 0 for
    operators in a cut and for the last one, which stands for the goal, otherwise 1.
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

    What operators delete is ignored. `state`, ``uint64 [n_words]``, has the bits of the state. `cost` has the cost of
    each operator, 0 or 1. `price` gets the cost of each bit, `NO_WAY` if it cannot become true. If the goal costs 0,
    some other costs are not computed. `dear` gets the conditions, -1 if not known. The arrays are those of
    `CutWorkspace`.
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

    A cut is a set of operators of which every plan from the state uses at least one. `state`, ``uint64 [n_words]``, has
    the bits of the state. `dear` is the most expensive condition of each operator, -1 if not known. `cost` is the cost
    of each operator, 0 or 1. The other arrays are scratch arrays of `CutWorkspace`.
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
    """Set the cost of a cut's operators to 0, and update the costs of the bits that depend on these operators.

    The operators of the cut are ``cut[:size]``. `cost` has the costs of operators, `price` those of bits, and `dear`
    the most expensive condition of each operator; all three are updated. `queue` and `queued`, all 0 before and after,
    are scratch space. The arrays are those of `CutWorkspace`.
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
