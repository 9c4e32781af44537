"""Drafts of all kinds: which one a file becomes, and which one a page has sent.

What the Explore page asks of a worker process, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askwise.domains.registry import domain_of, read
from askwise.domains.stated.file import ProblemFile
from askwise.domains.stated.policies import PolicyChoice
from askwise.domains.stated.sides import DrawnMap, Graph
from askwise.errors import InputError
from askwise.studio.explore.draft import MOST_GOALS, TAKES, Draft
from askwise.studio.explore.graph_draft import drawn, graph_of, read_graph
from askwise.studio.explore.map_draft import map_of, read_map
from askwise.studio.explore.results import METHODS, following, read_pair, suggested
from askwise.studio.explore.tool_draft import FORMAT, read_tools, tools_of
from askwise.text.reading import Field

KINDS: dict[str, Callable[[Field], Draft]] = {"map": read_map, "tools": read_tools, "graph": read_graph}
"""What reads a draft of each kind."""


def read_draft(given: Field) -> Draft:
    """Return the draft that a page sends, checked."""
    given.object()
    kind = given.child("kind").text(KINDS) if given.has("kind") else "map"
    return KINDS[kind](given)


def drawn_anyhow(given: Any) -> dict[str, Any]:
    """Return what can be drawn of something that is no draft, perhaps nothing."""
    try:
        return drawn(given) if Field("", given).object().value.get("kind") == "graph" else {}
    except (InputError, KeyError, TypeError):
        return {}


def draft_of(text: str) -> Draft:
    """Return the draft of a file; refuse what Explore does not take."""
    found = read(text)
    if FORMAT in domain_of(found).formats:
        return tools_of(found)
    if not isinstance(found, ProblemFile):
        raise InputError("format", "a file of another kind", TAKES)
    if len(found.goals) > MOST_GOALS:
        raise InputError("goals", f"{len(found.goals)} goals", TAKES)
    if found.policy.kind != PolicyChoice().kind:
        raise InputError("teammate.policy", "a policy of its own", TAKES)
    if isinstance(found.teammate, DrawnMap) and isinstance(found.ego, DrawnMap):
        return map_of(found)
    if isinstance(found.teammate, Graph) and isinstance(found.ego, Graph):
        return graph_of(found)
    raise InputError("teammate, ego", "a graph and a map", TAKES)


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
