"""Maximal coverage, the paper's running example: go to a goal that your teammate does not go to.

A problem is read from a drawing (`askwise.Drawing`): ``W`` is the teammate, ``F`` the ego agent, and every other letter
or digit a goal.
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
from askwise.text.wording import Vocabulary

WORDS = Vocabulary(
    title="Coverage",
    teammate_sign="W",
    ego_sign="F",
    done="Two goals are covered.",
    achieved="The teammate is at {goal}, the ego agent at another goal.",
)


class Coverage(FactoredProblem):
    """Maximal coverage on a drawn map: the ego agent has to go to a goal to which the teammate does not go.

    Args:
        drawing: a map with ``W`` (the teammate), ``F`` (the ego agent) and at least two goals.
        prior: a weight for each of ``drawing.goals``, in order; None for equal weights.
        query_cost: the price of questions; None for 0.5 each.
        answers: how often answers are wrong or missing.

    Attributes:
        drawing: the map, with its goals and starts.
        weights: `prior` as a tuple of floats, or None.
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
        # As given, after they were checked: a file with them gives the same prior, bit for bit.
        self.weights = None if prior is None else tuple(float(weight) for weight in prior)
