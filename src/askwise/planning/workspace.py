"""Everything that the planner's kernels read and write, by name.

A belief is a row of `Search.rows`: the goals that are possible, as bits; and, where answers can be wrong, the log-odds
of each goal (`askwise.planning.beliefs`). Row `level` holds the belief of the state that the recursion looks at on that
level. A question is a row of `Search.sets`: for each of its answers the goals for which the answer is true, as bits.
Questions that belong to one state are its *candidates*; they are numbered by the answers that lead to the state, so
that each state of a plan has its own (`askwise.planning.candidates`).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from askwise._compiled import Struct, compiled
from askwise.core.answers import AnswerModel
from askwise.core.questions import AdditivePrice
from askwise.errors import InputError
from askwise.planning.settings import MOST_ANSWERS, MOST_COMPLETE, MOST_MARGIN, PlannerSettings
from askwise.planning.tables import Tables, Words, cheapest, for_loops, n_words_of
from askwise.text.table_budget import claim
from askwise.types import BoolArray, FloatArray, IntArray

POOL_SIZE = 64
"""Most yes/no questions that are proposed for a state."""
POOL_ROOM = 2 * POOL_SIZE
"""Rows for proposals: besides those, choices, and questions that are repeated until an answer has a margin."""
MOST_LISTS = 4_094
"""Lists of candidates that a plan may have; keys of values hold their numbers in 12 bits."""
MOST_LEVELS = 3_000
"""Levels of the recursion at most; a state beyond is valued by identifying the goal at once."""
UNITS = 64
"""Units of log-odds that a goal loses when a yes/no answer speaks against it; choices need numbers between."""
FAINTEST = -32_000
"""The lowest log-odds of a goal that is possible."""
LISTS = 4
"""Lists that are worked on at a time: goals by weight, some of them, an order, groups."""

LIMITS = np.dtype(
    [
        ("candidates", np.int64),
        ("actions", np.int64),
        ("climbs", np.int64),
        ("budget", np.int64),
        ("identifies", np.int64),
        ("negligible", np.float64),
        ("complete", np.int64),
        ("complete_no", np.int64),
        ("first", np.int64),
        ("choices", np.int64),
        ("margins", np.int64),
        ("known", np.int64),
    ]
)
"""How far a decision may look: `candidates` for each state, `actions` compared in later states, `climbs` (how often the
best questions are improved by one goal), a `budget` of states. Plans end by identifying the goal where that is cheaper,
if it `identifies`; goals of less than the part `negligible` of the heaviest one are left out there. A `complete` search
looks at everything, with one list of questions for all states, from row `first`; `complete_no` counts such lists. So
many `choices` are considered, questions are repeated until margins of up to `margins`, and so many sets are `known`."""

COUNTS = np.dtype(
    [
        ("states_seen", np.int64),
        ("decision_no", np.int64),
        ("most_followed", np.int64),
        ("cut_short", np.int64),
    ]
)
"""States looked at for this decision, the number of the decision, how many states may be looked at before acting is no
longer followed to its end, and how often a complete search ended for want of work."""

ROOT = np.dtype(
    [
        ("teammate", np.int64),
        ("place", np.int64),
        ("load", np.int64),
        ("questions", np.int64),
        ("depth", np.int64),
        ("breadth", np.int64),
        ("at_least", np.int64),
        ("free_share", np.int64),
        ("acts_only", np.int64),
    ]
)
"""The state of a decision; how many `questions` its plans may hold, how many steps ahead they may ask (`depth`), and
how many actions are compared (`breadth`). Acting is followed for `at_least` so many states. Where an action has no
regret, the budget is divided by `free_share`. Nothing is planned if all that is asked for is what acting costs
(`acts_only`)."""

FOUND = np.dtype(
    [
        ("weight", np.float64),
        ("act_only", np.float64),
        ("leaf", np.float64),
        ("free", np.int64),
        ("action", np.int64),
        ("act", np.float64),
        ("question", np.int64),
        ("ask", np.float64),
    ]
)
"""What was found for a decision: the `weight` of its belief; the regret of acting only, and of acting until the goal is
identified (`leaf`); whether the best action has no regret (`free`); the best `action` and the regret of acting now; the
best `question`, -1 for none, and the regret of asking now. All regrets are times the weight."""

OPTION = np.dtype([("action", np.int64), ("regret", np.float64)])
"""An action that a state compares, and its regret."""

SCORE = np.dtype([("regret", np.float64), ("left", np.float64)])
"""The regret of an action, and the steps left after it."""

RANKED = np.dtype([("goal", np.int64), ("odds", np.float64), ("extra", np.float64), ("end", np.int64)])
"""Room for a list of goals with their weights and extra prices, and for the ends of parts of the list."""

ASKED = np.dtype(
    [
        ("answers", np.int64),
        ("price", np.float64),
        ("choice", np.int64),
        ("margin", np.int64),
        ("known", np.int64),
    ]
)
"""A question: the number of its answers; its price (below 0 for a yes/no question, whose price is added up); which
choice it is, -1 for none; the margin until which it is repeated (`Search.right`), 0 if it is asked once; and whether it
is known to be answered as before."""


class World(Struct):
    """A problem for kernels; see `askwise.planning.tables` and `askwise.core.side.CarrierTable`.

    Attributes:
        weight: ``float64 [n_states, n_goals]``.
        steps: ``int32 [n_states, n_goals]``, the teammate's steps to each goal.
        following: ``int32 [n_states, n_moves]``, the teammate's next states, filled up by -1.
        alive: ``uint64 [n_states, n_words]``, the goals of positive weight.
        next: ``int32 [n_places, n_actions]``, the ego agent's next place, -1 where there is none.
        unloaded: ``int32 [n_places, n_goals]``, the ego agent's steps without the goal's load.
        loaded: the same with it.
        loads: ``int32 [n_loads]``, goals with a load, by place.
        loads_from: ``int32 [n_places + 1]``, where each place's part of `loads` begins.
        cut_off: ``bool [n_places]``, whether some goal cannot be reached from there.
    """

    weight: FloatArray
    steps: IntArray
    following: IntArray
    alive: Words
    next: IntArray
    unloaded: IntArray
    loaded: IntArray
    loads: IntArray
    loads_from: IntArray
    cut_off: BoolArray


class Search(Struct):
    """What the recursion reads and writes.

    Attributes:
        world: the problem.
        base: price of a question.
        per_goal: price of each goal in it.
        cheapest: the least price of any question.
        uniform: whether `extra` is 0 everywhere.
        extra: ``float64 [n_goals]``, what each goal adds beyond `per_goal`.
        graded: whether beliefs have log-odds, because answers can be wrong.
        refused: probability that a question gets no answer.
        persistent: whether it is useless to ask a question again.
        identify_factor: what identifying the goal costs, beside what it would cost with true answers.
        against: ``int64 [MOST_ANSWERS + 1]``, units that a goal loses by an answer that speaks against it, by the
            number of answers.
        odds_of: ``float64 [n]``, the factor that each unit below 0 stands for.
        right: ``float64 [MOST_MARGIN + 1]``, probability that the answer with this margin is true; 0: that a question
            asked once gets a true answer.
        times: ``float64 [MOST_MARGIN + 1]``, how often a question is asked until then, on average.
        rows: ``uint64 [n_levels, n]``, beliefs: goals, then questions asked, then log-odds.
        log_odds: ``int16 [n_levels, n]``, the last part of the same memory.
        asked_word: the word of a row with a bit for each question asked, -1 if rows have none.
        sets: ``uint64 [n_questions, n_answers, n_words]``, the goals for which each answer is true.
        asked: ``ASKED [n_questions]``.
        pool: the row of the first proposal.
        choices: the row of the first choice.
        groups: ``uint64 [n_groups, 1, n_words]``, goals that belong together.
        known: ``uint64 [n, n_words]``, sets about which it is useless to ask again.
        lengths: ``int64 [n_lists]``, how many candidates a state has, -1 where they have not been chosen.
        keys: ``uint64 [size, n + 3]``, the transposition table (`askwise.planning.transposition`).
        values: the same memory as ``float64``.
        options: ``OPTION [n_levels, n_options]``, the actions that each state compares.
        scored: ``SCORE [n_options]``, all actions of one state.
        ranked: ``RANKED [n_goals + 2]``.
        lists: ``int64 [LISTS, n]``, room for lists of goals, groups and proposals.
        merits: ``float64 [2, n]``, what proposals cost, and questions about single goals.
        lengths_of: ``int64 [n_levels]``, how many of `options` each state has.
        limits: ``LIMITS [1]``.
        counts: ``COUNTS [1]``.
        root: ``ROOT [1]``.
        found: ``FOUND [1]``.
    """

    world: World
    base: float
    per_goal: float
    cheapest: float
    uniform: bool
    extra: FloatArray
    graded: bool
    refused: float
    persistent: bool
    identify_factor: float
    against: IntArray
    odds_of: FloatArray
    right: FloatArray
    times: FloatArray
    rows: Words
    log_odds: IntArray
    asked_word: int
    sets: Words
    asked: Any
    pool: int
    choices: int
    groups: Words
    known: Words
    lengths: IntArray
    keys: Words
    values: FloatArray
    options: Any
    scored: Any
    ranked: Any
    lists: IntArray
    merits: FloatArray
    lengths_of: IntArray
    limits: Any
    counts: Any
    root: Any
    found: Any

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the free entries of the table, which are most of it, and second views of the same memory."""
        used = np.flatnonzero(self.keys[:, -2])
        table = len(self.keys), used, self.keys[used]
        return {**super().__getstate__(), "keys": table, "values": None, "log_odds": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        size, used, entries = state["keys"]
        keys = np.zeros((size, entries.shape[1]), dtype=np.uint64)
        keys[used] = entries
        views = {"values": keys.view(np.float64), "log_odds": log_odds_of(state["rows"], state["groups"].shape[2])}
        super().__setstate__({**state, "keys": keys, **views})


@compiled
def _make_world(fields: Any) -> Any:
    return World(*fields)


@compiled
def _make_search(fields: Any) -> Any:
    return Search(*fields)


World.make, Search.make = _make_world, _make_search


def world_of(tables: Tables) -> World:
    """Return a problem for kernels."""
    ego = tables.ego
    return World(
        for_loops(tables.weight, np.float64),
        for_loops(tables.steps, np.int32),
        for_loops(tables.following, np.int32),
        for_loops(tables.alive, np.uint64),
        for_loops(ego.next, np.int32),
        for_loops(ego.unloaded, np.int32),
        for_loops(ego.loaded, np.int32),
        for_loops(tables.loads, np.int32),
        for_loops(tables.loads_from, np.int32),
        for_loops(ego.cut_off(), np.bool_),
    )


def search_of(
    tables: Tables,
    price: AdditivePrice,
    answers: AnswerModel,
    settings: PlannerSettings,
    groups: Words,
    *,
    least_choice: float | None = None,
) -> Search:
    """Return the workspace for a problem, with an empty transposition table.

    Args:
        tables: the problem.
        price: what questions cost.
        answers: how they are answered.
        settings: how far to look.
        groups: ``uint64 [n_groups, n_words]``, goals that belong together.
        least_choice: what a choice costs at least, None if there are no choices.
    """
    n_goals, n_words = tables.n_goals, n_words_of(tables.n_goals)
    plain = answers.truthful and least_choice is None
    graded = answers.wrong > 0
    asked_word = -1 if plain else n_words
    n_levels = min(2 * int(tables.depth.max()) + n_goals + 4 * settings.questions + 32, MOST_LEVELS)
    n_row = n_words + (not plain) + (-(-n_goals // 4) if graded else 0)
    claim(n_levels * n_row * 8, "tables of the planner", f"{n_levels} levels and {n_goals} goals")
    rows = np.zeros((n_levels, n_row), dtype=np.uint64)
    n_lists = settings.lists(choices=least_choice is not None)
    if n_lists > MOST_LISTS:
        found = f"{settings.questions} questions with {settings.candidates} candidates each: {n_lists:,} lists"
        raise InputError("settings", found, f"at most {MOST_LISTS:,} lists of candidates")
    choices = n_lists * settings.candidates + (0 if plain else MOST_COMPLETE)
    pool = choices + (0 if plain else POOL_ROOM)
    n_questions = pool + POOL_ROOM + 1
    n_answers = 2 if least_choice is None else MOST_ANSWERS
    n_options, longest = tables.ego.next.shape[1] + n_goals, max(n_goals, len(groups), POOL_ROOM + 1)
    possible = np.flatnonzero(tables.prior > 0).tolist()
    least = cheapest(price, possible)
    keys = np.zeros((2**settings.log_table, n_row + 3), dtype=np.uint64)
    return Search(
        world_of(tables),
        price.base,
        price.per_goal,
        least if least_choice is None else min(least, least_choice),
        bool(price.uniform),
        for_loops(price.extra, np.float64),
        graded,
        float(answers.refused),
        bool(answers.persistent),
        settings.identify_factor / ((1 - answers.refused) * capacity(answers.wrong)),
        *_answer_arrays(answers),
        rows,
        log_odds_of(rows, n_words),
        asked_word,
        np.zeros((n_questions, n_answers, n_words), dtype=np.uint64),
        np.zeros(n_questions, dtype=ASKED).view(np.recarray),
        pool,
        choices,
        groups[:, None].copy(),
        np.zeros((64, n_words), dtype=np.uint64),
        np.full(n_lists, -1, dtype=np.int64),
        keys,
        keys.view(np.float64),
        np.zeros((n_levels, n_options), dtype=OPTION).view(np.recarray),
        np.zeros(n_options, dtype=SCORE).view(np.recarray),
        np.zeros(n_goals + 2, dtype=RANKED).view(np.recarray),
        np.zeros((LISTS, longest), dtype=np.int64),
        np.zeros((2, longest)),
        np.zeros(n_levels, dtype=np.int64),
        np.zeros(1, dtype=LIMITS).view(np.recarray),
        np.zeros(1, dtype=COUNTS).view(np.recarray),
        np.zeros(1, dtype=ROOT).view(np.recarray),
        np.zeros(1, dtype=FOUND).view(np.recarray),
    )


def log_odds_of(rows: Words, n_words: int) -> Any:
    """Return the log-odds of beliefs, in the same memory; rows without any have a column that is not used.

    Neither is contiguous: so they have one type, and kernels are compiled once for both.
    """
    if rows.shape[1] <= n_words + 1:
        return np.zeros((2, 2), dtype=np.int16)[:, :1]
    return rows[:, n_words + 1 :].view(np.int16)


@lru_cache(maxsize=16)
def _answer_arrays(answers: AnswerModel) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return `against`, `odds_of`, `right` and `times` of a `Search`.

    Where errors are made anew every time, a question may be repeated until one answer has a margin of `d` over the
    other. That is like asking once a question that is always answered, wrong with probability ``e_d = rho^d / (1 +
    rho^d)``, ``rho = e / (1 - e)``, and ``d / (1 - 2 e) * (1 - 2 e_d) / (1 - r)`` times as expensive: the expected
    number of questions. So plans reach further than the few questions that they hold.
    """
    e, unit = answers.wrong, unit_of(answers)
    against = np.zeros(MOST_ANSWERS + 1, dtype=np.int64)
    if e > 0:
        for k in range(2, MOST_ANSWERS + 1):
            against[k] = round(math.log((1 - e) * (k - 1) / e) / unit)
    odds_of = np.exp(-unit * np.arange(-FAINTEST + 1)) if e > 0 else np.ones(1)
    rho, given = e / (1 - e), (1 - answers.refused) * (1 - e)
    wrong = [rho**d / (1 + rho**d) for d in range(1, MOST_MARGIN + 1)]
    right = np.array([given, *(1 - errors for errors in wrong)])
    times = [1.0]
    for d, errors in enumerate(wrong, start=1):
        times.append(d / (1 - 2 * e) * (1 - 2 * errors) / (1 - answers.refused))
    return (
        for_loops(against, np.int64),
        for_loops(odds_of, np.float64),
        for_loops(right, np.float64),
        for_loops(np.array(times), np.float64),
    )


def unit_of(answers: AnswerModel) -> float:
    """Return how much a unit of log-odds is."""
    return math.log((1 - answers.wrong) / answers.wrong) / UNITS if answers.wrong > 0 else 1.0


def capacity(wrong: float) -> float:
    """Return the bits that a yes/no answer carries at most if it is wrong that often."""
    if wrong == 0:
        return 1.0
    return 1 + wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)
