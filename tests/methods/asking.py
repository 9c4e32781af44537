"""Agents that ask, for tests of what questions do to an episode."""

from __future__ import annotations

import numpy as np

from askwise.core.problem import JointState, Problem
from askwise.methods import Agent, BeliefAgent, Decision, Observation
from askwise.seeds import Seed
from askwise.types import BoolArray


class AsksHalf(BeliefAgent):
    """An agent that, if no action is optimal for all goals, asks about the first half or a random half of them."""

    def __init__(self, *, belief: str = "elimination", at_random: bool = False) -> None:
        super().__init__(belief=belief)
        self.at_random = at_random
        self.name = "asks a random half" if at_random else "asks the first half"

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        goals = np.flatnonzero(possible)
        if self.at_random:
            goals = self.rng.permutation(goals)
        ask = tuple(int(goal) for goal in goals[: len(goals) // 2])
        return Decision(ask=ask, why="Torn.", value=1.5, cost=self.problem.query_cost(ask))


class Scripted(Agent):
    """An agent without a belief that follows a fixed list of decisions, then waits; it records its observations."""

    name = "scripted"

    def __init__(self, *script: Decision) -> None:
        self.script = script

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        super().reset(problem, seed)
        self.seen: list[Observation] = []

    def decide(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        step = len(self.seen) - 1
        return self.script[step] if step < len(self.script) else Decision(action=self.problem.ego.actions.stay)
