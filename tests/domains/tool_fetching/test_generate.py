"""Random instances: always solvable, repeatable, and with the requested properties."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from askwise.core.problem import optimal_costs
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from tests.refused import Fault, assert_refused, each


@settings(max_examples=100)
@given(
    width=st.integers(4, 14),
    height=st.integers(4, 14),
    stations=st.integers(1, 8),
    toolboxes=st.integers(1, 4),
    walls=st.floats(0, 0.25),
    clustered=st.booleans(),
    seed=st.integers(0, 2**64),
)
def test_every_instance_can_be_solved(
    width: int, height: int, stations: int, toolboxes: int, walls: float, clustered: bool, seed: int
) -> None:
    drawn = None
    with suppress(InputError):
        drawn = generate(
            width=width,
            height=height,
            stations=stations,
            toolboxes=toolboxes,
            walls=walls,
            clustered=clustered,
            seed=seed,
        )
    if drawn is None:
        assert walls > 0, "only walls can leave too little room for 12 on 16 cells"
    else:
        assert_solvable(drawn, stations, toolboxes, round(walls * width * height))


def assert_solvable(drawn: Instance, stations: int, toolboxes: int, walls: int) -> None:
    assert Instance.from_json(drawn.to_json()) == drawn
    assert list(drawn.stations) == [f"S{k + 1}" for k in range(stations)]
    assert list(drawn.toolboxes) == [f"T{k + 1}" for k in range(toolboxes)]
    places = [*drawn.toolboxes.values(), *(station.at for station in drawn.stations.values())]
    assert len(set(places)) == stations + toolboxes, "on distinct cells"
    assert len(set(drawn.walls)) == len(drawn.walls) == walls
    problem = ToolFetching(drawn)
    assert (optimal_costs(problem, problem.start) >= 1).all()


def test_the_paper_s_instances_unless_told_otherwise() -> None:
    drawn = generate(seed=1)
    assert (drawn.width, drawn.height, len(drawn.stations), len(drawn.toolboxes)) == (20, 20, 50, 5)
    assert drawn.walls == ()
    assert (drawn.prior, drawn.query_cost) == (Prior(), QueryCost())
    assert generate(width=7, stations=2, seed=1).height == 7


def test_the_size_can_be_said_in_two_ways() -> None:
    few: dict[str, Any] = {"stations": 3, "toolboxes": 2, "seed": 5}
    assert generate(size=9, **few) == generate(width=9, **few) == generate(size=(9, 9), **few)
    assert generate(size=(9, 4), **few) == generate(width=9, height=4, **few)
    assert generate(height=7, **few) == generate(size=(20, 7), **few)


def test_prior_and_cost_are_passed_on() -> None:
    drawn = generate(stations=3, prior=Prior("far", 2.0), query_cost=QueryCost(1.0, 0.25), seed=1)
    assert drawn.prior == Prior("far", 2.0)
    assert drawn.query_cost == QueryCost(1.0, 0.25)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_same_seed_gives_the_same_instance(clustered: bool) -> None:
    def draw(seed: int | np.random.SeedSequence | np.random.Generator) -> Instance:
        return generate(stations=12, walls=0.2, clustered=clustered, seed=seed)

    assert draw(7) == draw(7) == draw(np.random.SeedSequence(7)) == draw(np.random.default_rng(7))
    assert draw(7) != draw(8)
    stream = np.random.default_rng(7)
    assert draw(stream) != draw(stream), "a generator goes on"


def test_instances_of_a_seed_are_those_of_earlier_versions() -> None:
    """Maps with few walls, and with enough walls for hundreds of regions, some of equal size."""
    digest = hashlib.sha256()
    for seed in range(12):
        for walls in (0.0, 0.3, 0.5, 0.7):
            for clustered in (False, True):
                try:
                    drawn = generate(size=(31, 17), stations=3, walls=walls, clustered=clustered, seed=seed)
                    digest.update(json.dumps(drawn.to_json()).encode())
                except InputError as error:
                    digest.update(str(error).encode())
    assert digest.hexdigest() == "a793314fdeb159f118f1ae9327613faf3ddcb5aa7eec3849faa1251011eca5a9"


def test_all_regions_are_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # One search for each region, over the whole map, took minutes where there are hundreds of thousands.
    searches: list[int] = []
    label = ndimage.label

    def counted(mask: Any) -> Any:
        searches.append(mask.sum())
        return label(mask)

    monkeypatch.setattr(ndimage, "label", counted)
    generate(size=60, stations=3, toolboxes=2, walls=0.7, seed=1)
    assert searches == [1080]


def test_no_seed_gives_a_new_instance_each_time() -> None:
    assert generate() != generate()


def test_every_cell_can_be_full() -> None:
    drawn = generate(width=4, stations=12, toolboxes=4, clustered=True, seed=3)
    assert len({*drawn.toolboxes.values(), *(s.at for s in drawn.stations.values())}) == 16


def nearest_neighbours(drawn: Instance) -> float:
    """Mean distance from a station to the nearest other one."""
    cells = np.array([station.at for station in drawn.stations.values()])
    distances = np.abs(cells[:, None] - cells[None]).sum(axis=2) + 10**6 * np.eye(len(cells))
    return float(distances.min(axis=1).mean())


def test_clustered_stations_are_closer_together() -> None:
    def mean(clustered: bool) -> float:
        drawn = (generate(width=30, stations=32, clustered=clustered, seed=seed) for seed in range(40))
        return math.fsum(map(nearest_neighbours, drawn)) / 40

    assert mean(clustered=True) < 0.75 * mean(clustered=False)


def test_places_are_drawn_uniformly() -> None:
    counts = np.zeros((4, 5, 5))
    n = 400
    for seed in range(n):
        drawn = generate(width=5, stations=6, toolboxes=3, seed=seed)
        for station in drawn.stations.values():
            counts[0][station.at] += 1
        for box in drawn.toolboxes.values():
            counts[1][box] += 1
        counts[2][drawn.worker] += 1
        counts[3][drawn.fetcher] += 1
    for placed, share in zip(counts, [6 / 25, 3 / 25, 1 / 25, 1 / 25], strict=True):
        # Six standard deviations: of a hundred cells, none strays that far by chance.
        assert np.abs(placed - n * share).max() < 6 * math.sqrt(n * share * (1 - share))


def test_tools_are_spread_over_all_toolboxes() -> None:
    owners = [station.toolbox for seed in range(20) for station in generate(seed=seed).stations.values()]
    counts = [owners.count(f"T{k + 1}") for k in range(5)]
    assert min(counts) > 150
    assert sum(counts) == 1000


SIDE = "a whole number from 1 to 10000"

SIZE = "a whole number from 1 to 10000, or two for columns and rows"

FAULTS: dict[str, Fault] = {
    "a size in words": (lambda: generate(size="20"), f"size: found '20'; expected {SIZE}"),  # type: ignore[arg-type]
    "a size of three": (lambda: generate(size=(2, 3, 4)), f"size: found (2, 3, 4); expected {SIZE}"),  # type: ignore[arg-type]
    "no size at all": (lambda: generate(size=0), f"size: found 0; expected {SIZE}"),
    "a size in both ways": (
        lambda: generate(size=20, width=20),
        "size: found width or height in addition; expected either size, or width and height",
    ),
    "no width": (lambda: generate(width=0), f"width: found 0; expected {SIDE}"),
    "too wide": (lambda: generate(width=10_001), f"width: found 10001; expected {SIDE}"),
    "no height": (lambda: generate(height=-1), f"height: found -1; expected {SIDE}"),
    "half a cell": (lambda: generate(width=2.5), f"width: found 2.5; expected {SIDE}"),  # type: ignore[arg-type]
    "no stations": (lambda: generate(stations=0), "stations: found 0; expected a whole number from 1"),
    "half a station": (
        lambda: generate(stations=2.5),  # type: ignore[arg-type]
        "stations: found 2.5; expected a whole number from 1",
    ),
    "no toolboxes": (lambda: generate(toolboxes=0), "toolboxes: found 0; expected a whole number from 1"),
    "half a toolbox": (
        lambda: generate(toolboxes=1.5),  # type: ignore[arg-type]
        "toolboxes: found 1.5; expected a whole number from 1",
    ),
    "negative walls": (lambda: generate(walls=-0.1), "walls: found -0.1; expected a number from 0 to below 1"),
    "only walls": (lambda: generate(walls=1), "walls: found 1; expected a number from 0 to below 1"),
    "walls nan": (lambda: generate(walls=math.nan), "walls: found nan; expected a number from 0 to below 1"),
    "too many stations": (
        lambda: generate(width=5, height=4, stations=18, toolboxes=3),
        "stations and toolboxes: found 18 and 3; expected at most 20 in total, "
        "the cells of the largest region on a 5 x 4 grid with 0 walls",
    ),
    "walls in every cell": (
        lambda: generate(width=3, stations=1, toolboxes=1, walls=0.99),
        "stations and toolboxes: found 1 and 1; expected at most 0 in total, "
        "the cells of the largest region on a 3 x 3 grid with 0.99 walls",
    ),
}


@each(FAULTS)
def test_what_cannot_be_drawn_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
