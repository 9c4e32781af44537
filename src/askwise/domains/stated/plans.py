"""Problem files in which a PDDL planning problem replaces the graph of the teammate.

::

    [teammate]
    pddl = "words.tar.bz2"                                      # an archive or a folder, or
    pddl = {domain = "blocks.pddl", problem = "on-the-table.pddl"}

    [goals.rat]
    teammate = "(on r a) (on a t) (ontable t)"                  # a condition in PDDL
    ego = "shelf 2"

Reading makes a graph of the states and actions on optimal plans of all goals. A goal's targets are the states in which
its plans end. A state is named after the facts that hold in it and did not hold at the start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askwise.domains.stated.sides import STAY
from askwise.errors import InputError
from askwise.pddl.archive import DOMAIN, TEMPLATE, recognition
from askwise.pddl.archive import GOALS as GOAL_LIST
from askwise.pddl.cones import Cones, cones_of
from askwise.text.data import copy_data, short_json
from askwise.text.files import read_text
from askwise.text.reading import Field

KEY = "pddl"
START = "start"
LONGEST_NAME = 60
"""Longest name of a state, in characters; a number is appended to names that would otherwise be equal."""


def with_graph(root: Field) -> Field:
    """Return the contents of a problem file with the teammate's planning problem (PDDL) replaced by a graph.

    The graph has the states and actions of all goals' optimal plans. A goal's condition becomes the names of the states
    in which its plans end. Raises InputError if a goal has no plan, or if the search for plans exceeds its limits.

    Args:
        root: the parsed contents of the file; its folder has the PDDL files.
    """
    side = root.child("teammate")
    side.object([KEY], ["policy"])
    texts, names = _texts(side.child(KEY))
    goals = root.child("goals")
    conditions = {name: _condition(each) for name, each in goals.items()}
    if not conditions:
        raise goals.refuse("at least one goal")
    cones = _cones(goals, texts, names, conditions)
    called = _names(cones)
    contents = copy_data(root.value)
    contents["teammate"] = {**_graph(cones, called), **({"policy": side.value["policy"]} if side.has("policy") else {})}
    for k, name in enumerate(conditions):
        contents["goals"][name]["teammate"] = [called[state] for state in cones.targets[k].tolist()]
    return Field(root.path, contents, root.folder)


# -- the planning problem ----------------------------------------------------------------------------------------


def _texts(given: Field) -> tuple[dict[str, str], dict[str, str]]:
    """Return two dicts: the PDDL texts to which a field of a problem file refers, and the names of their files.

    Both have the keys ``domain.pddl`` (the PDDL domain) and ``template.pddl`` (the PDDL problem). The field names an
    archive, a folder or both files.
    """
    if given.folder is None:
        raise InputError(given.path, short_json(given.value), "a file next to a problem file; this is not from a file")
    if isinstance(given.value, dict):
        given.object(["domain", "problem"])
        paths = {DOMAIN: given.child("domain").text(), TEMPLATE: given.child("problem").text()}
        return {role: read_text(given.folder / path) for role, path in paths.items()}, paths
    from askwise.pddl.archive import read_texts

    text = given.text()
    found = read_texts(given.folder / text)
    return {role: found[role] for role in (DOMAIN, TEMPLATE)}, {
        role: str(Path(text) / role) for role in (DOMAIN, TEMPLATE)
    }


def _condition(given: Field) -> str:
    given.object(["teammate", "ego"], ["weight", "price"])
    text = given.child("teammate").text()
    if not text.strip() or "\n" in text.strip():
        raise given.child("teammate").refuse("a condition in one line, such as (on a b) (clear a)")
    return text


def _cones(goals: Field, texts: dict[str, str], names: dict[str, str], conditions: dict[str, str]) -> Cones:
    """Return the optimal plans of all goals; raise InputError if a goal has none, or if the search exceeds its limits.

    `goals` is the field of the problem file. `texts` and `names` come from `_texts`. `conditions` holds the PDDL
    condition of each goal.
    """
    places = {name: goals.child(name).child("teammate").path for name in conditions}
    for name, condition in conditions.items():  # one by one, so that an error names the goal
        recognition({**texts, GOAL_LIST: condition}, files={**names, GOAL_LIST: places[name]})
    listed = "\n".join(conditions.values())
    cones = cones_of(recognition({**texts, GOAL_LIST: listed}, files=names))
    for k, name in enumerate(conditions):
        if k in cones.unreachable:
            found = f"{short_json(conditions[name])}, to which no plan leads"
            raise InputError(places[name], found, "a goal that can be reached")
        if k in cones.too_large:
            found = f"{short_json(conditions[name])}, too large: no plan has fewer than {cones.found[k].at_least} steps"
            raise InputError(places[name], found, "a goal whose optimal plans can be found")
    return cones


# -- the graph ---------------------------------------------------------------------------------------------------


def _graph(cones: Cones, names: list[str]) -> dict[str, Any]:
    """Return the optimal plans as a graph, in the form of the table ``teammate`` of a problem file.

    `names` has a name for each state. If an action of the plans is called ``STAY``, the key ``stay`` gives staying
    another name.
    """
    model = cones.model
    edges = [
        [names[state], str(model.action_name(state, column)), names[int(model.successor[state, column])]]
        for state, column in zip(*(each.tolist() for each in (cones.operators >= 0).nonzero()), strict=True)
    ]
    stay = STAY if STAY not in {action for _, action, _ in edges} else f"{STAY} "
    graph: dict[str, Any] = {"start": names[0], "edges": edges, "states": names}
    return graph if stay == STAY else {**graph, "stay": stay}


def _names(cones: Cones) -> list[str]:
    """Return a distinct name for each state of the optimal plans, in the order of ``cones.states``.

    A name lists the facts that hold in the state and did not hold at the start. The first state is called ``start``.
    """
    task = cones.task
    opposites = set(task.opposite.values())
    at_first = task.initial
    names: list[str] = []
    met: dict[str, int] = {START: 0}
    for number, state in enumerate(cones.states):
        if number == 0:
            names.append(START)
            continue
        new = [
            fact
            for bit, fact in enumerate(task.facts)
            if bit not in opposites and _holds(state, bit) and not _holds(at_first, bit)
        ]
        text = ", ".join(new) or f"step {int(cones.depth[number])}"
        text = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 3]}..."
        met[text] = met.get(text, 0) + 1
        names.append(text if met[text] == 1 else f"{text} ({met[text]})")
    return names


def _holds(state: Any, bit: int) -> bool:
    return bool(int(state[bit // 64]) >> (bit % 64) & 1)
