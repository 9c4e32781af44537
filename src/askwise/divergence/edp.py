"""The divergence point, its expectation, worst case, expected case and distribution, in the order of the paper.

These values say when an observer can tell two policies apart. Time counts in steps from 1.

**dp** (Definition 1). ``dp(pi1 | Tr2) = min {t : pi1(s_{t-1}, a_t) = 0}``: the first step of a trajectory `Tr2` that
`pi1` would never take, infinite if there is none.

**EDP** (Definition 2 and Theorem 1). ``EDP(s, pi1 | pi2)`` is the expected divergence point while `pi2` is followed
from `s`. Let ``A'(s)`` be the actions that `pi1` may take, and `T` the transition probabilities. The paper's Bellman
update simplifies to::

    EDP(s) = 1 + sum over a in A'(s), s' of pi2(s, a) T(s, a, s') EDP(s')

This is a sparse linear system ``V = 1 + Q V``. If `Q` has no cycle, one backward pass solves it exactly. EDP is
infinite if the policies agree forever with positive probability. It is 1 at the goal of `pi2`, where the next action,
STAY, rules out every other goal. It is ``nan`` where `pi2` is undefined (its goal cannot be reached), and 1 where only
`pi1` is undefined.

**WCD**, worst-case distinctiveness: ``wcd(s) = 1 + max over actions that both policies may take of wcd(s')``. It is 1
if there is no such action, and infinite if the policies can agree forever. Keren et al. (2014) count one step less.

**ECD**, expected-case distinctiveness (Wayllace et al., 2017), as the paper uses it: the expected number of steps until
the agent takes an action that is not optimal for some goal. The probability of an action is proportional to the total
prior of the goals for which it is optimal.

**The agreement.** All these values are computed on an absorbing Markov chain, the *agreement*: an agent acts, and the
chain continues while its actions are allowed. The values differ in the agent's policy and the allowed actions.

**The distribution** of the divergence point. Probability moves along this chain step by step. What leaves it in step
`t` is ``P(dp = t)``. What reaches states from which the chain never ends is ``P(dp = inf)``. If there are cycles, the
computation stops at step `horizon`, or when a probability of at most `tolerance` is left on the chain. What is left is
the error bound.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from askwise.divergence.agreement import agreement, agreement_between, as_policy
from askwise.divergence.evidence import check_evidence, matrices_by_evidence, states_by_evidence, steps_between
from askwise.divergence.lattice import bounded
from askwise.errors import InputError
from askwise.model import Model, Policy
from askwise.model.chain import expected_steps, longest_path
from askwise.model.names import as_int
from askwise.model.policy import prior_weights
from askwise.model.pursuit import goal_states
from askwise.types import FloatArray, GoalLike, Result, StateLike, Verdict

MAX_LATTICE = 400_000
"""Default limit on the states times levels of evidence."""

# -- divergence point, expected and worst case ---------------------------------------------------------------------


def dp(policy: Policy, trajectory: Iterable[tuple[StateLike, Hashable]]) -> float:
    """Return the divergence point: the first step of a trajectory that `policy` would never take, counted from 1.

    It is ``inf`` if there is no such step. `trajectory` has pairs ``(state, action)``, as from `askwise.follow`.
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
    evidence: float | None = None,
    within: float = 0.01,
    max_lattice: int = MAX_LATTICE,
) -> Result:
    """Return the expected divergence point (EDP): the expected step at which `pi1` is ruled out if `pi2` is followed.

    An action that `pi1` never takes rules `pi1` out. Learned and noisy policies may never exclude an action; for these,
    give `evidence`. Then `pi1` is also ruled out once the actions so far are at most `evidence` times as likely under
    `pi1` as under `pi2`.

    Args:
        model: the model of the observed agent.
        pi1: policy, or goal, to be ruled out.
        pi2: policy, or goal, that is followed.
        at: one state; by default all, and the value is ``float64 [n_states]``, ``nan`` where `pi2` is undefined.
        method: ``pass`` (one backward pass, if no state can be visited twice), ``solve`` (a linear system), ``sweep``
            (the paper's iteration), or ``auto`` (a pass if possible, a solve if not). Ignored with `evidence`.
        tolerance: relative error at which iterative methods may stop.
        max_iterations: largest number of sweeps of an iterative method.
        evidence: a number between 0 and 1, such as 0.05; None if only impossible actions count. The result is exact for
            two goals of a deterministic model. Otherwise it may be the middle of proven bounds, ``verdict.bounds``.
        within: with `evidence`, largest distance between the bounds, relative to the lower bound.
        max_lattice: with `evidence`, largest number of table entries; at this limit, bounds may be further apart.
    """
    if evidence is not None:
        return _edp_by_evidence(model, pi1, pi2, at, check_evidence(evidence), within, max_lattice)
    shared = agreement_between(model, pi1, pi2, at)
    values, verdict = expected_steps(
        shared.chain,
        method=method,
        tolerance=tolerance,
        max_iterations=max_iterations,
        label=lambda k: model.name(int(shared.states[k])),
    )
    return shared.result(values, verdict, at)


def _edp_by_evidence(
    model: Model,
    pi1: Policy | GoalLike,
    pi2: Policy | GoalLike,
    at: StateLike | None,
    evidence: float,
    within: float,
    max_lattice: int,
) -> Result:
    """Return the expected step at which `pi1` is ruled out by evidence if an agent follows `pi2`.

    That is when the actions so far are at most `evidence` times as likely under `pi1` as under `pi2`. `at` is one
    state; None for all. The result is exact or has bounds. These differ by at most `within` times the lower bound,
    unless this needs more than `max_lattice` table entries.
    """
    if at is None and model.deterministic and not isinstance(pi1, Policy) and not isinstance(pi2, Policy):
        both = [goal_states(model, goal) for goal in (pi1, pi2)]
        targets, starts = np.concatenate(both), np.array([0, both[0].size, both[0].size + both[1].size], dtype=np.int32)
        values = np.full(model.n_states, np.nan)
        for s in range(model.n_states):
            found, steps = matrices_by_evidence(model, s, targets, starts, evidence)
            if steps[1] >= 0:
                values[s] = found[0, 1] if steps[0] >= 0 else 1.0
        return Result(values, Verdict("one pass for each state"))
    shared = agreement_between(model, pi1, pi2, at)
    moves = steps_between(model, as_policy(model, pi1), as_policy(model, pi2), shared)
    if at is not None:
        # For UROPs the log-likelihood ratio is a function of the state, so this is their exact method.
        restricted = states_by_evidence(shared, moves, evidence)
        if restricted is not None:
            return restricted.result(*expected_steps(restricted.chain, tolerance=min(within, 1e-9)), at)
    wanted = np.arange(1 if at is not None else moves.size, dtype=np.int32)
    return shared.result(*bounded(moves, wanted, evidence, within=within, max_lattice=max_lattice), at)


def wcd(model: Model, pi1: Policy | GoalLike, pi2: Policy | GoalLike, at: StateLike | None = None) -> Result:
    """Return the worst-case distinctiveness (WCD): the latest step at which `pi1` is ruled out if `pi2` is followed.

    It is infinite if the two policies may agree forever.

    Args:
        model: the model of the observed agent.
        pi1: policy, or goal, to be ruled out.
        pi2: policy, or goal, that is followed.
        at: one state; by default all, and the value is ``float64 [n_states]``, ``nan`` where `pi2` is undefined.
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

    An action rules out the goals for which it is not optimal. Its probability is proportional to the total prior of the
    goals for which it is optimal.

    Args:
        model: the model of the observed agent.
        goals: at least one goal, or policy, whose possible actions count as optimal.
        at: one state; by default all, and the value is ``float64 [n_states]``.
        prior: weights of the goals, by default equal.
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


# -- distribution --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DpDistribution:
    """Distribution of the divergence point: the step at which an agent's actions rule out a policy it does not follow.

    Attributes:
        probability: ``float64 [horizon]``; ``probability[t - 1]`` is for step `t`.
        never: probability that no step ever rules the policy out.
        verdict: whether `probability` is exact; its error bound is the probability of all later steps.
    """

    probability: FloatArray
    never: float
    verdict: Verdict

    @property
    def horizon(self) -> int:
        """The last step whose probability was computed."""
        return self.probability.size

    @property
    def mean(self) -> float:
        """The expected step at which the policy is ruled out; ``inf`` if it may never be ruled out.

        The number is too small if steps after the last computed step have a positive probability, because they are not
        counted.
        """
        if self.never > 0:
            return float("inf")
        return float(self.probability @ np.arange(1, self.horizon + 1))

    def at(self, t: int) -> float:
        """Return the probability that step `t` rules the policy out; 0 for steps that were not computed."""
        return float(self.probability[t - 1]) if 1 <= t <= self.horizon else 0.0

    def tail(self, t: int) -> float:
        """Return the probability that the policy is not ruled out by the first `t` steps.

        If `t` is after the last computed step, the result is an upper bound.
        """
        return float(self.probability[max(t, 0) :].sum()) + self.never + self.verdict.error_bound

    def quantile(self, q: float) -> float:
        """Return the first step by which the policy is ruled out with probability at least `q`.

        It is ``inf`` if there is no such step. Raises an `InputError` if the step lies after the last computed step.
        """
        if not 0 < q <= 1:
            raise InputError("q", q, "a number above 0 and up to 1")
        # Rounding must not shift a quantile by a step: a sum of n terms is accurate to about n ulps.
        slack = 4 * np.finfo(np.float64).eps * max(self.horizon, 1)
        reached = np.flatnonzero(np.cumsum(self.probability) >= q - slack)
        if reached.size:
            return float(reached[0] + 1)
        if q > 1 - self.never + slack:
            return float("inf")
        if self.verdict.exact:
            # Probabilities may sum to slightly less than 1, within the tolerance of policies and models.
            return float(self.horizon)
        raise InputError(
            "q", q, f"at most {float(self.probability.sum()):.6g}, the probability up to step {self.horizon}"
        )

    def __str__(self) -> str:
        shown = ", ".join(f"{t}: {p:.4g}" for t, p in enumerate(self.probability[:8], start=1))
        more = ", ..." if self.horizon > 8 else ""
        return f"divergence point {{{shown}{more}}}, never: {self.never:.4g} ({self.verdict})"


def dp_distribution(
    model: Model,
    pi1: Policy | GoalLike,
    pi2: Policy | GoalLike,
    at: StateLike,
    *,
    horizon: int | None = None,
    tolerance: float = 1e-12,
    max_steps: int = 1_000_000,
    evidence: float | None = None,
) -> DpDistribution:
    """Return the distribution of the divergence point: the step at which `pi1` is ruled out if `pi2` is followed.

    Args:
        model: the model of the observed agent.
        pi1: policy, or goal, to be ruled out.
        pi2: policy, or goal, that is followed.
        at: the first state.
        horizon: number of steps to compute; None to stop by `tolerance`.
        tolerance: stop when all later steps together have at most this probability.
        max_steps: limit on the steps if `horizon` is None.
        evidence: a number between 0 and 1; `pi1` is also ruled out once the actions so far are at most this many times
            as likely under `pi1` as under `pi2`. This ratio must depend on the state alone, as for goals in a
            deterministic model. None if only impossible actions count.
    """
    for field, count in (("horizon", 1 if horizon is None else horizon), ("max_steps", max_steps)):
        if (as_int(count) or 0) < 1:
            raise InputError(field, count, "a whole number from 1")
    if not 0 <= tolerance < 1:
        raise InputError("tolerance", tolerance, "a number from 0 and below 1")
    shared = agreement_between(model, pi1, pi2, at)
    if evidence is not None:
        moves = steps_between(model, as_policy(model, pi1), as_policy(model, pi2), shared)
        restricted = states_by_evidence(shared, moves, check_evidence(evidence))
        if restricted is None:
            raise InputError(
                "evidence",
                f"{evidence!r} for policies whose evidence depends on the path",
                "goals, or policies whose evidence depends on the state alone (edp gives bounds on the mean)",
            )
        shared = restricted
    chain = shared.chain
    onwards = chain.matrix.T.tocsr()
    mass = np.zeros(chain.size)
    mass[0] = 1.0
    never = 0.0
    probability: list[float] = []
    while True:
        never += float(mass[chain.trapped].sum())
        mass[chain.trapped] = 0.0
        left = float(mass.sum())
        done = len(probability) >= (max_steps if horizon is None else horizon)
        if done or left == 0 or (horizon is None and left <= tolerance):
            break
        probability.append(float(mass @ shared.leak))
        mass = onwards @ mass
    verdict = Verdict("step by step", left == 0, left, len(probability), left, left <= tolerance)
    return DpDistribution(np.array(probability), never, verdict)
