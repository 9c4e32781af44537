"""Planning in belief space: act, ask now, or ask later, whichever has the least expected cost.

The planner computes the expected marginal cost of the best plan of each kind:

- *acting only*, and *acting, then identifying the goal*: they end longer plans (`askwise.planning.leaf_values`);
- *asking now*: after each answer, follow the best plan with one question less;
- *acting*: then follow the best plan, which may ask later.

While some action causes no delay, no question is asked: waiting may reveal the goal for free.

If few goals are left, the planner first tries to compare all questions and all actions. If answers are true, and
questions are yes/no questions without a limit, it uses the exact search (`askwise.planning.exact`). In other problems,
it compares plans with few questions (`PlannerSettings.endgame_questions`).

The budget of a decision is a number of states. When it is used up, plans end where they are.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from askwise.core.answers import n_answers, same_question, truth
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Choice, Question
from askwise.planning.exact import MOST_GOALS, BestMove, Endgame
from askwise.planning.questions import choices_of, every_choice
from askwise.planning.settings import FULL, SETTINGS, PlannerSettings
from askwise.planning.tables import Tables, Words, goals_in, mask_rows, price_for_planning
from askwise.planning.values import state_value
from askwise.planning.workspace import FAINTEST, MOST_COMPLETE, MOST_MARGIN, POOL_SIZE, make_search, unit_of
from askwise.types import BoolArray, FloatArray

LEAST_GAIN = 1e-6
"""Asking must cost less than acting by more than this."""
AT_LEAST = 20_000
"""States that may be looked at to follow acting to its end, for any budget; most maps need fewer."""

ACTS_AS_WRITTEN = 100
"""Decisions about actions only that a process makes in Python before it loads numba: each takes some milliseconds."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The best action and the best question in a state, and their costs beyond those of an agent that knows the goal.

    Attributes:
        action: index of the best action.
        asks: whether asking now costs less than acting now.
        question: the best question; None if none was considered or acting is proven optimal.
        act_only: cost of acting without any question.
        act: cost of acting now, and asking later if that helps. If asking now is proven optimal, the cost of later
            questions is not computed, and `act` equals `act_only`.
        ask: cost of asking now; ``inf`` without a question.
        free: whether the action causes no delay.
        optimal: whether all actions and questions were compared; outside the exact search, only in plans with few
            questions. Always False if errors are persistent.
        states_seen: number of states considered.
    """

    action: int
    asks: bool
    question: Question | None
    act_only: float
    act: float
    ask: float
    free: bool
    optimal: bool
    states_seen: int


class Planner:
    """Finds plans for one problem, seen from one state of the teammate: when to act, when to ask, and what.

    Args:
        problem: the problem.
        tables: the arrays of the problem, seen from the state in which planning begins.
        settings: how far plans look ahead.
        groups: sets of goals to propose questions about; by default those of the problem.
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
        self.settings = settings
        self.price = price_for_planning(problem, "the planner adds up prices goal by goal")
        self.chooses = problem.query_cost.per_option is not None
        sets = group_sets(problem.groups.values() if groups is None else groups, tables.n_goals)
        self.search = make_search(problem, tables, self.price, settings, sets)
        self._choices: list[Choice] = []
        self._known: set[Hashable] = set()
        self._endgame: Endgame | None = None
        self._complete: tuple[int, ...] = ()
        self._gave_up = True

    def plan(
        self,
        probabilities: FloatArray | BoolArray,
        teammate: int,
        ego: int,
        *,
        asked: Iterable[Question] = (),
        questions: int | None = None,
        budget: int | None = None,
    ) -> Plan:
        """Return the plan for a state: whether to act or to ask, and what.

        Args:
            probabilities: ``float64 [n_goals]``, the belief; if answers are true, also ``bool [n_goals]``, the possible
                goals. At least two goals must be possible.
            teammate: state of the teammate.
            ego: state of the ego agent.
            asked: questions asked so far in this episode.
            questions: the most further questions; None for any number.
            budget: the most states to consider; None for that of the settings.
        """
        probabilities = np.asarray(probabilities, dtype=np.float64)
        possible = (probabilities > 0) & (self.tables.weight[teammate] > 0)
        goals, persistent = tuple(np.flatnonzero(possible).tolist()), self.problem.answers.persistent
        self._known = {same_question(each, possible.size) for each in asked if persistent}
        self._write_state(possible, probabilities, teammate, ego)
        self._set_limits(questions, self.settings.budget if budget is None else budget)
        if self.problem.answers.truthful and not self.chooses and questions is None:
            best = self._optimum(JointState(teammate, ego), goals)
            if best is not None:
                return self._from_optimum(best)
        else:
            self._note_known(goals, [each for each in asked if not isinstance(each, Choice)])
            plan = self._complete_plan(goals)
            if plan is not None:
                return plan
            self._list_choices(choices_of(self.problem, goals))
        return self._decide(goals)

    def _write_state(self, possible: BoolArray, probabilities: FloatArray, teammate: int, ego: int) -> None:
        """Write the state of this decision into the workspace, on level 0.

        `possible` and `probabilities` are ``bool`` and ``float64 [n_goals]``.
        """
        s = self.search
        s.states[0] = teammate, *self.tables.ego.split(ego), 0.0
        s.rows[0] = 0
        mask = mask_rows(possible)
        s.rows[0, : mask.size] = mask
        if s.graded:
            weight, raised = self.tables.weight[teammate], np.full(possible.size, -math.inf)
            raised[possible] = np.log(probabilities[possible]) - np.log(weight[possible])
            units = np.rint((raised - raised.max()) / unit_of(self.problem.answers))
            s.log_odds[0, : possible.size] = np.where(possible, np.maximum(units, FAINTEST), 0)

    def _set_limits(self, questions: int | None, budget: int) -> None:
        """Set how far this decision may look ahead, and start the counts of its work at 0.

        Plans may have at most `questions` more questions (None for as many as the settings allow). The decision may
        consider `budget` states.
        """
        s, settings, limits, counts = self.search, self.settings, self.search.limits[0], self.search.counts[0]
        counts.decision_no += 1
        if not counts.decision_no & 0xFFF:
            s.keys[:] = 0  # decision numbers start again: values of old decisions must not be found
        counts.states_seen = counts.cut_short = 0
        s.lengths[:] = -1
        answers = self.problem.answers
        again = not answers.truthful and not answers.persistent and questions is None
        limits.candidates, limits.actions, limits.climbs = settings.candidates, settings.inner, settings.climbs
        limits.budget, limits.identifies = budget, questions is None
        # If some places cut goals off, no goal may be left out.
        limits.negligible = 0.0 if s.world.cut_off.any() else settings.negligible
        limits.complete = limits.first = limits.choices = limits.known = 0
        limits.margins = (MOST_MARGIN if answers.wrong > 0 else 1) if again else 0
        counts.most_followed = max(budget // 2, AT_LEAST)
        limits.questions = settings.questions if questions is None else min(settings.questions, questions)
        limits.breadth, limits.at_least = settings.breadth, AT_LEAST

    def _decide(self, goals: Sequence[int], *, acts_only: bool = False, optimal: bool = False) -> Plan:
        """Call the kernel `state_value` to decide about the possible `goals`, and return the plan that it found.

        With `acts_only` the kernel considers no questions. `optimal` is copied to the plan.
        """
        s = self.search
        s.limits[0].acts_only = acts_only
        questions = int(s.limits[0].questions)
        kernel: Any = state_value
        as_written = acts_only and not s.graded and kernel.may_run_as_written(ACTS_AS_WRITTEN)
        kernel.count(as_written)
        kernel.on(s, 0, questions, self.settings.depth, 0, math.inf, as_written=as_written)
        found = s.found[0]
        weight, row = float(found.weight), int(found.question)
        return Plan(
            action=self._number(int(found.action)),
            asks=row >= 0 and bool(found.ask < found.act - LEAST_GAIN * weight),
            question=None if row < 0 else self._question_in(row, goals),
            act_only=float(found.act_only) / weight,
            act=float(found.act) / weight,
            ask=float(found.ask) / weight,
            free=bool(found.free),
            optimal=optimal,
            states_seen=int(s.counts[0].states_seen),
        )

    def _number(self, action: int) -> int:
        """Return the index that the problem gives to an action; `action` is the action's index in kernels.

        Kernels number the moves first, then the loads that can be picked up at the ego agent's place.
        """
        ego, world, place = self.tables.ego, self.search.world, int(self.search.states[0].place)
        if action < len(ego.moves):
            return ego.action(place, action)
        return int(ego.load_actions[world.loads[world.loads_from[place] + action - len(ego.moves)]])

    def _question_in(self, row: int, goals: Sequence[int]) -> Question:
        """Return the question in a row of `Search.sets` as a `Question`.

        A yes/no question names the possible `goals` for which the answer is yes or those for which it is no. The
        cheaper one is taken, unless its answer is known.
        """
        s = self.search
        choice = int(s.asked[row].choice)
        if choice >= 0:
            return self._choices[choice]
        named = set(goals_in(s.sets[row, 0]))
        inside = tuple(goal for goal in goals if goal in named)
        outside = tuple(goal for goal in goals if goal not in named)
        cheaper = self.price.cheaper(inside, outside)
        if self._is_known(cheaper):
            return outside if cheaper == inside else inside
        return cheaper

    # -- few goals, true answers -----------------------------------------------------------------------------------

    def _optimum(self, state: JointState, goals: Sequence[int]) -> BestMove | None:
        """Return the optimal move found by the exact search; None if many goals are left or it takes too much work.

        After it has taken too much work, the search is not tried again until fewer goals are possible.
        """
        if len(goals) > min(self.settings.endgame, MOST_GOALS):
            return None
        before = self._endgame
        if before is None or not set(goals) <= set(before.goals) or (before.gave_up and len(goals) < len(before.goals)):
            self._endgame = Endgame(self.problem, self.tables, goals, states=self.settings.endgame_states)
        assert self._endgame is not None
        return self._endgame.best(state, goals)

    def _from_optimum(self, best: BestMove) -> Plan:
        """Return a plan that begins with the optimal move `best`.

        The cost of acting without any question (`Plan.act_only`) is computed, too, so that users can compare.
        """
        cost, plan = best.expected_marginal_cost, self._decide((), acts_only=True, optimal=True)
        if best.action is None:
            return replace(plan, asks=True, question=best.ask, act=plan.act_only, ask=cost)
        return replace(plan, action=best.action, act=cost)

    # -- few goals, wrong or missing answers or choices --------------------------------------------------------------

    def _complete_plan(self, goals: tuple[int, ...]) -> Plan | None:
        """Return the best of all plans with a few questions, over all actions and all questions about `goals`.

        Returns None if there are too many goals, acting costs nothing, or the search takes too much work.
        """
        s, limits, counts = self.search, self.search.limits[0], self.search.counts[0]
        if not self._tries_complete(goals):
            return None
        before, most_followed = limits.copy(), int(counts.most_followed)
        self._lift_limits()
        self._list_complete(goals, int(limits.first), int(limits.margins))
        plan = self._decide(goals, optimal=not s.persistent)
        s.rows[0, s.asked_word] = 0
        if not counts.cut_short and plan.act_only > 0:
            return plan
        self._gave_up = bool(counts.cut_short)
        s.limits[0], counts.most_followed = before, most_followed
        counts.cut_short, s.lengths[0] = 0, -1
        return None

    def _tries_complete(self, goals: tuple[int, ...]) -> bool:
        """Return whether to try a complete search, which compares all questions about the goals in ``self._complete``.

        It is not tried with too many `goals`, or after it was given up. If values found for an earlier set are of no
        use for `goals`, ``self._complete`` becomes `goals`.
        """
        if len(goals) > self.settings.endgame:
            return False
        smaller = len(goals) < len(self._complete) and (self._gave_up or self.chooses)
        if not set(goals) <= set(self._complete) or smaller:
            self._complete, self._gave_up = goals, False
            self.search.limits[0].complete_no += 1
        return not self._gave_up

    def _lift_limits(self) -> None:
        """Let this decision compare all actions and all questions in every state, and use no estimates.

        The settings `endgame_questions` and `endgame_states` then limit the questions in a plan and the states to
        consider.
        """
        s, settings, limits = self.search, self.settings, self.search.limits[0]
        limits.questions = min(settings.endgame_questions, MOST_COMPLETE if limits.identifies else limits.questions)
        limits.first = settings.lists(choices=self.chooses) * settings.candidates
        limits.complete, limits.budget = 1, settings.endgame_states
        limits.breadth = limits.actions = len(s.scored)
        limits.identifies, limits.negligible = 0, 0.0

    def _list_complete(self, goals: Sequence[int], first: int, margins: int) -> None:
        """Write all questions about the goals in ``self._complete`` into rows of `Search.sets`, from row `first` on.

        With a margin `d`, a yes/no question is repeated until one answer was given `d` more times than the other. Each
        question is written once for each margin from 1 to `margins`, or once without repetition if `margins` is 0.
        Questions whose answer is known are marked.
        """
        s, listed = self.search, self._complete
        self._choices = every_choice(self.problem, listed)
        sets = [some for size in range(1, len(listed)) for some in combinations(listed[1:], size)]
        asked = [(some, margin) for margin in (range(1, margins + 1) if margins else (0,)) for some in sets]
        for k, (some, margin) in enumerate(asked[:MOST_COMPLETE]):
            self._write(first + k, [some], margin)
        n = min(len(asked), MOST_COMPLETE)
        s.lengths[0] = n + self._write_choices(first + n, self._choices[: MOST_COMPLETE - n], min(margins, 1))
        for k in range(s.lengths[0]):
            if self._is_known(self._question_in(first + k, goals)):
                s.rows[0, s.asked_word] |= np.uint64(1) << np.uint64(k)

    # -- questions for the kernels -----------------------------------------------------------------------------------

    def _list_choices(self, choices: list[Choice]) -> None:
        """Write multiple-choice questions into the kernels' workspace, as far as there is room."""
        s, self._choices = self.search, choices[:POOL_SIZE]
        margin = min(int(s.limits[0].margins), 1)
        s.limits[0].choices = self._write_choices(s.choices, self._choices, margin)

    def _write_choices(self, first: int, choices: Sequence[Choice], margin: int) -> int:
        """Write multiple-choice questions into rows of `Search.sets` from `first` on; return their number.

        `margin` is 1 to repeat each question until it gets an answer, 0 to ask it once.
        """
        n_goals = len(self.problem.goals)
        for k, choice in enumerate(choices):
            answers = range(n_answers(choice, n_goals))
            parts = [[goal for goal in range(n_goals) if truth(choice, goal) == answer] for answer in answers]
            price, known = float(self.problem.query_cost(choice)), self._is_known(choice)
            self._write(first + k, parts, margin, choice=k, price=price, known=known)
        return len(choices)

    def _write(
        self,
        row: int,
        parts: Sequence[Sequence[int]],
        margin: int,
        *,
        choice: int = -1,
        price: float = -1.0,
        known: bool = False,
    ) -> None:
        """Write a question into row `row` of `Search.sets` and `Search.asked`.

        `parts` has for each answer the goals for which it is true; for a yes/no question, only those for "yes". The
        question is repeated until one answer leads by `margin`; 0 to ask once. `choice` (its index in
        ``self._choices``), `price` and `known` (whether its answer is known) are only for multiple-choice questions.
        """
        s = self.search
        for answer, part in enumerate(parts):
            s.sets[row, answer] = self._mask(part)
        if len(parts) == 1:
            s.sets[row, 1] = ~s.sets[row, 0]
        s.asked[row] = (max(2, len(parts)), choice, margin, known, price)

    def _mask(self, goals: Iterable[int]) -> Words:
        return mask_rows(np.isin(np.arange(len(self.problem.goals)), list(goals)))

    def _is_known(self, question: Question) -> bool:
        """Return whether the answer to a question is known because it was asked before and errors are persistent."""
        return bool(self._known) and same_question(question, len(self.problem.goals)) in self._known

    def _note_known(self, goals: Sequence[int], asked: Sequence[Sequence[int]]) -> None:
        """If errors persist, write the sets of goals that were asked about, and their complements, into `Search.known`.

        `asked` has the goals named in each yes/no question so far. Sets that contain goals outside `goals` are left
        out.
        """
        s, everything, n = self.search, set(range(len(self.problem.goals))), 0
        for named in asked if s.persistent else ():
            for side in (set(named), everything - set(named)):
                if side <= set(goals) and n < len(s.known):
                    s.known[n] = self._mask(side)
                    n += 1
        s.limits[0].known = n

    # -- copies ------------------------------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> Planner:
        # From one decision to the next it only keeps values: copies of an agent can share it.
        return self


def make_planner(
    problem: Problem,
    tables: Tables,
    *,
    setting: str | PlannerSettings = "full",
    budget: int | None = None,
    limited: bool = False,
) -> Planner:
    """Return a new planner for a problem.

    Args:
        problem: the problem.
        tables: the arrays of the problem, seen from the state in which planning begins.
        setting: ``full``, ``light`` for quick decisions, or your own settings.
        budget: the most states to consider for a decision; None for that of the setting.
        limited: whether the number of questions is limited.
    """
    problem = problem.with_answers(problem.answers.for_planning("the planner knows no other answers"))
    plain = problem.answers.truthful and problem.query_cost.per_option is None and not limited
    settings = SETTINGS[setting][0 if plain else 1] if isinstance(setting, str) else setting
    if budget is not None:
        settings = settings.with_budget(budget) if plain else replace(settings, budget=budget)
    return Planner(problem, tables, settings)


def group_sets(groups: Iterable[Iterable[int]], n_goals: int) -> Words:
    """Convert groups of goals to sets as bits of 64-bit words, ``uint64 [n_groups, n_words]``."""
    members = [[goal in group for goal in range(n_goals)] for group in map(set, groups)]
    return mask_rows(np.array(members, dtype=bool).reshape(len(members), n_goals))
