"""The planner's values: against a plain twin, against the optimum, and what follows from their definitions."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning import planner_kernels as kernels
from askwise.planning import planner_silence as silence
from askwise.planning.optimal import solve_problem
from askwise.planning.planner import FULL, LIGHT, Plan, Planner, Settings
from askwise.planning.view import mask_rows, view_of
from askwise.problem import Problem
from askwise.questions import QueryCost
from tests.planning.plain_planner import PlainPlanner, finding_out
from tests.tool_fetching import instances

SEARCH = replace(FULL, endgame=0)
"""Without the exact search, which would leave nothing to do on small problems."""
ALL_SPLITS = replace(SEARCH, exact=8, budget=10**7)


def planned(problem: Problem, settings: Settings, *, budget: int | None = None) -> Plan:
    view = view_of(problem)
    everything = mask_rows(problem.prior > 0)
    return Planner(problem, view, settings).plan(everything, view.start, problem.start.ego, budget=budget)


def drawn(seed: int, *, stations: int = 20, walls: float = 0.0, prior: str = "uniform") -> ToolFetching:
    cost = QueryCost(0.5, 0.2)
    return ToolFetching(
        generate(width=12, stations=stations, toolboxes=4, walls=walls, prior=prior, query_cost=cost, seed=seed)
    )


def several_goals(problem: Problem) -> bool:
    return int((problem.prior > 0).sum()) > 1


# -- against the plain twin --------------------------------------------------------------------------------------


def assert_silent_values_agree(problem: Problem) -> None:
    view = view_of(problem)
    plain = PlainPlanner(view, problem.query_cost)
    goals, w = plain.root()
    ego = view.ego.split(problem.start.ego)
    planner = Planner(problem, view, SEARCH)
    plan = planner.plan(mask_rows(problem.prior > 0), w, problem.start.ego)
    assert plan.silent == pytest.approx(plain.silent(goals, w, ego) - plain.known(goals, w, ego), abs=1e-9)
    settling = silence.silent(planner.desk, 0, w, *ego, True) / kernels.weigh(planner.desk, w, w)
    assert settling == pytest.approx(plain.settling(goals, w, ego) - plain.known(goals, w, ego), abs=1e-9)
    assert min(plan.act, plan.ask) <= settling + 1e-9


@settings(max_examples=80, deadline=None)
@given(instances(max_side=5, max_stations=6))
def test_silence_costs_what_the_plain_twin_says(given: Instance) -> None:
    problem = ToolFetching(given)
    if several_goals(problem):
        assert_silent_values_agree(problem)


@pytest.mark.parametrize("seed", range(4))
def test_more_goals_than_bits_in_a_word(seed: int) -> None:
    problem = ToolFetching(generate(width=10, stations=70, toolboxes=5, walls=0.1 * (seed % 2), seed=seed))
    assert_silent_values_agree(problem)


def test_a_problem_without_tools() -> None:
    assert_silent_values_agree(Coverage("A...C\n..W..\n.F...\nB...D", prior=[3, 1, 2, 2]))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=12),
    st.sampled_from([(0.5, 0.0), (0.5, 0.2), (0.1, 0.5), (0.0, 0.3), (0.0, 0.0)]),
)
def test_finding_out_costs_what_the_plain_twin_says(odds: list[float], prices: tuple[float, float]) -> None:
    problem = drawn(0, stations=len(odds))
    planner = Planner(problem, view_of(problem), SEARCH)
    planner.desk.prices[:] = prices
    planner.desk.weight[: len(odds)] = odds
    row = int(planner.desk.shape[kernels.STACK])
    planner.desk.sets[row] = 2 ** len(odds) - 1
    found = silence.finding_out(planner.desk, row, 0)
    assert found == pytest.approx(finding_out(odds, QueryCost(*prices)), rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(instances(max_side=5, max_stations=6), st.integers(0, 10**6))
def test_the_best_step_is_that_of_the_plain_twin(given: Instance, drawn: int) -> None:
    """Anywhere, with any tool in hand: the same regret, and the same steps left after it."""
    problem = ToolFetching(given)
    view = view_of(problem)
    plain = PlainPlanner(view, problem.query_cost)
    rng = np.random.default_rng(drawn)
    goals, w = plain.root()
    if len(goals) < 2:
        return
    planner = Planner(problem, view, SEARCH)
    position = int(rng.integers(view.ego.next.shape[0]))
    if (view.ego.unloaded[position] > 10**5).any():
        return  # walled in
    tool = int(rng.choice(sorted(goals)))
    row = int(planner.desk.shape[kernels.STACK])
    planner.desk.sets[row * view.n_words : (row + 1) * view.n_words] = mask_rows(problem.prior > 0)
    weight = kernels.score_actions(planner.desk, row, w, position, tool)
    action = kernels.best_action(planner.desk, position, weight)
    there = kernels.after(planner.desk, position, tool, action)
    best = plain.best_step(goals, w, (position, tool))
    assert plain.after(goals, w, there) == pytest.approx(plain.after(goals, w, best), abs=1e-6)
    regret = 1 + plain.after(goals, w, there) - plain.known(goals, w, (position, tool))
    assert planner.desk.scored[action] / weight == pytest.approx(regret, abs=1e-9)


# -- against the optimum -----------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(instances(max_side=5, max_stations=5))
def test_with_all_splits_the_value_is_the_optimum(given: Instance) -> None:
    problem = ToolFetching(given)
    if several_goals(problem):
        # The root itself compares a few actions and questions only; all that follows is exact.
        plan = planned(problem, replace(ALL_SPLITS, breadth=50, kept=31))
        best = solve_problem(problem).expected_marginal_cost
        assert min(plan.act, plan.ask) >= best - 1e-9
        assert plan.act >= best - 1e-9
        assert plan.silent >= plan.act - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_few_goals_are_solved(seed: int) -> None:
    problem = drawn(seed, stations=8, walls=0.1 * (seed % 2))
    plan = planned(problem, FULL)
    assert plan.optimal
    found = min(plan.act, plan.ask) if plan.asks else plan.act
    assert found == pytest.approx(solve_problem(problem).expected_marginal_cost, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_search_is_close_to_the_optimum(seed: int) -> None:
    problem = drawn(seed, stations=9)
    plan, best = planned(problem, SEARCH), solve_problem(problem).expected_marginal_cost
    assert best - 1e-9 <= min(plan.act, plan.ask) <= 1.5 * best


def test_the_exact_search_may_give_up() -> None:
    problem = drawn(3, stations=9)
    plan = planned(problem, replace(FULL, endgame_states=2))
    assert not plan.optimal
    assert plan == planned(problem, SEARCH)


# -- what follows from the definitions ---------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [FULL, LIGHT], ids=["full", "light"])
@pytest.mark.parametrize("prior", ["far", "uniform", "near"])
def test_plans(setting: Settings, prior: str) -> None:
    for seed in range(4):
        plan = planned(drawn(seed, prior=prior), setting)
        assert 0 <= plan.act <= plan.silent + 1e-12
        assert plan.asks == (plan.ask < plan.act - 1e-6)
        if plan.free:
            assert not plan.asks, "nothing is asked while something is free"
        if plan.question is not None:
            assert 0 < len(plan.question) <= 10, "the smaller side is asked about"


def test_more_work_never_makes_the_plan_worse() -> None:
    """Up to the budget there are only more options: what is not at hand is valued by silence, an upper bound."""
    for seed in range(5):
        problem = drawn(seed)
        quick, slow = (planned(problem, SEARCH, budget=budget) for budget in (1, 10**7))
        assert slow.act <= quick.act + 1e-9
        assert quick.worked < slow.worked or quick.silent == 0


def test_nothing_is_asked_that_costs_more_than_silence() -> None:
    for seed in range(5):
        problem = ToolFetching(replace(drawn(seed).instance, query_cost=QueryCost(1000.0, 0.0)))
        plan = planned(problem, SEARCH)
        assert (plan.question, plan.asks, plan.ask) == (None, False, np.inf)


def test_free_questions_leave_no_regret() -> None:
    for seed in range(3):
        problem = ToolFetching(replace(drawn(seed, stations=7).instance, query_cost=QueryCost(0.0, 0.0)))
        plan = planned(problem, FULL)
        assert min(plan.act, plan.ask) == pytest.approx(0.0, abs=1e-9)


def test_a_small_memory_gives_the_same_plan() -> None:
    """Values that were pushed out are worked out again."""
    for seed in range(3):
        problem = drawn(seed)
        large, small = (planned(problem, replace(SEARCH, log_memory=k, budget=10**7)) for k in (18, 10))
        assert replace(large, worked=0) == replace(small, worked=0)


def test_memory_survives_pickling() -> None:
    problem = drawn(1)
    view = view_of(problem)
    planner = Planner(problem, view, SEARCH)
    everything = mask_rows(problem.prior > 0)
    first = planner.plan(everything, view.start, problem.start.ego)
    again = pickle.loads(pickle.dumps(planner))
    one, other = (each.plan(everything, view.start, problem.start.ego) for each in (planner, again))
    assert one == other
    assert one.worked < first.worked
    assert len(pickle.dumps(planner)) < 4_000_000


def test_where_silence_takes_too_long_the_rest_is_valued_by_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of that is remembered: the next plan with enough work is the same as ever."""
    problem = drawn(1)
    view = view_of(problem)
    everything = mask_rows(problem.prior > 0)
    planner, fresh = (Planner(problem, view, SEARCH) for _ in range(2))
    monkeypatch.setattr("askwise.planning.planner.AT_LEAST", 3)
    short = planner.plan(everything, view.start, problem.start.ego, budget=3)
    monkeypatch.undo()
    # Halving 20 goals: 10, 5, 3, 1 and 1 of them are asked about.
    assert 0 < short.silent <= planned(problem, SEARCH).silent + 5 * 0.5 + 20 * 0.2
    long, expected = (each.plan(everything, view.start, problem.start.ego) for each in (planner, fresh))
    assert replace(long, worked=0) == replace(expected, worked=0)
    assert short.worked < long.worked
