"""The registered domain of problem files, ``askwise/problem@1``.

Every `FactoredProblem` that belongs to no other domain belongs to this one. People type states by name, and cells of a
map as ``X,Y`` or by the letter that marks the cell.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from askwise.core.answers import TRUTHFUL
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, changed
from askwise.core.question_json import answers_to_json
from askwise.core.questions import QueryCost
from askwise.domains.coverage import WORDS as COVERAGE_WORDS
from askwise.domains.coverage import Coverage
from askwise.domains.stated.file import FORMAT, ProblemFile, StatedProblem
from askwise.domains.stated.reader import check_writable, prices_to_json
from askwise.domains.stated.sides import FREE, STAY, WALL, name_to_json, state_to_json
from askwise.errors import InputError
from askwise.model import Drawing, GridWorld, Model
from askwise.model.grid import state_from_text
from askwise.text.data import short_json
from askwise.text.reading import Field
from askwise.text.wording import PLAIN, Vocabulary
from askwise.types import IntArray


class StatedDomain:
    """The domain of problem files, in which each agent has its own graph or map and both agents share the goals.

    It implements the interface `askwise.domains.registry.Domain`.
    """

    name = "problem"
    formats = (FORMAT,)

    def recognises(self, given: object) -> bool:
        """Return whether `given` is a `ProblemFile` or a `FactoredProblem`."""
        return isinstance(given, ProblemFile | FactoredProblem)

    def read(self, field: Field) -> ProblemFile:
        """Return the checked contents of a problem file; raise InputError if anything in them is wrong.

        Args:
            field: the parsed contents of the file.
        """
        return ProblemFile.from_json(field)

    def write(self, given: ProblemFile | FactoredProblem) -> dict[str, Any]:
        """Return a `ProblemFile` or a problem as the contents of a problem file, JSON-compatible data.

        Raises InputError for anything that a file cannot hold.
        """
        file = given.file if isinstance(given, StatedProblem) else given
        return file.to_json() if isinstance(file, ProblemFile) else contents_of(file)

    def problem(self, given: ProblemFile | FactoredProblem, start: JointState | None = None) -> FactoredProblem:
        """Return the problem that a `ProblemFile` describes.

        Args:
            given: a `ProblemFile` or a problem. A problem is returned unchanged if `start` is None.
            start: the start of both agents; None for that of `given`.

        Raises:
            InputError: `given` has another type, or the teammate cannot reach every goal from `start`. In problems from
                files and in `Coverage`, also if the ego agent cannot.
        """
        if not self.recognises(given):
            raise InputError("instance", repr(given), "a ProblemFile or a FactoredProblem")
        problem = given if isinstance(given, FactoredProblem) else given.problem()
        return problem if start is None else with_start(problem, start)

    def parse_state(
        self,
        problem: FactoredProblem,
        teammate: str | None = None,
        ego: str | None = None,
        holding: str | None = None,
    ) -> JointState:
        """Return the states of both agents, by index, from the names that a person typed.

        None stands for an agent's start. `holding` must be None, because agents carry nothing in these problems.

        Raises:
            InputError: a state does not exist, the teammate can reach no goal, the ego agent cannot reach every goal,
                or `holding` is not None.
        """
        return parse_state(problem, teammate, ego, holding)

    def vocabulary(self, given: object = None) -> Vocabulary:
        """Return the words for the agents and goals of a problem or a `ProblemFile`.

        These are the words that the file states, or those of maximal coverage for a `Coverage` problem. Otherwise, and
        for None, the result is the default words.
        """
        file = given.file if isinstance(given, StatedProblem) else given
        if isinstance(file, ProblemFile):
            return file.words
        return COVERAGE_WORDS if isinstance(given, Coverage) else PLAIN


DOMAIN = StatedDomain()


# -- where both agents are ---------------------------------------------------------------------------------------


def parse_state(
    problem: FactoredProblem, teammate: str | None = None, ego: str | None = None, holding: str | None = None
) -> JointState:
    """Return the states of both agents, by index, from the names that a person typed.

    None stands for an agent's start. `holding` must be None, because agents carry nothing in these problems.

    Raises:
        InputError: a state does not exist, the teammate can reach no goal, the ego agent cannot reach every goal, or
            `holding` is not None.
    """
    if holding is not None:
        raise InputError("--holding", repr(holding), "nothing: in this problem nothing is carried")
    sides = (problem.file.teammate, problem.file.ego) if isinstance(problem, StatedProblem) else (None, None)
    places = [problem.start.teammate, problem.start.ego]
    models, said = (problem.teammate.model, problem.ego.model), (teammate, ego)
    for k, option in enumerate(("--teammate-at", "--ego-at")):
        text, side = said[k], sides[k]
        if text is not None:
            name = state_from_text(models[k], text, option) if side is None else side.parse(text, option)
            places[k] = models[k].state(name, option)
    state = JointState(*places)
    _refuse_lost(problem, state)
    return state


def _refuse_lost(problem: FactoredProblem, state: JointState) -> None:
    """Raise InputError if the teammate can reach no goal from its state, or if the ego agent cannot reach all goals.

    Goals with a prior probability of 0 do not count.
    """
    steps = problem.teammate.steps(state.teammate)
    if state.teammate != problem.start.teammate and not (steps[problem.prior > 0] >= 0).any():
        where = short_json(problem.teammate.model.name(state.teammate))
        raise InputError("--teammate-at", f"{where}, with no way to any goal", "a state with a way to one")
    _refuse_unreachable(problem, "--ego-at", problem.ego.model, state.ego, problem.ego.steps(state.ego))


def with_start(problem: FactoredProblem, start: JointState) -> FactoredProblem:
    """Return a copy of a problem with other start states and the same prior.

    Raises InputError if the teammate cannot reach every goal from `start`. In a `StatedProblem` or `Coverage`, the ego
    agent must also be able to reach every goal.
    """
    check_start(problem, start)
    if isinstance(problem, StatedProblem):
        return _restated(problem, start).problem()
    if isinstance(problem, Coverage):
        drawing, weights = _redrawn(problem, start), problem.weights
        return Coverage(drawing, prior=weights, query_cost=problem.query_cost, answers=problem.answers)
    return changed(problem, start=start)  # tables do not depend on the start


def check_start(problem: FactoredProblem, start: JointState) -> None:
    """Raise InputError if the teammate cannot reach every goal from its state in `start`.

    Goals whose prior probability is 0 do not count.
    """
    side = problem.teammate
    _refuse_unreachable(problem, "--teammate-at", side.model, start.teammate, side.steps(start.teammate))


def _restated(problem: StatedProblem, start: JointState) -> ProblemFile:
    """Return the `ProblemFile` of `problem`, changed so that both agents start in the states `start`."""
    contents = problem.file.to_json()
    contents["teammate"]["start"] = state_to_json(problem.teammate.model.name(start.teammate))  # type: ignore[arg-type]
    contents["ego"]["start"] = state_to_json(problem.ego.model.name(start.ego))  # type: ignore[arg-type]
    return ProblemFile.from_json(contents)


def _redrawn(problem: Coverage, start: JointState) -> Drawing:
    cells = problem.drawing.grid.cells[[start.teammate, start.ego]].tolist()
    return replace(problem.drawing, teammate=tuple(cells[0]), ego=tuple(cells[1]))


def _refuse_unreachable(problem: FactoredProblem, option: str, model: Model, state: int, steps: IntArray) -> None:
    missing = np.flatnonzero((steps < 0) & (problem.prior > 0))
    if missing.size:
        goal = problem.goals[int(missing[0])]
        found = f"{short_json(model.name(state))}, with no way to goal {short_json(goal)}"
        raise InputError(option, found, "a state with a way to every goal")


# -- writing -----------------------------------------------------------------------------------------------------


def contents_of(problem: FactoredProblem) -> dict[str, Any]:
    """Return a `FactoredProblem` as the contents of a problem file, JSON-compatible data.

    Reading these contents gives a problem with exactly the same numbers. Raises `InputError` for anything that a file
    cannot hold.
    """
    prices = check_writable(problem.query_cost, FORMAT)
    teammate = _side("teammate_model", problem.teammate.model, problem.start.teammate)
    ego = _side("ego_model", problem.ego.model, problem.start.ego)
    goals = {name: _goal(problem, number, prices) for number, name in enumerate(problem.goals)}
    if problem.policies is not None:
        teammate["policy"] = {"table": _rows(problem)}
    written: dict[str, Any] = {"format": FORMAT, "teammate": teammate, "ego": ego, "goals": goals}
    written["query_cost"] = prices_to_json(prices)
    if problem.answers != TRUTHFUL:
        written["answers"] = answers_to_json(problem.answers)
    if problem.groups:
        members = problem.groups.items()
        written["groups"] = {name: [problem.goals[goal] for goal in goals] for name, goals in members}
    _refuse_other_moves(problem)
    ProblemFile.from_json(written)  # refuses anything that a file cannot hold, such as long names
    return written


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
    # Numbers usually follow from the order of the edges; where they do not, the order is written.
    if _met([name for edge in edges for name in (edge[0], edge[2])]) != states:
        side["states"] = states
    if [*_met([edge[1] for edge in edges]), stay] != actions:
        side["actions"] = actions
    return side if stay == STAY else {**side, "stay": stay}


def _met(names: list[Any]) -> list[Any]:
    """Return the names without repetitions, in the order of their first occurrence.

    A name is a text, a number, or a list ``[x, y]`` for a cell.
    """
    return list({tuple(name) if isinstance(name, list) else name: name for name in names}.values())


def _action(field: str, name: Hashable) -> str:
    if not isinstance(name, str):
        raise InputError(field, f"an action named {name!r}", "actions named by texts")
    return name


def _refuse_other_moves(problem: FactoredProblem) -> None:
    moves = tuple(a for a in range(len(problem.ego.actions.names)) if a != problem.ego.actions.stay)
    if problem.ego.actions.moves != moves:
        raise InputError(
            "ego_moves", "some of the actions", f"all actions but waiting: a file of {FORMAT} holds no other moves"
        )


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
