"""Reading valid instances of tool fetching."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import FORMAT, Instance, Prior, Station
from askwise.domains.tool_fetching.problem import prior_of
from askwise.errors import InputError
from tests.domains.instances import EXAMPLE, instance_json


def read(**changes: Any) -> Instance:
    return Instance.from_json(instance_json(**changes))


def without(*keys: str) -> Instance:
    return Instance.from_json({key: value for key, value in instance_json().items() if key not in keys})


def test_the_example_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text(EXAMPLE)
    assert Instance.load(path) == Instance(
        width=20,
        height=20,
        walls=((3, 4),),
        toolboxes={"T1": (2, 3)},
        stations={"S1": Station((7, 2), "T1"), "S2": Station((7, 8), "T1")},
        worker=(5, 0),
        fetcher=(4, 0),
        prior=Prior("far", 1.0),
        query_cost=QueryCost(0.5, 0.1),
    )
    assert Instance.load(str(path)) == Instance.load(path)


def test_the_example_in_the_docstring_is_the_same() -> None:
    from askwise.domains.tool_fetching import instance

    documentation = instance.__doc__ or ""
    example = documentation[documentation.index("{") : documentation.rindex("}") + 1]
    assert json.loads(example) == instance_json()
    assert instance_json()["format"] == FORMAT


def test_what_may_be_left_out() -> None:
    instance = without("walls", "prior", "query_cost")
    assert instance.walls == ()
    assert instance.prior == Prior("uniform", 1.0, None)
    assert instance.query_cost == QueryCost(0.5, 0.0)


def test_parts_of_the_cost_may_be_left_out() -> None:
    assert read(query_cost={}).query_cost == QueryCost(0.5, 0.0)
    assert read(query_cost={"base": 0}).query_cost == QueryCost(0.0, 0.0)
    assert read(query_cost={"per_station": 2}).query_cost == QueryCost(0.5, 2.0)


@pytest.mark.parametrize("kind", ["uniform", "far", "near", "fetcher-far", "fetcher-near"])
def test_kinds_of_priors(kind: str) -> None:
    assert read(prior={"kind": kind}).prior == Prior(kind, 1.0)
    assert read(prior={"kind": kind, "temperature": 2}).prior == Prior(kind, 2.0)


def test_weights_by_station() -> None:
    assert read(prior={"S2": 1, "S1": 0}).prior == Prior("weights", 1.0, {"S1": 0.0, "S2": 1.0})


def test_a_station_may_be_called_kind() -> None:
    stations = {"kind": {"at": [7, 2], "toolbox": "T1"}, "temperature": {"at": [7, 8], "toolbox": "T1"}}
    prior = read(stations=stations, prior={"kind": 3, "temperature": 1}).prior
    assert prior == Prior("weights", 1.0, {"kind": 3.0, "temperature": 1.0})
    assert read(stations=stations, prior={"kind": "near"}).prior == Prior("near")


@pytest.mark.parametrize("name", [" ", "a.b", "日本", "a\nb", '"', "S" * 200])
def test_names_are_any_strings(name: str) -> None:
    instance = read(toolboxes={name: [2, 3]}, stations={name: {"at": [7, 2], "toolbox": name}}, prior={name: 1})
    assert instance.stations == {name: Station((7, 2), name)}


def test_toolboxes_stations_and_agents_may_share_cells() -> None:
    cell = [1, 1]
    stations = {"S1": {"at": cell, "toolbox": "T1"}}
    instance = read(toolboxes={"T1": cell}, stations=stations, worker=cell, fetcher=cell)
    assert instance.stations["S1"].at == instance.worker == instance.fetcher == (1, 1)


def test_a_toolbox_without_stations_may_be_out_of_reach() -> None:
    walls = [[0, 1], [1, 0], [1, 1]]
    assert read(walls=walls, toolboxes={"T1": [2, 3], "T2": [0, 0]}).toolboxes["T2"] == (0, 0)


def test_the_order_of_stations_is_kept() -> None:
    stations = {name: {"at": [k, 9], "toolbox": "T1"} for k, name in enumerate("zebra")}
    assert list(read(stations=stations).stations) == list("zebra")


def test_numbers_at_the_edge_of_what_is_allowed() -> None:
    instance = read(query_cost={"base": 0, "per_station": 1e12}, prior={"kind": "far", "temperature": 1e-300})
    assert instance.query_cost == QueryCost(0.0, 1e12)
    assert instance.prior.temperature == 1e-300
    small = {"width": 1, "height": 1, "walls": [], "toolboxes": {"T": [0, 0]}, "worker": [0, 0], "fetcher": [0, 0]}
    assert read(**small, stations={"S": {"at": [0, 0], "toolbox": "T"}}, prior={"S": 1}).grid.n_states == 1


def test_the_grid_has_the_walls() -> None:
    grid = read(walls=[[3, 4], [0, 19], [3, 4]]).grid
    assert (grid.width, grid.height) == (20, 20)
    assert np.argwhere(grid.walls).tolist() == [[4, 3], [19, 0]]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"walls": []},
        {"prior": {"S1": 0.1, "S2": 3}},
        {"prior": {"kind": "near", "temperature": 0.3}},
        {"toolboxes": {"日本": [2, 3]}, "stations": {'"\n': {"at": [7, 2], "toolbox": "日本"}}},
    ],
    ids=["example", "no walls", "weights", "kind", "letters of other scripts"],
)
def test_what_is_saved_is_read_again(tmp_path: Path, changes: dict[str, Any]) -> None:
    instance = read(**changes)
    assert Instance.from_json(instance.to_json()) == instance
    path = tmp_path / "saved.json"
    instance.save(path)
    assert Instance.load(path) == instance
    assert [file.name for file in tmp_path.iterdir()] == ["saved.json"]


def test_saving_the_example_gives_the_example() -> None:
    assert read().to_json() == instance_json()


@pytest.mark.parametrize(
    "prior",
    [
        {"S1": 1e308, "S2": 1e308},
        {"S1": 5e-324, "S2": 5e-324},
        {"S1": 5e-324, "S2": 1e308},
        {"kind": "far", "temperature": 5e-324},
        {"kind": "near", "temperature": 5e-324},
        {"kind": "far", "temperature": 1e308},
    ],
)
def test_extreme_numbers_give_a_prior_or_are_refused(prior: dict[str, Any]) -> None:
    try:
        instance = read(prior=prior)
    except InputError:
        return
    found = prior_of(instance, np.array([4, 9]), np.array([3, 5]))
    assert found.sum() == pytest.approx(1)
    assert (found > 0).all(), "a station that is possible became impossible"


def test_instances_survive_pickling() -> None:
    instance = read()
    assert pickle.loads(pickle.dumps(instance)) == instance


def test_instances_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        read().worker = (0, 0)  # type: ignore[misc]
