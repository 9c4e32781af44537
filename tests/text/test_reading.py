"""Checked values name the field, what was found and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from askwise.errors import InputError
from askwise.text.reading import Field
from tests.refused import Fault, assert_refused, each


def field(value: Any, path: str = "here") -> Field:
    return Field(path, value)


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
    "text, a part": (
        lambda: field("pills").text(["pills for Ada", "sheets"]),
        "here: found \"pills\"; expected one of 'pills for Ada', 'sheets' (did you mean 'pills for Ada'?)",
    ),
    "text, a part of two": (
        lambda: field("room").text(["the dining room", "the living room"]),
        "here: found \"room\"; expected one of 'the dining room', 'the living room'",
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
