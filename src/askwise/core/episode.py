"""Records of episodes: what both agents did in each step, what the ego agent believed, and what each step cost."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.core.belief import Observation
from askwise.core.decision import Decision
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer
from askwise.text.wording import printable
from askwise.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of an episode: either both agents act, or the ego agent asks a question and no agent moves.

    Attributes:
        t: number of the step, from 1; questions count.
        state: the states of both agents before the step.
        belief: ``float64 [n_goals]``, the ego agent's probability of each goal before the step; None if it has none.
        decision: the ego agent's action or question.
        teammate_action: index of the teammate's action; None for a question.
        answer: the answer to the question; None for an action.
        cost: 1 for an action, the price for a question.
    """

    t: int
    state: JointState
    belief: FloatArray | None
    decision: Decision
    teammate_action: int | None
    answer: Answer | None
    cost: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        return self._plain() == other._plain() and np.array_equal(self.belief, other.belief)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash(self._plain())

    def _plain(self) -> tuple[object, ...]:
        return self.t, self.state, self.decision, self.teammate_action, self.answer, self.cost


@dataclass(frozen=True, repr=False)
class Episode:
    """A record of one episode: which agents took part, what happened in each step, and what it cost.

    Attributes:
        problem: the problem that was played.
        method: the ego agent's method, such as ``planner``.
        teammate: the kind of teammate, such as ``urop``.
        goal: index of the teammate's goal.
        seed: the random seed; None if it was not an integer.
        steps: the steps in order.
        final: the states of both agents after the last step.
        known_cost: the least possible cost if the ego agent knows the goal.
        finished: whether the agents reached the goal.
    """

    problem: Problem
    method: str
    teammate: str
    goal: int
    seed: int | None
    steps: tuple[Step, ...]
    final: JointState
    known_cost: float
    finished: bool

    def __repr__(self) -> str:
        marginal = f"marginal cost {self.marginal_cost:.6g}" if self.finished else "cut off"
        counts = ((len(self.steps), "step"), (len(self.questions), "question"))
        counted = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts)
        return (
            f"<Episode: {self.method}, goal {printable(self.goal_name)}: cost {self.cost:.6g}, {marginal}, {counted}>"
        )

    @property
    def goal_name(self) -> str:
        """Name of the teammate's goal."""
        return self.problem.goals[self.goal]

    @cached_property
    def cost(self) -> float:
        """Sum of the costs of all steps."""
        return sum(step.cost for step in self.steps)

    @property
    def optimal_cost(self) -> float:
        """The old name of `known_cost`, which is the least cost of an episode with the goal known from the start.

        Reading it issues a `DeprecationWarning`.
        """
        warnings.warn("optimal_cost is now called known_cost", DeprecationWarning, stacklevel=2)
        return self.known_cost

    @property
    def marginal_cost(self) -> float:
        """The cost of this episode minus `known_cost`, which is the least cost with the goal known from the start.

        It is ``nan`` if the episode was cut off before the agents reached the goal.
        """
        return self.cost - self.known_cost if self.finished else math.nan

    @property
    def observations(self) -> tuple[Observation, ...]:
        """The ego agent's observations, one before each step, for the argument `history` of `askwise.ask`."""
        before: list[tuple[int | None, Answer | None]] = [(None, None)]
        # The last entry belongs to the next step; zip drops it.
        before += [(step.teammate_action, step.answer) for step in self.steps]
        return tuple(Observation(step.state, *seen) for step, seen in zip(self.steps, before, strict=False))

    @property
    def questions(self) -> tuple[Step, ...]:
        """The steps in which the ego agent asked a question, in order."""
        return tuple(step for step in self.steps if step.answer is not None)
