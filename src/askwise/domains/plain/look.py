"""Any problem of two models as it is drawn: maps as maps, graphs as graphs, two different models side by side."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from askwise.api import as_problem
from askwise.domains.plain.description import describe
from askwise.domains.registry import words_of
from askwise.errors import InputError
from askwise.factored import FactoredProblem
from askwise.model import GridWorld, Model
from askwise.problem import JointState
from askwise.reading import printable
from askwise.showing.grounds import Graph, Ground, Map, Place
from askwise.showing.layout import Net, excerpt, lay_out
from askwise.showing.layout.net import ELSEWHERE
from askwise.showing.scene import Figure, Goal, Scene
from askwise.types import FloatArray


class PlainLook:
    """How any problem of two models looks; fulfils `askwise.domains.parts.Look`."""

    def scene(self, problem: FactoredProblem, state: JointState) -> Scene:
        """See `Look`."""
        stage = _stage(problem)
        words = words_of(problem)
        teammate, ego = stage.teammate, stage.ego or stage.teammate
        return Scene(
            words=words,
            ground=teammate.ground,
            teammate=_figure(words.teammate, words.teammate_sign, teammate, state.teammate),
            ego=_figure(words.ego, words.ego_sign, ego, state.ego),
            goals=stage.goals,
            ego_ground=None if stage.ego is None else stage.ego.ground,
        )

    def start(self, given: Any) -> Scene:
        """See `Look`."""
        problem = _problem(given)
        return self.scene(problem, problem.start)

    def prior(self, given: Any) -> FloatArray:
        """See `Look`."""
        return _problem(given).prior

    def describe(self, given: Any) -> str:
        """See `Look`."""
        problem = _problem(given)
        return describe(problem, words_of(problem), self.start(problem).size)


LOOK = PlainLook()


@dataclass(frozen=True, eq=False)
class Side:
    """A model as it is drawn: its ground, and the place and the name of each state."""

    model: Model
    ground: Ground
    place: Callable[[int], Place]

    def name(self, state: int) -> str:
        """Return the name of a state, printable."""
        return printable(str(self.model.name(state)))


@dataclass(frozen=True, eq=False)
class Stage:
    """All of a problem that does not change from moment to moment.

    Attributes:
        teammate: the teammate's side.
        ego: the ego agent's, None if it is the same.
        goals: the goals and where they are on both.
    """

    teammate: Side
    ego: Side | None
    goals: tuple[Goal, ...]


_STAGES: dict[int, Stage] = {}
"""Stages by the identity of their problem, for as long as it lives: problems need not be hashable."""

_DRAWN: WeakKeyDictionary[Model, dict[Any, tuple[Graph, dict[int, Place]]]] = WeakKeyDictionary()
"""Drawings of models, by where the agent starts and what is written above states."""


def _stage(problem: FactoredProblem) -> Stage:
    key = id(problem)
    if key not in _STAGES:
        _STAGES[key] = _make_stage(problem)
        weakref.finalize(problem, _STAGES.pop, key, None)
    return _STAGES[key]


def _make_stage(problem: FactoredProblem) -> Stage:
    goals = range(len(problem.goals))
    names = [printable(name) for name in problem.goals]
    walks = [problem.teammate.targets(goal).tolist() for goal in goals]
    fetches = [problem.ego.targets(goal).tolist() for goal in goals]
    together = same_model(problem.teammate.model, problem.ego.model)
    marked = _names_at(names, walks)
    if together:
        # Where the teammate has a mark, its name stays alone: the ego agent's mark there is a small one.
        marked = _names_at(names, fetches) | marked
    teammate = _side(problem.teammate.model, problem.start.teammate, marked)
    own = None if together else _side(problem.ego.model, problem.start.ego, _names_at(names, fetches))
    ego = own or teammate
    found = []
    for goal in goals:
        first, *others = (teammate.place(state) for state in walks[goal])
        ends = tuple(ego.place(state) for state in fetches[goal])
        found.append(Goal(problem.goals[goal], first, also=tuple(others), ego=ends))
    return Stage(teammate, own, tuple(found))


def _names_at(names: list[str], targets: list[list[int]]) -> dict[int, str]:
    """Return the first of the goals that each state is a target of, and how many others there are."""
    found: dict[int, list[str]] = {}
    for name, states in zip(names, targets, strict=True):
        for state in states:
            found.setdefault(state, []).append(name)
    return {state: goals[0] if len(goals) == 1 else f"{goals[0]} +{len(goals) - 1}" for state, goals in found.items()}


def same_model(one: Model, other: Model) -> bool:
    """Whether two models can be drawn as one: the same states, actions and steps."""
    if one is other:
        return True
    if one.labels is not None or other.labels is not None:
        return _steps(one) == _steps(other)
    if isinstance(one, GridWorld) != isinstance(other, GridWorld) or one.actions != other.actions:
        return False
    if isinstance(one, GridWorld) and isinstance(other, GridWorld):
        return np.array_equal(one.walls, other.walls)
    return np.array_equal(one.successor, other.successor) and all(
        one.name(state) == other.name(state) for state in range(one.n_states)
    )


def _steps(model: Model) -> list[tuple[object, object, object]]:
    """Return all steps by name: state, action, next state; every state has one, staying."""
    places, columns = (each.tolist() for each in np.nonzero(model.available))
    return [
        (model.name(s), model.action_name(s, a), model.name(int(model.successor[s, a])))
        for s, a in zip(places, columns, strict=True)
    ]


def _side(model: Model, start: int, marked: dict[int, str]) -> Side:
    if isinstance(model, GridWorld):
        return Side(model, Map(model.walls), lambda state: _cell(model, state))
    drawn = _DRAWN.setdefault(model, {})
    key = (start, *marked.items())
    if key not in drawn:
        drawn[key] = _draw(model, start, marked)
    graph, places = drawn[key]
    return Side(model, graph, lambda state: places.get(state, graph.nodes[-1].at))


def _cell(model: GridWorld, state: int) -> Place:
    x, y = model.cells[state].tolist()
    return x, y


def _draw(model: Model, start: int, marked: dict[int, str]) -> tuple[Graph, dict[int, Place]]:
    """Return the drawing of a model and the places of its states; those not drawn are where the last node is."""
    net = Net.of(model, excerpt(model, start, marked))
    node_of = {state: node for node, state in enumerate(net.states) if state != ELSEWHERE}
    above = {node_of[state]: text for state, text in marked.items() if state in node_of}
    # A goal is often called like its place: once is enough.
    above = {node: "" if text == net.names[node] else text for node, text in above.items()}
    graph = lay_out(net, node_of[start], above)
    return graph, {state: graph.nodes[node].at for state, node in node_of.items()}


def _figure(name: str, sign: str, side: Side, state: int) -> Figure:
    at = side.place(state)
    return Figure(name, sign, at, "" if isinstance(side.ground, Map) else side.name(state))


_PROBLEMS: dict[int, FactoredProblem] = {}
"""The problems of instances, by their identity: to describe and draw one, its tables are worked out once."""


def _problem(given: Any) -> FactoredProblem:
    if isinstance(given, FactoredProblem):
        return given
    key = id(given)
    if key not in _PROBLEMS:
        made = as_problem(given)
        if not isinstance(made, FactoredProblem):
            raise InputError("problem", f"a problem of type {type(made).__name__}", "a FactoredProblem")
        _PROBLEMS[key] = made
        weakref.finalize(given, _PROBLEMS.pop, key, None)
    return _PROBLEMS[key]
