"""What the compiled search works on: a problem, room to work in, and a table of solved states, as named arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.decisions.problem import DecisionProblem
from askwise.types import BoolArray, FloatArray

TIE = 1e-14
"""A question has to be better by more than rounding, as a share of the largest loss or price there is."""

ENTRIES = 2**20
"""The largest size of a table of solved states."""
SPARSE_FROM = 64
SPARSE_SHARE = 0.25
"""Losses are taken as sparse for more intents than this, if fewer than this share are below the largest of theirs."""


class ProblemArrays(NamedTuple):
    """A problem as arrays.

    Attributes:
        likelihood: ``float64 [n_answers of all questions, n_intents]``.
        surprise: the same, each likelihood times its logarithm.
        first: ``int64 [n_questions + 1]``, the row of each question's first answer.
        price: ``float64 [n_questions]``.
        noisy: ``bool [n_questions]``, whether some likelihood is neither 0 nor 1.
        loss: ``float64 [n_intents, n_actions]``; without rows if the losses are sparse.
        most: ``float64 [n_intents]``, the largest loss of each intent, for sparse losses.
        columns: ``int64 [n_intents + 1]``, where in `saved` each intent begins.
        saved: ``float64 [n]``, by how much an action is better than the largest loss, where it is.
        saver: ``int64 [n]``, the action.
        least: ``float64 [n_intents]``, the loss if the intent is known.
        intent_signs, answer_signs, left_signs: ``uint64 [n, 2]``, see the top of this module.
        tie: by how much a question has to be better, for a belief of weight 1.
    """

    likelihood: FloatArray
    surprise: FloatArray
    first: np.ndarray
    price: FloatArray
    noisy: BoolArray
    loss: FloatArray
    most: FloatArray
    columns: np.ndarray
    saved: FloatArray
    saver: np.ndarray
    least: FloatArray
    intent_signs: np.ndarray
    answer_signs: np.ndarray
    left_signs: np.ndarray
    tie: float


class SearchArrays(NamedTuple):
    """Room to work in.

    Attributes:
        weight: ``float64 [n_levels, n_intents]``, the weights above 0 of each level, at its beginning.
        intent: ``int64 [n_levels, n_intents]``, whose weights they are.
        size: ``int64 [n_levels]``, how many.
        sign: ``uint64 [n_levels, 2]``, the signature of each level's state.
        sums: ``float64 [n_actions]``.
        score: ``float64 [n_levels, n_questions]``, by which questions are sorted.
        floor: ``float64 [n_levels, n_questions]``, what a question costs at least.
        order: ``int64 [n_levels, n_questions]``.
        asked: ``bool [n_questions]``.
    """

    weight: FloatArray
    intent: np.ndarray
    size: np.ndarray
    sign: np.ndarray
    sums: FloatArray
    score: FloatArray
    floor: FloatArray
    order: np.ndarray
    asked: BoolArray


class SearchStack(NamedTuple):
    """Where the search stands on each level; every array is ``[n_levels]``.

    Attributes:
        total, known: the weight of the state, and its loss with the intent known.
        cheapest: the least price of a question left.
        upper, lower, move: the best so far.
        n, k: how many questions are to be followed, and which one is being followed.
        answer: its next answer, -1 if it has not begun.
        value, least: bounds of it, as far as its answers were looked at.
        unheard: the loss, with the intent known, in its other answers.
    """

    total: FloatArray
    known: FloatArray
    cheapest: FloatArray
    upper: FloatArray
    lower: FloatArray
    value: FloatArray
    least: FloatArray
    unheard: FloatArray
    move: np.ndarray
    n: np.ndarray
    k: np.ndarray
    answer: np.ndarray


class SolvedStates(NamedTuple):
    """Two tables of the same size: solved states, and what acting costs in each state that was met.

    Attributes:
        sign: ``uint64 [n, 2]``, the signature of a state with a number of questions left.
        value: ``float64 [n, 2]``, its upper and lower bound.
        move: ``int64 [n]``.
        act_sign: ``uint64 [n, 2]``, the signature of a state.
        act: ``float64 [n]``.
        used: ``int64 [3]``, how many places are taken in the first and the second, and how many may be.
    """

    sign: np.ndarray
    value: FloatArray
    move: np.ndarray
    act_sign: np.ndarray
    act: FloatArray
    used: np.ndarray


class SearchLimits(NamedTuple):
    """How far to look.

    Attributes:
        width: how many questions to follow in each state; fewer than there are makes a plan, and no lower bound.
        final: whether no question is allowed below the last level; if not, the search merely stops there.
        work: how much it takes to look at one answer for one intent.
        budget: how much work may be done before giving up.
    """

    width: int
    final: bool
    work: float
    budget: float


def problem_arrays(problem: DecisionProblem) -> ProblemArrays:
    """Return a problem as arrays for compiled code."""
    rows = [each.likelihood for each in problem.questions]
    n_intents, n_actions = len(problem.intents), len(problem.actions)
    # One layout for all problems, C order and writable: the kernels are compiled once for each layout.
    likelihood = np.ascontiguousarray(np.concatenate(rows)) if rows else np.zeros((0, n_intents))
    price = np.array([each.price for each in problem.questions])
    noisy = np.array([bool(((row != 0) & (row != 1)).any()) for row in rows], dtype=np.bool_)
    most = problem.loss.max(axis=0)
    below = problem.loss < most
    sparse = n_intents > SPARSE_FROM and below.sum() < SPARSE_SHARE * below.size
    saver, owner = (np.nonzero(below.T)[1], np.nonzero(below.T)[0]) if sparse else (np.zeros(0), np.zeros(0))
    saver, owner = saver.astype(np.int64), owner.astype(np.int64)
    # The same signatures every time, so that nothing depends on luck.
    rng = np.random.default_rng(20210209)
    signs = [rng.integers(1, 2**64, size=(n, 2), dtype=np.uint64) for n in (n_intents, len(likelihood), len(rows) + 1)]
    scale = max(float(np.abs(problem.loss).max()), float(price.max(initial=0.0)), 1e-300)
    return ProblemArrays(
        likelihood,
        likelihood * np.log(np.where(likelihood > 0, likelihood, 1.0)),
        np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64),
        price,
        noisy,
        np.zeros((0, n_actions)) if sparse else np.array(problem.loss.T, order="C"),
        np.ascontiguousarray(most),
        np.searchsorted(owner, np.arange(n_intents + 1)).astype(np.int64),
        np.ascontiguousarray((most[owner] - problem.loss[saver, owner]) if sparse else np.zeros(0)),
        saver,
        problem.loss.min(axis=0),
        signs[0],
        signs[1],
        signs[2],
        TIE * scale,
    )


def new_search_arrays(levels: int, n_intents: int, n_actions: int, n_questions: int) -> SearchArrays:
    return SearchArrays(
        np.zeros((levels, n_intents)),
        np.zeros((levels, n_intents), dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.zeros((levels, 2), dtype=np.uint64),
        np.zeros(n_actions),
        np.zeros((levels, n_questions)),
        np.zeros((levels, n_questions)),
        np.zeros((levels, n_questions), dtype=np.int64),
        np.zeros(n_questions, dtype=np.bool_),
    )


def new_stack(levels: int) -> SearchStack:
    """Return a stack of so many levels, all zero."""
    numbers = [np.zeros(levels) for _ in range(8)]
    return SearchStack(*numbers, *(np.zeros(levels, dtype=np.int64) for _ in range(4)))


def new_solved_states(problem: DecisionProblem, depth: int) -> SolvedStates:
    """Return empty tables for a search that looks `depth` questions ahead."""
    entries = _entries(problem, depth) if depth > 1 else 2
    return SolvedStates(
        np.zeros((entries, 2), dtype=np.uint64),
        np.zeros((entries, 2)),
        np.zeros(entries, dtype=np.int64),
        np.zeros((entries, 2), dtype=np.uint64),
        np.zeros(entries),
        np.array([0, 0, entries * 3 // 4]),
    )


def _entries(problem: DecisionProblem, depth: int) -> int:
    """Return the size of a table: a power of 2, with room for all states if there are few of them.

    A table that is larger than needed costs more than it gives: each part of it that is touched has to be found.
    """
    states = [1.0]  # by the number of questions asked: the coefficients of the product of (1 + answers * x)
    for each in problem.questions:
        longer = [*states, 0.0] if len(states) <= depth else states
        states = [min(now + len(each.answers) * (states[k - 1] if k else 0.0), 1e15) for k, now in enumerate(longer)]
    return int(min(ENTRIES, 2 ** (2 * int(sum(states))).bit_length()))
