"""Kernels for one step: the delay that each action causes, for goals that are listed with their weights.

An action delays a goal by the number of steps by which the episode ends later than if the goal were known
(``r_g`` in `askwise.planning`). The delay of an action is the sum over goals of weight times delay. It is infinite for
actions that are not available, pick up a load of no use, or put a goal out of reach.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64, part
from askwise.core.side import FAR
from askwise.planning.workspace import World

ROUNDING = 1e-9
"""Differences below this share of the weight are ignored."""


@inner
def ego_steps(world: World, place: Any, load: Any, goal: Any) -> Any:
    """Return the ego agent's steps to a goal from a place; `load` is the goal whose load it carries, -1 for none."""
    return np.int64(world.loaded[place, goal] if goal == load else world.unloaded[place, goal])


@inner
def score_actions(world: World, ranked: Any, n: int, scored: Any, teammate: int, place: int, load: int) -> None:
    """Write into `scored` the delay that each action causes, and the ego agent's steps left after the action.

    Both are sums over the goals that can still be reached: a goal's weight times the steps for this goal. The delay is
    ``inf`` if the action is not available, picks up a load of no use, or puts a goal out of reach.

    `ranked` has `n` records with the fields `goal` and `odds` (the weight); `end` is overwritten, and goals out of
    reach may be removed. `scored` has records with `delay` and `left`, first for the moves, then for the loads at the
    place. `load` is the goal whose load the ego agent carries, -1 for none.
    """
    steps, unloaded, loaded, n_moves = world.steps, world.unloaded, world.loaded, world.next.shape[1]
    if world.cut_off[place]:
        n = _leave_out_of_reach(world, ranked, n, place, load)
    for k in range(n):  # the steps that would be left if the goal were known
        g = ranked[k].goal
        ranked[k].end = max(np.int64(steps[teammate, g]) + 1, ego_steps(world, place, load, g))
    for a in range(count_actions(world, place)):
        there, hand = after_action(world, place, load, int64(a))
        scored[a].delay = np.inf
        if there < 0 or (a >= n_moves and (hand == load or not _is_listed(ranked, n, hand))):
            continue
        if world.cut_off[there] and _loses_goal(world, ranked, n, there, hand):
            continue
        delay, left = 0.0, 0.0
        for k in range(n):
            g, odds = ranked[k].goal, ranked[k].odds
            e = loaded[there, g] if g == hand else unloaded[there, g]
            delay += odds * (1 + max(steps[teammate, g], e) - ranked[k].end)
            left += odds * e
        scored[a].delay, scored[a].left = delay, left


@inner
def _is_listed(ranked: Any, n: int, goal: Any) -> bool:
    """Return whether `goal` is the goal of one of the first `n` records in `ranked`."""
    found = False
    for k in range(n):
        found = found or ranked[k].goal == goal
    return found


@inner
def _loses_goal(world: World, ranked: Any, n: int, place: int, load: int) -> bool:
    """Return whether at least one of the first `n` goals in `ranked` is out of the ego agent's reach from `place`.

    `load` is the goal whose load the ego agent carries, -1 for none.
    """
    loses = False
    for k in range(n):
        loses = loses or ego_steps(world, place, load, ranked[k].goal) >= FAR
    return loses


@part
def _leave_out_of_reach(world: World, ranked: Any, n: int, place: int, load: int) -> Any:
    """Remove those of the first `n` goals in `ranked` that the ego agent can no longer reach; return how many are left.

    `load` is the goal whose load the ego agent carries, -1 for none.
    """
    left = int64(0)
    for k in range(n):
        if ego_steps(world, place, load, ranked[k].goal) < FAR:
            ranked[left].goal, ranked[left].odds = ranked[k].goal, ranked[k].odds
            left += 1
    return left


@inner
def count_actions(world: World, place: int) -> Any:
    """Return the number of actions at a place: all moves, and picking up each load that is there."""
    return np.int64(world.next.shape[1] + world.loads_from[place + 1] - world.loads_from[place])


@inner
def best_action(scored: Any, n_actions: int, weight: float) -> Any:
    """Return the index of the action of least delay, the one with the smallest ``scored[action].delay``.

    Ties go to the fewest steps left, then to the first action. Differences below a tiny share of `weight`, the sum of
    the goals' weights, count as ties.
    """
    best, near = np.int64(0), ROUNDING * weight
    for a in range(1, n_actions):
        one, other = scored[a], scored[best]
        if one.delay < other.delay - near or (one.delay <= other.delay + near and one.left < other.left - near):
            best = np.int64(a)
    return best


@inner
def list_actions(world: World, scored: Any, options: Any, place: int, weight: float, most: int) -> int:
    """Write up to `most` available actions of least delay into `options`, the best first; return how many.

    `scored` has the delay of each action (`score_actions`), which becomes ``inf`` if the action is written. `options`
    has records with the fields `action` and `delay`. `weight` is the sum of the goals' weights.
    """
    n, n_actions = 0, count_actions(world, place)
    while n < min(most, n_actions):
        action = best_action(scored, n_actions, weight)
        delay = scored[action].delay
        if delay == np.inf:
            break
        options[n].action, options[n].delay = action, delay if delay > ROUNDING * weight else 0.0
        scored[action].delay = np.inf
        n += 1
    return n


@inner
def after_action(world: World, place: int, load: int, action: int) -> tuple[Any, Any]:
    """Return the ego agent's place and load after an action.

    The first actions are the columns of `world.next`; the others pick up the loads at `place`. A load is the goal that
    needs it, -1 for none. The new place is -1 if the move is not available.
    """
    n_moves = world.next.shape[1]
    if action < n_moves:
        return np.int64(world.next[place, action]), np.int64(load)
    return np.int64(place), np.int64(world.loads[world.loads_from[place] + action - n_moves])
