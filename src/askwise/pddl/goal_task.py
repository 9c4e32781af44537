"""The search task of one goal: a planning task restricted to the operators and bits that are relevant to the goal.

A bit is relevant if the goal requires it, or if it is a condition of a relevant operator. An operator is relevant if it
sets a relevant bit that is not one of its own conditions. An irrelevant operator is on no optimal plan: without it the
plan would still be valid, and shorter. So the search for a goal omits irrelevant operators and bits. States that differ
only in irrelevant bits become one state.

Goals with the same relevant operators are *of one kind*. Their tasks keep all bits that are relevant to any of them, so
that states are the same rows of bits for all, and one breadth-first search serves all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askwise.pddl.task import (
    Lists,
    Numbers,
    Task,
    Words,
    as_words,
    chosen,
    members_of,
    n_words_for,
    packed,
    renumbered,
    without,
)


@dataclass(frozen=True, eq=False)
class GoalTask:
    """A planning task for one goal: it has only the bits and operators that are relevant to this goal.

    Its purpose is a faster search for plans. A bit says whether one atom is true in a state; an operator is an action
    with objects instead of variables. Both have new indices here.

    Attributes:
        operators: ``int32 [n_operators]``, the index of each operator in the whole task.
        bits: ``int32 [n_bits]``, the index of each bit in the whole task.
        initial: ``uint64 [n_words]``, the initial state.
        goal: ``uint64 [n_words]``, the atoms that the goal requires, one bit for each.
        pre: the bits that each operator requires, its conditions.
        gain: the bits that each operator sets and that are not among its conditions.
        words: conditions, added bits and kept bits of the operators, each ``uint64 [n_operators, n_words]``.
    """

    operators: Numbers
    bits: Numbers
    initial: Words
    goal: Words
    pre: Lists
    gain: Lists
    words: tuple[Words, Words, Words]

    @property
    def n_words(self) -> int:
        """Number of 64-bit words in which the bits of a state are stored."""
        return int(self.initial.size)


def goal_task(task: Task, goal: Iterable[int], start: Words | None = None) -> GoalTask:
    """Return the task for the search for one goal, restricted to relevant bits and operators.

    Args:
        task: the whole task.
        goal: the atoms that the goal requires, by the indices of their bits.
        start: ``uint64 [n_words]``, the state in which plans start; by default the initial state of `task`.
    """
    return goal_tasks_by_kind(task, {0: goal}, start)[0][0]


def goal_tasks_by_kind(
    task: Task, goals: Mapping[int, Iterable[int]], start: Words | None = None
) -> list[dict[int, GoalTask]]:
    """Return the search tasks of several goals, by the index of the goal, in one dict for each kind of goal.

    Goals are of one kind if the same operators are relevant to them. Their tasks differ only in `GoalTask.goal`, so
    that one breadth-first search can serve all of them.

    Args:
        task: the whole task.
        goals: the atoms that each goal requires, as indices of bits, by the index of the goal.
        start: ``uint64 [n_words]``, the state in which plans start; by default the initial state of `task`.
    """
    wanted = {number: packed([goal], task.n_words)[0] for number, goal in goals.items()}
    alike: dict[bytes, dict[int, Words]] = {}
    for number, words in wanted.items():
        alike.setdefault(_relevant_operators(task, words).tobytes(), {})[number] = words
    begin = task.initial if start is None else start
    found = []
    for mask, kind in alike.items():
        used = np.frombuffer(mask, dtype=bool)
        matters = np.bitwise_or.reduce(np.concatenate((task.pre[used], np.stack(list(kind.values())))), axis=0)
        found.append(_restricted(task, used, members_of(matters), kind, begin))
    return found


def whole_goal_tasks(task: Task, goals: Mapping[int, Iterable[int]]) -> dict[int, GoalTask]:
    """Return search tasks with all bits of `task`, and with the operators that are relevant to any of the goals.

    Args:
        task: the whole task.
        goals: the atoms that each goal requires, as indices of bits, by the index of the goal.

    Returns:
        the search task of each goal, by the index of the goal.
    """
    wanted = {number: packed([goal], task.n_words)[0] for number, goal in goals.items()}
    used = np.logical_or.reduce([_relevant_operators(task, words) for words in wanted.values()])
    return _restricted(task, used, np.arange(task.n_facts, dtype=np.int32), wanted, task.initial)


def _relevant_operators(task: Task, wanted: Words) -> NDArray[np.bool_]:
    """Return ``bool [n_operators]``: which operators are relevant to a goal; others are on none of its optimal plans.

    An operator is relevant if it sets a bit that the goal or a relevant operator requires, and that it does not require
    itself.

    Args:
        task: the whole task.
        wanted: ``uint64 [n_words]``, the atoms that the goal requires, one bit for each.
    """
    gains = task.add & ~task.pre
    matters, used = wanted.copy(), np.zeros(task.n_operators, dtype=bool)
    while True:
        more = ((gains & matters) != 0).any(axis=1) & ~used
        if not more.any():
            return used
        used |= more
        matters |= np.bitwise_or.reduce(task.pre[more], axis=0)


def _restricted(
    task: Task, used: NDArray[np.bool_], bits: Numbers, goals: Mapping[int, Words], start: Words
) -> dict[int, GoalTask]:
    """Return the search task of each goal, by its index, with only some operators and bits of the whole task.

    Args:
        task: the whole task.
        used: ``bool [n_operators]``, the operators to keep.
        bits: the indices of the bits (atoms) to keep.
        goals: ``uint64 [n_words]`` for the index of each goal: the atoms that it requires, as bits.
        start: ``uint64 [n_words]``, the state in which plans start.
    """
    operators = np.flatnonzero(used).astype(np.int32)
    number = np.full(64 * task.n_words, -1, dtype=np.int32)
    number[bits] = np.arange(bits.size, dtype=np.int32)
    n_words = n_words_for(bits.size)

    def cut(lists: Lists) -> Lists:
        return renumbered(chosen(lists, operators), number)

    def cut_state(words: Words) -> Words:
        kept = number[members_of(words)]
        return np.asarray(packed([kept[kept >= 0].tolist()], n_words)[0])

    pre, add, delete = (cut(lists) for lists in task.lists)
    words = (as_words(pre, n_words), as_words(add, n_words), ~as_words(delete, n_words))
    gain = without(add, pre, max(1, bits.size))
    begin = cut_state(start)
    return {goal: GoalTask(operators, bits, begin, cut_state(own), pre, gain, words) for goal, own in goals.items()}
