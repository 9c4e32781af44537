"""A draft with graphs: a problem that people change by hand on the Explore page, for instance by closing edges.

Both agents walk on graphs. As JSON::

    {"kind": "graph", "name": "Ward", "words": {"teammate": "nurse"},
     "teammate": {"start": "desk", "now": "hall", "edges": [["desk", "east", "hall"], ...], "closed": [3]},
     "ego": {"start": "lift", "now": "lift", "edges": [...]},
     "goals": [{"name": "pills", "teammate": ["room 1"], "ego": ["pharmacy"], "weight": 3, "price": null}],
     "query_cost": {...}, "answers": {...}, "groups": {...}}

``start`` and ``now`` are an agent's first and present state. An edge is ``[state, action, next state]``. ``closed`` has
the indices of edges that the page draws but the problem does not have.

In a goal, ``teammate`` and ``ego`` are these agents' target states. The prior is proportional to ``weight``. Naming a
goal adds its ``price`` to the price of a question, or ``per_goal`` if ``price`` is null.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from askwise.domains.stated.file import ProblemFile, StatedProblem
from askwise.domains.stated.reader import GRAPH_KEYS, read_side
from askwise.domains.stated.sides import Graph, StateName, same_model, state_to_json
from askwise.errors import InputError
from askwise.studio.explore.draft import MOST_STATES, TAKES, contents_with, terms_of
from askwise.text.data import copy_data, toml_text
from askwise.text.reading import Field
from askwise.text.wording import Vocabulary
from askwise.view.layout import Net, lay_out
from askwise.view.page import LETTERS, one_floor_data

SIDES = ("teammate", "ego")
MOST_EDGES = 1000
REQUIRED = (*SIDES, "goals")
OPTIONAL = ("kind", "name", "words", "query_cost", "answers", "groups")


@dataclass(frozen=True)
class GraphDraft:
    """A problem with graphs, as people change it by hand on the Explore page.

    Attributes:
        given: the problem file, without closed edges.
        whole: the page's JSON for ``teammate`` and ``ego``: start, present state, all edges, closed edges.
        teammate: the teammate's present state.
        ego: the ego agent's present state.
    """

    given: ProblemFile
    whole: dict[str, dict[str, Any]]
    teammate: StateName
    ego: StateName

    @cached_property
    def problem(self) -> StatedProblem:
        """The `Problem` that methods solve to advise the ego agent; it does not have the edges that people closed."""
        return self.given.problem()

    @property
    def words(self) -> Vocabulary:
        """The words for agents and goals in texts, as the problem file states them."""
        return self.given.words

    def to_json(self) -> dict[str, Any]:
        """Return the problem as JSON, in the form in which the page sends it: with all edges, open and closed."""
        return {"kind": "graph", **copy_data(self.whole), **terms_of(self.given)}

    def to_file(self) -> tuple[str, str]:
        """Return name and text of a TOML problem file: without closed edges, and with both agents at their starts."""
        return "explored.toml", toml_text(self.given.to_json())

    def drawn(self) -> dict[str, Any]:
        """Return the layout of both agents' graphs with all edges, open and closed.

        The keys are those of the function `drawn` of this module.
        """
        return drawn(self.whole)


def drawn(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the layout of both agents' graphs with all edges, open and closed.

    Keys:

    - ``grounds``: a layout for each graph; only one if the graphs are equal;
    - ``states``: for each layout, the names of the states at its nodes;
    - ``letters``: sizes in units of the drawing: fonts, distance of names from nodes, line height.

    Args:
        whole: a problem from the page; only its graphs must be valid.
    """
    sides = [_full(who, whole[who]) for who in SIDES]
    if same_model(*sides):
        sides = sides[:1]
    return {
        "grounds": [json.loads(_laid_out(_key(side))) for side in sides],
        "states": [[state_to_json(state) for state in side.states] for side in sides],
        "letters": LETTERS,
    }


def graph_from_file(file: ProblemFile) -> GraphDraft:
    """Turn a problem file with graphs into a draft: a problem that people change on the Explore page.

    Both agents are at their starts.
    """
    starts = (state_to_json(side.start) for side in (file.teammate, file.ego))
    sides = {who: {**file.contents[who], "now": at, "closed": []} for who, at in zip(SIDES, starts, strict=True)}
    return read_graph(Field("", {**copy_data(sides), **terms_of(file)}))


def read_graph(given: Field) -> GraphDraft:
    """Read a problem with graphs that a user is changing on the Explore page, sent as JSON; return it as a draft.

    Raises `InputError` if the problem is not valid.
    """
    given.object(REQUIRED, OPTIONAL)
    sides = {who: given.child(who) for who in SIDES}
    stated = {who: _read_side(side) for who, side in sides.items()}
    file = ProblemFile.from_json(Field(given.path, contents_with(given, stated)))
    assert isinstance(file.teammate, Graph)
    assert isinstance(file.ego, Graph)
    teammate = file.teammate.read_state(sides["teammate"].child("now"))
    ego = file.ego.read_state(sides["ego"].child("now"))
    return GraphDraft(file, {who: copy_data(side.value) for who, side in sides.items()}, teammate, ego)


def _read_side(given: Field) -> dict[str, Any]:
    """Return one agent's graph as a problem file states it, without the edges that people have closed.

    The page sends ``start``, ``now`` (the present state), ``edges`` and, optionally, ``closed`` (indices of edges),
    ``states``, ``actions`` and ``stay``.
    """
    given.object(["start", "now", "edges"], [*GRAPH_KEYS, "closed"])
    edges = list(given.child("edges").elements())
    full = _full(given.path, given.value)
    listed = given.child("closed").elements() if given.has("closed") else ()
    closed = {each.whole(0, max(0, len(edges) - 1)) for each in listed}
    side = {key: copy_data(given.value[key]) for key in ("start", *GRAPH_KEYS) if given.has(key)}
    if closed:  # states and actions keep their numbers
        side |= {"states": [state_to_json(state) for state in full.states], "actions": list(full.actions)}
    return {**side, "edges": [copy_data(edge.value) for k, edge in enumerate(edges) if k not in closed]}


def _full(path: str, side: dict[str, Any]) -> Graph:
    """Return one agent's graph from the page's JSON for this agent, including the edges that the user has closed.

    `InputError` is raised if the graph is too large to be drawn at every change. Its message names `path`, the place of
    the JSON.
    """
    if len(side["edges"]) > MOST_EDGES:
        raise InputError(f"{path}.edges", f"{len(side['edges'])} edges", f"at most {MOST_EDGES}")
    found = read_side(Field(path, {key: side[key] for key in ("start", "edges", *GRAPH_KEYS) if key in side}))
    assert isinstance(found, Graph)
    if len(found.states) > MOST_STATES:
        raise InputError(path, f"a graph of {len(found.states)} states", TAKES)
    return found


def _key(graph: Graph) -> str:
    """Return a graph as JSON text, the key under which `_laid_out` caches its layout."""
    states = [state_to_json(state) for state in graph.states]
    edges = [[states[s], graph.actions[a], states[t]] for s, a, t in graph.edges.tolist()]
    return json.dumps({"start": states[0], "states": states, "edges": edges, "stay": graph.stay})


@lru_cache(maxsize=20)
def _laid_out(key: str) -> str:
    """Return the layout of a graph as JSON text; `key` is the graph as JSON text, from `_key`.

    Layouts are cached, because the page requests them repeatedly while people drag something.
    """
    side = read_side(Field("graph", json.loads(key)))
    assert isinstance(side, Graph)
    return json.dumps(one_floor_data(lay_out(Net.of(side.model))))
