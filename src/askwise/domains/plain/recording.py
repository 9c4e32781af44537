"""Plainly stated problems in files and traces: ``askwise/problem@1`` and ``askwise/coverage@1``.

In a trace, ``teammate`` and ``ego`` are names of states: a text, a number, or a cell ``[x, y]``.
"""

from __future__ import annotations

from typing import Any

from askwise.domains.coverage import Coverage
from askwise.domains.plain import coverage_file, writing
from askwise.domains.plain.coverage_file import CoverageFile, CoverageProblem
from askwise.domains.plain.file import FORMAT, ProblemFile, StatedProblem
from askwise.domains.plain.names import read_state_name
from askwise.factored import FactoredProblem
from askwise.model import GridWorld, Model
from askwise.problem import JointState
from askwise.reading import Field


class PlainRecording:
    """Files and states as JSON; fulfils `askwise.domains.parts.Recording`."""

    formats = (FORMAT, coverage_file.FORMAT)
    state_keys = ("teammate", "ego")

    def read(self, given: Field) -> ProblemFile | CoverageFile:
        """See `Recording`."""
        of_coverage = given.object(["format"]).value["format"] == coverage_file.FORMAT
        return CoverageFile.from_json(given) if of_coverage else ProblemFile.from_json(given)

    def write(self, given: ProblemFile | CoverageFile | FactoredProblem) -> dict[str, Any]:
        """See `Recording`."""
        if isinstance(given, StatedProblem | CoverageProblem):
            given = given.file
        if isinstance(given, ProblemFile | CoverageFile):
            return given.to_json()
        return coverage_file.contents_of(given) if isinstance(given, Coverage) else writing.contents_of(given)

    def state_to_json(self, problem: FactoredProblem, state: JointState) -> dict[str, Any]:
        """See `Recording`."""
        return {
            "teammate": writing.name_to_json(problem.teammate.model.name(state.teammate), "teammate_model"),
            "ego": writing.name_to_json(problem.ego.model.name(state.ego), "ego_model"),
        }

    def state_from_json(self, problem: FactoredProblem, given: Field) -> JointState:
        """See `Recording`."""
        models = (problem.teammate.model, problem.ego.model)
        return JointState(
            *(_state(model, given.child(key)) for model, key in zip(models, self.state_keys, strict=True))
        )


def _state(model: Model, given: Field) -> int:
    if isinstance(model, GridWorld):
        return model.state(given.cell(model.width, model.height), given.path)
    return model.state(read_state_name(given), given.path)
