"""The JSON Schemas of problem files accept exactly the files that can be read."""

from __future__ import annotations

import json
import random
from importlib import resources
from typing import Any

import jsonschema
import pytest

from askwise.core import answers
from askwise.core.questions import QueryCost
from askwise.domains import registry
from askwise.domains.stated import file, reader
from askwise.errors import InputError
from askwise.text.reading import LARGEST_PRICE, LONGEST_NAME, Field
from tests.domains.stated.test_file_fuzz import FILES, changed


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resources.files("askwise.domains.stated").joinpath(name).read_text("utf-8"))
    return found


SCHEMAS = {
    file.FORMAT: schema("problem.schema.json"),
}


def fits(data: Any) -> bool:
    form = data.get("format") if isinstance(data, dict) else None
    if not isinstance(form, str) or form not in SCHEMAS:
        return False
    return bool(jsonschema.Draft202012Validator(SCHEMAS[form]).is_valid(data))


@pytest.mark.parametrize("form", SCHEMAS)
def test_the_schemas_are_some(form: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[form])
    assert SCHEMAS[form]["title"] == SCHEMAS[form]["properties"]["format"]["const"] == form


def test_the_schemas_say_what_the_code_says() -> None:
    problem = SCHEMAS[file.FORMAT]
    assert tuple(problem["required"]) == file.REQUIRED
    assert set(problem["properties"]) == {*file.REQUIRED, *file.OPTIONAL}
    assert problem["properties"]["goals"]["maxProperties"] == reader.MOST_GOALS
    assert problem["$defs"]["name"]["maxLength"] == LONGEST_NAME
    assert tuple(problem["properties"]["answers"]["properties"]["errors"]["enum"]) == answers.ERRORS
    prices = problem["properties"]["query_cost"]["properties"]
    assert {price["maximum"] for price in prices.values()} == {LARGEST_PRICE}
    assert QueryCost(prices["base"]["default"], prices["per_goal"]["default"]) == QueryCost()


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_fits(name: str) -> None:
    assert fits(FILES[name])
    chance = random.Random(name)
    seen = {True: 0, False: 0}
    for _ in range(300):
        data = changed(chance, FILES[name])
        try:
            registry.from_json(Field("", data))
        except InputError:
            continue
        fitting = fits(data) or (isinstance(data, dict) and data["format"] == "askwise/tool-fetching@1")
        seen[fitting] += 1
        assert fitting, data
    assert seen[True] > 5


@pytest.mark.parametrize(
    "change",
    [{"goals": {}}, {"query_cost": {"base": -1}}, {"note": 1}, {"answers": {"wrong": 0.5}}, {"words": {"x": "y"}}],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any]) -> None:
    data = {**FILES["ward"], **change}
    assert not fits(data)
    with pytest.raises(InputError):
        registry.from_json(Field("", data))
