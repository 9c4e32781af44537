"""Maximal coverage, the paper's running example: go to another goal than your teammate does.

Read from a drawing (see `askwise.Drawing`): ``W`` is the teammate, ``F`` the ego agent, every other letter or digit a
goal. If the teammate goes to goal `g`, any other goal is a target of the ego agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.errors import InputError
from askwise.model import Drawing
from askwise.model.policy import prior_weights


class Coverage(FactoredProblem):
    """Maximal coverage on a drawn map.

    Args:
        drawing: a drawing with `W`, `F` and at least two goals, or its text.
        prior: weights of the goals, by default equal.
        query_cost: what questions cost.
        answers: how questions are answered, truly by default.
    """

    def __init__(
        self,
        drawing: Drawing | str,
        *,
        prior: Sequence[float] | None = None,
        query_cost: QueryCost | None = None,
        answers: AnswerModel = TRUTHFUL,
    ) -> None:
        drawing = Drawing.parse(drawing) if isinstance(drawing, str) else drawing
        self.drawing = drawing
        names = tuple(drawing.goals)
        if len(names) < 2:
            raise InputError("drawing", f"{len(names)} goals", "at least two, so that there is another one to cover")
        if drawing.teammate is None or drawing.ego is None:
            missing = "W (the teammate)" if drawing.teammate is None else "F (the ego agent)"
            raise InputError("drawing", f"no {missing}", "both W and F")
        grid = drawing.grid
        cells = [drawing.goals[name] for name in names]
        others = [[cell for other in cells if other is not own for cell in other] for own in cells]
        super().__init__(
            goals=names,
            prior=prior_weights(prior, len(names)),
            teammate_model=grid,
            teammate_goals=cells,
            ego_model=grid,
            ego_goals=others,
            start=JointState(grid.state(drawing.teammate), grid.state(drawing.ego)),
            query_cost=query_cost,
            answers=answers,
        )
        # As given, once they have been checked: written to a file, they give the same prior to the last digit.
        self.weights = None if prior is None else tuple(float(weight) for weight in prior)
