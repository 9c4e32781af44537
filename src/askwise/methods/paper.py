"""Never asks: acts where one action is right for every possible goal, otherwise waits and watches.

Asks about a random half of the possible goals whenever it does not know what to do.

Asks which way to go: about the goals for which one move is optimal, a set of medium size.

Asks so that the choice right now gets as clear as possible for its price: an exact 0/1 program.

Asks the question of the largest expected value, if that is above its cost (paper, Algorithm 1).

Knows the goal from the start: the yardstick for everybody else.

Its marginal cost is exactly 0 beside a teammate that takes shortest ways. Beside any other it is what the teammate's
own detours cost, which no question can save.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.core.decision import Decision, Situation
from askwise.core.problem import JointState
from askwise.errors import InputError, did_you_mean
from askwise.frozen import read_only
from askwise.methods.base import Agent, BeliefAgent, Observation
from askwise.methods.cost_prob_program import best_cut
from askwise.methods.optimisers import OPTIMISERS, BestQuestion, optimise
from askwise.methods.question_value import QuestionValue
from askwise.types import BoolArray, FloatArray


class Never(BeliefAgent):
    """The paper's `Never Query`."""

    name = "never"
    markov = True

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:  # noqa: ARG002
        """See `BeliefAgent`."""
        return self.wait(
            f"Wait: {np.count_nonzero(possible)} goals are possible and no action is optimal for all of them."
        )


class Baseline(BeliefAgent):
    """The paper's `Baseline` (Mirsky et al., 2020)."""

    name = "baseline"
    markov = True

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:  # noqa: ARG002
        """See `BeliefAgent`."""
        return self.ask_random_half(possible)

    def ask_random_half(self, possible: BoolArray) -> Decision:
        """Ask about a random half, rounded down."""
        goals = np.flatnonzero(possible)
        half = self.rng.choice(goals, size=goals.size // 2, replace=False)
        return self.ask(
            half, f"Ask about a random half of the {goals.size} possible goals: {self.named(sorted(half))}."
        )


class Toolbox(Baseline):
    """The paper's `BL:Toolbox`.

    For each move that is available, take the possible goals for which it is optimal, sort these sets by size and ask
    about the upper median; of two, about the smaller. (So it is in the paper's grid, where the moves of a corner that
    lead off the map count as empty sets.) Where that set is empty or everything, wait; where no move is optimal for any
    possible goal (all of them begin by something else right here), ask about a random half.
    """

    name = "toolbox"

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        moves = [move for move in self.problem.ego.actions.moves if self.problem.ego.next(state.ego, move) >= 0]
        optimal = self.problem.ego.optimal(state.ego)[:, moves] & possible[:, None]
        sizes = optimal.sum(axis=0)
        if not sizes.any():
            return self.ask_random_half(possible)
        median = np.argsort(sizes, kind="stable")[0 if len(moves) == 2 else len(moves) // 2]
        name = self.problem.ego.actions.names[moves[median]]
        if sizes[median] in (0, possible.sum()):
            return self.wait(f"Wait: {name}, the move of medium use, is optimal for {_goals(sizes[median])}.")
        goals = np.flatnonzero(optimal[:, median])
        return self.ask(goals, f"Ask about the {_goals(goals.size)} for which {name} is optimal.")


def _goals(number: int) -> str:
    return "1 possible goal" if number == 1 else f"{number} possible goals"


class CostProb(BeliefAgent):
    """The paper's `BL:Cost+Prob`: a cut through the pairs of goals that branch now, weighted by their probabilities.

    Where answers can be wrong or missing, the weights are scaled as in `Ezq`.
    """

    name = "cost-prob"
    markov = True

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        goals = np.flatnonzero(possible)
        optimal = self.problem.ego.optimal(state.ego)[goals].astype(np.float32)
        # Two goals branch now if no action is optimal for both: a product counts those that are.
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
        decision = self.ask(asked, f"Ask about {self.named(asked)}: the best cut through what to do now ({verdict}).")
        return Decision(
            ask=decision.ask, considered=decision.ask, cost=decision.cost, why=decision.why, verdict=verdict
        )


class Ezq(BeliefAgent):
    """The paper's `eZ_Q Query`.

    The value of a question is that of being sure of its answer. Where answers can be wrong or missing, that takes
    several, and each is worth its part (`AnswerModel.telling`), among the goals that are still credible.

    Args:
        optimiser: ``genetic`` as in the paper, ``local``, ``exact`` or ``auto``.
        belief: as of every `BeliefAgent`.
    """

    markov = True

    def __init__(self, *, optimiser: str = "genetic", belief: str = "elimination") -> None:
        super().__init__(belief=belief)
        if optimiser not in OPTIMISERS:
            allowed = "one of " + ", ".join(map(repr, OPTIMISERS))
            raise InputError("optimiser", repr(optimiser), allowed + did_you_mean(str(optimiser), OPTIMISERS))
        self.optimiser = optimiser
        self.name = "ezq" if optimiser == "genetic" else f"ezq-{optimiser}"

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        goals = np.flatnonzero(possible)
        values = self.question_values(state, possible)
        found = optimise(values, self.optimiser, self.rng)
        asked = tuple(int(goal) for goal in goals[found.asked])
        runner_up = _runner_up(values, found)
        worth = f"expected to save {found.value:.2f} for a price of {found.cost:.2f}"
        if found.net > 0:
            return self._decision(goals, asked, found, runner_up, f"Ask about {self.named(asked)}: {worth}.", ask=True)
        why = f"Wait: the best question, about {self.named(asked)}, is {worth}."
        return self._decision(goals, asked, found, runner_up, why, ask=False)

    def question_values(self, state: JointState, possible: BoolArray) -> QuestionValue:
        """Return the values of all questions about the possible goals."""
        goals = np.flatnonzero(possible)
        inside = np.ix_(goals, goals)
        divergence = self.problem.teammate.divergence(state.teammate)[0][inside]
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
    """Return the best question that differs from the one found by a single goal, and its net value."""
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
    """Takes any optimal action towards the goal it was told."""

    name = "informed"
    markov = True

    def set_goal(self, goal: int) -> None:
        """Be told the goal."""
        self.goal = goal
        certain = np.zeros(len(self.problem.goals))
        certain[goal] = 1.0
        self.certain = read_only(certain)

    @property
    def probabilities(self) -> FloatArray:
        """See `Agent`."""
        return self.certain

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        actions = np.flatnonzero(self.problem.ego.optimal(observation.state.ego)[self.goal])
        action = int(actions[0] if actions.size == 1 else actions[self.rng.integers(actions.size)])
        name = self.problem.ego.actions.names[action]
        why = f"{name}: the goal is known to be {self.problem.goals[self.goal]}."
        situation = Situation(self.problem, observation.state, self.probabilities)
        return Decision(action=action, why=why, situation=situation)
