"""Everything that the planner's kernels read and write, by name (`Search`), and the transposition table.

- A *level* is a depth of the recursion. It has one *state*: the places of both agents and the ego agent's load
  (`Search.states`), and the belief (`Search.rows`). A belief has the possible goals as bits and, if answers can be
  wrong, the log-odds of each goal (`askwise.planning.beliefs`).
- A *question* is a row of `Search.sets`: for each answer, the goals for which it is true, as bits.
- The *candidates* of a state are the questions to compare there. Each sequence of answers has its own list of
  candidates, with the number *list_no*; 0 is the list before any answer. Candidate k of a list is question
  ``list_no * limits.candidates + k``.
- The transposition table has the values of states computed so far. Its keys contain a *tag*, the kind of value
  (`askwise.planning.leaf_values`, `askwise.planning.values`).

In all kernels, `s` is the search, `level` the level of the state, `question` the row of a question, and `answer` the
index of an answer. Later levels are overwritten. A value of at least `limit` may be replaced by any other such number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from askwise._compiled import Struct, inner, int64
from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.questions import AdditivePrice, Choice
from askwise.core.side import FAR
from askwise.errors import InputError
from askwise.planning.settings import PlannerSettings
from askwise.planning.tables import Tables, Words, for_loops, mask_rows, n_words_of
from askwise.text.reading import check_size
from askwise.types import BoolArray, FloatArray, IntArray

MOST_ANSWERS = 16
"""Most answers to a question of a plan."""
MOST_MARGIN = 3
"""Largest margin until which a question is repeated."""
MOST_COMPLETE = 63
"""Most questions of a complete search: one bit for each notes whether it was asked."""
POOL_SIZE = 64
"""Most yes/no questions that are proposed for a state."""
POOL_ROOM = 2 * POOL_SIZE
"""Rows for proposals: yes/no questions, choices, and questions that are repeated until an answer has a margin."""
UNITS = 64
"""Units of log-odds that a goal loses when a yes/no answer speaks against it; choices need numbers between."""
FAINTEST = -32_000
"""The lowest log-odds of a possible goal."""
LISTS = 4
"""Rows of `Search.lists`."""
MOST_LISTS = 4_094
"""Lists of candidates that a plan may have; keys of values hold their numbers in 12 bits."""
MOST_LEVELS = 3_000
"""Levels of the recursion at most; a state beyond is valued by identifying the goal at once."""


def record(integers: str, floats: str = "") -> np.dtype[Any]:
    """Return the dtype of a record with 64-bit fields: first the `integers`, then the `floats`.

    Both arguments are names of fields, separated by spaces.
    """
    return np.dtype([(name, np.int64) for name in integers.split()] + [(name, np.float64) for name in floats.split()])


def records(kind: np.dtype[Any], *shape: int) -> Any:
    """Return an array of records of dtype `kind`, all 0."""
    return np.zeros(shape, dtype=kind).view(np.recarray)


LIMITS = record(
    "questions breadth actions candidates climbs budget at_least identifies acts_only complete complete_no first"
    " choices margins known",
    "negligible",
)
"""How far a decision may look.

- `questions` that its plans may hold; `breadth`, the actions compared now; `actions`, those compared in later states;
  `candidates` of a state; `climbs`, how often the best questions are improved by one goal; a `budget` of states;
  `at_least`, the states for which acting is followed whatever the budget.
- Plans may end by identifying the goal if it `identifies`. Goals of less than the part `negligible` of the heaviest one
  are left out where plans end. With `acts_only` nothing is planned: only the cost of acting is wanted.
- A `complete` search looks at everything, with one list of questions for all states, from row `first` on;
  `complete_no` counts such lists.
- The number of `choices` that are considered, of `margins` until which questions are repeated, and of `known` sets.
"""

COUNTS = record("states_seen decision_no most_followed cut_short")
"""States looked at for this decision, the number of the decision, the states that may be looked at before acting is no
longer followed to its end, and how often a complete search was cut short by its budget."""

FOUND = record("free action question", "weight act_only leaf act ask")
"""The result of a decision: the `weight` of its belief; the cost of acting only, and of acting until the goal is
identified (`leaf`); whether the best action causes no delay (`free`); the best `action` and the cost of acting now; the
best `question`, -1 for none, and the cost of asking now. Costs are expected marginal costs times the weight."""

STATE = record("teammate place load", "weight")
"""A state without its belief: the teammate's state, the place of the ego agent, and the goal whose load it carries, -1
for none. The `weight`, the sum of the weights of the possible goals, is known once they were listed (`list_goals`)."""

OPTION = record("action", "delay")
"""An action that a state compares, and the expected delay that it causes, times the weight."""
SCORE = record("", "delay left")
"""The delay that an action causes, and the steps left after it, both times the weight."""
RANKED = record("goal end", "odds extra")
"""Room for a list of goals with their weights (`odds`) and extra prices, and for the ends of parts of the list."""
ASKED = record("answers choice margin known", "price")
"""A question: the number of its answers; the choice that it is, -1 for none; the margin until which it is repeated
(`Search.right`), 0 if it is asked once; whether it is known to be answered as before; and its price, below 0 for a
yes/no question, whose price is a sum over goals."""


class World(Struct):
    """A problem as arrays for kernels: where both agents can go, their steps to each goal, and the goals' weights.

    Comments beside the fields give their shapes.
    """

    weight: FloatArray  # float64 [n_states, n_goals]
    steps: IntArray  # int32 [n_states, n_goals], the teammate's steps to each goal
    following: IntArray  # int32 [n_states, n_moves], the teammate's next states, padded with -1
    alive: Words  # uint64 [n_states, n_words], the goals of positive weight
    next: IntArray  # int32 [n_places, n_actions], the ego agent's next place, -1 where there is none
    unloaded: IntArray  # int32 [n_places, n_goals], the ego agent's steps without the goal's load
    loaded: IntArray  # the same with the load
    loads: IntArray  # int32 [n_loads], goals with a load, by place
    loads_from: IntArray  # int32 [n_places + 1], where each place's part of `loads` begins
    cut_off: BoolArray  # bool [n_places], whether some goal cannot be reached from there


class Search(Struct):
    """The workspace of the planner's kernels: problem, prices, answers, beliefs, questions, and values found so far.

    Comments explain the fields. In order, they are

    - the problem (`world`), the prices of questions (`base` to `extra`), and how reliable answers are (`graded` to
      `times`);
    - the state on each level of the recursion, with its belief (`states` to `asked_word`);
    - the questions to compare, and their components (`sets` to `lengths`);
    - the table of values (`keys`, `values`), and the actions to compare (`options` to `scored`);
    - room for lists (`ranked` to `merits`);
    - the limits, work and result of a decision (`limits` to `found`).
    """

    world: World  # the problem
    base: float  # price of a question
    per_goal: float  # price of each goal in it
    cheapest: float  # the least price of any question
    uniform: bool  # whether `extra` is 0 everywhere
    extra: FloatArray  # float64 [n_goals], what each goal adds beyond `per_goal`
    graded: bool  # whether beliefs have log-odds, because answers can be wrong
    refused: float  # probability that a question gets no answer
    persistent: bool  # whether it is useless to ask a question again
    identify_factor: float  # cost of identifying the goal, divided by the cost with true answers
    # int64 [MOST_ANSWERS + 1], units that a goal loses by an answer that speaks against it, by the number of answers
    against: IntArray
    odds_of: FloatArray  # float64 [n], the factor that each unit below 0 stands for
    # float64 [MOST_MARGIN + 1], probability that the answer with this margin is true; 0: that a question asked once
    # gets a true answer
    right: FloatArray
    times: FloatArray  # float64 [MOST_MARGIN + 1], the mean number of times a question is asked until this margin
    states: Any  # STATE [n_levels]
    rows: Words  # uint64 [n_levels, n], beliefs: goals, then questions asked, then log-odds
    log_odds: Any  # int16 [n_levels, n], the last part of the same memory
    asked_word: int  # the word of a row with a bit for each question asked, -1 if rows have none
    sets: Words  # uint64 [n_questions, n_answers, n_words], the goals for which each answer is true
    asked: Any  # ASKED [n_questions]
    pool: int  # the row of the first proposal; row `pool + POOL_ROOM` is room for one question
    choices: int  # the row of the first choice
    groups: Words  # uint64 [n_groups, 1, n_words], goals that belong together
    known: Words  # uint64 [n, n_words], sets about which it is useless to ask again
    lengths: IntArray  # int64 [n_lists], the number of candidates in each list, -1 if they have not been chosen
    keys: Words  # uint64 [size, n + 3], the transposition table
    values: FloatArray  # the same memory as float64
    options: Any  # OPTION [n_levels, n_options], the actions that each state compares
    n_options: IntArray  # int64 [n_levels], how many of `options` each state has
    scored: Any  # SCORE [n_options], all actions of one state
    ranked: Any  # RANKED [n_goals + 2]
    lists: IntArray  # int64 [LISTS, n], room for lists of goals, groups and proposals (`askwise.planning.proposals`)
    merits: FloatArray  # float64 [2, n], what proposals cost, and questions about single goals
    limits: Any  # LIMITS [1]
    counts: Any  # COUNTS [1]
    found: Any  # FOUND [1]

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to pickle, without free entries of the table and without arrays that share memory."""
        used = np.flatnonzero(self.keys[:, -2])
        table = len(self.keys), used, self.keys[used]
        return {**super().__getstate__(), "keys": table, "values": None, "log_odds": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        size, used, entries = state["keys"]
        keys = np.zeros((size, entries.shape[1]), dtype=np.uint64)
        keys[used] = entries
        views = {"values": keys.view(np.float64), "log_odds": log_odds_of(state["rows"], state["groups"].shape[2])}
        super().__setstate__({**state, "keys": keys, **views})


def log_odds_of(rows: Words, n_words: int) -> Any:
    """Return the log-odds in the beliefs `rows`, ``int16 [n_levels, n]``, as a view of the same memory.

    A row has `n_words` words with the possible goals, then one word with the questions asked, then the log-odds.
    Without log-odds, the result has one column that is not used.
    """
    if rows.shape[1] <= n_words + 1:
        return np.zeros((2, 2), dtype=np.int16)[:, :1]
    return rows[:, n_words + 1 :].view(np.int16)


def world_of(tables: Tables, goals: Sequence[int] | None = None) -> World:
    """Return a problem as arrays for kernels, with all goals or only the given ones.

    Weights are not normalised: if goals are left out, the weights of the others stay as they are.
    """
    ego, which = tables.ego, slice(None) if goals is None else list(goals)
    weight, unloaded, loaded, load_at = (
        tables.weight[:, which],
        ego.unloaded[:, which],
        ego.loaded[:, which],
        ego.load_at[which],
    )
    loads = np.flatnonzero(load_at >= 0)
    loads = loads[np.argsort(load_at[loads], kind="stable")]
    counts = np.bincount(load_at[loads], minlength=ego.next.shape[0])
    return World(
        weight=for_loops(weight, np.float64),
        steps=for_loops(tables.steps[:, which], np.int32),
        following=for_loops(tables.following, np.int32),
        alive=for_loops(tables.alive if goals is None else mask_rows(weight > 0), np.uint64),
        next=for_loops(ego.next, np.int32),
        unloaded=for_loops(unloaded, np.int32),
        loaded=for_loops(loaded, np.int32),
        loads=for_loops(loads, np.int32),
        loads_from=for_loops(np.concatenate(([0], np.cumsum(counts))), np.int32),
        cut_off=for_loops((np.maximum(loaded, unloaded) >= FAR).any(axis=1), np.bool_),
    )


def make_search(
    problem: Problem, tables: Tables, price: AdditivePrice, settings: PlannerSettings, groups: Words
) -> Search:
    """Return a new workspace of the planner for a problem, with an empty table of values.

    `groups` is ``uint64 [n_groups, n_words]``, sets of goals that belong together, as bits.
    """
    answers, chooses = problem.answers, problem.query_cost.per_option is not None
    n_goals, n_words = tables.n_goals, n_words_of(tables.n_goals)
    plain, graded = answers.truthful and not chooses, answers.wrong > 0
    n_levels = min(2 * int(tables.depth.max()) + n_goals + 4 * settings.questions + 32, MOST_LEVELS)
    n_row = n_words + (not plain) + (-(-n_goals // 4) if graded else 0)
    check_size(n_levels * n_row * 8, "tables of the planner", f"{n_levels} levels and {n_goals} goals")
    rows = np.zeros((n_levels, n_row), dtype=np.uint64)
    n_lists = settings.lists(choices=chooses)
    if n_lists > MOST_LISTS:
        found = f"{settings.questions} questions with {settings.candidates} candidates each: {n_lists:,} lists"
        raise InputError("settings", found, f"at most {MOST_LISTS:,} lists of candidates")
    choices = n_lists * settings.candidates + (0 if plain else MOST_COMPLETE)
    pool = choices + (0 if plain else POOL_ROOM)
    n_questions = pool + POOL_ROOM + 1
    n_answers = MOST_ANSWERS if chooses else 2
    n_options, longest = tables.ego.next.shape[1] + n_goals, max(n_goals, len(groups), POOL_ROOM + 1)
    least = float(price.base + (price.per_goal + price.extra[tables.goals].min()))
    if chooses:
        least = min(least, float(problem.query_cost(Choice(((0,),)))))
    keys = np.zeros((2**settings.log_table, n_row + 3), dtype=np.uint64)
    return Search(
        world=world_of(tables),
        base=price.base,
        per_goal=price.per_goal,
        cheapest=least,
        uniform=bool(price.uniform),
        extra=for_loops(price.extra, np.float64),
        graded=graded,
        refused=float(answers.refused),
        persistent=bool(answers.persistent),
        identify_factor=settings.identify_factor / ((1 - answers.refused) * capacity(answers.wrong)),
        **_answer_arrays(answers),
        states=records(STATE, n_levels),
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
    """Return the arrays of a `Search` that describe how reliable answers are.

    A question with a margin `d` above 0 is repeated until one answer leads by `d`; with 0, it is asked once.

    - ``against[k]``: units of log-odds that a goal loses when one of `k` possible answers speaks against it;
    - ``odds_of[n]``: the factor by which ``-n`` units multiply a goal's weight;
    - ``right[d]``: probability of a true answer;
    - ``times[d]``: mean number of times that the question is asked.

    An answer is missing with probability `r`, otherwise wrong with probability `e`. Let ``rho = e / (1 - e)``. The
    final answer to a yes/no question is wrong with probability ``e_d = rho^d / (1 + rho^d)``. The question is asked
    ``d / (1 - 2 e) * (1 - 2 e_d) / (1 - r)`` times on average.
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
    """Return the size of one unit of log-odds (natural logarithm); the workspace stores log-odds in whole units."""
    return math.log((1 - answers.wrong) / answers.wrong) / UNITS if answers.wrong > 0 else 1.0


def capacity(wrong: float) -> float:
    """Return the most information, in bits, that a yes/no answer can give if it is wrong with probability `wrong`."""
    if wrong == 0:
        return 1.0
    return 1 + wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)


# -- the transposition table -----------------------------------------------------------------------------------------

PROBES = 16
"""Entries that are tried for a key; where all are taken, an older value makes room."""
UNKNOWN = -1.0
"""Stands for a value that is not in the table."""


@inner
def find(keys: Any, rows: Any, row: int, first: Any, second: Any, probes: int) -> Any:
    """Return the index of a key's entry in a hash table, or ``-1 - index`` of the entry to write the key to.

    The key is ``rows[row]`` (``uint64 [n]``), then `first`, then `second`, which is never 0. `keys` is
    ``uint64 [size, n + 3]``, its size a power of two. An entry is a key and its value; an entry with 0 as `second` is
    free. If the `probes` entries to look at all have other keys, the first of them is to be overwritten.
    """
    n, last, mix = rows.shape[1], keys.shape[0] - 1, np.uint64(0x9E3779B97F4A7C15)
    h = (first ^ (first >> np.uint64(29))) * mix
    h = (h ^ second ^ (h >> np.uint64(32))) * mix
    for k in range(n):
        h = (h ^ rows[row, k] ^ (h >> np.uint64(31))) * mix
    home = np.int64(h >> np.uint64(20)) & last
    for probe in range(probes):
        entry = (home + probe) & last
        found = keys[entry, n + 1]
        if found == 0:
            return -1 - entry
        if found == second and keys[entry, n] == first:
            same = True
            for k in range(n):
                if keys[entry, k] != rows[row, k]:
                    same = False
                    break
            if same:
                return entry
    return -1 - home


@inner
def _where(state: Any) -> Any:
    return np.uint64(state.teammate) | (np.uint64(state.place) << np.uint64(32))


@inner
def _what(state: Any, tag: Any) -> Any:
    return np.uint64(1) | (np.uint64(state.load + 1) << np.uint64(1)) | (np.uint64(tag) << np.uint64(32))


@inner
def recall(s: Search, level: int, tag: int, limit: float) -> float:
    """Return a value of the state on `level` from the table of values; `UNKNOWN` if it is not there.

    `tag` names the kind of value. A lower bound in the table is returned only if it is at least `limit`.
    """
    state = s.states[level]
    entry = find(s.keys, s.rows, level, _where(state), _what(state, tag), int64(PROBES))
    if entry < 0:
        return UNKNOWN
    value = s.values[entry, s.rows.shape[1] + 2]
    if value >= 0.0:
        return float(value)
    return float(-value) if -value >= limit else UNKNOWN


@inner
def keep(s: Search, level: int, tag: int, value: float) -> None:
    """Write a value of the state on `level` into the table of values.

    `tag` names the kind of value, which says how it was computed. If only a lower bound `b` on the value is known,
    `value` is ``-b``.
    """
    keys, rows, first, second = s.keys, s.rows, _where(s.states[level]), _what(s.states[level], tag)
    n, entry = rows.shape[1], find(keys, rows, level, first, second, int64(PROBES))
    if entry < 0:
        entry = -1 - entry
        for k in range(n):
            keys[entry, k] = rows[level, k]
        keys[entry, n], keys[entry, n + 1] = first, second
    s.values[entry, n + 2] = value
