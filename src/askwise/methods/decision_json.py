"""The gate, the pairs and the runner-up of a decision as JSON, with goals and actions by name.

- ``gate``: the condition for asking, and whether it was met (`gate_to_json`);
- ``pairs``: when it pays to ask which of two goals is the teammate's goal (`pairs_to_json`);
- ``runner_up``: the second best question (`runner_up_to_json`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from askwise.core.decision import Decision, Gate, PairZones
from askwise.core.problem import Problem
from askwise.core.question_json import question_from_json, question_to_json
from askwise.core.questions import Question
from askwise.text.reading import Field, read_finite


def gate_to_json(problem: Problem, gate: Gate) -> dict[str, Any]:
    """Return a gate, the condition for asking, as a JSON object.

    - ``open``: whether several goals are possible, but no action is optimal for all of them;
    - ``possible``: number of possible goals;
    - ``common``: names of actions that are optimal for all possible goals;
    - ``suits``: for each action that is optimal for some possible goal, by name, the number of such goals.
    """
    names = problem.ego.actions.names
    return {
        "open": gate.open,
        "possible": gate.possible,
        "common": [names[action] for action in gate.common],
        "suits": {names[action]: n for action, n in gate.suits},
    }


def gate_from_json(problem: Problem, given: Field) -> Gate:
    """Return the `Gate` (the condition for asking) in a JSON object that `gate_to_json` made.

    Raises `InputError` if the object is invalid, or if its key ``open`` contradicts the other keys.
    """
    given.object(["open", "possible", "common", "suits"], [])
    names, most = problem.ego.actions.names, len(problem.goals)
    possible = given.child("possible").whole(1, most)
    suits = given.child("suits").object([], names)
    gate = Gate(
        possible=possible,
        common=tuple(names.index(action.text(names)) for action in given.child("common").elements()),
        suits=tuple((names.index(name), suits.child(name).whole(1, possible)) for name in names if suits.has(name)),
    )
    stated = given.child("open")
    if stated.value is not gate.open:
        raise stated.refuse(f"{str(gate.open).lower()}, as the rest says")
    return gate


def pairs_to_json(problem: Problem, pairs: Iterable[PairZones]) -> list[dict[str, Any]]:
    """Return a list with a JSON object for each pair of goals, which says when it may pay to ask about the two goals.

    The current step is 1. The keys are:

    - ``goals``: the names of both goals;
    - ``informed``: the step by which watching has certainly told the goals apart;
    - ``branching``: the first step in which the two goals need different actions;
    - ``expected``: when the second goal is expected to be ruled out if the first is true, and vice versa;
    - ``weight``: expected steps in which the agent is undecided, weighted by the goals' probabilities;
    - ``now``: whether the current step lies between ``branching`` and ``informed``.

    A step that never comes and an infinite weight are null.
    """
    return [
        {
            "goals": [problem.goals[pair.first], problem.goals[pair.second]],
            "informed": _step(pair.informed),
            "branching": _step(pair.branching),
            "expected": [_step(end) for end in pair.expected],
            "weight": _step(pair.weight),
            "now": pair.now,
        }
        for pair in pairs
    ]


def pairs_from_json(problem: Problem, given: Field) -> tuple[PairZones, ...]:
    """Return the zones of pairs of goals from a JSON list that `pairs_to_json` made.

    The zones say in which steps a question that tells the two goals apart may pay. Raises `InputError` if the list is
    invalid.
    """
    return tuple(_pair(problem, each) for each in given.elements())


def _pair(problem: Problem, given: Field) -> PairZones:
    given.object(["goals", "informed", "branching", "expected", "weight", "now"], [])
    goals = [problem.goals.index(name.text(problem.goals)) for name in given.child("goals").elements()]
    expected = [_number(end) for end in given.child("expected").elements()]
    for what, found in (("goals", goals), ("expected", expected)):
        if len(found) != 2:
            raise given.child(what).refuse("two of them")
    pair = PairZones(
        first=goals[0],
        second=goals[1],
        informed=_number(given.child("informed")),
        branching=_number(given.child("branching")),
        expected=(expected[0], expected[1]),
        weight=_number(given.child("weight")),
    )
    stated = given.child("now")
    if stated.value is not pair.now:
        raise stated.refuse(f"{str(pair.now).lower()}, as the rest says")
    return pair


def runner_up_to_json(problem: Problem, decision: Decision, key: str) -> dict[str, Any] | None:
    """Return the second best question of a decision as a JSON object; None if the decision has none.

    The object has the goals of the question, under the name `key`, and ``net``, the value of the question minus its
    price.
    """
    if decision.runner_up is None:
        return None
    asked, net = decision.runner_up
    return {key: question_to_json(problem, asked), "net": net}


def runner_up_from_json(problem: Problem, given: Field, key: str) -> tuple[Question, float] | None:
    """Return a second best question and its value minus price from JSON made by `runner_up_to_json`; None for null.

    `key` is the key of the goals of the question. Raises `InputError` if the JSON is invalid.
    """
    if given.value is None:
        return None
    given.object([key, "net"], [])
    return question_from_json(problem, given.child(key)), read_finite(given.child("net"))


def _step(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _number(given: Field) -> float:
    return math.inf if given.value is None else given.number()
