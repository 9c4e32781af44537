"""A price for each goal: the optimum, the planner and the bound pay the price of the question that is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from askwise import evaluate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import make_agent
from askwise.planning.bounds import bound_problem
from askwise.planning.optimum import solve_problem
from askwise.planning.planner import Planner
from askwise.planning.reference import Reference
from askwise.planning.settings import FULL
from askwise.planning.tables import tables_of
from tests.planning.random_problems import expected_cost
from tests.planning.test_exact import fork
from tests.refused import Fault, assert_refused, each

SEARCH = replace(FULL, endgame=0)


def priced(seed: int, *, width: int = 5, stations: int = 4, toolboxes: int = 2) -> ToolFetching:
    problem = ToolFetching(generate(width=width, stations=stations, toolboxes=toolboxes, seed=seed))
    prices = np.random.default_rng(seed).choice([0.0, 0.05, 0.3, 1.0, 5.0], size=stations)
    return problem.with_terms(problem.instance.prior, QueryCost(0.3, prices=tuple(prices.tolist())))


@dataclass(frozen=True, slots=True)
class OneIsDear(QueryCost):
    """Five more for the first goal: a sum over goals, but only trying it shows that."""

    def __call__(self, asked: Sequence[int] | int) -> float:
        assert not isinstance(asked, int)
        return self.base + 5.0 * (0 in asked)


@dataclass(frozen=True, slots=True)
class Rebate(QueryCost):
    """Any three goals for the price of two."""

    def __call__(self, asked: Sequence[int] | int) -> float:
        assert not isinstance(asked, int)
        return 0.5 + 0.1 * min(len(asked), 2)


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_that_of_the_reference(seed: int) -> None:
    problem = priced(seed)
    assert solve_problem(problem).expected_cost == pytest.approx(expected_cost(Reference(problem)), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_policy_costs_what_the_optimum_says(seed: int) -> None:
    problem = priced(seed, width=7, stations=6)
    best = solve_problem(problem).expected_marginal_cost
    assert evaluate(problem, "optimal", exact=True).expected_marginal_cost == pytest.approx(best, abs=1e-9)
    assert evaluate(problem, "planner", exact=True).expected_marginal_cost >= best - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_the_planner_is_never_below_and_equal_where_it_solves(seed: int) -> None:
    problem = priced(seed, width=8, stations=7, toolboxes=3)
    best = solve_problem(problem).expected_marginal_cost
    tables = tables_of(problem)
    for setting in (FULL, SEARCH):
        plan = Planner(problem, tables, setting).plan(np.asarray(problem.prior > 0), tables.start, problem.start.ego)
        value = plan.ask if plan.asks else plan.act
        assert value >= best - 1e-9
        if plan.optimal:
            assert value == pytest.approx(best, abs=1e-9)
        if plan.question is not None:
            others = [goal for goal in range(7) if goal not in plan.question]
            assert problem.query_cost(plan.question) <= problem.query_cost(others), "the cheaper side is named"


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_never_above_the_optimum(seed: int) -> None:
    problem = priced(seed, width=8, stations=8, toolboxes=3)
    best = solve_problem(problem).expected_marginal_cost
    assert all(bound_problem(problem, limit=limit).value <= best + 1e-12 for limit in (20, 200, 10**6))


def test_a_price_that_is_a_function() -> None:
    """Asking about the other goal costs five less and gives the same information."""
    problem = fork().with_terms(fork().instance.prior, OneIsDear(0.25))
    found = solve_problem(problem)
    assert found.policy(problem.start).ask == (1,)
    assert found.expected_marginal_cost == pytest.approx(0.25)
    assert evaluate(problem, "planner", exact=True).expected_marginal_cost == pytest.approx(0.25)


def test_the_larger_side_is_named_where_it_is_cheaper() -> None:
    larger = 0
    for seed in range(8):
        problem = ToolFetching(generate(width=9, stations=12, toolboxes=2, seed=seed))
        tables, everything = tables_of(problem), np.asarray(problem.prior > 0)
        usual = Planner(problem, tables, SEARCH).plan(everything, tables.start, problem.start.ego).question
        if usual is None:
            continue
        prices = np.zeros(12)
        prices[list(usual)] = 50.0
        dear = problem.with_terms(problem.instance.prior, QueryCost(0.5, prices=tuple(prices.tolist())))
        asked = Planner(dear, tables, SEARCH).plan(everything, tables.start, problem.start.ego).question
        assert asked is not None
        assert not set(asked) & set(usual)
        larger += len(asked) > 6
    assert larger >= 2


def with_price(price: QueryCost, attempt: Callable[[ToolFetching], object], stations: int = 4) -> Callable[[], object]:
    problem = ToolFetching(generate(width=5, stations=stations, toolboxes=2, seed=1))
    return lambda: attempt(problem.with_terms(problem.instance.prior, price))


EXPECTED = "expected QueryCost(base, per_goal), or QueryCost(base, prices=...) with a price for each goal: "
EXACT = EXPECTED + "the exact search adds up prices goal by goal"
PLANNER = EXPECTED + "the planner adds up prices goal by goal"
NO_SUM = "query cost: found a price that is no sum over the goals asked about; "
MANY = "query cost: found OneIsDear, a function that may charge anything for 11 goals; "

FAULTS: dict[str, Fault] = {
    "optimum": (with_price(Rebate(), solve_problem), NO_SUM + EXACT),
    "optimum, many goals": (with_price(OneIsDear(), solve_problem, 11), MANY + EXACT),
    "bound": (with_price(Rebate(), bound_problem), NO_SUM + EXACT),
    "agent: optimal": (with_price(Rebate(), lambda p: make_agent("optimal").reset(p)), NO_SUM + EXACT),
    "agent: planner": (with_price(Rebate(), lambda p: make_agent("planner").reset(p)), NO_SUM + PLANNER),
    "agent: planner, many goals": (
        with_price(OneIsDear(), lambda p: make_agent("planner-light").reset(p), 11),
        MANY + PLANNER,
    ),
}


@each(FAULTS)
def test_a_price_that_is_no_sum_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
