"""The arrays of the compiled search: the problem, scratch arrays, a stack, and tables of solved states.

A state is what is known after some answers. Its key in the tables is the exclusive or of random numbers of 128 bits:
one for each possible intent, one for each answer to a noisy question and, for solved states, one for the number of
questions left. A question is noisy if some likelihood of its answers is neither 0 nor 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.decisions.problem import DecisionProblem
from askwise.types import BoolArray, FloatArray

TIE = 1e-14
"""A question is preferred to acting if it is better by more than this share of the largest loss or price."""

ENTRIES = 2**20
"""Largest size of a table of solved states."""
SPARSE_FROM = 64
SPARSE_SHARE = 0.25
"""Losses are stored as sparse if there are more than `SPARSE_FROM` intents and less than the share `SPARSE_SHARE` of
losses is below the largest loss of their intent."""


class ProblemArrays(NamedTuple):
    """A decision problem as arrays for the compiled search.

    Answers are numbered across all questions, in order. A sign is a random number of 128 bits, stored as two words.

    Attributes:
        likelihood: ``float64 [n_answers, n_intents]``, probability of each answer given each intent.
        surprise: ``float64 [n_answers, n_intents]``, ``likelihood * log(likelihood)``.
        first: ``int64 [n_questions + 1]``, index of each question's first answer; the last entry is the number of all
            answers.
        price: ``float64 [n_questions]``, price of each question.
        noisy: ``bool [n_questions]``, whether some likelihood is neither 0 nor 1.
        loss: ``float64 [n_intents, n_actions]``, loss of each action given each intent; no rows if the next four fields
            replace it.
        most: ``float64 [n_intents]``, largest loss of each intent.
        columns: ``int64 [n_intents + 1]``; entries ``columns[g]`` to ``columns[g + 1] - 1`` of `saved` and `saver` are
            the actions of intent ``g`` with a loss below ``most[g]``.
        saved: ``float64 [n_entries]``, largest loss of the entry's intent minus the loss of its action.
        saver: ``int64 [n_entries]``, index of the entry's action.
        least: ``float64 [n_intents]``, least loss of each intent.
        intent_signs: ``uint64 [n_intents, 2]``, sign of each intent.
        answer_signs: ``uint64 [n_answers, 2]``, sign of each answer.
        left_signs: ``uint64 [n_questions + 1, 2]``, sign of each number of questions left.
        tie: to be preferred to the best move so far, a question must cost less by more than `tie` times the probability
            of the state.
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
    """Scratch arrays of the search, reused for all states.

    In arrays with `n_levels` rows, row ``k`` is for the state after ``k`` answers. A weight is the joint probability of
    an intent and these answers.

    Attributes:
        weight: ``float64 [n_levels, n_intents]``, the positive weights, in the first ``size[k]`` columns of row ``k``.
        intent: ``int64 [n_levels, n_intents]``, intent of each weight.
        size: ``int64 [n_levels]``, number of positive weights.
        sign: ``uint64 [n_levels, 2]``, key of the state in hash tables.
        sums: ``float64 [n_actions]``, work space.
        score: ``float64 [n_levels, n_questions]``, sort key of each question.
        floor: ``float64 [n_levels, n_questions]``, lower bound of the cost of asking each question.
        order: ``int64 [n_levels, n_questions]``, questions to search, the smallest `score` first.
        asked: ``bool [n_questions]``, whether a question was asked on the way to the current state.
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
    """The stack of the search: bounds and choices for the state after each number of answers.

    Every array is ``[n_levels]``; entry ``k`` is for the state after ``k`` answers. Costs and losses, except
    `cheapest`, are multiplied by the probability of the state. The *current* question is the one being searched.

    Attributes:
        total: probability of the state.
        known: expected loss if the intent were known.
        cheapest: least price of a question not asked yet.
        upper: upper bound of the cost of the state, reached by `move`.
        lower: lower bound of the cost of the state.
        value: price of the current question, plus upper bounds of the cost after its answers searched so far.
        least: as `value`, with lower bounds.
        unheard: part of `known` for the answers to the current question not searched yet.
        move: the best move so far: the index of a question, or ``-1 - x`` for action ``x``.
        n: number of questions to search.
        k: position of the current question in `SearchArrays.order`.
        answer: the next answer to the current question, counted across all questions; -1 before the first.
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
    """Two hash tables with ``n`` entries each: one of solved states, one of the cost of acting at once in a state.

    Keys have 128 bits, stored as two words, and are 0 in free entries. Costs are multiplied by the probability of the
    state.

    Attributes:
        sign: ``uint64 [n, 2]``, first table: key of the state and of the number of questions left.
        value: ``float64 [n, 2]``, first table: upper and lower bound of the cost.
        move: ``int64 [n]``, first table: the best move, the index of a question or ``-1 - x`` for action ``x``.
        act_sign: ``uint64 [n, 2]``, second table: key of the state.
        act: ``float64 [n]``, second table: least expected loss of acting at once.
        used: ``int64 [3]``, number of used entries in the first and in the second table, and the largest number allowed
            in each.
    """

    sign: np.ndarray
    value: FloatArray
    move: np.ndarray
    act_sign: np.ndarray
    act: FloatArray
    used: np.ndarray


class SearchLimits(NamedTuple):
    """The limits of a search: how many questions to try in each state, and how much work to do.

    Work is an estimate in nanoseconds on an ordinary machine, not a clock limit.

    Attributes:
        width: number of questions to try in each state; all are tried if only one more may be asked. If the width is
            below the number of all questions, the search finds no lower bound of the cost.
        final: whether the search looks ahead to the last question allowed, so that its costs are exact.
        work: work for one intent and one answer.
        budget: largest work. A search that exceeds it has no meaningful result.
    """

    width: int
    final: bool
    work: float
    budget: float


def problem_arrays(problem: DecisionProblem) -> ProblemArrays:
    """Return a decision problem as arrays for the compiled search."""
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
    # A fixed seed makes results reproducible.
    rng = np.random.default_rng(20210209)
    # With 128 bits, two of ten million states share a signature with a probability below 1e-24.
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
    """Return scratch arrays, all zero, for a search over `levels` levels.

    Level ``k`` is for the state after ``k`` answers. The other arguments are the numbers of intents, actions and
    questions of the decision problem.
    """
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
    """Return a stack, all zero, for a search over `levels` levels; level ``k`` is for the state after ``k`` answers."""
    numbers = [np.zeros(levels) for _ in range(8)]
    return SearchStack(*numbers, *(np.zeros(levels, dtype=np.int64) for _ in range(4)))


def new_solved_states(problem: DecisionProblem, depth: int) -> SolvedStates:
    """Return empty hash tables of solved states, for a search that looks `depth` questions ahead."""
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
    """Return the number of entries of each hash table: a power of 2, at most `ENTRIES`.

    Up to this limit, it is at least twice the number of states that a search `depth` questions ahead can reach.
    """
    states = [1.0]  # by the number of questions asked: the coefficients of the product of (1 + answers * x)
    for each in problem.questions:
        longer = [*states, 0.0] if len(states) <= depth else states
        states = [min(now + len(each.answers) * (states[k - 1] if k else 0.0), 1e15) for k, now in enumerate(longer)]
    return int(min(ENTRIES, 2 ** (2 * int(sum(states))).bit_length()))
