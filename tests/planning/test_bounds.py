"""The lower bound: never above the optimum, the optimum itself with one group, useful at full size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from askwise import InputError
from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.bounds import (
    _by_pairs,
    _by_weight,
    _Partition,
    bound_problem,
    bound_with_true_answers_after,
)
from askwise.planning.exact import Solver
from askwise.planning.groups import bound_with_groups
from askwise.planning.optimum import solve_problem
from askwise.planning.tables import tables_of
from tests.graphs import lopsided, random_problem
from tests.tool_fetching import instances

SMALL_ENOUGH = 1e-12


@given(instances(max_stations=5))
@settings(max_examples=30)
def test_with_one_group_it_is_the_optimum(given_instance: Instance) -> None:
    problem = ToolFetching(given_instance)
    found, optimum = bound_problem(problem), solve_problem(problem)
    assert found.value == pytest.approx(optimum.expected_marginal_cost, abs=SMALL_ENOUGH)
    assert found.verdict == optimum.verdict


@pytest.mark.parametrize("kind", ["uniform", "far", "near"])
@pytest.mark.parametrize("per_goal", [0.0, 0.2, 0.5])
def test_never_above_the_optimum(kind: str, per_goal: float) -> None:
    found_something = 0
    for seed in range(4):
        cost = QueryCost(0.5, per_goal)
        problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, prior=kind, query_cost=cost, seed=seed))
        optimum = solve_problem(problem).expected_marginal_cost
        values = [bound_problem(problem, limit=limit).value for limit in (20, 200, 10**6)]
        assert max(values) <= optimum + SMALL_ENOUGH
        assert values[-1] == pytest.approx(optimum, abs=SMALL_ENOUGH)
        found_something += values[0] > 0
    assert found_something >= 2


def test_its_value_is_the_sum_over_its_groups() -> None:
    problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, seed=1))
    found = bound_problem(problem, limit=50)
    assert len(found.groups) > 1
    members = [goal for group in found.groups for goal in group]
    assert len(members) == len(set(members)), "a goal in two groups would count twice"
    assert found.k == max(map(len, found.groups)) < 8
    parts = [Solver(problem, goals=group).value(problem.start) for group in found.groups]
    assert found.value == pytest.approx(sum(parts))
    assert not found.verdict.exact
    assert str(found.verdict) == (
        f"proven lower bound, {len(found.groups)} groups of up to {found.k} goals, each solved exactly"
    )


def test_where_no_two_goals_can_be_solved_each_is_a_group() -> None:
    problem = ToolFetching(generate(width=8, stations=6, toolboxes=3, prior="far", seed=1))
    tables = tables_of(problem)
    found = _Partition(problem, tables, tables.goals, 0, _by_weight(tables))
    assert found.groups == [(goal,) for goal in _by_weight(tables)(tables.goals)[:-1]]
    assert (found.value, found.states) == (0.0, 0)


def test_goals_that_are_expensive_to_tell_apart_come_together() -> None:
    """The order of `_by_pairs`, from the optimum of every pair; and some bound is larger for it."""
    better = 0
    for seed in range(3):
        problem = ToolFetching(generate(width=8, stations=6, toolboxes=3, seed=seed))
        tables = tables_of(problem)
        goals = tables.goals
        pair = {
            (one, other): Solver(problem, goals=sorted((one, other))).value(problem.start) if one != other else 0.0
            for one in goals
            for other in goals
        }
        expected: list[int] = []
        while len(expected) < len(goals):
            with_whom = expected or goals
            left = [goal for goal in goals if goal not in expected]
            expected.append(max(left, key=lambda goal: sum(pair[goal, other] for other in with_whom)))
        assert _by_pairs(problem, tables, goals)(goals) == expected
        ways = [_Partition(problem, tables, goals, 50, _by_weight(tables))]
        ways.append(_Partition(problem, tables, goals, 50, _by_pairs(problem, tables, goals)))
        weight = float(tables.weight[tables.start, goals].sum())
        assert bound_problem(problem, limit=50).value == pytest.approx(max(way.value for way in ways) / weight)
        better += ways[1].value > ways[0].value + SMALL_ENOUGH
    assert better > 0


def test_full_size() -> None:
    for kind in ("far", "near"):
        problem = ToolFetching(generate(prior=kind, query_cost=QueryCost(0.5, 0.2), seed=0))
        small, large = (bound_problem(problem, limit=limit) for limit in (100, 5_000))
        assert 0 < small.value < large.value
        assert large.k >= 6


def test_one_goal_costs_nothing() -> None:
    problem = ToolFetching(generate(width=4, stations=1, toolboxes=1, seed=1))
    found = bound_problem(problem)
    assert (found.value, found.verdict.exact) == (0.0, True)


def test_coverage() -> None:
    problem = Coverage("A....\n..W.F\nB....\n....C", query_cost=QueryCost(0.3))
    assert bound_problem(problem).value == pytest.approx(solve_problem(problem).expected_marginal_cost)


@pytest.mark.parametrize(
    "bound", [bound_problem, bound_with_groups, lambda each: bound_with_true_answers_after(each, 1)]
)
def test_a_teammate_that_is_no_urop_is_refused(bound: Callable[[Problem], object]) -> None:
    problem = random_problem(1, policies=lopsided).with_answers(AnswerModel(0.1))
    with pytest.raises(
        InputError, match=r"^teammate_policies: found .*; expected none: the bound holds for a teammate "
    ):
        bound(problem)


def test_equal_whatever_the_time_taken() -> None:
    problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, seed=1))
    assert bound_problem(problem, limit=50) == bound_problem(problem, limit=50)


def test_there_is_no_bound_by_true_answers_if_none_can_be_wrong_before() -> None:
    problem = ToolFetching(generate(width=5, stations=3, toolboxes=2, seed=1))
    assert bound_with_true_answers_after(problem, 1) is None
    assert bound_with_true_answers_after(problem.with_answers(AnswerModel(0.1)), 0) is None
