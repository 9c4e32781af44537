"""Policies: for each state of a model, a probability for each action."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.frozen import Sealed, read_only
from askwise.model.model import PROBABILITY_TOLERANCE, Model
from askwise.types import BoolArray, FloatArray, StateLike

SMALLEST = 1e-300
"""Smallest normalised weight of something possible, so that rounding never makes it impossible."""


class Policy(Sealed):
    """A policy: the probability of each action in each state of a model.

    Args:
        model: the model.
        probabilities: ``float64 [n_states, n_actions]``, rows that sum to 1, positive for available actions only.
        partial: whether to allow rows of zeros, where the policy is undefined.
    """

    def __init__(self, model: Model, probabilities: Any, *, partial: bool = False) -> None:
        self.model = model
        self.probabilities = _checked(model, probabilities, partial)
        self.partial = partial

    @classmethod
    def from_trajectories(
        cls,
        model: Model,
        trajectories: Iterable[Iterable[tuple[StateLike, Hashable]]],
        *,
        smoothing: float = 1.0,
        base: Policy | None = None,
    ) -> Policy:
        """Estimate a policy from recorded trajectories by counting the actions in each state.

        If action ``a`` was taken ``k`` times in ``n`` visits of a state, its probability in this state is
        ``(k + smoothing * b) / (n + smoothing)``, where ``b`` is the probability of ``a`` in the policy `base`.

        Args:
            model: the model of the recorded agent.
            trajectories: lists of pairs ``(state, action)``, as from `follow`.
            smoothing: weight of `base` in observations; with 0 the policy is undefined in unvisited states.
            base: the policy assumed without observations; None for one that takes all available actions equally often.
        """
        if isinstance(smoothing, bool) or not isinstance(smoothing, int | float) or not 0 <= smoothing < np.inf:
            raise InputError("smoothing", repr(smoothing), "a finite number from 0")
        counts = np.zeros((model.n_states, model.n_actions))
        for k, trajectory in enumerate(trajectories):
            for t, step in enumerate(trajectory, start=1):
                s, a = _recorded(model, step, f"trajectory {k}, step {t}")
                counts[s, a] += 1
        before = _uniform(model) if base is None else base.on(model).probabilities
        weighed = counts + smoothing * before
        total = weighed.sum(axis=1, keepdims=True)
        return cls(model, np.divide(weighed, total, out=np.zeros_like(weighed), where=total > 0), partial=True)

    @cached_property
    def support(self) -> BoolArray:
        """The actions with positive probability, ``bool [n_states, n_actions]``."""
        return read_only(self.probabilities > 0)

    @cached_property
    def defined(self) -> BoolArray:
        """Whether the policy is defined in each state, that is, takes some action there, ``bool [n_states]``."""
        return read_only(np.asarray(self.support.any(axis=1)))

    def soften(self, epsilon: float) -> Policy:
        """Return a policy that takes a random action with probability `epsilon`, and otherwise follows this policy.

        The random action is drawn uniformly from the available ones. States in which this policy is undefined stay
        undefined.
        """
        if not 0 <= epsilon <= 1:
            raise InputError("epsilon", epsilon, "a number from 0 to 1")
        mixed = (1 - epsilon) * self.probabilities + epsilon * _uniform(self.model)
        mixed[~self.defined] = 0.0
        return Policy(self.model, mixed, partial=self.partial)

    def on(self, model: Model) -> Policy:
        """Return a policy with the same probabilities for another model that has the same states and actions.

        For example, a policy of a grid works on its slippery version, `GridWorld.slippery`.
        """
        return self if model is self.model else Policy(model, self.probabilities, partial=self.partial)

    def at(self, state: StateLike) -> dict[Hashable, float]:
        """Return the probabilities of the actions in `state` by name, without actions of probability 0."""
        s = self.model.state(state)
        row = self.probabilities[s]
        return {self.model.action_name(s, int(a)): float(row[a]) for a in np.flatnonzero(row)}

    def __repr__(self) -> str:
        return f"<Policy: {int(self.defined.sum())} of {self.model.n_states} states defined>"


def follow(model: Model, start: StateLike, actions: Iterable[Hashable]) -> list[tuple[Hashable, Hashable]]:
    """Return the trajectory ``[(state, action), ...]`` of taking `actions` from `start` in a deterministic model.

    The trajectory consists of names. An action that is not available raises an `InputError`.
    """
    s = model.state(start, "start")
    trajectory = []
    for k, action in enumerate(actions, start=1):
        a = model.action_in(s, action, f"action {k}")
        trajectory.append((model.name(s), model.action_name(s, a)))
        if model.successor[s, a] < 0:
            raise InputError(f"action {k}", repr(action), f"an action available in state {model.name(s)!r}")
        s = int(model.successor[s, a])
    return trajectory


def _uniform(model: Model) -> FloatArray:
    """Return the probabilities of choosing uniformly among the available actions, ``float64 [n_states, n_actions]``."""
    available = model.available
    return np.asarray(available / available.sum(axis=1, keepdims=True))


def _recorded(model: Model, step: Any, field: str) -> tuple[int, int]:
    """Return the indices of a recorded state and action; raise an `InputError` if the action is not available there.

    `step` is a pair ``(state, action)``, by name or index. `field` is the name of the input in error messages.
    """
    if isinstance(step, str) or not isinstance(step, Sequence) or len(step) != 2:
        raise InputError(field, repr(step), "a state and the action done there")
    s = model.state(step[0], f"{field}: state")
    a = model.action_in(s, step[1], f"{field}: action")
    if not model.available[s, a]:
        raise InputError(f"{field}: action", repr(step[1]), f"an action available in state {model.name(s)!r}")
    return s, a


def _checked(model: Model, probabilities: Any, partial: bool) -> FloatArray:
    table: FloatArray = probabilities if _is_final(probabilities) else as_numbers(probabilities, "policy")
    shape = (model.n_states, model.n_actions)
    if table.shape != shape:
        raise InputError("policy", f"a table of shape {table.shape}", f"{shape}, one row for each state")
    wrong = ~(np.isfinite(table) & (table >= 0))
    if wrong.any():
        s, a = (int(k) for k in np.argwhere(wrong)[0])
        raise InputError(_entry(model, s, a), float(table[s, a]), "a number from 0 to 1")
    wrong = (table > 0) & ~model.available
    if wrong.any():
        s, a = (int(k) for k in np.argwhere(wrong)[0])
        raise InputError(_entry(model, s, a), float(table[s, a]), "0, because the action is not available there")
    total = table.sum(axis=1)
    wrong_rows = np.abs(total - 1) > PROBABILITY_TOLERANCE
    if partial:
        wrong_rows &= total > 0
    if wrong_rows.any():
        s = int(np.flatnonzero(wrong_rows)[0])
        raise InputError(
            f"policy in state {model.name(s)!r}",
            f"probabilities that sum to {total[s]:.12g}",
            f"1 (within {PROBABILITY_TOLERANCE:g})",
        )
    return read_only(table)


def _is_final(given: Any) -> bool:
    """Return whether `given` can be kept without a copy: a read-only float64 array that owns its data."""
    owned = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.flags.owndata
    return owned and not given.flags.writeable


def _entry(model: Model, s: int, a: int) -> str:
    return f"policy in state {model.name(s)!r}, action {_called(model, s, a)!r}"


def _called(model: Model, s: int, a: int) -> Hashable:
    """Return the name of action `a` in state `s`, both given by index, for an error message.

    In a model with labels, an action that is not available is called by its column, such as ``action 2``.
    """
    return model.action_name(s, a) if model.available[s, a] else model.actions[a]


# -- weights and probabilities --------------------------------------------------------------------------------------


def as_numbers(given: Any, field: str) -> FloatArray:
    """Return a copy of `given` as a float64 array; raise an `InputError` about `field` if that is impossible."""
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(field, "no array of numbers", "numbers, rows of equal length") from None


def prior_weights(prior: Sequence[float] | None, n_goals: int) -> FloatArray:
    """Return the prior weights of goals, scaled to sum to 1, ``float64 [n_goals]``.

    If `prior` is None, all weights are equal. Raises an `InputError` for invalid weights.
    """
    if prior is None:
        return np.full(n_goals, 1 / n_goals)
    weights = as_numbers(prior, "prior")
    if weights.shape != (n_goals,):
        raise InputError("prior", f"{weights.size} weights", f"{n_goals}, one for each goal")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise InputError(f"prior of goal {wrong[0]}", float(weights[wrong[0]]), "a finite number from 0")
    if weights.max() == 0:
        raise InputError("prior", "weights that are all 0", "at least one weight above 0")
    return normalised(weights)


def normalised(weights: FloatArray) -> FloatArray:
    """Return `weights` scaled so that their sum is 1.

    The weights must be nonnegative, and at least one positive. In the result, all positive weights are still positive.
    """
    scaled = weights / weights.max()  # first, so that the sum cannot overflow
    np.maximum(scaled, SMALLEST, out=scaled, where=weights > 0)
    return np.asarray(scaled / scaled.sum())
