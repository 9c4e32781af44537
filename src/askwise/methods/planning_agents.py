"""Agents that plan: the planner, and the exact optimum of small problems.

**The planner** (`PlannerAgent`) searches over beliefs when to act and when to ask. With the belief ``bayes``, one
planner serves the whole episode. It assumes that the teammate draws one of its shortest plans uniformly. If no goal
explains actions and answers, the agent continues with the belief ``robust``.

With another belief, or if the problem states the teammate's policies, the agent makes a new planner in every step, for
the current states and belief. It assumes that the teammate takes a shortest path from then on.

**The optimum** (`Optimal`) also assumes that the teammate draws one of its shortest plans uniformly. It solves the
problem again from the current states and belief in two cases:

- The teammate has left all shortest plans for a possible goal (belief ``robust``).
- The solution does not cover an answer to another agent's question.

If answers may be wrong or missing, `Optimal` is the best only for a limited number of questions.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from askwise.core.belief import Observation, find_belief
from askwise.core.decision import Decision
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Choice, Question
from askwise.errors import InputError, did_you_mean
from askwise.methods.base import PlanningAgent, check_count
from askwise.planning.exact import MOST_STATES, BestMove, OffTheMap, OptimalPolicy
from askwise.planning.optimum import make_solver, most_questions
from askwise.planning.planner import Plan, Planner, make_planner
from askwise.planning.settings import SETTINGS, PlannerSettings
from askwise.planning.tables import Tables, price_for_planning, tables_of
from askwise.seeds import Seed
from askwise.types import BoolArray

ASSUMES = "assumes that the teammate takes a shortest path from here on"
FIRST_SHARE = 1_000
"""States to search before the time taken determines how many more there is time for."""


# -- the planner ---------------------------------------------------------------------------------------------------


class PlannerAgent(PlanningAgent):
    """An agent that plans when to act and when to ask, by a search over beliefs.

    Args:
        setting: ``full``, or ``light`` for quick decisions.
        budget: most states to search for one decision; None if `setting` decides.
        seconds: approximate time for one decision, instead of `budget`; results then depend on the machine.
        questions: most questions in an episode; None for no limit.
        belief: ``bayes`` (uses how probable the teammate's actions are), ``elimination`` (only whether they are
            possible) or ``robust`` (allows for errors).
    """

    name = "planner"
    markov = True
    plans_with_questions = True

    def __init__(
        self,
        *,
        setting: str = "full",
        budget: int | None = None,
        seconds: float | None = None,
        questions: int | None = None,
        belief: str = "bayes",
    ) -> None:
        super().__init__(belief=belief)
        if setting not in SETTINGS:
            allowed = "one of " + ", ".join(map(repr, SETTINGS))
            raise InputError("setting", repr(setting), allowed + did_you_mean(str(setting), SETTINGS))
        check_count("budget", budget, 1)
        check_count("questions", questions, 0)
        if seconds is not None and not 0 < seconds < np.inf:
            raise InputError("seconds", repr(seconds), "a finite number above 0")
        self.fallback = "robust" if find_belief(belief).rules_out else None
        self.setting: str | PlannerSettings = setting
        self.budget = budget
        self.seconds = seconds
        self.questions = questions
        self.counts_questions = questions is not None
        self.name = "planner" if setting == "full" else f"planner-{setting}"

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode of `problem`; raise `InputError` if the planner cannot handle its prices or answers.

        The price of a question must be a base price plus a price for each goal in it. Wrong and missing answers must
        have fixed probabilities, or `AnswerModel.for_planning` must approximate them. `seed` does not change the
        planner's decisions.
        """
        super().reset(problem, seed)
        # Problems that the planner cannot handle raise an error now, not in the middle of an episode.
        price_for_planning(problem, "the planner adds up prices goal by goal")
        self._planner: Planner | None = None
        self._asked = 0
        answers = problem.answers.for_planning("the planner knows no other answers")
        self._plain = answers.truthful and problem.query_cost.per_option is None and self.questions is None

    def decide(self, observation: Observation) -> Decision:
        """Return the planner's decision: the action or question that begins the best plan found.

        If the observation has an answer, the answered question counts towards the limit of questions.
        """
        self._asked += observation.answer is not None
        return super().decide(observation)

    def watch(self, observation: Observation) -> None:
        """Update the belief and the count of questions asked so far, without making a decision.

        Args:
            observation: what the agent sees in this step; if it has an answer, the count grows by one.
        """
        self._asked += observation.answer is not None
        super().watch(observation)

    def considered_goals(self) -> BoolArray:
        """Return the goals to plan for, ``bool [n_goals]``: the possible goals, and sometimes improbable ones.

        If answers can be wrong, goals with a tiny probability do not count as possible. Such goals, unless ruled out,
        are included if the ego agent could get to a place from which it cannot reach every goal.
        """
        if self.problem.answers.fallible and self.problem.ego.table().cut_off().any():
            return self.belief.not_ruled_out
        return super().considered_goals()

    def tied_actions(self, actions: Any) -> Any:
        """Return only the first of several optimal actions, so that the agent makes no random choices.

        Args:
            actions: ``int [k]``, indices of the optimal actions, ascending.

        Returns:
            ``int [1]``, the smallest of these indices.
        """
        return actions[:1]

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return the decision of the best plan found, to act or to ask; called if several goals are possible.

        `possible`, ``bool [n_goals]``, has the goals to plan for.
        """
        planner = self._planner_at(state.teammate, possible)
        return self._explained(self._plan(planner, possible, state), possible)

    # -- planning ----------------------------------------------------------------------------------------------------

    @property
    def _plans_anew(self) -> bool:
        """Whether the agent makes a new planner in every step instead of one planner for the whole episode.

        That is so with the belief ``robust`` or ``elimination``, and if the problem states the teammate's policies.
        """
        return not self.belief.posterior or self.problem.policies is not None

    def _planner_at(self, teammate: int, possible: BoolArray) -> Planner:
        """Return a planner for the current belief: the planner of the whole episode, or a new one (`_plans_anew`).

        `teammate` is the index of the teammate's state. `possible`, ``bool [n_goals]``, has the goals to plan for.
        """
        if not self._plans_anew:
            if self._planner is None:
                self._planner = self._new_planner(tables_of(self.problem))
            return self._planner
        prior = np.where(possible, self.probabilities, 0.0)
        return self._new_planner(tables_of(self.problem, prior=prior / prior.sum(), start=teammate))

    def _new_planner(self, tables: Tables) -> Planner:
        limited = self.questions is not None
        return make_planner(self.problem, tables, setting=self.setting, budget=self.budget, limited=limited)

    def _plan(self, planner: Planner, possible: BoolArray, state: JointState) -> Plan:
        if self.seconds is None:
            return self._planned(planner, possible, state, None)
        began = time.perf_counter()
        plan = self._planned(planner, possible, state, FIRST_SHARE)
        taken = time.perf_counter() - began
        if plan.optimal or taken >= self.seconds:
            return plan
        budget = int(max(plan.states_seen, FIRST_SHARE) * (self.seconds - taken) / taken)
        return self._planned(planner, possible, state, budget)

    def _planned(self, planner: Planner, possible: BoolArray, state: JointState, budget: int | None) -> Plan:
        return planner.plan(
            np.where(possible, self.probabilities, 0.0),
            state.teammate,
            state.ego,
            asked=[answer.asked for answer in self.tracker.answers],
            questions=None if self.questions is None else self.questions - self._asked,
            budget=budget,
        )

    # -- explanations ------------------------------------------------------------------------------------------------

    def _explained(self, plan: Plan, possible: BoolArray) -> Decision:
        left = int(possible.sum())
        action = "Wait" if plan.action == self.problem.ego.actions.stay else self.problem.ego.actions.names[plan.action]
        without = f"without asking you lose {plan.act_only:.2f} steps on average"
        if plan.question is None:
            why = self._without_question(plan, action, left, without)
            return Decision(action=plan.action, why=why, verdict=self._verdict(plan))
        cost = self.problem.query_cost(plan.question)
        value = plan.act - plan.ask + cost
        question = self._question_text(plan.question)
        asks = plan.asks and value - cost > 0
        if asks:
            later = "" if plan.optimal else f"; if you act now and ask later, {plan.act:.2f}"
            why = f"Ask {question}: {without}; with this question {plan.ask:.2f}, its price included{later}."
        else:
            value = min(value, cost)
            why = (
                f"{action}: you lose {plan.act:.2f} steps on average; if you ask {question} "
                f"now, {plan.ask:.2f}, its price included; if you never ask, {plan.act_only:.2f}."
            )
        return Decision(
            action=None if asks else plan.action,
            ask=plan.question if asks else None,
            why=why,
            value=value,
            cost=cost,
            considered=plan.question,
            verdict=self._verdict(plan),
        )

    def _without_question(self, plan: Plan, action: str, left: int, without: str) -> str:
        """Return a text for users that says why the agent takes the action of a plan that considered no question.

        `action` is the name of the action, or "Wait". `left` is the number of possible goals. `without` states the cost
        without questions, such as "without asking you lose 1.50 steps on average".
        """
        costs = f"{without}, with this plan {plan.act:.2f}."
        if not plan.free:
            goals = f"{left} possible goal{'' if left == 1 else 's'}"
            return f"{action}: no question is worth its price with {goals}; {costs}"
        safe = (
            "it costs nothing extra" if left == 1 else f"it costs nothing extra for any of the {left} remaining goals"
        )
        safe = f"Wait: {safe}" if action == "Wait" else f"{action} is safe: {safe}"
        return f"{safe}." if f"{plan.act_only:.2f}" == f"{plan.act:.2f}" == "0.00" else f"{safe}; {costs}"

    def _question_text(self, asked: Question) -> str:
        if not isinstance(asked, Choice):
            return f"about {self.named(asked)}"
        names = list(asked.names) or [self.named(group) for group in asked.groups]
        return f"which of {', '.join(names)} it is"

    def _verdict(self, plan: Plan) -> str:
        verdict = self._proven if plan.optimal else f"best plan found ({plan.states_seen} states searched)"
        return f"{verdict}; {ASSUMES}" if self._plans_anew else verdict

    @property
    def _proven(self) -> str:
        """The verdict on a plan that is proven optimal, as text, such as "optimal".

        If the proof compares only plans with a limited number of questions, the text states this number.
        """
        if self._plain:
            return "optimal"
        setting = SETTINGS[self.setting][1] if isinstance(self.setting, str) else self.setting
        return f"no plan with at most {setting.endgame_questions} questions is better"


# -- the optimum ---------------------------------------------------------------------------------------------------


class Optimal(PlanningAgent):
    """An agent that plays the exact optimum: no method has a smaller expected marginal cost.

    The marginal cost is the cost beyond that of an agent that knows the goal. The teammate must draw one of its
    shortest plans uniformly, and all methods have the same limit of questions.

    Args:
        belief: ``bayes``, ``elimination`` or ``robust``. Only ``robust`` allows for errors of the teammate.
        limit: most states to solve for one episode; None for no limit.
        questions: most questions in an episode. None means no limit if all answers are true, otherwise 3.
    """

    name = "optimal"
    markov = True
    plans_with_questions = True
    counts_questions = True

    def __init__(
        self,
        *,
        belief: str = "bayes",
        limit: int | None = MOST_STATES,
        questions: int | None = None,
    ) -> None:
        super().__init__(belief=belief)
        check_count("questions", questions, 0)
        self.limit = limit
        self.questions = questions
        self._home_most: int | None = None
        self._home: OptimalPolicy | None = None  # kept for the next episode, because solving takes long

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """Start an episode of `problem`, and solve the problem unless it is the one that this agent solved last.

        Raises `TooLarge` if the problem has too many states. `seed` determines the choice among equally good actions
        once only one goal is possible.
        """
        super().reset(problem, seed)
        self._most = most_questions(problem, self.questions)
        self._irreversible = problem.answers.fallible and bool(problem.ego.table().cut_off().any())
        if self._home is None or self._home.problem is not problem or self._home_most != self._most:
            self._home, self._home_most = make_solver(problem, self._most, limit=self.limit), self._most
            self._home.at(problem.start)
        self.solver = self._home
        self._heard_before = 0  # number of the first answers that the solver's prior already includes

    def considered_goals(self) -> BoolArray:
        """Return the goals to plan for, ``bool [n_goals]``: the possible goals, and sometimes very improbable ones.

        If answers can be wrong, very improbable goals are included unless ruled out. With the belief ``robust``, this
        holds only if the ego agent could get to a place from which it cannot reach every goal.
        """
        if self.solver.follows_answers and (self.belief.rules_out or self._irreversible):
            return self.belief.not_ruled_out
        return super().considered_goals()

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """Return the optimal decision, to act or to ask, in a state in which more than one goal is possible.

        Args:
            state: the states of both agents.
            possible: ``bool [n_goals]``, the goals to plan for.
        """
        goals = np.flatnonzero(possible)
        off = bool((self.solver.tables.weight[state.teammate, goals] <= 0).any())
        return self._explained(self._best_move(state, possible, off=off), int(goals.size))

    def _best_move(self, state: JointState, possible: BoolArray, *, off: bool) -> BestMove:
        """Return the optimal move in a state, an action or a question.

        `possible`, ``bool [n_goals]``, has the goals to plan for. `off` says whether the teammate is no longer on a
        shortest plan for some of these goals. If so, or if the last solution does not cover the state, the problem is
        first solved again from this state.
        """
        answers = self.tracker.answers
        if not off:
            try:
                return self.solver.move(state, possible, answers[self._heard_before :])
            except OffTheMap:
                pass
        assert self._home is not None
        tables = tables_of(self.problem, prior=np.where(possible, self.probabilities, 0.0), start=state.teammate)
        goals = np.flatnonzero(possible).tolist()
        self.solver = self._home.begun_at(tables, goals, ego=state.ego, answers=answers, limit=self.limit)
        self._heard_before = len(answers)
        return self.solver.at(state)

    def _explained(self, choice: BestMove, left: int) -> Decision:
        lost = f"you lose {choice.expected_marginal_cost:.2f} steps on average, and no other decision loses less"
        if choice.ask is not None:
            cost = self.problem.query_cost(choice.ask)
            why = f"Ask {self._question_text(choice.ask)}, for a price of {cost:.2f}: price included, {lost}."
            return Decision(ask=choice.ask, considered=choice.ask, cost=cost, why=why, verdict="proven optimal")
        assert choice.action is not None
        waits = choice.action == self.problem.ego.actions.stay
        name = "Wait" if waits else self.problem.ego.actions.names[choice.action]
        return Decision(action=choice.action, why=f"{name}: {left} goals are possible; {lost}.")

    def _question_text(self, asked: Question) -> str:
        if not isinstance(asked, Choice):
            return f"about {self.named(asked)}"
        groups = [self.named(group) for group in asked.groups]
        if asked.names:
            groups = [f"{name} ({goals})" for name, goals in zip(asked.names, groups, strict=True)]
        return f"which of these it is: {'; '.join(groups)}"
