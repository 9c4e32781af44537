"""The planner's quantities once more, in plain Python: probabilities instead of weights, no regret, no memory tricks.

Costs are whole expected costs here, those of knowing the goal included.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from askwise.core.questions import QueryCost
from askwise.planning.tables import Tables

Goals = frozenset[int]
Ego = tuple[int, int]
"""Place, and load (-1: none)."""


def finding_out(odds: list[float], added: list[float], base: float) -> float:
    """Expected price of cutting sorted goals in two, again and again, where ``p (1 - p) / price`` is largest.

    A question costs `base` and what each goal in it adds.
    """
    if len(odds) < 2 or base == max(added) == 0:
        return 0.0
    order = sorted(range(len(odds)), key=lambda k: -odds[k])
    ranked, prices = [odds[k] for k in order], [added[k] for k in order]
    whole = sum(ranked)

    def price(cut: int) -> float:
        return base + min(sum(prices[:cut]), sum(prices[cut:]))

    def told(cut: int) -> float:
        part = sum(ranked[:cut])
        return part * (whole - part) / price(cut) if price(cut) else math.inf

    cut = 1
    for other in range(2, len(ranked)):
        if told(other) > told(cut) * (1 + 1e-9):
            cut = other
    parts = finding_out(ranked[:cut], prices[:cut], base) + finding_out(ranked[cut:], prices[cut:], base)
    return whole * price(cut) + parts


class PlainPlanner:
    def __init__(self, tables: Tables, cost: QueryCost) -> None:
        self.tables = tables
        self.cost = cost
        self.silent = cache(self._silent)
        self.settling = cache(self._settling)

    def alive(self, goals: Goals, w: int) -> Goals:
        return frozenset(g for g in goals if self.tables.weight[w, g] > 0)

    def probabilities(self, goals: Goals, w: int) -> dict[int, float]:
        total = sum(float(self.tables.weight[w, g]) for g in goals)
        return {g: float(self.tables.weight[w, g]) / total for g in sorted(goals)}

    def ego_steps(self, ego: Ego, goal: int) -> int:
        place, load = ego
        table = self.tables.ego.loaded if load == goal else self.tables.ego.unloaded
        return int(table[place, goal])

    def known(self, goals: Goals, w: int, ego: Ego) -> float:
        """Expected cost if the goal is told now."""
        left: list[int] = self.tables.steps[w].tolist()
        return sum(p * max(left[g] + 1, self.ego_steps(ego, g)) for g, p in self.probabilities(goals, w).items())

    def actions(self, goals: Goals, ego: Ego) -> list[Ego]:
        """What the ego agent's state can be after a step: moves, then loads of possible goals."""
        place, load = ego
        moves = [(int(t), load) for t in self.tables.ego.next[place] if t >= 0]
        loads = [g for g in sorted(goals) if self.tables.ego.load_at[g] == place and g != load]
        return moves + [(place, g) for g in loads]

    def after(self, goals: Goals, w: int, ego: Ego) -> float:
        """Expected cost after a step that led the ego agent to `ego`, if the goal is told then."""
        left: list[int] = self.tables.steps[w].tolist()
        return sum(p * max(left[g], self.ego_steps(ego, g)) for g, p in self.probabilities(goals, w).items())

    def best_step(self, goals: Goals, w: int, ego: Ego) -> Ego:
        """The step that is best if the goal is told right after it; among equals the one nearer to the goals."""
        odds = self.probabilities(goals, w)

        def rank(there: Ego) -> tuple[float, float]:
            nearer = sum(p * self.ego_steps(there, g) for g, p in odds.items())
            return round(self.after(goals, w, there), 7), round(nearer, 7)

        return min(self.actions(goals, ego), key=rank)

    def next_states(self, goals: Goals, w: int) -> list[tuple[float, int, Goals]]:
        """Where the teammate is one step further, how probably, and the goals that are left."""
        total = sum(self.tables.weight[w, g] for g in goals)
        found = []
        for t in self.tables.following[w]:
            left = self.alive(goals, int(t)) if t >= 0 else frozenset()
            if left:
                found.append((sum(self.tables.weight[t, g] for g in left) / total, int(t), left))
        return found

    def _silent(self, goals: Goals, w: int, ego: Ego) -> float:
        """Expected cost of taking the best step again and again without a question."""
        return self._stepping(goals, w, ego, self.silent)

    def _settling(self, goals: Goals, w: int, ego: Ego) -> float:
        """The same, but the goal is found out at once wherever that is cheaper."""
        if len(goals) == 1:
            return self.known(goals, w, ego)
        odds = self.probabilities(goals, w)
        at_once = finding_out(list(odds.values()), [self.cost([g]) - self.cost.base for g in odds], self.cost.base)
        return min(self._stepping(goals, w, ego, self.settling), self.known(goals, w, ego) + at_once)

    def _stepping(self, goals: Goals, w: int, ego: Ego, onwards: Callable[[Goals, int, Ego], float]) -> float:
        if len(goals) == 1:
            return self.known(goals, w, ego)
        if ego[1] not in goals:
            ego = ego[0], -1
        there = self.best_step(goals, w, ego)
        arrived = [g for g in goals if self.tables.steps[w, g] == 0]
        odds = self.probabilities(goals, w)
        later = sum(p * onwards(left, t, there) for p, t, left in self.next_states(goals, w))
        return 1 + later + sum(odds[g] * self.ego_steps(there, g) for g in arrived)

    def root(self) -> tuple[Goals, int]:
        return frozenset(int(g) for g in np.flatnonzero(self.tables.prior > 0)), self.tables.start
