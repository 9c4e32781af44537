"""Coverage files: what they state, and what is refused."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askwise.core.questions import AnyPrice, QueryCost
from askwise.domains import registry
from askwise.domains.coverage import Coverage
from askwise.domains.stated.coverage_file import CoverageFile
from askwise.model import Drawing
from tests.refused import Fault, assert_refused, each

DATA: dict[str, Any] = {
    "format": "askwise/coverage@1",
    "name": "rooms",
    "map": ["A.#B", "W..F", "C..."],
    "weights": {"A": 2},
    "prices": {"C": 0.25},
    "query_cost": {"base": 0.3, "per_goal": 0.1, "per_option": 0.2},
}


def rooms(**changes: Any) -> dict[str, Any]:
    data = {**copy.deepcopy(DATA), **changes}
    return {key: value for key, value in data.items() if value is not None}


def read(data: Any) -> CoverageFile:
    return CoverageFile.from_json(data)


def test_what_is_stated() -> None:
    file = read(DATA)
    assert file.prior.tolist() == [0.5, 0.25, 0.25]
    assert file.query_cost == QueryCost(0.3, 0.1, (0.1, 0.1, 0.25), 0.2)
    assert file.prices == QueryCost(0.3, 0.1, per_option=0.2)
    problem = file.problem()
    assert isinstance(problem, Coverage)
    assert problem.goals == ("A", "B", "C")
    assert problem.prior.tolist() == file.prior.tolist()
    assert problem.ego.targets(0).size == 2, "any other goal"
    assert problem == read(DATA).problem()
    assert problem != read(rooms(name="other")).problem()
    assert registry.words_of(file) == registry.words_of(problem)
    assert registry.words_of(problem).title == "rooms"
    assert registry.words_of(Coverage("A.\nWF\n.B")).title == "Coverage"


def test_little_is_needed(tmp_path: Path) -> None:
    (tmp_path / "rooms.toml").write_text('format = "askwise/coverage@1"\nmap = """\nA.W\nF.B\n"""\n')
    file = CoverageFile.load(tmp_path / "rooms.toml")
    assert file == registry.read_file(tmp_path / "rooms.toml")
    assert (file.weights, file.prior.tolist(), file.query_cost) == (None, [0.5, 0.5], QueryCost())
    assert file.to_json() == {"format": "askwise/coverage@1", "map": "A.W\nF.B\n"}


FAULTS: dict[str, Fault] = {
    "another version": (
        lambda: read({"format": "askwise/coverage@2"}),
        'format: found "askwise/coverage@2"; '
        "expected one of 'askwise/coverage@1' (did you mean 'askwise/coverage@1'?)",
    ),
    "no map": (lambda: read(rooms(map=None)), "map: found nothing; expected this key, which is required"),
    "unknown key": (
        lambda: read(rooms(prior={})),
        'file: found the unknown key "prior"; expected only format, map, name, weights, prices, query_cost, answers',
    ),
    "ragged": (
        lambda: read(rooms(map=["A.#B", "W.F"])),
        "map, line 2: found 3 cells; expected 4, as in line 1 (every line has the same length)",
    ),
    "a sign": (
        lambda: read(rooms(map=["A.?B", "W..F"])),
        "map, line 1, column 3: found '?'; expected '#' (wall), '.' (free), 'W' (teammate), 'F' (ego agent), "
        "or another letter or digit (a goal)",
    ),
    "walls only": (lambda: read(rooms(map="##")), "map: found a wall in every cell; expected at least one free cell"),
    "two teammates": (
        lambda: read(rooms(map="WWFAB")),
        "map: found 'W' at (0, 0) and at (1, 0); expected it at most once",
    ),
    "one goal": (
        lambda: read(rooms(map="WFA")),
        "map: found 1 goals; expected at least two, so that there is another one to cover",
    ),
    "no teammate": (lambda: read(rooms(map="ABF")), "map: found no W (the teammate); expected both W and F"),
    "no ego": (lambda: read(rooms(map="ABW")), "map: found no F (the ego agent); expected both W and F"),
    "out of the teammate's reach": (
        lambda: read(rooms(map="AWF#B")),
        "map: goal 'B': found no way to it from [1, 0]; expected a goal that can be reached",
    ),
    "out of the ego agent's reach": (
        lambda: read(rooms(map="AWB#F")),
        "map: goal 'A': found no way to it from [4, 0]; expected a goal that can be reached",
    ),
    "weight of nobody": (
        lambda: read(rooms(weights={"D": 1})),
        'weights: found the unknown key "D"; expected only A, B, C',
    ),
    "negative weight": (
        lambda: read(rooms(weights={"A": -1})),
        "weights.A: found -1; expected a finite number from 0",
    ),
    "no weight": (
        lambda: read(rooms(weights={"A": 0, "B": 0, "C": 0})),
        "weights: found weights that are all 0; expected at least one weight above 0",
    ),
    "price": (lambda: read(rooms(prices={"A": "x"})), 'prices.A: found "x"; expected a finite number from 0'),
    "base": (
        lambda: read(rooms(query_cost={"base": -1})),
        "query_cost.base: found -1; expected a finite number from 0",
    ),
    "lies": (
        lambda: read(rooms(answers={"wrong": 0.6})),
        "answers.wrong: found 0.6; expected a number from 0 and below 0.5",
    ),
    "name": (lambda: read(rooms(name=3)), "name: found 3; expected a string"),
}


@each(FAULTS)
def test_faults(attempt: Any, message: str) -> None:
    assert_refused(attempt, message)


def test_what_a_file_cannot_hold_is_refused() -> None:
    write = registry.domain("problem").write
    priced = Coverage("A.\nWF\n.B", query_cost=AnyPrice(function=len))
    assert_refused(
        lambda: write(priced),
        "query_cost: found a AnyPrice; expected QueryCost(base, per_goal, prices): "
        "a file of askwise/coverage@1 holds no other prices",
    )
    drawing = Drawing.parse("A.\nWF\n.B")
    assert_refused(
        lambda: write(Coverage(replace(drawing, teammate=(0, 2)))),
        "drawing: found an agent on a goal or on the other agent; expected a cell for each sign of the map",
    )


@pytest.mark.parametrize("given", [{"weights": {}}, {"prices": {}}, {"query_cost": {}}])
def test_empty_tables_change_nothing(given: dict[str, Any]) -> None:
    file = read({"format": "askwise/coverage@1", "map": "A.W\nF.B", **given})
    assert (file.prior.tolist(), file.query_cost) == ([0.5, 0.5], QueryCost())
