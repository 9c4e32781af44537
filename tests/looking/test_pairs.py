"""The pairs of goals that the page shows zones of."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given

from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.looking.pairs import affordable, heaviest_pairs, pairs_at
from tests.tool_fetching import instances, workshop


@given(instances(max_side=5, max_stations=5))
def test_pairs_are_those_that_branch_first_and_then_the_likeliest(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    found = pairs_at(problem, problem.start, problem.prior, most=100)
    informed, branching = (
        problem.teammate_matrices(problem.start.teammate)[1],
        problem.ego_matrices(problem.start.ego)[1],
    )
    expected = {pair: (informed[pair], branching[pair]) for pair in combinations(range(len(problem.goals)), 2)}
    assert {(pair.first, pair.second): (pair.informed, pair.branching) for pair in found} == expected
    order = [(pair.branching, -problem.prior[pair.first] - problem.prior[pair.second]) for pair in found]
    assert order == sorted(order)


def test_only_possible_goals_and_only_a_few_pairs() -> None:
    problem = ToolFetching(generate(stations=12, toolboxes=3, seed=1))
    belief = np.where(np.arange(12) % 2 == 0, 1 / 6, 0.0)
    found = pairs_at(problem, problem.start, belief)
    assert len(found) == 5
    assert all(pair.first % 2 == pair.second % 2 == 0 for pair in found)


def test_zones_of_a_pair() -> None:
    problem = ToolFetching(workshop())
    pair = next(p for p in pairs_at(problem, problem.start, problem.prior) if (p.first, p.second) == (0, 2))
    # Worker (0, 0): the ways to A (5, 0) and C (5, 4) can be the same for five steps, and part at the sixth.
    # Fetcher (2, 0): the tools are in T, to the west, and U, to the east.
    assert (pair.informed, pair.branching) == (6, 1)
    assert str(pair.querying) == "t <= 6"


def test_expected_zones_of_a_pair() -> None:
    problem = ToolFetching(workshop())
    pair = next(p for p in pairs_at(problem, problem.start, problem.prior) if (p.first, p.second) == (0, 2))
    edp = problem.teammate_matrices(problem.start.teammate)[0]
    # The way to A is straight, and possible for C until the worker works; most ways to C turn north soon.
    assert pair.expected == (edp[2, 0], edp[0, 2])
    assert pair.expected[0] == 6 > pair.expected[1] > 1
    assert [str(zone) for zone in pair.expected_querying] == ["t <= 6", "t <= 1.84"]


@given(instances(max_side=5, max_stations=5))
def test_the_heaviest_pairs_are_torn_longest(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    found = heaviest_pairs(problem, problem.start, problem.prior, most=100)
    assert {(p.first, p.second) for p in found} == set(combinations(range(len(problem.goals)), 2))
    torn = [
        sum(
            problem.prior[goal] * zone.length
            for goal, zone in zip((pair.first, pair.second), pair.expected_querying, strict=True)
        )
        for pair in found
    ]
    assert np.allclose(torn, sorted(torn, reverse=True))  # equal but for rounding may come in either order


def test_one_goal_has_no_pairs() -> None:
    problem = ToolFetching(workshop())
    for chosen in (pairs_at, heaviest_pairs):
        assert chosen(problem, problem.start, np.array([0.0, 1.0, 0.0])) == []


def test_large_instances_are_left_out() -> None:
    assert affordable(ToolFetching(generate(width=60, stations=100, seed=1)))
    assert not affordable(ToolFetching(generate(width=150, stations=100, seed=1)))
