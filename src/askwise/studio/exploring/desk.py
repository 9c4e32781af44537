"""What the Explore page asks of a worker process, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askwise.errors import InputError
from askwise.studio.exploring.draft import Draft
from askwise.studio.exploring.following import METHODS, following, read_pair
from askwise.studio.exploring.kinds import draft_of, drawn_anyhow, read_draft
from askwise.studio.exploring.suggesting import suggested
from askwise.text.reading import Field


def explored(what: str, given: Any) -> Any:
    """Return the answer to one request, of which nothing has been checked yet."""
    return ANSWERS[what](Field("", given))


def _methods(_: Field) -> Any:
    return {"methods": METHODS}


def _read(given: Field) -> Any:
    return {"sketch": draft_of(given.object(["text"], []).child("text").text()).to_json(), "methods": METHODS}


def _follow(given: Field) -> Any:
    given.object(["sketch", "method", "pair"], [])
    try:
        return _followed(given)
    except InputError as error:
        # A graph that does not hold together is drawn all the same: people have to see it to mend it.
        drawn = drawn_anyhow(given.value["sketch"])
        if not drawn:
            raise
        return {"refused": str(error), **drawn}


def _followed(given: Field) -> Any:
    draft = _draft(given)
    method = given.child("method").text(METHODS)
    return following(draft, method, read_pair(given.child("pair"), len(draft.problem.goals)))


def _file(given: Field) -> Any:
    name, text = _draft(given.object(["sketch"], [])).to_file()
    return {"name": name, "text": text}


def _suggest(given: Field) -> Any:
    given.object(["sketch", "design"], [])
    return suggested(_draft(given), given.child("design"))


def _draft(given: Field) -> Draft:
    """Return the draft of a request; complaints name the fields as the file has them."""
    return read_draft(Field("", given.value["sketch"]))


ANSWERS: dict[str, Callable[[Field], Any]] = {
    "methods": _methods,
    "read": _read,
    "follow": _follow,
    "file": _file,
    "suggest": _suggest,
}
