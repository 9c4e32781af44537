"""All that the planner's compiled loops read and write, by name.

The loops keep a stack of their own instead of calling themselves: a state is a `FRAME` at some level, and its goals `A`
are a row of `Workspace.sets`. There also are the goals alive at each state of the teammate, questions that are proposed
(the pool), and the menus, the questions that plans choose from.

Three things keep the loops fast and quick to compile, and cost nothing but a habit. Numbers are 64 bits wide wherever
they are passed on, so that each loop is compiled once. What belongs together is one array of records: a `Workspace` is
passed on array by array, and is counted as in use array by array. And inner loops are given those parts of it that they
need. (Measured with all parts as arrays of their own, 27 instead of 19, and all of them passed to every loop: a state
took 1.6 times as long.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise.core.questions import AdditivePrice
from askwise.frozen import arrived
from askwise.planning.search.memory import Memory, empty_memory
from askwise.planning.search.settings import PlannerSettings
from askwise.planning.tables import Tables, cheapest, for_loops

POOL_SIZE = 64
"""Most questions that are proposed at a time; one more row is room to work in."""

LISTS = 4
"""Lists that are worked on at a time: goals by weight, some of them, an order, groups."""

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
        ("side", np.int64),
        ("more", np.int64),
        ("depth", np.int64),
        ("menu", np.int64),
        ("sum", np.float64),
        ("best", np.float64),
        ("weight", np.float64),
        ("limit", np.float64),
        ("cap", np.float64),
    ]
)
"""A state on the stack. Where it is: `w`, `place`, `load`, and the `weight` of its goals. How far it may look: `more`
questions of its `menu` (a number), asked within `depth` steps. What it looks at: `option` of so many `options`
(actions), which leads to `next_place` and `next_load`, and `child`, the next state of the teammate; then `question` of
so many `questions`, and the `side` of it. What that costs so far: `sum`; the least that was found: `best`.
What is not below `limit` or `cap` need not be known any closer: it is of no use to the state before, or dearer than
finding out the goal at once."""

OPTION = np.dtype([("action", np.int64), ("regret", np.float64)])
"""An action that a state compares, and what it costs at once."""

SCORE = np.dtype([("regret", np.float64), ("left", np.float64)])
"""What an action costs at once, and the steps left after it."""

RANKED = np.dtype([("goal", np.int64), ("odds", np.float64), ("extra", np.float64), ("end", np.int64)])
"""Room for a list of goals with their weights and extra prices, and for the ends of parts of the list."""

COUNTS = np.dtype([("worked", np.int64), ("turn", np.int64), ("silence", np.int64)])
"""States that were looked at for this decision, the number of the decision, and how many states may be looked at before
silence is no longer followed to its end."""


class World(NamedTuple):
    """A problem for compiled loops; see `askwise.planning.tables` and `askwise.ego`.

    Attributes:
        weight: ``float64 [n_states, n_goals]``.
        steps: ``int32 [n_states, n_goals]``, the teammate's steps to each goal.
        following: ``int32 [n_states, n_moves]``, the teammate's next states, filled up by -1.
        next: ``int32 [n_places, n_actions]``, the ego agent's next place, -1 where there is none.
        unloaded: ``int32 [n_places, n_goals]``, the ego agent's steps without the goal's load.
        loaded: the same with it.
        loads: ``int32 [n_loads]``, goals with a load, by place.
        loads_from: ``int32 [n_places + 1]``, where each place's part of `loads` begins.
        cut_off: ``bool [n_places]``, whether some goal cannot be reached from there.
    """

    weight: Any
    steps: Any
    following: Any
    next: Any
    unloaded: Any
    loaded: Any
    loads: Any
    loads_from: Any
    cut_off: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """Arrive as it was sent."""
        return arrived, (World, *self)


class Prices(NamedTuple):
    """What questions cost.

    Attributes:
        base: price of a question.
        per_goal: price for each goal in it.
        cheapest: what a question costs at least.
        uniform: whether `extra` is 0 everywhere.
        extra: ``float64 [n_goals]``, what each goal adds beyond `per_goal`.
    """

    base: float
    per_goal: float
    cheapest: float
    uniform: bool
    extra: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """Arrive as it was sent."""
        return arrived, (Prices, *self)


class Rows(NamedTuple):
    """Where parts of `Workspace.sets` begin; the goals alive at teammate state `w` are row `w`.

    Attributes:
        stack: the goals of the state at level 0 of the stack; those of the next level follow.
        pool: questions that are proposed.
        spare: room for a question.
        menus: the questions of menu 0; those of the next menu follow.
    """

    stack: int
    pool: int
    spare: int
    menus: int


class Workspace(NamedTuple):
    """All that the loops read and write.

    Attributes:
        world: the problem.
        prices: what questions cost.
        rows: where things are in `sets`.
        sets: ``uint64 [n_rows, n_words]``, see `askwise.planning.search.sets`.
        memory: values that were worked out.
        frames: ``FRAME [n_levels]``.
        options: ``OPTION [n_levels, n_options]``, the actions that each state compares.
        scored: ``SCORE [n_options]``, all actions of one state.
        ranked: ``RANKED [n_goals + 2]``.
        lists: ``int64 [LISTS, n]``, room for lists of goals, groups and proposals.
        merits: ``float64 [2, n]``, room for what proposals cost, and single goals.
        lengths: ``int64 [n_menus]``, questions on each menu, -1 where they have not been chosen.
        counts: ``COUNTS [1]``.
    """

    world: World
    prices: Prices
    rows: Rows
    sets: Any
    memory: Memory
    frames: Any
    options: Any
    scored: Any
    ranked: Any
    lists: Any
    merits: Any
    lengths: Any
    counts: Any


class Limits(NamedTuple):
    """How far compiled loops may look, see `PlannerSettings`."""

    kept: int
    inner: int
    climbs: int
    budget: int


def limits_of(settings: PlannerSettings, budget: int) -> Limits:
    """Return the limits for a decision with so much work."""
    return Limits(settings.kept, settings.inner, settings.climbs, budget)


def workspace_of(tables: Tables, price: AdditivePrice, settings: PlannerSettings, n_groups: int) -> Workspace:
    """Return the workspace for a problem with so many groups of goals, with an empty memory."""
    n_goals, n_words = tables.n_goals, tables.n_words
    longest = max(n_goals, n_groups, POOL_SIZE + 1)
    n_options = tables.ego.next.shape[1] + n_goals
    levels = 2 * int(tables.depth.max()) + n_goals + 3 * settings.questions + 16
    stack = tables.alive.shape[0]
    pool = stack + levels
    rows = Rows(stack, pool, pool + POOL_SIZE, pool + POOL_SIZE + 1)
    sets = np.zeros((rows.menus + settings.menus * settings.kept, n_words), dtype=np.uint64)
    sets[:stack] = tables.alive
    return Workspace(
        world=world_of(tables),
        prices=prices_of(tables, price),
        rows=rows,
        sets=sets,
        memory=empty_memory(settings.log_memory, n_words),
        frames=np.zeros(levels, dtype=FRAME),
        options=np.zeros((levels, n_options), dtype=OPTION),
        scored=np.zeros(n_options, dtype=SCORE),
        ranked=np.zeros(n_goals + 2, dtype=RANKED),
        lists=np.zeros((LISTS, longest), dtype=np.int64),
        merits=np.zeros((2, longest)),
        lengths=np.full(settings.menus, -1, dtype=np.int64),
        counts=np.zeros(1, dtype=COUNTS),
    )


def world_of(tables: Tables) -> World:
    """Return a problem for compiled loops."""
    ego = tables.ego
    return World(
        weight=for_loops(tables.weight, np.float64),
        steps=for_loops(tables.steps, np.int32),
        following=for_loops(tables.following, np.int32),
        next=for_loops(ego.next, np.int32),
        unloaded=for_loops(ego.unloaded, np.int32),
        loaded=for_loops(ego.loaded, np.int32),
        loads=for_loops(tables.loads, np.int32),
        loads_from=for_loops(tables.loads_from, np.int32),
        cut_off=for_loops(ego.cut_off(), np.bool_),
    )


def prices_of(tables: Tables, price: AdditivePrice) -> Prices:
    """Return what questions cost, for compiled loops."""
    possible = np.flatnonzero(tables.prior > 0).tolist()
    extra = for_loops(price.extra, np.float64)
    return Prices(price.base, price.per_goal, cheapest(price, possible), price.uniform, extra)
