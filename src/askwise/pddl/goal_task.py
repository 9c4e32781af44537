"""One goal, and only what can matter to it.

A bit matters if the goal wants it set, or if an operator that matters has it as a condition; an operator matters if it
sets a bit that matters and that was not one of its own conditions. An operator that does not matter is on no optimal
plan: without it the plan would still be one, and shorter. So the search for a goal leaves these operators out, and the
bits that do not matter with them: states that differ in nothing else are one.

Goals to which the same operators matter are *of one kind*: all bits that matter to any of them are kept for each, so
that a state is the same row of bits for all, and one search without a bound serves all. They differ only in the bits
that goals want set and that are no condition of any operator.
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
    """A task cut down to one goal; its bits and operators are numbered anew.

    Attributes:
        operators: ``int32 [n_operators]``, the numbers that they have in the task.
        bits: ``int32 [n_bits]``, the numbers that they have in the task.
        initial: ``uint64 [n_words]``.
        goal: ``uint64 [n_words]``, the bits that are to be set.
        pre: the conditions of each operator.
        gain: the bits that each operator sets and that are none of its conditions.
        words: ``uint64 [n_operators, n_words]`` each, conditions, what is added and what is kept.
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
        """Words in a state."""
        return int(self.initial.size)


def goal_task(task: Task, goal: Iterable[int], start: Words | None = None) -> GoalTask:
    """Return what matters to a goal, given as the bits that it wants set."""
    return goal_tasks_by_kind(task, {0: goal}, start)[0][0]


def goal_tasks_by_kind(
    task: Task, goals: Mapping[int, Iterable[int]], start: Words | None = None
) -> list[dict[int, GoalTask]]:
    """Return what matters to each goal, goals of one kind together: there only ``Quest.goal`` differs."""
    wanted = {number: packed([goal], task.n_words)[0] for number, goal in goals.items()}
    alike: dict[bytes, dict[int, Words]] = {}
    for number, words in wanted.items():
        alike.setdefault(_mattering(task, words).tobytes(), {})[number] = words
    begin = task.initial if start is None else start
    found = []
    for mask, kind in alike.items():
        used = np.frombuffer(mask, dtype=bool)
        matters = np.bitwise_or.reduce(np.concatenate((task.pre[used], np.stack(list(kind.values())))), axis=0)
        found.append(_cut_down(task, used, members_of(matters), kind, begin))
    return found


def whole_goal_tasks(task: Task, goals: Mapping[int, Iterable[int]]) -> dict[int, GoalTask]:
    """Return quests with all bits, and with the operators that matter to any of the goals."""
    wanted = {number: packed([goal], task.n_words)[0] for number, goal in goals.items()}
    used = np.logical_or.reduce([_mattering(task, words) for words in wanted.values()])
    return _cut_down(task, used, np.arange(task.n_facts, dtype=np.int32), wanted, task.initial)


def _mattering(task: Task, wanted: Words) -> NDArray[np.bool_]:
    """Return ``bool [n_operators]``: which operators matter to a goal."""
    gains = task.add & ~task.pre
    matters, used = wanted.copy(), np.zeros(task.n_operators, dtype=bool)
    while True:
        more = ((gains & matters) != 0).any(axis=1) & ~used
        if not more.any():
            return used
        used |= more
        matters |= np.bitwise_or.reduce(task.pre[more], axis=0)


def _cut_down(
    task: Task, used: NDArray[np.bool_], bits: Numbers, goals: Mapping[int, Words], start: Words
) -> dict[int, GoalTask]:
    """Return the quests for goals with some of the operators and bits."""
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
