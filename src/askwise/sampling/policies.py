"""Kinds of policies that can be sampled, and how they act in *lanes*: environments that run side by side.

A policy is one of these:

- a function from an observation to the probabilities of the actions (`Discrete` action spaces);
- a `VectorPolicy`, a faster such function for many observations at once;
- an object with ``log_prob(observation, action)``, a log density for continuous actions, and
  ``sample(observation, rng)``;
- a **recurrent** policy: such an object with ``reset()``, which may remember the episode. Each lane has a copy. Only
  ``log_prob`` may change the memory; it is called once in each step, even if another policy acts;
- a model of Stable-Baselines3 with a stochastic policy (PPO, A2C, SAC), or sb3-contrib's RecurrentPPO.

One unexpected action would rule out a deterministic policy. Make it noisy with `NoisyPolicy` (discrete actions) or
`GaussianPolicy` (continuous actions).

A **follower** lets any policy act in lanes. In every step it returns a `Law`, which draws an action for each lane and
computes the log likelihood of actions.
"""

from __future__ import annotations

import copy
import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium.vector.utils import iterate

from askwise.errors import InputError
from askwise.types import BoolArray, FloatArray

SUM_TOLERANCE = 1e-5
"""Allowed deviation of the sum of probabilities from 1: networks compute in 32 bits."""


# -- kinds of policies -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorPolicy:
    """A policy that computes the probabilities of actions for many observations at once.

    Attributes:
        function: takes stacked observations, ``[n, ...]``, and returns probabilities, ``float [n, n_actions]``.
    """

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class NoisyPolicy:
    """A deterministic policy that takes a random action with a stated probability, for discrete actions.

    Attributes:
        act: takes an observation and returns the index of an action.
        n_actions: number of actions.
        noise: probability of a uniformly random action.
    """

    act: Callable[[Any], Any]
    n_actions: int
    noise: float

    def __post_init__(self) -> None:
        if not 0 < self.noise <= 1:
            raise InputError("noise", self.noise, "a number above 0, at most 1")

    def __call__(self, observation: Any) -> FloatArray:
        """Return the probability of each action, ``float64 [n_actions]``."""
        probabilities = np.full(self.n_actions, self.noise / self.n_actions)
        probabilities[int(self.act(observation))] += 1 - self.noise
        return probabilities


@dataclass(frozen=True)
class GaussianPolicy:
    """A deterministic policy with normally distributed noise, for continuous actions.

    Attributes:
        act: takes an observation and returns an action, an array.
        spread: standard deviation of the noise in each component.
    """

    act: Callable[[Any], Any]
    spread: float

    def __post_init__(self) -> None:
        if not 0 < self.spread < math.inf:
            raise InputError("spread", self.spread, "a finite number above 0")

    def log_prob(self, observation: Any, action: Any) -> float:
        """Return the log density of an action after an observation."""
        away = (np.asarray(action, dtype=np.float64) - self.act(observation)) / self.spread
        return float(-0.5 * np.square(away).sum() - away.size * math.log(self.spread * math.sqrt(2 * math.pi)))

    def sample(self, observation: Any, rng: np.random.Generator) -> Any:
        """Draw an action after an observation."""
        return rng.normal(self.act(observation), self.spread)


# -- laws ------------------------------------------------------------------------------------------------------------


class Law(Protocol):
    """The distribution of the next action in each of `n` environments that run side by side (lanes).

    This is the protocol that `Categorical` (discrete actions) and `NetworkLaw` (other actions) implement.
    """

    def sample(self, uniform: FloatArray) -> Any:
        """Draw an action for each lane (environment) from random numbers between 0 and 1.

        `uniform` is ``float64 [n, width]``, with as many random numbers for each lane as an action has components.
        """

    def log_prob(self, actions: Any) -> FloatArray:
        """Return the log likelihood of one action in each lane (environment), ``float64 [n]``.

        `actions` has one action for each lane, in the order of the lanes.
        """

    def share_of_largest(self, actions: Any) -> FloatArray:
        """Return the probability of each lane's action, divided by that of the lane's likeliest action.

        A lane is one of `n` environments side by side. The result is ``float64 [n]``.
        """


class Categorical:
    """The distribution of the next action in each lane (one of the environments side by side), for discrete actions.

    Args:
        probabilities: ``float64 [n, n_actions]``, the probability of each action in each lane.
        start: the number of the first column's action.
    """

    def __init__(self, probabilities: FloatArray, start: int = 0) -> None:
        self.probabilities, self.start = probabilities, start

    def sample(self, uniform: FloatArray) -> Any:
        """Draw an action for each lane (environment); return the numbers of the actions.

        `uniform` is ``float64 [n, width]``, random numbers between 0 and 1. Only the first number of each lane is used.
        """
        total = np.cumsum(self.probabilities, axis=1)
        drawn = (total <= uniform[:, :1] * total[:, -1:]).sum(axis=1)
        return drawn + self.start

    def log_prob(self, actions: Any) -> FloatArray:
        """Return the log probability of one action in each lane (environment), ``float64 [n]``; -inf if impossible.

        `actions` has one action for each lane, by number.
        """
        with np.errstate(divide="ignore"):
            return np.log(self._of(actions))

    def share_of_largest(self, actions: Any) -> FloatArray:
        """Return the probability of each lane's action, divided by that of the lane's likeliest action.

        A lane is one of `n` environments side by side. The result is ``float64 [n]``.
        """
        return np.asarray(self._of(actions) / self.probabilities.max(axis=1))

    def _of(self, actions: Any) -> FloatArray:
        column = np.asarray(actions, dtype=np.int64).reshape(-1) - self.start
        return np.asarray(self.probabilities[np.arange(column.size), column])


class NetworkLaw:
    """The distribution of the next action in each lane (environment), for a network of Stable-Baselines3.

    It is for actions that are continuous or have several components.

    Args:
        distribution: the distribution object of Stable-Baselines3.
        scaled: the Stable-Baselines3 policy, if it scales its actions to [-1, 1]; otherwise None.
    """

    def __init__(self, distribution: Any, scaled: Any = None) -> None:
        self.distribution, self.scaled = distribution, scaled
        self.torch = importlib.import_module("torch")

    def sample(self, uniform: FloatArray) -> Any:
        """Draw an action for each lane (environment) from random numbers between 0 and 1.

        `uniform` is ``float64 [n, width]``, with one random number for each component of an action.
        """
        inner = self.distribution.distribution
        if isinstance(inner, list):  # one categorical distribution for each component
            parts = [Categorical(_array(part.probs)).sample(uniform[:, k:]) for k, part in enumerate(inner)]
            return np.stack(parts, axis=1)
        if isinstance(inner, self.torch.distributions.Bernoulli):  # MultiBinary: each component is 0 or 1
            return (uniform < _array(inner.probs)).astype(np.int8)
        from scipy.special import ndtri

        mean, spread = _array(inner.mean), _array(inner.stddev)
        drawn = mean + spread * ndtri(np.clip(uniform, 1e-12, 1 - 1e-12))
        return drawn if self.scaled is None else self.scaled.unscale_action(np.tanh(drawn))

    def log_prob(self, actions: Any) -> FloatArray:
        """Return the log density (log probability, for discrete components) of one action in each lane (environment).

        The result is ``float64 [n]``; `actions` has one action for each lane.
        """
        given = actions if self.scaled is None else self.scaled.scale_action(actions)
        inner = self.distribution.distribution
        device = (inner[0] if isinstance(inner, list) else inner).mean.device
        sent = self.torch.as_tensor(np.asarray(given), dtype=self.torch.float32, device=device)
        return _array(self.distribution.log_prob(sent))

    def share_of_largest(self, actions: Any) -> FloatArray:  # noqa: ARG002
        """Raise an `InputError`, because the largest probability exists only for discrete actions."""
        raise InputError("threshold", "actions that are not Discrete", "None: thresholds need probabilities")


@dataclass(frozen=True)
class Lanes:
    """What policies see of the environments that run side by side (lanes) before one step.

    Attributes:
        observations: the batched observations of all lanes.
        space: the batched observation space.
        active: ``bool [n]``, the lanes with an episode under way.
        starting: ``bool [n]``, the lanes with an episode that has just begun.
        generators: a random generator for each lane.
    """

    observations: Any
    space: gymnasium.Space[Any]
    active: BoolArray
    starting: BoolArray
    generators: list[np.random.Generator]

    @cached_property
    def single(self) -> list[Any]:
        """A list with the observation of each lane (environment), for policies that take one observation at a time."""
        return list(iterate(self.space, self.observations))


# -- followers -------------------------------------------------------------------------------------------------------


class Follower(Protocol):
    """A policy of any kind, adapted to act in several environments that run side by side (lanes).

    This is a protocol; `as_follower` makes the follower of a policy.
    """

    def law(self, view: Lanes) -> Law:
        """Return the distribution of the next action in each lane (environment); must be called once for each step.

        `view` has the observations in all lanes before this step.
        """


class _Function:
    def __init__(self, policy: Any, field: str, actions: gymnasium.spaces.Discrete) -> None:
        self.policy, self.field = policy, field
        self.n, self.start = int(actions.n), int(actions.start)

    def law(self, view: Lanes) -> Law:
        if isinstance(self.policy, VectorPolicy):
            found = self.policy.function(view.observations)
            return Categorical(checked_probabilities(found, (view.active.size, self.n), self.field), self.start)
        rows = np.full((view.active.size, self.n), 1 / self.n)
        returned = [self.policy(view.single[lane]) for lane in np.flatnonzero(view.active)]
        try:
            rows[view.active] = checked_probabilities(returned, (len(returned), self.n), self.field)
        except InputError:
            for each in returned:  # the message is about one observation
                checked_probabilities(each, (self.n,), self.field)
            raise
        return Categorical(rows, self.start)


def checked_probabilities(given: Any, shape: tuple[int, ...], field: str) -> FloatArray:
    """Return probabilities as an array; raise an `InputError` unless they have the given shape and sum to 1.

    Args:
        given: what a policy returned.
        shape: the expected shape; the last axis is that of actions.
        field: name of the policy in error messages.
    """
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(field, f"{type(given).__name__} as its result", "probabilities of the actions") from None
    if found.shape != shape:
        hint = "" if found.ndim else "; for a deterministic policy state its noise: NoisyPolicy(act, n_actions, noise)"
        raise InputError(field, f"a result of shape {found.shape}", f"probabilities of shape {shape}{hint}")
    total = found.sum(axis=-1)
    if not (np.isfinite(found).all() and (found >= 0).all() and (abs(total - 1) <= SUM_TOLERANCE).all()):
        raise InputError(field, f"{found.tolist()}", "probabilities from 0 that sum to 1")
    return found


class _Object:
    def __init__(self, policy: Any, field: str, lanes: int) -> None:
        self.field, self.recurrent = field, callable(getattr(policy, "reset", None))
        self.lanes = [copy.deepcopy(policy) for _ in range(lanes)] if self.recurrent else [policy] * lanes

    def law(self, view: Lanes) -> Law:
        if self.recurrent:
            for lane in np.flatnonzero(view.starting):
                self.lanes[lane].reset()
        return _ObjectLaw(self, view)


class _ObjectLaw:
    def __init__(self, follower: _Object, view: Lanes) -> None:
        self.follower, self.view = follower, view

    def sample(self, uniform: FloatArray) -> Any:  # noqa: ARG002 - the policy has its own way to draw
        view = self.view
        drawn: dict[int, Any] = {}
        for lane in np.flatnonzero(view.active).tolist():
            drawn[lane] = self.follower.lanes[lane].sample(view.single[lane], view.generators[lane])
        any_action = next(iter(drawn.values()))
        return np.array([drawn.get(lane, any_action) for lane in range(view.active.size)])

    def log_prob(self, actions: Any) -> FloatArray:
        found = np.zeros(self.view.active.size)
        for lane in np.flatnonzero(self.view.active):
            found[lane] = float(self.follower.lanes[lane].log_prob(self.view.single[lane], actions[lane]))
            if math.isnan(found[lane]) or found[lane] == math.inf:
                raise InputError(self.follower.field, f"the log likelihood {found[lane]}", "a number, or -inf")
        return found

    def share_of_largest(self, actions: Any) -> FloatArray:  # noqa: ARG002
        raise InputError(
            "threshold", f"{self.follower.field}, an object with log_prob", "a function, or threshold None"
        )


class _StableBaselines:
    def __init__(self, model: Any, actions: gymnasium.Space[Any], field: str) -> None:
        self.model, self.actions = model, actions
        self.memory: Any = None
        kind = type(model).__name__
        if model.action_space != actions:
            raise InputError(
                field, f"a model with actions {model.action_space}", f"those of the environment, {actions}"
            )
        if kind == "MaskablePPO":
            raise InputError(field, kind, "a model without action masks, or a function that returns probabilities")
        self.actor = hasattr(getattr(model, "actor", None), "get_action_dist_params")
        if not self.actor and not hasattr(model.policy, "get_distribution"):
            hint = "NoisyPolicy(act, n_actions, noise) or GaussianPolicy(act, spread)"
            raise InputError(field, f"{kind}, a deterministic policy", f"its noise, stated with {hint}")
        self.recurrent = hasattr(model.policy, "lstm_hidden_state_shape")
        self.torch = importlib.import_module("torch")
        model.policy.set_training_mode(False)

    def law(self, view: Lanes) -> Law:
        with self.torch.no_grad():
            seen, _ = self.model.policy.obs_to_tensor(view.observations)
            if self.actor:
                actor = self.model.actor
                mean, log_spread, more = actor.get_action_dist_params(seen)
                return self._network(actor.action_dist.proba_distribution(mean, log_spread, **more))
            found = self._remembering(seen, view) if self.recurrent else self.model.policy.get_distribution(seen)
            if isinstance(self.actions, gymnasium.spaces.Discrete):
                rows = _array(found.distribution.probs)
                return Categorical(rows / rows.sum(axis=1, keepdims=True), int(self.actions.start))
            return self._network(found)

    def _network(self, distribution: Any) -> NetworkLaw:
        return NetworkLaw(distribution, self.model.policy if self.model.policy.squash_output else None)

    def _remembering(self, seen: Any, view: Lanes) -> Any:
        if self.memory is None:
            layers, _, size = self.model.policy.lstm_hidden_state_shape
            shape = layers, view.active.size, size
            self.memory = tuple(self.torch.zeros(*shape, device=seen.device) for _ in range(2))
        starts = self.torch.as_tensor(view.starting, dtype=self.torch.float32, device=seen.device)
        found, self.memory = self.model.policy.get_distribution(seen, self.memory, starts)
        return found


def _array(tensor: Any) -> FloatArray:
    return np.asarray(tensor.double().cpu().numpy())


def as_follower(policy: Any, name: str, actions: gymnasium.Space[Any], lanes: int) -> Follower:
    """Return a follower of a policy: an adapter by which the policy acts in several environments side by side.

    Args:
        policy: the policy; an `InputError` is raised unless this module lists its kind.
        name: name of the goal, for error messages.
        actions: the action space of one environment.
        lanes: number of environments.
    """
    field = f"policy of {name!r}"
    if is_stable_baselines(policy):
        return _StableBaselines(policy, actions, field)
    if callable(getattr(policy, "log_prob", None)):
        if not callable(getattr(policy, "sample", None)):
            raise InputError(
                field, "log_prob without sample", "log_prob(observation, action) and sample(observation, rng)"
            )
        return _Object(policy, field, lanes)
    if not callable(policy) and not isinstance(policy, VectorPolicy):
        expected = "a function, a VectorPolicy, an object with log_prob and sample, or a Stable-Baselines3 model"
        raise InputError(field, type(policy).__name__, expected)
    if not isinstance(actions, gymnasium.spaces.Discrete):
        raise InputError(field, f"a function, for actions {actions}", "an object with log_prob and sample")
    return _Function(policy, field, actions)


def is_stable_baselines(policy: Any) -> bool:
    """Return whether `policy` is a model of Stable-Baselines3 or sb3-contrib, without importing either."""
    made = {kind.__module__.split(".")[0] for kind in type(policy).__mro__}
    return bool(made & {"stable_baselines3", "sb3_contrib"}) and hasattr(policy, "predict")
