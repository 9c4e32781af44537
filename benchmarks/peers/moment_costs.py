"""What acting and asking cost at each moment, in simple Python: dictionaries, Bayes' rule, all actions and questions.

It does not use `askwise.planning` or `askwise.audits`, so it can check both. From a problem it takes only the next
states, the teammate's policy, and the steps to each goal. Costs are those of the rest of the episode, not only marginal
ones.
"""

from __future__ import annotations

from itertools import combinations

from askwise.core.problem import Problem

Belief = tuple[tuple[int, float], ...]
"""The possible goals and their probabilities."""
DIGITS = 12


class MomentCosts:
    """The least expected costs of one problem with true answers, cached by belief and places."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._value: dict[tuple[Belief, int, int], float] = {}
        self._steps: dict[int, list[dict[int, float]]] = {}
        self._moves: dict[int, list[int]] = {}

    def value(self, belief: Belief, teammate: int, ego: int) -> float:
        """Return the least expected cost from a belief and the states of both agents."""
        key = tuple((goal, round(p, DIGITS)) for goal, p in belief), teammate, ego
        if key not in self._value:
            self._value[key] = min(self.acting(belief, teammate, ego), self.asking(belief, teammate, ego))
        return self._value[key]

    def acting(self, belief: Belief, teammate: int, ego: int) -> float:
        """Return the least expected cost of acting now."""
        return min(self._step(belief, teammate, there) for there in self._ego(ego))

    def asking(self, belief: Belief, teammate: int, ego: int) -> float:
        """Return the least expected cost of asking now; infinity if only one goal is possible."""
        goals = [goal for goal, _ in belief]
        least = float("inf")
        for size in range(1, len(goals)):
            for asked in combinations(goals, size):
                cost = self.problem.query_cost(asked)
                for answer in (True, False):
                    part = [(goal, p) for goal, p in belief if (goal in asked) == answer]
                    share = sum(p for _, p in part)
                    cost += share * self.value(_scaled(part, share), teammate, ego)
                least = min(least, cost)
        return least

    def _step(self, belief: Belief, teammate: int, ego: int) -> float:
        """Return the cost of a joint step after which the ego agent is in `ego`, and the least cost from there."""
        if len(belief) == 1:
            return 1.0 + self._alone(belief[0][0], teammate, ego)
        seen: dict[int, list[tuple[int, float]]] = {}
        for goal, p in belief:
            for action, share in self._teammate(teammate)[goal].items():
                seen.setdefault(action, []).append((goal, p * share))
        cost = 1.0
        for action, part in seen.items():
            share = sum(p for _, p in part)
            there = self.problem.teammate.next(teammate, action)
            if len(part) == 1 and action == self.problem.teammate.actions.stay:
                cost += share * self._alone(part[0][0], teammate, ego)
            else:
                cost += share * self.value(_scaled(part, share), there, ego)
        return cost

    def _alone(self, goal: int, teammate: int, ego: int) -> float:
        """Return the cost of the rest of an episode if the goal is known."""
        left = int(self.problem.teammate.steps(teammate)[goal])
        return float(max(left, int(self.problem.ego.steps(ego)[goal])))

    def _teammate(self, teammate: int) -> list[dict[int, float]]:
        if teammate not in self._steps:
            rows = self.problem.teammate.policy(teammate).tolist()
            self._steps[teammate] = [{action: p for action, p in enumerate(row) if p > 0} for row in rows]
        return self._steps[teammate]

    def _ego(self, ego: int) -> list[int]:
        if ego not in self._moves:
            following = (self.problem.ego.next(ego, action) for action in range(len(self.problem.ego.actions.names)))
            self._moves[ego] = sorted({there for there in following if there >= 0})
        return self._moves[ego]


def _scaled(part: list[tuple[int, float]], share: float) -> Belief:
    return tuple((goal, p / share) for goal, p in part)
