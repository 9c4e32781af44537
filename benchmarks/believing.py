"""What the planner is compared with where answers can be wrong: one that believes them all, one that asks twice.

Both plan well, and know how often there is no answer; they do not know that answers can be wrong. When the teammate
does what contradicts the answers, they forget all answers and go on with what they have seen.
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
    """The planner as if no answer were ever wrong."""

    name = "trusting"

    def __init__(self, *, belief: str = "bayes") -> None:
        super().__init__(belief=belief)
        self.name = type(self).name
        self.fallback = None  # it starts over instead

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem.with_answers(replace(problem.answers, wrong=0.0)), seed)
        self._seen: list[Observation] = []

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        if observation.answer is None:
            self._seen.append(observation)
        try:
            if self._is_elsewhere(observation):
                raise ContradictoryObservation("the teammate stays where no goal is that the answers allow")
            return super().decide(observation)
        except ContradictoryObservation:
            self._forget_answers()
            return super().decide(Observation(observation.state))

    def _is_elsewhere(self, observation: Observation) -> bool:
        """Whether the teammate has arrived where, as far as is known, it does not want to be."""
        action, here = observation.teammate_action, self.problem.teammate.steps(observation.state.teammate)
        arrived = action is not None and action == self.problem.teammate.actions.stay
        return arrived and not (here[self.belief.probabilities > 0] == 0).any()

    def _forget_answers(self) -> None:
        self.tracker = Tracker(self.problem, "robust")
        before = None
        for observation in self._seen:
            if before is not None and observation.teammate_action is not None:
                self.tracker.saw(before.teammate, observation.teammate_action)
            before = observation.state


class Twice(Trusting):
    """Believes what two replies to the same question agree on; plans with prices twice as high."""

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
            # A refusal is no reply, unless it will be repeated for ever.
            if answer.reply is not None or self.problem.answers.persistent:
                self._replies.append(answer.reply)
            if not self._replies or self._replies.count(answer.reply) < 2:
                return Decision(ask=answer.asked, why="Ask again: two replies have to agree.")
            self._replies = []
        return super().decide(observation)
