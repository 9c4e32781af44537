"""A grounded planning problem as bits: states and operators are rows of 64-bit words, one bit per atom.

Atoms that never change have no bit. An atom that some condition requires to be false has a second bit, its *opposite*,
which is set if the atom is false. Each operator has three rows: the bits that it requires (`pre`), those that it sets
(`add`), and those that it does not delete (`keep`). It is applicable in state `s` if ``s & pre == pre``, and leads to
``s & keep | add``.

**The task of one goal** (`GoalTask`) has only relevant bits and operators. A bit is relevant if the goal or a relevant
operator requires it. An operator is relevant if it sets a relevant bit that is not one of its own conditions.

Goals with the same relevant operators are *of one kind*. Their tasks share all bits, and one breadth-first search
serves all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askwise.frozen import read_only
from askwise.pddl.grounding import Atom, Grounded
from askwise.pddl.language import Conjunction
from askwise.text.reading import check_size

Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]
Bytes = NDArray[np.uint8]


# -- many sets of integers ---------------------------------------------------------------------------------------


class Lists(NamedTuple):
    """Many sets of integers in two arrays: set `k` is ``members[starts[k] : starts[k + 1]]``, ascending."""

    starts: Numbers
    members: Numbers

    @property
    def owners(self) -> NDArray[np.intp]:
        """``int [n_members]``: for each entry of `members` the index of the set that it belongs to."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))


def lists_of(rows: Sequence[Iterable[int]]) -> Lists:
    """Return the given sets of integers as `Lists`, that is, in two arrays."""
    members = [sorted(row) for row in rows]
    counts = [len(row) for row in members]
    return Lists(_starts(counts), np.array([bit for row in members for bit in row], dtype=np.int32))


def _starts(counts: Any) -> Numbers:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def chosen(lists: Lists, rows: Any) -> Lists:
    """Return some of the sets in `lists`: those whose indices are in `rows`, an array of ints."""
    counts = np.diff(lists.starts)[rows]
    starts = _starts(counts)
    places = np.repeat(lists.starts[rows] - starts[:-1], counts) + np.arange(int(starts[-1]))
    return Lists(starts, lists.members[places])


def renumbered(lists: Lists, number: Numbers) -> Lists:
    """Return the sets in `lists` with each member `m` replaced by ``number[m]``, or removed if ``number[m]`` is -1.

    The values in `number` must be increasing, apart from those that are -1.
    """
    called = number[lists.members]
    return _kept(Lists(lists.starts, called), called >= 0)


def without(lists: Lists, others: Lists, n: int) -> Lists:
    """Return set differences: set `k` of `lists` without set `k` of `others`; all members are below `n`."""
    own, taken = (each.owners * n + each.members for each in (lists, others))
    return _kept(lists, ~np.isin(own, taken))


def _kept(lists: Lists, kept: NDArray[np.bool_]) -> Lists:
    counts = np.bincount(lists.owners[kept], minlength=lists.starts.size - 1)
    return Lists(_starts(counts), lists.members[kept])


def turned(lists: Lists, n: int) -> Lists:
    """Return `n` sets: set `m` has the indices of the sets in `lists` that contain the integer `m`."""
    order = np.argsort(lists.members, kind="stable")
    counts = np.bincount(lists.members, minlength=n)
    return Lists(_starts(counts), lists.owners[order].astype(np.int32))


def as_words(lists: Lists, n_words: int) -> Words:
    """Return the sets in `lists` as ``uint64 [n_sets, n_words]``: bit `m` of a row is 1 if `m` is in the set."""
    words = np.zeros((lists.starts.size - 1, n_words), dtype=np.uint64)
    bit = np.uint64(1) << (lists.members % 64).astype(np.uint64)
    np.bitwise_or.at(words, (lists.owners, lists.members // 64), bit)
    return words


def members_of(words: Words) -> Numbers:
    """Return the positions of the bits that are 1 in ``words``, ``uint64 [n_words]``, in ascending order."""
    little = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.flatnonzero(np.unpackbits(little, bitorder="little")).astype(np.int32)


def n_words_for(n: int) -> int:
    """Return the number of 64-bit words that are needed for `n` bits, at least 1."""
    return max(1, -(-n // 64))


# -- the whole task ----------------------------------------------------------------------------------------------

ALWAYS, NEVER = -1, -2


@dataclass(frozen=True, eq=False)
class Task:
    """A grounded planning problem as bits: a bit says whether one atom is true in a state.

    Operators are actions with objects instead of variables. One is applicable in state `s` if ``s & pre == pre``, and
    leads to ``s & keep | add``. `pre`, `add` and `keep` are ``uint64 [n_operators, n_words]``.

    Attributes:
        facts: atom of each bit, such as ``on a b``.
        labels: name of each operator, such as ``stack a b``; operators may share a name.
        initial: ``uint64 [n_words]``, the initial state.
        pre: bits that an operator requires.
        add: bits that an operator sets.
        keep: bits that an operator does not delete.
        lists: indices of the bits that each operator requires, adds and deletes.
        place: index of each atom's bit; `ALWAYS` or `NEVER` for atoms that never change.
        opposite: index of the bit that is set if an atom is false, for atoms in negative conditions.
    """

    facts: tuple[str, ...]
    labels: tuple[str, ...]
    initial: Words
    pre: Words
    add: Words
    keep: Words
    lists: tuple[Lists, Lists, Lists]
    place: dict[Atom, int]
    opposite: dict[Atom, int]

    @property
    def n_facts(self) -> int:
        """Number of bits of a state.

        Each atom that can change has a bit. An atom in a negative condition also has a second bit, its opposite, which
        is set if the atom is false.
        """
        return len(self.facts)

    @property
    def n_operators(self) -> int:
        """Number of operators; an operator is an action with objects instead of variables."""
        return len(self.labels)

    @property
    def n_words(self) -> int:
        """Number of 64-bit words in which the bits of a state are stored."""
        return int(self.initial.size)

    @cached_property
    def by_label(self) -> dict[str, tuple[int, ...]]:
        """A dict from each name, such as ``stack a b``, to the indices of the operators with this name."""
        found: dict[str, list[int]] = {}
        for operator, label in enumerate(self.labels):
            found.setdefault(label, []).append(operator)
        return {label: tuple(operators) for label, operators in found.items()}

    def bits(self, goal: Conjunction) -> frozenset[int] | None:
        """Return the indices of the bits that a goal requires; None if the goal can never be true.

        An atom that must be false is represented by a second bit, its opposite. Conditions that always hold are left
        out.
        """
        wanted = set()
        for literal in goal.literals:
            atom = (literal.predicate, *literal.terms)
            bit = self.place.get(atom, NEVER) if literal.positive else self._opposite_of(atom)
            if bit == NEVER:
                return None
            if bit != ALWAYS:
                wanted.add(bit)
        return frozenset(wanted)

    def _opposite_of(self, atom: Atom) -> int:
        bit = self.place.get(atom, NEVER)
        return {ALWAYS: NEVER, NEVER: ALWAYS}[bit] if bit < 0 else self.opposite[atom]

    def applicable(self, state: Words) -> NDArray[np.intp]:
        """Return the indices of the operators that are applicable in a state, ``uint64 [n_words]``."""
        return np.flatnonzero(((self.pre & state) == self.pre).all(axis=1))

    def apply(self, state: Words, operator: int) -> Words:
        """Return the state after the operator with index `operator`, which must be applicable in `state`.

        `state` and the result are ``uint64 [n_words]``.
        """
        return np.asarray(state & self.keep[operator] | self.add[operator])

    def holds(self, states: Words, bits: Iterable[int]) -> NDArray[np.bool_]:
        """Return for each state, ``uint64 [..., n_words]``, whether the bits with the indices `bits` are all set."""
        wanted = packed([bits], self.n_words)[0]
        return np.asarray(((states & wanted) == wanted).all(axis=-1))

    def describe(self, state: Words) -> str:
        """Return the atoms that are true in a state, ``uint64 [n_words]``, as text, separated by commas.

        Atoms that are always true are left out.
        """
        opposites = set(self.opposite.values())
        held = [fact for bit, fact in enumerate(self.facts) if bit not in opposites and _is_set(state, bit)]
        return ", ".join(held) or "nothing"


def _is_set(state: Words, bit: int) -> bool:
    return bool((int(state[bit // 64]) >> (bit % 64)) & 1)


def packed(rows: Sequence[Iterable[int]], n_words: int) -> Words:
    """Return sets of integers as ``uint64 [n_rows, n_words]``: bit `m` of a row is 1 if `m` is in the set."""
    return as_words(lists_of(rows), n_words)


def make_task(grounded: Grounded, goals: Iterable[Conjunction] = ()) -> Task:
    """Make a task, with states as bits, from a grounded problem.

    An atom that one of the `goals` requires to be false gets a second bit, which is set if the atom is false.
    """
    deletes = {atom for operator in grounded.operators for atom in operator.deletes}
    place: dict[Atom, int] = {}
    changing = [atom for atom in grounded.atoms if atom in deletes or atom not in grounded.initial]
    for atom in grounded.atoms:
        place[atom] = ALWAYS
    place |= {atom: bit for bit, atom in enumerate(changing)}
    unwanted = {atom for operator in grounded.operators for atom in operator.negative}
    unwanted |= {(each.predicate, *each.terms) for goal in goals for each in goal.literals if not each.positive}
    opposed = [atom for atom in changing if atom in unwanted]
    opposite = {atom: len(changing) + k for k, atom in enumerate(opposed)}
    facts = [" ".join(atom) for atom in changing] + [f"not {' '.join(atom)}" for atom in opposed]
    initial = {place[atom] for atom in grounded.initial if place[atom] >= 0}
    initial |= {bit for atom, bit in opposite.items() if atom not in grounded.initial}
    rows: list[tuple[set[int], set[int], set[int]]] = []
    labels = []
    for operator in grounded.operators:
        if any(place.get(atom, NEVER) == ALWAYS for atom in operator.negative):
            continue  # requires an atom to be false that is always true
        pre = {place[atom] for atom in operator.positive if place[atom] >= 0}
        pre |= {opposite[atom] for atom in operator.negative if place.get(atom, NEVER) >= 0}
        add = {place[atom] for atom in operator.adds if place[atom] >= 0}
        add |= {opposite[atom] for atom in operator.deletes if atom in opposite}
        delete = {place[atom] for atom in operator.deletes if place.get(atom, NEVER) >= 0}
        delete |= {opposite[atom] for atom in operator.adds if atom in opposite}
        rows.append((pre, add, delete))
        labels.append(operator.label)
    n_words = n_words_for(len(facts))
    check_size(
        3 * 8 * n_words * len(rows), "planning task", f"{len(rows)} operators over {len(facts)} atoms", "a smaller one"
    )
    needed, made, lost = (lists_of([row[k] for row in rows]) for k in range(3))
    words = (as_words(each, n_words) for each in (needed, made, lost))
    pre_words, add_words, delete_words = (read_only(each) for each in words)
    start = read_only(packed([initial], n_words)[0])
    keep_words = read_only(~delete_words)
    lists = (needed, made, lost)
    return Task(tuple(facts), tuple(labels), start, pre_words, add_words, keep_words, lists, place, opposite)


# -- the task of one goal ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GoalTask:
    """A planning task for one goal, with new indices for the bits and operators that are relevant to this goal.

    Attributes:
        operators: ``int32 [n_operators]``, index of each operator in the whole task.
        bits: ``int32 [n_bits]``, index of each bit in the whole task.
        initial: ``uint64 [n_words]``, the initial state.
        goal: ``uint64 [n_words]``, the bits that the goal requires.
        pre: for each operator, the bits that it requires.
        gain: for each operator, the bits that it sets and does not require.
        words: for each operator, the bits that it requires, those that it sets and those that it does not delete, as
            masks: three arrays ``uint64 [n_operators, n_words]``.
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
    """Return the search task of one goal, restricted to relevant bits and operators.

    `goal` has the indices of the bits that the goal requires. `start` is the state in which plans start,
    ``uint64 [n_words]``; by default the initial state.
    """
    return goal_tasks_by_kind(task, {0: goal}, start)[0][0]


def goal_tasks_by_kind(
    task: Task, goals: Mapping[int, Iterable[int]], start: Words | None = None
) -> list[dict[int, GoalTask]]:
    """Return the search tasks of several goals: for each kind of goal, a dict from the index of a goal to its task.

    Goals are of one kind if the same operators are relevant to them. Their tasks differ only in `GoalTask.goal`.
    `goals` has the indices of the bits that each goal requires. Plans begin in `start`, ``uint64 [n_words]``; None for
    the initial state.
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
    """Return the search tasks of several goals, with all bits, and with the operators that are relevant to any of them.

    `goals` has the indices of the bits that each goal requires.
    """
    wanted = {number: packed([goal], task.n_words)[0] for number, goal in goals.items()}
    used = np.logical_or.reduce([_relevant_operators(task, words) for words in wanted.values()])
    return _restricted(task, used, np.arange(task.n_facts, dtype=np.int32), wanted, task.initial)


def _relevant_operators(task: Task, wanted: Words) -> NDArray[np.bool_]:
    """Return ``bool [n_operators]``: whether each operator is relevant to a goal.

    An operator is relevant if it sets a bit that the goal or another relevant operator requires, and that the operator
    itself does not require. `wanted` has the bits that the goal requires, ``uint64 [n_words]``.
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
    """Return the search task of each goal, by the goal's index, with only some operators and bits of `task`.

    The operators `used` (``bool [n_operators]``) and the bits with the indices `bits` are kept. `goals` has the bits
    that each goal requires, `start` those of the first state, each time ``uint64 [n_words]``.
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
