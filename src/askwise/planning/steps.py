"""Kernels for one step: the delay that each action causes, for goals that are listed with their weights.

The delay of an action is the sum, over the goals, of a goal's weight times the delay if it is the true goal: the sum of
``weight * r_g`` in `askwise.planning`. It is infinite if the action is not available, if the action picks up a load
that is of no use, or if a goal would be out of reach after the action.
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

    Both are sums over goals: a goal's weight times the number of steps if it is the true goal. In `scored`, the ego
    agent's moves come first, then picking up the loads at its place. Goals that cannot be reached any more do not
    count. The delay is ``inf`` if the action is not available, if it picks up a load of no use, or if some goal could
    not be reached after the action.

    Args:
        world: the problem as arrays.
        ranked: records with the fields `goal` and `odds` (the goal's weight). The field `end` is overwritten, and
            goals that cannot be reached any more may be removed.
        n: the number of goals in `ranked`.
        scored: records with the fields `delay` and `left` to fill, one for each action.
        teammate: the teammate's state.
        place: the ego agent's place.
        load: the goal whose load the ego agent carries, -1 for none.
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

    `ranked` has records with the field `goal`. `load` is the goal whose load the ego agent carries, -1 for none.
    """
    loses = False
    for k in range(n):
        loses = loses or ego_steps(world, place, load, ranked[k].goal) >= FAR
    return loses


@part
def _leave_out_of_reach(world: World, ranked: Any, n: int, place: int, load: int) -> Any:
    """Remove those of the first `n` goals in `ranked` that the ego agent can no longer reach; return how many are left.

    `ranked` has records with the fields `goal` and `odds` (the goal's weight). `load` is the goal whose load the ego
    agent carries, -1 for none.
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

    `scored` has a record for each action, with the fields `delay` and `left`, the steps left after the action
    (`score_actions`). Of actions with the same delay, it is the one with the fewest steps left, and of these the first.
    Differences below a tiny share of `weight`, the sum of the goals' weights, are rounding errors and count as none.
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

    Args:
        world: the problem as arrays.
        scored: the delay of each action, from `score_actions`. The delays of the actions that are written become
            ``inf``.
        options: records with the fields `action` and `delay` to fill.
        place: the ego agent's place.
        weight: the sum of the goals' weights.
        most: the most actions to write.
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

    The first actions are the moves, one for each column of `world.next`; the others pick up one of the loads at
    `place`. A load is given by the goal that needs it, -1 for none. The new place is -1 if the move is not available.
    """
    n_moves = world.next.shape[1]
    if action < n_moves:
        return np.int64(world.next[place, action]), np.int64(load)
    return np.int64(place), np.int64(world.loads[world.loads_from[place] + action - n_moves])
