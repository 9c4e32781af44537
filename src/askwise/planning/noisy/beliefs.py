"""Compiled loops: what answers have made of the weights of the goals, as rows of small whole numbers.

Goal `g` has the level 0 if no answer spoke against it, and falls by some levels with each that did (`Replies.against`);
``m_g`` is ``power[-level]``. Levels count from the highest, and goals that are not alive are `DEAD`: so beliefs that
are the same but for a factor are the same row.
"""

from __future__ import annotations

from typing import Any

from askwise._compiled import compiled
from askwise.planning.noisy.workspace import DEAD, FAINTEST


@compiled
def list_odds(weight: Any, levels: Any, row: int, w: Any, power: Any, ranked: Any) -> tuple[int, float]:
    """List the goals of a belief with their weights; return their number, and the sum of the weights."""
    n, total = 0, 0.0
    for g in range(weight.shape[1]):
        level = levels[row, g]
        if level > DEAD:
            odds = weight[w, g] * power[-level]
            ranked[n].goal, ranked[n].odds = g, odds
            total += odds
            n += 1
    return n, total


@compiled
def tidy(weight: Any, levels: Any, row: int, target: int, w: Any, power: Any, faint: float) -> tuple[int, float]:
    """Write a belief as it is with the teammate at `w` into `target`; return how many goals are left, and a factor.

    The factor is that by which all weights of the new row have to be multiplied. Goals of less than the part `faint` of
    the heaviest one are left out.
    """
    heaviest, n_goals = 0.0, weight.shape[1]
    for g in range(n_goals):
        level = levels[row, g]
        if level > DEAD:
            heaviest = max(heaviest, weight[w, g] * power[-level])
    least, top, n = faint * heaviest, DEAD, 0
    for g in range(n_goals):
        level = levels[row, g]
        if level > DEAD:
            odds = weight[w, g] * power[-level]
            if odds > 0.0 and odds >= least:
                n += 1
                top = max(top, level)
                levels[target, g] = level
                continue
        levels[target, g] = DEAD
    if top == DEAD or top == 0:
        return n, 1.0
    for g in range(n_goals):
        if levels[target, g] > DEAD:
            levels[target, g] -= top
    return n, power[-top]


@compiled
def hear(levels: Any, row: int, target: int, truths: Any, question: int, reply: int, against: int) -> None:
    """Write the belief after a reply to a question into `target`, but for the probability of a true answer."""
    for g in range(truths.shape[1]):
        level = levels[row, g]
        if level > DEAD and truths[question, g] != reply:
            level = max(level - against, FAINTEST) if against < -DEAD else DEAD
        levels[target, g] = level


@compiled
def useful(levels: Any, row: int, load: int) -> int:
    """Return the load, or -1 for none if no goal that is possible needs it."""
    return load if load >= 0 and levels[row, load] > DEAD else -1
