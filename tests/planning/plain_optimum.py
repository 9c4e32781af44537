"""The optimum once more, told as plainly as possible: dictionaries, exact fractions, nothing left out, nothing clever.

Of `askwise` it uses only what a `Problem` says about single steps: where an action leads, which action is the
teammate's staying, and which of its states are targets. Plans are counted here; beliefs are filtered action by action
with Bayes' rule; every subset of the possible goals is a question (both a set and its complement), and every available
ontic action is tried, waiting and picking up useless tools included. What can no longer be reached costs infinitely
much.
"""

from __future__ import annotations

import math
from collections import deque
from fractions import Fraction
from functools import cache
from itertools import combinations

from askwise.core.problem import Problem

Belief = tuple[tuple[int, Fraction], ...]
"""The possible goals with their probabilities."""
Cost = Fraction | float
"""Exact, or infinite."""


class PlainOptimum:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.goals = range(len(problem.goals))
        self.value = cache(self._value)

    def expected_cost(self) -> Cost:
        weights = {g: Fraction(float(p)) for g, p in enumerate(self.problem.prior) if p > 0}
        total = sum(weights.values())
        belief = tuple((g, weight / total) for g, weight in weights.items())
        return self.value(belief, self.problem.start.teammate, self.problem.start.ego)

    def expected_marginal_cost(self) -> Cost:
        start, weights = self.problem.start, [Fraction(float(p)) for p in self.problem.prior]
        known = [p * self.known(g, start.teammate, start.ego) for g, p in enumerate(weights) if p > 0]
        return self.expected_cost() - sum(known) / sum(weights)

    # -- one goal ------------------------------------------------------------------------------------------------

    def known(self, goal: int, teammate: int, ego: int) -> Cost:
        """Steps to the end if the goal is known: both go there, the teammate stays one step more."""
        steps = self.ego_left(goal).get(ego)
        return math.inf if steps is None else Fraction(max(self.teammate_left(goal)[teammate] + 1, steps))

    @cache  # noqa: B019 - lives as long as a test
    def teammate_left(self, goal: int) -> dict[int, int]:
        targets = {int(state) for state in self.problem.teammate.targets(goal)}
        return _steps_left(self.teammate_edges(), targets)

    @cache  # noqa: B019
    def teammate_edges(self) -> dict[int, dict[int, int]]:
        actions = range(len(self.problem.teammate.actions.names))
        return _edges(self.problem.start.teammate, actions, self.problem.teammate.next)

    @cache  # noqa: B019
    def ego_edges(self) -> dict[int, dict[int, int]]:
        return _edges(self.problem.start.ego, range(len(self.problem.ego.actions.names)), self.problem.ego.next)

    @cache  # noqa: B019
    def ego_left(self, goal: int) -> dict[int, int]:
        edges = self.ego_edges()
        return _steps_left(edges, {state for state in edges if self.problem.ego.steps(state)[goal] == 0})

    @cache  # noqa: B019
    def plans(self, goal: int, teammate: int) -> int:
        """The number of shortest plans from here, as sequences of actions."""
        left = self.teammate_left(goal)
        if left[teammate] == 0:
            return 1
        following = self.teammate_edges()[teammate].values()
        return sum(self.plans(goal, there) for there in following if left.get(there) == left[teammate] - 1)

    @cache  # noqa: B019
    def steps_of(self, goal: int, teammate: int) -> list[tuple[int, int, Fraction]]:
        """What the teammate does here: action, next state, probability."""
        left = self.teammate_left(goal)
        edges = self.teammate_edges()[teammate]
        if left[teammate] == 0:
            (stay,) = (a for a in edges if a == self.problem.teammate.actions.stay)
            return [(stay, teammate, Fraction(1))]
        here = self.plans(goal, teammate)
        onwards = [(a, t) for a, t in edges.items() if left.get(t) == left[teammate] - 1]
        return [(a, t, Fraction(self.plans(goal, t), here)) for a, t in onwards]

    # -- many goals ----------------------------------------------------------------------------------------------

    def _value(self, belief: Belief, teammate: int, ego: int) -> Cost:
        if len(belief) == 1:
            return self.known(belief[0][0], teammate, ego)
        asking = [self.asking(belief, teammate, ego, asked) for asked in self.questions(belief)]
        acting = [self.acting(belief, teammate, there) for there in self.ego_edges()[ego].values()]
        return min(asking + acting)

    def questions(self, belief: Belief) -> list[set[int]]:
        goals = [g for g, _ in belief]
        return [set(some) for n in range(1, len(goals)) for some in combinations(goals, n)]

    def asking(self, belief: Belief, teammate: int, ego: int, asked: set[int]) -> Cost:
        cost: Cost = Fraction(self.problem.query_cost(sorted(asked)))
        for answer in (True, False):
            share, left = conditional([(g, p) for g, p in belief if (g in asked) == answer])
            cost += share * self.value(left, teammate, ego)
        return cost

    def acting(self, belief: Belief, teammate: int, ego: int) -> Cost:
        """One joint step after which the ego agent is in `ego`, and the best from there."""
        seen: dict[tuple[int, int], list[tuple[int, Fraction]]] = {}
        for goal, p in belief:
            for action, there, share in self.steps_of(goal, teammate):
                arrived = action == self.problem.teammate.actions.stay and self.ego_left(goal).get(ego) == 0
                if not arrived:
                    seen.setdefault((action, there), []).append((goal, p * share))
        cost: Cost = Fraction(1)
        for (action, there), weights in seen.items():
            share, left = conditional(weights)
            if action == self.problem.teammate.actions.stay:
                ((goal, _),) = left  # where somebody stays, only one goal is
                cost += share * self.ego_left(goal).get(ego, math.inf)
            else:
                cost += share * self.value(left, there, ego)
        return cost


def conditional(weights: list[tuple[int, Fraction]]) -> tuple[Fraction, Belief]:
    """The probability of these goals, and the belief among them."""
    total = sum((p for _, p in weights), Fraction(0))
    return total, tuple((g, p / total) for g, p in weights)


def _edges(start: int, actions: range, following: object) -> dict[int, dict[int, int]]:
    """For every state that can be reached, where each available action leads."""
    assert callable(following)
    edges: dict[int, dict[int, int]] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state not in edges:
            edges[state] = {a: following(state, a) for a in actions if following(state, a) >= 0}
            waiting.extend(edges[state].values())
    return edges


def _steps_left(edges: dict[int, dict[int, int]], targets: set[int]) -> dict[int, int]:
    before: dict[int, list[int]] = {}
    for state, out in edges.items():
        for there in out.values():
            before.setdefault(there, []).append(state)
    left = dict.fromkeys(sorted(targets & set(edges)), 0)
    queue = deque(left)
    while queue:
        here = queue.popleft()
        for state in before.get(here, []):
            if state not in left:
                left[state] = left[here] + 1
                queue.append(state)
    return left
