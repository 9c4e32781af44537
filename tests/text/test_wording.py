"""Numbers and lists as people read them."""

from __future__ import annotations

import pytest

from askwise.text.wording import columns_of, counted, listed, number, percent, plural


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (0.0, "0 %"),
        (1e-9, "<1 %"),
        (0.005, "<1 %"),
        (0.006, "1 %"),
        (0.5, "50 %"),
        (0.994, "99 %"),
        (0.999999, ">99 %"),
        (1 - 1e-16, "100 %"),
        (1.0, "100 %"),
    ],
)
def test_percent_is_0_or_100_only_where_it_is(probability: float, text: str) -> None:
    assert percent(probability) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1 + 0.2, "0.3"), (12.0, "12"), (-1.5, "-1.5"), (123456.25, "123456.25")]
)
def test_numbers_show_no_binary_noise(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("n", "what", "text"),
    [(0, "wall", "no walls"), (1, "toolbox", "1 toolbox"), (2, "toolbox", "2 toolboxes"), (3, "step", "3 steps")],
)
def test_counted(n: int, what: str, text: str) -> None:
    assert counted(n, what) == text


def test_listed() -> None:
    assert listed(["a", "b", "c"], 3) == "a, b, c"
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"


def test_columns() -> None:
    assert [columns_of(text) for text in ("abc", "日本", "e\u0301")] == [3, 4, 1]


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("goal", "goals"),
        ("toolbox", "toolboxes"),
        ("dish", "dishes"),
        ("bus", "buses"),
        ("bench", "benches"),
        ("city", "cities"),
        ("key", "keys"),
        ("y", "ys"),
    ],
)
def test_several_of_a_kind(one: str, several: str) -> None:
    assert plural(one) == several
