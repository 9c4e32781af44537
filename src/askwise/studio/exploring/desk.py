"""What the Explore page asks of a worker process, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askwise.reading import Field
from askwise.studio.exploring.following import METHODS, following, read_pair
from askwise.studio.exploring.sketch import Sketch, read_sketch, sketch_of
from askwise.studio.exploring.suggesting import suggested


def explored(what: str, given: Any) -> Any:
    """Return the answer to one request, of which nothing has been checked yet."""
    return ANSWERS[what](Field("", given))


def _methods(_: Field) -> Any:
    return {"methods": METHODS}


def _read(given: Field) -> Any:
    return {"sketch": sketch_of(given.object(["text"], []).child("text").text()).to_json(), "methods": METHODS}


def _follow(given: Field) -> Any:
    given.object(["sketch", "method", "pair"], [])
    sketch = _sketch(given)
    method = given.child("method").text(METHODS)
    return following(sketch, method, read_pair(given.child("pair"), len(sketch.file.goals)))


def _file(given: Field) -> Any:
    return {"text": _sketch(given.object(["sketch"], [])).to_toml()}


def _suggest(given: Field) -> Any:
    given.object(["sketch", "design"], [])
    return suggested(_sketch(given), given.child("design"))


def _sketch(given: Field) -> Sketch:
    """Return the sketch of a request; complaints name the fields as the file has them."""
    return read_sketch(Field("", given.value["sketch"]))


ANSWERS: dict[str, Callable[[Field], Any]] = {
    "methods": _methods,
    "read": _read,
    "follow": _follow,
    "file": _file,
    "suggest": _suggest,
}
