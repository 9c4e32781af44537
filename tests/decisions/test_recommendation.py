"""Recommendations as JSON that follows the schema, as text, and as a drawing that a browser shows."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import askwise
from askwise.decisions.problem import parse, read_decision_file
from askwise.decisions.recommendation import Plan, plan_of, recommend
from askwise.decisions.schemas import NAMES, schema
from askwise.decisions.search import search
from askwise.errors import InputError
from tests.browser import browser, visit
from tests.decisions.problems import larger_problem, random_problem
from tests.decisions.test_fuzz import FILES

every_example = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


@every_example
def test_examples_are_as_the_schema_says(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text()), schema("decision"))


@every_example
def test_recommendations_are_as_the_schema_says(path: Path) -> None:
    advice = recommend(read_decision_file(path))
    jsonschema.validate(json.loads(json.dumps(advice.as_json(), allow_nan=False)), schema("recommendation"))
    assert advice.verdict.exact


def test_random_recommendations_are_as_the_schema_says() -> None:
    validator = jsonschema.Draft202012Validator(schema("recommendation"))
    for seed in range(40):
        validator.validate(recommend(random_problem(seed), depth=seed % 3).as_json())


REFUSED_BY_BOTH = [
    {"belief": {"a": -1}},
    {"belief": {}},
    {"belief": {"a": 1}, "loss": {}},
    {"belief": {"a": 1}, "loss": {"x": "y"}},
    {"belief": {"a": 1}, "loss": {"x": 1}, "utility": {"x": 1}},
    {"belief": {"a": 1}, "questions": {"q": {"about": []}}},
    {"belief": {"a": 1}, "questions": {"q": {"about": ["a"], "price": -1}}},
    {"belief": {"a": 1}, "limit": 1.5},
    {"belief": {"a": 1}, "answers": {"wrong": 0.7}},
    {"belief": {"a": 1}, "other": 1},
]


@pytest.mark.parametrize("data", REFUSED_BY_BOTH)
def test_what_the_schema_refuses_the_reader_refuses(data: dict[str, object]) -> None:
    whole = {"format": "askwise/decision@1", **data}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(whole, schema("decision"))
    with pytest.raises(InputError):
        parse(json.dumps(whole))


# -- trees ---------------------------------------------------------------------------------------------------------


def test_a_tree_as_text() -> None:
    advice = askwise.decide(
        {"a": 0.5, "b": 0.3, "c": 0.2}, questions={"a?": ["a"], "b?": ["b"]}, price=0.05, answers={"refused": 0.1}
    )
    assert str(advice.plan) == (
        "ask 'a?'                       0.1185\n"
        "├─ yes (45 %): a               0\n"
        "├─ no (45 %): ask 'b?'         0.09\n"
        "│  ├─ yes (54 %): b            0\n"
        "│  ├─ no (36 %): c             0\n"
        "│  └─ no answer (10 %): b      0.4\n"
        "└─ no answer (10 %): ask 'b?'  0.28\n"
        "   ├─ yes (27 %): b            0\n"
        "   ├─ no (63 %): a             0.2857\n"
        "   └─ no answer (10 %): a      0.5"
    )
    assert advice.plan.questions == 2
    assert advice.plan.nodes == len(str(advice.plan).splitlines())


def test_a_tree_that_is_too_large_is_cut() -> None:
    found = search(larger_problem(0, n=16, questions=6, noisy=True))
    whole, some = plan_of(found, 0), plan_of(found, 0, most=12)
    assert some.nodes <= 12 < whole.nodes
    assert any(node.cut for node in _all(some))
    assert not any(node.cut for node in _all(whole))
    assert " ...  " in str(some)


def _all(plan: Plan) -> list[Plan]:
    return [plan, *(each for _, below in plan.answers for each in _all(below))]


@every_example
def test_a_drawing_shows_every_moment(path: Path) -> None:
    plan = recommend(read_decision_file(path)).plan
    drawing = ElementTree.fromstring(plan.svg())
    wide, tall = (float(drawing.attrib[key]) for key in ("width", "height"))
    boxes = [each for each in drawing.iter(f"{SVG}rect") if "rx" in each.attrib]
    assert len(boxes) == plan.nodes
    placed = [tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height")) for box in boxes]
    assert all(x >= 0 and y >= 0 and x + w <= wide and y + h <= tall for x, y, w, h in placed)
    for k, (x, y, w, h) in enumerate(placed):
        for u, v, s, t in placed[k + 1 :]:
            assert x + w <= u or u + s <= x or y + h <= v or v + t <= y, "boxes lie apart"


def test_odd_names_are_drawn_as_they_are() -> None:
    name = "<b>&\"'\u202e\n" + "long " * 30
    svg = askwise.decide({name: 0.5, "b": 0.5}, questions={"<q>": ["b"]}, price=0.1).plan.svg()
    ElementTree.fromstring(svg)
    assert "<b>" not in svg


def test_in_a_browser_text_stays_in_its_box(tmp_path: Path) -> None:
    plan = recommend(read_decision_file(FILES[1])).plan
    page = tmp_path / "plan.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><title>Plan</title><body style='margin:0'>{plan.svg()}")
    measure = """[...document.querySelectorAll('g > rect')].map(rect => {
        const box = rect.getBoundingClientRect();
        return Math.max(...[...rect.parentNode.querySelectorAll('text')]
            .map(text => text.getBoundingClientRect().right - box.right))})"""
    with browser() as started, visit(started, page, width=1366) as visited:
        assert visited.errors == []
        assert max(visited.page.evaluate(measure)) <= 0
