"""The parts of a problem file that are neither graph nor map: goals and prices."""

from __future__ import annotations

from dataclasses import dataclass

from askwise.domains.stated.names import StateName


@dataclass(frozen=True)
class StatedGoal:
    """A goal: where it is reached in both models, how likely it is, what naming it costs.

    Attributes:
        teammate: states in which the teammate has reached it.
        ego: states in which the ego agent has.
        weight: how likely it is, beside the weights of the others.
        price: what naming it in a question adds, None for the price of any goal.
    """

    teammate: tuple[StateName, ...]
    ego: tuple[StateName, ...]
    weight: float = 1.0
    price: float | None = None


@dataclass(frozen=True)
class QuestionPrices:
    """What questions cost.

    Attributes:
        base: what every question costs.
        per_goal: what naming a goal adds, unless the goal has a price of its own.
        per_option: what an option of a choice adds, None for as much as a goal.
    """

    base: float = 0.5
    per_goal: float = 0.0
    per_option: float | None = None
