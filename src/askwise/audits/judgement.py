"""The judgement of a decision: its regret and the kind of mistake, as `askwise.audits` defines them.

The regret is the expected cost of the decision minus that of the best one. `judge_episode` judges every decision of one
played episode.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.audits.judges import ExactJudge, ExactValues, PlannerJudge
from askwise.audits.moments import BestDecision, Moment, MomentValues, moments
from askwise.audits.results import AuditedEpisode, AuditedStep, fault_of
from askwise.core.episode import Episode, Step
from askwise.core.problem import Problem
from askwise.core.questions import Question
from askwise.errors import InputError, did_you_mean
from askwise.planning.exact import MOST_STATES, TooLarge
from askwise.text.wording import percent, printable
from askwise.types import FloatArray
from askwise.view.decision_text import question_to_text

JUDGES = ("auto", "optimal", "planner")
SMALL = 300_000
"""The judge ``auto`` solves problems of up to this many states, which takes about a second."""

TOLERANCES = {"optimal": 1e-6, "planner": 0.05}
"""Default tolerance of each judge: rounding errors of the optimum, differences between equally good plans."""

MOST_GOALS = 3
"""Goals that `belief_text` names."""

Taken = int | Question
"""A decision: the index of an action, or a question."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of one decision of the ego agent: its cost, the best decision, and the kind of mistake.

    Attributes:
        cost: expected cost, beyond what an agent that knows the goal would pay.
        best: the best decision that the judge knows of: the index of an action, or a question.
        best_cost: cost of `best`.
        needed: whether the best action cost more than the best question plus the tolerance.
        fitted: whether the best question cost at most the best action plus the tolerance; None if the agent acted.
        fault: the mistake, one of `askwise.audits.results.FAULTS`; empty for none.
        stand_in: whether the planner judged, because the rest of the episode was too large for the exact judge.
    """

    cost: float
    best: Taken
    best_cost: float
    needed: bool
    fitted: bool | None
    fault: str
    stand_in: bool = False

    @property
    def regret(self) -> float:
        """Expected cost of the decision minus that of the best one, never below 0."""
        return max(0.0, self.cost - self.best_cost)


class JudgeCache:
    """The judge of one problem: it compares decisions with the best ones, and caches its judgements.

    Args:
        problem: the problem that was played.
        judge: ``optimal`` (the exact optimum), ``planner``, or ``auto``: the optimum for a small problem, otherwise the
            planner.
        tolerance: regrets up to this are no mistakes. None: 0.000001 for the optimum, 0.05 for the planner.
        questions: the optimum's limit of questions per episode. None: no limit if answers are true, otherwise 3.

    Raises:
        TooLarge: the judge is ``optimal``, and the problem is too large.
        InputError: `judge` is unknown, or ``optimal`` with a teammate that it cannot handle.
    """

    def __init__(
        self, problem: Problem, judge: str, tolerance: float | None = None, questions: int | None = None
    ) -> None:
        self.problem = problem
        self.judge = make_judge(problem, judge, questions)
        self.tolerance = TOLERANCES[self.judge.name] if tolerance is None else tolerance
        self._tolerance_of_planner = TOLERANCES["planner"] if tolerance is None else tolerance
        self._stand_in: PlannerJudge | None = None
        self._moments: dict[Hashable, tuple[MomentValues, BestDecision, BestDecision]] = {}
        self._judged: dict[Hashable, Judgement] = {}

    def judged(self, moment: Moment, taken: Taken) -> Judgement:
        """Return the judgement of a decision: its cost, the best decision, and the kind of mistake.

        Args:
            moment: what the ego agent knew when it made the decision.
            taken: the decision: the index of an action, or a question.
        """
        key = moment.key(self.problem), taken
        if key not in self._judged:
            self._judged[key] = self._new(key[0], moment, taken)
        return self._judged[key]

    def _new(self, key: Hashable, moment: Moment, taken: Taken) -> Judgement:
        if key not in self._moments:
            self._moments[key] = self._values_at(moment)
        values, (action, act), (question, ask) = self._moments[key]
        stand_in = isinstance(self.judge, ExactJudge) and not isinstance(values, ExactValues)
        tolerance = self._tolerance_of_planner if stand_in else self.tolerance
        if isinstance(taken, int):
            cost = values.acting(taken)
            if cost < act:
                action, act = taken, cost
        else:
            cost = values.asking(taken)
            if cost < ask:
                question, ask = taken, cost
            if ask > act + tolerance:
                ask = min(ask, values.least_question(act + tolerance))
        asked, least = not isinstance(taken, int), min(act, ask)
        needed, fitted = act > ask + tolerance, ask <= act + tolerance
        assert action is not None
        best = question if question is not None and ask < act else action
        regret = max(0.0, cost - least)
        fault = fault_of(asked=asked, regret=regret, needed=needed, fitted=fitted, tolerance=tolerance)
        return Judgement(cost, best, least, needed, fitted if asked else None, fault, stand_in)

    def _values_at(self, moment: Moment) -> tuple[MomentValues, BestDecision, BestDecision]:
        """Return the object that computes costs in one step, the best action, and the best question.

        Action and question each come as a pair with the expected cost. If the judge would not ask, the question's pair
        is ``(None, inf)``.
        """
        try:
            values = self.judge.values_at(moment)
            return values, values.best_action(), values.proposed()
        except TooLarge:
            # The exact judge has to solve the problem again after the teammate has left all shortest paths.
            if self._stand_in is None:
                self._stand_in = PlannerJudge(self.problem)
            values = self._stand_in.values_at(moment)
            return values, values.best_action(), values.proposed()


def check_judge(judge: str) -> None:
    """Raise `InputError` unless `judge` is ``auto``, ``optimal`` or ``planner``."""
    if judge not in JUDGES:
        allowed = "one of " + ", ".join(map(repr, JUDGES))
        raise InputError("judge", repr(judge), allowed + did_you_mean(str(judge), JUDGES))


def make_judge(problem: Problem, judge: str, questions: int | None) -> ExactJudge | PlannerJudge:
    """Return an object that computes what decisions in a problem cost, by the exact optimum or by the planner.

    Args:
        problem: the problem that was played.
        judge: ``optimal``, ``planner``, or ``auto``: the optimum for a small problem, otherwise the planner.
        questions: the optimum's limit of questions per episode. None: no limit if answers are true, otherwise 3.

    Raises:
        TooLarge: the judge is ``optimal``, and the problem is too large.
        InputError: `judge` is unknown, or ``optimal`` with a teammate that it cannot handle.
    """
    check_judge(judge)
    if judge == "planner":
        return PlannerJudge(problem)
    if judge == "optimal":
        try:
            return ExactJudge(problem, questions=questions, limit=MOST_STATES)
        except TooLarge as error:
            raise TooLarge(f"{error}; the judge 'planner' takes problems of any size") from None
    try:
        return ExactJudge(problem, questions=questions, limit=SMALL)
    except (TooLarge, InputError):  # too large, or a teammate with its own policies
        return PlannerJudge(problem)


# -- episodes ------------------------------------------------------------------------------------------------------


def judge_episode(episode: Episode, judge: str | JudgeCache = "auto") -> Iterator[tuple[Step, Moment, Judgement]]:
    """Judge every decision of one played episode.

    Args:
        episode: the episode.
        judge: ``optimal`` (the exact optimum), ``planner``, ``auto`` (the optimum for a small problem, otherwise the
            planner), or a `JudgeCache` of the problem.

    Yields:
        each step, what the ego agent knew before it, and the judgement of its decision.

    Raises:
        InputError: a step breaks the rules of the game.
    """
    cache = JudgeCache(episode.problem, judge) if isinstance(judge, str) else judge
    for step, moment in moments(episode):
        taken: Taken | None = step.decision.action if step.decision.ask is None else step.decision.ask
        assert taken is not None
        yield step, moment, cache.judged(moment, taken)


def audit_episode(episode: Episode, cache: JudgeCache, source: str) -> AuditedEpisode:
    """Return the audit of an episode: the judgement of each decision, with beliefs and decisions as text.

    `cache` is the judge of the episode's problem. `source` is the episode's name in the audit, such as the path of its
    file.
    """
    problem, judge, judgements = episode.problem, cache.judge.verdict, list(judge_episode(episode, cache))
    if any(judged.stand_in for _, _, judged in judgements):
        judge += "; planner where the rest of the episode is too large"
    steps = tuple(
        AuditedStep(
            t=step.t,
            knew=belief_text(problem.goals, moment.belief),
            done=_decision_text(problem, step.decision.action if step.decision.ask is None else step.decision.ask),
            asked=step.decision.ask is not None,
            cost=judged.cost,
            best=_decision_text(problem, judged.best),
            best_asks=not isinstance(judged.best, int),
            best_cost=judged.best_cost,
            regret=judged.regret,
            needed=judged.needed,
            fitted=judged.fitted,
            fault=judged.fault,
        )
        for step, moment, judged in judgements
    )
    return AuditedEpisode(source, printable(episode.method), judge, cache.tolerance, steps)


def belief_text(names: tuple[str, ...], belief: FloatArray) -> str:
    """Return a belief as text: the three likeliest goals with their probabilities, and how many others are possible.

    Args:
        names: names of the goals.
        belief: ``float64 [n_goals]``, the probability of each goal.
    """
    order = np.argsort(-belief, kind="stable")
    order = order[belief[order] > 0]
    named = [f"{printable(names[k])} {percent(float(belief[k]))}" for k in order[:MOST_GOALS]]
    more = order.size - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _decision_text(problem: Problem, taken: Taken | None) -> str:
    assert taken is not None
    if isinstance(taken, int):
        return printable(problem.ego.actions.names[taken])
    return question_to_text(problem.goals, taken) if len(taken) else "a question about nothing"
