"""Faulty problem files: every message is checked as a whole."""

from __future__ import annotations

import datetime
from typing import Any

from tests.domains.stated.files import pol, read, ward
from tests.refused import Fault, assert_refused, each

NAN, INF = float("nan"), float("inf")
STATE = "a state: a text, a whole number of at most 15 digits, or a cell [x, y]"
REQUIRED = "this key, which is required"
FROM_0 = "a finite number from 0"
NAMED = "names with at least one character"
OBJECT = "an object, { ... }"
KINDS = "'urop', 'uniform', {boltzmann = 2.0}, {noisy = 0.1} or {table = \"policy.csv\"}"
STATES = 'a state of the graph, "desk", "hall", "room 1", "room 2"'
X, G = "xg"
KEYS = "format, teammate, ego, goals, name, query_cost, answers, groups, words"


def goal(**changes: Any) -> dict[str, Any]:
    """Return the ward with another first goal; None removes a key."""
    return ward(**{f"goals__to room 1__{key}": value for key, value in changes.items()})


def unreachable(who: str) -> dict[str, Any]:
    """Return the ward with a second goal that one of the agents cannot reach."""
    data = ward(ego__map="A..#C\n.F.#B")
    data["teammate"]["edges"].append(["attic", "down", "desk"])
    if who == "teammate":
        data["goals"]["to room 2"].update(teammate="attic", ego="F")
    return data


FORMAT_FAULTS: dict[str, Fault] = {
    "a list": (lambda: read([1]), f"file: found [1]; expected {OBJECT}"),
    "null": (lambda: read(None), f"file: found null; expected {OBJECT}"),
    "empty": (lambda: read({}), f"format: found nothing; expected {REQUIRED}"),
    "next version": (
        lambda: read(ward(format="askwise/problem@2", more=1)),
        "format: found \"askwise/problem@2\"; expected one of 'askwise/problem@1' (did you mean 'askwise/problem@1'?)",
    ),
    "unknown key": (lambda: read(ward(note="hi")), f'file: found the unknown key "note"; expected only {KEYS}'),
    "misspelt": (
        lambda: read(ward(goal={})),
        f"file: found the unknown key \"goal\"; expected only {KEYS} (did you mean 'goals'?)",
    ),
    "no teammate": (lambda: read(ward(teammate=None)), f"teammate: found nothing; expected {REQUIRED}"),
    "no ego": (lambda: read(ward(ego=None)), f"ego: found nothing; expected {REQUIRED}"),
    "no goals": (lambda: read(ward(goals=None)), f"goals: found nothing; expected {REQUIRED}"),
    "name that is a number": (lambda: read(ward(name=3)), "name: found 3; expected a string"),
    "empty name": (lambda: read(ward(name="")), f"name: found an empty name; expected {NAMED}"),
    "long name": (
        lambda: read(ward(name="x" * 201)),
        f'name: found a name of 201 characters, "{X * 56}...; expected at most 200',
    ),
    "half a character": (
        lambda: read(ward(name="a\ud800")),
        "name: found 'a\\ud800', which contains a lone surrogate; expected valid Unicode",
    ),
    "date": (
        lambda: read(ward(name=datetime.date(2024, 1, 1))),
        'name: found "datetime.date(2024, 1, 1)"; expected a string',
    ),
}

GOALS_FAULTS: dict[str, Fault] = {
    "list": (lambda: read(ward(goals=[])), f"goals: found []; expected {OBJECT}"),
    "none": (lambda: read(ward(goals={}, groups={})), "goals: found {}; expected at least one goal"),
    "empty name": (lambda: read(ward(goals={"": {}})), f"goals: found an empty name; expected {NAMED}"),
    "long name": (
        lambda: read(ward(goals={"g" * 201: {}})),
        f'goals: found a name of 201 characters, "{G * 56}...; expected at most 200',
    ),
    "half": (
        lambda: read(ward(goals={"\ud83d": {"teammate": "room 1", "ego": "A"}})),
        "goals: found '\\ud83d', which contains a lone surrogate; expected valid Unicode",
    ),
    "text": (lambda: read(ward(goals={"g": "room 1"})), f'goals.g: found "room 1"; expected {OBJECT}'),
    "no teammate": (lambda: read(goal(teammate=None)), f"goals.to room 1.teammate: found nothing; expected {REQUIRED}"),
    "no ego": (lambda: read(goal(ego=None)), f"goals.to room 1.ego: found nothing; expected {REQUIRED}"),
    "unknown key": (
        lambda: read(goal(target="x")),
        'goals.to room 1: found the unknown key "target"; expected only teammate, ego, weight, price',
    ),
    "misspelt": (
        lambda: read(goal(wieght=1)),
        'goals.to room 1: found the unknown key "wieght"; '
        "expected only teammate, ego, weight, price (did you mean 'weight'?)",
    ),
    "unknown state": (
        lambda: read(goal(teammate="romm 1")),
        f"goals.to room 1.teammate: found \"romm 1\"; expected {STATES} (did you mean 'room 1'?)",
    ),
    "unknown in list": (
        lambda: read(goal(teammate=["room 1", "x"])),
        f'goals.to room 1.teammate[1]: found "x"; expected {STATES}',
    ),
    "empty list": (lambda: read(goal(teammate=[])), "goals.to room 1.teammate: found []; expected at least one state"),
    "fraction": (lambda: read(goal(teammate=3.5)), f"goals.to room 1.teammate: found 3.5; expected {STATE}"),
    "unknown letter": (
        lambda: read(goal(ego="C")),
        'goals.to room 1.ego: found "C"; expected a letter of the map, "A", "B", "F", or a cell [x, y]',
    ),
    "wall": (
        lambda: read(goal(ego=[4, 1])),
        "goals.to room 1.ego: found [4, 1], which is a wall; expected a free cell",
    ),
    "outside": (
        lambda: read(goal(ego=[9, 9])),
        "goals.to room 1.ego: found [9, 9]; expected a cell [x, y] with x from 0 to 4 and y from 0 to 1",
    ),
    "list in list": (
        lambda: read(goal(ego=[["A"]])),
        'goals.to room 1.ego[0]: found ["A"]; expected a cell [x, y] with x from 0 to 4 and y from 0 to 1',
    ),
    "number in map": (
        lambda: read(goal(ego=3)),
        'goals.to room 1.ego: found 3; expected a letter of the map, "A", "B", "F", or a cell [x, y]',
    ),
    "numbers": (
        lambda: read(goal(ego=[1, 2, 3])),
        "goals.to room 1.ego: found [1, 2, 3]; expected a cell [x, y] with x from 0 to 4 and y from 0 to 1",
    ),
    "empty map list": (lambda: read(goal(ego=[])), "goals.to room 1.ego: found []; expected at least one cell"),
    "same target": (
        lambda: read(goal(teammate=["room 1", "room 2"])),
        'goals.to room 2.teammate: found "room 2", a target of goal "to room 1" already; '
        "expected a target that no other goal has: the place where the teammate stays reveals its goal",
    ),
    "teammate out of reach": (
        lambda: read(unreachable("teammate")),
        'goals.to room 2.teammate: found no way to it from "desk"; expected a goal that can be reached',
    ),
    "ego out of reach": (
        lambda: read(unreachable("ego")),
        "goals.to room 2.ego: found no way to it from [1, 0]; expected a goal that can be reached",
    ),
    "weight": (lambda: read(goal(weight=-1)), f"goals.to room 1.weight: found -1; expected {FROM_0}"),
    "weight text": (lambda: read(goal(weight="2")), f'goals.to room 1.weight: found "2"; expected {FROM_0}'),
    "weight true": (lambda: read(goal(weight=True)), f"goals.to room 1.weight: found true; expected {FROM_0}"),
    "weight inf": (lambda: read(goal(weight=INF)), f"goals.to room 1.weight: found Infinity; expected {FROM_0}"),
    "price": (lambda: read(goal(price=-0.1)), f"goals.to room 1.price: found -0.1; expected {FROM_0}"),
    "price nan": (lambda: read(goal(price=NAN)), f"goals.to room 1.price: found NaN; expected {FROM_0}"),
    "all weights 0": (
        lambda: read(ward(goals={"g": {"teammate": "room 1", "ego": "A", "weight": 0}}, groups={})),
        "goals: found weights that are all 0; expected at least one weight above 0",
    ),
}

REST_FAULTS: dict[str, Fault] = {
    "cost text": (lambda: read(ward(query_cost=1)), f"query_cost: found 1; expected {OBJECT}"),
    "cost key": (
        lambda: read(ward(query_cost={"per_station": 1})),
        'query_cost: found the unknown key "per_station"; '
        "expected only base, per_goal, per_option (did you mean 'per_option'?)",
    ),
    "base": (lambda: read(ward(query_cost={"base": -1})), f"query_cost.base: found -1; expected {FROM_0}"),
    "per_goal": (
        lambda: read(ward(query_cost={"per_goal": INF})),
        f"query_cost.per_goal: found Infinity; expected {FROM_0}",
    ),
    "per_option": (
        lambda: read(ward(query_cost={"per_option": "x"})),
        f'query_cost.per_option: found "x"; expected {FROM_0}',
    ),
    "answers text": (lambda: read(ward(answers="true")), f'answers: found "true"; expected {OBJECT}'),
    "answers key": (
        lambda: read(ward(answers={"worng": 0})),
        "answers: found the unknown key \"worng\"; expected only wrong, refused, errors (did you mean 'wrong'?)",
    ),
    "errors": (
        lambda: read(ward(answers={"errors": "sticky"})),
        "answers.errors: found \"sticky\"; expected one of 'independent', 'persistent'",
    ),
    "wrong too often": (
        lambda: read(ward(answers={"wrong": 0.5})),
        "answers.wrong: found 0.5; expected a number from 0 and below 0.5",
    ),
    "wrong negative": (lambda: read(ward(answers={"wrong": -0.1})), f"answers.wrong: found -0.1; expected {FROM_0}"),
    "refused always": (
        lambda: read(ward(answers={"refused": 1})),
        "answers.refused: found 1; expected a number from 0 and below 1",
    ),
    "groups list": (lambda: read(ward(groups=[])), f"groups: found []; expected {OBJECT}"),
    "group text": (
        lambda: read(ward(groups={"a": "to room 1"})),
        'groups.a: found "to room 1"; expected a list, [ ... ]',
    ),
    "group empty": (lambda: read(ward(groups={"a": []})), "groups.a: found []; expected at least one goal"),
    "group unknown": (
        lambda: read(ward(groups={"a": ["to room 3"]})),
        "groups.a[0]: found \"to room 3\"; expected one of 'to room 1', 'to room 2' (did you mean 'to room 2'?)",
    ),
    "group twice": (
        lambda: read(ward(groups={"a": ["to room 1", "to room 1"]})),
        'groups.a[1]: found "to room 1"; expected each goal once',
    ),
    "group name": (lambda: read(ward(groups={"": ["to room 1"]})), f"groups: found an empty name; expected {NAMED}"),
    "words text": (lambda: read(ward(words="x")), f'words: found "x"; expected {OBJECT}'),
    "words key": (
        lambda: read(ward(words={"fetcher": "x"})),
        'words: found the unknown key "fetcher"; expected only teammate, ego, goal',
    ),
    "word empty": (lambda: read(ward(words={"ego": ""})), f"words.ego: found an empty name; expected {NAMED}"),
    "word number": (lambda: read(ward(words={"ego": 1})), "words.ego: found 1; expected a string"),
}

POLICY_FAULTS: dict[str, Fault] = {
    "kind": (lambda: read(pol("urp")), f'teammate.policy: found "urp"; expected one of {KINDS}'),
    "number": (lambda: read(pol(1)), f"teammate.policy: found 1; expected one of {KINDS}"),
    "two": (
        lambda: read(pol({"noisy": 0.1, "boltzmann": 1})),
        f'teammate.policy: found {{"noisy": 0.1, "boltzmann": 1}}; expected one of {KINDS}',
    ),
    "none": (lambda: read(pol({})), f"teammate.policy: found {{}}; expected one of {KINDS}"),
    "unknown": (lambda: read(pol({"via": 1})), f'teammate.policy: found {{"via": 1}}; expected one of {KINDS}'),
    "bare": (lambda: read(pol("noisy")), f'teammate.policy: found "noisy"; expected one of {KINDS}'),
    "boltzmann": (
        lambda: read(pol({"boltzmann": 0})),
        "teammate.policy.boltzmann: found 0; expected a finite number above 0",
    ),
    "noisy": (lambda: read(pol({"noisy": 1.5})), "teammate.policy.noisy: found 1.5; expected a number from 0 to 1"),
    "noisy text": (lambda: read(pol({"noisy": "x"})), f'teammate.policy.noisy: found "x"; expected {FROM_0}'),
    "table number": (
        lambda: read(pol({"table": 3})),
        "teammate.policy.table: found 3; expected the name of a CSV file, or rows [goal, state, action, probability]",
    ),
    "file in no file": (
        lambda: read(pol({"table": "x.csv"})),
        'teammate.policy.table: found "x.csv"; '
        "expected rows [goal, state, action, probability]: only a problem file can name a CSV file",
    ),
    "row": (
        lambda: read(pol({"table": [1]})),
        "teammate.policy.table[0]: found 1; expected [goal, state, action, probability]",
    ),
    "row of three": (
        lambda: read(pol({"table": [["to room 1", "desk", "go"]]})),
        'teammate.policy.table[0]: found ["to room 1", "desk", "go"]; expected [goal, state, action, probability]',
    ),
    "goal": (
        lambda: read(pol({"table": [["x", "desk", "go", 1]]})),
        'teammate.policy.table[0]: found the unknown goal "x"; expected the name of a goal',
    ),
    "goal number": (
        lambda: read(pol({"table": [[1, "desk", "go", 1]]})),
        "teammate.policy.table[0][0]: found 1; expected a string",
    ),
    "state": (
        lambda: read(pol({"table": [["to room 1", "dek", "go", 1]]})),
        f"teammate.policy.table[0][1]: found \"dek\"; expected {STATES} (did you mean 'desk'?)",
    ),
    "action": (
        lambda: read(pol({"table": [["to room 1", "desk", "run", 1]]})),
        'teammate.policy.table[0]: found the unknown action "run"; expected an action of the teammate',
    ),
    "not there": (
        lambda: read(pol({"table": [["to room 1", "desk", "left", 1]]})),
        'teammate.policy.table[0]: found "left" in state "desk"; expected an action that is available there',
    ),
    "share": (
        lambda: read(pol({"table": [["to room 1", "desk", "go", 2]]})),
        "teammate.policy.table[0][3]: found 2; expected a number from 0 to 1",
    ),
    "twice": (
        lambda: read(pol({"table": [["to room 1", "desk", "go", 0.5]] * 2})),
        'teammate.policy.table[1]: found goal "to room 1", state "desk", action "go" again; expected it once',
    ),
    "goal without": (
        lambda: read(pol({"table": [["to room 1", "desk", "go", 1]]})),
        'teammate.policy.table: found no rows for goal "to room 2"; expected rows for every goal',
    ),
}


@each(
    {
        f"{kind}: {name}": fault
        for kind, faults in {
            "file": FORMAT_FAULTS,
            "goal": GOALS_FAULTS,
            "rest": REST_FAULTS,
            "policy": POLICY_FAULTS,
        }.items()
        for name, fault in faults.items()
    }
)
def test_faults(attempt: Any, message: str) -> None:
    assert_refused(attempt, message)
