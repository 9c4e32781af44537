"""The expected divergence point (paper, Definition 2 and Theorem 1).

``EDP(s, pi1 | pi2)``: follow `pi2` from `s` and wait until `pi1` is ruled out; how many steps does that take on
average? With ``A'(s)`` the actions that `pi1` may take in `s`, the paper's Bellman update simplifies to

    EDP(s) = 1 + sum over a in A'(s), s' of pi2(s, a) T(s, a, s') EDP(s')

one sparse linear system ``V = 1 + Q V``. Where `Q` has no cycle, as for policies that get closer to their goal
in every step, one backward pass solves it exactly. Where the policies agree for ever with positive
probability, EDP is infinite, which is decided on the graph and never by a large number.

At the goal of `pi2` the next action is STAY, which rules out every other goal: EDP is 1 there. Where `pi2` is
undefined (its goal cannot be reached) EDP is ``nan``; where only `pi1` is, any action rules it out: 1.
"""

from __future__ import annotations

import numpy as np

from askwise.divergence.agreement import Agreement, doubt_between
from askwise.divergence.policies import as_policy
from askwise.model import Model, Policy
from askwise.model.chain import expected_steps
from askwise.types import FloatArray, GoalLike, Result, StateLike, Verdict


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
