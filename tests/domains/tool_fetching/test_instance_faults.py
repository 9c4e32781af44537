"""Faulty instance files: every message is checked as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askwise.domains.tool_fetching import Instance
from askwise.errors import InputError
from tests.domains.instances import EXAMPLE, instance_json
from tests.refused import Fault, assert_refused, each

NAN, INF = float("nan"), float("inf")
CELL = "a cell [x, y] with x from 0 to 19 and y from 0 to 19"
OBJECT = "an object, { ... }"
SIDE = "a whole number from 1 to 10000"
FROM_0 = "a finite number from 0"
ABOVE_0 = "a finite number above 0"
REQUIRED = "found nothing; expected this key, which is required"
KEYS = "format, width, height, toolboxes, stations, worker, fetcher, walls, prior, query_cost, answers"
KINDS = "one of 'uniform', 'far', 'near', 'fetcher-far', 'fetcher-near'"
S1 = {"at": [7, 2], "toolbox": "T1"}
S2 = {"at": [7, 8], "toolbox": "T1"}


def given(**changes: Any) -> Callable[[], Instance]:
    return lambda: Instance.from_json(instance_json(**changes))


def lacking(key: str) -> Callable[[], Instance]:
    return lambda: Instance.from_json({k: v for k, v in instance_json().items() if k != key})


def station(**changes: Any) -> Callable[[], Instance]:
    return given(stations={"S1": {**S1, **changes}, "S2": S2})


def prior(value: Any) -> Callable[[], Instance]:
    return given(prior=value)


def cost(value: Any) -> Callable[[], Instance]:
    return given(query_cost=value)


FORMAT_FAULTS: dict[str, Fault] = {
    "not an object": (lambda: Instance.from_json([1]), f"file: found [1]; expected {OBJECT}"),
    "null": (lambda: Instance.from_json(None), f"file: found null; expected {OBJECT}"),
    "empty object": (lambda: Instance.from_json({}), f"format: {REQUIRED}"),
    "next version": (
        # The keys of the next version are unknown to this one; that is not what the user should hear.
        lambda: Instance.from_json({"format": "askwise/tool-fetching@2", "floor": []}),
        "format: found \"askwise/tool-fetching@2\"; expected one of 'askwise/tool-fetching@1' "
        "(did you mean 'askwise/tool-fetching@1'?)",
    ),
    "another format": (given(format="pddl"), "format: found \"pddl\"; expected one of 'askwise/tool-fetching@1'"),
    "format that is a number": (given(format=1), "format: found 1; expected one of 'askwise/tool-fetching@1'"),
    "unknown key": (given(note="hello"), f'file: found the unknown key "note"; expected only {KEYS}'),
    "misspelt key": (
        given(wals=[]),
        f"file: found the unknown key \"wals\"; expected only {KEYS} (did you mean 'walls'?)",
    ),
    **{
        f"no {key}": (lacking(key), f"{key}: {REQUIRED}")
        for key in ("format", "width", "height", "toolboxes", "stations", "worker", "fetcher")
    },
}

MAP_FAULTS: dict[str, Fault] = {
    **{
        f"width {value}": (given(width=value), f"width: found {shown}; expected {SIDE}")
        for value, shown in [(0, "0"), (-3, "-3"), (10_001, "10001"), (20.0, "20.0"), (True, "true"), ("20", '"20"')]
    },
    "height null": (given(height=None), f"height: found null; expected {SIDE}"),
    "height of a thousand digits": (
        given(height=10**1000),
        f"height: found 1{'0' * 56}...; expected {SIDE}",
    ),
    "walls null": (given(walls=None), "walls: found null; expected a list, [ ... ]"),
    "walls by name": (given(walls={"W1": [1, 1]}), 'walls: found {"W1": [1, 1]}; expected a list, [ ... ]'),
    "name of 4,000 letters": (
        given(stations={"S" * 4000: S1}),
        f'stations: found a name of 4000 characters, "{"S" * 56}...; expected at most 200',
    ),
    "toolbox of 201 letters": (
        given(toolboxes={"T" * 201: [2, 3]}),
        f'toolboxes: found a name of 201 characters, "{"T" * 56}...; expected at most 200',
    ),
    "half a character": (
        given(stations={"\ud800": S1}),
        "stations: found '\\ud800', which contains a lone surrogate; expected valid Unicode",
    ),
    "price that adds up to infinity": (
        given(query_cost={"base": 1.7e308}),
        "query_cost.base: found 1.7e+308; expected at most 1e+12",
    ),
    "price for a station that does": (
        given(query_cost={"per_station": 1e13}),
        "query_cost.per_station: found 10000000000000.0; expected at most 1e+12",
    ),
    "wall outside": (given(walls=[[0, 0], [3, 20]]), f"walls[1]: found [3, 20]; expected {CELL}"),
    "wall below": (given(walls=[[-1, 0]]), f"walls[0]: found [-1, 0]; expected {CELL}"),
    "wall in text": (given(walls=["3,4"]), f'walls[0]: found "3,4"; expected {CELL}'),
    "wall of one number": (given(walls=[[3]]), f"walls[0]: found [3]; expected {CELL}"),
    "wall of three": (given(walls=[[3, 4, 5]]), f"walls[0]: found [3, 4, 5]; expected {CELL}"),
    "wall of truth values": (given(walls=[[True, False]]), f"walls[0]: found [true, false]; expected {CELL}"),
    "wall of fractions": (given(walls=[[1.0, 2]]), f"walls[0]: found [1.0, 2]; expected {CELL}"),
    "wall null": (given(walls=[None]), f"walls[0]: found null; expected {CELL}"),
    "walls everywhere": (
        given(width=2, height=1, walls=[[0, 0], [1, 0]]),
        "walls: found a wall in every cell; expected at least one free cell",
    ),
    "worker outside": (given(worker=[20, 0]), f"worker: found [20, 0]; expected {CELL}"),
    "worker in a wall": (given(worker=[3, 4]), "worker: found [3, 4], which is a wall; expected a free cell"),
    "worker in words": (given(worker="here"), f'worker: found "here"; expected {CELL}'),
    "fetcher in a wall": (given(fetcher=[3, 4]), "fetcher: found [3, 4], which is a wall; expected a free cell"),
    "fetcher of huge numbers": (
        given(fetcher=[10**400, 0]),
        f"fetcher: found [1{'0' * 55}...; expected {CELL}",
    ),
}

TOOLBOX_FAULTS: dict[str, Fault] = {
    "list": (given(toolboxes=[[2, 3]]), f"toolboxes: found [[2, 3]]; expected {OBJECT}"),
    "empty name": (
        given(toolboxes={"": [2, 3]}),
        "toolboxes: found an empty name; expected names with at least one character",
    ),
    "outside": (given(toolboxes={"T1": [2, 30]}), f"toolboxes.T1: found [2, 30]; expected {CELL}"),
    "object": (given(toolboxes={"T1": {"at": [2, 3]}}), f'toolboxes.T1: found {{"at": [2, 3]}}; expected {CELL}'),
    "in a wall": (
        given(toolboxes={"T1": [3, 4]}),
        "toolboxes.T1: found [3, 4], which is a wall; expected a free cell",
    ),
    "two on one cell": (
        given(toolboxes={"T1": [2, 3], "T2": [1, 3], "T3": [2, 3]}),
        'toolboxes.T3: found [2, 3], the cell of toolbox "T1" already; expected a cell that no other toolbox has',
    ),
}

STATION_FAULTS: dict[str, Fault] = {
    "list": (given(stations=[S1]), f'stations: found [{{"at": [7, 2], "toolbox": "T1"}}]; expected {OBJECT}'),
    "none": (given(stations={}), "stations: found {}; expected at least one station"),
    "empty name": (
        given(stations={"": S1}),
        "stations: found an empty name; expected names with at least one character",
    ),
    "cell only": (given(stations={"S1": [7, 2]}), f"stations.S1: found [7, 2]; expected {OBJECT}"),
    "no cell": (given(stations={"S1": {"toolbox": "T1"}}), f"stations.S1.at: {REQUIRED}"),
    "no toolbox": (given(stations={"S1": {"at": [7, 2]}}), f"stations.S1.toolbox: {REQUIRED}"),
    "unknown key": (
        station(toolbx="T1"),
        "stations.S1: found the unknown key \"toolbx\"; expected only at, toolbox (did you mean 'toolbox'?)",
    ),
    "outside": (station(at=[7, -2]), f"stations.S1.at: found [7, -2]; expected {CELL}"),
    "in a wall": (station(at=[3, 4]), "stations.S1.at: found [3, 4], which is a wall; expected a free cell"),
    "two on one cell": (
        station(at=[7, 8]),
        'stations.S2.at: found [7, 8], a target of goal "S1" already; '
        "expected a target that no other goal has: the place where the teammate stays reveals its goal",
    ),
    "unknown toolbox": (station(toolbox="shed"), "stations.S1.toolbox: found \"shed\"; expected one of 'T1'"),
    "misspelt toolbox": (
        given(toolboxes={"garage": [2, 3], "cellar": [1, 3]}, stations={"S1": {"at": [7, 2], "toolbox": "celar"}}),
        "stations.S1.toolbox: found \"celar\"; expected one of 'garage', 'cellar' (did you mean 'cellar'?)",
    ),
    "toolbox of another type": (station(toolbox=1), "stations.S1.toolbox: found 1; expected one of 'T1'"),
    "toolbox null": (station(toolbox=None), "stations.S1.toolbox: found null; expected one of 'T1'"),
    "toolbox that is a list": (station(toolbox=["T1"]), "stations.S1.toolbox: found [\"T1\"]; expected one of 'T1'"),
}

POCKET = [[0, 1], [1, 0], [1, 1]]
REACH_FAULTS: dict[str, Fault] = {
    "station nobody can reach": (
        given(walls=POCKET, stations={"S1": S1, "S2": {"at": [0, 0], "toolbox": "T1"}}),
        "stations.S2.at: found no way to it from [5, 0]; expected a goal that can be reached",
    ),
    "worker in a pocket": (
        given(walls=POCKET, worker=[0, 0]),
        "stations.S1.at: found no way to it from [0, 0]; expected a goal that can be reached",
    ),
    "toolbox in a pocket": (
        given(walls=POCKET, toolboxes={"T1": [0, 0]}),
        "toolboxes.T1: found no way to it from [5, 0]; expected a toolbox that can be reached",
    ),
    "fetcher in a pocket": (
        given(walls=POCKET, fetcher=[0, 0]),
        "fetcher: found no way to any station from [0, 0]; expected a cell with a way to them",
    ),
}

PRIOR_FAULTS: dict[str, Fault] = {
    "null": (prior(None), f"prior: found null; expected {OBJECT}"),
    "list": (prior([1, 2]), f"prior: found [1, 2]; expected {OBJECT}"),
    "unknown kind": (prior({"kind": "middle"}), f'prior.kind: found "middle"; expected {KINDS}'),
    "misspelt kind": (
        prior({"kind": "fetcher_far"}),
        f"prior.kind: found \"fetcher_far\"; expected {KINDS} (did you mean 'fetcher-far'?)",
    ),
    "kind that only the package uses": (prior({"kind": "weights"}), f'prior.kind: found "weights"; expected {KINDS}'),
    "unknown key": (
        prior({"kind": "far", "temprature": 2}),
        "prior: found the unknown key \"temprature\"; expected only kind, temperature (did you mean 'temperature'?)",
    ),
    **{
        f"temperature {value}": (
            prior({"kind": "far", "temperature": value}),
            f"prior.temperature: found {shown}; expected {ABOVE_0}",
        )
        for value, shown in [
            (0, "0"),
            (-1, "-1"),
            (NAN, "NaN"),
            (INF, "Infinity"),
            (True, "true"),
            ("1", '"1"'),
            (None, "null"),
            (10**400, f"1{'0' * 56}..."),
        ]
    },
    "weight missing": (prior({"S1": 1}), f"prior.S2: {REQUIRED}"),
    "weights empty": (prior({}), f"prior.S1: {REQUIRED}"),
    "weight of an unknown station": (
        prior({"S1": 1, "S2": 1, "Z": 1}),
        'prior: found the unknown key "Z"; expected only S1, S2',
    ),
    "weights all zero": (
        prior({"S1": 0, "S2": 0.0}),
        "prior: found weights that are all 0; expected at least one weight above 0",
    ),
    **{
        f"weight {value}": (prior({"S1": 1, "S2": value}), f"prior.S2: found {shown}; expected {FROM_0}")
        for value, shown in [
            (-0.5, "-0.5"),
            (NAN, "NaN"),
            (INF, "Infinity"),
            (False, "false"),
            ("1", '"1"'),
            (None, "null"),
            ([1], "[1]"),
            (10**400, f"1{'0' * 56}..."),
        ]
    },
}

COST_FAULTS: dict[str, Fault] = {
    "number": (cost(0.5), f"query_cost: found 0.5; expected {OBJECT}"),
    "unknown key": (
        cost({"per_goal": 1}),
        'query_cost: found the unknown key "per_goal"; expected only base, per_station, per_option',
    ),
    "misspelt key": (
        cost({"per_stations": 1}),
        'query_cost: found the unknown key "per_stations"; expected only base, per_station, per_option '
        "(did you mean 'per_station'?)",
    ),
    "negative": (cost({"base": -1e-9}), f"query_cost.base: found -1e-09; expected {FROM_0}"),
    "not a number": (cost({"base": NAN}), f"query_cost.base: found NaN; expected {FROM_0}"),
    "infinite": (cost({"per_station": INF}), f"query_cost.per_station: found Infinity; expected {FROM_0}"),
    "minus infinity": (cost({"per_station": -INF}), f"query_cost.per_station: found -Infinity; expected {FROM_0}"),
    "truth value": (cost({"base": True}), f"query_cost.base: found true; expected {FROM_0}"),
    "text": (cost({"base": "0.5"}), f'query_cost.base: found "0.5"; expected {FROM_0}'),
    "huge": (cost({"base": 10**400}), f"query_cost.base: found 1{'0' * 56}...; expected {FROM_0}"),
}

FAULTS = {
    f"{part}: {name}": fault
    for part, faults in {
        "format": FORMAT_FAULTS,
        "map": MAP_FAULTS,
        "toolboxes": TOOLBOX_FAULTS,
        "stations": STATION_FAULTS,
        "reach": REACH_FAULTS,
        "prior": PRIOR_FAULTS,
        "cost": COST_FAULTS,
    }.items()
    for name, fault in faults.items()
}


@each(FAULTS)
def test_faulty_instance_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def replaced(old: str, new: str) -> str:
    assert EXAMPLE.count(old) == 1
    return EXAMPLE.replace(old, new)


NO_JSON = (
    "file PATH: found text that is not JSON; expected an instance file, askwise/tool-fetching@1 "
    "(askwise generate makes one)"
)

TEXT_FAULTS = {
    "duplicate key": (
        replaced('"worker"', '"width"'),
        'key "width": found it twice in one object; expected each key once',
    ),
    "duplicate station": (replaced('"S2"', '"S1"'), 'key "S1": found it twice in one object; expected each key once'),
    "NaN": (replaced('"base": 0.5', '"base": NaN'), "file: found NaN; expected finite numbers only"),
    "infinity": (
        replaced('"temperature": 1.0', '"temperature": -Infinity'),
        "file: found -Infinity; expected finite numbers only",
    ),
    "number too large for a double": (
        replaced('"base": 0.5', '"base": 1e400'),
        f"query_cost.base: found Infinity; expected {FROM_0}",
    ),
    "thousands of digits": (
        replaced('"width": 20', f'"width": {"9" * 5000}'),
        "file: found a number with thousands of digits; expected ordinary numbers",
    ),
    "nested without end": (
        replaced("[[3, 4]]", "[" * 100_000),
        "file: found JSON nested too deeply; expected one JSON object as documented",
    ),
    "nested objects without end": (
        '{"a":' * 100_000,
        "file: found JSON nested too deeply; expected one JSON object as documented",
    ),
    "cut off": (
        EXAMPLE[: EXAMPLE.index("\n")],
        f"line 1, column {EXAMPLE.index(chr(10)) + 1}: found something that is not JSON "
        "(Expecting property name enclosed in double quotes); expected one JSON object",
    ),
    "two objects": (
        EXAMPLE + "{}",
        "line 7, column 1: found something that is not JSON (Extra data); expected one JSON object",
    ),
    "comment": (
        "// walls\n" + EXAMPLE,
        NO_JSON,
    ),
    "empty": ("", NO_JSON.replace("text that is not JSON", "nothing in it")),
}


@pytest.mark.parametrize(("text", "message"), TEXT_FAULTS.values(), ids=TEXT_FAULTS)
def test_faulty_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "instance.json"
    path.write_text(text)
    assert_refused(lambda: Instance.load(path), message.replace("PATH", repr(str(path))))


@pytest.mark.parametrize("around", [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
def test_what_can_just_be_read_can_also_be_quoted(tmp_path: Path, around: tuple[str, str]) -> None:
    # Python's reader and writer of JSON both recurse, and the writer gives up a little earlier.
    path = tmp_path / "instance.json"
    for depth in range(800, 1200):
        path.write_text(replaced("[[3, 4]]", around[0] * depth + "1" + around[1] * depth))
        with pytest.raises(InputError) as caught:
            Instance.load(path)
        assert caught.value.field in ("walls", "walls[0]", "file")


def test_no_toolboxes_at_all() -> None:
    with pytest.raises(InputError) as caught:
        given(toolboxes={})()
    assert caught.value.field in ("toolboxes", "stations.S1.toolbox")
    assert caught.value.expected.strip() == caught.value.expected, "it ends in a list of nothing"


@pytest.mark.parametrize("value", [{"kind": 5}, {"kind": None}, {"kind": ["far"]}])
def test_a_kind_of_the_wrong_type_is_named(value: Any) -> None:
    with pytest.raises(InputError) as caught:
        prior(value)()
    assert caught.value.field == "prior.kind"


def test_a_file_name_that_no_system_takes() -> None:
    with pytest.raises(InputError):
        Instance.load("a\0b")


def test_complaints_stay_short_whatever_the_names() -> None:
    for changes in (
        {"stations": {"S" * 5000: {"at": [99, 99], "toolbox": "T1"}}},
        {"toolboxes": {f"toolbox {k}": [k % 20, k // 20] for k in range(300)}},
    ):
        with pytest.raises(InputError) as caught:
            Instance.from_json(instance_json(**changes))
        assert len(str(caught.value)) < 1000


def test_numbers_of_python_that_json_cannot_have() -> None:
    with pytest.raises(InputError) as caught:
        given(width=10**5000)()
    assert caught.value.field == "width"


def test_the_example_is_read_if_nothing_is_changed() -> None:
    assert Instance.from_json(json.loads(EXAMPLE)) == given()()
