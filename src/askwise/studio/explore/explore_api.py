"""The requests of the Explore page, as a worker process answers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askwise.domains.registry import domain_of, read
from askwise.domains.stated.file import ProblemFile
from askwise.domains.stated.policies import PolicyChoice
from askwise.domains.stated.sides import DrawnMap, Graph
from askwise.errors import InputError
from askwise.studio.explore.draft import MOST_GOALS, TAKES, Draft
from askwise.studio.explore.graph_draft import drawn, graph_from_file, read_graph
from askwise.studio.explore.map_draft import map_from_file, read_map
from askwise.studio.explore.results import METHODS, read_pair, results_of, suggested_design
from askwise.studio.explore.tool_draft import FORMAT, read_tools, tools_from_file
from askwise.text.reading import Field

KINDS: dict[str, Callable[[Field], Draft]] = {"map": read_map, "tools": read_tools, "graph": read_graph}
"""The reader for each kind of draft."""


def read_draft(given: Field) -> Draft:
    """Return the draft (a problem that people change by hand) that the Explore page sends.

    Raises `InputError` if the problem is not valid.
    """
    given.object()
    kind = given.child("kind").text(KINDS) if given.has("kind") else "map"
    return KINDS[kind](given)


def try_drawn(given: Any) -> dict[str, Any]:
    """Return the layout of a problem with graphs that is not valid, so that people can see and correct it.

    The dict is empty if the layout is impossible, too.

    Args:
        given: the problem as the Explore page sends it: any JSON.
    """
    try:
        return drawn(given) if Field("", given).object().value.get("kind") == "graph" else {}
    except (InputError, KeyError, TypeError):
        return {}


def draft_from_file(text: str) -> Draft:
    """Turn the text of a problem file into a draft: a problem that people change on the Explore page.

    Raises `InputError` if the page cannot show this kind of problem.
    """
    found = read(text)
    if FORMAT in domain_of(found).formats:
        return tools_from_file(found)
    if not isinstance(found, ProblemFile):
        raise InputError("format", "a file of another domain", TAKES)
    if len(found.goals) > MOST_GOALS:
        raise InputError("goals", f"{len(found.goals)} goals", TAKES)
    if found.policy.kind != PolicyChoice().kind:
        raise InputError("teammate.policy", "another policy than shortest paths", TAKES)
    if isinstance(found.teammate, DrawnMap) and isinstance(found.ego, DrawnMap):
        return map_from_file(found)
    if isinstance(found.teammate, Graph) and isinstance(found.ego, Graph):
        return graph_from_file(found)
    raise InputError("teammate, ego", "a graph and a map", TAKES)


def answer_request(what: str, given: Any) -> Any:
    """Return the answer to a request of the Explore page, as JSON.

    Args:
        what: the name of the request, a key of `ANSWERS`.
        given: the JSON data of the request, not checked yet.
    """
    return ANSWERS[what](Field("", given))


def _methods(_: Field) -> Any:
    return {"methods": METHODS}


def _read(given: Field) -> Any:
    return {"sketch": draft_from_file(given.object(["text"], []).child("text").text()).to_json(), "methods": METHODS}


def _follow(given: Field) -> Any:
    given.object(["sketch", "method", "pair"], [])
    try:
        return _followed(given)
    except InputError as error:
        # An invalid graph is drawn all the same: people have to see it to correct it.
        drawn = try_drawn(given.value["sketch"])
        if not drawn:
            raise
        return {"refused": str(error), **drawn}


def _followed(given: Field) -> Any:
    draft = _draft(given)
    method = given.child("method").text(METHODS)
    return results_of(draft, method, read_pair(given.child("pair"), len(draft.problem.goals)))


def _file(given: Field) -> Any:
    name, text = _draft(given.object(["sketch"], [])).to_file()
    return {"name": name, "text": text}


def _suggest(given: Field) -> Any:
    given.object(["sketch", "design"], [])
    return suggested_design(_draft(given), given.child("design"))


def _draft(given: Field) -> Draft:
    """Return the draft, the problem that people change, in the key ``sketch`` of a request.

    Raises `InputError` if it is not valid. The message names the field as in a problem file, without ``sketch``.
    """
    return read_draft(Field("", given.value["sketch"]))


ANSWERS: dict[str, Callable[[Field], Any]] = {
    "methods": _methods,
    "read": _read,
    "follow": _follow,
    "file": _file,
    "suggest": _suggest,
}
