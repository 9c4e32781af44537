"""Answers that can be wrong or missing once more, told as plainly as possible: the optimum, and what an agent costs.

`PlainNoisy` solves problems with at most so many questions: every action, every subset of the possible goals (and every
choice that is handed in), beliefs by Bayes' rule. `expected_cost` plays an agent through all that can happen. Of
`askwise.core.answers` neither uses anything but the three numbers of an `AnswerModel`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from functools import cache

from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Choice, Question
from askwise.methods import Agent, Observation
from tests.planning.plain_optimum import PlainOptimum

Odds = tuple[tuple[int, float], ...]
"""Goals that are possible with their probabilities."""
Asked = frozenset[frozenset[frozenset[int]]]
"""The questions that were asked, each as the parts into which it divides all goals."""


def parts_of(asked: Question, n_goals: int) -> list[set[int]]:
    """The goals for which each answer is true; the last part of a choice is "none of these"."""
    groups = [set(group) for group in asked.groups] if isinstance(asked, Choice) else [set(asked)]
    rest = set(range(n_goals)) - set().union(*groups)
    return [*groups, rest] if rest else groups


def replies(problem: Problem, asked: Question) -> list[tuple[bool | int | None, list[float]]]:
    """Every reply to a question, with the probability that each goal gives it."""
    model, n = problem.answers, len(problem.goals)
    parts = parts_of(asked, n)
    found: list[tuple[bool | int | None, list[float]]] = [(None, [model.refused] * n)]
    for k, part in enumerate(parts):
        wrong = model.wrong / (len(parts) - 1)
        likelihood = [(1 - model.refused) * (1 - model.wrong if g in part else wrong) for g in range(n)]
        found.append((k if isinstance(asked, Choice) else k == 0, likelihood))
    return found


def normalised(weights: Iterable[tuple[int, float]]) -> tuple[float, Odds]:
    """The sum of some weights, and what they are as probabilities; rounded, so that equal beliefs are equal."""
    kept = [(g, p) for g, p in weights if p > 0]
    total = sum(p for _, p in kept)
    return total, tuple((g, round(p / total, 13)) for g, p in kept) if total > 0 else ()


class PlainNoisy(PlainOptimum):
    def __init__(self, problem: Problem, choices: Sequence[Choice] = ()) -> None:
        super().__init__(problem)
        self.choices = choices
        self.best = cache(self._best)

    def marginal_cost(self, questions: int) -> float:
        """What not knowing the goal costs with at most so many questions."""
        _, belief = normalised(enumerate(map(float, self.problem.prior)))
        start = self.problem.start
        known = sum(p * float(self.known(g, start.teammate, start.ego)) for g, p in belief)
        return self.best(belief, start.teammate, start.ego, questions, frozenset()) - known

    def _best(self, belief: Odds, teammate: int, ego: int, left: int, asked: Asked) -> float:
        if len(belief) == 1:
            return float(self.known(belief[0][0], teammate, ego))
        costs = [self.stepping(belief, teammate, there, left, asked) for there in self.ego_edges()[ego].values()]
        if left > 0:
            costs += [self.questioning(belief, teammate, ego, left, asked, q) for q in self.possible_questions(belief)]
        return min(costs)

    def possible_questions(self, belief: Odds) -> list[Question]:
        sets: list[Question] = [tuple(sorted(some)) for some in self.questions(belief)]  # type: ignore[arg-type]
        return [*sets, *self.choices]

    def questioning(self, belief: Odds, teammate: int, ego: int, left: int, asked: Asked, question: Question) -> float:
        if self.problem.answers.persistent:
            key = frozenset(map(frozenset, parts_of(question, len(self.problem.goals))))
            if key in asked:
                return math.inf
            asked = asked | {key}
        cost = self.problem.query_cost(question)
        for _, likelihood in replies(self.problem, question):
            share, after = normalised((g, p * likelihood[g]) for g, p in belief)
            if share > 0:
                cost += share * self.best(after, teammate, ego, left - 1, asked)
        return cost

    def stepping(self, belief: Odds, teammate: int, ego: int, left: int, asked: Asked) -> float:
        cost = 1.0
        for action, there, weights in moves_of(self, belief, teammate):
            share, after = normalised(weights)
            if action == self.problem.teammate.actions.stay:
                ((goal, _),) = after
                cost += share * self.ego_left(goal).get(ego, math.inf)
            else:
                cost += share * self.best(after, there, ego, left, asked)
        return cost


def moves_of(plain: PlainOptimum, belief: Odds, teammate: int) -> list[tuple[int, int, list[tuple[int, float]]]]:
    """What the teammate can be seen doing, where it is then, and the goals with their weights."""
    seen: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for goal, p in belief:
        for action, there, share in plain.steps_of(goal, teammate):
            seen.setdefault((action, there), []).append((goal, p * float(share)))
    return [(action, there, weights) for (action, there), weights in seen.items()]


def marginal_cost_of(agent: Agent, problem: Problem) -> float:
    """What not knowing the goal costs an agent on average, over all that can happen."""
    plain, start = PlainOptimum(problem), problem.start
    _, belief = normalised(enumerate(map(float, problem.prior)))
    agent.reset(problem, 0)
    known = sum(p * float(plain.known(g, start.teammate, start.ego)) for g, p in belief)
    return _played(plain, agent, belief, Observation(start)) - known


def _played(plain: PlainOptimum, agent: Agent, belief: Odds, seen: Observation) -> float:
    problem, state = plain.problem, seen.state
    if len(belief) == 1:
        return float(plain.known(belief[0][0], state.teammate, state.ego))
    decision = agent.decide(seen)
    cost = 1.0 if decision.ask is None else problem.query_cost(decision.ask)
    for observation, weights in _following(plain, belief, state, decision.ask, decision.action):
        share, after = normalised(weights)
        if share > 0:
            another = copy.deepcopy(agent, {id(problem): problem})
            stays = (
                observation.teammate_action is not None and observation.teammate_action == problem.teammate.actions.stay
            )
            if stays:
                cost += share * plain.ego_left(after[0][0]).get(observation.state.ego, math.inf)
            else:
                cost += share * _played(plain, another, after, observation)
    return cost


def _following(
    plain: PlainOptimum, belief: Odds, state: JointState, asked: Question | None, action: int | None
) -> list[tuple[Observation, list[tuple[int, float]]]]:
    if asked is not None:
        told = replies(plain.problem, asked)
        return [
            (Observation(state, None, Answer(asked, reply)), [(g, p * likelihood[g]) for g, p in belief])
            for reply, likelihood in told
        ]
    assert action is not None
    ego = plain.problem.ego.next(state.ego, action)
    moves = moves_of(plain, belief, state.teammate)
    return [(Observation(JointState(there, ego), seen), weights) for seen, there, weights in moves]
