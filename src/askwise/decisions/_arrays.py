"""What the compiled search works on: a problem, room to work in, and a table of solved states, as named arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.types import BoolArray, FloatArray

TIE = 1e-14
"""A question has to be better by more than rounding, as a share of the largest loss or price there is."""


class World(NamedTuple):
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


class Space(NamedTuple):
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


class Stack(NamedTuple):
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


class Memory(NamedTuple):
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


class Limits(NamedTuple):
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
