"""The optimum with wrong and refused answers and with choices, told as plainly as possible.

Written from the rules: dictionaries and exact fractions, beliefs filtered step by step with Bayes' rule, every action,
and, while questions are left, every question that names goals which are still possible. Of `askwise` it uses what a
`Problem` says about single steps and prices; how answers come is spelt out here once more.

A question is a tuple of groups of goals, and whether it is a choice. A yes/no question is one group: "yes" is true for
its goals. Goals in no group are "none of these", for a yes/no question "no".
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations

from askwise.core.problem import Problem
from askwise.core.questions import Choice
from tests.planning.plain_optimum import Belief, Cost, PlainOptimum

Groups = frozenset[frozenset[int]]
Asked = tuple[bool, Groups]
"""Whether it is a choice, and its groups."""


class PlainNoisyOptimum(PlainOptimum):
    """At most `most` questions; None for as many as one likes (where answers are true)."""

    def __init__(self, problem: Problem, most: int | None, *, sets: bool = True) -> None:
        super().__init__(problem)
        self.most = len(problem.goals) if most is None else most
        self.sets = sets
        self.wrong, self.refused = Fraction(problem.answers.wrong), Fraction(problem.answers.refused)
        self.persistent = problem.answers.errors == "persistent"
        self.known_so_far = cache(self._known_so_far)

    def expected_cost(self) -> Cost:
        weights = {g: Fraction(float(p)) for g, p in enumerate(self.problem.prior) if p > 0}
        total = sum(weights.values())
        belief = tuple((g, weight / total) for g, weight in weights.items())
        start = self.problem.start
        return self.known_so_far(belief, start.teammate, start.ego, self.most, frozenset())

    def _known_so_far(self, belief: Belief, teammate: int, ego: int, left: int, asked: frozenset[Asked]) -> Cost:
        if len(belief) == 1:
            return self.known(belief[0][0], teammate, ego)
        options = [self.step(belief, teammate, there, left, asked) for there in self.ego_edges()[ego].values()]
        if left:
            for choice, groups in self.all_questions([g for g, _ in belief]):
                name = self.same(choice, groups)
                if not (self.persistent and name in asked):
                    # Where errors are made anew it does not matter what was asked before.
                    now = asked | {name} if self.persistent else asked
                    options.append(self.answered(belief, teammate, ego, left - 1, choice, groups, now))
        return min(options)

    # -- questions ---------------------------------------------------------------------------------------------------

    def all_questions(self, goals: list[int]) -> Iterator[Asked]:
        """Every yes/no question and, if choices have a price, every choice; some tell nothing."""
        if self.sets:
            for n in range(1, len(goals)):
                yield from ((False, frozenset([frozenset(some)])) for some in combinations(goals, n))
        if self.problem.query_cost.per_option is not None:
            for n in range(1, len(goals) + 1):
                for some in combinations(goals, n):
                    yield from ((True, frozenset(groups)) for groups in partitions(list(some)))

    def same(self, choice: bool, groups: Groups) -> Asked:
        """What is equal for questions that are answered alike: a set, and all goals that are not in it."""
        if choice:
            return True, groups
        (some,) = groups
        others = frozenset(self.goals) - some
        return False, frozenset([min(some, others, key=sorted)])

    def price(self, choice: bool, groups: Groups) -> Fraction:
        if choice:
            return Fraction(self.problem.query_cost(Choice(tuple(tuple(sorted(group)) for group in groups))))
        (some,) = groups
        return Fraction(self.problem.query_cost(sorted(some)))

    def answered(
        self,
        belief: Belief,
        teammate: int,
        ego: int,
        left: int,
        choice: bool,
        groups: Groups,
        asked: frozenset[Asked],
    ) -> Cost:
        listed = frozenset().union(*groups)
        answers = [*sorted(groups, key=sorted), frozenset(self.goals) - listed]
        if not answers[-1]:
            answers.pop()  # nobody can mean "none of these"
        if len(answers) < 2:
            return Fraction(10**9)  # one answer only: not a question
        cost: Cost = self.price(choice, groups)
        if self.refused:
            cost += self.refused * self.known_so_far(belief, teammate, ego, left, asked)
        for true_for in answers:
            heard = []
            for goal, p in belief:
                likely = 1 - self.wrong if goal in true_for else self.wrong / (len(answers) - 1)
                if likely:
                    heard.append((goal, p * likely * (1 - self.refused)))
            if heard:
                total = sum(p for _, p in heard)
                after = tuple((goal, p / total) for goal, p in heard)
                cost += total * self.known_so_far(after, teammate, ego, left, asked)
        return cost

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, belief: Belief, teammate: int, ego: int, left: int, asked: frozenset[Asked]) -> Cost:
        """One joint step after which the ego agent is in `ego`, and the best from there."""
        seen: dict[tuple[int, int], list[tuple[int, Fraction]]] = {}
        for goal, p in belief:
            for action, there, share in self.steps_of(goal, teammate):
                if not (action == self.problem.teammate.actions.stay and self.ego_left(goal).get(ego) == 0):
                    seen.setdefault((action, there), []).append((goal, p * share))
        cost: Cost = Fraction(1)
        for (_, there), weights in seen.items():
            total = sum(p for _, p in weights)
            after = tuple((goal, p / total) for goal, p in weights)
            cost += total * self.known_so_far(after, there, ego, left, asked)
        return cost


def partitions(goals: list[int]) -> Iterator[list[frozenset[int]]]:
    """Every way to part some goals into groups."""
    if not goals:
        yield []
        return
    first, rest = goals[0], goals[1:]
    for n in range(len(rest) + 1):
        for some in combinations(rest, n):
            others = [goal for goal in rest if goal not in some]
            yield from ([frozenset([first, *some]), *more] for more in partitions(others))
