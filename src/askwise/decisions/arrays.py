"""The arrays of the compiled search: the problem, scratch arrays, a stack, and tables of solved states.

A state of the search is a belief together with the questions asked so far. The key of a state in the tables is its
*signature*, a number of 128 bits. It is the exclusive or of random numbers: one for each intent that is still possible,
one for each answer so far to a noisy question, and, in the table of solved states, one for the number of questions
left. A question is noisy if some likelihood of its answers is neither 0 nor 1.
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

    The answers of all questions are numbered one after the other: first all answers of question 0, then those of
    question 1, and so on. So an index of an answer also says which question it answers.

    A sign is a random number of 128 bits, stored as two words of 64 bits. The key of a state in the search's hash
    tables is its signature, the exclusive or of the signs of its parts: the possible intents, the answers to noisy
    questions, and the number of questions left.

    Attributes:
        likelihood: ``float64 [n_answers, n_intents]``, probability of each answer of each question given each intent.
        surprise: ``float64 [n_answers, n_intents]``, ``likelihood * log(likelihood)``.
        first: ``int64 [n_questions + 1]``, index of each question's first answer; the last entry is ``n_answers``.
        price: ``float64 [n_questions]``, the price of each question.
        noisy: ``bool [n_questions]``, whether some likelihood of the question's answers is neither 0 nor 1.
        loss: ``float64 [n_intents, n_actions]``, loss of each action given each intent. In a large problem in which
            most losses equal the largest loss of their intent, this array has no rows, and `most`, `columns`, `saved`
            and `saver` replace it.
        most: ``float64 [n_intents]``, the largest loss of each intent.
        columns: ``int64 [n_intents + 1]``, where each intent begins in `saved` and `saver`. The entries ``columns[g]``
            to ``columns[g + 1] - 1`` are for intent ``g``, one for each action whose loss is below ``most[g]``.
        saved: ``float64 [n_entries]``, the largest loss of the intent minus the loss of the action.
        saver: ``int64 [n_entries]``, the index of the action.
        least: ``float64 [n_intents]``, the least loss of each intent: the loss if the intent is known.
        intent_signs: ``uint64 [n_intents, 2]``, the sign of each intent.
        answer_signs: ``uint64 [n_answers, 2]``, the sign of each answer.
        left_signs: ``uint64 [n_questions + 1, 2]``, the sign for each number of questions that may still be asked.
        tie: a question replaces the best move so far only if its cost is lower by more than `tie` times the probability
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
    """Scratch arrays of the search, reused for all states. Most arrays have a row for each level.

    Level ``k`` is for the state after ``k`` answers. A weight is the joint probability of an intent and all answers so
    far. The signature of a state, its key in hash tables, is a number of 128 bits, stored as two words of 64 bits. It
    is the exclusive or of the random signs (see `ProblemArrays`) of the intents that are still possible and of the
    answers to noisy questions.

    Attributes:
        weight: ``float64 [n_levels, n_intents]``, the positive weights at each level; row ``k`` uses its first
            ``size[k]`` columns.
        intent: ``int64 [n_levels, n_intents]``, the index of the intent that each weight belongs to.
        size: ``int64 [n_levels]``, the number of positive weights, that is, of intents that are still possible.
        sign: ``uint64 [n_levels, 2]``, the signature of each level's state.
        sums: ``float64 [n_actions]``, scratch space for the expected losses of actions while they are added up.
        score: ``float64 [n_levels, n_questions]``, the sort key of each question, by the question's index. Questions
            with small keys are searched first.
        floor: ``float64 [n_levels, n_questions]``, a lower bound of the cost of asking each question, by the question's
            index.
        order: ``int64 [n_levels, n_questions]``, the indices of the questions to search, sorted by `score`.
        asked: ``bool [n_questions]``, whether a question was asked on the way to the current level.
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
    """The stack of the search: bounds and choices for the state at each level, that is, after each number of answers.

    Every array is ``[n_levels]``. Costs and losses are multiplied by the probability of the state. At each level, the
    search goes through the questions, and through the answers to each question. The current question of a state is the
    question whose answers are being searched.

    Attributes:
        total: probability of the state, the sum of its weights.
        known: expected loss in the state if the intent were known.
        cheapest: least price among the questions not asked yet, not multiplied by the probability.
        upper: upper bound of the cost of the state: the cost of the plan that begins with `move`.
        lower: lower bound of the cost of the state.
        value: price of the current question, plus an upper bound of the cost after each answer searched so far.
        least: price of the current question, plus a lower bound of the cost after each answer searched so far.
        unheard: expected loss if the intent were known, summed over the answers to the current question that have not
            been searched yet.
        move: the best move so far: the index of a question, or ``-1 - x`` for action ``x``.
        n: number of questions to search.
        k: position of the current question in `SearchArrays.order`.
        answer: the answer to the current question that is searched next, by index among the answers of all questions;
            -1 before the first.
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

    The key of an entry is the signature of a state, a number of 128 bits stored as two words of 64 bits. Both words are
    0 in free entries. Costs and losses are multiplied by the probability of the state.

    Attributes:
        sign: ``uint64 [n, 2]``, first table: the signature of a solved state together with the number of questions that
            may still be asked.
        value: ``float64 [n, 2]``, first table: upper and lower bound of the cost of the state.
        move: ``int64 [n]``, first table: the best move, as the index of a question or as ``-1 - x`` for action ``x``.
        act_sign: ``uint64 [n, 2]``, second table: the signature of a state, whatever the number of questions that may
            still be asked.
        act: ``float64 [n]``, second table: the least expected loss of acting at once in the state.
        used: ``int64 [3]``, the number of used entries in the first table, the number of used entries in the second
            table, and the largest number allowed in each.
    """

    sign: np.ndarray
    value: FloatArray
    move: np.ndarray
    act_sign: np.ndarray
    act: FloatArray
    used: np.ndarray


class SearchLimits(NamedTuple):
    """The limits of a search: questions to try in each state, questions to look ahead, and work.

    Work is not measured by a clock. It is estimated from the numbers of states, answers and intents, in nanoseconds on
    an ordinary machine.

    Attributes:
        width: number of questions to try in each state. If it is less than the number of all questions, the search
            finds a plan, but no lower bound of the cost of the best plan. If only one more question may be asked, all
            questions are tried.
        final: whether the search looks as many questions ahead as may be asked in total. If so, costs at its last level
            are exact. If not, more questions could be asked after the last level, and the costs there are only bounds.
        work: estimated time to process one intent for one answer, in nanoseconds.
        budget: largest work, in nanoseconds. When it is used up, the search goes no deeper, and its result is
            meaningless.
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
    """Return the number of entries of each hash table of states: a power of 2, at most `ENTRIES`.

    Unless this limit is reached, there are at least twice as many entries as states that a search can reach when it
    looks `depth` questions ahead.
    """
    states = [1.0]  # by the number of questions asked: the coefficients of the product of (1 + answers * x)
    for each in problem.questions:
        longer = [*states, 0.0] if len(states) <= depth else states
        states = [min(now + len(each.answers) * (states[k - 1] if k else 0.0), 1e15) for k, now in enumerate(longer)]
    return int(min(ENTRIES, 2 ** (2 * int(sum(states))).bit_length()))
