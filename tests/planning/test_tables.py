"""The tables of a problem: plan counts, probabilities, sets of goals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import simulate
from askwise.core.side import FAR
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.tables import _bytes_of, goals_in, mask_rows, tables_of
from askwise.planning.workspace import world_of
from tests.tool_fetching import count_plans, free_cells, instances, product_problem, steps_between


@settings(max_examples=60, deadline=None)
@given(instances(max_side=5))
def test_weights_count_plans(given: Instance) -> None:
    problem = ToolFetching(given)
    tables, free = tables_of(problem), free_cells(given)
    start = steps_between(free, given.worker)
    for w in range(problem.grid.n_states):
        here = tuple(problem.grid.cells[w].tolist())
        for goal, station in enumerate(given.stations.values()):
            there = steps_between(free, station.at)
            on_the_way = here in start and start[here] + there[here] == start[station.at]
            if not on_the_way:
                assert tables.weight[w, goal] == 0
            else:
                share = Fraction(count_plans(free, here, station.at), count_plans(free, given.worker, station.at))
                expected = problem.prior[goal] * float(share)
                assert tables.weight[w, goal] == pytest.approx(expected, rel=1e-12, abs=1e-299)
                assert tables.steps[w, goal] == steps_between(free, here)[station.at]


@settings(max_examples=30, deadline=None)
@given(instances(max_side=5))
def test_the_teammate_goes_on_with_probability_one(given: Instance) -> None:
    tables = tables_of(ToolFetching(given))
    total = tables.weight.sum(axis=1)
    for w in np.flatnonzero(tables.depth >= 0):
        onwards = sum(total[t] for t in tables.following[w] if t >= 0)
        arrived = tables.weight[w][tables.steps[w] == 0].sum()
        assert onwards + arrived == pytest.approx(total[w], rel=1e-9)


@pytest.mark.parametrize("walls", [0.0, 0.2])
def test_weights_are_the_beliefs_of_bayes(walls: float) -> None:
    problem = ToolFetching(generate(width=12, stations=70, toolboxes=4, walls=walls, prior="far", seed=4))
    tables = tables_of(problem)
    for step in simulate(problem, "never", belief="bayes", seed=2).steps:
        weight = tables.weight[step.state.teammate]
        assert step.belief is not None
        if (step.belief > 0).sum() == 1:
            break  # it may have stayed, which the weights of its state do not show
        np.testing.assert_allclose(weight / weight.sum(), step.belief, rtol=1e-9, atol=1e-300)


def test_another_start_and_prior() -> None:
    """Tables from a later state, with the belief there as prior, give the same later beliefs."""
    problem = ToolFetching(generate(width=9, stations=12, toolboxes=3, seed=5))
    tables = tables_of(problem)
    w = next(int(t) for t in tables.following[tables.start] if t >= 0)
    later = tables_of(problem, prior=tables.weight[w] / tables.weight[w].sum(), start=w)
    for t in later.following[w]:
        if t >= 0:
            np.testing.assert_allclose(later.weight[t] * tables.weight[w].sum(), tables.weight[t], rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(instances())
def test_the_ego_map_is_the_ego_model(given: Instance) -> None:
    """Steps, moves and loads of the table are those of the product model."""
    problem, plain = ToolFetching(given), product_problem(given)
    ego, n = problem.ego.table(), len(problem.goals)
    for state in range(problem.grid.n_states * (n + 1)):
        place, load = ego.split(state)
        steps = np.where(np.arange(n) == load, ego.loaded[place], ego.unloaded[place])
        expected = plain.ego.steps(state)
        np.testing.assert_array_equal(steps[expected >= 0], expected[expected >= 0])
        assert (steps[expected < 0] == FAR).all()
        for column, action in enumerate(ego.moves):
            there = problem.ego.next(state, action)
            assert ego.next[place, column] == (-1 if there < 0 else ego.split(there)[0])
        for goal in range(n):
            can = problem.ego.next(state, int(ego.load_actions[goal])) >= 0
            assert can == (ego.load_at[goal] == place)


def test_without_loads_the_place_is_the_state() -> None:
    problem = Coverage("A..B\n.W..\n..F.", prior=[1, 0])
    tables = tables_of(problem)
    assert tables.ego.split(7) == (7, -1)
    assert world_of(tables).loads.size == 0
    np.testing.assert_array_equal(tables.ego.unloaded[problem.start.ego], problem.ego.steps(problem.start.ego))
    assert goals_in(tables.alive[tables.start]) == [0], "a goal of prior 0 is not possible"


@pytest.mark.parametrize("stations", [10, 70])
def test_the_memory_for_tables_is_the_sum_of_their_sizes(stations: int) -> None:
    """Some arrays are needed only to make the tables: moves, the order of states, counts of plans, possible goals."""
    problem = ToolFetching(generate(width=12, stations=stations, toolboxes=4, walls=0.1, seed=4))
    tables, n_states = tables_of(problem), problem.teammate.model.n_states
    kept = tables.following, tables.depth, tables.steps, tables.weight, tables.alive
    making = tables.following.nbytes + n_states * (4 + 8 + 4) + (tables.weight > 0).nbytes
    ego = 3 * tables.ego.unloaded.nbytes  # with and without a load, and for making them
    assert _bytes_of(problem) == sum(table.nbytes for table in kept) + making + ego


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_sets_of_goals(members: list[bool]) -> None:
    assert goals_in(mask_rows(members)) == [k for k, inside in enumerate(members) if inside]
    assert mask_rows([members, members]).shape == (2, -(-len(members) // 64))
