"""Random changes to a valid instance: each is read, or refused by naming the field."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import reduce
from operator import getitem
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from askwise.domains.tool_fetching import Instance
from askwise.errors import InputError
from askwise.text.data import parse_json
from tests.domains.instances import EXAMPLE, instance_json

Path = tuple[str | int, ...]

NUMBERS = [0, 1, -1, 2, 19, 20, 0.5, -0.0, 1e308, 5e-324, 10**40, float("nan"), float("inf")]
WORDS = [
    "",
    "T1",
    "S1",
    "S2",
    "kind",
    "far",
    "near",
    "at",
    "toolbox",
    "walls",
    "askwise/tool-fetching@1",
    "\ud800",
    "\n",
]
values = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.sampled_from(WORDS) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=6,
)


def small_instance() -> dict[str, Any]:
    """Return the example on a smaller map, where random walls may block paths."""
    data = instance_json(width=8, height=9)
    data["walls"] = [[3, 4], [6, 2]]
    return data


def paths(data: Any, here: Path = ()) -> list[Path]:
    """Return the paths of all values in `data` that can be changed."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [here] * bool(here) + [path for key, value in inside for path in paths(value, (*here, key))]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """Draw the instance after one to three changes: values replaced, removed, added, or copied to another key."""
    data = small_instance()
    for _ in range(draw(st.integers(1, 3))):
        choices = paths(data)
        if choices:
            change(draw, data, draw(st.sampled_from(choices)))
    return data


def like(value: Any) -> st.SearchStrategy[Any]:
    """Draw values of the same kind, so that some changed instances can be read."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return values
    if isinstance(value, int):
        return st.integers(-1, 9)
    return st.floats() if isinstance(value, float) else st.sampled_from(WORDS)


def change(draw: st.DrawFn, data: Any, path: Path) -> None:
    last: Any = path[-1]
    parent = reduce(getitem, path[:-1], data)
    how = draw(st.sampled_from(["replace", "replace by its like", "remove", "add", "copy"]))
    if how == "replace":
        parent[last] = draw(values)
    elif how == "replace by its like":
        parent[last] = draw(like(parent[last]))
    elif how == "remove":
        del parent[last]
    elif isinstance(parent, list):
        parent.append(draw(values) if how == "add" else parent[last])
    else:
        parent[draw(st.sampled_from(WORDS) | st.text(max_size=3))] = draw(values) if how == "add" else parent[last]


def read_or_refused(read: Callable[[], Instance]) -> Instance | InputError:
    """Return the instance or the error; any other exception fails the test."""
    try:
        return read()
    except InputError as error:
        return error


def check(result: Instance | InputError) -> None:
    if isinstance(result, InputError):
        event(f"refused: {result.field.partition('.')[0].partition('[')[0]}")
        assert result.field
        assert str(result) == f"{result.field}: found {result.found}; expected {result.expected}"
    else:
        event("read")
        assert result.stations
        assert {station.toolbox for station in result.stations.values()} <= set(result.toolboxes)
        cells = [result.worker, result.fetcher, *(station.at for station in result.stations.values())]
        assert all(result.grid.state(cell) >= 0 for cell in cells)
        assert Instance.from_json(result.to_json()) == result


@settings(max_examples=300)
@given(mutated())
def test_changed_values(data: Any) -> None:
    check(read_or_refused(lambda: Instance.from_json(data)))


@settings(max_examples=200)
@given(st.data())
def test_changed_text(data: st.DataObject) -> None:
    text = json.dumps(small_instance())
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 8)))
    inserted = data.draw(st.text(alphabet='{}[]",:0123456789.eE+-\\ untrfalsSTNI', max_size=6))
    changed = text[:start] + inserted + text[end:]
    check(read_or_refused(lambda: Instance.from_json(parse_json(changed))))


def test_the_small_instance_itself_is_read() -> None:
    assert Instance.from_json(small_instance()).walls == ((3, 4), (6, 2))
    assert json.loads(EXAMPLE)["stations"] == small_instance()["stations"]
