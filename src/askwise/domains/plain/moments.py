"""Moments of plainly stated problems, as people say them: states by name, cells as ``X,Y`` or by their letter."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from askwise.domains.coverage import Coverage
from askwise.domains.plain.coverage_file import CoverageFile
from askwise.domains.plain.file import ProblemFile, StatedProblem
from askwise.domains.plain.names import as_json
from askwise.errors import InputError
from askwise.factored import FactoredProblem
from askwise.model import Drawing, Model
from askwise.model.spoken import state_said
from askwise.problem import JointState
from askwise.reading import shown
from askwise.types import IntArray


class PlainMoments:
    """Where the two agents may be; fulfils `askwise.domains.parts.Moments`."""

    def state(
        self,
        problem: FactoredProblem,
        teammate: str | None = None,
        ego: str | None = None,
        holding: str | None = None,
    ) -> JointState:
        """See `Moments`."""
        if holding is not None:
            raise InputError("--holding", repr(holding), "nothing: in this problem nobody carries anything")
        sides = (problem.file.teammate, problem.file.ego) if isinstance(problem, StatedProblem) else (None, None)
        places = [problem.start.teammate, problem.start.ego]
        models, said = (problem.teammate.model, problem.ego.model), (teammate, ego)
        for k, option in enumerate(("--teammate", "--ego")):
            text, side = said[k], sides[k]
            if text is not None:
                name = state_said(models[k], text, option) if side is None else side.said(text, option)
                places[k] = models[k].state(name, option)
        state = JointState(*places)
        self._refuse_lost(problem, state)
        return state

    def _refuse_lost(self, problem: FactoredProblem, state: JointState) -> None:
        """Refuse a teammate that can get to no goal, and an ego agent that could fail to get to some."""
        steps = problem.teammate.steps(state.teammate)
        if state.teammate != problem.start.teammate and not (steps[problem.prior > 0] >= 0).any():
            where = shown(problem.teammate.model.name(state.teammate))
            raise InputError("--teammate", f"{where}, with no way to any goal", "a state with a way to one")
        _refuse_unreachable(problem, "--ego", problem.ego.model, state.ego, problem.ego.steps(state.ego))

    def starting_at(self, problem: FactoredProblem, state: JointState) -> FactoredProblem:
        """See `Moments`; weights do not depend on the start."""
        _refuse_unreachable(
            problem, "--teammate", problem.teammate.model, state.teammate, problem.teammate.steps(state.teammate)
        )
        if isinstance(problem, StatedProblem):
            return _restated(problem, state).problem()
        if isinstance(problem, Coverage):
            return Coverage(_redrawn(problem, state), prior=problem.weights, query_cost=problem.query_cost)
        other = copy.copy(problem)  # tables do not depend on the start either
        vars(other).update(start=state)
        return other

    def teammate_side(
        self, given: ProblemFile | CoverageFile | FactoredProblem
    ) -> tuple[Model, Mapping[str, Any], Any]:
        """See `Moments`."""
        if isinstance(given, ProblemFile):
            goals = {name: list(goal.teammate) for name, goal in given.goals.items()}
            return given.teammate.model, goals, given.teammate.start
        if isinstance(given, CoverageFile):
            return given.drawing.grid, given.drawing.goals, given.drawing.teammate
        model = given.teammate.model
        targets = {
            name: [model.name(int(state)) for state in given.teammate.targets(goal)]
            for goal, name in enumerate(given.goals)
        }
        return model, targets, model.name(given.start.teammate)


def _restated(problem: StatedProblem, state: JointState) -> ProblemFile:
    """Return a problem's file with another start."""
    contents = problem.file.to_json()
    contents["teammate"]["start"] = as_json(problem.teammate.model.name(state.teammate))  # type: ignore[arg-type]
    contents["ego"]["start"] = as_json(problem.ego.model.name(state.ego))  # type: ignore[arg-type]
    return ProblemFile.from_json(contents)


def _redrawn(problem: Coverage, state: JointState) -> Drawing:
    cells = problem.drawing.grid.cells[[state.teammate, state.ego]].tolist()
    return replace(problem.drawing, teammate=tuple(cells[0]), ego=tuple(cells[1]))


def _refuse_unreachable(problem: FactoredProblem, option: str, model: Model, state: int, steps: IntArray) -> None:
    missing = np.flatnonzero((steps < 0) & (problem.prior > 0))
    if missing.size:
        goal = problem.goals[int(missing[0])]
        found = f"{shown(model.name(state))}, with no way to goal {shown(goal)}"
        raise InputError(option, found, "a state with a way to every goal")
