"""Random situations, and the value of a question in plain Python as a reference."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from askwise.methods.question_value import QuestionValue
from askwise.types import BoolArray, FloatArray

Interval = tuple[float, float]


def free_of_charge(asked: Sequence[int]) -> float:
    return 0.0


# -- in plain Python ---------------------------------------------------------------------------------------------


def union_of(intervals: Sequence[Interval]) -> float:
    """Return the number of steps covered by intervals from `b` to `e`, including both ends."""
    pieces = [(b - 1, max(b, e)) for b, e in intervals if b <= e + 1e-9]
    cuts = sorted({cut for piece in pieces for cut in piece})
    covered = [any(b <= low and high <= e for b, e in pieces) for low, high in pairwise(cuts)]
    return sum(high - low for (low, high), inside in zip(pairwise(cuts), covered, strict=True) if inside)


def conflict_steps(goal: int, others: set[int], branching: FloatArray, divergence: FloatArray) -> float:
    """``U_g(S)`` of the paper."""
    return union_of([(float(branching[goal, k]), float(divergence[k, goal])) for k in others - {goal}])


def plain_value(asked: set[int], belief: FloatArray, branching: FloatArray, divergence: FloatArray) -> float:
    """``V(q)`` of the paper."""
    everything = set(range(len(belief)))
    value = 0.0
    for goal, probability in enumerate(belief.tolist()):
        side = asked if goal in asked else everything - asked
        before, after = (
            conflict_steps(goal, everything, branching, divergence),
            conflict_steps(goal, side, branching, divergence),
        )
        value += probability * (before - after)
    return value


def all_questions(n: int) -> list[BoolArray]:
    """Return every question about `n` goals that is neither empty nor about all goals."""
    masks = []
    for size in range(1, n):
        for chosen in combinations(range(n), size):
            mask = np.zeros(n, dtype=np.bool_)
            mask[list(chosen)] = True
            masks.append(mask)
    return masks


# -- at random ---------------------------------------------------------------------------------------------------


def situation(rng: np.random.Generator, n: int, *, whole: bool = False) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a random belief, branching steps and divergences of `n` goals, with ties and empty intervals.

    With `whole`, divergences are whole numbers, so that intervals often end just where others begin.
    """
    belief = rng.dirichlet(np.full(n, 0.7))
    belief[1:][rng.random(n - 1) < 0.1] = 0.0
    belief /= belief.sum()
    branching = np.triu(rng.integers(1, 9, size=(n, n)).astype(np.float64), k=1)
    branching += branching.T
    divergence = rng.integers(1, 14, size=(n, n)) if whole else rng.uniform(1, 14, size=(n, n))
    divergence = np.asarray(divergence, dtype=np.float64)
    # As it happens where a closed form and a sum are one step apart: the end falls short by a rounding.
    touching = rng.random((n, n)) < 0.1
    divergence[touching] = branching.T[touching] * (1 - 1e-15)
    apart = np.triu(rng.random((n, n)) < 0.15, k=1)
    branching[apart | apart.T] = np.inf
    np.fill_diagonal(branching, np.inf)
    np.fill_diagonal(divergence, np.inf)
    return belief, branching, divergence


@st.composite
def situations(draw: st.DrawFn, *, max_goals: int = 8) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return situation(rng, draw(st.integers(2, max_goals)), whole=draw(st.booleans()))


def values_of(given: tuple[FloatArray, FloatArray, FloatArray], cost: Any = free_of_charge) -> QuestionValue:
    return QuestionValue(*given, cost)
