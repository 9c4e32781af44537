"""From the view of a problem to the arrays of the exact search, for all its goals or some of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.ego import FAR
from askwise.errors import InputError
from askwise.planning.optimal_search import Arrays
from askwise.planning.view import View
from askwise.problem import Problem
from askwise.questions import QueryCost

MOST_GOALS = 62
"""Sets of goals are bits of one signed 64-bit number."""


def arrays_of(view: View, goals: Sequence[int], cost: QueryCost) -> Arrays:
    """Return the arrays for these goals only, as if the others could not be: weights keep their scale."""
    goals = list(goals)
    weight = np.ascontiguousarray(view.weight[:, goals])
    bits = np.int64(1) << np.arange(len(goals), dtype=np.int64)
    ego = view.ego
    tools = np.zeros(ego.next.shape[0], dtype=np.int64)
    for goal, bit in zip(goals, bits, strict=True):
        if ego.load_at[goal] >= 0:
            tools[ego.load_at[goal]] |= bit
    return Arrays(
        weight=weight,
        steps=np.ascontiguousarray(view.steps[:, goals]),
        alive=((weight > 0) * bits).sum(axis=1),
        following=np.ascontiguousarray(view.following),
        next=np.ascontiguousarray(ego.next, dtype=np.int32),
        bare=np.ascontiguousarray(ego.unloaded[:, goals]),
        held=np.ascontiguousarray(ego.loaded[:, goals]),
        tools=tools,
        base=float(cost.base),
        per_goal=float(cost.per_goal),
    )


def check_goals(problem: Problem, view: View) -> list[int]:
    """Return the goals that the prior allows; refuse problems outside the theory of `askwise.planning.optimal`."""
    goals = [int(goal) for goal in np.flatnonzero(view.prior > 0)]
    position, tool = view.ego.split(problem.start.ego)
    names = problem.goals
    for goal in goals:
        steps = view.ego.loaded if tool == goal else view.ego.unloaded
        if not view.weight[view.start, goal] > 0 or steps[position, goal] >= FAR:
            who = "ego agent" if view.weight[view.start, goal] > 0 else "teammate"
            raise InputError(f"goal {names[goal]!r}", f"no way to it for the {who}", "a goal that can be reached")
    arrived = (view.steps == 0) & (view.weight > 0)
    for shared in arrived[arrived.sum(axis=1) > 1]:
        one, other = np.flatnonzero(shared)[:2]
        found = f"{names[one]} and {names[other]}, which the teammate reaches in the same state"
        raise InputError("goals", found, "goals that can be told apart when the teammate has arrived")
    return goals
