"""What the rest of askwise needs to know about a domain: all that agents, beliefs and simulations ever see.

A problem is two models and a shared list of goals. The teammate moves in one model, the ego agent in the other, and
neither gets in the other's way. Each goal names targets in both models; the episode ends with the first step in which
the teammate, already at a target, stays there and the ego agent is at one of its own targets when the step is over.
Each joint step costs 1. A question costs what `QueryCost` says instead, and nobody moves in it.

States, actions and goals are integers here; `goals`, `teammate_actions` and `ego_actions` give their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from askwise.model import Model
from askwise.types import BoolArray, FloatArray, IntArray

STEP_COST = 1.0
"""What a joint step costs that is not a question."""


@dataclass(frozen=True, slots=True)
class JointState:
    """Where the two agents are: a state of the teammate's model and one of the ego agent's."""

    teammate: int
    ego: int


@dataclass(frozen=True, slots=True)
class QueryCost:
    """What a question costs: ``base + per_goal * number of goals in it``."""

    base: float = 0.5
    per_goal: float = 0.0

    def __call__(self, asked: Sequence[int] | int) -> float:
        """Return the cost of asking about these goals (or this many)."""
        return self.base + self.per_goal * (asked if isinstance(asked, int) else len(asked))


FAR = 10**6
"""Steps to what cannot be reached, in an `EgoMap`: finite, so that expectations stay numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class EgoMap:
    """The ego agent's model by its structure: a position, and at most one tool in hand.

    A goal may need a tool; without it in hand the way leads past the place where the tool lies. Where there are no
    tools the position is the whole state. ``ego = position * states_per_position + tool + 1``, or ``ego = position``.

    Attributes:
        next: ``int32 [n_positions, n_moves]``, the next position, -1 where the move is not available.
        moves: the ego action of each column of `next`, waiting included.
        bare: ``int32 [n_positions, n_goals]``, steps to the goal without its tool in hand, `FAR` if there is no way.
        held: the same with its tool in hand.
        pickups: ``int32 [n_goals]``, the action that picks up the goal's tool, -1 if it has none.
        pickup_at: ``int32 [n_goals]``, the position where that can be done, -1 if it has no tool.
        states_per_position: 1 where there are no tools, else one more than goals.
    """

    next: IntArray
    moves: tuple[int, ...]
    bare: IntArray
    held: IntArray
    pickups: IntArray
    pickup_at: IntArray
    states_per_position: int = 1

    def split(self, ego: int) -> tuple[int, int]:
        """Return position and tool in hand (-1: none) of a state of the ego agent's model."""
        if self.states_per_position == 1:
            return ego, -1
        position, tool = divmod(ego, self.states_per_position)
        return position, tool - 1


@runtime_checkable
class Problem(Protocol):
    """A domain as agents see it. Matrices are ``[n_goals, n_goals]``, ``inf`` on the diagonal."""

    @property
    def goals(self) -> tuple[str, ...]:
        """Names of the goals."""

    @property
    def prior(self) -> FloatArray:
        """``float64 [n_goals]``: probability of each goal at the start."""

    @property
    def query_cost(self) -> QueryCost:
        """What questions cost."""

    @property
    def start(self) -> JointState:
        """Where both agents begin."""

    @property
    def teammate_model(self) -> Model:
        """The model the teammate moves in; its STAY is what the teammate does at its goal."""

    @property
    def teammate_actions(self) -> tuple[str, ...]:
        """Names of everything the teammate can be seen doing, the actions of its model first."""

    @property
    def ego_actions(self) -> tuple[str, ...]:
        """Names of the ego agent's ontic actions."""

    @property
    def ego_moves(self) -> tuple[int, ...]:
        """The ego actions that lead towards goals: those that the rule of `BL:Toolbox` compares."""

    @property
    def wait(self) -> int:
        """The ego action that does nothing."""

    def teammate_policy(self, teammate: int) -> FloatArray:
        """``float64 [n_goals, n_teammate_actions]``: what the UROP of each goal does here; its support is optimal."""

    def teammate_optimal(self, teammate: int) -> BoolArray:
        """``bool [n_goals, n_teammate_actions]``: the support of `teammate_policy`, much cheaper on large maps."""

    def teammate_targets(self, goal: int) -> IntArray:
        """Return the states of the teammate's model in which `goal` is reached."""

    def teammate_steps(self, teammate: int) -> IntArray:
        """``int [n_goals]``: the teammate's steps to each goal."""

    def teammate_matrices(self, teammate: int) -> tuple[FloatArray, FloatArray]:
        """EDP and WCD of the teammate: ``edp[i, j]`` says when goal `i` is ruled out while `j` is pursued."""

    def ego_optimal(self, ego: int) -> BoolArray:
        """``bool [n_goals, n_ego_actions]``: the actions that some optimal plan for the goal starts with."""

    def ego_steps(self, ego: int) -> IntArray:
        """``int [n_goals]``: the ego agent's steps to its own target for each goal."""

    def ego_map(self) -> EgoMap:
        """Return the ego agent's model as arrays, for planning."""

    def ego_matrices(self, ego: int) -> tuple[FloatArray, FloatArray]:
        """EDP and WCD of the ego agent; the WCD is the step at which its plans must branch."""

    def teammate_next(self, teammate: int, action: int) -> int:
        """Return the teammate's next state, -1 if the action is not available."""

    def ego_next(self, ego: int, action: int) -> int:
        """Return the ego agent's next state, -1 if the action is not available."""

    def stays(self, action: int) -> bool:
        """Whether this teammate action is the one it does at its goal."""

    def describe_ego_action(self, action: int) -> str:
        """Return an ego action in words."""


def optimal_costs(problem: Problem, state: JointState) -> FloatArray:
    """``float64 [n_goals]``: cost from `state` if the goal were known.

    The teammate needs its steps and one more to stay; the ego agent may arrive during that last one.
    """
    steps = np.maximum(problem.teammate_steps(state.teammate) + 1, problem.ego_steps(state.ego))
    return steps.astype(np.float64)


def is_finished(problem: Problem, before: JointState, action: int, after: JointState, goal: int) -> bool:
    """Whether the step from `before` to `after`, in which the teammate did `action`, ends the episode."""
    return bool(
        problem.stays(action)
        and problem.teammate_steps(before.teammate)[goal] == 0
        and problem.ego_steps(after.ego)[goal] == 0
    )
