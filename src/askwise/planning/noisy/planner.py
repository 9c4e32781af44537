"""Planning in belief space where answers can be wrong or missing; see `askwise.planning.noisy` for the recursion.

**Values** are those of `askwise.planning.search.planner`: silence, settling, asking now, acting and asking later, each
with the weights that answers leave. Settling is an estimate here (`askwise.planning.noisy.silence`); where the number
of questions is limited plans end in silence instead.

**Few goals left.** All questions, all actions, and up to a few questions ahead, as long as the work allows it
(`NoisySettings.complete_goals`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise.core.problem import Problem
from askwise.core.questions import Choice, Question
from askwise.planning.noisy import values
from askwise.planning.noisy.asking import ROOM_FOR_PROPOSALS, Asking, Known, Root
from askwise.planning.noisy.beliefs import list_odds, tidy, useful
from askwise.planning.noisy.choices import choices_of, every_choice
from askwise.planning.noisy.memory import Memory, packed, unpacked
from askwise.planning.noisy.settings import FULL, NoisySettings
from askwise.planning.noisy.steps import score_actions
from askwise.planning.noisy.workspace import DEAD, FAINTEST, MOST_LEAD, Limits, unit_of, workspace_of
from askwise.planning.search.planner import Plan
from askwise.planning.search.steps import ROUNDING, after
from askwise.planning.tables import Tables, price_for_planning
from askwise.types import FloatArray

LEAST_GAIN = 1e-6
"""Asking has to be better than acting by more than this."""
AT_LEAST = 20_000
"""States that may be looked at to follow silence to its end, whatever the budget; on most maps fewer do."""
FREE_SHARE = 8
"""Where an action has no regret, what is left to decide is which such action: that gets this part of the budget."""


class AbandonedError(Exception):
    """The complete search took more states than it may."""


class NoisyPlanner:
    """Plans for one view of a problem; remembers values from one decision to the next.

    Args:
        problem: the problem.
        tables: its tables, from where the planning begins.
        settings: how far to look.
    """

    def __init__(self, problem: Problem, tables: Tables, settings: NoisySettings = FULL) -> None:
        self.problem = problem
        self.tables = tables
        self.settings = settings
        price = price_for_planning(problem, "the planner adds up prices goal by goal")
        self.ws = workspace_of(tables, price, problem.answers, settings, ROOM_FOR_PROPOSALS)
        if problem.query_cost.per_option is not None:
            least = min(self.ws.prices.cheapest, float(problem.query_cost(Choice(((0,),)))))
            self.ws = self.ws._replace(prices=self.ws.prices._replace(cheapest=least))
        self.asking = Asking(problem, tables, price)
        self._complete: tuple[int, ...] = ()
        self._gave_up = True
        self._turn = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> NoisyPlanner:
        # All it does from one decision to the next is to remember: copies of an agent can share it.
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the free places of the memory, which are most of it."""
        nothing = Memory(np.zeros((0, 0), dtype=np.uint64), np.zeros(0))
        return {**self.__dict__, "ws": self.ws._replace(memory=nothing), "entries": packed(self.ws.memory)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put everything back in its place; levels and words are the same memory again."""
        memory = unpacked(state.pop("entries"), state["settings"].log_memory)
        self.__dict__.update(state)
        self.ws = self.ws._replace(memory=memory, levels=self.ws.words.view(np.int16))

    def plan(
        self,
        probabilities: FloatArray,
        w: int,
        ego: int,
        *,
        known: Known | None = None,
        questions: int | None = None,
        budget: int | None = None,
    ) -> Plan:
        """Return the plan for a state.

        Args:
            probabilities: ``float64 [n_goals]``; at least two goals that are alive at `w` have a positive one.
            w: state of the teammate.
            ego: state of the ego agent.
            known: tells the questions that would only be answered as before, by default none.
            questions: how many questions may be asked at most, None for any number.
            budget: states to be looked at, by default that of the settings.
        """
        ws, asking = self.ws, self.asking
        root = self._root(probabilities, w, ego, known or _never, questions)
        counts = ws.counts[0]
        counts["worked"], counts["cut"] = 0, 0
        counts["turn"] += 1
        asking.choices = choices_of(self.problem, root.goals)
        self.limits = self._limits(budget, root)
        counts["silence"] = max(self.limits.budget // 2, AT_LEAST)
        n, _ = list_odds(ws.world.weight, ws.levels, 0, w, ws.replies.power, ws.ranked)
        score_actions(ws.world, ws.ranked, n, ws.scored, w, root.place, root.load)
        n = values.list_actions(ws, 0, root.place, root.weight, len(ws.scored))
        tried = [(int(option["action"]), float(option["regret"])) for option in ws.options[0, :n]]
        self._put(root, 0, 0)
        silence = values.leaf(ws, self.limits._replace(settles=False), 0)
        plan = self._all(root, tried, silence)
        return self._some(root, tried, silence) if plan is None else plan

    def _root(self, probabilities: FloatArray, w: int, ego: int, known: Known, questions: int | None) -> Root:
        ws, weight = self.ws, self.tables.weight[w]
        alive = (weight > 0) & (probabilities > 0)
        raised = np.full(weight.size, -math.inf)
        raised[alive] = np.log(probabilities[alive]) - np.log(weight[alive])
        steps = np.rint((raised - raised.max()) / unit_of(self.problem.answers))
        ws.levels[0] = DEAD
        ws.levels[0, : weight.size] = np.where(alive, np.maximum(steps, FAINTEST), DEAD)
        tidy(ws.world.weight, ws.levels, 0, 0, w, ws.replies.power, 0.0)
        place, load = self.tables.ego.split(ego)
        _, total = list_odds(ws.world.weight, ws.levels, 0, w, ws.replies.power, ws.ranked)
        goals = tuple(np.flatnonzero(alive).tolist())
        again = not ws.replies.persistent and questions is None
        leads = (MOST_LEAD if self.problem.answers.wrong > 0 else 1) if again else 0
        return Root(w, place, useful(ws.levels, 0, load), total, goals, questions, known, leads)

    def _limits(self, budget: int | None, root: Root) -> Limits:
        s = self.settings
        return Limits(
            kept=s.kept,
            inner=s.inner,
            budget=s.budget if budget is None else budget,
            complete=False,
            turn=0,
            first=0,
            settles=root.questions is None,
            # Where there are places of no return a goal must not be forgotten.
            faint=0.0 if self.ws.world.cut_off.any() else s.faint,
            climbs=s.climbs,
        )

    def _put(self, root: Root, more: int, asked: int) -> None:
        depth = self.settings.depth
        values.put(self.ws, 0, root.w, root.place, root.load, more, depth, 0, np.uint64(asked), 1.0)

    # -- few goals: everything -------------------------------------------------------------------------------------

    def _all(self, root: Root, tried: list[tuple[int, float]], silence: float) -> Plan | None:
        """Return the best plan of all, with a few questions at most; None if that takes too much work."""
        s, ws, asking = self.settings, self.ws, self.asking
        if len(root.goals) > s.complete_goals or silence == 0.0:
            return None
        smaller = len(root.goals) < len(self._complete) and (self._gave_up or asking.choices)
        if not set(root.goals) <= set(self._complete) or smaller:
            self._complete, self._gave_up = root.goals, False
            self._turn += 1
        if self._gave_up:
            return None
        before, first = (self.limits, asking.choices), s.menus * s.kept
        asking.choices = every_choice(self.problem, self._complete)
        self.limits = self.limits._replace(
            complete=True, inner=len(ws.scored), budget=s.complete_states, turn=self._turn, first=first, settles=False
        )
        n = asking.list_all(ws, root, self._complete, first)
        ws.lengths[0] = n
        asked = sum(1 << k for k in range(n) if root.known(asking.named(ws, first + k, root)))
        try:
            return self._compare(root, tried, silence, s.complete_questions, asked)
        except AbandonedError:
            self._gave_up = True
            self.limits, asking.choices = before
            return None

    # -- many goals: some of everything ------------------------------------------------------------------------------

    def _some(self, root: Root, tried: list[tuple[int, float]], silence: float) -> Plan:
        ws, s = self.ws, self.settings
        ws.counts[0]["worked"] = 0  # the budget is for plans; silence is there to compare with
        ws.counts[0]["silence"] = self.limits.budget + AT_LEAST
        ws.lengths[:] = -1
        if tried[0][1] == 0.0:
            self.limits = self.limits._replace(budget=self.limits.budget // FREE_SHARE)
        self._put(root, root.at_most(s.questions), 0)
        more = root.at_most(s.questions)
        if more > 0 and silence > root.weight * ws.prices.cheapest:
            self.asking.choose(self.ws, self.limits, root, 0)
        else:
            ws.lengths[0] = 0
        return self._compare(root, tried[: s.breadth], silence, s.questions, 0)

    def _compare(self, root: Root, tried: list[tuple[int, float]], silence: float, questions: int, asked: int) -> Plan:
        more, free = root.at_most(questions), tried[0][1] == 0.0
        self._put(root, more, asked)
        question, ask = None, math.inf
        if not free and more > 0:
            question, ask = self._best_question(root, asked)
        best, act = tried[0][0], 0.0
        if silence > 0.0:
            best, act = self._best_action(root, tried, more, asked)
        complete = self.limits.complete
        return Plan(
            action=self._number(root.place, best),
            asks=question is not None and ask < act - LEAST_GAIN * root.weight,
            question=question,
            silent=silence / root.weight,
            act=act / root.weight,
            ask=ask / root.weight,
            free=free,
            optimal=complete,
            worked=int(self.ws.counts[0]["worked"]),
        )

    def _best_question(self, root: Root, asked: int) -> tuple[Question | None, float]:
        """Return the best question of the first menu and its regret."""
        ws, best, least = self.ws, -1, math.inf
        for k in range(int(ws.lengths[0])):
            row = self.limits.first + k
            if asked >> k & 1 or not values.divides(ws, 0, row):
                continue
            total = root.weight * values.price_of(ws, 0, row)
            for reply in range(-1, int(ws.asked[row]["answers"])):
                if total < least and values.after_reply(ws, self.limits, 0, row, reply, k):
                    total += self._value(root)
            if total < least - ROUNDING * root.weight:
                best, least = row, total
        return (None, least) if best < 0 else (self.asking.named(ws, best, root), least)

    def _best_action(self, root: Root, tried: list[tuple[int, float]], more: int, asked: int) -> tuple[int, float]:
        """Return the best of some actions and its regret."""
        ws, best, least = self.ws, tried[0][0], math.inf
        for action, regret in tried:
            total = regret
            place, load = after(ws.world, root.place, root.load, action)
            depth = self.settings.depth - (regret > 0.0 and not self.limits.complete)
            for t in self.tables.following[root.w].tolist():
                if t < 0 or total >= least:
                    continue
                n, factor = tidy(ws.world.weight, ws.levels, 0, 1, t, ws.replies.power, 0.0)
                if n > 1:
                    values.put(ws, 1, t, place, load, more, depth, 0, np.uint64(asked), factor)
                    total += self._value(root)
            if total < least - ROUNDING * root.weight:
                best, least = action, total
        return best, least

    def _value(self, root: Root) -> float:
        """Return the value of the state at level 1 of the stack, times its factor."""
        value, level = values.value_from(self.ws, self.limits, 1, 1)
        while value == values.NEEDS_MENU:
            self.asking.choose(self.ws, self.limits, root, level)
            value, level = values.value_from(self.ws, self.limits, 1, level)
        if value == values.ABANDONED:
            raise AbandonedError
        return float(value)

    def _number(self, place: int, action: int) -> int:
        """Return the problem's number of an action as the loops number it."""
        tables, moves = self.tables, self.tables.ego.moves
        if action < len(moves):
            return tables.ego.action(place, action)
        return int(tables.ego.load_actions[tables.loads[tables.loads_from[place] + action - len(moves)]])


def _never(_: Question) -> bool:
    return False
