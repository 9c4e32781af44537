"""EDP and WCD of all pairs of goals at one state of a deterministic model.

EDP(s0, i | j) is the expected step at which goal `i` is ruled out if the agent pursues goal `j` from state `s0`. WCD is
the latest such step. `askwise.divergence.edp_tables` computes EDP at all states in a table; for one state no table is
needed. Let ``d(s)`` be the number of steps from `s0` to `s`. The *cone* of a goal is the set of states on optimal plans
from `s0` to the goal. After any optimal prefix that ends in `s`, goal `i` is still possible if and only if `s` is in
the cone of `i`. So whether a goal is ruled out depends on where the agent is, not on the path that led there.
Therefore::

    EDP(s0, i | j) = sum of P_j(s) over all s that are in cone(i) and in cone(j)
    WCD(s0, i, j)  = 1 + max of d(s) over all s that are in cone(i) and in cone(j)

where ``P_j(s)`` is the probability that a uniformly drawn plan for `j` passes through `s`. Let ``M(s)`` be the number
of shortest paths from `s0` to `s`. A uniformly drawn plan that passes through `s` came there from the state `u` with
probability ``M(u) / M(s)``, whatever its goal. So one breadth-first search from `s0`, which also counts the paths,
serves all goals. Then ``P_j`` is computed backwards from each goal over its cone. Maps of a million cells with hundreds
of goals take seconds, and one bit of memory for each state and goal.

Goals that share a nearest target state may never be told apart: their EDP and WCD are infinite. EDP and WCD of a goal
with itself are infinite, too.
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

    EDP, the expected divergence point, is the expected step at which one goal is ruled out while the agent pursues
    another goal. WCD, worst-case distinctiveness, is the latest such step. EDP and WCD are
    ``float64 [n_goals (ruled out), n_goals (pursued)]``, ``inf`` on the diagonal and for goals that share a nearest
    target state. The steps are ``int32 [n_goals]``, -1 if the goal is out of reach.

    Args:
        model: a deterministic model.
        state: index of the state in which the agent is now.
        targets: ``int32``, the states in which goal 0 is reached, then those in which goal 1 is reached, and so on.
        starts: ``int32 [n_goals + 1]``; the target states of goal g are ``targets[starts[g]:starts[g + 1]]``.
    """
    edp, wcd, steps, depth = _fill(model.successor, *model.predecessors, state, targets, starts)
    _mark_shared_targets(targets, starts, steps, depth, edp, wcd)
    return edp, wcd, steps


def capped_matrices(
    successor: IntArray, indptr: Any, indices: IntArray, state: int, targets: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return EDP and WCD of all pairs of goals, if observation ends with the step in which the agent stays at its goal.

    EDP, the expected divergence point, is the expected step at which one goal is ruled out while the agent pursues
    another goal. WCD, worst-case distinctiveness, is the latest such step. A goal that is still possible in the last
    observed step counts as ruled out in that step. So all values are finite, even those of a goal with itself and
    of two goals that share a nearest target state, for which `matrices_at` returns ``inf``. Other values are the same
    as in `matrices_at`.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none. This array and the following
            arrays are read-only.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: ``int32``, the predecessors of all states, as in `Model.predecessors`.
        state: index of the state in which the agent is now.
        targets: ``int32``, the states in which goal 0 is reached, then those in which goal 1 is reached, and so on.
        starts: ``int32 [n_goals + 1]``; the target states of goal g are ``targets[starts[g]:starts[g + 1]]``.

    Returns:
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, EDP.
        wcd: ``float64 [n_goals (ruled out), n_goals (pursued)]``, WCD.
        steps: ``int32 [n_goals]``, the steps to each goal, -1 if the goal is out of reach.
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
    """Return the number of bytes of memory that a call of `matrices_at` takes, temporary arrays included."""
    states = 4 + 8 + 4 + 4 + 4 + 8 + 4  # depth, mantissa, exponent, two queues, mass, seen
    return 16 * n_goals**2 + n_states * (states + 8 * -(-n_goals // 64))


class _Counts(NamedTuple):
    """The length and the number of the shortest paths from one state to every state.

    Attributes:
        depth: ``int32 [n_states]``, steps to each state, -1 where it is out of reach.
        mantissa: ``float64 [n_states]``, the number of shortest paths to each state is ``mantissa * BASE ** exponent``
            with ``BASE = 2.0 ** 256``.
        exponent: ``int32 [n_states]``, see `mantissa`.
    """

    depth: Any
    mantissa: Any
    exponent: Any


class _Work(NamedTuple):
    """Temporary arrays for computing EDP and WCD of all pairs of goals at one state.

    EDP is the expected step, and WCD the latest step, at which goals are told apart. The cone of a goal is the set of
    states on shortest plans from this state to the goal.

    Attributes:
        queue: ``int32 [n_states]``, states waiting to be expanded.
        seen: ``int32 [n_states]``, the last goal whose cone was found to contain the state, -1 for none.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, one bit for each goal whose cone contains the state.
        mass: ``float64 [n_states]``, the share of shortest plans that pass through each state, for the goal that is
            being processed.
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
    """Compute EDP and WCD of all pairs of goals at `state`, as `capped_matrices` defines them.

    EDP, the expected divergence point, is the expected step at which one goal is ruled out while the agent pursues
    another goal. WCD, worst-case distinctiveness, is the latest such step.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: ``int32``, the predecessors of all states.
        state: index of the state in which the agent is now.
        targets: ``int32``, the states in which goal 0 is reached, then those in which goal 1 is reached, and so on.
        starts: ``int32 [n_goals + 1]``; the target states of goal g are ``targets[starts[g]:starts[g + 1]]``.
        counts: new `_Counts`; this function fills it with the lengths and numbers of shortest paths from `state` to
            every state.
        work: new `_Work`, temporary arrays.
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, all 0, filled with EDP.
        wcd: ``float64 [n_goals (ruled out), n_goals (pursued)]``, all 0, filled with WCD.
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
    """Search breadth-first from `start`; store the steps and the number of shortest paths to each state.

    Args:
        successor: ``int32 [n_states, n_actions]``, next states, -1 where there is none.
        start: the first state.
        queue: ``int32 [n_states]``, work space.
        depth: ``int32 [n_states]``, all -1; filled with the steps.
        mantissa: ``float64 [n_states]``, all 0; filled so that the number of shortest paths to each state is
            ``mantissa * BASE ** exponent`` with ``BASE = 2.0 ** 256``.
        exponent: ``int32 [n_states]``, all 0; see `mantissa`.
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

    Args:
        goal: index of the goal.
        targets: ``int32``, the states in which the goal is reached.
        depth: ``int32 [n_states]``, steps from the first state of the plans.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: ``int32``, the predecessors of all states.
        queue: ``int32 [n_states]``, work space.
        seen: ``int32 [n_states]``, set to `goal` in the marked states.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, one bit for each goal; the bit of this goal is set in the
            marked states.
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

    Each of these targets gets a share in `mass`: the number of shortest plans to this target, divided by the number of
    shortest plans to all nearest targets.

    Args:
        goal: index of the goal.
        targets: ``int32``, the states in which the goal is reached.
        nearest: steps to the nearest of the targets.
        depth: ``int32 [n_states]``, steps from the first state of the plans.
        mantissa: ``float64 [n_states]``, the number of shortest paths to a state is ``mantissa * BASE ** exponent``
            with ``BASE = 2.0 ** 256``.
        exponent: ``int32 [n_states]``, see `mantissa`.
        queue: ``int32 [n_states]``, filled from its beginning.
        seen: ``int32 [n_states]``, set to `goal` in the nearest targets.
        mass: ``float64 [n_states]``, set to the shares in the nearest targets.
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

    EDP, the expected divergence point, is the expected step at which one goal is ruled out while the agent pursues
    another goal. WCD, worst-case distinctiveness, is the latest such step.

    Args:
        goal: index of the pursued goal.
        filled: number of the goal's nearest target states; they are the first entries of `queue`.
        depth: ``int32 [n_states]``, steps from the start.
        mantissa: ``float64 [n_states]``, the number of shortest paths to a state is ``mantissa * BASE ** exponent``
            with ``BASE = 2.0 ** 256``.
        exponent: ``int32 [n_states]``, see `mantissa`.
        indptr: ``int64 [n_states + 1]``, the predecessors of state s are ``indices[indptr[s]:indptr[s + 1]]``.
        indices: ``int32``, the predecessors of all states.
        queue: ``int32 [n_states]``, states waiting to be processed.
        seen: ``int32 [n_states]``, which is set to `goal` in the states that are put into the queue; the target states
            are already marked.
        words: ``uint64 [n_states, ceil(n_goals / 64)]``, one bit for each goal, set if the goal is still possible in
            the state.
        mass: ``float64 [n_states]``, the share of the goal's shortest plans that end in each target state, 0 in all
            other states; after the call it is 0 everywhere.
        edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, EDP; 0 in this column before the call.
        wcd: ``float64 [n_goals (ruled out), n_goals (pursued)]``, WCD; 0 in this column before the call.
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

    EDP is the expected step, and WCD the latest step, at which goals are told apart. An agent that goes to a shared
    target state never tells the goals apart.

    Args:
        targets: ``int32``, the states in which goal 0 is reached, then those in which goal 1 is reached, and so on.
        starts: ``int32 [n_goals + 1]``; the target states of goal g are ``targets[starts[g]:starts[g + 1]]``.
        steps: ``int32 [n_goals]``, steps to each goal, -1 if out of reach.
        depth: ``int32 [n_states]``, steps from the agent's state to each state.
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
