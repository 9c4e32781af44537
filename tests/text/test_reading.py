"""Reading JSON from people."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.errors import InputError
from askwise.text import reading
from askwise.text.data import json_text, parse_json, parse_toml, short_json
from askwise.text.files import read_stdin, read_text
from askwise.text.reading import Field
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


def field(value: Any, path: str = "here") -> Field:
    return Field(path, value)


# -- files -------------------------------------------------------------------------------------------------------


def test_text_is_read_as_utf_8(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("Straße\n".encode())
    assert read_text(tmp_path / "text") == "Straße\n"
    assert read_text(str(tmp_path / "text")) == "Straße\n"


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    missing, folder, binary = tmp_path / "missing", tmp_path / "folder", tmp_path / "binary"
    folder.mkdir()
    binary.write_bytes(b"\xff\x00")
    readable = "a file that can be read"
    assert_refused(
        lambda: read_text(missing), f"file '{missing}': found no such file or directory; expected {readable}"
    )
    assert_refused(lambda: read_text(folder), f"file '{folder}': found is a directory; expected {readable}")
    assert_refused(
        lambda: read_text(binary), f"file '{binary}': found bytes that are not UTF-8 text; expected a text file"
    )


@pytest.mark.parametrize(("name", "kind"), [("pipe", "a pipe"), ("/dev/zero", "a device"), ("link", "a device")])
def test_what_is_no_file_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("link").symlink_to("/dev/zero")
    assert_refused(lambda: read_text(name), f"file '{name}': found {kind}; expected a file that can be read")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("hole").open("wb") as file:
        file.truncate(2**40)  # no disk holds it, and no memory
    too_large = "found more than 256 MiB; expected at most 256 MiB"
    assert_refused(lambda: read_text("hole"), f"file 'hole': {too_large}")
    monkeypatch.setattr(reading, "LARGEST_FILE", 2 * 2**20)
    Path("large").write_bytes(b" " * 2 * 2**20)
    assert len(read_text("large")) == 2 * 2**20


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "growing").write_bytes(b" " * (2**20 + 1))
    monkeypatch.setattr(reading, "LARGEST_FILE", 2**20)
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result([stat.S_IFREG, *[0] * 9]))
    assert_refused(
        lambda: read_text(tmp_path / "growing"),
        f"file '{tmp_path / 'growing'}': found more than 1 MiB; expected at most 1 MiB",
    )


def test_standard_input_has_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_FILE", 2**20)
    for size, fits in ((2**20, True), (2**20 + 1, False)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * size)))
        if fits:
            assert len(read_stdin()) == size
        else:
            assert_refused(read_stdin, "standard input: found more than 1 MiB; expected at most 1 MiB")


# -- text --------------------------------------------------------------------------------------------------------


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


# -- fields ------------------------------------------------------------------------------------------------------


def test_paths_of_fields() -> None:
    root = Field("", {"a": {"b": [10, 20]}})
    inner = root.child("a").child("b")
    assert (inner.path, inner.value) == ("a.b", [10, 20])
    assert [(element.path, element.value) for element in inner.elements()] == [("a.b[0]", 10), ("a.b[1]", 20)]
    assert [(name, entry.path) for name, entry in root.child("a").items()] == [("b", "a.b")]
    assert root.has("a")
    assert not root.has("b")


def test_fields_that_are_as_they_should_be() -> None:
    assert field({"a": 1, "b": 2}).object(["a"], ["b", "c"]).value == {"a": 1, "b": 2}
    assert field({"a": 1, "b": 2}).object(["a"]).value == {"a": 1, "b": 2}
    assert [field(k).whole(1, 3) for k in (1, 3)] == [1, 3]
    assert [field(x).number() for x in (0, 0.0, 2, 1e308)] == [0.0, 0.0, 2.0, 1e308]
    assert type(field(2).number()) is float
    assert field(0.1).number(above=0) == 0.1
    assert field("").text() == ""
    assert field("b").text(["a", "b"]) == "b"
    assert [field(cell).cell(3, 2) for cell in ([0, 0], [2, 1])] == [(0, 0), (2, 1)]


NAN, INF = float("nan"), float("inf")
CELL = "a cell [x, y] with x from 0 to 2 and y from 0 to 1"
FAULTS: dict[str, Fault] = {
    "list for an object": (lambda: field([]).object(), "here: found []; expected an object, { ... }"),
    "list for an object at the top": (lambda: field([], "").object(), "file: found []; expected an object, { ... }"),
    "missing key": (
        lambda: field({}).object(["a"]),
        "here.a: found nothing; expected this key, which is required",
    ),
    "missing key at the top": (
        lambda: field({}, "").object(["a"]),
        "a: found nothing; expected this key, which is required",
    ),
    "unknown key": (
        lambda: field({"a": 1, "zzz": 2}).object(["a"], ["bee"]),
        'here: found the unknown key "zzz"; expected only a, bee',
    ),
    "misspelt key": (
        lambda: field({"be": 2}, "").object([], ["a", "bee"]),
        "file: found the unknown key \"be\"; expected only a, bee (did you mean 'bee'?)",
    ),
    "empty name": (
        lambda: list(field({"": 1}).items()),
        "here: found an empty name; expected names with at least one character",
    ),
    "names of a list": (lambda: list(field([1]).items()), "here: found [1]; expected an object, { ... }"),
    "elements of an object": (lambda: list(field({}).elements()), "here: found {}; expected a list, [ ... ]"),
    "elements of a string": (lambda: list(field("ab").elements()), 'here: found "ab"; expected a list, [ ... ]'),
    "whole, too small": (lambda: field(0).whole(1, 3), "here: found 0; expected a whole number from 1 to 3"),
    "whole, too large": (lambda: field(4).whole(1, 3), "here: found 4; expected a whole number from 1 to 3"),
    "whole, fraction": (lambda: field(1.0).whole(1, 3), "here: found 1.0; expected a whole number from 1 to 3"),
    "whole, truth value": (lambda: field(True).whole(1, 3), "here: found true; expected a whole number from 1 to 3"),
    "number, negative": (lambda: field(-1).number(), "here: found -1; expected a finite number from 0"),
    "number, nan": (lambda: field(NAN).number(), "here: found NaN; expected a finite number from 0"),
    "number, infinite": (lambda: field(INF).number(), "here: found Infinity; expected a finite number from 0"),
    "number, too large": (
        lambda: field(10**400).number(),
        f"here: found 1{'0' * 56}...; expected a finite number from 0",
    ),
    "number, truth value": (lambda: field(True).number(), "here: found true; expected a finite number from 0"),
    "number, text": (lambda: field("1").number(), 'here: found "1"; expected a finite number from 0'),
    "number, not above": (
        lambda: field(0.5).number(above=0.5),
        "here: found 0.5; expected a finite number above 0.5",
    ),
    "text, number": (lambda: field(1).text(), "here: found 1; expected a string"),
    "text, another": (lambda: field("x").text(["ab", "cd"]), "here: found \"x\"; expected one of 'ab', 'cd'"),
    "text, misspelt": (
        lambda: field("abcde").text(["abcdef", "xyz"]),
        "here: found \"abcde\"; expected one of 'abcdef', 'xyz' (did you mean 'abcdef'?)",
    ),
    "cell, outside": (lambda: field([3, 0]).cell(3, 2), f"here: found [3, 0]; expected {CELL}"),
    "cell, above": (lambda: field([0, 2]).cell(3, 2), f"here: found [0, 2]; expected {CELL}"),
    "cell, negative": (lambda: field([0, -1]).cell(3, 2), f"here: found [0, -1]; expected {CELL}"),
    "cell, truth value": (lambda: field([0, True]).cell(3, 2), f"here: found [0, true]; expected {CELL}"),
    "cell, fraction": (lambda: field([0.0, 1]).cell(3, 2), f"here: found [0.0, 1]; expected {CELL}"),
    "cell, text": (lambda: field("01").cell(3, 2), f'here: found "01"; expected {CELL}'),
    "cell, too long": (lambda: field([0, 0, 0]).cell(3, 2), f"here: found [0, 0, 0]; expected {CELL}"),
    "cell, null": (lambda: field(None).cell(3, 2), f"here: found null; expected {CELL}"),
}


@each(FAULTS)
def test_faulty_field_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_an_error_keeps_its_parts() -> None:
    with pytest.raises(InputError) as caught:
        field("x", "a.b").whole(1, 2)
    error = caught.value
    assert (error.field, error.found, error.expected) == ("a.b", '"x"', "a whole number from 1 to 2")


def test_a_message_quotes_long_values_in_short_and_keeps_their_ends() -> None:
    error = InputError("a" * 10_000, f"{'b' * 10_000} (mine.py, line 3)", "c" * 10_000)
    assert str(error) == (
        f"{'a' * 247} ... {'a' * 247}: found {'b' * 247} ... {'b' * 229} (mine.py, line 3); "
        f"expected {'c' * 997} ... {'c' * 997}"
    )
    assert str(InputError("a" * 500, "b" * 500, "c")) == f"{'a' * 500}: found {'b' * 500}; expected c"
    assert error.field == "a" * 10_000
