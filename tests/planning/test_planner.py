"""The planner's values: against the reference, against the optimum, and what follows from their definitions."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise.core.answers import AnswerModel
from askwise.core.problem import JointState, Problem, changed
from askwise.core.questions import QueryCost
from askwise.core.side import FAR, state_at
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.planning.beliefs import list_goals
from askwise.planning.leaf_values import cost_to_identify
from askwise.planning.optimum import solve_problem
from askwise.planning.planner import Plan, Planner, group_sets, make_planner
from askwise.planning.proposals import propose
from askwise.planning.reference import PlanningState, Reference
from askwise.planning.settings import FULL, LIGHT, PlannerSettings
from askwise.planning.steps import after_action, best_action, count_actions, score_actions
from askwise.planning.tables import Words, goals_in, mask_rows, tables_of
from tests.tool_fetching import instances

SEARCH = replace(FULL, endgame=0)
"""Without the exact search, which would leave nothing to do on small problems."""
MUCH = replace(SEARCH, breadth=50, inner=50, candidates=31, depth=50, budget=10**7)
"""Settings with which the search, without the exact end, considers everything that it can."""


def planned(problem: Problem, settings: PlannerSettings, *, budget: int | None = None) -> Plan:
    tables = tables_of(problem)
    everything = np.asarray(problem.prior > 0)
    return Planner(problem, tables, settings).plan(everything, tables.start, problem.start.ego, budget=budget)


def drawn(seed: int, *, stations: int = 20, walls: float = 0.0, prior: str = "uniform") -> ToolFetching:
    cost = QueryCost(0.5, 0.2)
    return ToolFetching(
        generate(width=12, stations=stations, toolboxes=4, walls=walls, prior=prior, query_cost=cost, seed=seed)
    )


def several_goals(problem: Problem) -> bool:
    return int((problem.prior > 0).sum()) > 1


# -- against the reference ---------------------------------------------------------------------------------------


def assert_leaf_values_agree(problem: Problem) -> None:
    tables = tables_of(problem)
    reference = Reference(problem)
    state = reference.state()
    planner = Planner(problem, tables, SEARCH)
    plan = planner.plan(problem.prior, tables.start, problem.start.ego)
    assert plan.act_only == pytest.approx(float(reference.act_only(state) / state.weight), abs=1e-9)
    if plan.act_only == 0:
        return
    found = planner.search.found[0]
    settling = found.leaf / found.weight
    assert settling == pytest.approx(float(reference.act_then_ask(state) / state.weight), abs=1e-9)
    assert min(plan.act, plan.ask) <= settling + 1e-9


@settings(max_examples=40, deadline=None)
@given(instances(max_side=5, max_stations=6))
def test_plans_end_as_the_reference_says(given: Instance) -> None:
    problem = ToolFetching(given)
    if several_goals(problem):
        assert_leaf_values_agree(problem)


def test_more_goals_than_bits_in_a_word() -> None:
    problem = ToolFetching(generate(width=9, stations=66, toolboxes=5, walls=0.1, seed=1))
    assert_leaf_values_agree(problem)


def test_a_problem_without_loads() -> None:
    assert_leaf_values_agree(Coverage("A...C\n..W..\n.F...\nB...D", prior=[3, 1, 2, 2]))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=12),
    st.sampled_from([(0.5, 0.0), (0.5, 0.2), (0.1, 0.5), (0.0, 0.3), (0.0, 0.0)]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_identifying_the_goal_costs_what_the_reference_says(
    odds: list[float], prices: tuple[float, float], uniform: bool, seed: int
) -> None:
    problem = drawn(0, stations=len(odds))
    planner = Planner(problem, tables_of(problem), SEARCH)
    search = planner.search
    search.world.weight = np.array([odds])
    search.rows[0] = 2 ** len(odds) - 1
    extra = np.zeros(len(odds)) if uniform else np.random.default_rng(seed).random(len(odds))
    (search.base, search.per_goal), search.extra, search.uniform = prices, extra, uniform
    found = cost_to_identify(search, 0)
    price = QueryCost(prices[0], prices=tuple((prices[1] + extra).tolist()))
    reference = Reference(changed(problem, query_cost=price))
    state = PlanningState(tuple(map(Fraction, odds)), problem.start.teammate, problem.start.ego)
    assert found == pytest.approx(float(reference.ask_until_known(state)), rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(instances(max_side=5, max_stations=6), st.integers(0, 10**6))
def test_the_best_action_is_that_of_the_reference(given: Instance, drawn: int) -> None:
    """At any place and with any load, both have the same delay."""
    problem = ToolFetching(given)
    if not several_goals(problem):
        return
    tables, rng = tables_of(problem), np.random.default_rng(drawn)
    place, load = int(rng.integers(tables.ego.next.shape[0])), int(rng.choice(np.flatnonzero(problem.prior > 0)))
    if (tables.ego.unloaded[place] == FAR).any():
        return  # walled in
    reference = Reference(problem)
    state = reference.state(JointState(tables.start, state_at(problem.ego, place, load)))
    planner = Planner(problem, tables, SEARCH)
    search = planner.search
    search.rows[0], search.states[0] = mask_rows(problem.prior > 0), (tables.start, place, load, 0.0)
    n = list_goals(search, 0)
    score_actions(search.world, search.ranked, n, search.scored, tables.start, place, load)
    action = best_action(search.scored, count_actions(search.world, place), search.states[0].weight)
    expected = reference.delay(state, reference.best_action(state))
    assert search.scored[action].delay / search.states[0].weight == pytest.approx(
        float(expected / state.weight), abs=1e-9
    )
    there = state_at(problem.ego, *after_action(search.world, place, load, action))
    ends = [reference.problem.ego.next(state.ego, each) for each in range(reference.n_actions)]
    assert float(min(reference.delay(state, k) for k, end in enumerate(ends) if end == there)) == pytest.approx(
        float(expected), abs=1e-9
    )


# -- against the optimum -----------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(instances(max_side=5, max_stations=5))
def test_however_far_it_looks_it_is_never_below_the_optimum(given: Instance) -> None:
    problem = ToolFetching(given)
    if several_goals(problem):
        plan = planned(problem, MUCH)
        best = solve_problem(problem).expected_marginal_cost
        assert min(plan.act, plan.ask) >= best - 1e-9
        assert plan.act >= best - 1e-9
        assert plan.act_only >= plan.act - 1e-9


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


def test_an_exact_search_that_gave_up_is_tried_again_when_fewer_goals_are_possible() -> None:
    problem = drawn(3, stations=9)
    planner = Planner(problem, tables_of(problem), replace(FULL, endgame_states=2))
    searches = []
    for possible in (problem.prior > 0, problem.prior > 0, np.arange(9) < 5, np.arange(9) < 5):
        planner.plan(possible, problem.start.teammate, problem.start.ego)
        assert planner._endgame is not None
        assert planner._endgame.gave_up
        searches.append(planner._endgame)
    assert searches[0] is searches[1]
    assert searches[1] is not searches[2]
    assert searches[2] is searches[3]


# -- proposals ---------------------------------------------------------------------------------------------------


def pool_of(planner: Planner, groups: Words, problem: Problem) -> set[frozenset[int]]:
    """Return the questions proposed at the start, each written without the first possible goal."""
    search, tables = planner.search, planner.tables
    search.rows[0], search.groups = mask_rows(problem.prior > 0), groups[:, None]
    search.states[0] = tables.start, *tables.ego.split(problem.start.ego), 0.0
    n = propose(search, 0)
    proposed = [frozenset(goals_in(search.sets[search.pool + k, 0])) for k in range(n)]
    assert all(proposed), "a question about nothing"
    assert len(set(proposed)) == n, "each question is proposed once"
    return set(proposed)


def test_groups_of_goals_are_proposed() -> None:
    problem = drawn(4)
    planner = Planner(problem, tables_of(problem))
    groups = [set(group) for group in problem.groups.values()]
    sets = group_sets(groups, 20)
    assert len(groups) == 4
    without, with_groups = (pool_of(planner, given, problem) for given in (sets[:0], sets))
    every = set(range(20))
    for group in [*groups, groups[0] | groups[1]]:
        written = frozenset(every - group if 0 in group else group)
        assert written in with_groups
        assert written not in without
    assert without < with_groups


def test_groups_may_overlap_and_may_be_handed_in() -> None:
    problem = drawn(4)
    given = [(1, 2, 3, 5, 8), (8, 13, 17), (19,)]
    planner = Planner(problem, tables_of(problem), groups=given)
    assert [goals_in(row[0]) for row in planner.search.groups] == [list(group) for group in given]
    proposed = pool_of(planner, group_sets(given, 20), problem)
    assert {frozenset(given[0]), frozenset(given[1]), frozenset(given[0]) | frozenset(given[1])} <= proposed


# -- what follows from the definitions ---------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [FULL, LIGHT], ids=["full", "light"])
@pytest.mark.parametrize("prior", ["far", "uniform", "near"])
def test_plans(setting: PlannerSettings, prior: str) -> None:
    for seed in range(4):
        plan = planned(drawn(seed, prior=prior), setting)
        assert 0 <= plan.act <= plan.act_only + 1e-12
        assert plan.asks == (plan.ask < plan.act - 1e-6)
        if plan.free:
            assert not plan.asks, "nothing is asked while something is free"
        if plan.question is not None:
            assert 0 < len(plan.question) <= 10, "the smaller side is asked about"


def test_more_work_never_makes_the_plan_worse() -> None:
    """A larger budget only adds options: states beyond it are valued by acting only, an upper bound."""
    for seed in range(5):
        problem = drawn(seed)
        quick, slow = (planned(problem, SEARCH, budget=budget) for budget in (1, 10**7))
        assert slow.act <= quick.act + 1e-9
        assert quick.states_seen < slow.states_seen or quick.act_only == 0


def test_nothing_is_asked_that_costs_more_than_silence() -> None:
    for seed in range(5):
        problem = ToolFetching(replace(drawn(seed).instance, query_cost=QueryCost(1000.0, 0.0)))
        plan = planned(problem, SEARCH)
        assert (plan.question, plan.asks, plan.ask) == (None, False, np.inf)


def test_free_questions_leave_no_marginal_cost() -> None:
    for seed in range(3):
        problem = ToolFetching(replace(drawn(seed, stations=7).instance, query_cost=QueryCost(0.0, 0.0)))
        plan = planned(problem, FULL)
        assert min(plan.act, plan.ask) == pytest.approx(0.0, abs=1e-9)


def test_a_small_memory_gives_the_same_plan() -> None:
    """Values that were displaced from the table are computed again."""
    for seed in range(3):
        problem = drawn(seed)
        large, small = (planned(problem, replace(SEARCH, log_table=k, budget=10**7)) for k in (18, 10))
        assert replace(large, states_seen=0) == replace(small, states_seen=0)


def test_memory_survives_pickling() -> None:
    problem = drawn(1)
    tables = tables_of(problem)
    planner = Planner(problem, tables, SEARCH)
    everything = np.asarray(problem.prior > 0)
    first = planner.plan(everything, tables.start, problem.start.ego)
    again = pickle.loads(pickle.dumps(planner))
    one, other = (each.plan(everything, tables.start, problem.start.ego) for each in (planner, again))
    assert one == other
    assert one.states_seen < first.states_seen
    assert len(pickle.dumps(planner)) < 4_000_000


def test_a_larger_budget_lets_the_exact_search_do_more_and_a_smaller_one_no_less() -> None:
    found = [FULL.with_budget(factor * FULL.budget) for factor in (1, 10, 100)]
    assert [each.endgame - FULL.endgame for each in found] == [0, 6, 13]  # 1.4^6 = 7.5, 1.4^13 = 79
    assert [each.endgame_states for each in found] == [factor * FULL.endgame_states for factor in (1, 10, 100)]
    assert FULL.with_budget(10) == replace(FULL, budget=10)


def test_settings_with_too_many_candidates_are_refused() -> None:
    with pytest.raises(InputError, match=r"settings: found 2 questions with 40 candidates each: 6,481 lists; expected"):
        planned(drawn(0), replace(SEARCH, candidates=40))


def test_kernels_are_compiled_once_for_all_problems() -> None:
    """The types are the same for all kinds of answers, for limited questions, and after pickling."""
    problem, kinds = drawn(1), set()
    typeof: Any = numba.typeof
    for each in (problem, problem.with_answers(AnswerModel(0.1, 0.2)), Coverage("A...C\n..W..\n.F...\nB...D")):
        planner = make_planner(each, tables_of(each), limited=each is not problem)
        kinds |= {typeof(copy.search.compiled) for copy in (planner, pickle.loads(pickle.dumps(planner)))}
    assert len(kinds) == 1


def test_where_silence_takes_too_long_the_rest_is_valued_by_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates made for lack of work are not kept: the next plan with enough work is unaffected."""
    problem = drawn(1)
    tables = tables_of(problem)
    everything = np.asarray(problem.prior > 0)
    planner, fresh = (Planner(problem, tables, SEARCH) for _ in range(2))
    monkeypatch.setattr("askwise.planning.planner.AT_LEAST", 3)
    short = planner.plan(everything, tables.start, problem.start.ego, budget=3)
    monkeypatch.undo()
    # Halving 20 goals: 10, 5, 3, 1 and 1 of them are asked about.
    assert 0 < short.act_only <= planned(problem, SEARCH).act_only + 5 * 0.5 + 20 * 0.2
    long, expected = (each.plan(everything, tables.start, problem.start.ego) for each in (planner, fresh))
    assert replace(long, states_seen=0) == replace(expected, states_seen=0)
    assert short.states_seen < long.states_seen
