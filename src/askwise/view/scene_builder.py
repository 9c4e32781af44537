"""Makes scenes of problems and of the moments of episodes; a scene is all data that a drawing shows.

A grid becomes a map, any other model a graph. Different models of the two agents are drawn side by side. What all
moments share is built once (`StaticScene`).

There is a moment for each step of an episode, with the agents before the step, and one for the end.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

from askwise.api import as_problem
from askwise.core.episode import Episode, Step
from askwise.core.problem import JointState, Problem
from askwise.core.side import place_and_load
from askwise.domains.registry import words_of
from askwise.model import GridWorld, Model, same_model
from askwise.text.wording import Vocabulary, counted, number, printable
from askwise.types import FloatArray
from askwise.view.decision_text import reply_to_text
from askwise.view.layout import Net, excerpt, lay_out
from askwise.view.layout.net import ELSEWHERE
from askwise.view.scene import DrawnGraph, Figure, Floor, Goal, Landmark, Map, Place, Scene

_DRAWN: WeakKeyDictionary[Model, dict[Any, tuple[DrawnGraph, dict[int, Place]]]] = WeakKeyDictionary()
"""Drawings of models, keyed by the agent's start and the texts above states."""


# -- problems -----------------------------------------------------------------------------------------------------


def scene_of(problem: Problem, state: JointState, belief: FloatArray | None = None) -> Scene:
    """Return the scene of a problem for given states of both agents, without a question or progress.

    `belief`, ``float64 [n_goals]``, is the ego agent's belief; None if it is not to be drawn.
    """
    static = _static(problem)
    words, teammate, ego = static.words, static.teammate, static.ego or static.teammate
    place, load = place_and_load(problem.ego, state.ego)
    carried = "" if load < 0 else problem.goals[load]
    hands = f"the {words.load or 'load'} of {printable(carried)}" if carried else "empty hands"
    return Scene(
        words=words,
        floor=teammate.floor,
        teammate=_figure(words.teammate, words.teammate_sign, teammate, state.teammate),
        ego=_figure(words.ego, words.ego_sign, ego, place),
        goals=static.goals,
        landmarks=static.landmarks,
        carried=carried,
        hands=hands if problem.ego.loads else "",
        belief=belief,
        ego_floor=None if static.ego is None else static.ego.floor,
    )


def place_in(problem: Problem, side: str, state: int) -> Place:
    """Return the coordinates ``(x, y)`` at which an agent is drawn in a state.

    Args:
        problem: the problem.
        side: the agent, ``teammate`` or ``ego``.
        state: the index of a state in the agent's model (without what the agent carries).
    """
    static = _static(problem)
    drawn = static.teammate if side == "teammate" or static.ego is None else static.ego
    return drawn.place(state)


@dataclass(frozen=True, eq=False)
class DrawnModel:
    """A model and its drawing.

    Attributes:
        model: the model.
        floor: its map or graph with coordinates.
        place: a function that takes the index of a state and returns the coordinates ``(x, y)`` at which it is drawn.
    """

    model: Model
    floor: Floor
    place: Callable[[int], Place]

    def name(self, state: int) -> str:
        """Return the name of a state, given by its index, with control characters written as escapes."""
        return printable(str(self.model.name(state)))


@dataclass(frozen=True, eq=False)
class StaticScene:
    """The parts of a problem's scenes that stay the same in an episode.

    Attributes:
        words: the nouns and letters for agents, goals and other things.
        teammate: the teammate's model with its drawing.
        ego: the ego agent's model with its drawing; None if it has the teammate's.
        goals: the goals with the places where the agents reach them.
        landmarks: places that matter but are no goals.
    """

    words: Vocabulary
    teammate: DrawnModel
    ego: DrawnModel | None
    goals: tuple[Goal, ...]
    landmarks: tuple[Landmark, ...]


_STATIC: dict[int, StaticScene] = {}
"""Static scenes by the ``id`` of their problem while it exists; problems need not be hashable."""


def _static(problem: Problem) -> StaticScene:
    key = id(problem)
    if key not in _STATIC:
        _STATIC[key] = _make_static(problem)
        weakref.finalize(problem, _STATIC.pop, key, None)
    return _STATIC[key]


def _make_static(problem: Problem) -> StaticScene:
    words = words_of(problem)
    goals = range(len(problem.goals))
    names = [printable(name) for name in problem.goals]
    walks = [problem.teammate.targets(goal).tolist() for goal in goals]
    ends = [problem.ego.targets(goal).tolist() for goal in goals]
    fetches = [[place_and_load(problem.ego, state)[0] for state in states] for states in ends]
    together = same_model(problem.teammate.model, problem.ego.model)
    marked = _names_at(names, walks)
    if together:
        # The teammate's name has precedence: the ego agent's mark in the same place is small.
        marked = _names_at(names, fetches) | marked
    start = place_and_load(problem.ego, problem.start.ego)[0]
    teammate = _drawn(problem.teammate.model, problem.start.teammate, marked)
    own = None if together else _drawn(problem.ego.model, start, _names_at(names, fetches))
    ego = own or teammate
    landmark_of = {goal: k for k, site in enumerate(words.sites) for goal in site.goals}
    found = []
    for goal, name in enumerate(problem.goals):
        first, *others = (teammate.place(state) for state in walks[goal])
        # An agent that carries loads first goes to the load, whose place is shown by a landmark.
        shown = () if problem.ego.loads else tuple(ego.place(state) for state in fetches[goal])
        found.append(Goal(name, first, landmark_of.get(name), also=tuple(others), ego=shown))
    model = problem.teammate.model
    landmarks = tuple(Landmark(site.name, teammate.place(model.state(site.at))) for site in words.sites)
    return StaticScene(words, teammate, own, tuple(found), landmarks)


def _names_at(names: list[str], targets: list[list[int]]) -> dict[int, str]:
    """Return a text for each state in which goals are reached, by the index of the state; the text names the goals.

    The text is the first goal's name, such as ``A``, or ``A +2`` if there are three goals. `targets` has the states in
    which each goal is reached.
    """
    found: dict[int, list[str]] = {}
    for name, states in zip(names, targets, strict=True):
        for state in states:
            found.setdefault(state, []).append(name)
    return {state: goals[0] if len(goals) == 1 else f"{goals[0]} +{len(goals) - 1}" for state, goals in found.items()}


def _drawn(model: Model, start: int, marked: dict[int, str]) -> DrawnModel:
    if isinstance(model, GridWorld):
        return DrawnModel(model, Map(model.walls), lambda state: _cell(model, state))
    drawn = _DRAWN.setdefault(model, {})
    key = (start, *marked.items())
    if key not in drawn:
        drawn[key] = _draw(model, start, marked)
    graph, places = drawn[key]
    return DrawnModel(model, graph, lambda state: places.get(state, graph.nodes[-1].at))


def _cell(model: GridWorld, state: int) -> Place:
    x, y = model.cells[state].tolist()
    return x, y


def _draw(model: Model, start: int, marked: dict[int, str]) -> tuple[DrawnGraph, dict[int, Place]]:
    """Draw a model as a graph; return the drawing, and a dict from states (indices) to coordinates ``(x, y)``.

    States that are not drawn are not in the dict; the last node stands for them. `start` is the agent's first state;
    `marked` has the text above each state in which goals are reached.
    """
    net = Net.of(model, excerpt(model, start, marked))
    node_of = {state: node for node, state in enumerate(net.states) if state != ELSEWHERE}
    above = {node_of[state]: text for state, text in marked.items() if state in node_of}
    # A goal often has the name of its place, which is not repeated.
    above = {node: "" if text == net.names[node] else text for node, text in above.items()}
    graph = lay_out(net, node_of[start], above)
    return graph, {state: graph.nodes[node].at for state, node in node_of.items()}


def _figure(name: str, sign: str, drawn: DrawnModel, state: int) -> Figure:
    return Figure(name, sign, drawn.place(state), "" if isinstance(drawn.floor, Map) else drawn.name(state))


# -- episodes -----------------------------------------------------------------------------------------------------


def start_scene(given: object, belief: FloatArray | None = None) -> Scene:
    """Return the scene at the start of a problem; its attribute `progress` has the size of the problem.

    Args:
        given: a problem, an instance of any domain, or the path of its file.
        belief: ``float64 [n_goals]``, the ego agent's belief; None if it is not to be drawn.
    """
    problem = as_problem(given)
    scene = scene_of(problem, problem.start, belief)
    return replace(scene, progress=scene.size)


def scenes(episode: Episode) -> Iterator[Scene]:
    """Return an iterator over the scenes of an episode in order: one before each step, and one at the end."""
    costs = costs_before(episode)
    return (_scene(episode, k, costs[k]) for k in range(len(episode.steps) + 1))


def scene_at(episode: Episode, k: int) -> Scene:
    """Return the scene before step `k` of an episode, counted from 0, or at the end if `k` is the number of steps."""
    return _scene(episode, k, costs_before(episode)[k])


def costs_before(episode: Episode) -> list[float]:
    """Return the cost of an episode before each of its steps and, as the last element, its whole cost."""
    return list(accumulate((step.cost for step in episode.steps), initial=0.0))


def _scene(episode: Episode, k: int, cost: float) -> Scene:
    n = len(episode.steps)
    spent = f"cost so far {number(cost)}, with the goal known {number(episode.known_cost)}"
    if k == n:
        scene = scene_of(episode.problem, episode.final)
        return replace(
            scene,
            belief=episode.steps[-1].belief if n else None,
            goal=episode.goal,
            progress=f"after {counted(n, 'step')}: {spent}",
            event=f"{scene.words.done if episode.finished else 'Stopped here.'} {questions_asked(episode)}",
        )
    step = episode.steps[k]
    return replace(
        scene_of(episode.problem, step.state),
        belief=step.belief,
        asked=step.answer.asked if step.answer else (),
        reply=reply_to_text(episode.problem.goals, step.answer) if step.answer else "",
        goal=episode.goal,
        progress=f"step {step.t} of {n}: {spent}",
        event=event_of(step),
    )


def event_of(step: Step) -> str:
    """Return one sentence about a step.

    It states the price and the expected saving of the question, or the ego agent's reason for its action.
    """
    if step.answer is not None:
        worth = "" if step.decision.value is None else f", expected to save {number(round(step.decision.value, 2))}"
        return f"The question costs {number(step.cost)}{worth}; no agent moves."
    return printable(step.decision.why)


def questions_asked(episode: Episode) -> str:
    """Return one sentence about the number of questions in an episode and their total price."""
    asked = episode.questions
    if not asked:
        return "No question was asked."
    were = "was" if len(asked) == 1 else "were"
    return f"{counted(len(asked), 'question')} {were} asked, for {number(sum(step.cost for step in asked))}."
