"""EDP and WCD of all pairs of goals at one state of a deterministic model.

EDP(s0, i | j) is the expected step at which goal `i` is ruled out while the agent pursues goal `j` from state `s0`. WCD
is the latest such step. The *cone* of a goal has the states on optimal plans from `s0` to the goal. Let ``d(s)`` be the
number of steps from `s0` to `s`. Let ``P_j(s)`` be the probability that a uniformly drawn plan for `j` passes through
`s`. An optimal plan that has led to `s` leaves goal `i` possible exactly if `s` is in its cone. Therefore::

    EDP(s0, i | j) = sum of P_j(s) over all s that are in cone(i) and in cone(j)
    WCD(s0, i, j)  = 1 + max of d(s) over all s that are in cone(i) and in cone(j)

Breadth-first search counts the shortest paths from `s0` to each state `s`: ``M(s)``. A drawn plan through `s` came from
the state `u` before `s` with probability ``M(u) / M(s)``, whatever its goal. So ``P_j`` is computed backwards from goal
`j`.

EDP and WCD are infinite for a goal with itself, and for goals that share a nearest target state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner
from askwise.model import Model
from askwise.model.graph import add_count, scale
from askwise.types import FloatArray, IntArray

# Multiplying this constant (every 6-bit pattern occurs in it once) by 2**k puts a different pattern into the top
# six bits for each k: a table of 64 entries then gives the position of a single bit without any branch.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT_INDEX = np.zeros(64, dtype=np.int64)
_BIT_INDEX[[(int(_DE_BRUIJN) << k & (1 << 64) - 1) >> 58 for k in range(64)]] = np.arange(64)


def matrices_at(
    model: Model, state: int, targets: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return EDP and WCD of all pairs of goals at `state`, and the steps to each goal.

    EDP is the expected step, WCD the latest step, at which a goal is ruled out. Both are
    ``float64 [n_goals (ruled out), n_goals (pursued)]``, ``inf`` on the diagonal and for goals that share a nearest
    target state. The steps are ``int32 [n_goals]``, -1 if the goal is out of reach.

    Args:
        model: a deterministic model.
        state: index of the agent's state.
        targets: ``int32``, the target states of all goals, goal after goal.
        starts: ``int32 [n_goals + 1]``; goal g has ``targets[starts[g]:starts[g + 1]]``.
    """
    edp, wcd, steps, depth = _fill(model.successor, *model.predecessors, state, targets, starts)
    _mark_shared_targets(targets, starts, steps, depth, edp, wcd)
    return edp, wcd, steps


def capped_matrices(
    successor: IntArray, indptr: Any, indices: IntArray, state: int, targets: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return EDP and WCD of all pairs of goals, if observation ends with the step in which the agent stays at its goal.

    EDP is the expected step, WCD the latest step, at which a goal is ruled out. A goal that is still possible in the
    last observed step counts as ruled out then.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: ``int32``, the predecessors of all states.
        state: index of the agent's state.
        targets: ``int32``, the target states of all goals, goal after goal.
        starts: ``int32 [n_goals + 1]``; goal g has ``targets[starts[g]:starts[g + 1]]``.

    Returns:
        EDP and WCD, each ``float64 [n_goals (ruled out), n_goals (pursued)]``, and the steps to each goal,
        ``int32 [n_goals]``, -1 if out of reach.
    """
    return _fill(successor, indptr, indices, state, targets, starts)[:3]


def _fill(
    successor: IntArray, indptr: Any, indices: IntArray, state: int, targets: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Compute EDP and WCD as `capped_matrices` does, which has the same arguments and returns the first three results.

    The fourth result is the number of steps from `state` to every state, ``int32 [n_states]``.
    """
    n_goals = starts.size - 1
    edp = np.zeros((n_goals, n_goals))
    wcd = np.zeros((n_goals, n_goals))
    steps = np.empty(n_goals, dtype=np.int32)
    counts, work = scratch(successor.shape[0], n_goals)
    _matrices(successor, indptr, indices, state, targets, starts, counts, work, edp, wcd, steps)
    return edp, wcd, steps, counts.depth


def matrices_bytes(n_states: int, n_goals: int) -> int:
    """Return the number of bytes of memory that a call of `matrices_at` takes, temporary arrays included."""
    states = 4 + 8 + 4 + 4 + 4 + 8 + 4  # depth, mantissa, exponent, two queues, mass, seen
    return 16 * n_goals**2 + n_states * (states + 8 * -(-n_goals // 64))


class _Counts(NamedTuple):
    """The length and the number of the shortest paths from one state to every state.

    Attributes:
        depth: ``int32 [n_states]``, length of the paths, -1 for states out of reach.
        mantissa: ``float64 [n_states]``; the number of paths is ``mantissa * BASE ** exponent``.
        exponent: ``int32 [n_states]``, see `mantissa`.
    """

    depth: Any
    mantissa: Any
    exponent: Any


class _Work(NamedTuple):
    """Temporary arrays for computing EDP and WCD of all pairs of goals at one state.

    Attributes:
        queue: ``int32 [n_states]``, states to visit.
        seen: ``int32 [n_states]``, the last goal that marked each state, -1 for none.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, one bit for each goal with a shortest plan through the state.
        mass: ``float64 [n_states]``, the share of one goal's shortest plans through each state.
    """

    queue: Any
    seen: Any
    words: Any
    mass: Any


def scratch(n_states: int, n_goals: int) -> tuple[_Counts, _Work]:
    """Return new arrays for `_matrices`, as `_Counts` and `_Work`, with the values that they must have at the start."""
    nowhere = np.full(n_states, -1, dtype=np.int32)
    counts = _Counts(nowhere, np.zeros(n_states), np.zeros(n_states, dtype=np.int32))
    words = np.zeros((n_states, -(-n_goals // 64)), dtype=np.uint64)
    return counts, _Work(np.empty(n_states, dtype=np.int32), nowhere.copy(), words, np.zeros(n_states))


@compiled(work=lambda given: 2 * given.starts.size * given.indices.size)
def _matrices(
    successor: Any,
    indptr: Any,
    indices: Any,
    state: int,
    targets: Any,
    starts: Any,
    counts: Any,
    work: Any,
    edp: Any,
    wcd: Any,
    steps: Any,
) -> None:
    """Fill `edp`, `wcd` and `steps` with the values that `capped_matrices` returns.

    `edp` and `wcd` must be all 0 before the call. `counts`, a new `_Counts`, is also filled. `work` is a new `_Work`.
    The other arguments are those of `capped_matrices`.
    """
    n_goals, depth, mantissa, exponent = steps.size, counts.depth, counts.mantissa, counts.exponent
    queue, seen, words, mass = work.queue, work.seen, work.words, work.mass
    count_from(successor, state, queue, depth, mantissa, exponent)
    for goal in range(n_goals):
        own = targets[starts[goal] : starts[goal + 1]]
        steps[goal] = _mark_cone(goal, own, depth, indptr, indices, queue, seen, words)
    seen[:] = -1
    for goal in range(n_goals):
        if steps[goal] >= 0:
            own = targets[starts[goal] : starts[goal + 1]]
            filled = seed_targets(goal, own, steps[goal], depth, mantissa, exponent, queue, seen, mass)
            _follow_back(goal, filled, depth, mantissa, exponent, indptr, indices, queue, seen, words, mass, edp, wcd)


@inner
def count_from(successor: Any, start: int, queue: Any, depth: Any, mantissa: Any, exponent: Any) -> None:
    """Search breadth-first from `start`; store the steps and the number of shortest paths to each state.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        start: the first state.
        queue: ``int32 [n_states]``, work space.
        depth: ``int32 [n_states]``, all -1; filled with the steps.
        mantissa: ``float64 [n_states]``, all 0; filled. There are ``mantissa * BASE ** exponent`` paths.
        exponent: ``int32 [n_states]``, all 0; filled.
    """
    n_actions = successor.shape[1]
    queue[0] = start
    depth[start] = 0
    mantissa[start] = 1.0
    head, filled = 0, 1
    while head < filled:
        s = queue[head]
        head += 1
        for a in range(n_actions):
            t = successor[s, a]
            if t < 0:
                continue
            if depth[t] < 0:
                depth[t] = depth[s] + 1
                queue[filled] = t
                filled += 1
            if depth[t] == depth[s] + 1:
                add_count(mantissa, exponent, t, s)


@inner
def nearest_steps(targets: Any, depth: Any) -> int:
    """Return the steps to the nearest of `targets`, -1 if all are out of reach; `depth` has the steps to each state."""
    nearest = -1
    for t in targets:
        if depth[t] >= 0 and (nearest < 0 or depth[t] < nearest):
            nearest = depth[t]
    return nearest


@inner
def _mark_cone(
    goal: int, targets: Any, depth: Any, indptr: Any, indices: Any, queue: Any, seen: Any, words: Any
) -> int:
    """Mark the states on shortest plans to a goal; return the steps to the goal, -1 if it is out of reach.

    A marked state gets `goal` in `seen`, and the goal's bit in `words`. `targets` are the goal's target states,
    ``int32``. `indptr` and `indices` list predecessors. For the other arrays, see `_Counts` and `_Work`.
    """
    nearest = nearest_steps(targets, depth)
    if nearest < 0:
        return -1
    word, bit = goal // 64, np.uint64(1) << np.uint64(goal % 64)
    head, filled = 0, 0
    for t in targets:
        if depth[t] == nearest and seen[t] != goal:
            seen[t] = goal
            queue[filled] = t
            filled += 1
    while head < filled:
        s = queue[head]
        head += 1
        words[s, word] |= bit
        if depth[s] == 0:
            break  # the start comes last; its unreachable predecessors have depth -1, one less than 0
        for k in range(indptr[s], indptr[s + 1]):
            u = indices[k]
            if depth[u] == depth[s] - 1 and seen[u] != goal:
                seen[u] = goal
                queue[filled] = u
                filled += 1
    return nearest


@inner
def seed_targets(
    goal: int,
    targets: Any,
    nearest: int,
    depth: Any,
    mantissa: Any,
    exponent: Any,
    queue: Any,
    seen: Any,
    mass: Any,
) -> int:
    """Put the nearest targets of a goal into the queue, and return their number.

    Args:
        goal: index of the goal.
        targets: ``int32``, its target states.
        nearest: steps to the nearest of them.
        depth: ``int32 [n_states]``, steps to each state.
        mantissa: ``float64 [n_states]``; there are ``mantissa * BASE ** exponent`` shortest paths to a state.
        exponent: ``int32 [n_states]``.
        queue: ``int32 [n_states]``, filled from its beginning.
        seen: ``int32 [n_states]``, set to `goal` in the nearest targets.
        mass: ``float64 [n_states]``, set to the share of shortest plans that end in each nearest target.
    """
    filled, top = 0, 0
    for t in targets:
        if depth[t] == nearest and seen[t] != goal:
            seen[t] = goal
            queue[filled] = t
            filled += 1
            top = max(top, exponent[t])
    total = 0.0
    for k in range(filled):
        mass[queue[k]] = mantissa[queue[k]] * scale(exponent[queue[k]] - top)
        total += mass[queue[k]]
    for k in range(filled):
        mass[queue[k]] /= total
    return filled


@inner
def _follow_back(
    goal: int,
    filled: int,
    depth: Any,
    mantissa: Any,
    exponent: Any,
    indptr: Any,
    indices: Any,
    queue: Any,
    seen: Any,
    words: Any,
    mass: Any,
    edp: Any,
    wcd: Any,
) -> None:
    """Fill column `goal` of EDP and WCD by following the goal's shortest plans from its targets back to the start.

    The column is 0 before the call. The first `filled` entries of `queue` are the goal's nearest targets. `mass` has
    the share of shortest plans that end in each state, and is 0 after the call. `indptr` and `indices` list
    predecessors. For the other arrays, see `_Counts` and `_Work`.
    """
    head = 0
    while head < filled:
        # Level by level, farthest first: all successors were processed before, so the mass is complete.
        s = queue[head]
        head += 1
        # Every plan starts here, so the mass is exactly 1; rounding must not push a value below 1.
        here = mass[s] if depth[s] > 0 else 1.0
        mass[s] = 0.0
        for w in range(words.shape[1]):
            left = words[s, w]
            while left != 0:
                low = left & (~left + np.uint64(1))
                i = 64 * w + _BIT_INDEX[(low * _DE_BRUIJN) >> np.uint64(58)]
                edp[i, goal] += here
                if wcd[i, goal] == 0.0:
                    wcd[i, goal] = 1.0 + depth[s]
                left ^= low
        if depth[s] == 0:
            break
        for k in range(indptr[s], indptr[s + 1]):
            u = indices[k]
            if depth[u] == depth[s] - 1:
                if seen[u] != goal:
                    seen[u] = goal
                    queue[filled] = u
                    filled += 1
                # Every path to u continues to s, so the count of u is never the larger one.
                mass[u] += here * (mantissa[u] / mantissa[s]) * scale(exponent[u] - exponent[s])


def _mark_shared_targets(
    targets: IntArray, starts: IntArray, steps: IntArray, depth: IntArray, edp: FloatArray, wcd: FloatArray
) -> None:
    """Set EDP and WCD to infinity on the diagonal and for goals that share a nearest target state.

    `edp` and `wcd` are changed in place. `steps` has the steps to each goal, `depth` those to each state. `targets` and
    `starts` are those of `capped_matrices`.
    """
    owners: dict[int, list[int]] = {}
    for goal in range(starts.size - 1):
        for t in targets[starts[goal] : starts[goal + 1]]:
            if steps[goal] >= 0 and depth[t] == steps[goal]:
                owners.setdefault(int(t), []).append(goal)
    for goals in owners.values():
        if len(goals) > 1:
            pairs = np.ix_(goals, goals)
            edp[pairs] = np.inf
            wcd[pairs] = np.inf
    np.fill_diagonal(edp, np.inf)
    np.fill_diagonal(wcd, np.inf)
