"""The bound from random groups: over all groups never above the optimum; charges that are right on average."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings

from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost, Question
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.planning.bounds import bound_problem
from askwise.planning.exact import Solver
from askwise.planning.groups import GroupSolver, bound_with_groups, charges_of, goals_dealt, lower_end
from askwise.planning.optimum import solve_problem
from askwise.planning.reference import Cost, PlanningState, Reference
from askwise.planning.tables import price_for_planning, tables_of
from askwise.types import FloatArray
from tests.graphs import random_problem
from tests.tool_fetching import instances

SMALL_ENOUGH = 1e-11


def work_on(problem: Problem, limit: int | None = None) -> tuple[GroupSolver, list[int]]:
    tables = tables_of(problem)
    goals = tables.goals
    return GroupSolver(problem, tables, goals, price_for_planning(problem, "this test"), limit), goals


def over_all_groups(problem: Problem, size: int) -> float:
    """Return the right side of (1) for all groups of one size: each goal is in ``comb(n - 1, size - 1)`` of them."""
    work, goals = work_on(problem)
    total = sum(work.value(group) for group in combinations(goals, size))
    return total / comb(len(goals) - 1, size - 1) / float(work.tables.weight[work.tables.start, goals].sum())


def small(prior: str, price: QueryCost, seed: int, stations: int = 6) -> ToolFetching:
    drawn = generate(width=7, stations=stations, toolboxes=3, prior=prior, query_cost=price, seed=seed)
    return ToolFetching(drawn)


@given(instances(max_stations=5))
@settings(max_examples=40)
def test_over_all_groups_it_is_never_above_the_optimum(given_instance: Instance) -> None:
    problem = ToolFetching(given_instance)
    optimum, n_goals = solve_problem(problem).expected_marginal_cost, len(problem.goals)
    for size in range(2, n_goals):
        assert over_all_groups(problem, size) <= optimum + SMALL_ENOUGH
    assert over_all_groups(problem, n_goals) == pytest.approx(optimum, abs=SMALL_ENOUGH)


@pytest.mark.parametrize("prior", ["uniform", "far", "near"])
@pytest.mark.parametrize("price", [QueryCost(0.5), QueryCost(0.1, 0.3), QueryCost(0.0, prices=(0.1, 0.4) * 3)])
def test_every_size_prior_and_price(prior: str, price: QueryCost) -> None:
    for seed in range(2):
        problem = small(prior, price, seed)
        optimum = solve_problem(problem).expected_marginal_cost
        found = [over_all_groups(problem, size) for size in range(2, 7)]
        assert 0 <= max(found) <= optimum + SMALL_ENOUGH
        assert found[-1] == pytest.approx(optimum, abs=SMALL_ENOUGH)


def test_it_tells_something() -> None:
    """With groups of four of eight goals, and a price for naming goals, the bound exceeds that of the plain oracle."""
    problem = small("uniform", QueryCost(0.1, 0.2), 3, stations=8)
    optimum = solve_problem(problem).expected_marginal_cost
    with_prices = Solver(problem, goals=range(4)).value(problem.start)
    with_prices += Solver(problem, goals=range(4, 8)).value(problem.start)
    assert with_prices < over_all_groups(problem, 4) < optimum


def test_charges_where_all_goals_are_in_the_group_are_prices() -> None:
    problem = small("far", QueryCost(0.2, 0.3), 1)
    work, goals = work_on(problem)
    charged = Solver(problem, goals=goals, tables=work.tables, charges=work.charges(len(goals)))
    assert charged.value(problem.start) == pytest.approx(Solver(problem).value(problem.start), abs=SMALL_ENOUGH)


# -- charges -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "per_goal"), [(0.5, 0.2), (0.0, 0.3), (0.5, 0.0)])
@pytest.mark.parametrize("size", [2, 3, 5, 6])
def test_on_average_over_all_groups_charges_are_at_most_the_price(base: float, per_goal: float, size: int) -> None:
    """Of six goals the first is true; named are some of those alive: by counting all groups that it may be in."""
    groups = [set(others) for others in combinations(range(1, 6), size - 1)]
    for alive in range(2, 7):
        own, other = charges_of(6, size, base, per_goal)[alive]
        closest = np.inf
        for n_named, with_truth in product(range(alive), (True, False)):
            named = set(range(1, n_named + 1))
            if not with_truth and not named:
                continue
            within = [len(named & group) for group in groups]
            charged = [own[n] if with_truth else other[n] * (n > 0) for n in within]
            price = base + per_goal * (n_named + with_truth)
            assert np.mean(charged) <= price + SMALL_ENOUGH
            if with_truth:
                assert np.mean(charged) == pytest.approx(price)
            else:
                closest = min(closest, price - float(np.mean(charged)))
        assert closest == pytest.approx(0, abs=SMALL_ENOUGH), "or more could be charged"


def test_charges_never_fall_with_more_goals() -> None:
    for size, per_goal in product((2, 5, 20), (0.0, 0.2)):
        assert (np.diff(charges_of(20, size, 0.5, per_goal), axis=2) >= 0).all()


def test_unbiased_charges_by_hand() -> None:
    """Two of five goals in a group: every other goal is there in one of four cases."""
    own, other = charges_of(5, 2, 0.5, 0.1, flat=1.0)[5]
    assert own == pytest.approx([0.6, 1.0])
    assert other[1] == pytest.approx(0.5 + 0.4)


class ChargedReference(Reference):
    """The reference for a group's problem: charges depend on the goal and on the number of goals alive."""

    def __init__(self, problem: Problem, amounts: FloatArray) -> None:
        super().__init__(problem)
        self.amounts = amounts

    def ask(self, state: PlanningState, question: Question) -> Cost:
        alive = sum(self.reach(goal, state.teammate) > 0 for goal in range(self.n_goals))
        own, other = self.amounts[alive]
        named = sum((state.weights[goal] for goal in question), Fraction(0))
        charged = named * Fraction(own[len(question) - 1]) + (state.weight - named) * Fraction(other[len(question)])
        return charged + sum(self.value(after) for _, after in self.after_question(state, question))


def assert_group_is_solved(problem: Problem, size: int) -> None:
    work, goals = work_on(problem)
    reference = ChargedReference(problem, work.charges(size).amounts)
    expected = reference.value(reference.state(possible=goals[:size]))
    assert work.value(tuple(goals[:size])) == pytest.approx(float(expected), abs=1e-9)


@given(instances(max_side=3, max_stations=4))
@settings(max_examples=20)
def test_a_group_is_solved_as_the_reference_says(given_instance: Instance) -> None:
    problem = ToolFetching(given_instance)
    for size in range(2, len(problem.goals)):
        assert_group_is_solved(problem, size)


@pytest.mark.parametrize(("seed", "stations"), [(13, 5), (26, 6)])
def test_charges_of_goals_on_neither_side_are_bounded_from_below(seed: int, stations: int) -> None:
    """Problems in which a bound that is a little too high cuts off the best question."""
    price = QueryCost(0.1, 0.3)
    problem = ToolFetching(generate(width=5, stations=stations, toolboxes=2, query_cost=price, seed=seed))
    assert_group_is_solved(problem, 4)


# -- some groups -------------------------------------------------------------------------------------------------


def test_drawn_groups() -> None:
    problem = small("uniform", QueryCost(0.2, 0.1), 3, stations=9)
    told: list[tuple[int, int]] = []
    found = bound_with_groups(problem, largest=5, deals=4, seed=2, progress=lambda *n: told.append(n))
    assert found is not None
    assert told == [(k, 8) for k in range(1, 9)]
    assert 0 < found.value <= solve_problem(problem).expected_marginal_cost
    assert str(found.verdict) == (
        "lower bound with 95 % confidence, goals dealt 4 times into groups of up to 5, each solved exactly"
    )
    assert [sorted(map(len, found.groups[k : k + 2])) for k in range(0, 8, 2)] == [[4, 5]] * 4
    assert all(sorted(found.groups[k] + found.groups[k + 1]) == list(range(9)) for k in range(0, 8, 2))
    assert found == bound_with_groups(problem, largest=5, deals=4, seed=2)
    assert found != bound_with_groups(problem, largest=5, deals=4, seed=3)


def test_the_value_is_the_lower_end_over_deals() -> None:
    problem = small("far", QueryCost(0.2, 0.1), 3, stations=8)
    found = bound_with_groups(problem, largest=4, deals=3)
    assert found is not None
    work, _ = work_on(problem)
    sums = [work.value(found.groups[k]) + work.value(found.groups[k + 1]) for k in range(0, 6, 2)]
    assert found.value == pytest.approx(lower_end(sums))


def test_the_lower_end_by_hand() -> None:
    assert lower_end([2.0]) == 2.0
    assert lower_end([1.0, 2.0, 3.0]) == pytest.approx(2.0 - 2.919986 / sqrt(3), abs=1e-6)
    assert lower_end([0.0, 1.0]) == 0.0


def test_large_groups_are_parted() -> None:
    problem = small("uniform", QueryCost(0.2, 0.1), 3, stations=8)
    whole, parted = (bound_with_groups(problem, largest=4, deals=2, limit=limit) for limit in (10**6, 3))
    assert whole is not None
    assert parted is not None
    assert whole.k == 4
    assert parted.k < 4
    assert parted.value <= whole.value


def test_one_group_is_the_optimum() -> None:
    problem = small("near", QueryCost(0.2, 0.1), 1)
    found, optimum = bound_with_groups(problem), solve_problem(problem)
    assert found is not None
    assert found.value == pytest.approx(optimum.expected_marginal_cost)
    assert found.verdict == optimum.verdict


def test_answers_are_taken_to_be_true() -> None:
    problem = small("uniform", QueryCost(0.2, 0.1), 3, stations=8)
    true, noisy = (bound_with_groups(each, largest=4) for each in (problem, problem.with_answers(AnswerModel(0.1))))
    assert true is not None
    assert noisy is not None
    assert noisy.value == true.value
    assert str(noisy.verdict).endswith("each solved exactly as if all answers were true")


def test_choices_have_no_such_bound() -> None:
    assert bound_with_groups(small("uniform", QueryCost(0.2, 0.1, per_option=0.1), 3)) is None


def test_dealing() -> None:
    dealt = goals_dealt(range(10, 60), 13, np.random.default_rng(0))
    assert sorted(map(len, dealt)) == [12, 12, 13, 13]
    assert sorted(goal for group in dealt for goal in group) == list(range(10, 60))


def test_more_than_the_oracle_where_many_goals_are_likely() -> None:
    drawn = generate(width=14, stations=24, toolboxes=4, prior="uniform", query_cost=QueryCost(0.5, 0.5), seed=0)
    problem = ToolFetching(drawn)
    tight = bound_with_groups(problem, largest=6, deals=4)
    assert tight is not None
    assert 0 < bound_problem(problem, limit=50).value < tight.value


def test_groups_and_deals_of_one_are_refused() -> None:
    problem = random_problem(0, n_goals=3)
    with pytest.raises(InputError, match="largest: found 1; expected a whole number from 2"):
        bound_with_groups(problem, largest=1)
    with pytest.raises(InputError, match="deals: found 1; expected a whole number from 2"):
        bound_with_groups(problem, deals=1)


def test_a_goal_that_is_left_over_is_a_group_of_its_own() -> None:
    problem = random_problem(0, n_goals=3)
    bound = bound_with_groups(problem, largest=2, deals=2)
    assert bound is not None
    assert not bound.verdict.exact
    assert bound.value <= solve_problem(problem).expected_marginal_cost + 1e-12
