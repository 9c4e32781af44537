"""Faulty graphs and maps in problem files: every message is checked as a whole."""

from __future__ import annotations

from typing import Any

from tests.domains.stated.files import read, ward
from tests.refused import Fault, assert_refused, each

STATE = "a state: a text, a whole number of at most 15 digits, or a cell [x, y]"
STATES = 'a state of the graph, "desk", "hall", "room 1", "room 2"'
REQUIRED = "this key, which is required"
NAMED = "names with at least one character"
OBJECT = "an object, { ... }"
X = "x"


def edges(*given: Any) -> dict[str, Any]:
    return ward(teammate__edges=list(given))


SIDE_FAULTS: dict[str, Fault] = {
    "text": (lambda: read(ward(teammate="desk")), f'teammate: found "desk"; expected {OBJECT}'),
    "neither": (
        lambda: read(ward(teammate__edges=None)),
        "teammate.edges, teammate.map: found neither; expected one of the two: a graph or a drawn map",
    ),
    "both": (
        lambda: read(ward(ego__edges=[])),
        "ego.edges, ego.map: found both; expected one of the two: a graph or a drawn map",
    ),
    "no start": (lambda: read(ward(teammate__start=None)), f"teammate.start: found nothing; expected {REQUIRED}"),
    "unknown key": (
        lambda: read(ward(teammate__moves=[])),
        'teammate: found the unknown key "moves"; expected only start, edges, states, actions, stay, policy',
    ),
    "misspelt": (
        lambda: read(ward(ego__strat="F")),
        "ego: found the unknown key \"strat\"; expected only start, map (did you mean 'start'?)",
    ),
    "policy of the ego": (
        lambda: read(ward(ego__policy="urop")),
        'ego: found the unknown key "policy"; expected only start, map',
    ),
    "states on a map": (
        lambda: read(ward(ego__states=[])),
        "ego: found the unknown key \"states\"; expected only start, map (did you mean 'start'?)",
    ),
    "unknown start": (
        lambda: read(ward(teammate__start="dsk")),
        f"teammate.start: found \"dsk\"; expected {STATES} (did you mean 'desk'?)",
    ),
    "start in a list": (
        lambda: read(ward(teammate__start=["desk"])),
        f'teammate.start: found ["desk"]; expected {STATE}',
    ),
    "start false": (lambda: read(ward(teammate__start=False)), f"teammate.start: found false; expected {STATE}"),
    "edges text": (
        lambda: read(ward(teammate__edges="desk")),
        'teammate.edges: found "desk"; expected a list, [ ... ]',
    ),
    "edge text": (
        lambda: read(edges("desk go hall")),
        'teammate.edges[0]: found "desk go hall"; expected [state, action, next state]',
    ),
    "edge of two": (
        lambda: read(edges(["a", "b"])),
        'teammate.edges[0]: found ["a", "b"]; expected [state, action, next state]',
    ),
    "edge of four": (
        lambda: read(edges(["a", "go", "b", 1])),
        'teammate.edges[0]: found ["a", "go", "b", 1]; expected [state, action, next state]',
    ),
    "state true": (lambda: read(edges([True, "go", "b"])), f"teammate.edges[0][0]: found true; expected {STATE}"),
    "state empty": (
        lambda: read(edges(["", "go", "b"])),
        f"teammate.edges[0][0]: found an empty name; expected {NAMED}",
    ),
    "state fraction": (lambda: read(edges([1.5, "go", "b"])), f"teammate.edges[0][0]: found 1.5; expected {STATE}"),
    "state an object": (lambda: read(edges(["a", "go", {}])), f"teammate.edges[0][2]: found {{}}; expected {STATE}"),
    "long state": (
        lambda: read(edges(["a", "go", "x" * 300])),
        f'teammate.edges[0][2]: found a name of 300 characters, "{X * 56}...; expected at most 200',
    ),
    "huge number": (
        lambda: read(edges([10**16, "go", "b"])),
        f"teammate.edges[0][0]: found 10000000000000000; expected {STATE}",
    ),
    "action number": (lambda: read(edges(["a", 1, "b"])), "teammate.edges[0][1]: found 1; expected a string"),
    "action empty": (
        lambda: read(edges(["a", "", "b"])),
        f"teammate.edges[0][1]: found an empty name; expected {NAMED}",
    ),
    "half": (
        lambda: read(edges(["a", "g\udfff", "b"])),
        "teammate.edges[0][1]: found 'g\\udfff', which contains a lone surrogate; expected valid Unicode",
    ),
    "twice": (
        lambda: read(edges(["desk", "go", "a"], ["desk", "go", "b"])),
        'teammate.edges[1]: found action "go" of state "desk" once more, after teammate.edges[0]; '
        "expected each action of a state once",
    ),
    "same twice": (
        lambda: read(edges(["desk", "go", "a"], ["desk", "x", "b"], ["desk", "go", "a"])),
        'teammate.edges[2]: found action "go" of state "desk" once more, after teammate.edges[0]; '
        "expected each action of a state once",
    ),
    "stay that moves": (
        lambda: read(edges(["desk", "STAY", "a"])),
        'teammate.edges[0]: found a move by "STAY" from "desk" to "a"; '
        "expected another name for it: this name means staying",
    ),
    "stay twice": (
        lambda: read(edges(["desk", "STAY", "desk"], ["desk", "STAY", "desk"])),
        'teammate.edges[1]: found action "STAY" of state "desk" once more, after teammate.edges[0]; '
        "expected each action of a state once",
    ),
    "numbers and cells": (
        lambda: read(edges([1, "go", [2, 3]])),
        "teammate.edges[0][2]: found 1 and [2, 3] as states of one graph; expected numbers or cells, not both",
    ),
    "state listed twice": (
        lambda: read(ward(teammate__states=["a", "b", "a"])),
        'teammate.states[2]: found "a"; expected each of the states once',
    ),
    "actions listed twice": (
        lambda: read(ward(teammate__actions=["go", "go"])),
        'teammate.actions[1]: found "go"; expected each of the actions once',
    ),
    "states text": (lambda: read(ward(teammate__states="a")), 'teammate.states: found "a"; expected a list, [ ... ]'),
    "stay number": (lambda: read(ward(teammate__stay=1)), "teammate.stay: found 1; expected a string"),
}

MAP_FAULTS: dict[str, Fault] = {
    "number": (lambda: read(ward(ego__map=3)), "ego.map: found 3; expected a text, or a list of lines"),
    "empty": (lambda: read(ward(ego__map="")), 'ego.map: found ""; expected at least one line of cells'),
    "blank": (lambda: read(ward(ego__map=["", " "])), 'ego.map: found ["", " "]; expected at least one line of cells'),
    "empty list": (lambda: read(ward(ego__map=[])), "ego.map: found []; expected at least one line of cells"),
    "line number": (lambda: read(ward(ego__map=["..", 3])), "ego.map[1]: found 3; expected a string"),
    "two lines in one": (
        lambda: read(ward(ego__map=["..", "..\n.."])),
        'ego.map, line 2: found "..\\n.."; expected one line',
    ),
    "ragged": (
        lambda: read(ward(ego__map="A..F\n..B")),
        "ego.map, line 2: found 3 cells; expected 4, as in line 1 (every line has the same length)",
    ),
    "blank line inside": (
        lambda: read(ward(ego__map="A..F\n\n...B")),
        "ego.map, line 2: found 0 cells; expected 4, as in line 1 (every line has the same length)",
    ),
    "sign": (
        lambda: read(ward(ego__map="A..F\n.?.B")),
        "ego.map, line 2, column 2: found '?'; expected '#' (wall), '.' (free), or a letter or digit",
    ),
    "space": (
        lambda: read(ward(ego__map="A..F\n. .B")),
        "ego.map, line 2, column 2: found ' '; expected '#' (wall), '.' (free), or a letter or digit",
    ),
    "half": (
        lambda: read(ward(ego__map="A..F\n.\ud800.B")),
        "ego.map, line 2, column 2: found '\\ud800'; expected '#' (wall), '.' (free), or a letter or digit",
    ),
    "walls": (
        lambda: read(ward(ego__map="###")),
        "ego.map: found a wall in every cell; expected at least one free cell",
    ),
    "wide": (
        lambda: read(ward(ego__map="." * 10001)),
        "ego.map: found 10001 x 1 cells; expected at most 10000 each way and 16000000 in total",
    ),
    "no such letter": (
        lambda: read(ward(ego__start="X")),
        'ego.start: found "X"; expected a letter of the map, "A", "B", "F", or a cell [x, y]',
    ),
    "two letters": (
        lambda: read(ward(ego__start="FB")),
        'ego.start: found "FB"; expected a letter of the map, "A", "B", "F", or a cell [x, y] (did you mean \'F\'?)',
    ),
    "lower case": (
        lambda: read(ward(ego__start="f")),
        'ego.start: found "f"; expected a letter of the map, "A", "B", "F", or a cell [x, y] (did you mean \'F\'?)',
    ),
    "start on many": (
        lambda: read(ward(ego__map="FF..A\n....B")),
        'ego.start: found "F", which is on 2 cells; expected one cell',
    ),
    "start outside": (
        lambda: read(ward(ego__start=[5, 0])),
        "ego.start: found [5, 0]; expected a cell [x, y] with x from 0 to 4 and y from 0 to 1",
    ),
    "start wall": (
        lambda: read(ward(ego__start=[4, 1])),
        "ego.start: found [4, 1], which is a wall; expected a free cell",
    ),
    "start of three": (
        lambda: read(ward(ego__start=[1, 2, 3])),
        "ego.start: found [1, 2, 3]; expected a cell [x, y] with x from 0 to 4 and y from 0 to 1",
    ),
    "start number": (
        lambda: read(ward(ego__start=3)),
        'ego.start: found 3; expected a letter of the map, "A", "B", "F", or a cell [x, y]',
    ),
    "no letters": (lambda: read(ward(ego__map="....")), 'ego.start: found "F"; expected a cell [x, y]'),
}


@each(
    {
        f"{kind}: {name}": fault
        for kind, faults in {"side": SIDE_FAULTS, "map": MAP_FAULTS}.items()
        for name, fault in faults.items()
    }
)
def test_faults(attempt: Any, message: str) -> None:
    assert_refused(attempt, message)
