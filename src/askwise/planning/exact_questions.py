"""The questions that the optimum chooses from, where answers may be wrong or questions may be choices.

With the goals `A` left (those that the teammate's way and all answers allow), a question names goals of `A` only.

- *Yes or no*: every set of some of `A`, but not all. The set and the rest of `A` tell the same. Where errors are made
  anew every time, one of the two is looked at, the cheaper; where they persist, the dearer one can still be asked when
  the cheaper one has been: unless no other goals exist, they are two questions.
- *Choices*, if the problem says what an option costs (`QueryCost.per_option`): of up to `MOST_PARTED` goals every way
  to part them, of more the groups that the problem names (`Problem.groups`) and "which goal exactly". One part may be
  left out to be "none of these", an option less to pay for. If all parts are named and other goals exist that are no
  longer possible, "none of these" is an answer that is never true: to hear it is to know that it is wrong.

Of questions that part `A` alike and have equally many answers, only the cheapest that may be asked matters: to ask the
dearer one first never helps.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from askwise.core.answers import n_answers, same_question
from askwise.core.problem import Problem
from askwise.core.questions import Choice, Question
from askwise.planning.tables import price_for_planning

MOST_PARTED = 5
"""Goals up to which a choice may part them in any way: 51 ways for five, 4,139 for eight."""


@dataclass(frozen=True, slots=True)
class Option:
    """A question that may be asked.

    Attributes:
        asked: the question.
        parts: for each answer the goals left for which it is true, as bits; 0 for an answer that is never true.
        answers: how many answers there are.
        price: what it costs.
        key: the same for questions that are answered alike (`askwise.core.answers.same_question`).
    """

    asked: Question
    parts: tuple[int, ...]
    answers: int
    price: float
    key: Hashable


class Questions:
    """All questions of a problem, listed for each set of goals that may be left, cheapest first.

    Args:
        problem: the problem.
        goals: the goals that are possible at all; bit `k` of a set stands for ``goals[k]``.
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
        """Return the questions worth asking with these goals left, those in `asked` apart."""
        if not asked:
            if left not in self._cheapest:
                self._cheapest[left] = _cheapest(self.listed(left))
            return self._cheapest[left]
        return _cheapest([option for option in self.listed(left) if option.key not in asked])

    def listed(self, left: int) -> list[Option]:
        """Return all questions with these goals left."""
        if left not in self._listed:
            found = [*self._yes_or_no(left), *(self._choices(left) if self.chooses else ())]
            # Of equally dear ones the first: a set before a choice, and a choice that leaves nothing unsaid.
            self._listed[left] = sorted(found, key=lambda option: option.price)
        return self._listed[left]

    def named(self, goals: int) -> tuple[int, ...]:
        """Return the numbers of the goals in a set."""
        return tuple(goal for k, goal in enumerate(self.goals) if (goals >> k) & 1)

    def _yes_or_no(self, left: int) -> Iterator[Option]:
        rest = left & (left - 1)  # the other side always has the lowest goal
        split = rest
        while split:
            yield from self._both_sides(split, left)
            split = (split - 1) & rest

    def _both_sides(self, one: int, left: int) -> list[Option]:
        sides = [(one, left ^ one), (left ^ one, one)]
        options = []
        for yes, no in sides:
            goals = self.named(yes)
            key = same_question(goals, self.n_all)
            options.append(Option(goals, (yes, no), 2, self.price(goals), key))
        return sorted(options, key=lambda option: (option.price, len(option.asked)))

    def _choices(self, left: int) -> Iterator[Option]:
        for parts in self._partings(left):
            yield self._choice(parts, 0, left)
            for k in range(len(parts)):
                yield self._choice((*parts[:k], *parts[k + 1 :]), parts[k], left)

    def _choice(self, parts: tuple[int, ...], rest: int, left: int) -> Option:
        asked = Choice(tuple(self.named(part) for part in parts), self._names(parts, left))
        answers = n_answers(asked, self.n_all)
        true = (*parts, rest) if answers > len(parts) else parts
        return Option(asked, true, answers, float(self.problem.query_cost(asked)), same_question(asked, self.n_all))

    def _partings(self, left: int) -> Iterator[tuple[int, ...]]:
        if left.bit_count() <= MOST_PARTED:
            yield from (parts for parts in _partitions(left) if len(parts) > 1)
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
        """Return what the problem calls these groups, nothing if it has no name for one of them."""
        names = {group & left: name for name, group in self._groups}
        return tuple(names[part] for part in parts) if all(part in names for part in parts) else ()


def _cheapest(options: list[Option]) -> list[Option]:
    """Return the first of all that tell the same; the list is sorted by price."""
    found: dict[Hashable, Option] = {}
    for option in options:
        found.setdefault((frozenset(option.parts), option.answers), option)
    return list(found.values())


def _partitions(goals: int) -> Iterator[tuple[int, ...]]:
    """Every way to part a set of goals."""
    if not goals:
        yield ()
        return
    first = goals & -goals
    rest = goals ^ first
    more = rest
    while True:
        for parts in _partitions(rest ^ more):
            yield (first | more, *parts)
        if not more:
            return
        more = (more - 1) & rest
