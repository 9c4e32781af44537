"""Kernels of the exact search: depth first, memoised, with an explicit stack.

The recursion and its names are those of `askwise.planning`. A state has the set `A` of possible goals, as bits
(`goals`), the teammate's state `w`, the ego agent's `place`, and its `load`, -1 for none. The search can pause after
any number of states: all it needs to continue is in `ExactSearch` and in the table of states.

**Bounds.** An option is dropped as soon as the known part of its cost reaches the cost of the best option. Often a
lower bound on the value of a following state is enough for this, and only this bound is put into the table. A free
answer never hurts: ``U(A) >= U(A in Q) + U(A not in Q)`` for every question `Q`. The price of identifying the goal at
once by questions (`price_to_identify`) is an upper bound.

**The best question.** There are ``2^(n-1) - 1`` ways to divide `n` goals by a question. Goals are put on one of two
sides one after the other, the heaviest first, so questions are the leaves of a tree. If a side gets one more goal,
neither its value `U` nor the price becomes smaller. So this sum is a lower bound for all questions below a node::

    least price so far  +  U(one side so far)  +  U(other side so far)

A side is solved as soon as it has grown. If the values of both sides alone reach the cost of the best option, no option
is better, and the search of the state ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import Struct, compiled, inner, int64, part
from askwise.planning.beliefs import heaviest_first
from askwise.planning.leaf_values import price_to_identify
from askwise.planning.steps import score_actions
from askwise.planning.workspace import World, record
from askwise.types import FloatArray, IntArray

NO_CHOICE = -(1 << 62)
"""In place of a choice: the value is only a lower bound."""

BETTER = 1.0 - 1e-12
"""An option replaces the best so far if it costs less than this share of it; the first of equals is kept."""

FRAME = record("goals w place load where options option n_goals level choice", "least best weight")
"""A state on the stack.

- The state: its `goals` as bits and their `weight`, the teammate's state `w`, `place`, `load`, and one number for the
  last three (`where`).
- The actions: how many there are (`options`), and which of them is looked at (`option`).
- The questions: the number of its goals (`n_goals`), and how many of these are on a side (`level`, -1 before the first
  question).
- The value: the `least` that it can be, the `best` so far, and the `choice` that reaches it.
"""

SIDE = record("goals n_goals", "weight named least")
"""A side of a question: its `goals` as bits, their number `n_goals` and `weight`, the price of having them `named`, and
the `least` that their value can be."""

ENTRY = record("goals where choice", "value")
"""A state that is solved, or bounded from below: its `goals` as bits, `where` both agents are and what is carried
(`where_of`), its `choice` (an action as in `ExactSearch.actions`, or ``-1 - q`` for a question about the goals `q`),
and its value. The table of states is ``ENTRY [size]``: a hash table that grows, so that nothing is forgotten."""


class ExactSearch(Struct):
    """The workspace of the exact search: the problem, and a stack of states that wait for the values of other states.

    The stack has room for `depth` states. The `n_options` actions are the moves, and picking up the load of each goal.
    ``FRAME``, ``SIDE``, ``RANKED`` and ``SCORE`` are types of records.

    Attributes:
        world: the problem as arrays.
        alive: ``int64 [n_states]``, goals of positive weight in each state of the teammate, as bits.
        base: price of a question.
        per_goal: price of each goal in it.
        extra: ``float64 [n_goals]``, additional price of each goal.
        charges: ``float64 [n_zones, 2, n_goals]``, `askwise.planning.exact.Charges` that replace these prices, or
            empty.
        zone: ``int32 [n_states]``, first index into `charges` for each state of the teammate.
        frames: ``FRAME [depth]``, the states on the stack.
        actions: ``int64 [depth, n_options]``, actions in these states, the least delay first. Indices are those of the
            columns of ``World.next``, then of the loads.
        delays: ``float64 [depth, n_options]``, expected delays of these actions, times the weight.
        order: ``int64 [depth, n_goals]``, goals of these states in the order in which they are put on a side.
        sides: ``SIDE [depth, n_goals + 1, 2]``, the two sides of the present question, after each number of goals was
            put on a side.
        tried: ``int64 [depth, n_goals + 1]``, on how many sides the next goal was tried, after the same number.
        ties: ``float64 [n_options]``, steps left after each action, to sort equal delays.
        ranked: ``RANKED [n_goals + 2]``, room for goals with weights.
        scored: ``SCORE [n_options]``, room for delays of actions.
    """

    world: World
    alive: IntArray
    base: float
    per_goal: float
    extra: FloatArray
    charges: FloatArray
    zone: IntArray
    frames: Any
    actions: IntArray
    delays: FloatArray
    order: IntArray
    sides: Any
    tried: IntArray
    ties: FloatArray
    ranked: Any
    scored: Any


@inner
def load_needed(goals: int, load: int) -> int:
    """Return `load` if a goal in the set `goals` (bits) needs this load; otherwise -1, which stands for no load.

    A load is given by the index of the goal that needs it.
    """
    return load if load >= 0 and (goals >> load) & 1 else -1


@inner
def where_of(s: ExactSearch, goals: int, w: int, place: int, load: int) -> Any:
    """Return one number that encodes the teammate's state `w`, and the ego agent's place and load.

    A load that none of the `goals` (bits) needs is encoded as no load.
    """
    n_goals = s.world.weight.shape[1]
    return (w * s.world.next.shape[0] + place) * (n_goals + 1) + load_needed(goals, load) + 1


@inner
def entry_of(table: Any, goals: int, where: int) -> Any:
    """Return the index of a state's entry in a hash table; if it has none, the index of the empty entry to write it to.

    `table` is ``ENTRY [size]``, with a power of two as size; empty entries have the `goals` 0. `goals` are the possible
    goals as bits, and `where` encodes the rest of the state (`where_of`).
    """
    last = table.size - 1
    mixed = ((goals ^ (goals >> 31)) * 0x7FB5D329728EA185) ^ where
    mixed = (mixed ^ (mixed >> 27)) * 0x1B03738712FAD5C9
    entry = (mixed ^ (mixed >> 33)) & last
    while table[entry].goals != 0 and (table[entry].goals != goals or table[entry].where != where):
        entry = (entry + 1) & last
    return entry


@inner
def is_solved(table: Any, entry: int) -> bool:
    """Return whether an entry of the hash table has a solved state.

    Otherwise the entry is empty, or its value is only a lower bound. `table` is ``ENTRY [size]``; `entry` is an index.
    """
    return bool(table[entry].goals != 0 and table[entry].choice != NO_CHOICE)


@compiled(work=lambda call: call.old.size)
def refill(old: Any, new: Any) -> None:
    """Copy all entries of the hash table `old` into `new`, an empty and larger table; both are ``ENTRY [size]``."""
    for k in range(old.size):
        if old[k].goals != 0:
            new[entry_of(new, old[k].goals, old[k].where)] = old[k]


# -- the search ----------------------------------------------------------------------------------------------------


DONE, PAUSED, TABLE_FULL = 0, 1, 2
"""Reasons why a call of `search` ended."""


@compiled
def search(
    s: ExactSearch,
    depth: int,
    table: Any,
    filled: int,
    most_states: int,
    most_splits: int,
    goals: int,
    w: int,
    place: int,
    load: int,
) -> tuple[int, int, int, int, int]:
    """Solve a state, or stop when the table is full or enough work was done.

    Args:
        s: the problem and the stack.
        depth: -1 at first, later the last returned depth of the stack.
        table: ``ENTRY [size]``, hash table of states that are solved or have a lower bound.
        filled: number of states in the table.
        most_states: pause at this many states in the table.
        most_splits: pause after comparing this many questions.
        goals: the possible goals, as bits.
        w: the teammate's state.
        place: the ego agent's place.
        load: index of the goal that needs its load, -1 for none.

    Returns:
        `DONE`, `PAUSED` or `TABLE_FULL`; the depth of the stack; the number of states in the table; the number of
            questions compared in this call; and, if `DONE`, the index of the state's entry.
    """
    where = where_of(s, goals, w, place, load)
    if depth < 0 and not is_solved(table, entry_of(table, goals, where)):
        depth = int64(0)
        push(s, depth, goals, w, place, load, 0.0, np.inf)
    looked = 0
    room = table.size - (table.size >> 2)
    while depth >= 0:
        if filled >= room:
            return TABLE_FULL, depth, filled, looked, 0
        if filled >= most_states or looked >= most_splits:
            return PAUSED, depth, filled, looked, 0
        frame = s.frames[depth]
        waiting = False
        while not waiting and frame.option < frame.options and frame.least < frame.best * BETTER:
            waiting = _try_action(s, depth, table)
        if not waiting and frame.least < frame.best * BETTER:
            waiting, n = try_splits(s, depth, table)
            looked += n
        if waiting:
            depth += 1
            continue
        entry = table[entry_of(table, frame.goals, frame.where)]
        filled += entry.goals == 0
        entry.goals, entry.where, entry.choice, entry.value = frame.goals, frame.where, frame.choice, frame.best
        depth -= 1
    return DONE, depth, filled, looked, entry_of(table, goals, where)


@part
def _try_action(s: ExactSearch, depth: int, table: Any) -> bool:
    """Compare the next action of the state at `depth` of the stack with the best option so far, and keep the better.

    If the value of a following state is needed first, that state is put on top of the stack. Returns whether this was
    done.
    """
    frame = s.frames[depth]
    action, n_moves = s.actions[depth, frame.option], s.world.next.shape[1]
    if action < n_moves:
        there, hand = int64(s.world.next[frame.place, action]), frame.load
    else:
        there, hand = frame.place, action - n_moves
    known, unsolved, of_unsolved = s.delays[depth, frame.option], int64(-1), 0.0
    if known >= frame.best * BETTER:
        frame.option = frame.options  # actions are sorted by delay: none of the others is better
        return False
    for onwards in s.world.following[frame.w]:
        left = frame.goals & s.alive[onwards] if onwards >= 0 else int64(0)
        if left & (left - 1):
            entry = entry_of(table, left, where_of(s, left, int64(onwards), there, hand))
            known += table[entry].value
            if not is_solved(table, entry):
                unsolved, of_unsolved = int64(onwards), table[entry].value
    if known >= frame.best * BETTER:
        frame.option += 1
        return False
    if unsolved >= 0:
        left, most = frame.goals & s.alive[unsolved], frame.best - (known - of_unsolved)
        push(s, depth + 1, left, unsolved, there, hand, of_unsolved, most)
        return True
    frame.best, frame.choice = known, action
    frame.option += 1
    return False


# -- a state is put on the stack --------------------------------------------------------------------------------


@inner
def push(s: ExactSearch, depth: int, goals: int, w: int, place: int, load: int, least: float, most: float) -> None:
    """Put a state on the stack at `depth`, with its actions sorted by the delay that they cause at once.

    The state has the possible `goals` (bits), the teammate's state `w`, and the ego agent's `place` and `load`. `least`
    is a lower bound on its value. The search of the state may end when its value is known to be at least `most`.
    """
    load = load_needed(goals, load)
    n, weight = list_members(s, goals, w)
    frame = s.frames[depth]
    frame.goals, frame.w, frame.place, frame.load = goals, w, place, load
    frame.option, frame.level, frame.choice = 0, -1, NO_CHOICE
    frame.where = where_of(s, goals, w, place, load)
    frame.weight, frame.least = weight, least
    # A little more than the cost that is surely possible: the option that reaches it has to be found, and may cost just
    # as much, nothing at all if questions are free.
    if s.charges.size:
        to_identify = _charge_to_identify(s, n, w, weight)
    else:
        heaviest_first(s.ranked, n)
        to_identify = price_to_identify(s, s.ranked, n)
    frame.best = min(most, to_identify * (1.0 + 1e-9) + 1e-9 * weight)
    frame.options = _sort_actions(s, depth, goals, w, place, load)


@inner
def list_members(s: ExactSearch, goals: int, w: int) -> tuple[Any, float]:
    """Write a set of goals (bits) into `s.ranked`, with their weights in the teammate's state `w`.

    Returns the number of these goals, and the sum of their weights.
    """
    ranked, n, total = s.ranked, int64(0), 0.0
    for goal in range(s.world.weight.shape[1]):
        if (goals >> goal) & 1:
            ranked[n].goal, ranked[n].odds = goal, s.world.weight[w, goal]
            total += ranked[n].odds
            n += 1
    return n, total


@part
def _sort_actions(s: ExactSearch, depth: int, goals: int, w: int, place: int, load: int) -> int:
    """Write a state's actions and their delays into row `depth` of `s.actions` and `s.delays`, the least delay first.

    The state has the possible `goals` (bits), the teammate's state `w`, and the ego agent's `place` and `load`. Returns
    the number of available actions.
    """
    world, scored, ties, n_moves, n = s.world, s.scored, s.ties, s.world.next.shape[1], 0
    n_goals, _ = list_members(s, goals, w)
    score_actions(world, s.ranked, n_goals, scored, w, place, load)
    first = world.loads_from[place]
    for k in range(n_moves + world.loads_from[place + 1] - first):
        delay, tie = scored[k].delay, scored[k].left
        if delay == np.inf:
            continue
        action = k if k < n_moves else n_moves + world.loads[first + k - n_moves]
        j = n
        while j > 0 and (s.delays[depth, j - 1] > delay or (s.delays[depth, j - 1] == delay and ties[j - 1] > tie)):
            s.delays[depth, j], ties[j] = s.delays[depth, j - 1], ties[j - 1]
            s.actions[depth, j] = s.actions[depth, j - 1]
            j -= 1
        s.delays[depth, j], ties[j], s.actions[depth, j] = delay, tie, action
        n += 1
    return n


@part
def _charge_to_identify(s: ExactSearch, n: int, w: int, weight: float) -> float:
    """Return the expected charges of finding out the goal now by asking about one goal after the other, times `weight`.

    The goals are the first `n` in `s.ranked`; `weight` is the sum of their weights. `w` is the teammate's state.
    """
    cost, own, other = 0.0, s.charges[s.zone[w], 0, 0], s.charges[s.zone[w], 1, 1]
    for k in range(n - 1):
        odds = s.ranked[k].odds
        cost += odds * own + (weight - odds) * other
        weight -= odds
    return cost


# -- the best question, by branch and bound ----------------------------------------------------------------------


@part
def try_splits(s: ExactSearch, depth: int, table: Any) -> tuple[bool, int]:
    """Continue to compare all questions of the state at `depth` of the stack, and keep the best one.

    If the value of another state is missing in `table`, that state is put on top of the stack.

    Returns:
        Whether a state was put on the stack, and the number of questions compared; questions that are skipped together
            count as one.
    """
    frame, sides, tried = s.frames[depth], s.sides[depth], s.tried[depth]
    looked = 0
    if frame.level < 0:
        _begin_questions(s, depth)
    while frame.level > 0:
        level = frame.level
        if level == frame.n_goals or tried[level] == 2:
            if level == frame.n_goals:
                looked += 1
                _compare(s, depth)
            frame.level -= 1
            continue
        side = tried[level]
        _grow(s, depth, side)
        one, other = sides[level + 1, side], sides[level + 1, 1 - side]
        price, best = _least_price(s, depth, level + 1), frame.best * BETTER
        if one.goals == frame.goals or price + one.least + other.least >= best:
            looked += 1
            tried[level] += 1
            continue
        if one.goals & (one.goals - 1):
            entry = entry_of(table, one.goals, where_of(s, one.goals, frame.w, frame.place, frame.load))
            one.least = max(one.least, table[entry].value)
            if one.least + other.least >= best:
                frame.level = 0
                break
            if price + one.least + other.least < best and not is_solved(table, entry):
                most = frame.best - price - other.least
                push(s, depth + 1, one.goals, frame.w, frame.place, frame.load, one.least, most)
                return True, looked
        tried[level] += 1
        if price + one.least + other.least < best:
            frame.level += 1
            tried[level + 1] = 0
    return False, looked


@part
def _begin_questions(s: ExactSearch, depth: int) -> None:
    """Prepare to compare the questions of the state at `depth` of the stack.

    Sorts the goals of this state by weight into `s.order`, and puts the heaviest on the first side.
    """
    frame = s.frames[depth]
    n, _ = list_members(s, frame.goals, frame.w)
    heaviest_first(s.ranked, n)
    for k in range(n):
        s.order[depth, k] = s.ranked[k].goal
    frame.n_goals, frame.level = n, 0
    _grow(s, depth, int64(0))
    s.tried[depth, 1] = 0
    frame.level = 1


@inner
def _grow(s: ExactSearch, depth: int, side: int) -> None:
    """Put the next goal on a side (0 or 1) of the question that is built for the state at `depth` of the stack."""
    frame, sides = s.frames[depth], s.sides[depth]
    goal = s.order[depth, frame.level]
    for k in range(2):
        one, grown = sides[frame.level, k], sides[frame.level + 1, k]
        grown.goals, grown.n_goals, grown.weight = one.goals, one.n_goals, one.weight
        grown.named, grown.least = one.named, one.least
    grown = sides[frame.level + 1, side]
    grown.goals |= int64(1) << goal
    grown.n_goals += 1
    grown.weight += s.world.weight[frame.w, goal]
    grown.named += s.per_goal + s.extra[goal]


@part
def _compare(s: ExactSearch, depth: int) -> None:
    """Keep the question that was built for the state at `depth` of the stack if it is the best option so far.

    The values of the states after each of the two answers must be known.
    """
    frame = s.frames[depth]
    first, second = s.sides[depth, frame.n_goals, 0], s.sides[depth, frame.n_goals, 1]
    total = _least_price(s, depth, frame.n_goals) + first.least + second.least
    if total < frame.best * BETTER:
        if s.charges.size:
            named, others = _charged(s, frame, first, second), _charged(s, frame, second, first)
        else:
            named, others = first.named, second.named
        cheaper = named < others or (named == others and first.n_goals < second.n_goals)
        frame.best, frame.choice = total, -1 - (first.goals if cheaper else second.goals)


# -- prices ------------------------------------------------------------------------------------------------------


@inner
def _least_price(s: ExactSearch, depth: int, level: int) -> float:
    """Return the least price of a question in which the first `level` goals of `s.order` stay on their present sides.

    The price is multiplied by the weight of all goals in the state at `depth` of the stack.
    """
    frame, first, second = s.frames[depth], s.sides[depth, level, 0], s.sides[depth, level, 1]
    if s.charges.size:
        return float(min(_charged(s, frame, first, second), _charged(s, frame, second, first)))
    return float(frame.weight * (s.base + min(first.named, second.named)))


@inner
def _charged(s: ExactSearch, frame: Any, named: Any, other: Any) -> float:
    """Return the least expected charge of a question that names all goals of side `named`, and none of side `other`.

    The charge is multiplied by the goals' weight. Goals on neither side may be named, too. `frame` is the state, a
    ``FRAME`` record; the sides are ``SIDE`` records.
    """
    amounts, n = s.charges[s.zone[frame.w]], max(named.n_goals, 1)
    if named.n_goals == frame.n_goals:
        return np.inf
    undecided = 0.0
    if named.n_goals + other.n_goals < frame.n_goals:
        undecided = max(0.0, frame.weight - named.weight - other.weight)
    either = min(amounts[1, n], amounts[0, min(named.n_goals, amounts.shape[1] - 1)])
    return float(named.weight * amounts[0, n - 1] + other.weight * amounts[1, n] + undecided * either)
