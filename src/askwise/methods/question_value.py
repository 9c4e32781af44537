"""The value of a question (paper, section "Computing the Value of a Query").

It depends on three arrays for `n` possible goals:

- ``P[n]``, the belief: the probability of each goal;
- ``B[n, n]``, the branching: the ego agent's plans for goals `i` and `j` must differ at step ``B[i, j]``;
- ``E[n, n]``, the divergence: goal `i` is expected to be ruled out at step ``E[i, j]`` if `j` is true.

Let `g` be the true goal and `S` the set of possible goals. Every other goal `h` in `S` leaves the ego agent without a
clear action from step ``B[g, h]`` to step ``E[h, g]``. The interval from `b` to `e` is stored as ``(b - 1, e]``. The
*conflict steps* ``U_g(S)`` are the number of steps that the intervals of all `h` cover.

A question `q` splits `S` in two sides. Its answer leaves only the side of the true goal. Its value is the expected
number of conflict steps saved::

    V(q) = sum over g of P(g) [U_g(S) - U_g(side of g)]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner
from askwise.core.questions import Price
from askwise.divergence.zones import ROUNDING
from askwise.errors import InputError
from askwise.text.reading import check_size
from askwise.types import BoolArray, FloatArray

FOREVER = 1e9
"""The end of intervals for two goals that watching never tells apart: long enough to be worth any price, and short
enough to be added and subtracted without loss."""

EACH_INTERVAL = 81
"""Bytes of memory for each interval while the lists are made, which are sorted in two ways."""


class QuestionValue:
    """Computes the value of questions about `n` possible goals.

    The value is the number of steps without a clear action that the answer is expected to save.

    Args:
        belief: ``float64 [n]``, probabilities of the goals.
        branching: ``float64 [n, n]``, step at which the ego agent's plans for two goals must differ; diagonal ignored.
        divergence: ``float64 [n, n]``, step at which the row's goal is expected to be ruled out if the column's is
            true.
        cost: price of a question: a `QueryCost`, or a function of goal indices.
    """

    def __init__(self, belief: FloatArray, branching: FloatArray, divergence: FloatArray, cost: Price) -> None:
        self.belief = np.ascontiguousarray(belief, dtype=np.float64)
        self.n = self.belief.size
        _check(self.belief, branching, divergence)
        self.cost = cost
        self.intervals = _intervals(branching, divergence)
        self.conflict_steps: FloatArray = union_lengths(np.ones(self.n, dtype=np.bool_), self.intervals)
        """``float64 [n]``: ``U_g(S)``, steps without a clear action if `g` is the true goal and nothing is asked."""

    def value(self, asked: Any) -> float:
        """Return the value of a question: how many steps without a clear action it is expected to save.

        In such a step, no action is optimal for all possible goals.

        Args:
            asked: the goals in the question: their indices, or a mask ``bool [n]``.
        """
        kept = union_lengths(as_mask(asked, self.n), self.intervals)
        return float(self.belief @ (self.conflict_steps - kept))

    def net(self, asked: Any) -> float:
        """Return the number of steps that the answer to a question is expected to save, minus the question's price.

        Args:
            asked: the goals in the question: their indices, or a mask ``bool [n]``.
        """
        mask = as_mask(asked, self.n)
        return self.value(mask) - self.cost(np.flatnonzero(mask).tolist())

    def values(self, questions: BoolArray) -> FloatArray:
        """Return the value of each of `m` questions, ``float64 [m]``: the steps that its answer is expected to save.

        Args:
            questions: ``bool [m, n]``, a row for each question, True for the goals in the question.
        """
        batch = np.ascontiguousarray(questions, dtype=np.bool_)
        if batch.ndim != 2 or batch.shape[1] != self.n:
            raise InputError(
                "questions", f"an array of shape {batch.shape}", f"(m, {self.n}), one column for each goal"
            )
        found = np.empty(batch.shape[0])
        _values(batch, self.belief, self.conflict_steps, self.intervals, found)
        return found

    def flips(self, asked: Any) -> FloatArray:
        """Return for each goal how much the value of a question changes if this goal moves into or out of it.

        The result is ``float64 [n]``. The value is the number of steps that the answer is expected to save.

        Args:
            asked: the goals in the question: their indices, or a mask ``bool [n]``.
        """
        mask = as_mask(asked, self.n).copy()
        change = np.empty(self.n)
        kept = union_lengths(mask, self.intervals)
        for goal in range(self.n):
            change[goal] = flip_gain(goal, mask, kept, self.belief, self.intervals)
        return change


def as_mask(asked: Any, n: int) -> BoolArray:
    """Return a question as a mask ``bool [n]``, True for the goals in the question.

    Args:
        asked: the goals in the question: their indices, or such a mask.
        n: number of goals.
    """
    given = np.asarray(asked)
    if given.dtype == np.bool_:
        if given.shape != (n,):
            raise InputError("question", f"a mask of shape {given.shape}", f"({n},), one entry for each goal")
        return np.ascontiguousarray(given)
    mask = np.zeros(n, dtype=np.bool_)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise InputError("question", f"{given.tolist()!r}", f"numbers from 0 to {n - 1}, or a mask")
    numbers = given.astype(np.int64)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < n):
        raise InputError("question", f"goals {numbers.tolist()}", f"numbers from 0 to {n - 1}")
    mask[numbers] = True
    return mask


def _check(belief: FloatArray, branching: FloatArray, divergence: FloatArray) -> None:
    n = belief.size
    if belief.ndim != 1 or not np.isfinite(belief).all():
        raise InputError("belief", f"{belief.tolist()}", "one finite probability for each goal")
    for field, matrix in (("branching", branching), ("divergence", divergence)):
        if np.shape(matrix) != (n, n):
            raise InputError(field, f"an array of shape {np.shape(matrix)}", f"({n}, {n}), as many as beliefs")
        if np.isnan(matrix).any():
            raise InputError(field, "nan", "steps, or inf for never")


class Intervals(NamedTuple):
    """The interval of steps in which the ego agent has no clear action, for each true goal and each other goal.

    An interval has all steps after `begin`, up to `end`. It begins when the ego agent's plans for the two goals differ,
    and ends when the other goal is ruled out. Intervals are sorted by true goal, then by `begin`, then longest first.
    There are `n` goals and `m` intervals; none is empty.

    Attributes:
        starts: ``int64 [n + 1]``, first interval of each true goal, then `m`.
        others: ``int32 [m]``, the other goal.
        begin: ``float64 [m]``.
        end: ``float64 [m]``.
        first: ``int64 [m]``, first interval with the same true goal and `begin`.
        following: ``int64 [m]``, 1 plus the last such interval.
        users: ``int32 [m]``, the true goals of all intervals, sorted by other goal.
        places: ``int64 [m]``, the interval of each entry of `users`.
        user_starts: ``int64 [n + 1]``, first entry in `users` of each other goal, then `m`.
    """

    starts: Any
    others: Any
    begin: Any
    end: Any
    first: Any
    following: Any
    users: Any
    places: Any
    user_starts: Any


def _intervals(branching: FloatArray, divergence: FloatArray) -> Intervals:
    n = branching.shape[0]
    # Row g has the intervals if g is the true goal. Divergence is [ruled out, pursued], so it is transposed.
    first, last = np.asarray(branching, dtype=np.float64), np.asarray(divergence, dtype=np.float64).T
    last = np.minimum(last, FOREVER)
    filled = (first <= last + ROUNDING) & ~np.eye(n, dtype=bool)
    check_size(EACH_INTERVAL * int(np.count_nonzero(filled)), "question", f"{n} possible goals")
    owner, other = np.nonzero(filled)
    begin, end = first[owner, other] - 1, np.maximum(last, first)[owner, other]
    order = np.lexsort((-end, begin, owner))
    owner, other, begin, end = owner[order], other[order].astype(np.int32), begin[order], end[order]
    changes = np.flatnonzero((np.diff(owner) != 0) | (np.diff(begin) != 0)) + 1
    bounds = np.concatenate(([0], changes, [owner.size]))
    together = np.diff(bounds)
    by_other = np.argsort(other, kind="stable")
    return Intervals(
        starts=_offsets(owner, n),
        others=other,
        begin=begin,
        end=end,
        first=np.repeat(bounds[:-1], together),
        following=np.repeat(bounds[1:], together),
        users=owner[by_other].astype(np.int32),
        places=by_other,
        user_starts=_offsets(other, n),
    )


def _offsets(numbers: Any, n: int) -> Any:
    return np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=n)))).astype(np.int64)


@inner
def union_length(g: int, side: Any, sides: Any, intervals: Any) -> float:
    """Return the number of steps without a clear action after an answer, if `g` is the true goal.

    These are the steps that the intervals of goals still possible cover together.

    Args:
        g: index of the true goal.
        side: the side of the question that stays possible, a value in `sides`.
        sides: ``bool [n]`` or ``int8 [n]``, the side of each goal.
        intervals: steps without a clear action, by true goal and other goal.
    """
    length = 0.0
    reach = -np.inf
    k = intervals.starts[g]
    stop = intervals.starts[g + 1]
    while k < stop:
        if sides[intervals.others[k]] != side:
            k += 1
            continue
        if intervals.begin[k] > reach:
            length += intervals.end[k] - intervals.begin[k]
            reach = intervals.end[k]
        elif intervals.end[k] > reach:
            length += intervals.end[k] - reach
            reach = intervals.end[k]
        k = intervals.following[k]  # the first interval on this side contains all others with the same start
    return length


@compiled(work=lambda given: given.mask.size + given.intervals.others.size)
def union_lengths(mask: Any, intervals: Any) -> Any:
    """Return the number of steps without a clear action after an answer, for each true goal, ``float64 [n]``.

    Only goals on the true goal's side stay possible: those in the question, or all others.

    Args:
        mask: ``bool [n]``, the goals in the question.
        intervals: steps without a clear action, by true goal and other goal.
    """
    lengths = np.empty(mask.size)
    for g in range(mask.size):
        lengths[g] = union_length(g, mask[g], mask, intervals)
    return lengths


@inner
def question_value(mask: Any, belief: Any, conflict_steps: Any, intervals: Any) -> float:
    """Return the value of a question: the steps without a clear action that its answer is expected to save.

    Args:
        mask: ``bool [n]``, the goals in the question.
        belief: ``float64 [n]``, probabilities of the goals.
        conflict_steps: ``float64 [n]``, by true goal, number of such steps if nothing is asked.
        intervals: the interval of such steps, by true goal and other goal.
    """
    value = 0.0
    for g in range(mask.size):
        value += belief[g] * (conflict_steps[g] - union_length(g, mask[g], mask, intervals))
    return value


@compiled(work=lambda given: given.intervals.others.size)
def flip_gain(k: int, mask: Any, kept: Any, belief: Any, intervals: Any) -> float:
    """Return how much the value of a question changes if goal `k` moves into or out of the question.

    Args:
        k: index of the goal.
        mask: ``bool [n]``, the goals in the question before the move; unchanged afterwards.
        kept: ``float64 [n]``, by true goal, steps without a clear action after the answer.
        belief: ``float64 [n]``, probabilities of the goals.
        intervals: steps without a clear action, by true goal and other goal.
    """
    mask[k] = not mask[k]
    gain = belief[k] * (kept[k] - union_length(k, mask[k], mask, intervals))
    for u in range(intervals.user_starts[k], intervals.user_starts[k + 1]):
        g = intervals.users[u]
        gain += belief[g] * (kept[g] - union_length(g, mask[g], mask, intervals))
    mask[k] = not mask[k]
    return float(gain)


@compiled(work=lambda given: given.batch.size + len(given.batch) * given.intervals.others.size)
def _values(batch: Any, belief: Any, conflict_steps: Any, intervals: Any, found: Any) -> None:
    for row in range(batch.shape[0]):
        found[row] = question_value(batch[row], belief, conflict_steps, intervals)
