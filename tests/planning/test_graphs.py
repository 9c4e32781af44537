"""Optimum, planner and bound on general problems: directed graphs, no way back, a price for each goal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from askwise import simulate
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.methods import Optimal, PlannerAgent
from askwise.model import Model
from askwise.planning.bounds import bound_problem
from askwise.planning.optimum import solve_problem
from askwise.planning.planner import Planner
from askwise.planning.reference import Reference
from askwise.planning.settings import FULL, LIGHT
from askwise.planning.tables import tables_of
from tests.planning.graphs import graph_problems
from tests.planning.random_problems import expected_cost

SEARCH = replace(FULL, endgame=0)
"""Without the exact search, which would leave nothing to do on small problems."""
ROUNDING = 1e-9


@settings(max_examples=40, deadline=None)
@given(graph_problems())
def test_the_optimum_is_that_of_the_reference(problem: FactoredProblem) -> None:
    found, reference = solve_problem(problem), Reference(problem)
    assert found.expected_cost == pytest.approx(expected_cost(reference), rel=1e-12)
    assert found.expected_marginal_cost == pytest.approx(reference.cost(), rel=1e-9, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(graph_problems())
def test_the_planner_is_never_below_the_optimum(problem: FactoredProblem) -> None:
    best = solve_problem(problem).expected_marginal_cost
    tables, everything = tables_of(problem), np.asarray(problem.prior > 0)
    for setting in (FULL, LIGHT, SEARCH):
        plan = Planner(problem, tables, setting).plan(everything, tables.start, problem.start.ego)
        assert min(plan.act, plan.ask) >= best - ROUNDING
        assert plan.act_only >= best - ROUNDING
        if plan.optimal:
            assert (plan.ask if plan.asks else plan.act) == pytest.approx(best, abs=ROUNDING)


@settings(max_examples=40, deadline=None)
@given(graph_problems())
def test_the_planner_plays_to_the_end(problem: FactoredProblem) -> None:
    """This includes goals that share a target of the teammate, and actions that put a goal out of reach."""
    for setting in (LIGHT, replace(LIGHT, endgame=0)):
        agent = PlannerAgent()
        agent.setting = setting
        for goal in np.flatnonzero(problem.prior > 0).tolist():
            assert simulate(problem, agent, goal=goal, seed=1).finished


@settings(max_examples=40, deadline=None)
@given(graph_problems())
def test_the_optimum_as_an_agent_plays_to_the_end(problem: FactoredProblem) -> None:
    for goal in np.flatnonzero(problem.prior > 0).tolist():
        assert simulate(problem, Optimal(), goal=goal, seed=1).finished


@settings(max_examples=60, deadline=None)
@given(graph_problems(most_goals=6))
def test_the_bound_is_never_above_the_optimum(problem: FactoredProblem) -> None:
    best = solve_problem(problem).expected_marginal_cost
    for limit in (1, 10, 10**6):
        found = bound_problem(problem, limit=limit)
        assert found.value <= best + ROUNDING
    assert found.value == pytest.approx(best, abs=ROUNDING)


# -- no way back -------------------------------------------------------------------------------------------------


def one_way(unlikely: float) -> FactoredProblem:
    """The ego agent is between A and B, and from A no way leads back; the teammate is on the way to A, most likely.

    To go to A at once costs nothing if it is A, and the way to B is lost for good if it is B.
    """
    walk = Model.from_edges([("s", "on", "m"), ("m", "left", "A"), ("m", "right", "B")])
    ego = Model.from_edges([("0", "left", "1"), ("1", "left", "A"), ("0", "right", "B")])
    return FactoredProblem(
        goals=("A", "B"),
        prior=np.array([1 - unlikely, unlikely]),
        teammate_model=walk,
        teammate_goals=["A", "B"],
        ego_model=ego,
        ego_goals=["A", "B"],
        start=JointState(walk.state("m"), ego.state("0")),
        query_cost=QueryCost(5.0),
    )


@pytest.mark.parametrize("unlikely", [0.5, 1e-3, 1e-9, 1e-15])
def test_no_goal_is_given_up_however_unlikely(unlikely: float) -> None:
    problem = one_way(unlikely)
    found = solve_problem(problem)
    assert found.expected_cost == pytest.approx(expected_cost(Reference(problem)), rel=1e-12)
    assert found.policy(problem.start).action == problem.ego.actions.stay, (
        "a step to wait costs one; all else is final, or five"
    )
    for setting in (FULL, SEARCH):
        tables = tables_of(problem)
        plan = Planner(problem, tables, setting).plan(np.asarray([True, True]), tables.start, problem.start.ego)
        assert (plan.action, plan.asks) == (problem.ego.actions.stay, False)
        assert plan.act == pytest.approx(found.expected_marginal_cost, rel=1e-12)


def test_a_goal_that_is_lost_no_longer_matters() -> None:
    """With a belief in which goals can become possible again, the ego agent may be at a place that cuts one off."""
    problem = one_way(0.5)
    gone = problem.ego.next(problem.start.ego, problem.ego.actions.names.index("left"))
    choice = solve_problem(problem).policy(JointState(problem.start.teammate, gone))
    assert choice.action == problem.ego.actions.names.index("left")
    tables = tables_of(problem)
    for setting in (FULL, SEARCH):
        plan = Planner(problem, tables, setting).plan(np.asarray([True, True]), tables.start, gone)
        assert plan.action == problem.ego.actions.names.index("left")
