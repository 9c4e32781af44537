"""Asks the question of the largest expected value, if that is above its cost (paper, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.core.decision import Decision
from askwise.core.problem import JointState
from askwise.errors import InputError, did_you_mean
from askwise.methods.base import BeliefAgent
from askwise.methods.optimisers import OPTIMISERS, Found, optimise
from askwise.methods.question_value import QuestionValue
from askwise.types import BoolArray


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

    def when_torn(self, state: JointState, possible: BoolArray) -> Decision:
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
        found: Found,
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


def _runner_up(values: QuestionValue, found: Found) -> tuple[BoolArray, float] | None:
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
