"""The choices that are worth considering: "which of the groups that belong together?", and "which goal exactly?"."""

from __future__ import annotations

from collections.abc import Sequence

from askwise.answers import n_answers
from askwise.planning.noisy.workspace import MOST_ANSWERS
from askwise.problem import Problem
from askwise.questions import Choice

MOST_NAMED = 8
"""Goals up to which it is worth asking which of them it is."""


def choices_of(problem: Problem, goals: Sequence[int]) -> list[Choice]:
    """Return the choices worth considering with these goals left; none where the price of choices is not given."""
    if problem.query_cost.per_option is None:
        return []
    found = [] if (by_group := _by_group(problem, goals)) is None else [by_group]
    if 2 <= len(goals) <= MOST_NAMED:
        exactly = Choice(tuple((goal,) for goal in goals), tuple(problem.goals[goal] for goal in goals))
        if not any(set(exactly.groups) == set(other.groups) for other in found):
            found.append(exactly)
    n_goals = len(problem.goals)
    return [choice for choice in found if 2 <= n_answers(choice, n_goals) <= MOST_ANSWERS]


def _by_group(problem: Problem, goals: Sequence[int]) -> Choice | None:
    """Return the choice among the problem's groups, without goals that are not left; None if it tells nothing.

    A group that shares goals with one before it is left out.
    """
    left, taken = set(goals), set[int]()
    parts: dict[str, tuple[int, ...]] = {}
    for name, group in problem.groups.items():
        inside = tuple(goal for goal in group if goal in left)
        if inside and not taken & set(inside):
            parts[name] = inside
            taken |= set(inside)
    tells = len(parts) > 1 or (len(parts) == 1 and taken < left)
    return Choice(tuple(parts.values()), tuple(parts)) if tells else None
