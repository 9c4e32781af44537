"""EDP and WCD of all pairs of goals at one state of a deterministic model.

`askwise.divergence.edp_tables` has EDP at all states. Here no table is needed. Let `s0` be the state, `d` the steps
from it, and the *cone* of a goal the states that lie on some optimal plan from `s0` to it. After any optimal prefix
that ends in `s`, goal `i` is still possible if and only if `s` is in the cone of `i`: whether a goal is ruled out
depends on where the agent is, not on the path that led there. Therefore

    EDP(s0, i | j) = sum over s in cone(i) and cone(j) of P_j(s),      WCD(s0, i, j) = 1 + max of d(s) over these

where ``P_j(s)`` is the probability that a uniformly drawn plan for `j` passes through `s`. Read backwards from the
goal, a uniformly drawn plan came to `s` from `u` with probability ``M(u) / M(s)``, with `M` the number of shortest
paths from `s0`: the same for all goals. One breadth-first search and one count from `s0` serve all goals, then each
goal is followed back over its own cone. Memory is one bit for each state and goal, so maps of a million cells with
hundreds of goals take seconds.

Goals that share a nearest target may never be told apart: their EDP and WCD are infinite. So are those of a goal with
itself.
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

    EDP and WCD are ``float64 [n_goals (ruled out), n_goals (pursued)]``, ``inf`` on the diagonal and for goals that
    share a nearest target. The steps are ``int32 [n_goals]``, -1 if the goal is out of reach.

    Args:
        model: a deterministic model.
        state: index of the state in which the agent is now.
        targets: the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, index in `targets` where each goal begins.
    """
    edp, wcd, steps, depth = _fill(model.successor, *model.predecessors, state, targets, starts)
    _mark_shared_targets(targets, starts, steps, depth, edp, wcd)
    return edp, wcd, steps


def capped_matrices(
    successor: IntArray, indptr: Any, indices: IntArray, state: int, targets: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return EDP and WCD of all pairs of goals for an observer who stops watching when the agent stays at its goal.

    The steps to each goal are returned, too. Unlike the values of `matrices_at`, all values are finite. Those of a goal
    with itself, and of goals that share a nearest target, are at most the number of the step in which observation ends;
    other values are the same.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none; read-only, as all arrays here.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: the predecessors of all states, as in `Model.predecessors`.
        state: index of the state in which the agent is now.
        targets: the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, index in `targets` where each goal begins.

    Returns:
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``.
        wcd: the same for the worst case.
        steps: ``int32 [n_goals]``, -1 if the goal is out of reach.
    """
    return _fill(successor, indptr, indices, state, targets, starts)[:3]


def _fill(
    successor: IntArray, indptr: Any, indices: IntArray, state: int, targets: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the three results of `capped_matrices` and, as a fourth, the steps from `state` to every state.

    The steps are ``int32 [n_states]``. The arguments are those of `capped_matrices`.
    """
    n_goals = starts.size - 1
    edp = np.zeros((n_goals, n_goals))
    wcd = np.zeros((n_goals, n_goals))
    steps = np.empty(n_goals, dtype=np.int32)
    counts, work = scratch(successor.shape[0], n_goals)
    _matrices(successor, indptr, indices, state, targets, starts, counts, work, edp, wcd, steps)
    return edp, wcd, steps, counts.depth


def matrices_bytes(n_states: int, n_goals: int) -> int:
    """Return the bytes that a call of `matrices_at` takes, temporary arrays included."""
    states = 4 + 8 + 4 + 4 + 4 + 8 + 4  # depth, mantissa, exponent, two queues, mass, seen
    return 16 * n_goals**2 + n_states * (states + 8 * -(-n_goals // 64))


class _Counts(NamedTuple):
    """The shortest paths from one state to every state: their lengths and numbers.

    Attributes:
        depth: ``int32 [n_states]``, steps to each state, -1 where it is out of reach.
        mantissa: ``float64 [n_states]``, the number of paths is ``mantissa * BASE ** exponent``.
        exponent: ``int32 [n_states]``, see `mantissa`.
    """

    depth: Any
    mantissa: Any
    exponent: Any


class _Work(NamedTuple):
    """Temporary arrays for computing EDP and WCD of all pairs of goals at one state.

    The cone of a goal is the set of states on shortest plans from the queried state to the goal.

    Attributes:
        queue: ``int32 [n_states]``, states waiting to be expanded.
        seen: ``int32 [n_states]``, the last goal whose cone contained the state, -1 for none.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, one bit for each goal whose cone contains the state.
        mass: ``float64 [n_states]``, the share of the current goal's shortest plans that pass through each state.
    """

    queue: Any
    seen: Any
    words: Any
    mass: Any


def scratch(n_states: int, n_goals: int) -> tuple[_Counts, _Work]:
    """Return new `_Counts` and `_Work` for a model and goals of this size, with the values that `_matrices` needs."""
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
    """Compute EDP and WCD of all pairs of goals at `state`; observation ends when the agent stays at its goal.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: the predecessors of all states.
        state: index of the state in which the agent is now.
        targets: the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, index in `targets` where each goal begins.
        counts: new `_Counts`, filled with the shortest paths from `state`.
        work: new `_Work`, temporary.
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, all 0, to be filled.
        wcd: the same for the worst case.
        steps: ``int32 [n_goals]``, filled with the steps to each goal, -1 if out of reach.
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
    """Search breadth-first from `start`; fill in the steps to each state and its number of shortest paths.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        start: the first state.
        queue: ``int32 [n_states]``, work space.
        depth: ``int32 [n_states]``, all -1; filled with the steps.
        mantissa: ``float64 [n_states]``, all 0; the number of paths becomes ``mantissa * BASE ** exponent``.
        exponent: ``int32 [n_states]``, all 0.
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
    """Mark the states on shortest plans to a goal; return the steps to it, -1 if it is out of reach.

    Args:
        goal: index of the goal.
        targets: its target states.
        depth: ``int32 [n_states]``, steps from the first state of the plans.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: the predecessors of all states.
        queue: ``int32 [n_states]``, work space.
        seen: ``int32 [n_states]``, set to `goal` in the marked states.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, in which the bit of the goal is set in the marked states.
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

    The mass of each target is set to the share of the goal's shortest plans that end there.

    Args:
        goal: index of the goal.
        targets: the goal's target states.
        nearest: steps to the nearest of them.
        depth: ``int32 [n_states]``, steps from the first state of the plans.
        mantissa: ``float64 [n_states]``, the number of shortest paths to a state is ``mantissa * BASE ** exponent``.
        exponent: ``int32 [n_states]``, see `mantissa`.
        queue: ``int32 [n_states]``, filled from its beginning.
        seen: ``int32 [n_states]``, set to `goal` in these targets.
        mass: ``float64 [n_states]``, in which the shares are set.
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
    """Fill column `goal` of EDP and WCD by following the goal's shortest plans from its targets back to their start.

    Args:
        goal: index of the pursued goal.
        filled: number of the goal's nearest targets, which are in the queue.
        depth: ``int32 [n_states]``, steps from the start.
        mantissa: ``float64 [n_states]``, the number of shortest paths to a state is ``mantissa * BASE ** exponent``.
        exponent: ``int32 [n_states]``, see `mantissa`.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: the predecessors of all states.
        queue: ``int32 [n_states]``, states waiting to be processed.
        seen: ``int32 [n_states]``, `goal` in the states that were put into the queue.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, one bit for each goal that is still possible in the state.
        mass: ``float64 [n_states]``, the share of plans that end in each target, 0 in other states; set to 0 everywhere
            when it has been used.
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, to be filled.
        wcd: the same for the worst case.
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
    """Set EDP and WCD to infinity on the diagonal and for goals that share a nearest target.

    Args:
        targets: the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, index in `targets` where each goal begins.
        steps: ``int32 [n_goals]``, steps to each goal, -1 if out of reach.
        depth: ``int32 [n_states]``, steps to each state.
        edp: ``float64 [n_goals, n_goals]``, changed in place.
        wcd: ``float64 [n_goals, n_goals]``, changed in place.
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
