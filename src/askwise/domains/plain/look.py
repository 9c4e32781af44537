"""Plainly stated problems as they are drawn: a map as a map, the states of a graph in one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.domains.plain.vocabulary import words_of
from askwise.domains.registry import as_problem
from askwise.factored import FactoredProblem
from askwise.model import GridWorld, Model
from askwise.problem import JointState
from askwise.reading import printable
from askwise.showing.scene import Cell, Figure, Goal, Map, Scene
from askwise.types import FloatArray


class PlainLook:
    """How plainly stated problems look; fulfils `askwise.domains.parts.Look`."""

    def scene(self, problem: FactoredProblem, state: JointState) -> Scene:
        """See `Look`."""
        words, model = words_of(problem), problem.teammate_model
        goals = (Goal(name, _cell(model, int(problem.teammate_targets(k)[0]))) for k, name in enumerate(problem.goals))
        return Scene(
            words=words,
            ground=Map(model.walls if isinstance(model, GridWorld) else np.zeros((1, model.n_states), dtype=np.bool_)),
            teammate=_figure(words.teammate, words.teammate_sign, model, state.teammate),
            ego=_figure(words.ego, words.ego_sign, problem.ego_model, state.ego),
            goals=tuple(goals),
        )

    def start(self, given: Any) -> Scene:
        """See `Look`."""
        problem: Any = as_problem(given)
        return self.scene(problem, problem.start)

    def prior(self, given: Any) -> FloatArray:
        """See `Look`."""
        return given.prior  # type: ignore[no-any-return]

    def describe(self, given: Any) -> str:
        """See `Look`."""
        return f"{printable(words_of(given).title)}: {self.start(given).size}\n"


def _figure(name: str, sign: str, model: Model, state: int) -> Figure:
    return Figure(printable(name), sign, _cell(model, state), printable(str(model.name(state))))


def _cell(model: Model, state: int) -> Cell:
    if not isinstance(model, GridWorld):
        return state, 0
    x, y = model.cells[state].tolist()
    return x, y


LOOK = PlainLook()
