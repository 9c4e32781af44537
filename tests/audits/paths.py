"""Every episode that an agent can have, with its probability, enumerated without joining branches."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from askwise.core.answers import n_answers
from askwise.core.episode import Episode, Step
from askwise.core.game import after, ends
from askwise.core.problem import JointState, Problem, optimal_costs
from askwise.core.questions import Answer, Choice, Question
from askwise.methods import Agent, BeliefAgent, Decision, Observation
from askwise.seeds import Seed
from askwise.types import BoolArray

Weighted = tuple[float, Episode]


class Erratic(BeliefAgent):
    """A deterministic agent that does something else in every step, asks now and then, and finishes in the end.

    Args:
        odd: makes one such agent different from another.
        most: questions that it asks at most.
        settles: step from which on it only goes for the likeliest goal.
    """

    name = "erratic"

    def __init__(self, odd: int = 0, *, most: int = 2, settles: int = 5) -> None:
        super().__init__(belief="bayes")
        self.odd = odd
        self.most = most
        self.settles = settles

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        super().reset(problem, seed)
        self.t = 0
        self.asked = 0

    def decide(self, observation: Observation) -> Decision:
        self.tracker.update(observation)
        self.t += 1
        state, possible = observation.state, np.flatnonzero(self.probabilities > 0).tolist()
        if len(possible) > 1 and self.asked < self.most and (self.t + self.odd) % 3 == 0:
            self.asked += 1
            return Decision(ask=tuple(possible[: 1 + self.odd % (len(possible) - 1)]))
        if self.t < self.settles and len(possible) > 1:
            can = [a for a in range(len(self.problem.ego.actions.names)) if self.problem.ego.next(state.ego, a) >= 0]
            return Decision(action=can[(7 * self.t + self.odd) % len(can)])
        goal = int(self.probabilities.argmax())
        return Decision(action=int(self.problem.ego.optimal(state.ego)[goal].argmax()))

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        raise NotImplementedError


def every_episode(problem: Problem, agent: Agent) -> Iterator[Weighted]:
    agent.reset(problem, 0)
    prior = problem.prior / problem.prior.sum()
    for goal in np.flatnonzero(prior > 0).tolist():
        yield from _onwards(problem, goal, float(prior[goal]), agent, (), Observation(problem.start))


def _onwards(
    problem: Problem, goal: int, share: float, agent: Agent, steps: tuple[Step, ...], seen: Observation
) -> Iterator[Weighted]:
    assert len(steps) < 100
    agent = copy.deepcopy(agent, {id(problem): problem})
    decision = agent.decide(seen)
    state, t = seen.state, len(steps) + 1
    if decision.ask is not None:
        for answer, likely in _answers(problem, decision.ask, goal, steps):
            step = Step(t, state, None, decision, None, answer, float(problem.query_cost(decision.ask)))
            yield from _onwards(problem, goal, share * likely, agent, (*steps, step), Observation(state, None, answer))
        return
    assert decision.action is not None
    for action, likely in enumerate(problem.teammate.policy(state.teammate)[goal].tolist()):
        if likely > 0:
            now = after(problem, state, decision.action, action)
            taken = (*steps, Step(t, state, None, decision, action, None, 1.0))
            if ends(problem, state, action, now, goal):
                best = float(optimal_costs(problem, problem.start)[goal])
                yield share * likely, Episode(problem, agent.name, "urop", goal, None, taken, now, best, True)
            else:
                yield from _onwards(problem, goal, share * likely, agent, taken, Observation(now, action))


def _answers(problem: Problem, asked: Question, goal: int, steps: tuple[Step, ...]) -> Iterator[tuple[Answer, float]]:
    """Return all possible answers; these agents never repeat a question if errors are persistent."""
    n_goals = len(problem.goals)
    if isinstance(asked, Choice):
        replies: list[bool | int | None] = [*range(n_answers(asked, n_goals)), None]
    else:
        replies = [True, False, None]
    for reply in replies:
        answer = Answer(asked, reply)
        likely = float(problem.answers.likelihood(answer, n_goals)[goal])
        if likely > 0:
            yield answer, likely
