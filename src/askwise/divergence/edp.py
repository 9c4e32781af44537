"""Where a policy is expected, a goal may stand for its policy.

The chain of agreement: somebody acts, and an observer waits for an action that is not allowed.

``weights[s, a]`` is the probability of doing `a` in `s`; ``allowed[s, a]`` says that `a` keeps the observer in
doubt. The chain goes on with the allowed actions and leaks with the others. Expected divergence point, worst
case and expected case distinctiveness and the distribution of the divergence point are all questions about
such a chain; they differ in who acts and in what is allowed.

The divergence point of one trajectory (paper, Definition 1).

``dp(pi1 | Tr2) = min {t : pi1(s_{t-1}, a_t) = 0}``: the first step that `pi1` would never take. Time counts from
1; the divergence point is infinite if the whole trajectory is one that `pi1` could have produced.

The expected divergence point (paper, Definition 2 and Theorem 1).

``EDP(s, pi1 | pi2)``: follow `pi2` from `s` and wait until `pi1` is ruled out; how many steps does that take on
average? With ``A'(s)`` the actions that `pi1` may take in `s`, the paper's Bellman update simplifies to

    EDP(s) = 1 + sum over a in A'(s), s' of pi2(s, a) T(s, a, s') EDP(s')

one sparse linear system ``V = 1 + Q V``. Where `Q` has no cycle, as for policies that get closer to their goal
in every step, one backward pass solves it exactly. Where the policies agree for ever with positive
probability, EDP is infinite, which is decided on the graph and never by a large number.

At the goal of `pi2` the next action is STAY, which rules out every other goal: EDP is 1 there. Where `pi2` is
undefined (its goal cannot be reached) EDP is ``nan``; where only `pi1` is, any action rules it out: 1.

Worst case distinctiveness: how long two policies can look alike at most.

``wcd(s) = 1 + max over actions that both may take of wcd(s')``, 1 if there is none; infinite if they can agree
for ever. It counts the step that tells them apart. Keren et al. (2014) count the common prefix only, so their
WCD is one less.

Expected case distinctiveness (Wayllace et al., 2017), as the paper uses it.

The observed agent is not tied to one goal: in each state an action weighs the prior mass of the goals for
which it is optimal, normalised over the actions. ECD is the expected number of steps until it takes an action
that is not optimal for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from askwise.errors import InputError
from askwise.model import Model, Policy, uniform_optimal, urop
from askwise.model.chain import AbsorbingChain, expected_steps, longest_path
from askwise.model.graph import breadth_first
from askwise.model.policy import as_numbers
from askwise.text.table_budget import claim
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray, Result, StateLike, Verdict


def as_policy(model: Model, given: Policy | GoalLike) -> Policy:
    """Return `given` over `model`; a goal stands for the teammate's best guess of how it will be pursued.

    That is its UROP, or, in stochastic models, where plans cannot be counted, `uniform_optimal`.
    """
    if isinstance(given, Policy):
        return given.on(model)
    return optimal_policy(model, given)


def optimal_policy(model: Model, goal: GoalLike) -> Policy:
    """Return the UROP of `goal`, or `uniform_optimal` in stochastic models."""
    return urop(model, goal) if model.deterministic else uniform_optimal(model, goal)


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


def dp(policy: Policy, trajectory: Iterable[tuple[StateLike, Hashable]]) -> float:
    """Return the first step of ``[(state, action), ...]`` that has probability 0 under `policy`, or ``inf``."""
    model = policy.model
    for t, (state, action) in enumerate(trajectory, start=1):
        s = model.state(state, f"state of step {t}")
        if not policy.support[s, model.action_in(s, action, f"action of step {t}")]:
            return t
    return math.inf


def edp(
    model: Model,
    pi1: Policy | GoalLike,
    pi2: Policy | GoalLike,
    at: StateLike | None = None,
    *,
    method: str = "auto",
    tolerance: float = 1e-9,
    max_iterations: int = 1_000_000,
) -> Result:
    """Return ``EDP(s, pi1 | pi2)`` for the state `at`, or for all states, with its verdict.

    Args:
        model: the model of the agent that is watched.
        pi1: the policy to be ruled out (or a goal, which stands for its UROP).
        pi2: the policy that is followed (likewise).
        at: one state; by default all, and the value is ``float64 [n_states]``.
        method: ``auto``, ``pass``, ``solve`` or ``sweep``, as in `askwise.model.chain.expected_steps`.
        tolerance: relative error at which iterative methods may stop.
        max_iterations: steps after which iterative methods stop anyway; the verdict says what was proven.
    """
    ruled_out, followed = as_policy(model, pi1), as_policy(model, pi2)
    doubt = doubt_between(model, ruled_out, followed, at)
    values, verdict = expected_steps(
        doubt.chain,
        method=method,
        tolerance=tolerance,
        max_iterations=max_iterations,
        label=lambda k: model.name(int(doubt.states[k])),
    )
    return as_result(doubt, values, verdict, at)


def as_result(doubt: Agreement, values: FloatArray, verdict: Verdict, at: StateLike | None) -> Result:
    """Return the value at the first state, or all of them with ``nan`` where the actor is undefined."""
    if at is not None:
        return Result(float(values[0]), verdict)
    return Result(np.where(doubt.defined, values, np.nan), verdict)


def wcd(model: Model, pi1: Policy | GoalLike, pi2: Policy | GoalLike, at: StateLike | None = None) -> Result:
    """Return the largest step at which plans of the two policies can first differ, at one state or at all."""
    one, other = as_policy(model, pi1), as_policy(model, pi2)
    doubt = doubt_between(model, one, other, at)
    return as_result(doubt, longest_path(doubt.chain), Verdict("longest common prefix"), at)


SMALLEST = 1e-300


def ecd(
    model: Model,
    goals: Sequence[Policy | GoalLike],
    at: StateLike | None = None,
    *,
    prior: Sequence[float] | None = None,
) -> Result:
    """Return the expected case distinctiveness of `goals` at one state or at all, with its verdict.

    Args:
        model: the model of the agent that is watched.
        goals: goals (or policies, of which only the support matters), at least one.
        at: one state; by default all.
        prior: weights of the goals, by default equal. Goals of weight 0 are not considered.
    """
    if len(goals) == 0:
        raise InputError("goals", "an empty list", "at least one goal")
    weights = prior_weights(prior, len(goals))
    mass = np.zeros((model.n_states, model.n_actions))
    common = np.ones((model.n_states, model.n_actions), dtype=bool)
    for weight, goal in zip(weights, goals, strict=True):
        if weight > 0:
            support = as_policy(model, goal).support
            mass += weight * support
            common &= support
    total = mass.sum(axis=1, keepdims=True)
    acting = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    doubt = agreement(model, acting, common, at)
    if at is not None and not doubt.defined[0]:
        raise InputError("at", model.name(int(doubt.states[0])), "a state from which a goal can be reached")
    values, verdict = expected_steps(doubt.chain)
    return as_result(doubt, values, verdict, at)


def prior_weights(prior: Sequence[float] | None, n_goals: int) -> FloatArray:
    """Return the prior, ``float64 [n_goals]``, normalised; uniform by default."""
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
    """Return weights, not all 0, as probabilities; neither huge nor tiny ones make a possible goal impossible."""
    scaled = weights / weights.max()  # first, so that the sum cannot overflow
    np.maximum(scaled, SMALLEST, out=scaled, where=weights > 0)
    return np.asarray(scaled / scaled.sum())
