"""Proven bounds on EDP by evidence, for any two policies in a finite model.

An agent follows one policy. The log-likelihood ratio (LLR) is the evidence of its actions against another policy
(`askwise.divergence.evidence`). An LLR of ``L = log(1 / evidence)`` rules the other policy out. EDP by evidence is the
expected step at which this happens.

Each step adds its *gain* to the LLR. So the agent's steps make a Markov chain of a state and an LLR. The *lattice*
makes this chain finite: it rounds LLRs to equally spaced levels. The lowest level ``-F`` is the *floor*. There are two
ways of rounding:

- *early*: gains are rounded up, and LLRs below the floor are raised to it. This chain never ends later than the true
  one. Its expected length is a lower bound.
- *late*: gains are rounded down. This chain never ends earlier than the true one. Below the floor it stops, and an
  upper bound on the remaining steps is added. Its expected length is then an upper bound.

**Below the floor.** Let `K` be a bound on the expected steps until the LLR has risen by `L`, from any state. From an
LLR of ``x < -F``, at most ``ceil((L - x) / L)`` such rises remain, so at most ``ceil((L - x) / L) K`` expected steps.
`K` is guessed. The guess is valid if the late chain, started at an LLR of 0, has an expected length of at most `K` from
every state. For the expected length is ``a + b K`` with ``a > 0`` and ``b >= 0``. If it is at most `K`, then ``b < 1``,
and the true length is at most `K`.

**Precision.** Both chains are solved with a proven error (`askwise.model.chain`), which widens the bounds. The levels
are refined until the bounds are as close as requested. If all gains are multiples of one number, the levels have this
spacing, and nothing is rounded.

**Infinite values.** From a *twin* state on, both policies act alike forever, and the LLR stays the same. Only an agent
that enters a twin state with an LLR below `L` leaves the other policy possible forever. Let ``m(s)`` be the supremum of
the LLRs at state `s` with which this can happen. It is `L` in twin states. In any other state, it is the largest
``min(L, m(s') - gain)`` over the steps from `s` to `s'`. EDP by evidence at `s` is infinite exactly if ``m(s) > 0``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.divergence.evidence import TIE, Steps, check_within
from askwise.errors import InputError, NotConvergedError
from askwise.model.chain import AbsorbingChain, iterative_solve, proven_bound
from askwise.model.graph import breadth_first
from askwise.model.names import as_int
from askwise.types import FloatArray, IntArray, LazyModule, Verdict

sparse = LazyModule("scipy.sparse")

SOLVED = 0.02
"""Relative error up to which the two chains are solved, as a share of the requested width."""
MOST_FACTORS = 12
"""Largest divisor of the smallest gain that is tried as the common unit of all gains."""
MOST_SWEEPS = 20_000
"""Limit on the sweeps of one solution."""
MOST_ROUNDS = 30
"""Limit on refinements."""


def bounded(
    steps: Steps, wanted: IntArray, evidence: float, *, within: float, max_lattice: int
) -> tuple[FloatArray, Verdict]:
    """Return EDP by evidence at some states, ``float64 [n]``, and a verdict with proven bounds.

    EDP is the expected step at which an agent's actions rule out another policy. Actions rule a policy out if they are
    at most `evidence` times as likely under it as under the agent's policy. Each value is the middle of its two bounds,
    or the lower bound if no upper bound was found.

    Args:
        steps: the agent's steps, with their evidence against the other policy.
        wanted: ``int32 [n]``, the states in which the agent may start.
        evidence: the likelihood ratio that rules the other policy out, 0 to 1.
        within: requested distance between the bounds, as a share of the lower bound.
        max_lattice: limit on the number of states times levels of rounded evidence.
    """
    check_within(within)
    if (as_int(max_lattice) or 0) < 1:
        raise InputError("max_lattice", repr(max_lattice), "a whole number from 1")
    limit = math.log(1 / evidence)
    reach = infinite_below(steps, limit)
    infinite = reach[wanted] > TIE
    lower = np.where(infinite, np.inf, 1.0)
    upper = np.full(wanted.size, np.inf)
    finite = wanted[~infinite]
    if finite.size == 0:
        return lower, Verdict("no evidence can be reached for certain", bounds=_shown(lower, upper))
    unit = common_unit(steps.gain, limit)
    levels, floor = (64, 6.0) if unit is None else (math.ceil(limit / unit - TIE), 6.0)
    rounds, width, stopped = 0, math.inf, False
    while width > within and not stopped:
        spacing = limit / levels if unit is None else unit
        depth = math.ceil(floor / spacing)
        if steps.size * (levels + depth) > max_lattice:
            # The finest lattice that is allowed; then stop.
            stopped = True
            share = max_lattice / (steps.size * (levels + depth))
            if unit is not None or levels * share < 1:
                break
            levels = max(1, math.floor(levels * share))
            spacing = limit / levels
            depth = max(1, max_lattice // steps.size - levels)
        rounds += 1
        low = early_values(steps, finite, spacing, levels, depth, within * SOLVED)
        lower[~infinite] = np.maximum(lower[~infinite], low)
        high = late_values(steps, finite, spacing, levels, depth, reach, float(low.max()), within * SOLVED)
        if high is not None:
            upper[~infinite] = np.minimum(upper[~infinite], high)
        before, width = width, _width(lower[~infinite], upper[~infinite])
        if rounds >= MOST_ROUNDS:
            break
        floor += 2.0 if width > within and (unit is not None or width > before / 4) else 0.0
        if unit is None and width > within:
            levels = math.ceil(levels * (2.0 if width == math.inf else min(max(1.2 * width / within, 1.5), 4.0)))
    known = np.isfinite(upper)
    values = np.where(known, (lower + upper) / 2, lower)
    values[infinite] = np.inf
    error = math.inf if width == math.inf else width / 2
    name = "lattice of evidence" if unit is None else "lattice of evidence without rounding"
    return values, Verdict(name, False, error, max(rounds, 1), width, width <= within, _shown(lower, upper))


def _width(lower: FloatArray, upper: FloatArray) -> float:
    return float(((upper - lower) / lower).max())


def _shown(lower: FloatArray, upper: FloatArray) -> tuple[Any, Any]:
    return (float(lower[0]), float(upper[0])) if lower.size == 1 else (lower, upper)


def common_unit(gains: FloatArray, limit: float) -> float | None:
    """Return a number of which all `gains` are multiples, up to rounding, or None if none was found.

    If all gains are 0, the result is `limit`.

    Args:
        gains: ``float64 [n]``, how much each step adds to the log-likelihood ratio (LLR); may be negative.
        limit: the LLR at which a policy is ruled out.
    """
    sizes = np.unique(np.abs(gains[np.abs(gains) > TIE]))
    if sizes.size == 0:
        return limit
    for divisor in range(1, MOST_FACTORS + 1):
        unit = float(sizes[0]) / divisor
        parts = sizes / unit
        if np.abs(parts - np.round(parts)).max() < TIE and limit / unit < 10_000:
            return unit
    return None


def infinite_below(steps: Steps, limit: float) -> FloatArray:
    """Return, for each state, the log-likelihood ratio (LLR) below which another policy may stay possible forever.

    The LLR is the evidence so far against the other policy. The result is ``float64 [n]``, ``-inf`` where the other
    policy is always ruled out.

    Args:
        steps: the agent's steps, with their evidence against the other policy.
        limit: the LLR that rules the other policy out.
    """
    differs = steps.leaks.copy()
    differs[steps.source[np.abs(steps.gain) > TIE]] = True
    ones = np.ones(steps.source.size)
    back = sparse.csr_array((ones, (steps.target, steps.source)), shape=(steps.size, steps.size))
    twins = breadth_first(np.flatnonzero(differs), back.indptr, back.indices)[0] < 0
    reach = np.where(twins, limit, -np.inf)
    if twins.any():
        queue = np.empty(steps.size + 1, dtype=np.int32)
        order = np.argsort(steps.target, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(steps.target, minlength=steps.size))))
        most = 1000 * (steps.source.size + 1000)
        if not _spread(starts, steps.source[order], steps.gain[order], limit, reach, queue, most):
            raise NotConvergedError(
                "whether the policies may agree forever was not decided: evidence changes too slowly"
            )
    return reach


@compiled(work=lambda given: 4 * given.source.size)
def _spread(starts: Any, source: Any, gain: Any, limit: float, reach: Any, queue: Any, most: int) -> bool:
    """Fill `reach`, per state, with the log-likelihood ratio (LLR) below which a policy may stay possible forever.

    Each ``reach[s]`` rises to the largest ``min(limit, reach[t] - gain)`` over the steps from `s` to `t`. Returns False
    if this needs more than `most` looks at a step.

    `reach`, ``float64 [n]``, begins as `limit` (the LLR that rules the policy out) in twin states (see the module),
    ``-inf`` elsewhere. The steps into state t are ``starts[t]`` to ``starts[t + 1] - 1``; `starts` is
    ``int64 [n + 1]``. `source` is each step's first state, ``int32``; `gain` its change of the LLR, ``float64``.
    `queue` is work space, ``int32 [n + 1]``.
    """
    size = queue.size
    waiting = np.zeros(reach.size, dtype=np.uint8)
    head, tail, done = 0, 0, 0
    for s in range(reach.size):
        if reach[s] == limit:
            queue[tail] = s
            tail += 1
            waiting[s] = 1
    while head != tail:
        t = queue[head]
        head = (head + 1) % size
        waiting[t] = 0
        for k in range(starts[t], starts[t + 1]):
            done += 1
            s = source[k]
            found = min(limit, reach[t] - gain[k])
            if found > reach[s] + TIE:
                reach[s] = found
                if waiting[s] == 0:
                    queue[tail] = s
                    tail = (tail + 1) % size
                    waiting[s] = 1
        if done > most:
            return False
    return True


def _moves(steps: Steps, gains: Any, levels: int, depth: int) -> tuple[Any, Any, Any, Any]:
    """Return the moves between states of the lattice, and the lattice states in which the chain of moves may end.

    A lattice state is an agent's state and a level of its log-likelihood ratio (LLR). Its index is
    ``state * (depth + levels) + level``. Level 0 is the floor, level `depth` an LLR of 0, level ``depth + levels`` the
    limit. A move is one of the `steps` at one level; `gains`, ``int64 [n_steps]``, is how many levels each step adds.
    Moves that reach the limit are left out.

    Returns:
        source: ``int64 [n_moves]``, lattice state before each move.
        after: ``int64 [n_moves]``, level after each move; negative below the floor.
        which: ``int64 [n_moves]``, index of each move's step.
        ends: ``bool [n_lattice_states]``, whether the chain may end in it.
    """
    width = levels + depth
    level = np.arange(width)
    after = level[None, :] + gains[:, None]
    stays = after < width
    which, at = np.nonzero(stays)
    ends = np.zeros((steps.size, width), dtype=bool)
    ends[steps.leaks] = True
    over_step, over_level = np.nonzero(~stays)
    ends[steps.source[over_step], over_level] = True
    source = steps.source[which].astype(np.int64) * width + at
    return source, after[which, at], which, ends.ravel()


def _solved(chain: AbsorbingChain, tolerance: float) -> tuple[FloatArray, float]:
    """Return the expected steps until a chain ends, ``float64 [n]``, and a proven bound on their relative error.

    The equations are solved by iteration, which may stop at the relative error `tolerance`.
    """
    values = np.full(chain.size, np.inf)
    finite = np.flatnonzero(~chain.infinite)
    if finite.size == 0:
        return values, 0.0
    inner = chain if finite.size == chain.size else chain.restricted_to(finite)
    values[finite] = iterative_solve(inner, tolerance, MOST_SWEEPS)[0]
    return values, proven_bound(inner.matrix, values[finite])[1]


def early_values(
    steps: Steps, wanted: IntArray, spacing: float, levels: int, depth: int, tolerance: float
) -> FloatArray:
    """Return lower bounds on EDP by evidence, ``float64 [n]``, by rounding the evidence up.

    The evidence is the log-likelihood ratio (LLR) of the agent's actions against another policy.

    Args:
        steps: the agent's steps, with their evidence.
        wanted: ``int32 [n]``, the states in which the agent may start.
        spacing: distance between two levels of the LLR.
        levels: number of levels from an LLR of 0 to the limit.
        depth: number of levels below an LLR of 0.
        tolerance: relative error of the computation; the bounds allow for it.
    """
    width = levels + depth
    gains = np.ceil(steps.gain / spacing - TIE).astype(np.int64)
    source, after, which, ends = _moves(steps, gains, levels, depth)
    target = steps.target[which].astype(np.int64) * width + np.maximum(after, 0)
    shape = (steps.size * width, steps.size * width)
    chain = AbsorbingChain(sparse.csr_array((steps.probability[which], (source, target)), shape=shape), ends)
    values, error = _solved(chain, tolerance)
    return np.maximum(values[wanted.astype(np.int64) * width + depth] * (1 - min(error, 1.0)), 1.0)


def late_values(
    steps: Steps,
    wanted: IntArray,
    spacing: float,
    levels: int,
    depth: int,
    reach: FloatArray,
    guess: float,
    tolerance: float,
) -> FloatArray | None:
    """Return upper bounds on EDP by evidence, ``float64 [n]``, by rounding the evidence down; None if none was found.

    The evidence is the log-likelihood ratio (LLR) of the agent's actions against another policy.

    Args:
        steps: the agent's steps, with their evidence.
        wanted: ``int32 [n]``, the states in which the agent may start.
        spacing: distance between two levels of the LLR.
        levels: number of levels from an LLR of 0 to the limit.
        depth: number of levels below an LLR of 0.
        reach: ``float64 [n_states]``, the result of `infinite_below`.
        guess: a first guess of the largest finite bound.
        tolerance: relative error of the computation; the bounds allow for it.
    """
    width, size = levels + depth, steps.size
    gains = np.floor(steps.gain / spacing + TIE).astype(np.int64)
    source, after, which, ends = _moves(steps, gains, levels, depth)
    below = after < 0
    # Two more states: `far` stands for everything below the floor, `never` for agreeing forever.
    far, never = size * width, size * width + 1
    endless = np.isfinite(reach)[steps.target[which]]
    target = steps.target[which].astype(np.int64) * width + after
    target[below] = np.where(endless[below], never, far)
    weight = steps.probability[which].copy()
    parts = np.ceil((levels + depth - after[below]) / levels - TIE)
    weight[below] *= np.where(endless[below], 1.0, parts)
    leaks = np.concatenate((ends, [True, False]))
    free = np.flatnonzero(~np.isfinite(reach)).astype(np.int64) * width + depth
    most = 2.0 * guess
    for _ in range(6):
        data = np.concatenate((weight, [1 - 1 / most, 1.0]))
        rows, columns = np.concatenate((source, [far, never])), np.concatenate((target, [far, never]))
        matrix = sparse.csr_array((data, (rows, columns)), shape=(size * width + 2, size * width + 2))
        values, error = _solved(AbsorbingChain(matrix, leaks), tolerance)
        if error > 0.1:
            return None
        found = values * (1 + 2 * error)
        largest = float(found[free].max(initial=1.0))
        if not math.isfinite(largest):
            return None
        if largest <= most * (1 - 2 * error):
            return np.asarray(found[wanted.astype(np.int64) * width + depth])
        most = 2.0 * largest
    return None
