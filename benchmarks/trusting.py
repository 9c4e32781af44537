"""Two planners that trust answers, to compare with the planner where answers can be wrong.

*Trusting* believes every answer; *asks twice* believes what two replies to the same question agree on. Both plan as the
planner does and know how often answers are refused, but assume that answers are never wrong. When the teammate
contradicts the answers, they forget all answers and keep what they have observed.
"""

from __future__ import annotations

from dataclasses import replace

from askwise.core.belief import ContradictoryObservation, Tracker
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.methods import Decision, Observation, PlannerAgent
from askwise.seeds import Seed


class Trusting(PlannerAgent):
    """A planner that assumes that answers are never wrong.

    Args:
        belief: name of the belief, as for every agent.
    """

    name = "trusting"

    def __init__(self, *, belief: str = "bayes") -> None:
        super().__init__(belief=belief)
        self.name = type(self).name
        self.fallback = None  # it forgets the answers instead

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem.with_answers(replace(problem.answers, wrong=0.0)), seed)
        self._observed: list[Observation] = []

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        if observation.answer is None:
            self._observed.append(observation)
        try:
            if self._has_stopped_elsewhere(observation):
                raise ContradictoryObservation("the teammate stays where no goal is that the answers allow")
            return super().decide(observation)
        except ContradictoryObservation:
            self._forget_answers()
            return super().decide(Observation(observation.state))

    def _has_stopped_elsewhere(self, observation: Observation) -> bool:
        """Whether the teammate stays at a place that is the target of no possible goal."""
        action, here = observation.teammate_action, self.problem.teammate.steps(observation.state.teammate)
        stays = action is not None and action == self.problem.teammate.actions.stay
        return stays and not (here[self.belief.probabilities > 0] == 0).any()

    def _forget_answers(self) -> None:
        self.tracker = Tracker(self.problem, "robust")
        before = None
        for observation in self._observed:
            if before is not None and observation.teammate_action is not None:
                self.tracker.saw(before.teammate, observation.teammate_action)
            before = observation.state


class AskingTwice(Trusting):
    """A planner that repeats each question until two replies agree, then trusts them; it plans with doubled prices."""

    name = "asks twice"

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        assert isinstance(problem, ToolFetching)
        price = problem.query_cost
        doubled = replace(problem.instance, query_cost=QueryCost(2 * price.base, 2 * price.per_goal))
        super().reset(ToolFetching(doubled).with_answers(problem.answers), seed)
        self._replies: list[bool | int | None] = []

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        answer = observation.answer
        if answer is not None:
            # A refusal does not count as a reply, unless errors persist: then every repetition would be refused too.
            if answer.reply is not None or self.problem.answers.persistent:
                self._replies.append(answer.reply)
            if not self._replies or self._replies.count(answer.reply) < 2:
                return Decision(ask=answer.asked, why="Ask again: two replies have to agree.")
            self._replies = []
        return super().decide(observation)
