"""Functions that answer the requests of the Explore page, on which people change a problem by hand.

They run in a worker process. Under the key ``sketch``, requests and answers have the draft: the changed problem with
the present places of both agents.

The page shows the belief about the teammate's goal, a method's advice, and when goals can be told apart. The teammate
is assumed to have taken a shortest path to its present place. If no goal explains this place, the method uses the
belief ``robust``, which allows for detours.

People can select a true goal and another goal. For each place, the page then shows the expected divergence point (EDP):
the expected step at which the other goal is ruled out while the teammate walks from there to the true goal.

The page also suggests changes that make goals recognisable earliest (`askwise.design`): new walls, or edges to close in
the teammate's graph, as ``[state, action, next state]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from askwise.core.belief import ContradictoryObservation
from askwise.core.problem import Problem, teammate_goals
from askwise.designs.design import design
from askwise.divergence import Divergence, Zone
from askwise.divergence.zones import Zones
from askwise.domains.registry import domain_of, read
from askwise.domains.stated.file import ProblemFile
from askwise.domains.stated.policies import PolicyChoice
from askwise.domains.stated.sides import DrawnMap, Graph
from askwise.errors import InputError
from askwise.model import GridWorld
from askwise.play.ask import Advice, ask
from askwise.studio.explore.draft import MOST_GOALS, TAKES, Draft, map_from_file, read_map
from askwise.studio.explore.graph_draft import drawn, graph_from_file, read_graph
from askwise.studio.explore.tool_draft import FORMAT, read_tools, tools_from_file
from askwise.text.reading import Field
from askwise.text.wording import number, printable
from askwise.types import FloatArray
from askwise.view.decision_text import gate_to_text, headline_of, runner_up_to_text, verdict_to_text

KINDS: dict[str, Callable[[Field], Draft]] = {"map": read_map, "tools": read_tools, "graph": read_graph}
"""The reader for each kind of draft."""
METHODS = ("planner", "planner-light", "ezq", "cost-prob")
"""Methods that decide fast enough for interactive use; the first is the default."""
ROBUST = "robust"
Number = float | None


# -- drafts ----------------------------------------------------------------------------------------------------------


def read_draft(given: Field) -> Draft:
    """Return the draft that the Explore page sends: a problem that people change by hand, with both agents' places.

    Args:
        given: the draft as JSON, not checked yet.

    Raises:
        InputError: the problem is not valid.
    """
    given.object()
    kind = given.child("kind").text(KINDS) if given.has("kind") else "map"
    return KINDS[kind](given)


def try_drawn(given: Any) -> dict[str, Any]:
    """Return the layout of the graphs in an invalid problem, so that people can see and correct it.

    Keys: ``grounds``, ``states`` and ``letters``, as in `askwise.studio.explore.graph_draft.drawn`. The dict is empty
    if no graphs can be drawn.

    Args:
        given: the problem as the Explore page sends it: any JSON.
    """
    try:
        return drawn(given) if Field("", given).object().value.get("kind") == "graph" else {}
    except (InputError, KeyError, TypeError):
        return {}


def draft_from_file(text: str) -> Draft:
    """Turn the text of a problem file into a draft for the Explore page, with both agents at their starts.

    Args:
        text: the text of the file.

    Raises:
        InputError: the file is not valid, or the page cannot show this kind of problem.
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


# -- results ---------------------------------------------------------------------------------------------------------


def results_of(draft: Draft, method: str = METHODS[0], pair: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return all data that the Explore page shows for a draft, as JSON-compatible data.

    Goals are given by index. The keys are those of `Draft.drawn`, and:

    - ``title``: the title of the problem;
    - ``words``: for ``teammate``, ``ego``, ``goal`` and ``goals``;
    - ``landmark``: the word for a landmark;
    - ``signs``: letters for ``teammate`` and ``ego``;
    - ``method``, ``headline``, ``why``: the method's name, decision and reason;
    - ``facts``: more about the decision, as pairs of a name and a text;
    - ``asked``: the goals in the method's question; may be empty;
    - ``considered``: the goals in the best question found, even if it is not asked; may be empty;
    - ``belief``: the probability of each goal; empty if the method shows no belief;
    - ``possible``: whether each goal is possible; empty if the method shows no belief;
    - ``explained``: ``by``, the number of goals that explain the teammate's path, and ``of``, the number of goals with
      a prior above 0; None at the start;
    - ``robust``: whether no goal explains the path, so that the method allows for detours;
    - ``edp``: a matrix ``[i][j]``: the expected step at which goal `i` is ruled out while the teammate walks from its
      present place to goal `j`; None where not finite;
    - ``wcd``: the same for the latest step;
    - ``pairs``: a dict for each two goals that may keep the ego agent undecided longest: ``goals``, ``zones`` and
      ``now`` (whether a question may be worth its price now);
    - ``pair``: a dict for the selected goals: ``truth``, ``other``, ``edp`` (from the teammate's present place),
      ``zones`` and ``heat`` (see `heat`); None if none are selected.

    A zone is an interval of steps: ``name``, ``text``, ``from``, ``to`` and ``empty``. Infinite steps are None, as are
    both steps of an empty zone. In ``Z_I``, the two goals may still be confused. In ``Z_B``, the ego agent may need
    different actions for them. In the intersection ``Z_Q``, a question may be worth its price. Selected goals also have
    ``eZ_I``, ``eZ_B`` and ``eZ_Q``, from expected instead of latest steps.

    Args:
        draft: the problem and the present places of both agents.
        method: the method that gives advice, one of `METHODS`.
        pair: the selected goals, the true one first.
    """
    problem = draft.problem
    advice, belief = _advice(draft, problem, method)
    edp, wcd = problem.teammate.divergence(advice.state.teammate)
    words = draft.words
    return {
        "title": printable(words.title),
        "words": {"teammate": words.teammate, "ego": words.ego, "goal": words.goal, "goals": words.goals},
        "signs": {"teammate": words.teammate_sign, "ego": words.ego_sign},
        "landmark": words.landmark,
        "method": advice.method,
        "belief": [] if advice.belief is None else [float(share) for share in advice.belief],
        "possible": [] if advice.possible is None else [bool(held) for held in advice.possible],
        "explained": None if advice.way is None else {"by": advice.way.explained, "of": advice.way.of},
        "robust": belief == ROBUST,
        **_question(advice),
        "edp": _matrix(edp),
        "wcd": _matrix(wcd),
        "pairs": _pairs(advice),
        "pair": None if pair is None or len(problem.goals) < 2 else _looked_at(draft, advice, *pair),
        **draft.drawn(),
    }


def read_pair(given: Field, n_goals: int) -> tuple[int, int] | None:
    """Return the indices of the two goals selected on the Explore page, the true goal first; None if none are selected.

    Raises:
        InputError: the value is neither null nor a list of two different indices below `n_goals`.
    """
    if given.value is None:
        return None
    numbers = tuple(each.whole(0, n_goals - 1) for each in given.elements())
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        raise given.refuse("the numbers of two different goals, or null")
    return numbers[0], numbers[1]


def _advice(draft: Draft, problem: Problem, method: str) -> tuple[Advice, str | None]:
    try:
        return ask(problem, method, teammate_at=draft.teammate, ego_at=draft.ego), None
    except ContradictoryObservation:
        return ask(problem, method, teammate_at=draft.teammate, ego_at=draft.ego, belief=ROBUST), ROBUST


def _question(advice: Advice) -> dict[str, Any]:
    problem, decision = advice.problem, advice.decision
    facts: list[tuple[str, str]] = []
    if decision.gate is not None:
        facts.append(("May it ask?", gate_to_text(problem, decision.gate)))
    if decision.value is not None:
        facts.append(("Saves", f"{decision.value:.2f} steps, in expectation"))
    if decision.cost is not None:
        facts.append(("Costs", number(decision.cost)))
    if decision.net is not None:
        facts.append(("Net", f"{decision.net:.2f}"))
    if decision.runner_up is not None:
        facts.append(("Next best", f"{runner_up_to_text(problem.goals, decision)}, net {decision.runner_up[1]:.2f}"))
    if decision.verdict:
        facts.append(("How sure", verdict_to_text(decision)))
    return {
        "headline": printable(headline_of(problem, decision)),
        "why": printable(decision.why),
        "facts": [[name, printable(text)] for name, text in facts],
        "asked": sorted(map(int, decision.ask or ())),
        "considered": sorted(map(int, decision.considered or ())),
    }


# -- zones -------------------------------------------------------------------------------------------------------


def _pairs(advice: Advice) -> list[dict[str, Any]]:
    return [
        {
            "goals": [pair.first, pair.second],
            "zones": [
                _zone("Z_I", pair.information),
                _zone("Z_B", pair.parting),
                _zone("Z_Q", pair.querying),
            ],
            "now": bool(pair.now),
        }
        for pair in advice.decision.pairs
    ]


def _zone(name: str, zone: Zone) -> dict[str, Any]:
    return {
        "name": name,
        "text": str(zone),
        "from": None if zone.empty else _finite(zone.start),
        "to": None if zone.empty else _finite(zone.end),
        "empty": bool(zone.empty),
    }


def _looked_at(draft: Draft, advice: Advice, truth: int, other: int) -> dict[str, Any]:
    problem, state = advice.problem, advice.state
    edp, wcd = problem.teammate.divergence(state.teammate)
    ego_edp, ego_wcd = problem.ego.divergence(state.ego)
    found = Zones(
        truth=problem.goals[truth],
        other=problem.goals[other],
        information=Zone(1, float(wcd[other, truth])),
        branching=Zone(float(ego_wcd[other, truth]), math.inf),
        expected_information=Zone(1, float(edp[other, truth])),
        expected_branching=Zone(float(ego_edp[truth, other]), math.inf),
    )
    return {
        "truth": truth,
        "other": other,
        "edp": _finite(edp[other, truth]),
        "zones": [_zone(name, zone) for name, zone in found.named().items()],
        "heat": heat(draft, truth, other),
    }


def heat(draft: Draft, truth: int, other: int) -> list[Any]:
    """Return, for every place, the expected step at which one goal is ruled out while the teammate walks to another.

    The teammate walks to `truth`, and `other` is ruled out. The result is a list ``[y][x]`` for a map, with y = 0 in
    the bottom row, or a list by state for a graph. Infinite or undefined steps are None.
    """
    model, goals, _ = teammate_goals(draft.problem)
    targets = list(goals.values())
    values = Divergence(model, [targets[truth], targets[other]]).edp_table()[:, 1, 0]
    if not isinstance(model, GridWorld):
        return [_finite(value) for value in values.tolist()]
    cells = np.full((model.height, model.width), np.nan)
    cells[model.cells[:, 1], model.cells[:, 0]] = values
    return _matrix(cells)


def _matrix(values: FloatArray) -> list[list[Number]]:
    return [[_finite(value) for value in row] for row in values.tolist()]


def _finite(value: float) -> Number:
    return round(float(value), 6) if math.isfinite(value) else None


# -- suggested designs ---------------------------------------------------------------------------------------------

MINIMISE = ("edp", "wcd")
MOST_WALLS = 3
MOST_LONGER = 10
MOST_DESIGNS = 20_000
"""Designs that are examined before the best one so far is suggested; takes a few seconds."""


def suggested_design(draft: Draft, given: Field) -> dict[str, Any]:
    """Search for new walls, or edges to close, that let an observer tell the teammate's goals apart earliest.

    The result describes the best change found, as JSON-compatible data:

    - ``things``: the cells ``[x, y]`` of new walls, or the edges ``[state, action, next state]`` to close;
    - ``inTheWay``: the new walls where an agent stands now;
    - ``before``, ``after``: the measures ``wcd`` and ``edp`` without and with the change;
    - ``verdict``: text that says whether the change is proven to be the best.

    Args:
        draft: the problem.
        given: unchecked JSON: ``minimise`` (``wcd`` for the latest step at which goals are told apart, ``edp`` for the
            expected step), ``most`` (largest number of changes) and ``budget`` (how many steps longer shortest paths
            may get).
    """
    given.object(["minimise", "most", "budget"], [])
    found = design(
        draft.given,
        given.child("most").whole(1, MOST_WALLS),
        minimise=given.child("minimise").text(MINIMISE),
        budget=given.child("budget").whole(0, MOST_LONGER),
        limit=MOST_DESIGNS,
    )
    now = draft.to_json()
    taken = [now[who]["now"] for who in ("teammate", "ego")]
    things: list[Any] = [list(thing) if isinstance(thing, tuple) else thing for thing in found.forbidden]
    return {
        "things": things,
        "inTheWay": [thing for thing in things if thing in taken],
        "before": {"wcd": found.before.wcd, "edp": found.before.edp},
        "after": {"wcd": found.after.wcd, "edp": found.after.edp},
        "verdict": printable(str(found.verdict)),
    }


# -- requests --------------------------------------------------------------------------------------------------------


def answer_request(what: str, given: Any) -> Any:
    """Return the answer to a request of the Explore page, as JSON-compatible data.

    Args:
        what: the kind of request, such as ``follow``: a key of `ANSWERS`.
        given: its unchecked data.

    Raises:
        InputError: the data are not valid.
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
    """Return the draft that a request has under its key ``sketch``.

    Raises:
        InputError: the draft is not valid. The message leaves out ``sketch`` in the name of the wrong field.
    """
    return read_draft(Field("", given.value["sketch"]))


ANSWERS: dict[str, Callable[[Field], Any]] = {
    "methods": _methods,
    "read": _read,
    "follow": _follow,
    "file": _file,
    "suggest": _suggest,
}
