"""The problem that a file states: a `FactoredProblem` that remembers its file."""

from __future__ import annotations

from askwise.domains.plain.file import ProblemFile
from askwise.domains.plain.sides import same_ground
from askwise.errors import InputError
from askwise.factored import FactoredProblem
from askwise.model import Model


class StatedProblem(FactoredProblem):
    """Two models and shared goals as a file states them; equal to another one if their files are."""

    def __init__(self, file: ProblemFile) -> None:
        self.file = file
        goals = file.goals
        try:
            super().__init__(
                goals=list(goals),
                prior=file.prior,
                teammate_model=file.teammate.model,
                teammate_goals=[list(goal.teammate) for goal in goals.values()],
                ego_model=_ego_model(file),
                ego_goals=[list(goal.ego) for goal in goals.values()],
                start=(file.teammate.start, file.ego.start),
                query_cost=file.query_cost,
                groups=file.groups,
                teammate_policies=file.teammate_policies,
            )
        except InputError as error:
            # All else was checked when the file was read; policies are made and checked only when they are needed.
            where = error.field.replace("teammate_policies", "teammate.policy", 1)
            raise InputError(where, error.found, error.expected) from None

    def __eq__(self, other: object) -> bool:
        return self.file == other.file if isinstance(other, StatedProblem) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # files hold dictionaries


def _ego_model(file: ProblemFile) -> Model:
    """Return the ego agent's model: the teammate's own where both are the same, so that everybody can see that."""
    return file.teammate.model if same_ground(file.teammate, file.ego) else file.ego.model
