"""The gate of questions, and the zones of the most important pairs of goals."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from askwise.core.decision import PairZones, affordable, common_actions, heaviest_pairs, some_out_of_reach
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.types import BoolArray
from tests.tool_fetching import instances, workshop

RIGHT = np.array(
    [
        [1, 1, 0, 0],  # for the first goal
        [0, 1, 1, 0],
        [0, 0, 1, 1],
        [0, 0, 0, 0],  # the last goal is out of reach
    ],
    dtype=np.bool_,
)
"""Which of four actions are optimal for each of four goals."""


def only(*goals: int) -> BoolArray:
    return np.isin(np.arange(len(RIGHT)), goals)


@pytest.mark.parametrize(
    ("goals", "common"),
    [((0,), [0, 1]), ((0, 1), [1]), ((1, 2), [2]), ((0, 2), []), ((0, 1, 2), []), ((3,), []), ((0, 3), [])],
)
def test_common_actions_are_right_for_every_possible_goal(goals: tuple[int, ...], common: list[int]) -> None:
    assert common_actions(RIGHT, only(*goals)).tolist() == common


@pytest.mark.parametrize(
    ("goals", "out"),
    [((0,), False), ((0, 1, 2), False), ((3,), True), ((0, 3), True), ((0, 1, 2, 3), True), ((), False)],
)
def test_only_a_possible_goal_without_a_right_action_is_out_of_reach(goals: tuple[int, ...], out: bool) -> None:
    assert some_out_of_reach(RIGHT, only(*goals)) is out


def pair_in_workshop(first: int, second: int) -> PairZones:
    problem = ToolFetching(workshop())
    found = heaviest_pairs(problem, problem.start, problem.prior)
    return next(pair for pair in found if (pair.first, pair.second) == (first, second))


@given(instances(max_side=5, max_stations=5))
def test_all_pairs_with_their_numbers_the_heaviest_first(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    found = heaviest_pairs(problem, problem.start, problem.prior, most=100)
    edp, wcd = problem.teammate.divergence(problem.start.teammate)
    branching = problem.ego.divergence(problem.start.ego)[1]
    assert {(pair.first, pair.second) for pair in found} == set(combinations(range(len(problem.goals)), 2))
    for pair in found:
        i, j = pair.first, pair.second
        assert (pair.informed, pair.branching) == (wcd[i, j], branching[i, j])
        assert pair.expected == (edp[j, i], edp[i, j])
        lengths = [zone.length for zone in pair.expected_querying]
        assert pair.weight == pytest.approx(problem.prior[i] * lengths[0] + problem.prior[j] * lengths[1])
    weights = [pair.weight for pair in found]
    assert weights == sorted(weights, reverse=True)


def test_only_possible_goals_and_only_a_few_pairs() -> None:
    problem = ToolFetching(generate(stations=12, toolboxes=3, seed=1))
    belief = np.where(np.arange(12) % 2 == 0, 1 / 6, 0.0)
    found = heaviest_pairs(problem, problem.start, belief)
    assert len(found) == 5
    assert all(pair.first % 2 == pair.second % 2 == 0 for pair in found)


def test_zones_of_a_pair() -> None:
    # Worker (0, 0): the ways to A (5, 0) and C (5, 4) can be the same for five steps, and part at the sixth.
    # Fetcher (2, 0): the tools are in T, to the west, and U, to the east.
    pair = pair_in_workshop(0, 2)
    assert (pair.informed, pair.branching, pair.now) == (6, 1, True)
    assert str(pair.querying) == "t <= 6"


def test_expected_zones_of_a_pair() -> None:
    pair = pair_in_workshop(0, 2)
    # The way to A is straight, and possible for C until the worker works; most ways to C turn north soon.
    assert pair.expected[0] == 6 > pair.expected[1] > 1
    assert [str(zone) for zone in pair.expected_querying] == ["t <= 6", "t <= 1.84"]
    assert pair.weight == pytest.approx((6 + pair.expected[1]) / 3)


def test_a_pair_that_need_not_be_told_apart_now() -> None:
    assert not pair_in_workshop(0, 1).now  # both tools are in T


def test_goals_whose_plans_never_branch_weigh_nothing() -> None:
    # Whoever covers C serves both A and B: there is nothing to be torn between.
    problem = Coverage("A...B\n..W..\n..C.F")
    pairs = heaviest_pairs(problem, problem.start, problem.prior)
    first = next(pair for pair in pairs if (pair.first, pair.second) == (0, 1))
    assert (first.branching, first.weight, first.now) == (np.inf, 0.0, False)


def test_one_goal_has_no_pairs() -> None:
    problem = ToolFetching(workshop())
    assert heaviest_pairs(problem, problem.start, np.array([0.0, 1.0, 0.0])) == ()


def test_large_instances_are_left_out() -> None:
    assert affordable(ToolFetching(generate(width=60, stations=100, seed=1)))
    assert not affordable(ToolFetching(generate(width=150, stations=100, seed=1)))
