"""The questions that exact solvers choose from, and the multiple-choice questions that the planner considers.

`A` are the goals that the teammate's path and all answers allow. Questions name only goals of `A`.

**Exact solvers** use `Questions` if answers may be wrong or questions may be multiple-choice:

- *Yes/no questions*: one about every set of some, but not all, goals of `A`. A question about the rest of `A` gives the
  same information, so only the cheaper one is needed. If errors are persistent and the problem has goals outside `A`,
  both can be asked.
- *Multiple-choice questions* (choices), if the problem has a price for options (`QueryCost.per_option`). A choice asks
  which part of `A` contains the goal. Up to `MOST_PARTED` (5) goals are divided in every way; more goals into groups
  (`Problem.groups`) or single goals. One part may be left out, as "none of these". If all parts are named, but the
  problem has goals outside `A`, the answer "none of these" is possible, but wrong.

Of several questions with the same parts and equally many answers, only the cheapest that may be asked matters.

**The planner** asks for the group or the goal itself (`choices_of`); few goals are divided in every way
(`every_choice`). Its questions name all parts, or all but the largest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from askwise.core.answers import n_answers, same_question
from askwise.core.problem import Problem
from askwise.core.questions import Choice, Question
from askwise.planning.tables import price_for_planning
from askwise.planning.workspace import MOST_ANSWERS

MOST_PARTED = 5
"""Goals up to which the exact solvers consider every partition for a choice: 51 for five goals, 4,139 for eight."""
MOST_NAMED = 8
"""Goals up to which the planner considers to ask "which goal exactly"."""
MOST_BOTH = 4
"""Goals up to which the planner considers a choice with all parts named and with one left out."""

Part = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """A question that may be asked, as exact solvers use it.

    Attributes:
        asked: the question.
        parts: for each answer, the possible goals for which it is true, as bits; 0 if it is never true.
        answers: number of answers.
        price: its price.
        key: equal for questions that give the same information (`same_question`).
    """

    asked: Question
    parts: tuple[int, ...]
    answers: int
    price: float
    key: Hashable


class Questions:
    """Lists the questions of a problem that are worth asking, for any set of goals that may be left.

    `goals` are the goals that are possible at the start; bit `k` of a set is ``goals[k]``.
    """

    def __init__(self, problem: Problem, goals: Sequence[int]) -> None:
        self.problem = problem
        self.goals = list(goals)
        self.n_all = len(problem.goals)
        self.price = price_for_planning(problem, "the exact search adds up prices goal by goal")
        self.chooses = problem.query_cost.per_option is not None
        self._groups = self._disjoint_groups() if self.chooses else []
        self._listed: dict[int, list[Option]] = {}
        self._cheapest: dict[int, list[Option]] = {}

    def about(self, left: int, asked: frozenset[Hashable] = frozenset()) -> list[Option]:
        """Return the questions worth asking about the goals `left` (bits), except those whose key is in `asked`."""
        if not asked:
            if left not in self._cheapest:
                self._cheapest[left] = _cheapest(self.listed(left))
            return self._cheapest[left]
        return _cheapest([option for option in self.listed(left) if option.key not in asked])

    def listed(self, left: int) -> list[Option]:
        """Return all questions about the possible goals `left` (bits), the cheapest first."""
        if left not in self._listed:
            found = [*self._yes_or_no(left), *(self._choices(left) if self.chooses else ())]
            # Of equal prices the first: a set before a choice, and a choice that names all parts before others.
            self._listed[left] = sorted(found, key=lambda option: option.price)
        return self._listed[left]

    def named(self, goals: int) -> tuple[int, ...]:
        """Return the indices of the goals in a set of bits: bit `k` stands for the goal ``self.goals[k]``."""
        return tuple(goal for k, goal in enumerate(self.goals) if (goals >> k) & 1)

    def _yes_or_no(self, left: int) -> Iterator[Option]:
        rest = left & (left - 1)  # the other side always has the lowest goal
        split = rest
        while split:
            yield from self._both_sides(split, left)
            split = (split - 1) & rest

    def _both_sides(self, one: int, left: int) -> list[Option]:
        options = []
        for yes in (one, left ^ one):
            goals = self.named(yes)
            options.append(Option(goals, (yes, left ^ yes), 2, self.price(goals), same_question(goals, self.n_all)))
        return sorted(options, key=lambda option: (option.price, len(option.asked)))

    def _choices(self, left: int) -> Iterator[Option]:
        for parts in self._divisions(left):
            yield self._choice(parts, 0, left)
            for k in range(len(parts)):
                yield self._choice((*parts[:k], *parts[k + 1 :]), parts[k], left)

    def _choice(self, parts: tuple[int, ...], rest: int, left: int) -> Option:
        asked = Choice(tuple(self.named(part) for part in parts), self._names(parts, left))
        answers = n_answers(asked, self.n_all)
        true = (*parts, rest) if answers > len(parts) else parts
        return Option(asked, true, answers, float(self.problem.query_cost(asked)), same_question(asked, self.n_all))

    def _divisions(self, left: int) -> Iterator[tuple[int, ...]]:
        """Yield the partitions of the goals `left` for which there is a multiple-choice question.

        The question asks for the part that has the true goal. A partition is a tuple of parts. `left` and all parts are
        bits.
        """
        if left.bit_count() <= MOST_PARTED:
            yield from (parts for parts in _partitions_of_bits(left) if len(parts) > 1)
            return
        grouped = [group & left for _, group in self._groups if group & left]
        others = left & ~sum(grouped)
        if len(grouped) + (others > 0) > 1:
            yield tuple(grouped) if not others else (*grouped, others)
        yield tuple(1 << k for k in range(left.bit_length()) if (left >> k) & 1)

    def _disjoint_groups(self) -> list[tuple[str, int]]:
        taken, found = 0, []
        for name, members in self.problem.groups.items():
            group = sum(1 << k for k, goal in enumerate(self.goals) if goal in members)
            if group and not group & taken:
                found.append((name, group))
                taken |= group
        return found

    def _names(self, parts: tuple[int, ...], left: int) -> tuple[str, ...]:
        """Return the name of each part in `parts`, or an empty tuple if some part has no name.

        A part has a group's name if it has exactly the goals in `left` of this group. All sets are bits.
        """
        names = {group & left: name for name, group in self._groups}
        return tuple(names[part] for part in parts) if all(part in names for part in parts) else ()


def _cheapest(options: list[Option]) -> list[Option]:
    """Return the cheapest question of each kind.

    Questions are of one kind if they divide the goals into the same parts and have equally many answers. The `options`
    are sorted by price, the cheapest first.
    """
    found: dict[Hashable, Option] = {}
    for option in options:
        found.setdefault((frozenset(option.parts), option.answers), option)
    return list(found.values())


def _partitions_of_bits(goals: int) -> Iterator[tuple[int, ...]]:
    """Yield every partition of a set of goals; sets are bits of a number."""
    if not goals:
        yield ()
        return
    first = goals & -goals
    rest = goals ^ first
    more = rest
    while True:
        for parts in _partitions_of_bits(rest ^ more):
            yield (first | more, *parts)
        if not more:
            return
        more = (more - 1) & rest


# -- for the planner ------------------------------------------------------------------------------------------------


def choices_of(problem: Problem, goals: Sequence[int]) -> list[Choice]:
    """Return the multiple-choice questions that the planner considers if `goals` are left.

    One asks for the group of the goal. With at most `MOST_NAMED` (8) goals, another asks for the goal itself. Each also
    comes without its largest option. The result is empty if the problem has no price for options.
    """
    if problem.query_cost.per_option is None:
        return []
    divisions = [_by_group(problem, goals)]
    if len(goals) <= MOST_NAMED:
        divisions.append([(goal,) for goal in goals])
    found: list[Choice] = []
    for parts in divisions:
        found += [choice for choice in _asked_by(problem, parts) if choice not in found]
    return found


def every_choice(problem: Problem, goals: Sequence[int]) -> list[Choice]:
    """Return the multiple-choice questions that are worth asking, for every partition of `goals` into parts.

    One question names all parts except the largest. If few goals are left and other goals of the problem are impossible
    by now, another question names all parts. The result is empty if the problem has no price for options.
    """
    if problem.query_cost.per_option is None:
        return []
    cheapest = slice(-1, None) if len(goals) == len(problem.goals) or len(goals) > MOST_BOTH else slice(None)
    return [choice for parts in _partitions(list(goals)) for choice in _asked_by(problem, parts)[cheapest]]


def _asked_by(problem: Problem, parts: Sequence[Part]) -> list[Choice]:
    """Return up to two multiple-choice questions (`Choice`) that ask which part of the goals contains the true goal.

    The first names all parts, the second all but the largest. Questions with fewer than two or more than `MOST_ANSWERS`
    answers are left out.
    """
    largest = max(range(len(parts)), key=lambda k: len(parts[k]), default=0)
    all_but_one = [part for k, part in enumerate(parts) if k != largest]
    choices = [
        Choice(tuple(named), tuple(_name(problem, part) for part in named))
        for named in (parts, all_but_one)
        if named and len(parts) > 1
    ]
    return [choice for choice in choices if 2 <= n_answers(choice, len(problem.goals)) <= MOST_ANSWERS]


def _name(problem: Problem, part: Part) -> str:
    """Return a name for a set of goals: the name of a single goal, or of the first group that contains all of them.

    If there is no such group, the name consists of the names of all goals in the set.
    """
    if len(part) > 1:
        for name, group in problem.groups.items():
            if set(part) <= set(group):
                return name
    return " or ".join(problem.goals[goal] for goal in part)


def _by_group(problem: Problem, goals: Sequence[int]) -> list[Part]:
    """Return the parts into which the problem's groups divide `goals`; an empty list if no group has any of them.

    Groups that overlap earlier ones are left out. Goals in no group form the last part.
    """
    left, parts = list(goals), list[Part]()
    for group in problem.groups.values():
        inside = tuple(goal for goal in group if goal in left)
        if inside and len(inside) == len(set(group) & set(goals)):
            parts.append(inside)
            left = [goal for goal in left if goal not in inside]
    return [*parts, tuple(left)] if left and parts else parts


def _partitions(goals: list[int]) -> Iterator[list[Part]]:
    """Yield every partition of a list of goals, always in the same order.

    This order must not change: of equally good questions, the planner takes the first.
    """
    if not goals:
        yield []
        return
    first, rest = goals[0], goals[1:]
    for parts in _partitions(rest):
        yield [(first,), *parts]
        for k, part in enumerate(parts):
            yield [*parts[:k], (first, *part), *parts[k + 1 :]]
