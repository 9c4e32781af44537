"""What a decision was made on: the gate, and the zones of the pairs of goals that matter.

The **gate** is what every method goes by: it asks only if more than one goal is possible and no action is optimal for
all of them. What lies behind it are the zones of pairs of goals (`askwise.agents.pairs`).

Both are worked out when somebody looks at them, from the moment at which the decision was made: agents decide many
times, and few decisions are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.agents.pairs import PairZones, heaviest_pairs
from askwise.frozen import read_only
from askwise.problem import JointState, Problem, credible_goals
from askwise.types import FloatArray

LARGEST = 2_000_000
"""Cells times goals up to which the zones of a whole episode are shown: beyond, each step takes noticeable time."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a question may be asked at all.

    Attributes:
        possible: how many goals are possible.
        common: the ego actions that are optimal for all of them.
        suits: for how many of them each ego action is optimal, as pairs of an action and a number above 0.
    """

    possible: int
    common: tuple[int, ...]
    suits: tuple[tuple[int, int], ...]

    @property
    def open(self) -> bool:
        """Whether there is something to ask about: several goals, and no action that is optimal for all."""
        return self.possible > 1 and not self.common


class Situation:
    """The moment of a decision.

    Args:
        problem: what is played.
        state: where everybody is.
        belief: ``float64 [n_goals]``, what the agent believes; copied if it could be changed afterwards.
        gate: the gate there, if it is known already.
        pairs: the pairs that matter there, if they are known already.
    """

    __slots__ = ("_gate", "_pairs", "belief", "problem", "state")

    def __init__(
        self,
        problem: Problem,
        state: JointState,
        belief: FloatArray,
        *,
        gate: Gate | None = None,
        pairs: tuple[PairZones, ...] | None = None,
    ) -> None:
        self.problem = problem
        self.state = state
        self.belief = read_only(belief.copy()) if belief.flags.writeable else belief
        self._gate = gate
        self._pairs = pairs

    @property
    def gate(self) -> Gate:
        """The gate."""
        if self._gate is None:
            self._gate = gate_at(self.problem, self.state, self.belief)
        return self._gate

    @property
    def pairs(self) -> tuple[PairZones, ...]:
        """The pairs of possible goals that matter most, the heaviest first; empty if one goal is left."""
        if self._pairs is None:
            self._pairs = heaviest_pairs(self.problem, self.state, self.belief)
        return self._pairs

    @property
    def affordable(self) -> bool:
        """Whether the pairs of a whole episode can be worked out in reasonable time, or are known already."""
        return self._pairs is not None or affordable(self.problem)


def gate_at(problem: Problem, state: JointState, belief: FloatArray) -> Gate:
    """Return the gate at a state, for the goals that have to be reckoned with."""
    optimal = problem.ego.optimal(state.ego)[credible_goals(problem, belief)]
    suits = optimal.sum(axis=0)
    return Gate(
        possible=len(optimal),
        common=tuple(np.flatnonzero(suits == len(optimal)).tolist()),
        suits=tuple((int(action), int(suits[action])) for action in np.flatnonzero(suits)),
    )


def affordable(problem: Problem) -> bool:
    """Whether the zones of a whole episode can be worked out in reasonable time."""
    return problem.teammate.model.n_states * len(problem.goals) <= LARGEST
