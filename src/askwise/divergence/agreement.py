"""The chain of agreement: somebody acts, and an observer waits for an action that is not allowed.

``weights[s, a]`` is the probability of doing `a` in `s`; ``allowed[s, a]`` says that `a` keeps the observer in
doubt. The chain goes on with the allowed actions and leaks with the others. Expected divergence point, worst
case and expected case distinctiveness and the distribution of the divergence point are all questions about
such a chain; they differ in who acts and in what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.errors import InputError
from askwise.model import Model, Policy
from askwise.model.chain import AbsorbingChain
from askwise.model.graph import breadth_first
from askwise.text.table_budget import claim
from askwise.types import BoolArray, FloatArray, IntArray, StateLike

EACH_MOVE, EACH_MOVE_AT_FIRST = 37, 61
"""Bytes for each state and action while a chain is made, and while the first one of a model is."""


@dataclass(frozen=True)
class Agreement:
    """An absorbing chain over some states of a model.

    Attributes:
        chain: the chain, over ``states``.
        states: ``int32 [n]``, their indices in the model; the state asked about comes first.
        defined: ``bool [n]``, where the actor always has something to do, now and later.
        leak: ``float64 [n]``, probability of an action that ends the doubt.
    """

    chain: AbsorbingChain
    states: IntArray
    defined: BoolArray
    leak: FloatArray


def agreement(model: Model, weights: FloatArray, allowed: BoolArray, at: StateLike | None) -> Agreement:
    """Build the chain over all states or, with `at`, over the states that can be reached from there."""
    entries = model.n_states * model.n_actions
    each = EACH_MOVE if "transitions" in vars(model) else EACH_MOVE_AT_FIRST
    claim(each * entries, "chain", f"{model.n_states} states and {model.n_actions} actions")
    possible = weights > 0
    idle = ~np.asarray(possible.any(axis=1))
    ends = possible & ~allowed
    # Where the actor has nothing to do there is no answer; calling it a leak keeps it from looking like a trap.
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


def doubt_between(model: Model, ruled_out: Policy, followed: Policy, at: StateLike | None) -> Agreement:
    """Build the chain in which `followed` acts until `ruled_out` would never have; refuse where it is undefined."""
    doubt = agreement(model, followed.probabilities, ruled_out.support, at)
    if at is not None and not doubt.defined[0]:
        raise InputError(
            "at", model.name(int(doubt.states[0])), "a state from which the goal that is pursued can be reached"
        )
    return doubt
