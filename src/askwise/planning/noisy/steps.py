"""Compiled loops: one step ahead, what each action costs at once, for goals that are listed with their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.core.side import FAR
from askwise.planning.search.steps import ego_steps
from askwise.planning.search.workspace import World


@compiled
def score_actions(world: World, ranked: Any, n: int, scored: Any, w: Any, place: int, load: int) -> None:
    """Fill `scored` with the regrets of all actions and the steps left after them, for the `n` goals in `ranked`.

    As in `askwise.planning.search.steps`, which see.
    """
    unloaded, loaded = world.unloaded, world.loaded
    cut_off, known = world.cut_off[place], 0.0
    for k in range(n):
        g = ranked[k].goal
        e = ego_steps(unloaded, loaded, place, load, g)
        if e < FAR:
            known += ranked[k].odds * (max(world.steps[w, g] + 1, e) - 1)
    for a in range(world.next.shape[1]):
        t = np.int64(world.next[place, a])
        if t < 0 or (world.cut_off[t] and _loses_goal(unloaded, loaded, ranked, n, place, load, t, load)):
            scored[a].regret = np.inf
            continue
        total, left = 0.0, 0.0
        for k in range(n):
            g = ranked[k].goal
            e = ego_steps(unloaded, loaded, t, load, g)
            if cut_off and e >= FAR:
                continue
            total += ranked[k].odds * max(world.steps[w, g], e)
            left += ranked[k].odds * e
        scored[a].regret, scored[a].left = total - known, left
    if world.loads_from[place] < world.loads_from[place + 1]:
        _score_loads(world, ranked, n, scored, w, place, load, known)


@compiled
def _score_loads(world: World, ranked: Any, n: int, scored: Any, w: Any, place: int, load: int, known: float) -> None:
    """Fill in the loads at a place; for any of them what is carried is put down."""
    unloaded, loaded = world.unloaded, world.loaded
    empty, left = -known, 0.0
    for k in range(n):
        g = ranked[k].goal
        e = unloaded[place, g]
        if e < FAR:
            empty += ranked[k].odds * max(world.steps[w, g], e)
            left += ranked[k].odds * e
    first, n_moves = world.loads_from[place], world.next.shape[1]
    for k in range(first, world.loads_from[place + 1]):
        g, score = np.int64(world.loads[k]), scored[n_moves + k - first]
        at = _listed(ranked, n, g)
        loses = world.cut_off[place] and _loses_goal(unloaded, loaded, ranked, n, place, load, place, g)
        if g == load or loses or at < 0:
            score.regret = np.inf
            continue
        odds, d = ranked[at].odds, world.steps[w, g]
        before, e = unloaded[place, g], loaded[place, g]
        score.regret = empty + odds * (max(d, e) - max(d, before))
        score.left = left + odds * (e - before)


@compiled
def _listed(ranked: Any, n: int, goal: Any) -> int:
    """Return where a goal is in the list, -1 if it is not."""
    for k in range(n):
        if ranked[k].goal == goal:
            return k
    return -1


@compiled
def _loses_goal(unloaded: Any, loaded: Any, ranked: Any, n: int, place: Any, load: Any, there: Any, hand: Any) -> bool:
    """Whether a goal of the list that can be reached cannot be any more once the ego agent is `there`."""
    for k in range(n):
        g = ranked[k].goal
        if ego_steps(unloaded, loaded, there, hand, g) >= FAR and ego_steps(unloaded, loaded, place, load, g) < FAR:
            return True
    return False
