"""A decision, and what it was made on: the gate, and the zones of the pairs of goals that matter.

The **gate** is what every method follows: it asks only if more than one goal is possible and no action is optimal for
all of them. Behind it are the zones of pairs of goals (see `askwise.divergence.zones`). Of all pairs of possible goals,
those matter most between which the ego agent is expected to be torn longest, weighted by how likely they are:
``P(g) |[B, E(g' | g)]| + P(g') |[B, E(g | g')]|``, with `B` the step at which its plans for the two must branch and `E`
the teammate's expected divergence point. The value of a question adds up these lengths, without their overlaps.

Gate and pairs are computed when they are first looked at: agents decide many times, and few decisions are looked at.

The gate before every question: ask only if no action is right for all goals that are still possible.

In an open grid this says that some pair of possible goals has the current step in its zone of querying.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.core.problem import JointState, Problem, credible_goals
from askwise.core.questions import Question
from askwise.divergence import Zone
from askwise.divergence.zones import ROUNDING
from askwise.frozen import read_only
from askwise.types import BoolArray, FloatArray

LARGEST = 2_000_000
"""Cells times goals up to which the zones of a whole episode are shown: beyond, each step takes noticeable time."""
MOST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class Decision:
    """An ontic action, or a question about some goals, and why.

    Attributes:
        action: the ontic action, None for a question.
        ask: the goals to ask about, or a choice among groups of them; None for an action.
        why: one sentence.
        value: what the question (asked, or considered and not asked) is expected to save, before its cost.
        cost: what that question costs.
        considered: the question that was considered, the one asked included.
        runner_up: the best other question that the method knows of, with its net value.
        verdict: how sure the method is that it found its best question.
        situation: the moment at which it was decided, from which `gate` and `pairs` are worked out at first use. Not
            part of what was decided: decisions are compared without it.
    """

    action: int | None = None
    ask: Question | None = None
    why: str = ""
    value: float | None = None
    cost: float | None = None
    considered: Question | None = None
    runner_up: tuple[Question, float] | None = None
    verdict: str = ""
    situation: Situation | None = field(default=None, compare=False, repr=False)

    @property
    def gate(self) -> Gate | None:
        """Whether a question could be asked at all, None if the agent shows no belief."""
        return None if self.situation is None else self.situation.gate

    @property
    def pairs(self) -> tuple[PairZones, ...]:
        """The zones of the pairs of goals that mattered most, the heaviest first."""
        return () if self.situation is None else self.situation.pairs

    def made_at(self, situation: Situation) -> Decision:
        """Return the same decision, knowing the moment at which it was made."""
        # Spelt out, because it happens at every step: `dataclasses.replace` takes twice as long.
        return Decision(
            self.action,
            self.ask,
            self.why,
            self.value,
            self.cost,
            self.considered,
            self.runner_up,
            self.verdict,
            situation,
        )

    @property
    def net(self) -> float | None:
        """Value of the question less its cost."""
        return None if self.value is None or self.cost is None else self.value - self.cost


# -- the gate ------------------------------------------------------------------------------------------------------


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


# -- pairs of goals --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairZones:
    """Two goals, by number, and when they can be told apart, in steps counted from the present one, which is 1.

    Attributes:
        first: one goal.
        second: the other.
        informed: the last step of Z_I, the teammate's WCD.
        branching: the first step of Z_B, the ego agent's WCD.
        expected: the last step of eZ_I if the first goal is the true one, and if the second is: the teammate's EDP.
        weight: for how many steps the ego agent is expected to be torn between the two, times how likely they are.
    """

    first: int
    second: int
    informed: float
    branching: float
    expected: tuple[float, float]
    weight: float

    @property
    def information(self) -> Zone:
        """Z_I: watching may not have told them apart yet."""
        return Zone(1, self.informed)

    @property
    def parting(self) -> Zone:
        """Z_B: the ego agent has to do different things for the two."""
        return Zone(self.branching, np.inf)

    @property
    def querying(self) -> Zone:
        """Z_Q: a question may pay."""
        return self.information & self.parting

    @property
    def now(self) -> bool:
        """Whether the present step lies in Z_Q."""
        return 1 in self.querying

    @property
    def expected_querying(self) -> tuple[Zone, Zone]:
        """When a question is expected to pay, if the first goal is the true one, and if the second is.

        These are the intervals that the value of a question counts: eZ_I of the teammate with Z_B of the ego agent.
        """
        one, other = (Zone(1, end) & self.parting for end in self.expected)
        return one, other


def heaviest_pairs(
    problem: Problem, state: JointState, belief: FloatArray, most: int = MOST_PAIRS
) -> tuple[PairZones, ...]:
    """Return the pairs that weigh most; among equals those that branch first, then the likelier.

    Args:
        problem: what is played.
        state: where everybody is.
        belief: ``float64 [n_goals]``; pairs of goals with a positive probability are looked at.
        most: how many pairs to return.
    """
    possible = np.flatnonzero(credible_goals(problem, belief))
    if possible.size < 2:
        return ()  # nothing to tell apart, and nothing is worked out
    first, second = (possible[k] for k in np.triu_indices(possible.size, 1))
    edp, wcd = problem.teammate.divergence(state.teammate)
    branching = problem.ego.divergence(state.ego)[1][first, second]
    expected = edp[second, first], edp[first, second]
    torn = [belief[goal] * _length(branching, end) for goal, end in zip((first, second), expected, strict=True)]
    weight = torn[0] + torn[1]
    order = np.lexsort((second, first, -(belief[first] + belief[second]), branching, -weight))[:most]
    return tuple(
        PairZones(
            first=int(first[k]),
            second=int(second[k]),
            informed=float(wcd[first[k], second[k]]),
            branching=float(branching[k]),
            expected=(float(expected[0][k]), float(expected[1][k])),
            weight=float(weight[k]),
        )
        for k in order
    )


def _length(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the lengths of many zones, as `Zone.length` does for one."""
    held = (start <= end + ROUNDING) & np.isfinite(start)
    begin = np.where(held, start, 0.0)
    return np.where(held, np.maximum(end, begin) - begin + 1, 0.0)


def common_actions(optimal: BoolArray, possible: BoolArray) -> Any:
    """Return the actions that are optimal for every possible goal; if there is none, the gate is open.

    Args:
        optimal: ``bool [n_goals, n_actions]``.
        possible: ``bool [n_goals]``.
    """
    common = np.empty(optimal.shape[1], dtype=np.int64)
    return common[: _common(optimal, possible, common)]


@compiled(work=lambda given: given.optimal.size)
def _common(optimal: Any, possible: Any, common: Any) -> int:
    """Write the actions that are right for all; return how many there are."""
    n_goals, n_actions = optimal.shape
    filled = 0
    for a in range(n_actions):
        shared = True
        for goal in range(n_goals):
            if possible[goal] and not optimal[goal, a]:
                shared = False
                break
        if shared:
            common[filled] = a
            filled += 1
    return filled


@compiled(work=lambda given: given.optimal.size)
def some_out_of_reach(optimal: Any, possible: Any) -> bool:
    """Whether some possible goal has no optimal action: the agent cannot reach it."""
    n_goals, n_actions = optimal.shape
    for goal in range(n_goals):
        if possible[goal]:
            reached = False
            for a in range(n_actions):
                if optimal[goal, a]:
                    reached = True
                    break
            if not reached:
                return True
    return False
