"""The chain of agreement: a Markov chain of an agent's steps that ends with the first action that is not allowed.

For the expected divergence point (EDP), the agent follows one policy, and the allowed actions are those that another
policy may take, too. Other choices of allowed actions give other values (`askwise.divergence.edp`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.errors import InputError
from askwise.model import Model, Policy, uniform_optimal, urop
from askwise.model.chain import AbsorbingChain
from askwise.model.graph import breadth_first
from askwise.text.reading import check_size
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray, Result, StateLike, Verdict

EACH_MOVE, EACH_MOVE_AT_FIRST = 37, 61
"""Bytes for each state and action while a chain is built; the first chain of a model also builds its transitions."""


def as_policy(model: Model, given: Policy | GoalLike) -> Policy:
    """Return a policy for `model`: `given` itself if it is a policy, or the optimal policy of the goal `given`."""
    return given.on(model) if isinstance(given, Policy) else optimal_policy(model, given)


def optimal_policy(model: Model, goal: GoalLike) -> Policy:
    """Return the UROP (uniformly random optimal policy) of `goal`, which draws one of all shortest plans uniformly.

    In stochastic models, plans cannot be counted. Then the result is `uniform_optimal`, which chooses uniformly among
    the optimal actions of each state.
    """
    return urop(model, goal) if model.deterministic else uniform_optimal(model, goal)


@dataclass(frozen=True)
class Agreement:
    """A Markov chain of an agent's steps that ends with the agent's first action that is not allowed.

    The allowed actions are usually those that another policy may take. Then the expected number of steps is the
    expected divergence point of the two policies.

    Attributes:
        chain: the chain; its state k is the model's state ``states[k]``.
        states: ``int32 [n]``, states of the model, the start first if there is one.
        defined: ``bool [n]``, whether the agent has an action here and in all states that can follow.
        leak: ``float64 [n]``, probability that the next action is not allowed.
    """

    chain: AbsorbingChain
    states: IntArray
    defined: BoolArray
    leak: FloatArray

    def result(self, values: FloatArray, verdict: Verdict, at: StateLike | None) -> Result:
        """Return the value at one state, or the values of all states, as a `Result` with the given verdict.

        Args:
            values: ``float64 [n]``, value of each state of the chain.
            verdict: the method and the accuracy.
            at: the start of the chain, whose value is returned. None for all states, with ``nan`` where the agent has
                no action.
        """
        if at is not None:
            return Result(float(values[0]), verdict)
        return Result(np.where(self.defined, values, np.nan), verdict)


def agreement(model: Model, weights: FloatArray, allowed: BoolArray, at: StateLike | None) -> Agreement:
    """Return the Markov chain in which an agent acts until it takes an action that is not allowed.

    Args:
        model: the model of the agent.
        weights: ``float64 [n_states, n_actions]``, probability of each action.
        allowed: ``bool [n_states, n_actions]``, whether the chain continues after the action.
        at: the start of the chain; None for a chain over all states.
    """
    entries = model.n_states * model.n_actions
    each = EACH_MOVE if "transitions" in vars(model) else EACH_MOVE_AT_FIRST
    check_size(each * entries, "chain", f"{model.n_states} states and {model.n_actions} actions")
    possible = weights > 0
    idle = ~np.asarray(possible.any(axis=1))
    ends = possible & ~allowed
    # States without any action have no value. Treating them as leaks keeps them from looking like traps.
    chain = AbsorbingChain(model.mix(np.where(allowed, weights, 0.0)), np.asarray(ends.any(axis=1) | idle))
    defined = ~idle
    if idle.any():
        defined = breadth_first(np.flatnonzero(idle), chain.reverse.indptr, chain.reverse.indices)[0] < 0
    leak = np.where(ends, weights, 0.0).sum(axis=1)
    if at is None:
        states = np.arange(model.n_states, dtype=np.int32)
    else:
        states = chain.reachable_from(model.state(at, "at"))
        chain = chain.restricted_to(states)
    return Agreement(chain, states, defined[states], leak[states])


def agreement_between(model: Model, pi1: Policy | GoalLike, pi2: Policy | GoalLike, at: StateLike | None) -> Agreement:
    """Return the Markov chain in which an agent follows `pi2` until it takes an action that `pi1` never takes.

    Args:
        model: the model of the agent.
        pi1: policy, or goal, to be ruled out.
        pi2: policy, or goal, that is followed.
        at: the start of the chain; None for all states.

    Raises:
        InputError: `pi2` has no action at `at` or in a state that can follow.
    """
    ruled_out, followed = as_policy(model, pi1), as_policy(model, pi2)
    shared = agreement(model, followed.probabilities, ruled_out.support, at)
    if at is not None and not shared.defined[0]:
        raise InputError(
            "at", model.name(int(shared.states[0])), "a state from which the goal that is pursued can be reached"
        )
    return shared
