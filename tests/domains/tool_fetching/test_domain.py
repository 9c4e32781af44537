"""Typed states of tool fetching, and the inferences of `askwise.ask` from the worker's place."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import ask, simulate
from askwise.core.belief import ContradictoryObservation
from askwise.domains.tool_fetching import Instance, State, ToolFetching
from askwise.domains.tool_fetching.domain import DOMAIN
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.play.ask import Advice, InferredPath, likeliest_path
from askwise.types import FloatArray
from tests.tool_fetching import Cell, instance, instances, workshop


def steps_between(drawn: Instance, one: Cell, goals: list[Cell]) -> list[int]:
    """Return the steps from a cell to each goal by breadth-first search, independent of the tested code."""
    free = {(x, y) for x in range(drawn.width) for y in range(drawn.height)} - set(drawn.walls)
    reached, edge, steps = {one: 0}, [one], 0
    while edge:
        steps += 1
        beside = {(x + dx, y + dy) for x, y in edge for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        edge = list((beside & free) - set(reached))
        reached.update(dict.fromkeys(edge, steps))
    return [reached.get(cell, -1) for cell in goals]


def cells_with_a_way(drawn: Instance) -> list[Cell]:
    every = [(x, y) for x in range(drawn.width) for y in range(drawn.height) if (x, y) not in drawn.walls]
    return [cell for cell, steps in zip(every, steps_between(drawn, drawn.worker, every), strict=True) if steps >= 0]


def believed(advice: Advice) -> FloatArray:
    assert advice.belief is not None
    return advice.belief


def test_positions_tool_and_prior() -> None:
    problem = ToolFetching(workshop(prior={"kind": "near", "temperature": 2.0}))
    state = DOMAIN.parse_state(problem, ego="4,4", holding="C")
    assert problem.decode(state) == State(problem.grid.state((0, 0)), problem.grid.state((4, 4)), 2)
    now = ask(problem, "never", ego_at=state.ego, answered=[("A", False)])
    expected = np.where([False, True, True], problem.prior, 0.0)
    assert believed(now) == pytest.approx(expected / expected.sum())
    assert (now.state, now.way) == (state, None)


def test_whoever_is_not_mentioned_is_at_the_start() -> None:
    problem = ToolFetching(workshop())
    assert DOMAIN.parse_state(problem) == problem.start


def test_a_fresh_start_has_the_prior_of_its_own_cells() -> None:
    own = workshop(prior={"kind": "near", "temperature": 2.0})
    problem = ToolFetching(own)
    fresh = DOMAIN.problem(problem, DOMAIN.parse_state(problem, teammate="5,3"))
    now = ask(fresh, "never")
    steps = np.array(steps_between(own, (5, 3), [station.at for station in own.stations.values()]))
    expected = np.exp(-steps / 2.0)
    assert believed(now) == pytest.approx(expected / expected.sum())
    assert (now.state, now.way) == (fresh.start, None)


@given(drawn=instances(max_side=5, max_stations=5), data=st.data())
def test_goals_that_are_not_on_the_way_are_ruled_out(drawn: Instance, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(cells_with_a_way(drawn)))
    goals = [station.at for station in drawn.stations.values()]
    to_cell = steps_between(drawn, drawn.worker, [cell])[0]
    before, after = (np.array(steps_between(drawn, place, goals)) for place in (drawn.worker, cell))
    problem = ToolFetching(drawn)
    own = problem.prior
    left = np.where(to_cell + after == before, own, 0.0)
    for belief in ("elimination", "bayes"):
        if not left.any():
            with pytest.raises(ContradictoryObservation):
                ask(problem, "never", teammate_at=cell, belief=belief)
            continue
        now = ask(problem, "never", teammate_at=cell, belief=belief)
        assert ((believed(now) > 0) == (left > 0)).all()
        if cell != drawn.worker:
            assert now.way == InferredPath(problem.start.teammate, int((left > 0).sum()), int((own > 0).sum()))
        if belief == "elimination":
            assert believed(now) == pytest.approx(left / left.sum())
    assert believed(ask(problem, "never", teammate_at=cell, belief="robust")).any()


def open_grid() -> Instance:
    return generate(width=12, stations=15, toolboxes=2, prior="far", seed=11)


def ways(one: Cell, other: Cell) -> int:
    dx, dy = abs(one[0] - other[0]), abs(one[1] - other[1])
    return comb(dx + dy, dx)


def bayes_by_counting(given: Instance, cell: Cell) -> FloatArray:
    """P0(g) N_g(now) / N_g(start), with N_g by binomials; only on a grid without walls."""
    start = given.worker
    own = ToolFetching(given).prior
    odds = []
    for p, station in zip(own, given.stations.values(), strict=True):
        between = abs(cell[0] - start[0]) + abs(cell[1] - start[1])
        far, near = (abs(station.at[0] - x) + abs(station.at[1] - y) for x, y in (start, cell))
        odds.append(p * ways(cell, station.at) / ways(start, station.at) if between + near == far else 0.0)
    return np.asarray(odds) / sum(odds)


@pytest.mark.parametrize("k", [1, 3, 6, 9])
def test_bayes_does_not_ask_which_way_it_was(k: int) -> None:
    drawn = open_grid()
    for seed in range(5):
        episode = simulate(drawn, "never", seed=seed, belief="bayes")
        problem = episode.problem
        assert isinstance(problem, ToolFetching)
        if len(episode.steps) <= k:
            continue
        step = episode.steps[k]
        x, y = problem.grid.cells[step.state.teammate].tolist()
        if step.state.teammate == episode.steps[k - 1].state.teammate:
            continue  # at work: that tells more than being there
        found = believed(ask(problem, "never", teammate_at=(x, y), belief="bayes"))
        assert found == pytest.approx(bayes_by_counting(drawn, (x, y)))
        assert step.belief == pytest.approx(found)


def robust_at(cell: Cell) -> FloatArray:
    return believed(ask(workshop(), "never", teammate_at=cell, belief="robust"))


def test_robust_doubts_but_goes_on() -> None:
    # One step north is a detour for A; a station that explains one step badly is not yet set aside.
    found = robust_at((0, 1))
    assert 0 < found[0] < found[2]
    # (2, 3) is three steps off the way to A.
    assert robust_at((2, 3))[0] == 0


def test_the_way_that_is_watched_goes_where_most_ways_go() -> None:
    corner = instance(
        (13, 13), stations={"A": ((12, 12), "T")}, toolboxes={"T": (12, 0)}, worker=(0, 0), fetcher=(0, 12)
    )
    problem = ToolFetching(corner)
    grid = problem.grid
    way = [grid.cells[state].tolist() for state, _action in likeliest_path(problem, grid.state((6, 6)))]
    assert len(way) == 12
    assert all(abs(x - y) <= 1 for x, y in way), "near the diagonal, not along an edge"


def test_an_enclosed_fetcher_reaches_no_station() -> None:
    """The fetcher is in the corner (3, 0), behind walls."""
    here = instance(
        (4, 3),
        stations={"S": ((0, 2), "T"), "U": ((2, 2), "T")},
        toolboxes={"T": (1, 1)},
        worker=(0, 0),
        fetcher=(1, 0),
        walls=[(2, 0), (3, 1)],
    )
    problem = ToolFetching(here)
    enclosed = problem.grid.state((3, 0)) * 3
    assert problem.ego.steps(enclosed).tolist() == [-1, -1]
    with pytest.raises(InputError, match="no way to it from"):
        ToolFetching(replace(here, fetcher=(3, 0)))
