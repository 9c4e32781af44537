"""Thousands of malformed instance files: each is read, or refused by naming a field.

The changes come from `random.Random` with fixed seeds: equal in every run, and faster than drawing them with
hypothesis.
"""

from __future__ import annotations

import copy
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from askwise.core.problem import optimal_costs
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.errors import InputError
from askwise.text.data import parse_json
from tests.domains.instances import EXAMPLE, instance_json

FIELDS = re.compile(
    r"file( '.*')?|format|width|height|(walls|toolboxes|stations|worker|fetcher|prior|query_cost)([.\[].*)?"
    r"|line \d+, column \d+|key \".*",
    re.DOTALL,
)


def small() -> dict[str, Any]:
    """Return a valid instance in which a random wall may block a path."""
    return instance_json(width=8, height=9, walls=[[3, 4], [6, 2]])


def read_or_refused(attempt: Callable[[], Instance]) -> str:
    """Return the refused field, or an empty string; any other exception fails the test."""
    try:
        instance = attempt()
    except InputError as error:
        refused = error
    else:
        assert_playable(instance)
        return ""
    assert FIELDS.fullmatch(refused.field), refused
    assert str(refused) == f"{refused.field}: found {refused.found}; expected {refused.expected}"
    return refused.field


def assert_playable(instance: Instance) -> None:
    for cells in ([station.at for station in instance.stations.values()], list(instance.toolboxes.values())):
        assert len(set(cells)) == len(cells)
    problem = ToolFetching(instance)
    assert (optimal_costs(problem, problem.start) >= 1).all()
    assert problem.prior.sum() == pytest.approx(1)


# -- changed values ----------------------------------------------------------------------------------------------

STRANGE: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    8,
    2**31,
    2**63,
    -(2**64),
    10**30,
    10**400,
    0.0,
    -0.0,
    0.5,
    7.0,
    1e308,
    -1e308,
    5e-324,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    " ",
    "T1",
    "S1",
    "far",
    "null",
    "7",
    "\x00",
    "\ud800",
    "x" * 10_000,
    [],
    [[]],
    [0],
    [0, 0],
    [7, 8],
    [8, 9],
    [0, 0, 0],
    [[0, 0]],
    ["0", "0"],
    [True, False],
    [0.0, 1.0],
    [2**70, 0],
    [-1, 0],
    {},
    {"at": [0, 0], "toolbox": "T1"},
    {"at": [0, 0], "toolbox": "T9"},
    {"S1": 1, "S2": 1},
    {"S1": 0, "S2": 0},
    {"kind": "near"},
    {"kind": "near", "temperature": 0},
    {"T1": [0, 0]},
    {"": [0, 0]},
    {"base": 0},
]
KEYS = [
    "",
    "S1",
    "S2",
    "S3",
    "T1",
    "T2",
    "kind",
    "at",
    "toolbox",
    "base",
    "walls",
    "format",
    "width",
    "x" * 5000,
    "\ud800",
]


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over all entries inside `data`: the container and the key."""
    inside = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    for key, value in inside:
        yield data, key
        yield from places(value)


def mutate(data: Any, rng: random.Random) -> None:
    """Change one entry: replace, remove, double, rename it, or put a copy of another one there."""
    entries = list(places(data))
    holder, key = rng.choice(entries)
    how = rng.choice(["replace", "replace", "replace", "remove", "rename", "swap", "add"])
    if how == "replace":
        holder[key] = copy.deepcopy(rng.choice(STRANGE))
    elif how == "swap":
        other, place = rng.choice(entries)
        holder[key] = copy.deepcopy(other[place])
    elif isinstance(holder, list):
        holder[:] = (
            holder[:key] + holder[key + 1 :] if how == "remove" else [*holder, copy.deepcopy(rng.choice(STRANGE))]
        )
    elif how == "add":
        holder[rng.choice(KEYS)] = copy.deepcopy(rng.choice(STRANGE))
    else:
        value = holder.pop(key)
        if how == "rename":
            holder[rng.choice(KEYS)] = value


def test_changed_values() -> None:
    rng = random.Random(1)
    found: dict[str, int] = {}
    for _ in range(4000):
        data = small()
        for _ in range(rng.randint(1, 4)):
            mutate(data, rng)
            if not data:
                break
        refused = read_or_refused(lambda data=data: Instance.from_json(data))  # type: ignore[misc]
        part = re.split(r"[.\[]", refused)[0]
        found[part] = found.get(part, 0) + 1
    # The changes reach every part of the file, and some do no harm.
    parts = {"file", "format", "width", "height", "walls", "toolboxes", "stations", "worker", "fetcher", "prior"}
    assert set(found) == {"", *parts, "query_cost"}
    assert found[""] > 100


def test_every_entry_replaced_by_every_strange_value() -> None:
    n_places = len(list(places(small())))
    for k in range(n_places):
        for value in STRANGE:
            data = small()
            holder, key = list(places(data))[k]
            holder[key] = copy.deepcopy(value)
            read_or_refused(lambda data=data: Instance.from_json(data))  # type: ignore[misc]


@pytest.mark.parametrize("value", STRANGE, ids=lambda value: repr(value)[:30])
def test_a_strange_value_instead_of_everything(value: Any) -> None:
    assert read_or_refused(lambda: Instance.from_json(value))


# -- changed text ------------------------------------------------------------------------------------------------


@pytest.fixture
def load(tmp_path: Path) -> Callable[[bytes | str], str]:
    """Write a file, then read it as an instance."""
    path = tmp_path / "instance.json"

    def write_and_load(content: bytes | str) -> str:
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return read_or_refused(lambda: Instance.load(path))

    return write_and_load


def test_changed_bytes(load: Callable[[bytes | str], str]) -> None:
    rng = random.Random(2)
    original = json.dumps(small()).encode()
    for _ in range(2000):
        content = bytearray(original)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(content))
            how = rng.choice(["replace", "remove", "insert", "any byte", "double"])
            if how == "remove":
                del content[at : at + rng.randint(1, 8)]
            elif how == "double":
                content[at:at] = content[at : at + rng.randint(1, 30)]
            elif how == "any byte":
                content[at] = rng.randrange(256)
            else:
                token = rng.choice(
                    [b'"', b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b"e9", b"null", b"\\u", b"NaN"]
                )
                content[at : at + (how == "replace")] = token
        load(bytes(content))


def test_files_cut_off_anywhere(load: Callable[[bytes | str], str]) -> None:
    whole = EXAMPLE.rstrip()
    assert load(whole) == ""
    for end in range(len(whole)):
        assert load(whole[:end])


def test_files_with_something_before_or_after(load: Callable[[bytes | str], str]) -> None:
    for junk in ["{", "}", "0", '"', "null", "//", EXAMPLE, "\x00", "[" * 9]:
        assert load(junk + EXAMPLE)
        assert load(EXAMPLE + junk)


def test_every_key_twice(load: Callable[[bytes | str], str]) -> None:
    keys = re.findall(r'"(\w+)":', EXAMPLE)
    assert len(keys) == 21
    for number in range(len(keys)):
        count = iter(range(len(keys)))
        doubled = re.sub(
            r'"(\w+)":',
            lambda match: f'"{match[1]}": 0, {match[0]}' if next(count) == number else match[0],  # noqa: B023
            EXAMPLE,
        )
        assert load(doubled) == f'key "{keys[number]}"'


@pytest.mark.parametrize("depth", [2, 50, 500, 900, 980, 1000, 5000, 100_000])
@pytest.mark.parametrize("around", [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")], ids=["lists", "objects", "both"])
def test_deep_nesting(load: Callable[[bytes | str], str], depth: int, around: tuple[str, str]) -> None:
    nested = around[0] * depth + "0" + around[1] * depth
    for place in ["[[3, 4]]", "[2, 3]", "[7, 2]", "[5, 0]", '"far"', "1.0", "0.5", "20,", '"T1"}']:
        assert EXAMPLE.count(place) >= 1
        ending = place[-1] if place[-1] in ",}" else ""
        assert load(EXAMPLE.replace(place, nested + ending, 1))
    assert load(nested)
    assert load(around[0] * depth)


# -- a lot of it -------------------------------------------------------------------------------------------------

MANY = 10 * 2**20


def tail(start: str, repeated: str, end: str = "") -> Callable[[], bytes]:
    """About 10 MB: `repeated` between two parts of the example."""
    return lambda: start.encode() + repeated.encode() * (MANY // len(repeated.encode())) + end.encode()


BEFORE_WALLS, AFTER_WALLS = EXAMPLE.split("[[3, 4]]")
BEFORE_WIDTH, AFTER_WIDTH = EXAMPLE.split("20", 1)

JUNK: dict[str, Callable[[], bytes]] = {
    "random bytes": lambda: random.Random(3).randbytes(MANY),
    "zeros": lambda: bytes(MANY),
    "random letters": lambda: bytes(random.Random(4).choices(b' {}[]",:0123456789.eE+-abc\n\\', k=MANY // 4)) * 4,
    "open brackets": tail("", "["),
    "open objects": tail("", '{"a":'),
    "spaces": tail("", " "),
    "lines": tail("", "\n"),
    "one number": tail("", "9"),
    "one fraction": tail("0.", "9"),
    "one exponent": tail("1e", "9"),
    "one string": tail('"', "a", '"'),
    "a string without end": tail('"', "a"),
    "escapes": tail('"', "\\u0041", '"'),
    "a list of numbers": tail("[0", ",0", "]"),
    "one key": tail('{"', "a", '":0}'),
    "many keys": lambda: ("{" + ",".join(f'"{k}":0' for k in range(MANY // 12)) + "}").encode(),
    "the same key": tail('{"a":0', ',"a":0', "}"),
    "a width of digits": tail(BEFORE_WIDTH, "9", AFTER_WIDTH),
    "a name of the worker": tail(EXAMPLE.replace("[5, 0]", '"', 1).split('"worker": "')[0] + '"worker": "', "a", '"}'),
    "walls outside": tail(BEFORE_WALLS + "[[0,0]", ",[0,                  0]", ",[20,20]]" + AFTER_WALLS),
    "walls in words": tail(BEFORE_WALLS + '["', "a", '"]' + AFTER_WALLS),
    "an unknown key": tail('{"format": "askwise/tool-fetching@1", "', "walls", '": 0}'),
    "another format": tail('{"format": "', "askwise/tool-fetching@1", '"}'),
}


@pytest.mark.parametrize("make", JUNK.values(), ids=JUNK)
def test_ten_megabytes_of_junk(load: Callable[[bytes | str], str], make: Callable[[], bytes]) -> None:
    content = make()
    assert len(content) > 9 * 10**6
    assert load(content)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
from askwise.domains.tool_fetching import Instance
from askwise.errors import InputError
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
try:
    Instance.load(sys.argv[1])
except InputError as error:
    assert len(str(error)) < 10_000
"""


def alike(rng: random.Random) -> str:
    """Return a long name of many different letters; two of them are expensive to compare."""
    return "".join(chr(0x4E00 + rng.randrange(250)) for _ in range(300_000))


def hard_to_compare() -> dict[str, Any]:
    rng = random.Random(5)
    stations = {"S1": {"at": [7, 2], "toolbox": alike(rng)}}
    return instance_json(toolboxes={alike(rng): [2, 3]}, stations=stations, prior={"S1": 1})


SLOW: dict[str, Callable[[], dict[str, Any]]] = {
    "names that are hard to compare": hard_to_compare,
    "the largest map, in a file of a few lines": lambda: instance_json(width=10_000, height=10_000),
    "many stations of an unknown toolbox": lambda: instance_json(
        width=300,
        walls=[],
        height=300,
        toolboxes={f"T{k}": [k % 300, k // 300] for k in range(90_000)},
        stations={"S1": {"at": [0, 0], "toolbox": "T"}},
        prior={"S1": 1},
    ),
}


@pytest.mark.parametrize("make", SLOW.values(), ids=SLOW)
def test_no_file_takes_all_time_or_memory(tmp_path: Path, make: Callable[[], dict[str, Any]]) -> None:
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(make()))
    run = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-500:] or "it took more than 10 s"


def test_what_the_changes_start_from_is_read() -> None:
    assert read_or_refused(lambda: Instance.from_json(small())) == ""
    assert read_or_refused(lambda: Instance.from_json(parse_json(EXAMPLE))) == ""
