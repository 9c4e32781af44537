"""One goal, and only what can matter to it.

A bit matters if the goal wants it set, or if an operator that matters has it as a condition; an operator matters if it
sets a bit that matters and that was not one of its own conditions. An operator that does not matter is on no optimal
plan: without it the plan would still be one, and shorter. So the search for a goal leaves these operators out, and the
bits that do not matter with them: states that differ in nothing else are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from askwise.pddl.sets import Lists, Numbers, Words, as_words, chosen, members_of, n_words_for, renumbered, without
from askwise.pddl.task import Task, packed


@dataclass(frozen=True, eq=False)
class Quest:
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


def quest(task: Task, goal: Iterable[int], start: Words | None = None) -> Quest:
    """Return what matters to a goal, given as the bits that it wants set."""
    wanted = packed([goal], task.n_words)[0]
    gains = task.add & ~task.pre
    matters, used = wanted.copy(), np.zeros(task.n_operators, dtype=bool)
    while True:
        more = ((gains & matters) != 0).any(axis=1) & ~used
        if not more.any():
            break
        used |= more
        matters |= np.bitwise_or.reduce(task.pre[more], axis=0)
    operators, bits = np.flatnonzero(used).astype(np.int32), members_of(matters)
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
    begin, end = cut_state(task.initial if start is None else start), cut_state(wanted)
    return Quest(operators, bits, begin, end, pre, without(add, pre, max(1, bits.size)), words)
