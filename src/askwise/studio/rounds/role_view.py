"""The view of a role: the data that a person's browser gets, without what this role may not know.

Both roles see the map or graph and both agents. The teammate gets the goal, but not the ego agent's belief, reasons and
next decision. The ego agent gets the prior, the prices and all answers so far, but the goal only when the round is
finished.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from askwise.core.problem import JointState, Problem, teammate_does
from askwise.core.question_json import question_to_json
from askwise.core.questions import Choice, Question
from askwise.domains.registry import words_of
from askwise.studio.rounds.round import ANSWER, MOVE, Round
from askwise.text.wording import Vocabulary, printable
from askwise.view.decision_text import group_names
from askwise.view.page import any_floor_data
from askwise.view.scene import Place
from askwise.view.scene_builder import scene_of, start_scene


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """The place of one agent, as a browser shows it.

    Attributes:
        at: a cell ``(x, y)`` of the map, or a point in the drawing of a graph.
        place: the place in words.
        carried: the goal whose load the agent carries; empty for none.
        hands: what the agent carries, in words; empty if this problem has no loads.
    """

    at: Place
    place: str
    carried: str = ""
    hands: str = ""


@dataclass
class Places:
    """A cache of the places of both agents in one problem.

    Attributes:
        words: the words for agents and goals.
        board: the data on map or graph and goals that all rounds share; empty before the first round.
        teammate: the teammate's place by the index of its state.
        ego: the ego agent's place by the index of its state.
    """

    words: Vocabulary
    board: dict[str, Any] = field(default_factory=dict)
    teammate: dict[int, AgentPlace] = field(default_factory=dict)
    ego: dict[int, AgentPlace] = field(default_factory=dict)

    def of_teammate(self, problem: Problem, state: int) -> AgentPlace:
        """Return the place of the teammate in the state with index `state`, from the cache if possible."""
        if state not in self.teammate:
            figure = scene_of(problem, JointState(state, problem.start.ego)).teammate
            self.teammate[state] = AgentPlace(figure.at, figure.place)
        return self.teammate[state]

    def of_ego(self, problem: Problem, state: int) -> AgentPlace:
        """Return where the ego agent is, and what it carries, in the state with index `state`.

        The result comes from the cache if possible.
        """
        if state not in self.ego:
            scene = scene_of(problem, JointState(problem.start.teammate, state))
            self.ego[state] = AgentPlace(scene.ego.at, scene.ego.place, printable(scene.carried), scene.hands)
        return self.ego[state]


_KNOWN: dict[int, Places] = {}
"""Places by the identity of the problem while it exists: problems need not be hashable."""


def places_in(problem: Problem) -> Places:
    """Return the object that knows where agents are drawn on the map or graph of a problem.

    The object is kept for later calls until the `Problem` object is deleted.
    """
    key = id(problem)
    if key not in _KNOWN:
        _KNOWN[key] = Places(words_of(problem))
        weakref.finalize(problem, _KNOWN.pop, key, None)
    return _KNOWN[key]


def board(made: Round) -> dict[str, Any]:
    """Return the data that a person's browser gets once per round, as JSON: role, words, goals, map or graph.

    If the person plays the teammate, the data include the index of the goal, otherwise the prior and the prices.
    """
    problem, places = made.problem, places_in(made.problem)
    if not places.board:
        places.board = _shared(problem)
    found = {"role": made.setup.role, **places.board}
    if made.robot is not None:
        return {**found, "goal": made.goal}
    return {**found, "prior": [float(f"{p:.4g}") for p in problem.prior], "prices": _prices(made)}


def preview(problem: Problem) -> dict[str, Any]:
    """Return the data for a picture of a problem at its start, as JSON.

    Keys: ``board`` (words, goals, landmarks, and the map or graph) and ``start`` (the places of both agents).
    """
    scene = start_scene(problem)
    start = {"teammate": {"at": list(scene.teammate.at)}, "ego": {"at": list(scene.ego.at)}, "carried": ""}
    return {"board": _shared(problem), "start": start}


def _shared(problem: Problem) -> dict[str, Any]:
    """Return the data that browsers get in every round of a problem, as JSON: words, goals, and map or graph."""
    scene = start_scene(problem)
    words = scene.words
    return {
        "title": words.title,
        "size": scene.size,
        "words": _words(words),
        "goals": [printable(goal.name) for goal in scene.goals],
        "names": list(problem.goals),
        "goalLandmarks": [goal.landmark for goal in scene.goals],
        "landmarks": [[printable(each.name), *each.at] for each in scene.landmarks],
        **any_floor_data(scene, every=True),
    }


def _words(words: Vocabulary) -> dict[str, str]:
    return {
        "teammate": words.teammate,
        "ego": words.ego,
        "goal": words.goal,
        "goals": words.goals,
        "landmark": words.landmark,
        "load": words.load,
        "teammateSign": words.teammate_sign,
        "egoSign": words.ego_sign,
    }


def _prices(made: Round) -> dict[str, Any]:
    price, n = made.problem.query_cost, len(made.problem.goals)
    return {"base": price.base, "perGoal": list(price.prices) if price.prices else [price.per_goal] * n}


def state(made: Round) -> dict[str, Any]:
    """Return the data that a person's browser gets after every step, as JSON.

    Keys:

    - ``t``, ``cost``, ``questions``: steps, cost and number of questions so far;
    - ``phase``: ``thinking`` (the method decides), ``move`` (the person moves or asks), ``answer`` (the person answers)
      or ``over``;
    - ``teammate``, ``ego``: dicts with ``at`` (the position) and ``place`` (in words);
    - ``carried``: the goal for which the ego agent carries something; may be empty;
    - ``hands``: what the ego agent carries, in words;
    - ``last``: the last step (see `_last`); None before the first;
    - ``moves``: only in the phase ``move``: a dict per move, with ``name``, ``label``, ``to`` (the new position),
      ``place`` (in words) and ``waits`` (whether the agent stays);
    - ``question``: only in the phase ``answer`` (see `_question`);
    - ``heard``: only for the ego agent: all questions and replies (see `_heard`);
    - ``possible``: only for the ego agent: for each goal, whether prior and replies allow it;
    - ``result``: only in the phase ``over``: ``finished``, ``stopped`` (whether the person gave up), ``cost``,
      ``questions`` (their number), ``paid`` (for questions); if finished, also ``goal`` (its name) and ``optimal`` (the
      cost with the goal known).
    """
    here = Here(made)
    found = {
        "t": made.game.steps,
        "cost": round(made.game.cost, 9),
        "questions": sum(step.answer is not None for step in made.steps),
        "phase": made.phase,
        "teammate": {"at": list(here.teammate.at), "place": here.teammate.place},
        "ego": {"at": list(here.ego.at), "place": here.ego.place},
        "carried": here.ego.carried,
        "hands": here.ego.hands,
        "last": _last(made),
    }
    if made.phase == MOVE:
        found["moves"] = _moves(made)
    if made.phase == ANSWER:
        assert made.decision is not None
        asked = made.decision[0].ask
        assert asked is not None
        found["question"] = _question(made, asked)
    if made.robot is None:
        found["heard"] = _heard(made)
        found["possible"] = [bool(each) for each in made.game.allowed]
    if made.over:
        found["result"] = _result(made)
    return found


class Here:
    """The present places of both agents in a round.

    Attributes:
        words: the words for agents and goals in texts, such as "cook" or "station".
        teammate: the teammate's place.
        ego: the ego agent's place, with its load (what it carries).
    """

    def __init__(self, made: Round) -> None:
        places, now = places_in(made.problem), made.game.state
        self.words = places.words
        self.teammate, self.ego = places.of_teammate(made.problem, now.teammate), places.of_ego(made.problem, now.ego)


def trails(made: Round) -> dict[str, list[list[float]]]:
    """Return the positions ``[x, y]`` of both agents at the start and after each step.

    Keys: ``teammate`` and ``ego``, each with a list of positions.
    """
    problem, places = made.problem, places_in(made.problem)
    states = [*(step.state for step in made.steps), made.game.state]
    return {
        "teammate": [list(places.of_teammate(problem, each.teammate).at) for each in states],
        "ego": [list(places.of_ego(problem, each.ego).at) for each in states],
    }


# -- what can be done --------------------------------------------------------------------------------------------


def _moves(made: Round) -> list[dict[str, Any]]:
    problem, here, places = made.problem, made.game.state, places_in(made.problem)
    found = []
    for action in made.moves():
        if made.robot is not None:
            there = problem.teammate.next(here.teammate, action)
            name = label = teammate_does(problem, here.teammate, action)
            spot, waits = places.of_teammate(problem, there), there == here.teammate
        else:
            name, label = problem.ego.actions.names[action], problem.ego.actions.names[action]
            spot, waits = places.of_ego(problem, problem.ego.next(here.ego, action)), action == problem.ego.actions.stay
        found.append(
            {"name": name, "label": printable(label), "to": list(spot.at), "place": spot.place, "waits": waits}
        )
    return found


def _question(made: Round, asked: Question) -> dict[str, Any]:
    """Return a question as JSON, for browsers.

    It has ``goals``, the indices of all goals in it. A yes/no question also has ``names``, the names of these goals. A
    multiple-choice question has ``groups`` (the name of each group, or a text that lists its goals) and ``others``
    (whether "none of these" is a possible answer).
    """
    names = made.problem.goals
    if not isinstance(asked, Choice):
        return {"goals": list(asked), "names": [printable(names[goal]) for goal in asked]}
    return {"goals": list(asked), "groups": group_names(names, asked), "others": len(asked) < len(names)}


def _heard(made: Round) -> list[dict[str, Any]]:
    """Return all questions and replies so far, as JSON, for a person who plays the ego agent.

    Each dict has ``asked`` (see `_question`), ``question`` (see `question_to_json`) and ``reply``. A reply is True or
    False, the index of a group (after the last group: "none of these"), or None for no answer.
    """
    answers = [step.answer for step in made.steps if step.answer is not None]
    return [
        {
            "asked": _question(made, each.asked),
            "reply": each.reply,
            "question": question_to_json(made.problem, each.asked),
        }
        for each in answers
    ]


# -- what happened -----------------------------------------------------------------------------------------------


def _last(made: Round) -> dict[str, Any] | None:
    """Return the last step as JSON; None before the first step.

    The keys are ``teammate`` and ``ego``: the agents' actions in words. If the step was a question, the keys are
    ``asked``, ``question`` and ``reply``, as in `_heard`, and ``cost``.
    """
    if not made.steps:
        return None
    last = made.steps[-1]
    if last.answer is not None:
        return {**_heard(made)[-1], "cost": last.cost}
    assert last.decision.action is not None
    assert last.teammate_action is not None
    ego = made.problem.ego.actions.names[last.decision.action]
    teammate = teammate_does(made.problem, last.state.teammate, last.teammate_action)
    return {"teammate": printable(teammate), "ego": printable(ego)}


def _result(made: Round) -> dict[str, Any]:
    asked = sum(step.answer is not None for step in made.steps)
    paid = sum(step.cost for step in made.steps if step.answer is not None)
    found: dict[str, Any] = {
        "finished": made.game.finished,
        "stopped": made.stopped,
        "cost": made.game.cost,
        "questions": asked,
        "paid": paid,
    }
    if not made.game.finished:
        return found
    return {**found, "goal": printable(made.problem.goals[made.goal]), "optimal": made.game.known_cost}
