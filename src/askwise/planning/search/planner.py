"""Planning in belief space: act, ask now, or ask later, whatever costs least in expectation.

**Values.** A state has several, each exact for the plans that it allows; all are regrets, as in `askwise.planning`:

- *silent*: no more questions, always the action of least regret ("if I were told the goal right after this step");
- *settling*: the same, but as soon as that is cheaper the goal is found out at once, by questions that cut the goals in
  two again and again. It costs as little work as silence. Plans end in it where they look no further;
- *asking now*: the best of some questions, each with both answers followed by the best plan with a question less;
- *acting*: the best of some actions, each followed by the best plan. Plans may ask **later**, where it tells more.

Nothing is asked while some action has no regret: as long as the teammate is far away waiting costs nothing and may
answer for free.

**Questions** are taken from a *menu*: some that suit every problem, some from the groups of goals that the problem
names (`askwise.planning.search.proposals`), the best of them improved (`askwise.planning.search.menus`).

**Few goals left.** The search of `askwise.planning.exact`, over all questions and all actions, takes over as soon as it
succeeds within its share of the work (`askwise.planning.search.endgame`).

**Work.** The unit is a state looked at, so that equal problems get equal answers on every machine. When the budget is
used up, values that are not at hand are those of settling: more work only ever adds options. On large maps even silence
may take too long to be followed to its end; then what is left is valued by questions that find out the goal at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.problem import JointState, Problem
from askwise.core.questions import Question
from askwise.planning.exact.solver import BestMove
from askwise.planning.search import entry, menus, values
from askwise.planning.search.endgame import Endgame, endgame_of
from askwise.planning.search.memory import Memory, packed, unpacked
from askwise.planning.search.sets import add_up, useful
from askwise.planning.search.settings import FULL, PlannerSettings
from askwise.planning.search.steps import ROUNDING, after
from askwise.planning.search.workspace import limits_of, workspace_of
from askwise.planning.tables import Tables, Words, goals_in, mask_rows, price_for_planning

LEAST_GAIN = 1e-6
"""Asking has to be better than acting by more than this."""
AT_LEAST = 20_000
"""States that may be looked at to follow silence to its end, whatever the budget; on most maps fewer do."""
FREE_SHARE = 8
"""Where an action has no regret, what is left to decide is which such action: that gets this part of the budget."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do in a state, and what else was considered. Values are expected costs beyond those of knowing the goal.

    Attributes:
        action: the best ontic action.
        asks: whether the question is better.
        question: the best question, None if none was considered.
        silent: value of acting without any question from now on.
        act: value of acting now, and asking later if that is of use; that of silence if asking now is optimal.
        ask: value of asking the question now, ``inf`` if none was considered.
        free: the action has no regret.
        optimal: found by the exact search.
        worked: states that were looked at for it.
    """

    action: int
    asks: bool
    question: Question | None
    silent: float
    act: float
    ask: float
    free: bool
    optimal: bool
    worked: int


class Planner:
    """Plans for one view of a problem; remembers values from one decision to the next.

    Args:
        problem: the problem.
        tables: its tables, from where the planning begins.
        settings: how far to look.
        groups: sets of goals that belong together, from which questions are made; by default those of the problem.
    """

    def __init__(
        self,
        problem: Problem,
        tables: Tables,
        settings: PlannerSettings = FULL,
        *,
        groups: Iterable[Sequence[int]] | None = None,
    ) -> None:
        self.problem = problem
        self.tables = tables
        self.price = price_for_planning(problem, "the planner adds up prices goal by goal")
        self.settings = settings
        self.groups = group_sets(problem.groups.values() if groups is None else groups, tables.n_goals)
        self.ws = workspace_of(tables, self.price, settings, len(self.groups))
        self.limits = limits_of(settings, settings.budget)
        self._endgame: Endgame | None = None

    def plan(self, allowed: Words, w: int, ego: int, *, budget: int | None = None) -> Plan:
        """Return the plan for a state.

        Args:
            allowed: the goals that are possible, as a set of bits; at least two of them are alive at `w`.
            w: state of the teammate.
            ego: state of the ego agent.
            budget: states to be looked at, by default that of the settings.
        """
        ws, row = self.ws, self.ws.rows.stack
        place, load = self.tables.ego.split(ego)
        self.limits = limits_of(self.settings, self.settings.budget if budget is None else budget)
        goals = allowed & self.tables.alive[w]
        ws.sets[row] = goals
        ws.lengths[:] = -1
        counts = ws.counts[0]
        counts["worked"] = 0
        counts["turn"] += 1
        counts["silence"] = max(self.limits.budget // 2, AT_LEAST)
        load = useful(ws.sets, row, load)
        best = self._optimum(JointState(w, ego), goals_in(goals))
        if best is not None:
            return self._from_optimum(best, w, place, load)
        return self._compare(goals, w, place, load)

    def __deepcopy__(self, memo: dict[int, Any]) -> Planner:
        # All it does from one decision to the next is to remember: copies of an agent can share it.
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the free places of the memory, which are most of it."""
        nothing = Memory(np.zeros((0, 0), dtype=np.uint64), np.zeros(0))
        return {**self.__dict__, "ws": self.ws._replace(memory=nothing), "entries": packed(self.ws.memory)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put everything back in its place."""
        memory = unpacked(state.pop("entries"), state["settings"].log_memory)
        self.__dict__.update(state)
        self.ws = self.ws._replace(memory=memory)

    # -- few goals ---------------------------------------------------------------------------------------------------

    def _optimum(self, state: JointState, goals: Sequence[int]) -> BestMove | None:
        """Return what is optimal, None if that takes too much work; tried again only with fewer goals."""
        if len(goals) > self.settings.endgame:
            return None
        known = self._endgame
        if known is None or not set(goals) <= set(known.goals) or (known.gave_up and len(goals) < len(known.goals)):
            states = self.settings.endgame_states
            self._endgame = endgame_of(self.problem, self.tables, goals, states=states)
        return None if self._endgame is None else self._endgame.best(state, goals)

    def _from_optimum(self, best: BestMove, w: int, place: int, load: int) -> Plan:
        ws, regret = self.ws, best.expected_marginal_cost
        weight = add_up(ws.sets, ws.rows.stack, ws.world.weight, w)
        silent = entry.silent(ws, 0, w, place, load, False) / weight
        default = entry.best_action(ws, w, place, load)[1]
        free = bool(ws.scored[default]["regret"] <= ROUNDING * weight)
        worked = int(ws.counts[0]["worked"])
        if best.ask is not None:
            return Plan(self._number(place, default), True, best.ask, silent, silent, regret, free, True, worked)
        assert best.action is not None
        return Plan(best.action, False, None, silent, regret, math.inf, free, True, worked)

    # -- many goals --------------------------------------------------------------------------------------------------

    def _compare(self, goals: Words, w: int, place: int, load: int) -> Plan:
        ws, counts = self.ws, self.ws.counts[0]
        silent = entry.silent(ws, 0, w, place, load, False)
        counts["worked"] = 0  # the budget is for plans; silence is there to compare with
        settling = entry.silent(ws, 0, w, place, load, True)
        counts["silence"] = self.limits.budget + AT_LEAST
        weight, n = entry.list_actions(ws, w, place, load, self.settings.breadth)
        tried = [(int(option["action"]), float(option["regret"])) for option in ws.options[0, :n]]
        free, asked, ask = tried[0][1] == 0.0, None, math.inf
        if free:
            self.limits = self.limits._replace(budget=self.limits.budget // FREE_SHARE)
        if silent > weight * ws.prices.cheapest:
            entry.choose(ws, self.limits, self.groups, 0, w, place, load, 0)
            if not free:
                asked, ask = self._best_question(goals, weight, w, place, load)
        best, act = tried[0][0], 0.0
        if settling > 0.0:
            best, act = self._best_action(tried, weight, w, place, load)
        asks = asked is not None and ask < act - LEAST_GAIN * weight
        return Plan(
            action=self._number(place, best),
            asks=asks,
            question=asked,
            silent=silent / weight,
            act=act / weight,
            ask=ask / weight,
            free=free,
            optimal=False,
            worked=int(counts["worked"]),
        )

    def _best_question(
        self, goals: Words, weight: float, w: int, place: int, load: int
    ) -> tuple[tuple[int, ...] | None, float]:
        """Return the best question of the first menu and its regret; its cheaper side is named."""
        ws, s = self.ws, self.settings
        row, asked, best = ws.rows.stack, -1, math.inf
        for i in range(int(ws.lengths[0])):
            question = ws.rows.menus + i
            sizes = self._write(question, inside=True), self._write(question, inside=False)
            total = weight * menus.price(ws.prices, ws.sets, row, question, *sizes)
            for side, size in enumerate(sizes):
                if size > 1 and total < best:
                    self._write(question, inside=side == 0)
                    total += self._value(w, place, load, s.questions - 1, s.depth, 1 + 2 * i + side, best - total)
            if total < best - ROUNDING * weight:
                best, asked = total, i
        if asked < 0:
            return None, best
        inside = ws.sets[ws.rows.menus + asked] & goals
        return self.price.cheaper(goals_in(inside), goals_in(goals & ~inside)), best

    def _best_action(
        self, tried: list[tuple[int, float]], weight: float, w: int, place: int, load: int
    ) -> tuple[int, float]:
        """Return the best of some actions and its regret."""
        ws, s = self.ws, self.settings
        best, least = tried[0][0], math.inf
        for action, regret in tried:
            total = regret
            next_place, next_load = after(ws.world, place, load, action)
            depth = s.depth - (regret > 0.0)
            for t in self.tables.following[w].tolist():
                if t >= 0 and total < least and self._write(t, inside=True) > 1:
                    total += self._value(t, next_place, next_load, s.questions, depth, 0, least - total)
            if total < least - ROUNDING * weight:
                best, least = action, total
        return best, least

    def _value(self, w: int, place: int, load: int, more: int, depth: int, menu: int, limit: float) -> float:
        """Return the value of the state whose goals are at level 1 of the stack, or some number not below `limit`."""
        ws, limits = self.ws, self.limits
        value, level = entry.value_of(ws, limits, w, place, load, more, depth, menu, limit)
        while value == values.NEEDS_MENU:
            frame = ws.frames[level]
            where = (int(frame[name]) for name in ("w", "place", "load", "menu"))
            entry.choose(ws, limits, self.groups, level, *where)
            value, level = entry.value_going_on(ws, limits, level)
        return value

    def _write(self, question: int, *, inside: bool) -> int:
        """Write those goals of level 0 that are in a set, or the others, to level 1; return their number.

        Like `common` and `without`, which take several times as long where they are not called by compiled loops.
        """
        sets, row = self.ws.sets, self.ws.rows.stack
        found = sets[row] & (sets[question] if inside else ~sets[question])
        sets[row + 1] = found
        return sum(word.bit_count() for word in found.tolist())

    def _number(self, place: int, action: int) -> int:
        """Return the problem's number of an action as the loops number it."""
        tables, moves = self.tables, self.tables.ego.moves
        if action < len(moves):
            return tables.ego.action(place, action)
        return int(tables.ego.load_actions[tables.loads[tables.loads_from[place] + action - len(moves)]])


def group_sets(groups: Iterable[Sequence[int]], n_goals: int) -> Words:
    """Return groups of goals as ``uint64 [n_groups, n_words]``."""
    members = [[goal in group for goal in range(n_goals)] for group in map(set, groups)]
    return mask_rows(np.array(members, dtype=bool).reshape(len(members), n_goals))
