"""Costs, regrets and mistakes, compared with the reference: exact fractions, all actions, all questions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askwise
from askwise.audits.judgement import JudgeCache, audit_episode, judge_episode, make_judge
from askwise.audits.judges import ExactJudge, PlannerJudge
from askwise.audits.moments import Moment, MomentValues, moments
from askwise.audits.results import FAULTS, fault_of
from askwise.core.problem import Problem
from askwise.core.questions import Choice, QueryCost
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.exact import TooLarge
from askwise.planning.reference import PlanningState, Reference
from tests.audits.paths import Erratic
from tests.graphs import lopsided, random_problem
from tests.planning.test_exact import fork
from tests.refused import assert_refused
from tests.tool_fetching import instances

TOLERANCE = 1e-6


def costs_at(reference: Reference, moment: Moment, taken: object) -> tuple[float, float, float]:
    """Return the marginal costs of the decision taken, of the best action and of the best question."""
    weights = tuple(Fraction(float(p)) for p in moment.belief)
    state = PlanningState(weights, moment.state.teammate, moment.state.ego)
    acting = [reference.act(state, action) for action in range(reference.n_actions)]
    asking = [reference.ask(state, question) for question in reference.questions_about(state)]
    if isinstance(taken, int):
        cost = acting[taken]
    else:
        assert isinstance(taken, tuple)
        cost = reference.ask(state, taken)
    return tuple(float(each / state.weight) for each in (cost, min(acting), min(asking, default=math.inf)))  # type: ignore[return-value]


@settings(max_examples=25)
@given(instances(max_side=3, max_stations=3), st.integers(0, 5))
def test_costs_and_mistakes_are_those_of_the_reference(drawn: Instance, odd: int) -> None:
    problem = ToolFetching(drawn)
    reference, bench = Reference(problem), JudgeCache(problem, "optimal", TOLERANCE)
    for step, moment in moments(askwise.simulate(problem, Erratic(odd), seed=odd)):
        taken = step.decision.action if step.decision.ask is None else step.decision.ask
        assert taken is not None
        cost, act, ask = costs_at(reference, moment, taken)
        found = bench.judged(moment, taken)
        assert found.cost == pytest.approx(cost, abs=1e-9)
        assert found.best_cost == pytest.approx(min(act, ask), abs=1e-9)
        asked = step.decision.ask is not None
        ask = min(ask, cost) if asked else ask
        needed, fitted = act > ask + TOLERANCE, ask <= act + TOLERANCE
        assert found.needed == needed
        expected = fault_of(asked=asked, regret=cost - min(act, ask), needed=needed, fitted=fitted, tolerance=TOLERANCE)
        assert found.fault == expected


def test_the_kinds_of_mistakes() -> None:
    def kind(asked: bool, regret: float, needed: bool, fitted: bool) -> str:
        return fault_of(asked=asked, regret=regret, needed=needed, fitted=fitted, tolerance=0.1)

    assert kind(True, 0.5, needed=False, fitted=False) == "over-asking"
    assert kind(False, 0.5, needed=True, fitted=True) == "under-asking"
    assert kind(True, 0.5, needed=False, fitted=True) == "wrong question"
    assert kind(True, 0.5, needed=True, fitted=True) == "wrong question"
    assert kind(False, 0.5, needed=False, fitted=False) == "wrong act"
    assert kind(False, 0.5, needed=False, fitted=True) == "wrong act"
    assert kind(True, 0.1, needed=False, fitted=True) == ""
    assert len(set(FAULTS)) == 4


def start(problem: Problem) -> Moment:
    return Moment(problem.start, problem.prior)


def test_by_hand() -> None:
    """Asking costs 0.5 and saves one step of waiting on average."""
    problem = fork()
    bench = JudgeCache(problem, "optimal")
    asked, waited = bench.judged(start(problem), (0,)), bench.judged(start(problem), problem.ego.actions.stay)
    assert (asked.cost, asked.regret, asked.fault) == (0.5, 0.0, "")
    assert (waited.cost, waited.regret, waited.fault) == (1.0, 0.5, "under-asking")
    assert waited.best in ((0,), (1,))
    told_nothing = bench.judged(start(problem), (0, 1))
    assert (told_nothing.cost, told_nothing.fault) == (1.0, "wrong question")
    dear = fork(query_cost={"base": 1.5})
    over = JudgeCache(dear, "optimal").judged(start(dear), (0,))
    assert (over.cost, over.best_cost, over.fault, over.fitted) == (1.5, 1.0, "over-asking", False)


def test_equally_good_is_no_mistake() -> None:
    problem = fork(query_cost={"base": 1.0})
    bench = JudgeCache(problem, "optimal")
    asked, waited = bench.judged(start(problem), (0,)), bench.judged(start(problem), problem.ego.actions.stay)
    assert (asked.regret, asked.fault, asked.needed, asked.fitted) == (0.0, "", False, True)
    assert (waited.regret, waited.fault, waited.needed, waited.fitted) == (0.0, "", False, None)


def test_what_is_best_does_not_depend_on_what_was_done() -> None:
    """Among equally short paths the judge names the same one, whichever was taken."""
    problem = ToolFetching(generate(width=5, stations=2, toolboxes=2, seed=0))
    bench, sure = JudgeCache(problem, "optimal"), Moment(problem.start, np.array([1.0, 0.0]))
    steps = [a for a in range(len(problem.ego.actions.names)) if problem.ego.next(problem.start.ego, a) >= 0]
    judged = {action: bench.judged(sure, action) for action in steps}
    right = [action for action, each in judged.items() if each.regret == 0]
    assert len(right) > 1
    assert {each.best for each in judged.values()} == {right[0]}


def test_a_question_that_the_judge_has_not_thought_of_may_be_the_best() -> None:
    """Without a price per option the optimum asks yes/no questions only."""
    problem = ToolFetching(generate(width=5, stations=3, toolboxes=3, seed=10, query_cost=QueryCost(0.1, 0.0)))
    which = Choice(((0,), (1,), (2,)))
    found = JudgeCache(problem, "optimal").judged(start(problem), which)
    assert found.cost == pytest.approx(0.1)
    assert (found.best_cost, found.best, found.fault) == (found.cost, which, "")


def test_a_goal_out_of_reach_for_good_is_an_infinite_regret() -> None:
    for seed in range(200):
        problem = random_problem(seed)
        bench = JudgeCache(problem, "optimal")
        for action in range(len(problem.ego.actions.names)):
            there = problem.ego.next(problem.start.ego, action)
            if there >= 0:
                lost = bool((problem.ego.steps(there) < 0)[problem.prior > 0].any())
                assert math.isinf(bench.judged(start(problem), action).regret) == lost
                if lost:
                    return
    raise AssertionError("or it sees nothing")


@pytest.mark.parametrize("seed", range(4))
def test_on_small_problems_both_judges_agree(seed: int) -> None:
    problem = ToolFetching(generate(width=5, stations=4, toolboxes=2, seed=seed, query_cost=QueryCost(0.4, 0.1)))
    one, other = JudgeCache(problem, "optimal", 1e-6), JudgeCache(problem, "planner", 1e-6)
    for step, moment in moments(askwise.simulate(problem, Erratic(seed), seed=seed)):
        taken = step.decision.action if step.decision.ask is None else step.decision.ask
        assert taken is not None
        exact, planned = one.judged(moment, taken), other.judged(moment, taken)
        assert planned.cost == pytest.approx(exact.cost, abs=1e-9)
        assert planned.regret == pytest.approx(exact.regret, abs=1e-9)


def test_who_judges() -> None:
    large = ToolFetching(generate(size=20, stations=50, toolboxes=5, seed=1))
    assert isinstance(make_judge(fork(), "auto", None), ExactJudge)
    assert isinstance(make_judge(large, "auto", None), PlannerJudge)
    with pytest.raises(TooLarge, match=r"the judge 'planner' takes problems of any size$"):
        make_judge(large, "optimal", None)
    assert_refused(
        lambda: make_judge(fork(), "plannner", None),
        "judge: found 'plannner'; expected one of 'auto', 'optimal', 'planner' (did you mean 'planner'?)",
    )
    assert (JudgeCache(fork(), "auto").tolerance, JudgeCache(fork(), "planner").tolerance) == (1e-6, 0.05)


def test_a_teammate_with_policies_of_its_own_has_the_planner_for_a_judge() -> None:
    problem = random_problem(3, policies=lopsided)
    audit = askwise.audit(askwise.simulate(problem, "planner", seed=1))
    assert {episode.judge for episode in audit.episodes} == {"planner, the best that it found"}
    assert all(math.isfinite(step.regret) for step in audit.episodes[0].steps)


@pytest.mark.parametrize("judge", ["optimal", "planner"])
def test_a_teammate_that_errs_does_not_end_the_audit(judge: str) -> None:
    """If no goal explains what it does, the belief becomes ``robust``, and the judge uses it."""
    problem = ToolFetching(generate(width=5, stations=4, toolboxes=2, seed=3))
    episodes = [askwise.simulate(problem, "ezq-local", "noisy:0.4", seed=k, belief="robust") for k in range(3)]
    unexplained = sum(not moment.explained for episode in episodes for _, moment in moments(episode))
    assert unexplained > 0
    assert np.isfinite(askwise.audit(episodes, judge=judge).regret)


def after_three_answers(price: float, questions: int | None = None) -> tuple[JudgeCache, Moment]:
    """Return a moment after three answers that cancel out: waiting costs 1, one more answer 0.6."""
    problem = fork(query_cost={"base": price}).with_answers(askwise.AnswerModel(wrong=0.3, refused=0.1))
    asked = tuple(askwise.Answer((0,), reply) for reply in (True, False, None))
    return JudgeCache(problem, "optimal", questions=questions), Moment(problem.start, np.array([0.5, 0.5]), asked)


def test_who_acts_after_the_last_question_has_missed_none() -> None:
    """A fourth question for 0.01 would be worth its price, but the judge allows three."""
    bench, moment = after_three_answers(0.01)
    assert bench.judge.verdict == "optimal with at most 3 questions, exact"
    waited = bench.judged(moment, bench.problem.ego.actions.stay)
    assert waited.cost == pytest.approx(1.0)
    assert (waited.regret, waited.needed, waited.fault) == (0.0, False, "")
    bench, moment = after_three_answers(0.01, questions=4)
    waited = bench.judged(moment, bench.problem.ego.actions.stay)
    assert waited.regret == pytest.approx(1 - (0.01 + 0.9 * 0.6 + 0.1), abs=1e-9)
    assert (waited.needed, waited.fault) == (True, "under-asking")


def test_a_question_after_the_last_is_judged_by_what_it_tells() -> None:
    cheap, moment = after_three_answers(0.01)
    found = cheap.judged(moment, (0,))
    once = after_three_answers(0.01, questions=4)[0].judged(moment, (0,))
    assert (found.cost, found.regret, found.fault, found.fitted) == (once.cost, 0.0, "", True)
    assert found.cost == pytest.approx(0.01 + 0.9 * 0.6 + 0.1, abs=1e-9)
    dear, moment = after_three_answers(0.5)
    found = dear.judged(moment, (0,))
    assert found.cost == pytest.approx(0.5 + 0.64, abs=1e-9)
    assert found.regret == pytest.approx(0.14, abs=1e-9)
    assert (found.fault, found.fitted) == ("over-asking", False)


def test_the_planner_stands_in_where_the_rest_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """It judges with its own tolerance, and the audit names it."""
    problem = fork()
    episode = askwise.simulate(problem, Erratic(0), seed=0)
    exactly = ExactJudge.values_at

    def too_large(judge: ExactJudge, moment: Moment) -> MomentValues:
        if moment.state != problem.start:
            raise TooLarge("too large")
        return exactly(judge, moment)

    monkeypatch.setattr(ExactJudge, "values_at", too_large)
    audited = audit_episode(episode, JudgeCache(problem, "optimal"), "one")
    assert audited.judge == "optimal, exact; planner where the rest of the episode is too large"
    planned = judge_episode(episode, JudgeCache(problem, "planner"))
    stood_in = set[bool]()
    for (_, moment, judged), (_, _, plan) in zip(
        judge_episode(episode, JudgeCache(problem, "optimal")), planned, strict=True
    ):
        assert judged.stand_in == (moment.state != problem.start)
        stood_in.add(judged.stand_in)
        if judged.stand_in:
            assert (judged.cost, judged.best_cost, judged.fault) == (plan.cost, plan.best_cost, plan.fault)
    assert stood_in == {False, True}
