"""A problem stated plainly: two deterministic models, and the targets of each goal in both.

Every domain can be written like this. A domain whose ego model would be large puts its structure in place of the parts
that need it, and is tested against this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from askwise.divergence import Divergence
from askwise.ego import FAR, EgoMap
from askwise.model import Model, Policy, Pursuit, goal_states, state_names
from askwise.problem import JointState
from askwise.questions import QueryCost
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray


class FactoredProblem:
    """Two models and shared goals; fulfils `askwise.Problem`.

    Args:
        goals: names of the goals.
        prior: probabilities of the goals, ``float64 [n_goals]``, summing to 1.
        teammate_model: the teammate's model.
        teammate_goals: for each goal, the teammate's targets.
        ego_model: the ego agent's model.
        ego_goals: for each goal, the ego agent's targets.
        start: where both begin.
        query_cost: what questions cost.
    """

    def __init__(
        self,
        goals: Sequence[str],
        prior: FloatArray,
        teammate_model: Model,
        teammate_goals: Sequence[GoalLike],
        ego_model: Model,
        ego_goals: Sequence[GoalLike],
        start: JointState,
        query_cost: QueryCost | None = None,
    ) -> None:
        self.goals = tuple(goals)
        self.prior = prior
        self.teammate_model = teammate_model
        self.ego_model = ego_model
        self.start = start
        self.query_cost = query_cost or QueryCost()
        self.teammate_actions = tuple(str(name) for name in teammate_model.actions)
        self.ego_actions = tuple(str(name) for name in ego_model.actions)
        self.wait = ego_model.stay
        self.groups: Mapping[str, tuple[int, ...]] = {}
        self.teammate_policies: tuple[Policy, ...] | None = None
        self.ego_moves = tuple(a for a in range(ego_model.n_actions) if a != self.wait)
        self._teammate_targets = [goal_states(teammate_model, goal).tolist() for goal in teammate_goals]
        self._ego_targets = [goal_states(ego_model, goal).tolist() for goal in ego_goals]
        self._teammate = _pursuit(teammate_model, self._teammate_targets)
        self._ego = _pursuit(ego_model, self._ego_targets)

    @cached_property
    def teammate_divergence(self) -> Divergence:
        """Divergences of the goals in the teammate's model."""
        return _family(self.teammate_model, self._teammate_targets)

    @cached_property
    def ego_divergence(self) -> Divergence:
        """Divergences of the goals in the ego agent's model."""
        return _family(self.ego_model, self._ego_targets)

    def teammate_policy(self, teammate: int) -> FloatArray:
        """See `Problem`."""
        return self._teammate.policy_at(teammate)

    def teammate_optimal(self, teammate: int) -> BoolArray:
        """See `Problem`."""
        return self._teammate.optimal_at(teammate)

    def teammate_targets(self, goal: int) -> IntArray:
        """See `Problem`."""
        return np.array(self._teammate_targets[goal], dtype=np.int32)

    def teammate_steps(self, teammate: int) -> IntArray:
        """See `Problem`."""
        return np.asarray(self._teammate.distance[teammate])

    def teammate_matrices(self, teammate: int) -> tuple[FloatArray, FloatArray]:
        """See `Problem`."""
        return self.teammate_divergence.matrices_at(self.teammate_model.name(teammate))

    def ego_optimal(self, ego: int) -> BoolArray:
        """See `Problem`."""
        return self._ego.optimal_at(ego)

    def ego_steps(self, ego: int) -> IntArray:
        """See `Problem`."""
        return np.asarray(self._ego.distance[ego])

    def ego_map(self) -> EgoMap:
        """See `Problem`; no tools."""
        return self._ego_map

    @cached_property
    def _ego_map(self) -> EgoMap:
        steps = np.where(self._ego.distance < 0, FAR, self._ego.distance).astype(np.int32)
        none = np.full(len(self.goals), -1, dtype=np.int32)
        moves = tuple(range(self.ego_model.n_actions))
        return EgoMap(self.ego_model.successor, moves, steps, steps, none, none)

    def ego_matrices(self, ego: int) -> tuple[FloatArray, FloatArray]:
        """See `Problem`."""
        return self.ego_divergence.matrices_at(self.ego_model.name(ego))

    def teammate_next(self, teammate: int, action: int) -> int:
        """See `Problem`."""
        return int(self.teammate_model.successor[teammate, action])

    def ego_next(self, ego: int, action: int) -> int:
        """See `Problem`."""
        return int(self.ego_model.successor[ego, action])

    def stays(self, action: int) -> bool:
        """See `Problem`."""
        return action == self.teammate_model.stay

    def describe_ego_action(self, action: int) -> str:
        """See `Problem`."""
        return self.ego_actions[action]


def _family(model: Model, targets: Sequence[Sequence[int]]) -> Divergence:
    return Divergence(model, [state_names(model, states) for states in targets])


def _pursuit(model: Model, targets: Sequence[Sequence[int]]) -> Pursuit:
    return Pursuit(model, [np.array(states, dtype=np.int32) for states in targets])
