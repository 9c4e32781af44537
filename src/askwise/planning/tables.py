"""A problem as plain arrays for compiled loops, seen from a state of the teammate.

**The belief needs no filter.** The teammate draws one of all its shortest plans uniformly (a uniformly random optimal
policy, UROP). Let ``w0`` be the state from which the problem is seen, and ``N_g(w)`` the number of shortest plans for
goal `g` from state `w`. If the goal is `g`, each path from ``w0`` to `w` on a shortest plan has the probability
``reach[w, g] = N_g(w) / N_g(w0)``, which is 0 if there is no such path. Let ``weight = prior * reach``, `A` the goals
that all answers allow, and ``Z_A(w)`` the sum of ``weight[w, g]`` over `A`. Then:

- goal `g` has the probability ``weight[w, g] / Z_A(w)``;
- the teammate's next state is ``w'`` with probability ``Z_A(w') / Z_A(w)``, if ``w'`` follows `w` and is one step
  further from ``w0``;
- the teammate stays at a target of goal `g` with probability ``weight[w, g] / Z_A(w)``.

A set of goals is a row of 64-bit words, goal `g` in bit ``g % 64`` of word ``g // 64``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise._compiled import compiled
from askwise.core.problem import Problem
from askwise.core.questions import AdditivePrice, additive_price
from askwise.core.side import CarrierTable
from askwise.errors import InputError
from askwise.model.graph import BASE, add_count
from askwise.text.reading import check_size
from askwise.types import FloatArray, IntArray

Words = NDArray[np.uint64]

BLOCK = 2**11
"""States that are processed at a time, to save memory."""
SMALLEST = 1e-300
"""The least weight of a possible goal, however unlikely it is."""


@dataclass(frozen=True, eq=False)
class Tables:
    """A problem as arrays, seen from one state of the teammate.

    Attributes:
        prior: ``float64 [n_goals]``, probabilities of the goals at `start`.
        start: the teammate's state from which the problem is seen.
        depth: ``int32 [n_states]``, steps from `start`, -1 for states on no plan for a possible goal.
        following: ``int32 [n_states, n_moves]``, next states on plans for possible goals, padded with -1.
        steps: ``int32 [n_states, n_goals]``, steps to each goal, -1 if unknown.
        weight: ``float64 [n_states, n_goals]``, prior times the probability of one path to the state.
        alive: ``uint64 [n_states, n_words]``, goals of positive weight, as bits.
        ego: the ego agent's side as arrays.
    """

    prior: FloatArray
    start: int
    depth: IntArray
    following: IntArray
    steps: IntArray
    weight: FloatArray
    alive: Words
    ego: CarrierTable

    @property
    def goals(self) -> list[int]:
        """The indices of the goals of positive prior."""
        return [int(goal) for goal in np.flatnonzero(self.prior > 0)]

    @property
    def n_goals(self) -> int:
        """Number of goals."""
        return int(self.prior.size)


def tables_of(problem: Problem, *, prior: FloatArray | None = None, start: int | None = None) -> Tables:
    """Return a problem as arrays, seen from a state of the teammate.

    Args:
        problem: the problem; its teammate's model is deterministic.
        prior: probabilities of the goals with the teammate at `start`, by default the problem's prior. Goals that
            cannot be reached get no weight.
        start: the state of the teammate, by default its start.
    """
    weights = np.asarray(problem.prior if prior is None else prior, dtype=np.float64)
    start = problem.start.teammate if start is None else start
    n_states, n_goals = problem.teammate.model.n_states, weights.size
    sizes = f"{n_states} states and {n_goals} goals"
    check_size(_bytes_of(problem), "tables of the planner", sizes, "a smaller problem, another method")
    successor = _moves(problem)
    home = np.asarray(problem.teammate.steps(start), dtype=np.int32)
    depth = np.full(n_states, -1, dtype=np.int32)
    order = _levels(successor, start, int(home[weights > 0].max()), depth)
    steps = _steps(problem, order, n_states, n_goals)
    weight = np.zeros((n_states, n_goals))
    _count(successor, order, depth, steps, home, for_loops(weights, np.float64), weight)
    possible = weight > 0
    np.multiply(weight, weights, out=weight)
    np.maximum(weight, SMALLEST, out=weight, where=possible)
    depth[~possible.any(axis=1)] = -1
    following = np.full_like(successor, -1)
    _list_following(successor, depth, following)
    return Tables(weights, start, depth, following, steps, weight, mask_rows(possible), problem.ego.table())


def _bytes_of(problem: Problem) -> int:
    """Return the memory in bytes that the tables of a problem take, including the memory for making them."""
    n_states, n_goals = problem.teammate.model.n_states, len(problem.goals)
    each_goal = 4 + 8 + 1  # steps, weight, possible
    moves = 4 * 4 * 2  # successor and following, of four moves
    counts = 4 + 4 + 8 + 4  # depth, order, mantissa and exponent
    ego = 4 * (3 if problem.ego.loads else 2)  # steps with and without a load, and the distances
    teammate = n_goals * each_goal + moves + counts + 8 * n_words_of(n_goals)
    return n_states * teammate + problem.ego.model.n_states * n_goals * ego


def _steps(problem: Problem, order: IntArray, n_states: int, n_goals: int) -> IntArray:
    """Return the teammate's steps to each goal, ``int32 [n_states, n_goals]``; only states in `order` are filled.

    `order` has indices of states. The steps from all other states are -1.
    """
    steps = np.full((n_states, n_goals), -1, dtype=np.int32)
    for start in range(0, order.size, BLOCK):
        part = order[start : start + BLOCK]
        steps[part] = problem.teammate.steps(part)
    return steps


def mask_rows(members: Any) -> Words:
    """Return sets of goals, ``bool [..., n_goals]``, as bits of 64-bit words, ``uint64 [..., n_words]``."""
    members = np.asarray(members, dtype=bool)
    n_goals = members.shape[-1]
    rows = members.reshape(-1, n_goals)
    words = np.empty((len(rows), n_words_of(n_goals)), dtype=np.uint64)
    for start in range(0, len(rows), BLOCK):  # in blocks: one byte per bit takes eight times the memory
        part = rows[start : start + BLOCK]
        padded = np.zeros((len(part), 64 * words.shape[1]), dtype=np.uint8)
        padded[:, :n_goals] = part
        words[start : start + BLOCK] = np.packbits(padded, axis=-1, bitorder="little").view("<u8")
    return words.reshape(*members.shape[:-1], words.shape[1])


def for_loops(array: Any, kind: Any) -> Any:
    """Return an array of dtype `kind`, contiguous and read-only, so that kernels are compiled for one type only."""
    found = np.ascontiguousarray(array, dtype=kind).view()
    found.setflags(write=False)
    return found


def n_words_of(n_goals: int) -> int:
    """Return the number of 64-bit words that a set of goals needs if each of `n_goals` goals has one bit."""
    return max(1, -(-n_goals // 64))


def goals_in(mask: Words) -> list[int]:
    """Return the indices of the goals in one set, given as bits of 64-bit words."""
    bits = np.unpackbits(np.asarray(mask, dtype="<u8").view(np.uint8), bitorder="little")
    return [int(goal) for goal in np.flatnonzero(bits)]


def _moves(problem: Problem) -> IntArray:
    """Return the teammate's next state after each move, ``int32 [n_states, n_moves]``; staying is not a move."""
    model = problem.teammate.model
    kept = [a for a in range(model.n_actions) if a != model.stay]
    return np.ascontiguousarray(model.successor[:, kept], dtype=np.int32)


@compiled(work=lambda given: given.successor.size)
def _levels(successor: Any, start: int, furthest: int, depth: Any) -> Any:
    """Search the teammate's states breadth-first from `start`, up to `furthest` steps, and return the states found.

    `successor` is ``int32 [n_states, n_moves]``, the next states, -1 for none. `depth` is ``int32 [n_states]``, -1 at
    first; it is filled with the steps from `start`. The result is ``int32 [n]``, the nearest states first.
    """
    order = np.empty(successor.shape[0], dtype=np.int32)
    order[0] = start
    depth[start] = 0
    head, filled = 0, 1
    while head < filled:
        s = order[head]
        head += 1
        if depth[s] >= furthest:
            break
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t >= 0 and depth[t] < 0:
                depth[t] = depth[s] + 1
                order[filled] = t
                filled += 1
    return order[:filled]


@compiled(work=lambda given: given.successor.size * given.prior.size)
def _count(successor: Any, order: Any, depth: Any, steps: Any, home: Any, prior: Any, reach: Any) -> None:
    """Fill `reach`: the number of a goal's shortest plans from a state, divided by their number from the start.

    `order` has the states, the nearest to the start first. `depth` (``int32 [n_states]``) has the steps from the start
    to each state, `home` (``int32 [n_goals]``) those from the start to each goal, and `steps`
    (``int32 [n_states, n_goals]``) those from each state to each goal. `reach` is ``float64 [n_states, n_goals]``, 0 at
    first.
    """
    n_states, n_moves = successor.shape
    mantissa = np.zeros(n_states)
    exponent = np.zeros(n_states, dtype=np.int32)
    for goal in range(prior.size):
        if prior[goal] <= 0 or home[goal] < 0:
            continue
        for k in range(order.size - 1, -1, -1):
            s = order[k]
            mantissa[s] = 0.0
            left = steps[s, goal]
            if left < 0 or depth[s] + left != home[goal]:
                continue
            if left == 0:
                mantissa[s] = 1.0
                exponent[s] = 0
                continue
            for a in range(n_moves):
                t = successor[s, a]
                # Counts of states on no plan are 0: they lie one step further, so they were set just before.
                if t >= 0 and depth[t] == depth[s] + 1 and steps[t, goal] == left - 1:
                    add_count(mantissa, exponent, s, t)
        start = order[0]
        for k in range(order.size):
            s = order[k]
            if mantissa[s] > 0:
                down = exponent[s] - exponent[start]
                share = mantissa[s] / mantissa[start] * (BASE**down if down >= -3 else 0.0)
                reach[s, goal] = max(share, SMALLEST)


@compiled(work=lambda given: given.successor.size)
def _list_following(successor: Any, depth: Any, following: Any) -> None:
    """Fill `following`: for each state of the teammate, the next states that are one step further from the start.

    `successor` has all next states, -1 for none; `following` is filled from the left; both are
    ``int32 [n_states, n_moves]``. `depth` has the steps from the start; states of depth -1 are left out.
    """
    for s in range(successor.shape[0]):
        if depth[s] < 0:
            continue
        filled = 0
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t >= 0 and depth[t] == depth[s] + 1:
                following[s, filled] = t
                filled += 1


# -- prices of questions, as a sum over the goals named -------------------------------------------------------------


PRICE_ROUNDING = 1e-12
"""Parts of a price that was given as a function are differences: values this little below 0 count as 0."""


def price_for_planning(problem: Problem, reason: str) -> AdditivePrice:
    """Return a problem's price of yes/no questions: a base price plus a price for each goal named.

    Raises an `InputError` if the price does not have this form or can be below 0; the message ends with `reason`.
    """
    price = additive_price(problem.query_cost, len(problem.goals), reason)
    added = price.per_goal + price.extra
    least = min(float(added.min()), price.base + float(added.min()))
    if least < -PRICE_ROUNDING:
        raise InputError("query cost", f"{least:g} for a question or a goal in it", f"nothing below 0: {reason}")
    return price
