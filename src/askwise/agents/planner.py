"""Plans in belief space: acts under uncertainty, asks now or later."""

from __future__ import annotations

from askwise.agents.base import BeliefAgent, Decision, Observation
from askwise.planning.planner import FULL, Planner, Settings
from askwise.planning.view import mask_rows, view_of
from askwise.problem import JointState, Problem
from askwise.seeds import Seed
from askwise.types import BoolArray


class PlannerAgent(BeliefAgent):
    name = "planner"

    def __init__(self, *, settings: Settings = FULL, belief: str = "bayes", tie_break: str = "random") -> None:
        super().__init__(belief=belief, tie_break=tie_break)
        self.settings = settings

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        super().reset(problem, seed)
        self.planner = Planner(view_of(problem), problem.query_cost, self.settings)

    def decide(self, observation: Observation) -> Decision:
        self._update(observation)
        possible = self.belief.possible
        if possible.sum() == 1:
            common = self.problem.ego_optimal(observation.state.ego)[possible].all(axis=0).nonzero()[0]
            return self._act(common, possible, observation.state)
        return self.when_torn(observation.state, possible)

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
        plan = self.planner.decide(mask_rows(possible), state.teammate, state.ego)
        return Decision(action=plan.action, ask=plan.asked, why=f"{plan}")
