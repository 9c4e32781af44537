"""All plans that are at most some steps longer than the shortest: the ground for designs with a budget.

Let `L` be the steps of a shortest plan for a goal and `b` the budget. A state `s` with `d` steps from the start and `r`
left to the goal is on a walk of at most ``L + b`` steps if and only if ``d + r <= L + b``. The search under a bound
(`askwise.pddl.search`) leaves out only states with ``d + h > L + b`` for some ``h <= r``; so with ``L + b`` as its
bound, and going on where a goal is met, it keeps all of these states, each at its own depth, and perhaps some more.

The states of all goals together are the ground, with every step between two of them: when actions are forbidden, a
step that led to a state already met may be on a shortest plan. Operators that matter to no goal
(`askwise.pddl.goal_task`) are on no shortest plan, whatever is forbidden: a plan without them is shorter, and uses
nothing that the other does not. So they are left out here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from askwise.errors import InputError
from askwise.pddl.cones import Cones, Progress, unique_rows
from askwise.pddl.goal_task import GoalTask, whole_goal_tasks
from askwise.pddl.limits import Limits, too_many
from askwise.pddl.search import Bounded, steps_between
from askwise.pddl.task import Words
from askwise.text.table_budget import check_size
from askwise.types import IntArray


@dataclass(frozen=True, eq=False)
class NearOptimalPlans:
    """All plans of at most so many steps, as steps between states.

    Attributes:
        start: the state in which plans begin.
        targets: for each goal that can be reached, the states in which it holds.
        counts: ``int32 [n_states]``, how many steps begin in each state.
        operator: ``int32 [n_edges]``, the operator of each step, by its number in the task, sorted by source.
        target: ``int32 [n_edges]``, where each step leads.
    """

    start: int
    targets: tuple[IntArray, ...]
    counts: IntArray
    operator: IntArray
    target: IntArray


def near_optimal_plans(cones: Cones, budget: int, limits: Limits, progress: Progress | None = None) -> NearOptimalPlans:
    """Return all plans for the goals that can be reached that are at most `budget` steps longer than the shortest."""
    wanted = {goal: bits for goal in cones.reached if (bits := cones.wanted[goal]) is not None}
    goal_tasks = whole_goal_tasks(cones.task, wanted)
    states, _ = unique_rows(
        np.concatenate([_states(cones, goal, goal_tasks, budget, limits, progress) for goal in goal_tasks])
    )
    some = next(iter(goal_tasks.values()))
    source, operator, target = steps_between(some, states)
    if source.size > limits.edges:
        raise too_many("plans within the budget", "one step more on them", limits.edges, "edges")
    start = int(np.flatnonzero((states == some.initial).all(axis=1))[0])
    targets = tuple(
        np.flatnonzero(_holding(states, goal_task.goal)).astype(np.int32) for goal_task in goal_tasks.values()
    )
    operator = some.operators[operator]
    kept = _different(cones, source, operator, target)
    counts = np.bincount(source[kept], minlength=states.shape[0]).astype(np.int32)
    check_size(2 * 4 * counts.size * int(counts.max(initial=0)), "budget", f"{counts.size} states", "a smaller budget")
    return NearOptimalPlans(start, targets, counts, operator[kept], target[kept])


def _states(
    cones: Cones, goal: int, goal_tasks: Mapping[int, GoalTask], budget: int, limits: Limits, progress: Progress | None
) -> Words:
    """Return the states of one goal."""
    name, most = cones.goals[goal], cones.found[goal].length + budget

    def say(text: str) -> None:
        if progress is not None:
            progress(f"plans of up to {most} steps for {name}, {text}")

    states = Bounded(goal_tasks[goal], say).within(most, limits.evaluations, limits.states)
    if states is None:
        raise InputError(
            "budget",
            f"{budget}: plans of up to {most} steps for goal {name} are more than the limits reach",
            "a smaller budget, or higher limits (--limit evaluations=N --limit states=N)",
        )
    return states


def _different(cones: Cones, source: IntArray, operator: IntArray, target: IntArray) -> IntArray:
    """Return the steps, sorted by source and operator; of operators of one name that do the same, one."""
    labels = cones.task.labels
    numbers: dict[str, int] = {}
    label = np.array([numbers.setdefault(labels[each], len(numbers)) for each in operator.tolist()], dtype=np.int32)
    order = np.lexsort((operator, source))
    rows = np.stack([source, label, target], axis=1)[order]
    first = np.unique(rows, axis=0, return_index=True)[1]
    return np.asarray(order[np.sort(first)])


def _holding(states: Words, goal: Words) -> np.ndarray:
    return np.asarray(((states & goal) == goal).all(axis=1))
