"""Decisions, and the situations in which they are made, with the reasons for asking or not asking.

The **gate** for questions is open if several goals are possible, and no action is optimal for all of them. All methods
ask only if the gate is open, except `planner`, `planner-light` and `optimal`, which compare costs.

Two goals `g` and `h` matter if the ego agent is expected to be undecided between them for many steps. At step `B`, it
first needs different actions for them. At step ``E(h | g)``, the teammate's actions are expected to rule out `h` if `g`
is true. Let ``steps(B, E)`` be the number of steps from `B` to `E`. Then the expected number of undecided steps is
``P(g) steps(B, E(h | g)) + P(h) steps(B, E(g | h))``. The value of a question adds up the steps of several pairs of
goals, each step once.
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
"""Limit on states times goals for the zones of a whole episode; above it, each step takes noticeable time."""
MOST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the ego agent, to take an action or to ask a question about the goals, with the reason for it.

    Attributes:
        action: index of the action; None if the decision is to ask.
        ask: the question; None if the decision is to act.
        why: the reason, one sentence.
        value: expected steps that the answer to `considered` saves, before its price; None if unknown.
        cost: price of `considered`; None if there is none.
        considered: the best question found, asked or not; None if the method compared none.
        runner_up: the second best question, and its value minus its price; None if unknown.
        verdict: how certain it is that no question is better, such as "proven optimal".
        situation: problem, states and belief at the decision; None if the agent has no belief.
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
        """The gate at this decision: whether several goals were possible and no action was optimal for all of them.

        None if the agent has no belief. A method usually asks only if the gate is open.
        """
        return None if self.situation is None else self.situation.gate

    @property
    def pairs(self) -> tuple[PairZones, ...]:
        """At most 5 pairs of goals between which the ego agent is likely to be undecided longest, the longest first.

        Empty for an agent without a belief.
        """
        return () if self.situation is None else self.situation.pairs

    def made_at(self, situation: Situation) -> Decision:
        """Return a copy of the decision with its situation: problem, states and belief when the decision was made."""
        # Called at every step; `dataclasses.replace` takes twice as long.
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
        """Value of the question in `considered` minus its price; None if value or price is unknown."""
        return None if self.value is None or self.cost is None else self.value - self.cost


# -- the gate ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate for questions: it is open if several goals are possible and no ego action is optimal for all of them.

    Most methods ask only if the gate is open.

    Attributes:
        possible: number of goals that are probable enough (`credible_goals`), here called possible.
        common: indices of the ego actions that are optimal for all possible goals.
        suits: for each ego action that is optimal for some possible goals, its index and the number of these goals.
    """

    possible: int
    common: tuple[int, ...]
    suits: tuple[tuple[int, int], ...]

    @property
    def open(self) -> bool:
        """Whether the gate is open: several goals are possible and no action is optimal for all of them."""
        return self.possible > 1 and not self.common


class Situation:
    """The situation in which a decision is made: problem, states and belief.

    Args:
        problem: the problem.
        state: the states of both agents.
        belief: ``float64 [n_goals]``, the probability of each goal.
        gate: the gate for questions; None to compute it when needed.
        pairs: pairs of goals (`heaviest_pairs`); None to compute them when needed.
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
        """The gate in this situation: whether several goals are possible and no action is optimal for all of them.

        It is computed when it is first read.
        """
        if self._gate is None:
            self._gate = gate_at(self.problem, self.state, self.belief)
        return self._gate

    @property
    def pairs(self) -> tuple[PairZones, ...]:
        """At most 5 pairs of goals between which the ego agent is likely to be undecided longest, the longest first.

        They are computed when first read.
        """
        if self._pairs is None:
            self._pairs = heaviest_pairs(self.problem, self.state, self.belief)
        return self._pairs

    @property
    def affordable(self) -> bool:
        """Whether reading `pairs` takes little computing time; prices of questions play no part here.

        True if the pairs have been computed already, or if the problem is small enough to compute them at every step of
        an episode.
        """
        return self._pairs is not None or affordable(self.problem)


def gate_at(problem: Problem, state: JointState, belief: FloatArray) -> Gate:
    """Return the gate in a situation: whether several goals are possible and no action is optimal for all of them.

    Args:
        problem: the problem.
        state: the states of both agents.
        belief: ``float64 [n_goals]``, the probability of each goal.
    """
    optimal = problem.ego.optimal(state.ego)[credible_goals(problem, belief)]
    suits = optimal.sum(axis=0)
    return Gate(
        possible=len(optimal),
        common=tuple(np.flatnonzero(suits == len(optimal)).tolist()),
        suits=tuple((int(action), int(suits[action])) for action in np.flatnonzero(suits)),
    )


def common_actions(optimal: BoolArray, possible: BoolArray) -> Any:
    """Return the indices of the actions that are optimal for every possible goal, ``int64 [k]``, in increasing order.

    `optimal` has the optimal actions of each goal, ``bool [n_goals, n_actions]``; `possible` has the possible goals,
    ``bool [n_goals]``.
    """
    common = np.empty(optimal.shape[1], dtype=np.int64)
    return common[: _common(optimal, possible, common)]


@compiled(work=lambda given: given.optimal.size)
def _common(optimal: Any, possible: Any, common: Any) -> int:
    """Write the indices of the actions that are optimal for all possible goals into `common`; return their number.

    `optimal` is ``bool [n_goals, n_actions]``, `possible` is ``bool [n_goals]``, and `common` is ``int64 [n_actions]``.
    """
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
    """Return whether some possible goal has no optimal action, that is, cannot be reached.

    Args:
        optimal: ``bool [n_goals, n_actions]``, the optimal actions of each goal in the agent's state.
        possible: ``bool [n_goals]``, the possible goals.
    """
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


def affordable(problem: Problem) -> bool:
    """Return whether a problem is small enough to compute `Situation.pairs` at every step of an episode.

    The number of the teammate's states, times the number of goals, must be at most 2 million (`LARGEST`).
    """
    return problem.teammate.model.n_states * len(problem.goals) <= LARGEST


# -- pairs of goals --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairZones:
    """The zones of two goals: the intervals of steps in which a question that tells the two goals apart may be useful.

    Steps are counted from now; the current step is 1. A step that never comes is ``inf``.

    Attributes:
        first: index of one goal.
        second: index of the other goal.
        informed: the latest step by which the teammate's actions tell the goals apart (the teammate's WCD).
        branching: the first step in which the ego agent needs different actions for the goals (the ego agent's WCD).
        expected: the steps (EDP) at which the teammate's actions are expected to rule out `second` if `first` is true,
            and `first` if `second` is true.
        weight: expected number of steps in which the ego agent is undecided, weighted by the goals' probabilities.
    """

    first: int
    second: int
    informed: float
    branching: float
    expected: tuple[float, float]
    weight: float

    @property
    def information(self) -> Zone:
        """The zone of information (Z_I): the steps in which observation may not have told the goals apart yet.

        It ends with the step `informed`, by which the teammate's actions have told the two goals apart for certain.
        """
        return Zone(1, self.informed)

    @property
    def parting(self) -> Zone:
        """The zone of branching (Z_B): the steps in which the ego agent may need different actions for the two goals.

        It begins with the step `branching` and never ends.
        """
        return Zone(self.branching, np.inf)

    @property
    def querying(self) -> Zone:
        """The zone of querying (Z_Q): the steps in which a question may be worth its price.

        The ego agent may need different actions for the two goals, and the teammate's actions may not have told the
        goals apart.
        """
        return self.information & self.parting

    @property
    def now(self) -> bool:
        """Whether the current step lies in the zone of querying, where a question may be worth its price."""
        return 1 in self.querying

    @property
    def expected_querying(self) -> tuple[Zone, Zone]:
        """Two zones of steps in which the ego agent is likely undecided: if `first` is true, and if `second` is true.

        They begin when the ego agent's plans branch, and end when the teammate's actions are expected to rule out the
        wrong goal.
        """
        one, other = (Zone(1, end) & self.parting for end in self.expected)
        return one, other


def heaviest_pairs(
    problem: Problem, state: JointState, belief: FloatArray, most: int = MOST_PAIRS
) -> tuple[PairZones, ...]:
    """Return the pairs of goals between which the ego agent is expected to be undecided longest, the longest first.

    Pairs with equal `PairZones.weight` are sorted by `PairZones.branching`, the earliest first, then by probability,
    the likeliest first. With fewer than two possible goals, the result is empty.

    Args:
        problem: the problem.
        state: the states of both agents.
        belief: ``float64 [n_goals]``, the probability of each goal.
        most: largest number of pairs.
    """
    possible = np.flatnonzero(credible_goals(problem, belief))
    if possible.size < 2:
        return ()
    first, second = (possible[k] for k in np.triu_indices(possible.size, 1))
    edp, wcd = problem.teammate.divergence(state.teammate)
    branching = problem.ego.divergence(state.ego)[1][first, second]
    expected = edp[second, first], edp[first, second]
    undecided = [belief[goal] * _length(branching, end) for goal, end in zip((first, second), expected, strict=True)]
    weight = undecided[0] + undecided[1]
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
    """Return the number of steps in each of n zones, ``float64 [n]``, 0 for an empty zone.

    `start` and `end` have the first and the last step of each zone, ``float64 [n]``. An infinite `start` makes a zone
    empty.
    """
    held = (start <= end + ROUNDING) & np.isfinite(start)
    begin = np.where(held, start, 0.0)
    return np.where(held, np.maximum(end, begin) - begin + 1, 0.0)
