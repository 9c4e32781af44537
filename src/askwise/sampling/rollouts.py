"""Runs of one goal's policy in an environment, and the steps at which the runs rule out the policies of other goals.

Runs take place in *lanes*: environments side by side. Each run has its own seed, so results do not depend on the number
of lanes (except in vector environments that take one seed for all lanes).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from askwise.errors import InputError
from askwise.sampling.policies import Follower, Lanes, as_follower
from askwise.types import BoolArray, FloatArray, IntArray

LANES = 32
"""Number of environments side by side, if a function that makes them is given."""
BLOCK = 32
"""Steps for which random numbers are drawn at a time."""


class FromHere(gymnasium.Env[Any, Any]):
    """An environment whose episodes all begin in the current state of another environment.

    Args:
        env: the other environment, in the middle of an episode. It must allow ``copy.deepcopy``; it is not changed.
        observation: the last observation that `env` returned.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], observation: Any) -> None:
        self.saved, self.observation = copy.deepcopy(env), copy.deepcopy(observation)
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self.metadata = env.metadata
        self.now = self.saved

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Go back to the saved state; return its observation, and an empty dict as information.

        With a seed, the random events after the saved state are drawn anew. Without a seed, every episode has the same
        random events.
        """
        super().reset(seed=seed, options=options)
        self.now = copy.deepcopy(self.saved)
        if seed is not None:
            self.now.unwrapped.np_random = np.random.default_rng(seed)
        return copy.deepcopy(self.observation), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step in the copy of the environment, and return what its ``step`` returns."""
        return self.now.step(action)


@contextmanager
def opened(env: Any, lanes: int = LANES) -> Iterator[VectorEnv[Any, Any, Any]]:
    """Provide `env` as a vector environment in a ``with`` block; close it afterwards if this function made it.

    Args:
        env: an environment, a vector environment, a registered name, or a function that makes an environment.
        lanes: number of environments to make from a name or a function.
    """
    if isinstance(env, VectorEnv):
        yield env
    elif isinstance(env, gymnasium.Env):
        yield _side_by_side([lambda: env])
    elif isinstance(env, str) or callable(env):
        make: Callable[[], Any] = (lambda: _registered(env)) if isinstance(env, str) else env
        made = _side_by_side([make] * lanes)
        try:
            yield made
        finally:
            made.close()
    else:
        expected = "a Gymnasium environment, a vector environment, a name, or a function that makes an environment"
        raise InputError("env", type(env).__name__, expected)


def _registered(name: str) -> gymnasium.Env[Any, Any]:
    try:
        return gymnasium.make(name)
    except gymnasium.error.Error as error:  # it is unknown, or a package is missing
        hint = "; MiniGrid comes with pip install '.[rl]' in askwise's folder" if name.startswith("MiniGrid") else ""
        raise InputError("env", repr(name), f"an environment that Gymnasium can make ({error}){hint}") from None


def _side_by_side(makers: list[Callable[[], Any]]) -> VectorEnv[Any, Any, Any]:
    # Observations are copied, because policies with a memory may keep them.
    return SyncVectorEnv(makers, copy=True, autoreset_mode=AutoresetMode.DISABLED)


class Uniforms:
    """Random numbers between 0 and 1 for each lane (environment), drawn by the lane's generator for many steps at once.

    Args:
        lanes: number of lanes.
        width: how many numbers each step needs.
    """

    def __init__(self, lanes: int, width: int) -> None:
        self.block = np.zeros((lanes, BLOCK, width))

    def at(self, step: IntArray, active: BoolArray, generators: list[np.random.Generator]) -> FloatArray:
        """Return the random numbers for one step in each lane (environment), ``float64 [lanes, width]``.

        Args:
            step: ``int64 [lanes]``, the step of each lane, from 0.
            active: ``bool [lanes]``, the lanes in which an episode runs; others get numbers without meaning.
            generators: the random generator of each lane.
        """
        place = step % BLOCK
        for lane in np.flatnonzero(active & (place == 0)):
            self.block[lane] = generators[lane].random(self.block.shape[1:])
        return np.asarray(self.block[np.arange(step.size), place])


class Rollouts:
    """Runs episodes with the policy of one goal, and finds out when each other goal's policy is ruled out.

    Args:
        envs: the environments.
        policies: all policies by goal.
        truth: the goal whose policy is followed.
        limit: a policy is ruled out once the log likelihood ratio of the followed policy to it reaches this limit.
        horizon: largest number of steps of a run.
        end_tells: whether the end of an episode (`terminated`) reveals the goal.
        threshold: if given, replaces `limit`: an action rules out a policy if it is less than `threshold` times as
            likely as the policy's likeliest action.
    """

    def __init__(
        self,
        envs: VectorEnv[Any, Any, Any],
        policies: dict[str, Any],
        truth: str,
        *,
        limit: float,
        horizon: int,
        end_tells: bool,
        threshold: float | None,
    ) -> None:
        self.envs, self.limit, self.horizon = envs, limit, horizon
        self.end_tells, self.threshold = end_tells, threshold
        self.actions = envs.single_action_space
        makes = {name: as_follower(each, name, self.actions, envs.num_envs) for name, each in policies.items()}
        self.truth: Follower = makes.pop(truth)
        self.field = f"policy of {truth!r}"
        self.others: list[Follower] = list(makes.values())
        # Vector environments written as one program take one seed for all lanes, and need not allow partial resets.
        self.separate = isinstance(envs.unwrapped, SyncVectorEnv | AsyncVectorEnv)
        self.refillable = self.separate and envs.metadata.get("autoreset_mode") == AutoresetMode.DISABLED

    def run(
        self, runs: int, rng: np.random.Generator, finished: Callable[[int], None] = lambda _: None
    ) -> tuple[IntArray, BoolArray]:
        """Run episodes, and return at which step each run ruled out each other policy, and whether it did.

        Args:
            runs: number of runs.
            rng: source of random numbers.
            finished: called with the number of runs just ended.

        Returns:
            The step, or the run's last step (``int32 [runs, n_others]``), and whether the policy was ruled out
            (``bool [runs, n_others]``).
        """
        table = _Table(runs, len(self.others))
        seeding, own = rng.spawn(2)
        self.uniforms = Uniforms(self.envs.num_envs, max(1, int(np.prod(self.actions.shape or (1,)))))
        self.seeds = seeding.integers(0, 2**31, size=runs).tolist()
        self.own = own.integers(0, 2**63, size=runs)
        self.next = 0
        lanes = self.envs.num_envs
        run, step = np.full(lanes, -1), np.zeros(lanes, dtype=np.int64)
        evidence, open_ = np.zeros((lanes, len(self.others))), np.zeros((lanes, len(self.others)), dtype=np.bool_)
        ended = np.ones(lanes, dtype=np.bool_)
        self.generators = [np.random.default_rng(0)] * lanes
        observations: Any = None
        while self.next < runs or (run >= 0).any():
            idle = run < 0
            fresh = idle & (ended | (self.next < runs)) if self.refillable else np.full(lanes, bool(idle.all()))
            if fresh.any():
                observations = self._begin(fresh, run, runs)
                step[fresh], evidence[fresh], open_[fresh], ended[fresh] = 0, 0.0, True, False
            active = run >= 0
            view = Lanes(observations, self.envs.observation_space, active, fresh & active, self.generators)
            actions = self._compare(view, step, evidence, open_)
            observations, _, terminated, truncated, _ = self.envs.step(actions)
            step += 1
            ended |= terminated | truncated
            told = active & terminated & self.end_tells
            ruled_out = (self.passed | told[:, None]) & open_ & active[:, None]
            table.note(run, step, ruled_out)
            open_ &= ~ruled_out
            over = active & (~open_.any(axis=1) | terminated | truncated | (step >= self.horizon))
            table.censor(run, step, open_ & over[:, None])
            run[over] = -1
            if over.any():
                finished(int(over.sum()))
        return table.steps, table.diverged

    def _begin(self, fresh: BoolArray, run: Any, runs: int) -> Any:
        """Start the next runs in the lanes (environments) marked in `fresh`; return the observations of all lanes.

        Args:
            fresh: ``bool [lanes]``, the lanes in which a run may start.
            run: ``int64 [lanes]``, the index of each lane's run, negative for none; changed here.
            runs: number of runs in total.
        """
        seeds: list[int | None] = [None] * fresh.size
        for lane in np.flatnonzero(fresh):
            if self.next < runs:
                run[lane], seeds[lane] = self.next, self.seeds[self.next]
                self.generators[lane] = np.random.default_rng(self.own[self.next])
                self.next += 1
        if not self.separate:
            return self.envs.reset(seed=next(seed for seed in seeds if seed is not None))[0]
        options: dict[str, Any] | None = {"reset_mask": fresh.copy()} if self.refillable else None
        return self.envs.reset(seed=seeds, options=options)[0]  # type: ignore[arg-type]

    def _compare(self, view: Lanes, step: Any, evidence: FloatArray, open_: BoolArray) -> Any:
        """Draw and return an action in each lane (environment); find out which policies it rules out.

        `step` is ``int64 [lanes]``. `evidence`, ``float64 [lanes, n_others]``, has the log likelihood ratios and is
        updated. `open_`, ``bool [lanes, n_others]``, marks policies not ruled out before. Those that
        `self.passed`, set here, marks as well are ruled out now.
        """
        law = self.truth.law(view)
        actions = law.sample(self.uniforms.at(step, view.active, view.generators))
        self.passed = np.zeros(open_.shape, dtype=np.bool_)
        own = law.log_prob(actions)
        if (own[view.active] == -np.inf).any():
            raise InputError(self.field, "log_prob -inf for an action that it drew itself", "a finite number")
        for k, other in enumerate(self.others):
            theirs = other.law(view)
            if self.threshold is not None:
                self.passed[:, k] = theirs.share_of_largest(actions) < self.threshold
            else:
                here = open_[:, k] & view.active
                likelihood = theirs.log_prob(actions)
                evidence[here, k] += own[here] - likelihood[here]
                self.passed[:, k] = evidence[:, k] >= self.limit
        if isinstance(self.actions, gymnasium.spaces.Box):
            return np.clip(actions, self.actions.low, self.actions.high).astype(self.actions.dtype)
        return actions


class _Table:
    """The result of `Rollouts.run`: the steps at which runs ruled out other policies.

    Attributes:
        steps: ``int32 [runs, others]``, the step, or the last step of the run if it did not rule out the policy.
        diverged: ``bool [runs, others]``, whether the run ruled out the policy.
    """

    def __init__(self, runs: int, others: int) -> None:
        self.steps = np.zeros((runs, others), dtype=np.int32)
        self.diverged = np.zeros((runs, others), dtype=np.bool_)

    def note(self, run: Any, step: Any, which: BoolArray) -> None:
        lane, other = np.nonzero(which)
        self.steps[run[lane], other] = step[lane]
        self.diverged[run[lane], other] = True

    def censor(self, run: Any, step: Any, which: BoolArray) -> None:
        lane, other = np.nonzero(which)
        self.steps[run[lane], other] = step[lane]
