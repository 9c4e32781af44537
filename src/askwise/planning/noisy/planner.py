"""Planning in belief space where answers can be wrong or missing; see `askwise.planning.noisy` for the recursion.

**Values** are those of `askwise.planning.search.planner`: silence, settling, asking now, acting and asking later, each
with the weights that answers leave. Settling is an estimate here (`askwise.planning.noisy.silence`); where the number
of questions is limited plans end in silence instead.

**Few goals left.** All questions, all actions, and up to a few questions ahead, as long as the work allows it
(`NoisySettings.complete_goals`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from askwise.answers import CREDIBLE, n_answers, truth
from askwise.frozen import read_only
from askwise.planning.noisy import menus, values
from askwise.planning.noisy.beliefs import list_odds, tidy, useful
from askwise.planning.noisy.choices import choices_of, every_choice
from askwise.planning.noisy.memory import Memory, packed, unpacked
from askwise.planning.noisy.settings import ANSWERS_FOLLOWED, FULL, NoisySettings
from askwise.planning.noisy.steps import score_actions
from askwise.planning.noisy.workspace import DEAD, FAINTEST, MOST_COMPLETE, MOST_LEAD, Limits, unit_of, workspace_of
from askwise.planning.prices import price_for_planning
from askwise.planning.search.planner import Plan, group_sets
from askwise.planning.search.proposals import propose
from askwise.planning.search.settings import FULL as PROPOSALS
from askwise.planning.search.steps import ROUNDING, after
from askwise.planning.search.workspace import POOL_SIZE
from askwise.planning.search.workspace import workspace_of as room_for_proposals
from askwise.planning.tables import Tables, mask_rows
from askwise.problem import Problem
from askwise.questions import Choice, Question
from askwise.types import FloatArray

LEAST_GAIN = 1e-6
"""Asking has to be better than acting by more than this."""
AT_LEAST = 20_000
"""States that may be looked at to follow silence to its end, whatever the budget; on most maps fewer do."""
FREE_SHARE = 8
"""Where an action has no regret, what is left to decide is which such action: that gets this part of the budget."""
ROOM = replace(PROPOSALS, questions=1, kept=1, log_memory=1)
"""Proposals are those of the planner for true answers; all that it needs for them is room."""

Known = Callable[[Question], bool]
"""Whether a question would only be answered as before."""


class OverBudgetError(Exception):
    """The complete search took more states than it may."""


@dataclass(frozen=True)
class Root:
    """Where a plan begins.

    Attributes:
        w: state of the teammate.
        place: where the ego agent is.
        load: what it carries.
        weight: the weight of all goals.
        goals: the goals that are possible.
        questions: how many questions may be asked at most, None for any number.
        known: tells the questions that are not worth asking again.
        leads: the largest lead until which a question is asked again and again, 0 if none is.
    """

    w: int
    place: int
    load: int
    weight: float
    goals: tuple[int, ...]
    questions: int | None
    known: Known
    leads: int

    def at_most(self, most: int) -> int:
        """Return how many questions a plan may hold that looks `most` questions ahead."""
        return most if self.questions is None else min(most, self.questions)


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
        self.price = price_for_planning(problem, "the planner adds up prices goal by goal")
        self.ws = workspace_of(tables, self.price, problem.answers, settings, 2 * POOL_SIZE)
        self.proposing = room_for_proposals(tables, self.price, ROOM)
        # Proposals go by weights that are written for each of them, so these are its own.
        self._odds = tables.weight.copy()
        self.groups = group_sets(problem.groups.values(), tables.n_goals)
        self.choices: list[Choice] = []
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
        ws = self.ws
        root = self._root(probabilities, w, ego, known or _never, questions)
        counts = ws.counts[0]
        counts["worked"], counts["cut"] = 0, 0
        counts["turn"] += 1
        self.choices = choices_of(self.problem, root.goals)
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
        s, ws = self.settings, self.ws
        if len(root.goals) > s.complete_goals or silence == 0.0:
            return None
        smaller = len(root.goals) < len(self._complete) and (self._gave_up or self.choices)
        if not set(root.goals) <= set(self._complete) or smaller:
            self._complete, self._gave_up = root.goals, False
            self._turn += 1
        if self._gave_up:
            return None
        before, first = (self.limits, self.choices), s.menus * s.kept
        self.choices = every_choice(self.problem, self._complete)
        self.limits = self.limits._replace(
            complete=True, inner=len(ws.scored), budget=s.complete_states, turn=self._turn, first=first, settles=False
        )
        n = self._list_all(root, first)
        ws.lengths[0] = n
        asked = sum(1 << k for k in range(n) if root.known(self._named(first + k, root)))
        try:
            return self._compare(root, tried, silence, s.complete_questions, asked)
        except OverBudgetError:
            self._gave_up = True
            self.limits, self.choices = before
            return None

    def _list_all(self, root: Root, first: int) -> int:
        """Write all questions about the goals of the complete search from row `first` on; return their number."""
        ws, goals = self.ws, self._complete
        sets = [some for size in range(1, len(goals)) for some in combinations(goals[1:], size)]
        leads = range(1, root.leads + 1) if root.leads else (0,)
        asked = [(some, lead) for lead in leads for some in sets][:MOST_COMPLETE]
        for k, (some, lead) in enumerate(asked):
            ws.truths[first + k] = 1
            ws.truths[first + k, list(some)] = 0
            ws.asked[first + k] = (2, -1.0, -1, lead)
        room = MOST_COMPLETE - len(asked)
        return len(asked) + self._write_choices(root, first + len(asked), self.choices[:room])

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
            self._choose(root, 0)
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
        return (None, least) if best < 0 else (self._named(best, root), least)

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
            self._choose(root, level)
            value, level = values.value_from(self.ws, self.limits, 1, level)
        if value == values.ABANDONED:
            raise OverBudgetError
        return float(value)

    def _number(self, place: int, action: int) -> int:
        """Return the problem's number of an action as the loops number it."""
        tables, moves = self.tables, self.tables.ego.moves
        if action < len(moves):
            return moves[action]
        return int(tables.ego.load_actions[tables.loads[tables.loads_from[place] + action - len(moves)]])

    # -- questions -------------------------------------------------------------------------------------------------

    def _choose(self, root: Root, level: int) -> None:
        """Choose the questions on the menu of the state at a level of the stack."""
        ws, limits = self.ws, self.limits
        first = len(ws.truths) - 2 * POOL_SIZE
        n = self._propose(root, level, first)
        merits = np.empty(2 * POOL_SIZE)
        weight = menus.weigh_up(ws, limits, level, first, n, merits)
        if root.leads > 1:
            n = menus.insist(ws, limits, level, first, n, merits, weight, root.leads)
        menu = int(ws.frames[level]["menu"])
        if menu == 0 and limits.climbs > 0:
            n = menus.climb(ws, limits, level, first, n, merits, weight)
        length, into = 0, menu * limits.kept
        path = self._path(menu) if ws.replies.persistent else []
        for k in np.argsort(merits[:n], kind="stable").tolist():
            if length == limits.kept or merits[k] == math.inf:
                break
            if self._fresh(root, first + k, [*path, *range(into, into + length)]):
                ws.truths[into + length], ws.asked[into + length] = ws.truths[first + k], ws.asked[first + k]
                length += 1
        ws.lengths[menu] = length

    def _propose(self, root: Root, level: int, first: int) -> int:
        """Write questions worth a look from row `first` on; return their number."""
        ws, room = self.ws, self.proposing
        w, place, load = (int(ws.frames[level][name]) for name in ("w", "place", "load"))
        levels = ws.levels[level, : self.tables.n_goals].astype(np.int64)
        odds = np.where(levels > DEAD, ws.world.weight[w] * ws.replies.power[np.where(levels > DEAD, -levels, 0)], 0.0)
        self._odds[w] = odds
        # The loops are compiled for tables that are read only.
        room = room._replace(world=room.world._replace(weight=read_only(self._odds.view())))
        room.sets[room.rows.stack] = mask_rows(odds >= CREDIBLE * odds.max())
        n = propose(room, self.groups, room.rows.stack, w, place, load)
        menus.take_over(ws, room.sets, room.rows.pool, first, n, min(root.leads, 1))
        return n + self._write_choices(root, first + n, self.choices)

    def _write_choices(self, root: Root, first: int, choices: Sequence[Choice]) -> int:
        ws, n_goals = self.ws, self.tables.n_goals
        for k, choice in enumerate(choices):
            ws.truths[first + k] = [truth(choice, goal) for goal in range(n_goals)]
            ws.asked[first + k] = (n_answers(choice, n_goals), self.problem.query_cost(choice), k, min(root.leads, 1))
        return len(choices)

    def _path(self, menu: int) -> list[int]:
        """Return the rows of the questions that led to a menu."""
        path, kept = [], self.limits.kept
        while menu > 0:
            asked = (menu - 1) // ANSWERS_FOLLOWED
            path.append(asked)
            menu = asked // kept
        return path

    def _fresh(self, root: Root, row: int, others: Iterable[int]) -> bool:
        """Whether a question tells something if errors are persistent, and is none of others in any case."""
        truths, goals = self.ws.truths, list(root.goals)
        mine = truths[row, goals]
        lead = self.ws.asked[row]["lead"]
        same = any((truths[other, goals] == mine).all() and self.ws.asked[other]["lead"] == lead for other in others)
        return not same and not (self.ws.replies.persistent and root.known(self._named(row, root)))

    def _named(self, row: int, root: Root) -> Question:
        """Return the question in a row as it is asked with the goals that are left.

        Its cheaper side is named, or the other one if that would only be answered as before.
        """
        choice = int(self.ws.asked[row]["choice"])
        if choice >= 0:
            return self.choices[choice]
        inside = tuple(goal for goal in root.goals if self.ws.truths[row, goal] == 0)
        outside = tuple(goal for goal in root.goals if self.ws.truths[row, goal] != 0)
        cheaper = self.price.cheaper(inside, outside)
        if self.ws.replies.persistent and root.known(cheaper):
            return outside if cheaper == inside else inside
        return cheaper


def _never(_: Question) -> bool:
    return False
