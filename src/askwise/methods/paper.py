"""The methods that the paper compares, and an agent that knows the goal.

All methods take an action that is optimal for every possible goal. If there is none, `ask_or_wait` decides:

===============  ================  =================================================================================
class            in the paper      if no action is optimal for all possible goals
===============  ================  =================================================================================
`Never`          `Never Query`     waits and watches
`Baseline`       `Baseline`        asks about a random half of the possible goals
`Toolbox`        `BL:Toolbox`      asks about the goals for which the median move is optimal
`CostProb`       `BL:Cost+Prob`    asks the question that best separates the goals that need different actions now
`Ezq`            `eZ_Q Query`      asks the question with the largest value minus price, if above 0
===============  ================  =================================================================================

`Informed` knows the goal. If the teammate takes shortest paths, no agent has a lower cost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from askwise.core.decision import Decision, Situation
from askwise.core.problem import JointState, Problem, teammate_goals
from askwise.divergence import Divergence
from askwise.divergence.evidence import check_evidence
from askwise.errors import InputError, did_you_mean
from askwise.frozen import read_only
from askwise.methods.base import Agent, BeliefAgent, Observation
from askwise.methods.cost_prob_program import best_cut
from askwise.methods.optimisers import OPTIMISERS, BestQuestion, optimise
from askwise.methods.question_value import QuestionValue
from askwise.seeds import Seed
from askwise.types import BoolArray, FloatArray


class Never(BeliefAgent):
    """The paper's `Never Query`: waits and watches until one action is optimal for all possible goals."""

    name = "never"
    markov = True

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:  # noqa: ARG002
        """Return the decision to wait; called where no action is optimal for all possible goals."""
        return self.wait(
            f"Wait: {np.count_nonzero(possible)} goals are possible and no action is optimal for all of them."
        )


class Baseline(BeliefAgent):
    """The paper's `Baseline` (Mirsky et al., 2020): asks about a random half of the possible goals."""

    name = "baseline"
    markov = True

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:  # noqa: ARG002
        """Return a question about a random half of the possible goals.

        Called where no action is optimal for all possible goals.
        """
        return self.ask_random_half(possible)

    def ask_random_half(self, possible: BoolArray) -> Decision:
        """Return the decision to ask about a random half of the possible goals, rounded down."""
        goals = np.flatnonzero(possible)
        half = self.rng.choice(goals, size=goals.size // 2, replace=False)
        return self.ask(
            half, f"Ask about a random half of the {goals.size} possible goals: {self.named(sorted(half))}."
        )


class Toolbox(Baseline):
    """The paper's `BL:Toolbox`: asks about the possible goals for which the median move is optimal.

    The agent sorts the available moves by the number of possible goals for which they are optimal, fewest first. The
    median is the third of four moves, the second of three, the first of two. If the median is optimal for no or all
    possible goals, the agent waits. If no move is optimal for any goal, it asks about a random half.
    """

    name = "toolbox"

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return a question about the possible goals for which the median move is optimal, or the decision to wait.

        The moves are sorted by the number of possible goals for which they are optimal. Called where no action is
        optimal for all possible goals.
        """
        moves = [move for move in self.problem.ego.actions.moves if self.problem.ego.next(state.ego, move) >= 0]
        optimal = self.problem.ego.optimal(state.ego)[:, moves] & possible[:, None]
        sizes = optimal.sum(axis=0)
        if not sizes.any():
            return self.ask_random_half(possible)
        median = np.argsort(sizes, kind="stable")[0 if len(moves) == 2 else len(moves) // 2]
        name = self.problem.ego.actions.names[moves[median]]
        if sizes[median] in (0, possible.sum()):
            return self.wait(f"Wait: {name}, the median move, is optimal for {_goals(sizes[median])}.")
        goals = np.flatnonzero(optimal[:, median])
        return self.ask(goals, f"Ask about the {_goals(goals.size)} for which {name} is optimal.")


def _goals(number: int) -> str:
    return "1 possible goal" if number == 1 else f"{number} possible goals"


class CostProb(BeliefAgent):
    """The paper's `BL:Cost+Prob`: asks the question that best separates the goals that need different actions now.

    Two goals branch if no action is optimal now for both. They add their probabilities to the score of a question that
    contains exactly one of them. The agent maximises score minus price. If answers can be wrong or missing, the score
    is multiplied by `AnswerModel.telling`.
    """

    name = "cost-prob"
    markov = True

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return the question that best separates goals that need different actions now, or the decision to wait.

        The agent waits if no question is worth its price. Called where no action is optimal for all possible goals.
        """
        goals = np.flatnonzero(possible)
        optimal = self.problem.ego.optimal(state.ego)[goals].astype(np.float32)
        # Two goals branch now if no action is optimal for both; the matrix product counts such actions.
        branches = optimal @ optimal.T == 0
        price = self.problem.query_cost.additive(len(self.problem.goals), "cost-prob adds up prices by goal")
        belief = self.probabilities[goals]
        if not self.problem.answers.truthful:
            belief = belief * self.problem.answers.telling
        cut = best_cut(belief, branches, price.per_goal + price.extra[goals])
        asked = goals[cut.asked]
        verdict = "proven optimal" if cut.proven else "budget used"
        if asked.size in (0, goals.size):
            return self.wait(f"Wait: no question about the {goals.size} possible goals is worth its price ({verdict}).")
        why = f"Ask about {self.named(asked)}: the best question for the choice of action now ({verdict})."
        return replace(self.ask(asked, why), verdict=verdict)


class Ezq(BeliefAgent):
    """The paper's `eZ_Q Query` (Algorithm 1): asks the question with the largest value minus price, if that is above 0.

    The value is the expected number of steps that a true answer saves. If answers can be wrong or missing, it is
    multiplied by `AnswerModel.telling`.

    Args:
        optimiser: ``genetic`` (as in the paper), ``local``, ``exact`` or ``auto``.
        belief: ``elimination`` (as in the paper), ``bayes`` or ``robust``.
        evidence: a goal counts as ruled out once the teammate's actions are at most this many times as likely under it
            as under the true goal. None if only impossible actions rule goals out, as in the paper.
    """

    markov = True

    def __init__(
        self, *, optimiser: str = "genetic", belief: str = "elimination", evidence: float | None = None
    ) -> None:
        super().__init__(belief=belief)
        if optimiser not in OPTIMISERS:
            allowed = "one of " + ", ".join(map(repr, OPTIMISERS))
            raise InputError("optimiser", repr(optimiser), allowed + did_you_mean(str(optimiser), OPTIMISERS))
        self.optimiser = optimiser
        self.evidence = None if evidence is None else check_evidence(evidence)
        self._family: Divergence | None = None
        self.name = "ezq" if optimiser == "genetic" else f"ezq-{optimiser}"

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode of `problem` with the prior as the belief; `seed` determines the agent's random choices."""
        super().reset(problem, seed)
        self._family = None
        if self.evidence is not None:
            model, goals, _ = teammate_goals(problem)
            self._family = Divergence(model, goals, policies=problem.policies, evidence=self.evidence)

    def _divergence(self, teammate: int) -> FloatArray:
        """Return the expected step in which the teammate's actions rule out each goal, ``float64 [n_goals, n_goals]``.

        Entry ``[i, j]`` is for ruling out goal i while the teammate pursues goal j. `teammate` is the index of the
        teammate's state.
        """
        if self._family is None:
            return self.problem.teammate.divergence(teammate)[0]
        return self._family.matrices_at(self._family.model.name(teammate), partial=True)[0]

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return the question with the largest value minus price, or wait if this difference is not above 0.

        Called where no action is optimal for all possible goals.
        """
        goals = np.flatnonzero(possible)
        values = self.question_values(state, possible)
        found = optimise(values, self.optimiser, self.rng)
        asked = tuple(int(goal) for goal in goals[found.asked])
        runner_up = _runner_up(values, found)
        worth = f"expected to save {found.value:.2f} steps for a price of {found.cost:.2f}"
        if found.net > 0:
            return self._decision(goals, asked, found, runner_up, f"Ask about {self.named(asked)}: {worth}.", ask=True)
        why = f"Wait: the best question, about {self.named(asked)}, is {worth}."
        return self._decision(goals, asked, found, runner_up, why, ask=False)

    def question_values(self, state: JointState, possible: BoolArray) -> QuestionValue:
        """Return an object that computes the value of any question about the possible goals.

        Args:
            state: the states of both agents.
            possible: ``bool [n_goals]``, the possible goals.
        """
        goals = np.flatnonzero(possible)
        inside = np.ix_(goals, goals)
        divergence = self._divergence(state.teammate)[inside]
        branching = self.problem.ego.divergence(state.ego)[1][inside]
        price = self.problem.query_cost.among(goals.tolist())
        belief = self.probabilities[goals]
        if not self.problem.answers.truthful:
            belief = belief * self.problem.answers.telling
        return QuestionValue(belief, branching, divergence, price)

    def _decision(
        self,
        goals: Any,
        asked: tuple[int, ...],
        found: BestQuestion,
        runner_up: tuple[BoolArray, float] | None,
        why: str,
        *,
        ask: bool,
    ) -> Decision:
        second = None
        if runner_up is not None:
            second = tuple(int(goal) for goal in goals[runner_up[0]]), runner_up[1]
        return Decision(
            action=None if ask else self.problem.ego.actions.stay,
            ask=asked if ask else None,
            why=why,
            value=found.value,
            cost=found.cost,
            considered=asked,
            runner_up=second,
            verdict=found.verdict,
        )


def _runner_up(values: QuestionValue, found: BestQuestion) -> tuple[BoolArray, float] | None:
    """Return the best of three questions that differ from `found` by one goal, and its value minus price.

    They have the largest values of all such questions. Those about no goal or all goals do not count; the result is
    None if none is left.
    """
    gains = values.flips(found.asked)
    best: tuple[BoolArray, float] | None = None
    for goal in np.argsort(-gains, kind="stable")[:3]:
        other = found.asked.copy()
        other[goal] = not other[goal]
        if other.any() and not other.all():
            net = values.net(other)
            if best is None or net > best[1]:
                best = (other, net)
    return best


class Informed(Agent):
    """An agent that knows the goal and takes any optimal action towards it; other agents are compared with it."""

    name = "informed"
    markov = True

    def set_goal(self, goal: int) -> None:
        """Give the agent the index of the teammate's goal in this episode."""
        self.goal = goal
        certain = np.zeros(len(self.problem.goals))
        certain[goal] = 1.0
        self.certain = read_only(certain)

    @property
    def probabilities(self) -> FloatArray:
        """The agent's belief, ``float64 [n_goals]``: 1 for the true goal, 0 for all others."""
        return self.certain

    def decide(self, observation: Observation) -> Decision:
        """Return an optimal action towards the true goal, a random one if there are several."""
        actions = np.flatnonzero(self.problem.ego.optimal(observation.state.ego)[self.goal])
        action = int(actions[0] if actions.size == 1 else actions[self.rng.integers(actions.size)])
        name = self.problem.ego.actions.names[action]
        why = f"{name}: the goal is known to be {self.problem.goals[self.goal]}."
        situation = Situation(self.problem, observation.state, self.probabilities)
        return Decision(action=action, why=why, situation=situation)
