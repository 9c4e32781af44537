"""The divergence point, its expectation, worst case and expected case, in the order of the paper.

All four ask when an observer can tell two policies apart. Time counts in steps from 1.

**dp** (Definition 1). ``dp(pi1 | Tr2) = min {t : pi1(s_{t-1}, a_t) = 0}``: the first step of a trajectory `Tr2` that
`pi1` would never take; infinite if `pi1` could have produced the whole trajectory.

**EDP** (Definition 2 and Theorem 1). ``EDP(s, pi1 | pi2)`` is the expected divergence point while `pi2` is followed
from `s`. With ``A'(s)`` the actions that `pi1` may take in `s`, the paper's Bellman update simplifies to

    EDP(s) = 1 + sum over a in A'(s), s' of pi2(s, a) T(s, a, s') EDP(s')

which is one sparse linear system ``V = 1 + Q V``. If `Q` has no cycle, as for policies that get closer to their goal in
every step, one backward pass solves it exactly. If the policies agree forever with positive probability, EDP is
infinite; this is decided on the graph, never by a large number. At the goal of `pi2` the next action is STAY, which
rules out every other goal, so EDP is 1 there. Where `pi2` is undefined (its goal cannot be reached) EDP is ``nan``.
Where only `pi1` is undefined, any action rules it out and EDP is 1.

**WCD**, worst-case distinctiveness: ``wcd(s) = 1 + max over actions that both policies may take of wcd(s')``, 1 if
there is no such action, infinite if the policies can agree forever. It counts the step that tells them apart. Keren et
al. (2014) count only the common prefix, so their WCD is one less.

**ECD**, expected-case distinctiveness (Wayllace et al., 2017), as the paper uses it. The observed agent is not tied to
one goal: in each state an action has the prior mass of the goals for which it is optimal, normalised over the actions.
ECD is the expected number of steps until the agent takes an action that is not optimal for all goals.

EDP, WCD, ECD and the distribution of the divergence point are computed on the same absorbing chain, the *agreement*:
an agent acts, and the chain continues while its actions are allowed, that is, compatible with everything the observer
still considers. They differ in who acts and which actions are allowed.
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
from askwise.model.policy import prior_weights
from askwise.text.table_budget import check_size
from askwise.types import BoolArray, FloatArray, GoalLike, IntArray, Result, StateLike, Verdict

EACH_MOVE, EACH_MOVE_AT_FIRST = 37, 61
"""Bytes for each state and action while a chain is built; the first chain of a model also builds its transitions."""


def as_policy(model: Model, given: Policy | GoalLike) -> Policy:
    """Return a policy on `model`: a given policy with the same probabilities, or the optimal policy of a given goal."""
    return given.on(model) if isinstance(given, Policy) else optimal_policy(model, given)


def optimal_policy(model: Model, goal: GoalLike) -> Policy:
    """Return the UROP (uniformly random optimal policy) of `goal`.

    In stochastic models, where plans cannot be counted, return `uniform_optimal` instead, which chooses uniformly among
    the optimal actions.
    """
    return urop(model, goal) if model.deterministic else uniform_optimal(model, goal)


# -- the chain of agreement ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """A Markov chain over states of a model: an agent acts, and its first action that is not allowed ends the chain.

    Which actions are allowed depends on the use, for example those that another policy might take too.

    Attributes:
        chain: the chain, over `states`.
        states: ``int32 [n]``, indices of the chain's states in the model; the queried state comes first.
        defined: ``bool [n]``, whether the agent has an action in this state and in all that can follow.
        leak: ``float64 [n]``, probability that the next action is not allowed.
    """

    chain: AbsorbingChain
    states: IntArray
    defined: BoolArray
    leak: FloatArray

    def result(self, values: FloatArray, verdict: Verdict, at: StateLike | None) -> Result:
        """Return the value at the queried state, or the values of all states, with their verdict.

        Args:
            values: ``float64 [n]``, one value for each state of the chain.
            verdict: how they were computed.
            at: the queried state; None for all states, ``nan`` where the agent has no action.
        """
        if at is not None:
            return Result(float(values[0]), verdict)
        return Result(np.where(self.defined, values, np.nan), verdict)


def agreement(model: Model, weights: FloatArray, allowed: BoolArray, at: StateLike | None) -> Agreement:
    """Build the Markov chain in which an agent acts until it takes an action that is not allowed.

    Args:
        model: the model of the agent.
        weights: ``float64 [n_states, n_actions]``, probability of each action.
        allowed: ``bool [n_states, n_actions]``, whether the chain continues after the action.
        at: the queried state, for a chain over the states that can be reached from there; None for all states.
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
    """Build the Markov chain in which an agent follows `pi2` until it takes an action that `pi1` never takes.

    Args:
        model: the model of the agent.
        pi1: the policy to be ruled out; a goal stands for its optimal policy.
        pi2: the policy that is followed; a goal stands for its optimal policy.
        at: the queried state, for a chain over the states that can be reached from there; None for all states.

    Raises:
        InputError: `pi2` has no action in `at` or in a state that can follow.
    """
    ruled_out, followed = as_policy(model, pi1), as_policy(model, pi2)
    shared = agreement(model, followed.probabilities, ruled_out.support, at)
    if at is not None and not shared.defined[0]:
        raise InputError(
            "at", model.name(int(shared.states[0])), "a state from which the goal that is pursued can be reached"
        )
    return shared


# -- divergence point, expected and worst case ---------------------------------------------------------------------


def dp(policy: Policy, trajectory: Iterable[tuple[StateLike, Hashable]]) -> float:
    """Return the divergence point: the first step of a trajectory, from 1, that `policy` would never take, or ``inf``.

    Args:
        policy: the policy to be ruled out.
        trajectory: pairs ``(state, action)``, as `askwise.follow` returns them.
    """
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
    """Return the expected divergence point (EDP): the expected step at which `pi1` is ruled out if `pi2` is followed.

    It is ruled out by the agent's first action that `pi1` would never take. The result includes a verdict on its
    accuracy.

    Args:
        model: the model of the observed agent.
        pi1: the policy to be ruled out; a goal stands for its UROP (uniformly random optimal policy).
        pi2: the policy that is followed; a goal stands for its UROP.
        at: one state; by default all states, and the value is ``float64 [n_states]``, ``nan`` where `pi2` is undefined.
        method: ``auto``, ``pass``, ``solve`` or ``sweep``, see `askwise.model.chain.expected_steps`.
        tolerance: relative error at which iterative methods may stop.
        max_iterations: limit on the sweeps of iterative methods; the verdict states the error bound reached.
    """
    shared = agreement_between(model, pi1, pi2, at)
    values, verdict = expected_steps(
        shared.chain,
        method=method,
        tolerance=tolerance,
        max_iterations=max_iterations,
        label=lambda k: model.name(int(shared.states[k])),
    )
    return shared.result(values, verdict, at)


def wcd(model: Model, pi1: Policy | GoalLike, pi2: Policy | GoalLike, at: StateLike | None = None) -> Result:
    """Return the worst-case distinctiveness (WCD): the latest step at which `pi1` is ruled out if `pi2` is followed.

    It is infinite if the two policies may agree forever.

    Args:
        model: the model of the observed agent.
        pi1: the policy to be ruled out; a goal stands for its optimal policy.
        pi2: the policy that is followed; a goal stands for its optimal policy.
        at: one state; by default all states, and the value is ``float64 [n_states]``, ``nan`` where `pi2` is undefined.
    """
    shared = agreement_between(model, pi1, pi2, at)
    return shared.result(longest_path(shared.chain), Verdict("longest common prefix"), at)


# -- expected case -------------------------------------------------------------------------------------------------


def ecd(
    model: Model,
    goals: Sequence[Policy | GoalLike],
    at: StateLike | None = None,
    *,
    prior: Sequence[float] | None = None,
) -> Result:
    """Return the expected-case distinctiveness (ECD): the expected number of steps until an action rules out some goal.

    In each state, the agent takes an action with probability proportional to the prior of the goals for which it is
    optimal.

    Args:
        model: the model of the observed agent.
        goals: at least one goal; a policy may stand for a goal, and only the actions that it may take matter.
        at: one state; by default all states, and the value is ``float64 [n_states]``.
        prior: weights of the goals, by default equal. Goals of weight 0 are ignored.
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
    shared = agreement(model, acting, common, at)
    if at is not None and not shared.defined[0]:
        raise InputError("at", model.name(int(shared.states[0])), "a state from which a goal can be reached")
    return shared.result(*expected_steps(shared.chain), at)
