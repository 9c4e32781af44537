"""From a moment and what was decided there to the regret, and the kind of mistake; see `askwise.audits`.

An episode, step by step before its judge.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from askwise.audits.judges import ExactJudge, PlannerJudge
from askwise.audits.moments import BestDecision, Moment, MomentValues, moments
from askwise.audits.results import AuditedEpisode, AuditedStep, fault_of
from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.core.questions import Question
from askwise.errors import InputError, did_you_mean
from askwise.planning.exact import MOST_STATES, TooLarge
from askwise.text.wording import percent, printable
from askwise.types import FloatArray
from askwise.view.decision_text import question_to_text

JUDGES = ("auto", "optimal", "planner")
SMALL = 300_000
"""States up to which the judge ``auto`` solves a problem: about a second."""

TOLERANCES = {"optimal": 1e-6, "planner": 0.05}
"""Regrets up to these are no mistakes unless told otherwise: rounding, and what plans of equal worth differ by."""

Taken = int | Question
"""An action by its number, or a question."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of a decision.

    Attributes:
        cost: expected cost of what was decided, beyond that of knowing the goal.
        best: the best decision that the judge knows of.
        best_cost: its expected cost.
        needed: whether the moment called for a question: no action was as good, within the tolerance.
        fitted: whether asking was right, within the tolerance; None if nothing was asked.
        fault: one of `askwise.audits.results.FAULTS`, empty if there is none.
    """

    cost: float
    best: Taken
    best_cost: float
    needed: bool
    fitted: bool | None
    fault: str

    @property
    def regret(self) -> float:
        """What the decision cost beyond the best one."""
        return max(0.0, self.cost - self.best_cost)


class JudgeCache:
    """Who judges the episodes of one problem; remembers what was judged before.

    Args:
        problem: what was played.
        judge: one of `JUDGES`.
        tolerance: see `askwise.audits`; by default `TOLERANCES` of whoever judges.
        questions: for the optimum, how many questions may be asked in an episode.
    """

    def __init__(
        self, problem: Problem, judge: str, tolerance: float | None = None, questions: int | None = None
    ) -> None:
        self.problem = problem
        self.judge = make_judge(problem, judge, questions)
        self.tolerance = TOLERANCES[self.judge.name] if tolerance is None else tolerance
        self._stand_in: PlannerJudge | None = None
        self._moments: dict[Hashable, tuple[MomentValues, BestDecision, BestDecision]] = {}
        self._judged: dict[Hashable, Judgement] = {}

    def judged(self, moment: Moment, taken: Taken) -> Judgement:
        """Return what is to be said of a decision."""
        key = moment.key(self.problem), taken
        if key not in self._judged:
            self._judged[key] = self._new(key[0], moment, taken)
        return self._judged[key]

    def _new(self, key: Hashable, moment: Moment, taken: Taken) -> Judgement:
        if key not in self._moments:
            self._moments[key] = self._values_at(moment)
        values_at, (action, act), (question, ask) = self._moments[key]
        if isinstance(taken, int):
            cost = values_at.acting(taken)
            if cost < act:
                action, act = taken, cost
        else:
            cost = values_at.asking(taken)
            if cost < ask:
                question, ask = taken, cost
            if ask > act + self.tolerance:
                ask = min(ask, values_at.least_question(act + self.tolerance))
        needed, fitted = act > ask + self.tolerance, ask <= act + self.tolerance
        assert action is not None
        best = question if question is not None and ask < act else action
        least = min(act, ask)
        regret = max(0.0, cost - least)
        fault = fault_of(
            asked=not isinstance(taken, int), regret=regret, needed=needed, fitted=fitted, tolerance=self.tolerance
        )
        return Judgement(cost, best, least, needed, None if isinstance(taken, int) else fitted, fault)

    def _values_at(self, moment: Moment) -> tuple[MomentValues, BestDecision, BestDecision]:
        try:
            values_at = self.judge.values_at(moment)
            return values_at, values_at.best_action(), values_at.proposed()
        except TooLarge:
            # Only where an exact judge has to begin anew, because the teammate left every shortest way.
            if self._stand_in is None:
                self._stand_in = PlannerJudge(self.problem)
            values_at = self._stand_in.values_at(moment)
            return values_at, values_at.best_action(), values_at.proposed()


def make_judge(problem: Problem, judge: str, questions: int | None) -> ExactJudge | PlannerJudge:
    """Return the judge of that name for a problem."""
    if judge not in JUDGES:
        allowed = "one of " + ", ".join(map(repr, JUDGES))
        raise InputError("judge", repr(judge), allowed + did_you_mean(judge, JUDGES))
    if judge == "planner":
        return PlannerJudge(problem)
    if judge == "optimal":
        try:
            return ExactJudge(problem, questions=questions, limit=MOST_STATES)
        except TooLarge as error:
            raise TooLarge(f"{error}; the judge 'planner' takes problems of any size") from None
    try:
        return ExactJudge(problem, questions=questions, limit=SMALL)
    except (TooLarge, InputError):  # too large, or a teammate with policies of its own
        return PlannerJudge(problem)


MOST_GOALS = 3
"""Goals that are named of what was believed."""


def audit_episode(episode: Episode, bench: JudgeCache, source: str) -> AuditedEpisode:
    """Return what is to be said of an episode."""
    problem, steps = episode.problem, []
    for step, moment in moments(episode):
        taken: Taken | None = step.decision.action if step.decision.ask is None else step.decision.ask
        assert taken is not None
        judged = bench.judged(moment, taken)
        steps.append(
            AuditedStep(
                t=step.t,
                knew=knew(problem.goals, moment.belief),
                done=_in_words(problem, taken),
                asked=step.decision.ask is not None,
                cost=judged.cost,
                best=_in_words(problem, judged.best),
                best_asks=not isinstance(judged.best, int),
                best_cost=judged.best_cost,
                regret=judged.regret,
                needed=judged.needed,
                fitted=judged.fitted,
                fault=judged.fault,
            )
        )
    return AuditedEpisode(source, printable(episode.method), bench.judge.verdict, bench.tolerance, tuple(steps))


def knew(names: tuple[str, ...], belief: FloatArray) -> str:
    """Return a belief in words, the likeliest first."""
    order = np.argsort(-belief, kind="stable")
    order = order[belief[order] > 0]
    shown = [f"{printable(names[k])} {percent(float(belief[k]))}" for k in order[:MOST_GOALS]]
    more = order.size - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _in_words(problem: Problem, taken: Taken) -> str:
    if isinstance(taken, int):
        return printable(problem.ego.actions.names[taken])
    return question_to_text(problem.goals, taken) if len(taken) else "a question about nothing"
