"""How far the planner looks, and the search that is set up for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.questions import AdditivePrice
from askwise.errors import InputError
from askwise.planning.tables import Tables, Words, cheapest, for_loops, n_words_of
from askwise.planning.workspace import (
    ANSWERS_FOLLOWED,
    ASKED,
    COUNTS,
    FAINTEST,
    FOUND,
    LIMITS,
    LISTS,
    MOST_ANSWERS,
    MOST_COMPLETE,
    MOST_MARGIN,
    OPTION,
    POOL_ROOM,
    RANKED,
    SCORE,
    UNITS,
    Search,
    log_odds_of,
    records,
    world_of,
)
from askwise.text.table_budget import check_size

MOST_LISTS = 4_094
"""Lists of candidates that a plan may have; keys of values hold their numbers in 12 bits."""
MOST_LEVELS = 3_000
"""Levels of the recursion at most; a state beyond is valued by identifying the goal at once."""


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """How far the planner looks ahead.

    Attributes:
        questions: the most questions in a row that a plan has.
        candidates: the most questions that are compared in a state.
        depth: the number of steps ahead within which a plan may still ask.
        breadth: the most actions that are compared now.
        inner: the most actions that are compared in later states.
        climbs: how often the best questions are improved by moving one goal to the other side.
        budget: the most states to consider for a decision. When it is used up, plans end where they are.
        endgame: if at most this many goals are left, the planner tries to find the optimum.
        endgame_states: the most states to solve for the optimum.
        endgame_questions: the most questions in a plan for the optimum, if answers can be wrong or missing.
        identify_factor: the cost of identifying the goal, divided by the cost that the information in answers implies.
        negligible: goals with less than this share of the heaviest goal's weight are left out where plans end.
        log_table: the base-2 logarithm of the number of entries in the table of values.
    """

    questions: int = 2
    candidates: int = 6
    depth: int = 4
    breadth: int = 5
    inner: int = 2
    climbs: int = 4
    budget: int = 75_000
    endgame: int = 14
    endgame_states: int = 20_000
    endgame_questions: int = 3
    identify_factor: float = 1.0
    negligible: float = 0.0
    log_table: int = 18

    def lists(self, *, choices: bool) -> int:
        """Return the number of lists of candidates in a plan: one for now, and one after each sequence of answers.

        Candidates are the questions that are compared in a state. `choices` is whether they include choices.
        """
        followed = ANSWERS_FOLLOWED if choices else 2
        return sum((followed * self.candidates) ** k for k in range(self.questions + 1))

    def with_budget(self, budget: int) -> PlannerSettings:
        """Return the same settings with another budget, the number of states to consider for a decision.

        A larger budget also raises `endgame` and `endgame_states`, the limits of the exact search: where plans cost
        more than the optimum, this is mostly because they end early, and more of such plans do not help. The exact
        search does not end early. It takes about 1.4 times as long for each further goal.
        """
        more = max(1.0, budget / self.budget)
        goals, states = self.endgame + int(math.log(more, 1.4)), int(self.endgame_states * more)
        return replace(self, budget=budget, endgame=goals, endgame_states=states)


FULL = PlannerSettings()
LIGHT = PlannerSettings(
    1, 4, depth=3, breadth=2, climbs=2, budget=30_000, endgame=12, endgame_states=2_500, log_table=16
)
# Where answers can be wrong, each question leads to states with as many goals as before: a state costs more work, and
# the optimum is out of reach with more than a few goals.
NOISY_FULL = replace(
    FULL, inner=3, climbs=2, budget=20_000, endgame=5, endgame_states=4_000, negligible=1e-3, log_table=17
)
NOISY_LIGHT = replace(
    LIGHT, climbs=1, budget=15_000, endgame=4, endgame_states=2_000, endgame_questions=2, negligible=1e-3, log_table=15
)

SETTINGS = {"full": (FULL, NOISY_FULL), "light": (LIGHT, NOISY_LIGHT)}
"""Settings by name: for true answers to any number of yes/no questions, and for everything else."""


def search_of(
    tables: Tables,
    price: AdditivePrice,
    answers: AnswerModel,
    settings: PlannerSettings,
    groups: Words,
    *,
    least_choice: float | None = None,
) -> Search:
    """Return a new workspace of the planner for a problem, with an empty table of values.

    Args:
        tables: the arrays of the problem.
        price: the price of yes/no questions.
        answers: the probabilities of wrong and missing answers.
        settings: how far to look ahead.
        groups: ``uint64 [n_groups, n_words]``, goals that belong together.
        least_choice: the price of the cheapest choice, None if there are no choices.
    """
    n_goals, n_words = tables.n_goals, n_words_of(tables.n_goals)
    plain = answers.truthful and least_choice is None
    graded = answers.wrong > 0
    n_levels = min(2 * int(tables.depth.max()) + n_goals + 4 * settings.questions + 32, MOST_LEVELS)
    n_row = n_words + (not plain) + (-(-n_goals // 4) if graded else 0)
    check_size(n_levels * n_row * 8, "tables of the planner", f"{n_levels} levels and {n_goals} goals")
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
    least = cheapest(price, tables.goals)
    keys = np.zeros((2**settings.log_table, n_row + 3), dtype=np.uint64)
    return Search(
        world=world_of(tables),
        base=price.base,
        per_goal=price.per_goal,
        cheapest=least if least_choice is None else min(least, least_choice),
        uniform=bool(price.uniform),
        extra=for_loops(price.extra, np.float64),
        graded=graded,
        refused=float(answers.refused),
        persistent=bool(answers.persistent),
        identify_factor=settings.identify_factor / ((1 - answers.refused) * capacity(answers.wrong)),
        **_answer_arrays(answers),
        rows=rows,
        log_odds=log_odds_of(rows, n_words),
        asked_word=-1 if plain else n_words,
        sets=np.zeros((n_questions, n_answers, n_words), dtype=np.uint64),
        asked=records(ASKED, n_questions),
        pool=pool,
        choices=choices,
        groups=groups[:, None].copy(),
        known=np.zeros((64, n_words), dtype=np.uint64),
        lengths=np.full(n_lists, -1, dtype=np.int64),
        keys=keys,
        values=keys.view(np.float64),
        options=records(OPTION, n_levels, n_options),
        n_options=np.zeros(n_levels, dtype=np.int64),
        scored=records(SCORE, n_options),
        ranked=records(RANKED, n_goals + 2),
        lists=np.zeros((LISTS, longest), dtype=np.int64),
        merits=np.zeros((2, longest)),
        limits=records(LIMITS, 1),
        counts=records(COUNTS, 1),
        found=records(FOUND, 1),
    )


@lru_cache(maxsize=16)
def _answer_arrays(answers: AnswerModel) -> dict[str, Any]:
    """Return the arrays of a `Search` that depend on answers only: `against`, `odds_of`, `right` and `times`.

    Where errors are made anew every time, a question may be repeated until one answer has been given `d` times more
    often than the other. If an answer is wrong with probability `e` and missing with probability `r`, that is like
    asking once a question that is always answered, wrong with probability ``e_d = rho^d / (1 + rho^d)``,
    ``rho = e / (1 - e)``, and ``d / (1 - 2 e) * (1 - 2 e_d) / (1 - r)`` times as expensive: the expected number of
    questions. So plans reach further than the few questions that they hold.
    """
    e, unit = answers.wrong, unit_of(answers)
    against = np.zeros(MOST_ANSWERS + 1, dtype=np.int64)
    for k in range(2, MOST_ANSWERS + 1 if e > 0 else 0):
        against[k] = round(math.log((1 - e) * (k - 1) / e) / unit)
    rho = e / (1 - e)
    wrong = [rho**d / (1 + rho**d) for d in range(1, MOST_MARGIN + 1)]
    right = [(1 - answers.refused) * (1 - e), *(1 - errors for errors in wrong)]
    times = [d / (1 - 2 * e) * (1 - 2 * errors) / (1 - answers.refused) for d, errors in enumerate(wrong, start=1)]
    return {
        "against": for_loops(against, np.int64),
        "odds_of": for_loops(np.exp(-unit * np.arange(-FAINTEST + 1)) if e > 0 else np.ones(1), np.float64),
        "right": for_loops(right, np.float64),
        "times": for_loops([1.0, *times], np.float64),
    }


def unit_of(answers: AnswerModel) -> float:
    """Return the natural log-odds that 1 stands for in the workspace, where log-odds are whole numbers."""
    return math.log((1 - answers.wrong) / answers.wrong) / UNITS if answers.wrong > 0 else 1.0


def capacity(wrong: float) -> float:
    """Return the largest information, in bits, of a yes/no answer that is wrong with this probability."""
    if wrong == 0:
        return 1.0
    return 1 + wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)
