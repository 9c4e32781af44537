"""Plans in belief space: acts before it is certain, waits while waiting is free, asks now or later.

See `askwise.planning.planner` for the method. It assumes that the teammate draws one of its shortest plans
uniformly; then its belief is exact (`bayes`), and everything that it has worked out holds for the whole episode. Where
the teammate turns out to be different (it does what no goal explains, or an answer contradicts what it did), the agent
goes on with the belief `robust`, taking all it has seen and heard into account again.

With that belief, with `elimination`, and where the problem says how the teammate pursues its goals
(`Problem.policies`), it plans anew in every step: as if the episode began where the teammate is now, with what
it believes as the prior, and as if from now on the teammate took a shortest way. The verdict of its decisions says so.

Where answers can be wrong or missing, where choices may be asked (`QueryCost.per_option`), or where the number of
questions is limited, it plans with all of that. Beliefs stay what they are.
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
from askwise.methods.base import PlanningAgent
from askwise.planning.planner import Plan, Planner, make_planner
from askwise.planning.settings import SETTINGS, PlannerSettings
from askwise.planning.tables import Tables, price_for_planning, tables_of
from askwise.seeds import Seed
from askwise.types import BoolArray

ASSUMES = "assumes that the teammate takes a shortest way from here on"
FIRST_SHARE = 1_000
"""States to be looked at before the clock says how many more there is time for."""


class PlannerAgent(PlanningAgent):
    """The planner.

    Args:
        setting: ``full``, or ``light`` for quick decisions.
        budget: states to be looked at for a decision, by default as the setting says.
        seconds: time for a decision instead; then the same problem may be answered differently on another day.
        questions: the most questions in an episode, by default any number.
        belief: as of every `BeliefAgent`.
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
        _check_count("budget", budget, 1)
        _check_count("questions", questions, 0)
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
        """See `Agent`."""
        super().reset(problem, seed)
        # Problems that the planner cannot handle raise an error now, not in the middle of an episode.
        price_for_planning(problem, "the planner adds up prices goal by goal")
        self._planner: Planner | None = None
        self._asked = 0
        answers = problem.answers.for_planning("the planner knows no other answers")
        self._plain = answers.truthful and problem.query_cost.per_option is None and self.questions is None

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self._asked += observation.answer is not None
        return super().decide(observation)

    def watch(self, observation: Observation) -> None:
        """See `Agent`."""
        self._asked += observation.answer is not None
        super().watch(observation)

    def considered_goals(self) -> BoolArray:
        """See `PlanningAgent`; where there are ways of no return, no goal is forgotten that answers do not rule out."""
        if self.problem.answers.fallible and self.problem.ego.table().cut_off().any():
            return self.belief.not_ruled_out
        return super().considered_goals()

    def tied_actions(self, actions: Any) -> Any:
        """See `PlanningAgent`; the first, so that nothing is left to chance."""
        return actions[:1]

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`; here it is called whenever several goals are possible."""
        planner = self._planner_at(state.teammate, possible)
        return self._explained(self._plan(planner, possible, state), possible)

    # -- planning ----------------------------------------------------------------------------------------------------

    @property
    def _plans_anew(self) -> bool:
        """Whether what the teammate did so far is not what the planner's own tables would say of it."""
        return not self.belief.posterior or self.problem.policies is not None

    def _planner_at(self, teammate: int, possible: BoolArray) -> Planner:
        """Return a planner whose tables fit the belief."""
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
        budget = int(max(plan.worked, FIRST_SHARE) * (self.seconds - taken) / taken)
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

    # -- words -------------------------------------------------------------------------------------------------------

    def _explained(self, plan: Plan, possible: BoolArray) -> Decision:
        left = int(possible.sum())
        costs = f"not knowing costs {plan.silent:.2f} in silence"
        if plan.question is None:
            why = f"{self._begun(plan)}{self._reason(plan, left)}; {costs}, {plan.act:.2f} as planned."
            return Decision(action=plan.action, why=why, verdict=self._verdict(plan))
        cost = self.problem.query_cost(plan.question)
        value = plan.act - plan.ask + cost
        worth = f"expected to save {value:.2f} for a price of {cost:.2f}"
        costs += f", {plan.ask:.2f} asking now, "
        least = plan.optimal and plan.asks
        costs += "less than anything else" if least else f"{plan.act:.2f} acting now and asking later"
        if plan.asks and value - cost > 0:
            why = f"Ask {self._in_words(plan.question)}: {worth}; {costs}."
            action, ask = None, plan.question
        else:
            value = min(value, cost)
            about = f"the best question, {self._in_words(plan.question)}, is {worth}"
            why = f"{self._begun(plan)}{about}; {costs}."
            action, ask = plan.action, None
        return Decision(
            action=action,
            ask=ask,
            why=why,
            value=value,
            cost=cost,
            considered=plan.question,
            verdict=self._verdict(plan),
        )

    def _in_words(self, asked: Question) -> str:
        if not isinstance(asked, Choice):
            return f"about {self.named(asked)}"
        names = list(asked.names) or [self.named(group) for group in asked.groups]
        return f"which of {', '.join(names)} it is"

    def _begun(self, plan: Plan) -> str:
        waits = plan.action == self.problem.ego.actions.stay
        return "Wait: " if waits else f"{self.problem.ego.actions.names[plan.action]}: "

    def _reason(self, plan: Plan, left: int) -> str:
        if plan.free:
            return "loses nothing" if left == 1 else f"loses nothing, whichever of the {left} possible goals it is"
        return f"no question is worth its price with {left} possible goal{'' if left == 1 else 's'}"

    @property
    def _proven(self) -> str:
        """What is said of a plan that is the best of all."""
        if self._plain:
            return "optimal"
        setting = SETTINGS[self.setting][1] if isinstance(self.setting, str) else self.setting
        return f"no plan with at most {setting.endgame_questions} questions is better"

    def _verdict(self, plan: Plan) -> str:
        verdict = self._proven if plan.optimal else f"best of those looked at ({plan.worked} states)"
        return f"{verdict}; {ASSUMES}" if self._plans_anew else verdict


def _check_count(field: str, number: object, least: int) -> None:
    if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < least):
        raise InputError(field, repr(number), f"a whole number from {least}")
