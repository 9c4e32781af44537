"""The value of a question (paper, section "Computing the Value of a Query").

Three arrays say all there is to know: the belief ``P[n]``, the ego agent's branching steps ``B[n, n]`` and the
teammate's divergence ``E[n, n]``, with ``E[i, j]`` the expected step at which goal `i` is ruled out while `j` is
pursued.

If `g` is the truth and `S` the goals still possible, the ego agent is expected to be torn during the steps from
``B(g, g')`` to ``E(g', g)`` for every `g'` in `S`; ``U_g(S)`` is the total length of the union of these intervals,
where an interval from `b` to `e` with ``b <= e`` covers ``e - b + 1`` steps, that is ``(b - 1, e]``. A question `q`
splits `S` in two and the truth keeps its side::

    V(q) = sum over g of P(g) [U_g(S) - U_g(side of g)]

`QuestionValue` prepares the intervals of every goal once, without the empty ones, sorted by their beginning and the
longest first among those that begin together: of these, only the first on the right side counts, and the scan skips to
the next beginning. The numbers of goals are those of the arrays: the caller passes possible
goals only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner
from askwise.core.questions import Price
from askwise.divergence.zones import ROUNDING
from askwise.errors import InputError
from askwise.text.table_budget import claim
from askwise.types import BoolArray, FloatArray

FOREVER = 1e9
"""Where watching never tells two goals apart, the interval is taken to end here: long enough to be worth any price, and
short enough to be added and subtracted."""

EACH_INTERVAL = 81
"""Bytes for an interval while the list of them is made: they are sorted in two ways."""


class QuestionValue:
    """Values of all questions about `n` possible goals.

    Args:
        belief: ``float64 [n]``, probabilities of the goals.
        branching: ``float64 [n, n]``, step at which the ego agent's plans for two goals must differ; the diagonal is
            not looked at.
        divergence: ``float64 [n, n]``, ``[i, j]`` the expected step at which `i` is ruled out while `j` is pursued.
        cost: what a question costs: a `QueryCost`, or any function of the goals asked about.
    """

    def __init__(self, belief: FloatArray, branching: FloatArray, divergence: FloatArray, cost: Price) -> None:
        self.belief = np.ascontiguousarray(belief, dtype=np.float64)
        self.n = self.belief.size
        _check(self.belief, branching, divergence)
        self.cost = cost
        self.intervals = _intervals(branching, divergence)
        self.conflict_steps: FloatArray = union_lengths(np.ones(self.n, dtype=np.bool_), self.intervals)
        """``float64 [n]``: ``U_g(S)``, how long the ego agent is torn if `g` is the truth and nothing is asked."""

    def value(self, asked: Any) -> float:
        """Return ``V(q)`` for a question given by the numbers of its goals or as ``bool [n]``."""
        kept = union_lengths(as_mask(asked, self.n), self.intervals)
        return float(self.belief @ (self.conflict_steps - kept))

    def net(self, asked: Any) -> float:
        """Return the value of a question less its cost."""
        mask = as_mask(asked, self.n)
        return self.value(mask) - self.cost(np.flatnonzero(mask).tolist())

    def values(self, questions: BoolArray) -> FloatArray:
        """Return ``V(q)`` for every row of ``bool [m, n]``."""
        batch = np.ascontiguousarray(questions, dtype=np.bool_)
        if batch.ndim != 2 or batch.shape[1] != self.n:
            raise InputError(
                "questions", f"an array of shape {batch.shape}", f"(m, {self.n}), one column for each goal"
            )
        found = np.empty(batch.shape[0])
        _values(batch, self.belief, self.conflict_steps, self.intervals, found)
        return found

    def flips(self, asked: Any) -> FloatArray:
        """Return ``float64 [n]``: by how much the value changes if one goal changes sides, for every goal."""
        mask = as_mask(asked, self.n).copy()
        change = np.empty(self.n)
        kept = union_lengths(mask, self.intervals)
        for goal in range(self.n):
            change[goal] = flip_gain(goal, mask, kept, self.belief, self.intervals)
        return change


def as_mask(asked: Any, n: int) -> BoolArray:
    """Return a question as ``bool [n]``, given as such or by the numbers of its goals."""
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
    """The nonempty intervals ``(begin, end]`` of all true goals.

    Attributes:
        starts: ``int64 [n + 1]``, where the list of each true goal begins.
        others: ``int32 [m]``, the other goal of each interval.
        begin: ``float64 [m]``, sorted within each list.
        end: ``float64 [m]``, falling where intervals begin together.
        first: ``int64 [m]``, the first interval that begins together with this one.
        following: ``int64 [m]``, where the next beginning comes.
        users: ``int32 [m]``, for each goal the true goals whose lists it is in, one goal after the other.
        places: ``int64 [m]``, where in their lists it is.
        user_starts: ``int64 [n + 1]``, where in `users` and `places` each goal begins.
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
    # Row g: intervals for the truth g. Divergence is [ruled out, pursued], so its column g.
    first, last = np.asarray(branching, dtype=np.float64), np.asarray(divergence, dtype=np.float64).T
    last = np.minimum(last, FOREVER)
    filled = (first <= last + ROUNDING) & ~np.eye(n, dtype=bool)
    claim(EACH_INTERVAL * int(np.count_nonzero(filled)), "question", f"{n} possible goals")
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
    """Length of the union of the intervals of `g` with the goals whose entry in `sides` is `side`."""
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
        k = intervals.following[k]
    return length


@compiled(work=lambda given: given.mask.size + given.intervals.others.size)
def union_lengths(mask: Any, intervals: Any) -> Any:
    """``float64 [n]``: for each true goal, how long the ego agent stays torn with the goals on its own side."""
    lengths = np.empty(mask.size)
    for g in range(mask.size):
        lengths[g] = union_length(g, mask[g], mask, intervals)
    return lengths


@inner
def question_value(mask: Any, belief: Any, conflict_steps: Any, intervals: Any) -> float:
    """Return ``V(q)``."""
    value = 0.0
    for g in range(mask.size):
        value += belief[g] * (conflict_steps[g] - union_length(g, mask[g], mask, intervals))
    return value


@compiled(work=lambda given: given.intervals.others.size)
def flip_gain(k: int, mask: Any, kept: Any, belief: Any, intervals: Any) -> float:
    """Change of the value if goal `k` changes sides; only goals that share an interval with it are looked at."""
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
