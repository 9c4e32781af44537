"""A `FactoredProblem` made in Python as the contents of a problem file; what the file cannot hold is refused."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from askwise.core.factored import FactoredProblem
from askwise.core.questions import QueryCost
from askwise.domains.stated.file import FORMAT, ProblemFile
from askwise.domains.stated.reading import check_writable, prices_to_json
from askwise.domains.stated.sides import FREE, STAY, WALL, name_to_json
from askwise.errors import InputError
from askwise.model import GridWorld, Model
from askwise.types import IntArray


def contents_of(problem: FactoredProblem) -> dict[str, Any]:
    """Return the contents of a problem's file; reading them gives the same problem, number for number."""
    prices = check_writable(problem.query_cost, FORMAT)
    teammate = _side("teammate_model", problem.teammate.model, problem.start.teammate)
    ego = _side("ego_model", problem.ego.model, problem.start.ego)
    goals = {name: _goal(problem, number, prices) for number, name in enumerate(problem.goals)}
    if problem.policies is not None:
        teammate["policy"] = {"table": _rows(problem)}
    written: dict[str, Any] = {"format": FORMAT, "teammate": teammate, "ego": ego, "goals": goals}
    written["query_cost"] = prices_to_json(prices)
    if problem.groups:
        members = problem.groups.items()
        written["groups"] = {name: [problem.goals[goal] for goal in goals] for name, goals in members}
    _refuse_other_moves(problem)
    ProblemFile.from_json(written)  # refuses what the file has no room for, long names for instance
    return written


# -- models ------------------------------------------------------------------------------------------------------


def _side(field: str, model: Model, start: int) -> dict[str, Any]:
    if isinstance(model, GridWorld):
        rows = np.where(model.walls, WALL, FREE)[::-1]
        return {"start": name_to_json(model.name(start), field), "map": ["".join(row) for row in rows.tolist()]}
    states = [name_to_json(model.name(state), field) for state in range(model.n_states)]
    actions = [_action(field, name) for name in model.all_actions]
    stay = _action(field, model.action_name(0, model.stay))
    places, moves = np.nonzero(model.available)
    edges = [
        [states[s], str(model.action_name(s, a)), states[int(model.successor[s, a])]]
        for s, a in zip(places.tolist(), moves.tolist(), strict=True)
        if a != model.stay
    ]
    side: dict[str, Any] = {"start": states[start], "edges": edges}
    # Numbers follow from the order of the edges, mostly; where they do not, the order is written down.
    if _met([name for edge in edges for name in (edge[0], edge[2])]) != states:
        side["states"] = states
    if [*_met([edge[1] for edge in edges]), stay] != actions:
        side["actions"] = actions
    return side if stay == STAY else {**side, "stay": stay}


def _met(names: list[Any]) -> list[Any]:
    """Return names in the order in which they are first met."""
    return list({tuple(name) if isinstance(name, list) else name: name for name in names}.values())


def _action(field: str, name: Hashable) -> str:
    if not isinstance(name, str):
        raise InputError(field, f"an action called {name!r}", "actions called by texts")
    return name


def _refuse_other_moves(problem: FactoredProblem) -> None:
    moves = tuple(a for a in range(len(problem.ego.actions.names)) if a != problem.ego.actions.stay)
    if problem.ego.actions.moves != moves:
        raise InputError("ego_moves", "some of the actions", f"all but waiting: a file of {FORMAT} holds no others")


# -- goals -------------------------------------------------------------------------------------------------------


def _goal(problem: FactoredProblem, number: int, prices: QueryCost) -> dict[str, Any]:
    goal = {
        "teammate": _targets("teammate_goals", problem.teammate.model, problem.teammate.targets(number)),
        "ego": _targets("ego_goals", problem.ego.model, problem.ego.targets(number)),
        "weight": float(problem.prior[number]),
    }
    return goal if prices.prices is None else {**goal, "price": float(prices.prices[number])}


def _targets(field: str, model: Model, states: IntArray) -> Any:
    names = [name_to_json(model.name(state), field) for state in states.tolist()]
    return names[0] if len(names) == 1 else names


def _rows(problem: FactoredProblem) -> list[list[Any]]:
    rows = []
    model = problem.teammate.model
    for goal, policy in zip(problem.goals, problem.policies or (), strict=True):
        for s, a in np.argwhere(policy.support).tolist():
            state = name_to_json(model.name(s), "teammate_model")
            rows.append([goal, state, str(model.action_name(s, a)), float(policy.probabilities[s, a])])
    return rows
