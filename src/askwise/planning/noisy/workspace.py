"""All that the loops for wrong and missing answers read and write, by name; see `askwise.planning.search.workspace`."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.questions import AdditivePrice
from askwise.planning.noisy.memory import Memory, empty_memory
from askwise.planning.noisy.settings import NoisySettings
from askwise.planning.search.workspace import OPTION, RANKED, SCORE, Prices, World, prices_of, world_of
from askwise.planning.tables import Tables

DEAD = -32768
"""Instead of a goal's level: it is impossible."""
FAINTEST = -32000
"""The lowest level of a goal that is possible."""
UNITS = 64
"""Levels that a goal falls when a yes/no answer speaks against it; choices need numbers between."""
MOST_ANSWERS = 16
"""Most answers to a question of a plan."""
MOST_LEAD = 3
"""Largest lead until which a question is asked again."""
MOST_COMPLETE = 63
"""Most questions of a complete menu: a bit for each says which were asked."""

FRAME = np.dtype(
    [
        ("w", np.int64),
        ("place", np.int64),
        ("load", np.int64),
        ("next_place", np.int64),
        ("next_load", np.int64),
        ("child", np.int64),
        ("option", np.int64),
        ("options", np.int64),
        ("question", np.int64),
        ("questions", np.int64),
        ("reply", np.int64),
        ("more", np.int64),
        ("depth", np.int64),
        ("menu", np.int64),
        ("asked", np.uint64),
        ("sum", np.float64),
        ("best", np.float64),
        ("weight", np.float64),
        ("factor", np.float64),
    ]
)
"""A state on the stack, as in `askwise.planning.search.workspace`; besides, the `reply` to its question that is looked
at, a bit for each question of its menu that was `asked` and would tell nothing more, and the `factor` by which its
value counts in the state before."""

COUNTS = np.dtype([("worked", np.int64), ("turn", np.int64), ("silence", np.int64), ("cut", np.int64)])
"""States that were looked at for this decision, the number of the decision, how many states may be looked at before
silence is no longer followed to its end, and how often the search ended for want of work."""

ASKED = np.dtype([("answers", np.int64), ("price", np.float64), ("choice", np.int64), ("lead", np.int64)])
"""A question: how many answers it has, its price (below 0 for one of yes and no, whose price is added up), which choice
it is, -1 for none, and the lead until which it is asked again (see `Replies`), 0 if it is asked once."""


class Replies(NamedTuple):
    """How answers come, for compiled loops.

    Where errors are made anew every time, a question may be asked again until one answer leads the other by `d`. That
    is like asking once a question that is always answered, wrong with probability ``e_d = rho^d / (1 + rho^d)``, ``rho
    = e / (1 - e)``, and ``d / (1 - 2 e) * (1 - 2 e_d) / (1 - r)`` times as dear: the expected number of questions. So
    plans reach further than the few questions that they hold.

    Attributes:
        given: probability of a true answer.
        refused: probability of none.
        against: ``int64 [MOST_ANSWERS + 1]``, levels that a goal falls by an answer that speaks against it, by the
            number of answers; ``-DEAD`` where answers are always true.
        power: ``float64 [n]``, what each level below 0 is as a factor.
        right: ``float64 [MOST_LEAD + 1]``, probability that the answer is true that leads by so much; by 0: `given`.
        times: ``float64 [MOST_LEAD + 1]``, how many questions that takes.
        persistent: whether the same question is never worth asking twice.
        settling: what finding out the goal costs, beside what it would cost with answers that are always true.
    """

    given: float
    refused: float
    against: Any
    power: Any
    right: Any
    times: Any
    persistent: bool
    settling: float


class Workspace(NamedTuple):
    """All that the loops read and write.

    Attributes:
        world: the problem.
        prices: what questions cost.
        replies: how they are answered.
        levels: ``int16 [n_rows, n_goals filled up]``, see `askwise.planning.noisy.beliefs`; one row for each level of
            the stack.
        words: the same memory as ``uint64``.
        truths: ``int8 [n_questions, n_goals]``, the number of the true answer to each question; those of the menus
            come first, then those of the complete menu, then proposals.
        asked: ``ASKED``, one for each row of `truths`.
        memory: values that were worked out.
        frames: ``FRAME [n_levels]``.
        options: ``OPTION [n_levels, n_options]``.
        scored: ``SCORE [n_options]``.
        ranked: ``RANKED [n_goals + 2]``.
        lengths: ``int64 [n_menus]``, questions on each menu, -1 where they have not been chosen.
        counts: ``COUNTS [1]``.
    """

    world: World
    prices: Prices
    replies: Replies
    levels: Any
    words: Any
    truths: Any
    asked: Any
    memory: Memory
    frames: Any
    options: Any
    scored: Any
    ranked: Any
    lengths: Any
    counts: Any


class Limits(NamedTuple):
    """How far compiled loops may look.

    Attributes:
        kept: questions on a menu.
        inner: actions that are compared in later states.
        budget: states to be looked at.
        complete: look at everything, with one menu for all states.
        turn: the number of that menu.
        first: the row of the first question of menu 0.
        settles: plans end in finding out the goal where that is cheaper than silence.
        faint: goals of less than this part of the heaviest one are left out where plans end.
        climbs: how often the best question is improved by one goal.
    """

    kept: int
    inner: int
    budget: int
    complete: bool
    turn: int
    first: int
    settles: bool
    faint: float
    climbs: int


def workspace_of(
    tables: Tables, price: AdditivePrice, answers: AnswerModel, settings: NoisySettings, pool: int
) -> Workspace:
    """Return the workspace for a problem, with an empty memory and room for `pool` proposed questions."""
    n_goals = tables.n_goals
    n_options = tables.ego.next.shape[1] + n_goals
    n_levels = 2 * int(tables.depth.max()) + 4 * settings.questions + 32
    words = np.zeros((n_levels + 2, -(-n_goals // 4)), dtype=np.uint64)
    n_questions = settings.menus * settings.kept + MOST_COMPLETE + pool
    return Workspace(
        world=world_of(tables),
        prices=prices_of(tables, price),
        replies=replies_of(answers, settings.settling),
        levels=words.view(np.int16),
        words=words,
        truths=np.zeros((n_questions, n_goals), dtype=np.int8),
        asked=np.zeros(n_questions, dtype=ASKED),
        memory=empty_memory(settings.log_memory, words.shape[1]),
        frames=np.zeros(n_levels, dtype=FRAME),
        options=np.zeros((n_levels, n_options), dtype=OPTION),
        scored=np.zeros(n_options, dtype=SCORE),
        ranked=np.zeros(n_goals + 2, dtype=RANKED),
        lengths=np.full(settings.menus, -1, dtype=np.int64),
        counts=np.zeros(1, dtype=COUNTS),
    )


@lru_cache(maxsize=16)
def replies_of(answers: AnswerModel, settling: float) -> Replies:
    """Return an answer model for compiled loops."""
    e, against = answers.wrong, np.full(MOST_ANSWERS + 1, -DEAD, dtype=np.int64)
    unit = unit_of(answers)
    if e > 0:
        for k in range(2, MOST_ANSWERS + 1):
            against[k] = round(math.log((1 - e) * (k - 1) / e) / unit)
    power = np.exp(-unit * np.arange(-FAINTEST + 1))
    rho, given = e / (1 - e), (1 - answers.refused) * (1 - e)
    wrong = [rho**d / (1 + rho**d) for d in range(1, MOST_LEAD + 1)]
    return Replies(
        given=given,
        refused=answers.refused,
        against=against,
        power=power,
        right=np.array([given, *(1 - errors for errors in wrong)]),
        times=np.array([1.0, *(_times(answers, d, errors) for d, errors in enumerate(wrong, start=1))]),
        persistent=answers.persistent,
        settling=settling / ((1 - answers.refused) * capacity(e)),
    )


def _times(answers: AnswerModel, lead: int, wrong: float) -> float:
    """Return how often a question is asked until an answer leads that is wrong with this probability."""
    return lead / (1 - 2 * answers.wrong) * (1 - 2 * wrong) / (1 - answers.refused)


def unit_of(answers: AnswerModel) -> float:
    """Return how much a level weighs, as a difference of logarithms."""
    return math.log((1 - answers.wrong) / answers.wrong) / UNITS if answers.wrong > 0 else 1.0


def capacity(wrong: float) -> float:
    """Return the bits that an answer of yes or no tells at most if it is wrong that often."""
    if wrong == 0:
        return 1.0
    return 1 + wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)
