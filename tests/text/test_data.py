"""JSON and TOML are parsed strictly and written to be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.text.data import json_text, parse_json, parse_toml, short_json
from tests.refused import Fault, assert_refused, each

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_json_is_parsed(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value


NOT_JSON = "found something that is not JSON"
ONE = "expected one JSON object"
TEXT_FAULTS: dict[str, Fault] = {
    "nothing": (lambda: parse_json(""), f"line 1, column 1: {NOT_JSON} (Expecting value); {ONE}"),
    "second line": (lambda: parse_json('{"a": 1,\n "b": }'), f"line 2, column 7: {NOT_JSON} (Expecting value); {ONE}"),
    "extra": (lambda: parse_json("1 2"), f"line 1, column 3: {NOT_JSON} (Extra data); {ONE}"),
    "duplicate key": (
        lambda: parse_json('{"a": {"b": 1, "b": 1}}'),
        'key "b": found it twice in one object; expected each key once',
    ),
    "long duplicate key": (
        lambda: parse_json(f'{{"{"k" * 100}": 1, "{"k" * 100}": 2}}'),
        f'key "{"k" * 56}...: found it twice in one object; expected each key once',
    ),
    "NaN": (lambda: parse_json("[NaN]"), "file: found NaN; expected finite numbers only"),
    "Infinity": (lambda: parse_json("Infinity"), "file: found Infinity; expected finite numbers only"),
    "-Infinity": (lambda: parse_json("-Infinity"), "file: found -Infinity; expected finite numbers only"),
    "digits": (
        lambda: parse_json("1" * 5000),
        "file: found a number with thousands of digits; expected ordinary numbers",
    ),
    "depth": (
        lambda: parse_json("[" * 10**6),
        "file: found JSON nested too deeply; expected one JSON object as documented",
    ),
    "depth of 101": (
        lambda: parse_json("[" * 101 + "]" * 101),
        "file: found JSON nested too deeply; expected one JSON object as documented",
    ),
    "depth of objects": (
        lambda: parse_json('{"a": [' * 475 + "]}" * 475),
        "file: found JSON nested too deeply; expected one JSON object as documented",
    ),
    "depth of TOML": (
        lambda: parse_toml(".".join(["a"] * 101) + " = 1"),
        "file: found TOML nested too deeply; expected tables as documented",
    ),
}


def test_what_is_nested_a_hundred_deep_is_read() -> None:
    assert parse_json("[" * 100 + "]" * 100)
    assert parse_toml(".".join(["a"] * 100) + " = 1")


@each(TEXT_FAULTS)
def test_faulty_text_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_the_same_key_in_two_objects_is_fine() -> None:
    assert parse_json('[{"a": 1}, {"a": 2}]') == [{"a": 1}, {"a": 2}]


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_json_made_to_be_read_says_the_same(data: dict[str, Any]) -> None:
    assert json.loads(json_text(data)) == data


def test_json_made_to_be_read_has_a_line_for_each_entry() -> None:
    text = json_text({"size": 3, "walls": [[1, 2]], "stations": {"a": {"at": [0, 1]}, "b": {"at": [2, 3]}}})
    assert len(text.splitlines()) == 8


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ("ä", '"ä"'),
        ({"a": [1, 0.5]}, '{"a": [1, 0.5]}'),
        (float("nan"), "NaN"),
        ("x" * 58, f'"{"x" * 58}"'),
        ("x" * 59, f'"{"x" * 56}...'),
        ({1, 2}, '"{1, 2}"'),  # not JSON, but no reason to fail while complaining about it
    ],
)
def test_values_are_quoted_in_short(value: Any, text: str) -> None:
    assert short_json(value) == text
