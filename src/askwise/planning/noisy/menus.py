"""Compiled loops: which questions are put on the menu of a state.

Proposals are ranked by their merit, the regret of asking once and going on without questions or settling then. Of the
first menu the best are improved goal by goal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.planning.noisy.beliefs import list_odds
from askwise.planning.noisy.values import after_reply, divides, leaf, price_of
from askwise.planning.search.sets import has
from askwise.planning.search.steps import ROUNDING

STARTS = 3
"""Proposals that are improved."""
INSISTED = 8
"""Proposals that are looked at as questions to be asked again and again."""
WORTH_MOVING = 0.01
"""Goals of less than this share of the weight are not moved across to improve a question."""


@compiled
def take_over(ws: Any, sets: Any, pool: int, first: int, n: int, lead: int) -> None:
    """Write `n` proposed sets of goals as questions of yes and no, from row `first` on, asked until such a lead."""
    for i in range(n):
        asked = ws.asked[first + i]
        asked.answers, asked.price, asked.choice, asked.lead = 2, -1.0, -1, lead
        for g in range(ws.truths.shape[1]):
            ws.truths[first + i, g] = 0 if has(sets, pool + i, g) else 1


@compiled
def merit(ws: Any, limits: Any, level: int, question: int, weight: float) -> float:
    """Return the regret of asking a question now and none later, in the state at `level`."""
    if not divides(ws, level, question):
        return np.inf
    total = weight * price_of(ws, level, question)
    for reply in range(-1, ws.asked[question].answers):
        if after_reply(ws, limits, level, question, reply, 0):
            value = leaf(ws, limits, level + 1)
            total += ws.frames[level + 1].factor * value
    return total


@compiled
def weigh_up(ws: Any, limits: Any, level: int, first: int, n: int, merits: Any) -> float:
    """Write the merits of `n` proposals; ``inf`` where the budget is used up. Return the weight of the belief."""
    frame = ws.frames[level]
    _, weight = list_odds(ws.world.weight, ws.levels, level, frame.w, ws.replies.power, ws.ranked)
    for i in range(n):
        merits[i] = np.inf
        if i == 0 or ws.counts[0].worked <= limits.budget:
            merits[i] = merit(ws, limits, level, first + i, weight)
    return weight


@compiled
def insist(ws: Any, limits: Any, level: int, first: int, n: int, merits: Any, weight: float, leads: int) -> int:
    """Add the best questions of yes and no asked until a larger lead; return how many there are then."""
    found = n
    order = np.argsort(merits[:n], kind="mergesort")
    for start in order[:INSISTED]:
        if ws.asked[first + start].price >= 0.0:
            continue
        for lead in range(2, leads + 1):
            if ws.counts[0].worked > limits.budget:
                break
            question = first + found
            ws.truths[question] = ws.truths[first + start]
            asked = ws.asked[question]
            asked.answers, asked.price, asked.choice, asked.lead = 2, -1.0, -1, lead
            merits[found] = merit(ws, limits, level, question, weight)
            found += 1
    return found


@compiled
def climb(ws: Any, limits: Any, level: int, first: int, n: int, merits: Any, weight: float) -> int:
    """Improve the best questions of yes and no by moving single goals across; return how many there are then."""
    found = n
    order = np.argsort(merits[:n], kind="mergesort")
    for start in order[:STARTS]:
        if ws.asked[first + start].price >= 0.0 or ws.counts[0].worked > limits.budget // 2:
            continue
        question, reached, moved_any = first + found, merits[start], False
        ws.truths[question] = ws.truths[first + start]
        asked = ws.asked[question]
        asked.answers, asked.price, asked.choice, asked.lead = 2, -1.0, -1, ws.asked[first + start].lead
        for _ in range(limits.climbs):
            moved, lowest = _best_flip(ws, limits, level, question, weight, reached)
            if moved < 0:
                break
            ws.truths[question, moved] ^= 1
            reached, moved_any = lowest, True
        if moved_any:
            merits[found] = reached
            found += 1
    return found


@compiled
def _best_flip(ws: Any, limits: Any, level: int, question: int, weight: float, reached: float) -> tuple[Any, float]:
    """Return the goal to move across in a question and what that reaches, -1 if no move is better."""
    w, power = ws.frames[level].w, ws.replies.power
    moved, lowest = np.int64(-1), reached - ROUNDING * weight
    for g in range(ws.truths.shape[1]):
        level_of = ws.levels[level, g]
        if level_of < -power.size or ws.world.weight[w, g] * power[-level_of] < WORTH_MOVING * weight:
            continue
        if ws.counts[0].worked > limits.budget:
            break
        ws.truths[question, g] ^= 1
        value = merit(ws, limits, level, question, weight)
        ws.truths[question, g] ^= 1
        if value < lowest:
            moved, lowest = np.int64(g), value
    return moved, lowest
