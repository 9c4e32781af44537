"""The distribution of the divergence point.

The probability mass of the chain of agreement (see `askwise.divergence.edp`) is propagated step by step. The mass that
leaks in step `t` is ``P(dp = t)``. Mass that enters a set of states without any leak is ``P(dp = inf)``, exactly. In
acyclic chains all mass leaks after finitely many steps. In cyclic chains the propagation stops when at most `tolerance`
is left, or at `horizon`; the mass left is the error bound of the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.divergence.agreement import agreement_between, as_policy
from askwise.divergence.evidence import check_evidence, states_by_evidence, steps_between
from askwise.errors import InputError
from askwise.model import Model, Policy
from askwise.model.names import as_int
from askwise.types import FloatArray, GoalLike, StateLike, Verdict


@dataclass(frozen=True)
class DpDistribution:
    """Distribution of the divergence point: the step at which an agent's actions rule out another policy.

    Attributes:
        probability: ``float64 [horizon]``; ``probability[t - 1]`` is the probability of step `t`.
        never: probability that the policies agree forever.
        verdict: exact, or with the probability of steps beyond the horizon as its error bound.
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
        """Expected divergence point, ignoring steps beyond the horizon; ``inf`` if `never` is positive."""
        if self.never > 0:
            return float("inf")
        return float(self.probability @ np.arange(1, self.horizon + 1))

    def at(self, t: int) -> float:
        """Return the probability that the policies diverge exactly at step `t`."""
        return float(self.probability[t - 1]) if 1 <= t <= self.horizon else 0.0

    def tail(self, t: int) -> float:
        """Return the probability that the policies still agree after `t` steps."""
        return float(self.probability[max(t, 0) :].sum()) + self.never + self.verdict.error_bound

    def quantile(self, q: float) -> float:
        """Return the first step by which the policies have diverged with probability at least `q`, or ``inf``.

        Raises an `InputError` if that step lies beyond the horizon.
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
    """Return the distribution of the divergence point: the step at which an agent that follows `pi2` rules out `pi1`.

    Args:
        model: the model of the observed agent.
        pi1: the policy to be ruled out; a goal stands for its optimal policy.
        pi2: the policy that is followed; a goal stands for its optimal policy.
        at: the first state.
        horizon: number of steps to compute; by default until the probability of all later steps is at most `tolerance`.
        tolerance: probability that may be left beyond the last step, if the policies can agree in a cycle.
        max_steps: limit on the steps if there is no `horizon`.
        evidence: rule `pi1` out also as soon as the actions so far are at most this likely under it, relative to their
            likelihood under `pi2` (see `edp`). Only for UROPs and other policies for which the evidence in a state does
            not depend on the path.
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
