"""Instance files: readable for people, and accepted by the JSON Schema in the package."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from askwise.api import as_problem
from askwise.core.answers import AnswerModel
from askwise.core.questions import QueryCost
from askwise.domains.registry import domain_of
from askwise.domains.tool_fetching import Instance, Prior, instance
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from tests.domains.instances import instance_json
from tests.refused import assert_refused
from tests.tool_fetching import instances, workshop


def read_schema() -> dict[str, Any]:
    text = resources.files("askwise.domains.tool_fetching").joinpath("tool-fetching.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


SCHEMA = read_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


# -- saving and loading ------------------------------------------------------------------------------------------


class Discount(QueryCost):
    """Charges less for the second goal."""


@pytest.mark.parametrize(
    ("cost", "found"),
    [
        (QueryCost(0.5, prices=(0.1, 0.2, 0.3)), "separate prices for stations"),
        (Discount(0.5, 0.1), "a Discount"),
    ],
)
def test_prices_that_the_file_cannot_hold_are_refused(tmp_path: Path, cost: QueryCost, found: str) -> None:
    priced = replace(workshop(), query_cost=cost)
    expected = "QueryCost(base, per_goal): a file of askwise/tool-fetching@1 holds no other prices"
    assert_refused(lambda: priced.save(tmp_path / "priced.json"), f"query_cost: found {found}; expected {expected}")
    assert list(tmp_path.iterdir()) == []


SAVED = """\
{
 "format": "askwise/tool-fetching@1",
 "width": 6,
 "height": 5,
 "walls": [[3, 1], [3, 2]],
 "toolboxes": {
   "T": [0, 2],
   "U": [4, 0]
 },
 "stations": {
   "A": {"at": [5, 0], "toolbox": "T"},
   "B": {"at": [1, 4], "toolbox": "T"},
   "C": {"at": [5, 4], "toolbox": "U"}
 },
 "worker": [0, 0],
 "fetcher": [2, 0],
 "prior": {"kind": "uniform", "temperature": 1.0},
 "query_cost": {"base": 0.5, "per_station": 0.0}
}
"""


def test_a_saved_file_is_made_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "workshop.json"
    workshop().save(path)
    assert path.read_text() == SAVED


@given(drawn=instances(max_side=6, max_stations=6))
def test_what_is_saved_is_loaded_again(tmp_path_factory: pytest.TempPathFactory, drawn: Instance) -> None:
    path = tmp_path_factory.mktemp("saved") / "instance.json"
    drawn.save(path)
    loaded = Instance.load(path)
    assert loaded == drawn
    assert list(loaded.stations) == list(drawn.stations)
    assert json.loads(path.read_text()) == drawn.to_json()


def test_generated_instances_survive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    for clustered in (False, True):
        drawn = generate(
            walls=0.2, clustered=clustered, prior=Prior("far", 0.1), query_cost=QueryCost(0.1, 0.3), seed=1
        )
        drawn.save(path)
        assert Instance.load(path) == drawn


def test_answers_and_prices_of_choices_survive_a_file(tmp_path: Path) -> None:
    """Both used to be lost."""
    path = tmp_path / "instance.json"
    answers = AnswerModel(wrong=0.1, refused=0.2, errors="persistent")
    changed = replace(workshop(), query_cost=QueryCost(0.1, 0.2, per_option=0.3), answers=answers)
    changed.save(path)
    assert Instance.load(path) == changed
    problem = as_problem(changed)
    assert (problem.answers, problem.query_cost) == (changed.answers, changed.query_cost)
    later = as_problem(workshop()).with_answers(answers)
    assert Instance.from_json(domain_of(later).write(later)).answers == answers
    assert "answers" not in workshop().to_json()


def test_weights_given_in_python_survive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    weighted = replace(workshop(), prior=Prior(weights={"A": 1.0, "B": 0.1, "C": 0.0}))
    weighted.save(path)
    assert Instance.load(path) == weighted


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    workshop().save(path)
    generate(seed=1).save(path)
    assert Instance.load(path) == generate(seed=1)
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(workshop(), prior=Prior("far", float("nan"))).save(path)
    assert Instance.load(path) == generate(seed=1)
    assert [file.name for file in tmp_path.iterdir()] == ["instance.json"]


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "instance.json"
    message = f"file '{path}': found no such file or directory; expected a place that can be written to"
    assert_refused(lambda: workshop().save(path), message)


# -- the schema --------------------------------------------------------------------------------------------------


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == instance.FORMAT


def test_the_schema_says_what_the_code_says() -> None:
    properties = SCHEMA["properties"]
    assert properties["format"]["const"] == instance.FORMAT
    assert SCHEMA["$defs"]["side"]["maximum"] == instance.LARGEST_SIDE
    bare, in_full, _ = properties["prior"]["anyOf"]
    kinds = in_full["properties"]
    assert tuple(bare["enum"]) == instance.PRIOR_KINDS
    assert tuple(kinds["kind"]["enum"]) == instance.PRIOR_KINDS
    assert kinds["temperature"]["default"] == Prior().temperature
    assert properties["prior"]["default"] == {"kind": Prior().kind}
    cost = properties["query_cost"]["properties"]
    assert (cost["base"]["default"], cost["per_station"]["default"]) == (QueryCost().base, QueryCost().per_goal)
    noisy = replace(workshop(), answers=AnswerModel(wrong=0.1))
    assert set(properties) == set(noisy.to_json())


@given(instances(max_side=6, max_stations=6))
def test_instances_fit_the_schema(drawn: Instance) -> None:
    VALIDATOR.validate(drawn.to_json())


FITTING: dict[str, Callable[[], dict[str, Any]]] = {
    "the example": instance_json,
    "the paper's size": lambda: generate(seed=1).to_json(),
    "walls and clusters": lambda: generate(walls=0.2, clustered=True, seed=1).to_json(),
    "weights": lambda: instance_json(prior={"S1": 0, "S2": 2.5}),
    "stations called kind and temperature": lambda: instance_json(
        stations={name: {"at": [k, 9], "toolbox": "T1"} for k, name in enumerate(["kind", "temperature"])},
        prior={"kind": 1, "temperature": 0},
    ),
    "parts of the cost": lambda: instance_json(query_cost={"base": 0}),
    "price of choices": lambda: instance_json(query_cost={"per_option": 0.5}),
    "answers": lambda: instance_json(answers={"wrong": 0.1, "errors": "persistent"}),
    "as little as possible": lambda: {
        key: value for key, value in instance_json().items() if key not in ("walls", "prior", "query_cost")
    },
}


@pytest.mark.parametrize("make", FITTING.values(), ids=FITTING)
def test_what_is_read_fits_the_schema(make: Callable[[], dict[str, Any]]) -> None:
    Instance.from_json(make())
    VALIDATOR.validate(make())


S1 = {"at": [7, 2], "toolbox": "T1"}

VISIBLE: dict[str, Any] = {
    "not an object": [],
    "another format": instance_json(format="askwise/tool-fetching@2"),
    "an unknown key": instance_json(note="hello"),
    **{
        f"no {key}": {k: v for k, v in instance_json().items() if k != key}
        for key in ("format", "width", "height", "toolboxes", "stations", "worker", "fetcher")
    },
    "no width at all": instance_json(width=0),
    "too wide": instance_json(width=10_001),
    "a width of fractions": instance_json(width=2.5),
    "a width in words": instance_json(width="20"),
    "a width that is true": instance_json(width=True),
    "a height of null": instance_json(height=None),
    "walls by name": instance_json(walls={"W": [1, 1]}),
    "a wall of one number": instance_json(walls=[[1]]),
    "a wall of three": instance_json(walls=[[1, 2, 3]]),
    "a wall below": instance_json(walls=[[1, -1]]),
    "a wall in words": instance_json(walls=["1,2"]),
    "a wall of truth values": instance_json(walls=[[True, False]]),
    "toolboxes in a list": instance_json(toolboxes=[[2, 3]]),
    "a toolbox without a name": instance_json(toolboxes={"T1": [2, 3], "": [1, 1]}),
    "a toolbox of the wrong kind": instance_json(toolboxes={"T1": {"at": [2, 3]}}),
    "no stations": instance_json(stations={}),
    "a station without a name": instance_json(stations={"": S1}),
    "a station without a place": instance_json(stations={"S1": {"toolbox": "T1"}}),
    "a station without a toolbox": instance_json(stations={"S1": {"at": [7, 2]}}),
    "a station with more": instance_json(stations={"S1": {**S1, "colour": "red"}}),
    "a station that is a cell": instance_json(stations={"S1": [7, 2]}),
    "a toolbox by number": instance_json(stations={"S1": {**S1, "toolbox": 1}}),
    "a worker in words": instance_json(worker="here"),
    "a fetcher of fractions": instance_json(fetcher=[0.5, 0]),
    "a prior in a word": instance_json(prior="fast"),
    "a prior of nothing": instance_json(prior={}),
    "an unknown kind": instance_json(prior={"kind": "farr"}),
    "a kind and more": instance_json(prior={"kind": "far", "S1": 1}),
    "a temperature of 0": instance_json(prior={"kind": "far", "temperature": 0}),
    "a negative temperature": instance_json(prior={"kind": "far", "temperature": -1}),
    "a negative weight": instance_json(prior={"S1": -1, "S2": 1}),
    "a weight in words": instance_json(prior={"S1": "1", "S2": 1}),
    "a cost by number": instance_json(query_cost=0.5),
    "an unknown cost": instance_json(query_cost={"base": 0.5, "each": 1}),
    "a negative cost": instance_json(query_cost={"base": -0.5}),
    "a cost per station in words": instance_json(query_cost={"per_station": "0.1"}),
    "a cost that is true": instance_json(query_cost={"base": True}),
}


@pytest.mark.parametrize("data", VISIBLE.values(), ids=VISIBLE)
def test_faults_that_a_schema_can_see_are_refused_by_both(data: Any) -> None:
    assert not VALIDATOR.is_valid(data)
    with pytest.raises(InputError):
        Instance.from_json(data)


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every entry inside `data`: the object or list that holds it, and its key."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [entry for key, value in list(inside) for entry in [(data, key), *places(value)]]


VALUES = [None, True, 0, -1, 1, 3, 2.5, "", "T1", "far", [], {}, [1, 1], {"at": [1, 1], "toolbox": "T1"}, 10**6]


@settings(max_examples=300)
@given(st.data())
def test_the_schema_refuses_nothing_that_is_read(data: st.DataObject) -> None:
    changed = copy.deepcopy(instance_json())
    for _ in range(data.draw(st.integers(1, 2))):
        holder, key = data.draw(st.sampled_from(places(changed)))
        how = data.draw(st.sampled_from(["replace", "replace", "remove", "rename"]))
        value = holder.pop(key)
        if how != "remove":
            value = copy.deepcopy(data.draw(st.sampled_from(VALUES))) if how == "replace" else value
            if isinstance(holder, list):
                holder.insert(key, value)
            else:
                holder[key if how == "replace" else data.draw(st.sampled_from(["", "S1", "S3", "kind", "walls"]))] = (
                    value
                )
    try:
        Instance.from_json(changed)
    except InputError:
        event("refused by both" if not VALIDATOR.is_valid(changed) else "the schema cannot see it")
    else:
        event("read")
        VALIDATOR.validate(changed)
