"""From the view of a problem to the arrays of the planner's loops, and how much work the loops may do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.planning import planner_kernels as kernels
from askwise.planning.planner_kernels import Desk
from askwise.planning.planner_questions import POOL_SIZE, Rules
from askwise.planning.view import View
from askwise.questions import QueryCost


@dataclass(frozen=True, slots=True)
class Settings:
    """How far the planner looks.

    Attributes:
        questions: the most questions that a plan holds.
        kept: questions that are looked at in a state.
        depth: steps ahead within which a plan may ask later.
        breadth: actions that are compared now.
        inner: actions that are compared in later states.
        climbs: how often the best question is improved by one goal.
        exact: sets of up to this many goals are valued exactly, over all questions and actions, wherever they occur.
        budget: states to be looked at for a decision; what is not at hand then is valued by silence.
        endgame: try to find the optimum once this many goals are left,
        endgame_states: with at most so many states.
        log_memory: two to this power values are remembered.
    """

    questions: int = 2
    kept: int = 6
    depth: int = 4
    breadth: int = 5
    inner: int = 2
    climbs: int = 4
    exact: int = 0
    budget: int = 150_000
    endgame: int = 10
    endgame_states: int = 40_000
    log_memory: int = 18


FULL = Settings()
LIGHT = Settings(
    questions=1,
    kept=4,
    depth=3,
    breadth=2,
    inner=2,
    climbs=2,
    budget=30_000,
    endgame=8,
    endgame_states=5_000,
    log_memory=16,
)


def desk_of(view: View, cost: QueryCost, settings: Settings) -> Desk:
    """Return the arrays of the loops for a view, with an empty memory."""
    ego = view.ego
    n_goals, n_words, n_moves = view.n_goals, view.n_words, ego.next.shape[1]
    parts = [
        view.following,
        view.steps,
        ego.next,
        ego.unloaded,
        ego.loaded,
        view.pick_list,
        view.pick_from,
        ego.load_at,
    ]
    world = np.concatenate([np.asarray(part, dtype=np.int32).ravel() for part in parts])
    offsets = np.concatenate(([0], np.cumsum([part.size for part in parts])[:-1]))
    levels = 2 * int(view.depth.max()) + n_goals + 3 * settings.questions + 16
    n_lists = (2 * settings.kept + 1) ** settings.questions
    stack = view.alive.shape[0]
    pool = stack + levels
    lists = pool + POOL_SIZE + 2
    sets = np.zeros((lists + n_lists * settings.kept, n_words), dtype=np.uint64)
    sets[:stack] = view.alive
    size, options = 2**settings.log_memory, n_moves + n_goals
    shape = [n_goals, n_words, view.following.shape[1], n_moves, *offsets, stack, pool, lists]
    return Desk(
        shape=np.array(shape, dtype=np.int64),
        world=world,
        weight=np.ascontiguousarray(view.weight).ravel(),
        sets=sets.ravel(),
        keys=np.zeros(size * (n_words + 2), dtype=np.uint64),
        values=np.zeros(size),
        counts=np.zeros(4, dtype=np.int64),
        whole=np.zeros((levels, kernels.ACTIONS + options), dtype=np.int64),
        real=np.zeros((levels, kernels.REGRETS + options)),
        listed=np.zeros(3 * n_goals, dtype=np.int64),
        scored=np.zeros(2 * options),
        prices=np.array([cost.base, cost.per_goal], dtype=np.float64),
        lengths=np.full(n_lists, -1, dtype=np.int64),
        odds=np.zeros(n_goals),
        ends=np.zeros(n_goals + 2, dtype=np.int64),
    )


def rules_of(cost: QueryCost, settings: Settings, budget: int) -> Rules:
    """Return costs and limits as the loops read them."""
    s = settings
    limits = (s.questions, s.kept, s.depth, s.breadth, s.inner, s.climbs, s.exact, budget)
    return Rules(float(cost.base), float(cost.per_goal), *limits)
