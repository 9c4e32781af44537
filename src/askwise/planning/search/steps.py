"""Compiled loops of the planner: one step ahead, what each action costs at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner
from askwise.core.side import FAR
from askwise.planning.search.sets import has, list_goals
from askwise.planning.search.workspace import World

ROUNDING = 1e-9
"""Differences below this share of the weight are no differences."""


@inner
def ego_steps(unloaded: Any, loaded: Any, place: Any, load: int, goal: Any) -> Any:
    """Return the ego agent's steps to a goal."""
    steps = unloaded[place, goal]
    if goal == load:
        steps = loaded[place, goal]
    return steps


@inner
def score_actions(world: World, sets: Any, ranked: Any, scored: Any, row: int, w: int, place: int, load: int) -> float:
    """Fill `scored` with the regrets of all actions and the steps left after them; return the weight of the set.

    The ego agent's moves come first, then the loads at its place; the regret is infinite where an action is not
    available, its load of no use, or a goal would be out of reach after it.
    """
    unloaded, loaded = world.unloaded, world.loaded
    n, n_moves = list_goals(sets, row, ranked), world.next.shape[1]
    weight, known = 0.0, 0.0
    for k in range(n):
        g = ranked[k].goal
        odds = world.weight[w, g]
        weight += odds
        known += odds * (max(world.steps[w, g] + 1, ego_steps(unloaded, loaded, place, load, g)) - 1)
    if world.cut_off[place]:
        n, known = _leave_out_of_reach(world, ranked, n, w, place, load)
    for a in range(n_moves):
        t = np.int64(world.next[place, a])
        if t < 0 or (world.cut_off[t] and _loses_goal(unloaded, loaded, ranked, n, t, load)):
            scored[a].regret = np.inf
            continue
        total, left = 0.0, 0.0
        for k in range(n):
            g = ranked[k].goal
            odds, e = world.weight[w, g], ego_steps(unloaded, loaded, t, load, g)
            total += odds * max(world.steps[w, g], e)
            left += odds * e
        scored[a].regret, scored[a].left = total - known, left
    if world.loads_from[place] < world.loads_from[place + 1]:
        _score_loads(world, sets, ranked, scored, row, n, w, place, load, known)
    return weight


@inner
def _score_loads(
    world: World, sets: Any, ranked: Any, scored: Any, row: int, n: int, w: int, place: int, load: int, known: float
) -> None:
    """Fill in the loads at a place; for any of them what is carried is put down."""
    unloaded, loaded = world.unloaded, world.loaded
    empty, left = -known, 0.0
    for k in range(n):
        g = ranked[k].goal
        odds, e = world.weight[w, g], unloaded[place, g]
        empty += odds * max(world.steps[w, g], e)
        left += odds * e
    first, n_moves = world.loads_from[place], world.next.shape[1]
    for k in range(first, world.loads_from[place + 1]):
        g, score = np.int64(world.loads[k]), scored[n_moves + k - first]
        loses = world.cut_off[place] and _loses_goal(unloaded, loaded, ranked, n, place, g)
        if g == load or loses or not has(sets, row, g):
            score.regret = np.inf
            continue
        odds, d = world.weight[w, g], world.steps[w, g]
        before, e = unloaded[place, g], loaded[place, g]
        score.regret = empty + odds * (max(d, e) - max(d, before))
        score.left = left + odds * (e - before)


@inner
def _leave_out_of_reach(world: World, ranked: Any, n: int, w: int, place: int, load: int) -> tuple[int, float]:
    """Take goals that cannot be reached any more off the list; return its length, and what `known` is without them."""
    left, known = 0, 0.0
    for k in range(n):
        g = ranked[k].goal
        e = ego_steps(world.unloaded, world.loaded, place, load, g)
        if e < FAR:
            ranked[left].goal = g
            left += 1
            known += world.weight[w, g] * (max(world.steps[w, g] + 1, e) - 1)
    return left, known


@inner
def _loses_goal(unloaded: Any, loaded: Any, ranked: Any, n: int, place: Any, load: Any) -> bool:
    """Whether a goal of the list cannot be reached from a place."""
    loses = False
    for k in range(n):
        loses = loses or ego_steps(unloaded, loaded, place, load, ranked[k].goal) >= FAR
    return loses


@inner
def count_actions(world: World, place: int) -> Any:
    """Return the number of actions at a place."""
    return np.int64(world.next.shape[1] + world.loads_from[place + 1] - world.loads_from[place])


@inner
def best_action(scored: Any, n_actions: int, weight: float) -> int:
    """Return the action of least regret; among equals the one that leaves the fewest steps, then the first."""
    best, near = 0, ROUNDING * weight
    for a in range(1, n_actions):
        one, other = scored[a], scored[best]
        if one.regret < other.regret - near or (one.regret <= other.regret + near and one.left < other.left - near):
            best = a
    return best


@inner
def after(world: World, place: int, load: int, action: int) -> tuple[Any, Any]:
    """Return place and load after an action, numbered as in `score_actions`."""
    n_moves = world.next.shape[1]
    if action < n_moves:
        return np.int64(world.next[place, action]), load
    return place, np.int64(world.loads[world.loads_from[place] + action - n_moves])
