"""Divergence by evidence: when observed actions make a policy unlikely, even if they never make it impossible.

If policies give every action some probability, no action rules one out, and EDP is infinite. But evidence accumulates.
If an agent follows `pi2`, the log-likelihood ratio after `t` steps is::

    LLR_t = sum over the first t steps of log pi2(s, a) - log pi1(s, a)

The policy `pi1` is ruled out at the first step with ``LLR_t >= log(1 / evidence)``, for a number `evidence` between 0
and 1. This step is ``dp_e``, its expectation ``EDP_e``.

- An action that `pi1` never takes is infinite evidence, so ``dp_e <= dp``. ``EDP_e`` falls as `evidence` grows, and
  tends to EDP as `evidence` tends to 0.
- If the agent follows `pi1`, `pi1` is ever ruled out with a probability of at most `evidence` (Ville's inequality).

**Goals in a deterministic model: exact.** The agent draws one of all shortest plans uniformly. Let ``N_g(s)`` be the
number of shortest plans from `s` to goal `g`, and ``M(s)`` the number of shortest paths from the start `s0` to `s`. The
share of the plans for `g` that pass through `s` is ``P_g(s) = M(s) N_g(s) / N_g(s0)``. While `j` is pursued, the
evidence against `i` depends on the state alone: ``LLR = log P_j(s) - log P_i(s)``. A state is *open* if
``P_i(s) > evidence * P_j(s)``. Let ``R(s)`` be the share of the shortest paths to `s` that visit only open states: 1 at
`s0`, 0 if `s` is not open, and elsewhere::

    R(s)         = sum over predecessors u of R(u) M(u) / M(s)
    EDP_e(i | j) = sum over states s of P_j(s) R(s)

**Policies whose LLR depends on the state alone** (`states_by_evidence`): EDP is computed on the chain of agreement
(`askwise.divergence.agreement`), without states in which `pi1` is ruled out. All other policies are in
`askwise.divergence.lattice`.

Logarithms are rounded, so a ratio within a relative distance of `TIE` from the limit counts as reaching it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.divergence.agreement import Agreement
from askwise.divergence.pairs import count_from, nearest_steps, scratch, seed_targets
from askwise.errors import InputError
from askwise.model import Model, Policy
from askwise.model.chain import AbsorbingChain
from askwise.model.graph import scale
from askwise.types import BoolArray, FloatArray, IntArray, LazyModule

sparse = LazyModule("scipy.sparse")

TIE = 1e-9


def check_evidence(evidence: Any, field: str = "evidence") -> float:
    """Return `evidence` as a float; raise an `InputError` about `field` unless it is above 0 and below 1."""
    number = isinstance(evidence, int | float | np.floating) and not isinstance(evidence, bool)
    if not number or not 0 < evidence < 1:
        raise InputError(field, repr(evidence), "a number above 0 and below 1, such as 0.05")
    return float(evidence)


def check_within(within: Any) -> float:
    """Return `within` unchanged; raise an `InputError` unless it is above 0.

    `within` is the largest distance allowed between a lower and an upper bound, as a share of the lower bound.
    """
    if not isinstance(within, int | float) or isinstance(within, bool) or not 0 < within < math.inf:
        raise InputError("within", repr(within), "a number above 0, such as 0.01")
    return within


# -- goals in a deterministic model ------------------------------------------------------------------------------------


def matrices_by_evidence(
    model: Model, state: int, targets: IntArray, starts: IntArray, evidence: float, *, capped: bool = False
) -> tuple[FloatArray, IntArray]:
    """Return EDP by evidence of all pairs of goals at `state`, and the steps to each goal.

    EDP by evidence is the expected step at which one goal has become too unlikely while another is pursued.

    Args:
        model: a deterministic model.
        state: where the agent is now.
        targets: ``int32``, target states, goal after goal.
        starts: ``int32 [n_goals + 1]``; goal g has ``targets[starts[g]:starts[g + 1]]``.
        evidence: a goal is ruled out when the actions so far are at most this many times as likely for it as for the
            pursued goal.
        capped: whether observation ends when the agent stays at its goal, so that all values are finite.

    Returns:
        EDP, ``float64 [n_goals (ruled out), n_goals (pursued)]``, ``inf`` where the evidence may never suffice; and the
        steps, ``int32 [n_goals]``, -1 for goals out of reach.
    """
    n_goals = starts.size - 1
    edp = np.zeros((n_goals, n_goals))
    steps = np.empty(n_goals, dtype=np.int32)
    counts, work = scratch(model.n_states, 0)
    passing, shares = np.zeros((model.n_states, n_goals)), np.zeros((model.n_states, n_goals))
    limit = evidence * (1 + TIE)
    arrays = (counts, work, passing, shares, edp, steps)
    _by_evidence(model.successor, *model.predecessors, state, targets, starts, limit, not capped, *arrays)
    if not capped:
        np.fill_diagonal(edp, np.inf)
    return edp, steps


def evidence_bytes(n_states: int, n_goals: int) -> int:
    """Return the number of bytes of memory that a call of `matrices_by_evidence` takes, temporary arrays included."""
    return 8 * n_goals**2 + n_states * (36 + 16 * n_goals)


@compiled(work=lambda given: 4 * given.starts.size * given.indices.size)
def _by_evidence(  # noqa: C901
    successor: Any,
    indptr: Any,
    indices: Any,
    state: int,
    targets: Any,
    starts: Any,
    limit: float,
    forever: bool,
    counts: Any,
    work: Any,
    passing: Any,
    shares: Any,
    edp: Any,
    steps: Any,
) -> None:
    """Compute EDP by evidence of all pairs of goals at `state`, and the steps to each goal.

    EDP by evidence is the expected step at which one goal has become too unlikely while another is pursued.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 for none.
        indptr: ``int64 [n_states + 1]``; state s has the predecessors ``indices[indptr[s]:indptr[s + 1]]``.
        indices: ``int32``, predecessors, state after state.
        state: where the agent is now.
        targets: ``int32``, target states, goal after goal.
        starts: ``int32 [n_goals + 1]``; goal g has ``targets[starts[g]:starts[g + 1]]``.
        limit: a goal is ruled out when the actions so far are at most this many times as likely for it as for the
            pursued goal.
        forever: whether EDP is ``inf`` if plans may end in the same state before the evidence suffices. If False,
            observation ends when the agent stays at its goal.
        counts: new `_Counts`, filled with lengths and numbers of shortest paths.
        work: new `_Work`.
        passing: ``float64 [n_states, n_goals]``, all 0; filled with the share of each goal's plans through a state.
        shares: ``float64 [n_states, n_goals]``, all 0, work space.
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, all 0, to be filled.
        steps: ``int32 [n_goals]``, to be filled, -1 for goals out of reach.
    """
    n_goals, depth, mantissa, exponent = steps.size, counts.depth, counts.mantissa, counts.exponent
    queue, order = work.queue, work.queue.copy()
    count_from(successor, state, order, depth, mantissa, exponent)
    reached = 0
    for s in range(depth.size):
        reached += depth[s] >= 0
    for goal in range(n_goals):
        own = targets[starts[goal] : starts[goal + 1]]
        steps[goal] = nearest_steps(own, depth)
        if steps[goal] >= 0:
            filled = seed_targets(goal, own, steps[goal], depth, mantissa, exponent, queue, work.seen, work.mass)
            _passing(goal, filled, depth, mantissa, exponent, indptr, indices, queue, work.seen, work.mass, passing)
    for j in range(n_goals):
        for k in range(reached):
            s = order[k]
            through = passing[s, j]
            if through == 0.0 or depth[s] > steps[j]:
                continue
            row = shares[s]
            if depth[s] == 0:
                row[:] = 1.0
            else:
                row[:] = 0.0
                for e in range(indptr[s], indptr[s + 1]):
                    u = indices[e]
                    # Where the share of u was rounded to 0, its part of the sum is rounded to 0 too.
                    if depth[u] == depth[s] - 1 and passing[u, j] > 0.0:
                        weight = mantissa[u] / mantissa[s] * scale(exponent[u] - exponent[s])
                        for i in range(n_goals):
                            row[i] += weight * shares[u, i]
            for i in range(n_goals):
                kept = row[i] if passing[s, i] > limit * through else 0.0
                row[i] = kept
                edp[i, j] += through * kept
            if forever and depth[s] == steps[j]:
                for i in range(n_goals):
                    if row[i] > 0.0 and steps[i] == steps[j]:
                        edp[i, j] = np.inf


@inner
def _passing(
    goal: int,
    filled: int,
    depth: Any,
    mantissa: Any,
    exponent: Any,
    indptr: Any,
    indices: Any,
    queue: Any,
    seen: Any,
    mass: Any,
    passing: Any,
) -> None:
    """Fill column `goal` of `passing` with the share of the goal's shortest plans that pass through each state.

    - `depth`, ``int32 [n_states]``: steps from the start.
    - ``mantissa * 2.0 ** (256 * exponent)``, ``float64`` and ``int32 [n_states]``: number of shortest paths to each
      state.
    - `indptr`, `indices`: state s has the predecessors ``indices[indptr[s]:indptr[s + 1]]``.
    - `queue`, ``int32 [n_states]``: begins with the goal's nearest target states, `filled` in number.
    - `seen`, ``int32 [n_states]``: equal to `goal` in queued states.
    - `mass`, ``float64 [n_states]``: share of the goal's plans that end in each state; set to 0.
    - `passing`, ``float64 [n_states, n_goals]``: to be filled.
    """
    head = 0
    while head < filled:
        s = queue[head]
        head += 1
        here = mass[s] if depth[s] > 0 else 1.0
        mass[s] = 0.0
        passing[s, goal] = here
        if depth[s] == 0:
            break
        for k in range(indptr[s], indptr[s + 1]):
            u = indices[k]
            if depth[u] == depth[s] - 1:
                if seen[u] != goal:
                    seen[u] = goal
                    queue[filled] = u
                    filled += 1
                mass[u] += here * (mantissa[u] / mantissa[s]) * scale(exponent[u] - exponent[s])


# -- policies: steps and their evidence --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """The steps that both an agent's policy and another policy may take, and the evidence against the other policy.

    A step is a transition from one state to another by one action.

    Attributes:
        size: number of states.
        indptr: ``int64 [size + 1]``; state s has the steps ``indptr[s]`` to ``indptr[s + 1] - 1``.
        source: ``int32 [n]``, state before each step.
        target: ``int32 [n]``, state after each step.
        probability: ``float64 [n]``, probability that the agent takes the step from its `source`.
        gain: ``float64 [n]``, log probability of the action for the agent, minus that under the other policy.
        leaks: ``bool [size]``, whether the agent may take an action that the other policy never takes.
    """

    size: int
    indptr: Any
    source: IntArray
    target: IntArray
    probability: FloatArray
    gain: FloatArray
    leaks: BoolArray


def steps_between(model: Model, ruled_out: Policy, followed: Policy, shared: Agreement) -> Steps:
    """Return the steps that both policies may take, and the evidence of each step against the policy `ruled_out`.

    `shared` is the Markov chain from `agreement_between` for these policies. The result has the states of this chain,
    in the same order.
    """
    states, n = shared.states, model.n_actions
    place = np.full(model.n_states, -1, dtype=np.int32)
    place[states] = np.arange(states.size, dtype=np.int32)
    both = followed.support[states] & ruled_out.support[states]
    source, action = np.nonzero(both)
    rows = model.transitions[states[source].astype(np.int64) * n + action]
    each = np.repeat(np.arange(source.size), np.diff(rows.indptr))
    origin = states[source]
    ours, theirs = followed.probabilities[origin, action], ruled_out.probabilities[origin, action]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(source[each], minlength=states.size))))
    return Steps(
        states.size,
        indptr.astype(np.int64),
        source[each].astype(np.int32),
        place[rows.indices],
        ours[each] * rows.data,
        (np.log(ours) - np.log(theirs))[each],
        shared.chain.leaks,
    )


def states_by_evidence(shared: Agreement, steps: Steps, evidence: float) -> Agreement | None:
    """Return a Markov chain of an agent's steps that ends when another policy is ruled out by evidence.

    An action that the other policy never takes rules it out. So do actions that are together at most `evidence` times
    as likely under it as under the agent's policy. The result is None if this ratio depends on the path to a state.

    Args:
        shared: the chain from `agreement_between` for one start.
        steps: the steps of this chain.
        evidence: a number between 0 and 1.
    """
    level = np.full(steps.size, np.nan)
    limit = math.log(1 / evidence) - TIE
    if not _levels(steps.indptr, steps.target, steps.gain, limit, level, np.empty(steps.size, dtype=np.int32)):
        return None
    is_open = level < limit  # False for nan: never reached
    kept = np.flatnonzero(is_open)
    matrix = shared.chain.matrix[kept]
    ends = matrix[:, np.flatnonzero(~is_open)].sum(axis=1)
    leaks = shared.chain.leaks[kept] | (ends > 0)
    chain = AbsorbingChain(matrix[:, kept].tocsr(), leaks)
    return Agreement(chain, shared.states[kept], shared.defined[kept], shared.leak[kept] + ends)


@compiled(work=lambda given: 2 * given.target.size)
def _levels(indptr: Any, target: Any, gain: Any, limit: float, level: Any, queue: Any) -> bool:
    """Fill `level` with the log-likelihood ratio (LLR) in each state; return whether it is the same on all paths.

    The LLR is the log likelihood of the actions so far under the agent's policy, minus that under another policy. The
    search begins in state 0. It goes no further from states with an LLR of `limit` or more, and such LLRs may differ.

    State s has the steps ``indptr[s]`` to ``indptr[s + 1] - 1``. `target`, ``int32 [n_steps]``, is the state after a
    step, `gain`, ``float64 [n_steps]``, what the step adds to the LLR. `level`, ``float64 [n_states]``, must be ``nan``
    at first, and stays so in states not reached. `queue`, ``int32 [n_states]``, is work space.
    """
    level[0] = 0.0
    queue[0] = 0
    head, filled = 0, 1
    while head < filled:
        s = queue[head]
        head += 1
        if level[s] >= limit:
            continue
        for k in range(indptr[s], indptr[s + 1]):
            t = target[k]
            there = level[s] + gain[k]
            if np.isnan(level[t]):
                level[t] = there
                queue[filled] = t
                filled += 1
            elif abs(level[t] - there) > TIE and min(level[t], there) < limit:
                return False
    return True
