"""Moments of an instance: where everybody is, and what follows from where the worker is."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.domains.tool_fetching import Instance, State, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.model import GridWorld
from askwise.query import ContradictoryObservation
from askwise.showing.moment import Moment, Way, moment, typical_way
from askwise.simulation import simulate
from askwise.types import FloatArray
from tests.tool_fetching import Cell, instances, workshop


def steps_between(drawn: Instance, one: Cell, goals: list[Cell]) -> list[int]:
    """Steps from a cell to each of the others, by trying: apart from what is tested."""
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


def test_positions_tool_and_prior() -> None:
    own = workshop(prior={"kind": "near", "temperature": 2.0})
    now = moment(own, fetcher=(4, 4), holding="C", ruled_out=["A"])
    assert now.problem.decode(now.state) == State(now.problem.grid.state((0, 0)), now.problem.grid.state((4, 4)), 2)
    expected = np.where([False, True, True], ToolFetching(own).prior, 0.0)
    assert now.problem.prior == pytest.approx(expected / expected.sum())
    assert now.way is None


def test_a_fresh_start_has_the_prior_of_its_own_cells() -> None:
    own = workshop(prior={"kind": "near", "temperature": 2.0})
    now = moment(own, worker=(5, 3), fresh=True)
    steps = np.array(steps_between(own, (5, 3), [station.at for station in own.stations.values()]))
    expected = np.exp(-steps / 2.0)
    assert now.problem.prior == pytest.approx(expected / expected.sum())
    assert now.way is None


@given(drawn=instances(max_side=5, max_stations=5), data=st.data())
def test_goals_that_are_not_on_the_way_are_ruled_out(drawn: Instance, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(cells_with_a_way(drawn)))
    goals = [station.at for station in drawn.stations.values()]
    to_cell = steps_between(drawn, drawn.worker, [cell])[0]
    before, after = (np.array(steps_between(drawn, place, goals)) for place in (drawn.worker, cell))
    own = ToolFetching(drawn).prior
    left = np.where(to_cell + after == before, own, 0.0)
    for belief in ("elimination", "bayes"):
        if not left.any():
            with pytest.raises(ContradictoryObservation) as caught:
                moment(drawn, worker=cell, belief=belief)
            way = f"on no shortest way from {drawn.worker} to a station that is possible"
            assert str(caught.value) == f"worker at {cell}: {way}"
            continue
        now = moment(drawn, worker=cell, belief=belief)
        assert ((now.problem.prior > 0) == (left > 0)).all()
        if cell != drawn.worker:
            assert now.way == Way(drawn.worker, int((left > 0).sum()), int((own > 0).sum()))
        if belief == "elimination":
            assert now.problem.prior == pytest.approx(left / left.sum())
    assert moment(drawn, worker=cell, belief="robust").problem.prior.any()


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
        found = moment(drawn, worker=(x, y), belief="bayes").problem.prior
        assert found == pytest.approx(bayes_by_counting(drawn, (x, y)))
        assert step.belief == pytest.approx(found)


def robust_at(cell: Cell) -> Moment:
    return moment(workshop(), worker=cell, belief="robust")


def test_robust_doubts_but_goes_on() -> None:
    # One step north is a detour for A; a station that explains one step badly is not yet set aside.
    found = robust_at((0, 1)).problem.prior
    assert 0 < found[0] < found[2]
    # (2, 3) is three steps off the way to A.
    assert robust_at((2, 3)).problem.prior[0] == 0


def test_the_way_that_is_watched_goes_where_most_ways_go() -> None:
    grid = GridWorld(13, 13)
    way = [grid.cells[state].tolist() for state, _action in typical_way(grid, grid.state((0, 0)), grid.state((6, 6)))]
    assert len(way) == 12
    assert all(abs(x - y) <= 1 for x, y in way), "near the diagonal, not along an edge"
