"""Planning in belief space: act, ask now, or ask later, whatever costs least in expectation.

**Values.** Costs are counted as *regret*, beyond those of knowing the goal (`askwise.planning.planner_kernels`). The
values of a state, each exact for the plans that it allows:

- *silent*: no more questions, always the action of least regret ("if I were told the goal right after this step");
- *settling*: the same, but as soon as that is cheaper the goal is found out at once, by questions that cut the goals in
  two again and again. It costs as little work as silence. Plans end in it where they look no further;
- *asking now*: the best of some questions, each with both answers followed by the best plan with a question less;
- *acting*: the best of some actions, each followed by the best plan. Plans may ask **later**, where it tells more.

A question about a set and one about its complement tell the same, so the smaller side is asked about. Nothing is asked
while some action has no regret: as long as the teammate is far away waiting costs nothing and may answer for free.

**Few goals left.** The search of `askwise.planning.optimal`, over all questions and all actions, takes over as soon as
it succeeds within its share of the work (`askwise.planning.planner_endgame`).

**Work.** The unit is a state looked at, so that equal problems get equal answers on every machine. When the budget is
used up, values that are not at hand are those of settling: more work only ever adds options. On large maps even silence
may take too long to be followed to its end; then what is left is valued by questions that find out the goal at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.planning import planner_kernels as kernels
from askwise.planning import planner_questions as questions
from askwise.planning import planner_silence as silence
from askwise.planning import planner_values as values
from askwise.planning.optimal_solver import Choice
from askwise.planning.planner_desk import FULL, LIGHT, Settings, desk_of, rules_of
from askwise.planning.planner_endgame import Endgame, endgame_of
from askwise.planning.view import View, Words, goals_in
from askwise.problem import JointState, Problem

__all__ = ["FULL", "LIGHT", "Plan", "Planner", "Settings"]

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
    question: tuple[int, ...] | None
    silent: float
    act: float
    ask: float
    free: bool
    optimal: bool
    worked: int


class Planner:
    """Plans for one view of a problem; remembers values from one decision to the next."""

    def __init__(self, problem: Problem, view: View, settings: Settings = FULL) -> None:
        self.problem = problem
        self.view = view
        self.cost = problem.query_cost
        self.settings = settings
        self.desk = desk_of(view, self.cost, settings)
        self.rules = rules_of(self.cost, settings, settings.budget)
        self._endgame: Endgame | None = None
        self._row = int(self.desk.shape[kernels.STACK])

    def plan(self, allowed: Words, w: int, ego: int, *, budget: int | None = None) -> Plan:
        """Return the plan for a state.

        Args:
            allowed: the goals that are possible, as a set of bits; at least two of them are alive at `w`.
            w: state of the teammate.
            ego: state of the ego agent.
            budget: states to be looked at, by default that of the settings.
        """
        desk = self.desk
        pos, tool = self.view.ego.split(ego)
        self.rules = rules_of(self.cost, self.settings, self.settings.budget if budget is None else budget)
        mask = allowed & self.view.alive[w]
        first = self._row * self.view.n_words
        desk.sets[first : first + self.view.n_words] = mask
        desk.lengths[:] = -1
        desk.counts[kernels.WORKED] = 0
        desk.counts[kernels.TURN] += 1
        desk.counts[kernels.MOST] = max(self.rules.budget // 2, AT_LEAST)
        tool = kernels.useful(desk, self._row, tool)
        best = self._optimum(JointState(w, ego), goals_in(mask))
        if best is not None:
            return self._from_optimum(best, w, pos, tool)
        return self._compare(mask, w, pos, tool)

    def __deepcopy__(self, memo: dict[int, Any]) -> Planner:
        # All it does from one decision to the next is to remember: copies of an agent can share it.
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the free places of the memory, which are most of it."""
        width = self.view.n_words + 2
        keys = self.desk.keys.reshape(-1, width)
        used = np.flatnonzero(keys[:, -1])
        entries = used, keys[used], self.desk.values[used]
        empty = self.desk._replace(keys=np.zeros(0, dtype=np.uint64), values=np.zeros(0))
        return {**self.__dict__, "desk": empty, "entries": entries}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put everything back in its place."""
        used, keys, values_there = state.pop("entries")
        self.__dict__.update(state)
        size = 2**self.settings.log_memory
        all_keys, all_values = np.zeros((size, keys.shape[1]), dtype=np.uint64), np.zeros(size)
        all_keys[used], all_values[used] = keys, values_there
        self.desk = self.desk._replace(keys=all_keys.ravel(), values=all_values)

    # -- few goals ---------------------------------------------------------------------------------------------------

    def _optimum(self, state: JointState, goals: Sequence[int]) -> Choice | None:
        """Return what is optimal, None if that takes too much work; tried again only with fewer goals."""
        if len(goals) > self.settings.endgame:
            return None
        known = self._endgame
        if known is None or not set(goals) <= set(known.goals) or (known.gave_up and len(goals) < len(known.goals)):
            states = self.settings.endgame_states
            self._endgame = endgame_of(self.problem, self.view, goals, states=states)
        return None if self._endgame is None else self._endgame.best(state, goals)

    def _from_optimum(self, best: Choice, w: int, pos: int, tool: int) -> Plan:
        desk, regret = self.desk, best.expected_marginal_cost
        weight = kernels.weigh(desk, self._row, w)
        quiet = silence.silent(desk, 0, w, pos, tool, False) / weight
        kernels.score_actions(desk, self._row, w, pos, tool)
        default = kernels.best_action(desk, pos, weight)
        free = bool(desk.scored[default] <= kernels.ROUNDING * weight)
        worked = int(desk.counts[kernels.WORKED])
        if best.ask is not None:
            return Plan(self._number(pos, default), True, best.ask, quiet, quiet, regret, free, True, worked)
        assert best.action is not None
        return Plan(best.action, False, None, quiet, regret, math.inf, free, True, worked)

    # -- many goals --------------------------------------------------------------------------------------------------

    def _compare(self, mask: Words, w: int, pos: int, tool: int) -> Plan:
        desk = self.desk
        silent = silence.silent(desk, 0, w, pos, tool, False)
        desk.counts[kernels.WORKED] = 0  # the budget is for plans; silence is there to compare with
        settling = silence.silent(desk, 0, w, pos, tool, True)
        desk.counts[kernels.MOST] = self.rules.budget + AT_LEAST
        weight = kernels.score_actions(desk, self._row, w, pos, tool)
        n = values.list_actions(desk, 0, pos, weight, self.settings.breadth)
        tried = desk.whole[0, kernels.ACTIONS : kernels.ACTIONS + n].tolist()
        regrets = desk.real[0, kernels.REGRETS : kernels.REGRETS + n].tolist()
        free, asked, ask = regrets[0] == 0.0, None, math.inf
        if free:
            self.rules = self.rules._replace(budget=self.rules.budget // FREE_SHARE)
        if silent > weight * questions.price(self.rules, 1, 2):
            questions.choose(desk, self.rules, 0, w, pos, tool, 0)
            if not free:
                asked, ask = self._best_question(mask, weight, w, pos, tool)
        best, act = tried[0], 0.0
        if settling > 0.0:
            best, act = self._best_action(tried, regrets, weight, w, pos, tool)
        asks = asked is not None and ask < act - LEAST_GAIN * weight
        worked = int(desk.counts[kernels.WORKED])
        return Plan(
            self._number(pos, best), asks, asked, silent / weight, act / weight, ask / weight, free, False, worked
        )

    def _best_question(
        self, mask: Words, weight: float, w: int, pos: int, tool: int
    ) -> tuple[tuple[int, ...] | None, float]:
        desk, row, s = self.desk, self._row, self.settings
        asked, best = -1, math.inf
        for i in range(int(desk.lengths[0])):
            question, total = int(desk.shape[kernels.LISTS]) + i, 0.0
            inside = kernels.common(desk, row, question, row + 1)
            if inside > 1:
                total += self._value(w, pos, tool, s.questions - 1, s.depth, 1 + 2 * i)
            outside = kernels.without(desk, row, question, row + 1)
            if outside > 1:
                total += self._value(w, pos, tool, s.questions - 1, s.depth, 2 + 2 * i)
            total += weight * questions.price(self.rules, inside, inside + outside)
            if total < best - kernels.ROUNDING * weight:
                best, asked = total, i
        if asked < 0:
            return None, best
        first = (int(desk.shape[kernels.LISTS]) + asked) * self.view.n_words
        yes = desk.sets[first : first + self.view.n_words] & mask
        goals, others = goals_in(yes), goals_in(mask & ~yes)
        return tuple(goals if len(goals) <= len(others) else others), best

    def _best_action(
        self, tried: list[int], regrets: list[float], weight: float, w: int, pos: int, tool: int
    ) -> tuple[int, float]:
        desk, row, s = self.desk, self._row, self.settings
        best, least = tried[0], math.inf
        for action, regret in zip(tried, regrets, strict=True):
            total = regret
            there, hand = kernels.after(desk, pos, tool, action)
            depth = s.depth - (regret > 0.0)
            for t in self.view.following[w].tolist():
                if t >= 0 and kernels.common(desk, row, t, row + 1) > 1:
                    total += self._value(t, there, hand, s.questions, depth, 0)
            if total < least - kernels.ROUNDING * weight:
                best, least = action, total
        return best, least

    def _value(self, w: int, pos: int, tool: int, more: int, depth: int, number: int) -> float:
        """Return the value of the state whose goals are in row 1 of the stack."""
        desk, rules = self.desk, self.rules
        values.put(desk, 1, w, pos, tool, more, depth, number)
        value, level = values.value_from(desk, rules, 1, 1)
        while value == values.NEEDS_LIST:
            columns = (kernels.WORKER, kernels.POSITION, kernels.TOOL, kernels.LIST)
            questions.choose(desk, rules, level, *(int(desk.whole[level, k]) for k in columns))
            value, level = values.value_from(desk, rules, 1, level)
        return float(value)

    def _number(self, pos: int, action: int) -> int:
        """Return the problem's number of an action as the loops number it."""
        view, moves = self.view, self.view.ego.moves
        if action < len(moves):
            return moves[action]
        return int(view.ego.load_actions[view.pick_list[view.pick_from[pos] + action - len(moves)]])
