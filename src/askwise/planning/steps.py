"""Kernels for one step: the regret of each action, for goals that are listed with their weights.

The regret of an action is the expected delay that it causes: the sum of ``weight * r_g`` in `askwise.planning`. It is
infinite if the action is not available, if its load is of no use, or if a goal would be out of reach after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, part
from askwise.core.side import FAR
from askwise.planning.workspace import World

ROUNDING = 1e-9
"""Differences below this share of the weight are no differences."""


@inner
def ego_steps(world: World, place: Any, load: Any, goal: Any) -> Any:
    """Return the ego agent's steps to a goal."""
    return np.int64(world.loaded[place, goal] if goal == load else world.unloaded[place, goal])


@inner
def score_actions(world: World, ranked: Any, n: int, scored: Any, teammate: int, place: int, load: int) -> None:
    """Fill `scored` with the regret of each action and the steps left after it, for the `n` goals in `ranked`.

    The ego agent's moves come first, then the loads at its place. Goals that cannot be reached any more do not count.
    """
    weight, steps, unloaded, loaded = world.weight, world.steps, world.unloaded, world.loaded
    known, n_moves = 0.0, world.next.shape[1]
    if world.cut_off[place]:
        n = _leave_out_of_reach(world, ranked, n, place, load)
    for k in range(n):
        g, odds = ranked[k].goal, ranked[k].odds
        known += odds * (max(steps[teammate, g] + 1, ego_steps(world, place, load, g)) - 1)
    for a in range(n_moves):
        t = np.int64(world.next[place, a])
        if t < 0 or (world.cut_off[t] and _loses_goal(world, ranked, n, t, load)):
            scored[a].regret = np.inf
            continue
        total, left = 0.0, 0.0
        for k in range(n):
            g, odds = ranked[k].goal, ranked[k].odds
            e = loaded[t, g] if g == load else unloaded[t, g]
            total += odds * max(steps[teammate, g], e)
            left += odds * e
        scored[a].regret, scored[a].left = total - known, left
    if world.loads_from[place] < world.loads_from[place + 1]:
        _score_loads(world, ranked, n, scored, teammate, place, load, known)


@part
def _score_loads(
    world: World, ranked: Any, n: int, scored: Any, teammate: int, place: int, load: int, known: float
) -> None:
    """Score the loads at a place; to take one up, the ego agent puts down what it carries."""
    unloaded, loaded, steps = world.unloaded, world.loaded, world.steps
    empty, left = -known, 0.0
    for k in range(n):
        g, odds = ranked[k].goal, ranked[k].odds
        e = unloaded[place, g]
        empty += odds * max(steps[teammate, g], e)
        left += odds * e
    first, n_moves = world.loads_from[place], world.next.shape[1]
    for k in range(first, world.loads_from[place + 1]):
        g, score = np.int64(world.loads[k]), scored[n_moves + k - first]
        at = 0
        while at < n and ranked[at].goal != g:
            at += 1
        loses = world.cut_off[place] and _loses_goal(world, ranked, n, place, g)
        if g == load or loses or at == n:
            score.regret = np.inf
            continue
        odds, d = ranked[at].odds, steps[teammate, g]
        before, e = unloaded[place, g], loaded[place, g]
        score.regret = empty + odds * (max(d, e) - max(d, before))
        score.left = left + odds * (e - before)


@part
def _leave_out_of_reach(world: World, ranked: Any, n: int, place: int, load: int) -> int:
    """Take goals that cannot be reached any more off the list; return its length."""
    left = 0
    for k in range(n):
        if ego_steps(world, place, load, ranked[k].goal) < FAR:
            ranked[left].goal, ranked[left].odds = ranked[k].goal, ranked[k].odds
            left += 1
    return left


@inner
def _loses_goal(world: World, ranked: Any, n: int, place: int, load: int) -> bool:
    """Whether a goal of the list cannot be reached from a place."""
    loses = False
    for k in range(n):
        loses = loses or ego_steps(world, place, load, ranked[k].goal) >= FAR
    return loses


@inner
def count_actions(world: World, place: int) -> Any:
    """Return the number of actions at a place."""
    return np.int64(world.next.shape[1] + world.loads_from[place + 1] - world.loads_from[place])


@inner
def best_action(scored: Any, n_actions: int, weight: float) -> Any:
    """Return the action of least regret; among equals the one that leaves the fewest steps, then the first."""
    best, near = np.int64(0), ROUNDING * weight
    for a in range(1, n_actions):
        one, other = scored[a], scored[best]
        if one.regret < other.regret - near or (one.regret <= other.regret + near and one.left < other.left - near):
            best = np.int64(a)
    return best


@inner
def list_actions(world: World, scored: Any, options: Any, place: int, weight: float, most: int) -> int:
    """Write the best actions of `scored` into `options`, best first; return their number."""
    n, n_actions = 0, count_actions(world, place)
    while n < min(most, n_actions):
        action = best_action(scored, n_actions, weight)
        regret = scored[action].regret
        if regret == np.inf:
            break
        options[n].action, options[n].regret = action, regret if regret > ROUNDING * weight else 0.0
        scored[action].regret = np.inf
        n += 1
    return n


@inner
def after(world: World, place: int, load: int, action: int) -> tuple[Any, Any]:
    """Return place and load after an action, numbered as in `score_actions`."""
    n_moves = world.next.shape[1]
    if action < n_moves:
        return np.int64(world.next[place, action]), np.int64(load)
    return np.int64(place), np.int64(world.loads[world.loads_from[place] + action - n_moves])
