"""Belief-space planning: act, ask now, or ask later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.planning import planner_kernels as kernels
from askwise.planning import planner_questions as questions
from askwise.planning import planner_values as values
from askwise.planning.planner_kernels import Desk
from askwise.planning.planner_questions import POOL_SIZE
from askwise.planning.view import View, Words, goals_in
from askwise.problem import QueryCost


@dataclass(frozen=True, slots=True)
class Settings:
    questions: int = 2
    kept: int = 6
    depth: int = 4
    breadth: int = 3
    inner: int = 1
    climbs: int = 4
    exact: int = 0
    budget: int = 40_000
    log_memory: int = 18


FULL = Settings()
LIGHT = Settings(questions=1, kept=4, depth=2, breadth=2, climbs=0)


@dataclass(frozen=True, slots=True)
class Plan:
    action: int | None
    asked: tuple[int, ...] | None
    silent: float
    act: float
    ask: float
    candidate: tuple[int, ...] | None
    worked: int = 0


def desk_of(view: View, settings: Settings) -> Desk:
    ego = view.ego
    n_goals, n_words, n_moves = view.n_goals, view.n_words, ego.next.shape[1]
    parts = [view.following, view.steps, ego.next, ego.bare, ego.held, view.pick_list, view.pick_from, ego.pickup_at]
    world = np.concatenate([np.asarray(part, dtype=np.int32).ravel() for part in parts])
    offsets = np.concatenate(([0], np.cumsum([part.size for part in parts])[:-1]))
    levels = 2 * int(view.depth.max()) + n_goals + 3 * settings.questions + 16
    n_lists = (2 * settings.kept + 1) ** settings.questions
    stack = view.alive.shape[0]
    pool = stack + levels
    lists = pool + POOL_SIZE + 2
    rows = lists + n_lists * settings.kept
    sets = np.zeros((rows, n_words), dtype=np.uint64)
    sets[:stack] = view.alive
    size = 2**settings.log_memory
    options = n_moves + n_goals
    shape = [n_goals, n_words, view.following.shape[1], n_moves, *offsets, stack, pool, lists]
    return Desk(
        shape=np.array(shape, dtype=np.int64),
        world=world,
        weight=np.ascontiguousarray(view.weight).ravel(),
        sets=sets.ravel(),
        keys=np.zeros(size * (n_words + 2), dtype=np.uint64),
        values=np.zeros(size),
        counts=np.zeros(3, dtype=np.int64),
        whole=np.zeros((levels, kernels.ACTIONS + options), dtype=np.int64),
        real=np.zeros((levels, kernels.REGRETS + options)),
        listed=np.zeros(3 * n_goals, dtype=np.int64),
        scored=np.zeros(2 * options),
        offered=np.zeros(POOL_SIZE + 2),
        lengths=np.full(n_lists, -1, dtype=np.int64),
    )


class Planner:
    def __init__(self, view: View, cost: QueryCost, settings: Settings = FULL) -> None:
        self.view = view
        self.settings = settings
        self.desk = desk_of(view, settings)
        s = settings
        self.rules = questions.Rules(
            float(cost.base), float(cost.per_goal), s.questions, s.kept, s.depth, s.breadth, s.inner, s.climbs, s.exact, s.budget
        )

    def decide(self, allowed: Words, w: int, ego: int) -> Plan:
        view, desk = self.view, self.desk
        pos, tool = view.ego.split(ego)
        mask = allowed & view.alive[w]
        n_words, first = view.n_words, int(desk.shape[kernels.STACK]) * view.n_words
        desk.sets[first : first + n_words] = mask
        desk.lengths[:] = -1
        desk.counts[kernels.WORKED] = 0
        desk.counts[kernels.TURN] += 1
        best, asked, weight, silent, act, ask = self._compare(w, pos, tool)
        candidate = None
        if asked >= 0:
            row = (int(desk.shape[kernels.LISTS]) + asked) * n_words
            yes = desk.sets[row : row + n_words] & mask
            goals, others = goals_in(yes), goals_in(mask & ~yes)
            candidate = tuple(goals if len(goals) <= len(others) else others)
        action = self._action(pos, int(best))
        worked = int(desk.counts[kernels.WORKED])
        if candidate is not None and ask < act - 1e-6 * weight:
            return Plan(None, candidate, silent / weight, act / weight, ask / weight, candidate, worked)
        return Plan(action, None, silent / weight, act / weight, ask / weight, candidate, worked)

    def _action(self, pos: int, best: int) -> int:
        view = self.view
        moves = view.ego.moves
        if best < len(moves):
            return moves[best]
        return int(view.ego.pickups[view.pick_list[view.pick_from[pos] + best - len(moves)]])

    def _compare(self, w: int, pos: int, tool: int) -> tuple[int, int, float, float, float, float]:
        desk, rules, s = self.desk, self.rules, self.settings
        row = int(desk.shape[kernels.STACK])
        tool = kernels.useful(desk, row, tool)
        quiet = kernels.silent(desk, 0, w, pos, tool)
        weight = kernels.score_actions(desk, row, w, pos, tool)
        n = values.list_actions(desk, 0, pos, weight, s.breadth)
        tried = desk.whole[0, kernels.ACTIONS : kernels.ACTIONS + n].tolist()
        regrets = desk.real[0, kernels.REGRETS : kernels.REGRETS + n].tolist()
        best, asked, act, ask = tried[0], -1, quiet, np.inf
        if quiet == 0.0:
            return best, asked, weight, quiet, act, ask
        if quiet > weight * questions.price(rules, 1, 2):
            questions.choose(desk, rules, 0, w, pos, tool, 0)
            if regrets[0] > 0.0:
                for i in range(int(desk.lengths[0])):
                    question = int(desk.shape[kernels.LISTS]) + i
                    inside = kernels.common(desk, row, question, row + 1)
                    total = 0.0
                    if inside > 1:
                        total += self._value(w, pos, tool, s.questions - 1, s.depth, 1 + 2 * i)
                    outside = kernels.without(desk, row, question, row + 1)
                    if outside > 1:
                        total += self._value(w, pos, tool, s.questions - 1, s.depth, 2 + 2 * i)
                    total += weight * questions.price(rules, inside, inside + outside)
                    if total < ask - 1e-9 * weight:
                        ask, asked = total, i
        for action, regret in zip(tried, regrets, strict=True):
            total = regret
            there, hand = kernels.after(desk, pos, tool, action)
            for t in self.view.following[w].tolist():
                if t >= 0 and kernels.common(desk, row, t, row + 1) > 1:
                    total += self._value(t, there, hand, s.questions, s.depth - 1, 0)
            if total < act - 1e-9 * weight:
                act, best = total, action
        return best, asked, weight, quiet, act, ask

    def _value(self, w: int, pos: int, tool: int, more: int, depth: int, number: int) -> float:
        desk, rules = self.desk, self.rules
        values.put(desk, 1, w, pos, tool, more, depth, number)
        value, level = values.value_from(desk, rules, 1, 1)
        while value == values.NEEDS_LIST:
            w, pos, tool, number = (
                int(desk.whole[level, k]) for k in (kernels.WORKER, kernels.POSITION, kernels.TOOL, kernels.LIST)
            )
            questions.choose(desk, rules, level, w, pos, tool, number)
            value, level = values.value_from(desk, rules, 1, level)
        return value
