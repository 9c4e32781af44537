"""All plans that are at most a given number of steps (the budget) longer than the shortest, for designs.

Let `L` be the length of a shortest plan for a goal and `b` the budget. A state `s` at depth `d` with `r` steps left to
the goal is on a walk of at most ``L + b`` steps if and only if ``d + r <= L + b``. The bounded search
(`askwise.pddl.search`) omits only states with ``d + h > L + b``, where ``h <= r``. So with the bound ``L + b``, and
continued after it has reached the goal, it keeps all of these states, each at its own depth, and possibly some more.

The result has the states of all goals together and every transition between two of them: when actions are forbidden, a
transition to a state that was already known may become part of a shortest plan. Operators that are relevant to no goal
(`askwise.pddl.task`) are on no shortest plan, whatever is forbidden, because a plan without them is shorter. So
they are omitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from askwise.errors import InputError
from askwise.pddl.cones import Cones, Progress, unique_rows
from askwise.pddl.grounding import Limits, too_many
from askwise.pddl.search import BoundedSearch
from askwise.pddl.table import holding, steps_between
from askwise.pddl.task import GoalTask, Words, whole_goal_tasks
from askwise.text.reading import check_size
from askwise.types import IntArray


@dataclass(frozen=True, eq=False)
class NearOptimalPlans:
    """All plans that are at most a given number of steps longer than the shortest, as transitions between states.

    Attributes:
        start: the index of the state in which plans start.
        targets: for each reachable goal, the indices of the states in which it is true.
        counts: ``int32 [n_states]``, the number of transitions from each state.
        operator: ``int32 [n_edges]``, the operator of each transition, by its number in the task; sorted by the state
            in which transitions start.
        target: ``int32 [n_edges]``, the next state of each transition.
    """

    start: int
    targets: tuple[IntArray, ...]
    counts: IntArray
    operator: IntArray
    target: IntArray


def near_optimal_plans(cones: Cones, budget: int, limits: Limits, progress: Progress | None = None) -> NearOptimalPlans:
    """Return all plans for the reachable goals that are at most `budget` steps longer than the shortest.

    Args:
        cones: the optimal plans of all goals.
        budget: number of additional steps.
        limits: limits of the search; an InputError is raised if they are exceeded.
        progress: called with a line of text from time to time.
    """
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
        np.flatnonzero(holding(states, goal_task.goal)).astype(np.int32) for goal_task in goal_tasks.values()
    )
    operator = some.operators[operator]
    kept = _different(cones, source, operator, target)
    counts = np.bincount(source[kept], minlength=states.shape[0]).astype(np.int32)
    check_size(2 * 4 * counts.size * int(counts.max(initial=0)), "budget", f"{counts.size} states", "a smaller budget")
    return NearOptimalPlans(start, targets, counts, operator[kept], target[kept])


def _states(
    cones: Cones, goal: int, goal_tasks: Mapping[int, GoalTask], budget: int, limits: Limits, progress: Progress | None
) -> Words:
    """Return all states on near-optimal plans of one goal, ``uint64 [n, n_words]``.

    The result may have some states more.

    Args:
        cones: the optimal plans of all goals.
        goal: the index of the goal.
        goal_tasks: the search task of each goal, by its number.
        budget: number of steps by which plans may be longer than the shortest.
        limits: limits of the search; an InputError is raised if they are exceeded.
        progress: called with a line of text from time to time.
    """
    name, most = cones.goals[goal], cones.found[goal].length + budget

    def say(text: str) -> None:
        if progress is not None:
            progress(f"plans of up to {most} steps for {name}, {text}")

    states = BoundedSearch(goal_tasks[goal], say).within(most, limits.evaluations, limits.states)
    if states is None:
        raise InputError(
            "budget",
            f"{budget}: plans of up to {most} steps for goal {name} are more than the limits reach",
            "a smaller budget, or higher limits (--search-limit evaluations=N --search-limit states=N)",
        )
    return states


def _different(cones: Cones, source: IntArray, operator: IntArray, target: IntArray) -> IntArray:
    """Return the indices of the transitions that remain without duplicates, ordered by source and operator.

    Two transitions are duplicates if they have the same source, target and operator name.

    Args:
        cones: supplies the names of the operators.
        source: ``int32 [n]``, the state in which each transition starts.
        operator: ``int32 [n]``, its operator.
        target: ``int32 [n]``, the next state.
    """
    labels = cones.task.labels
    numbers: dict[str, int] = {}
    label = np.array([numbers.setdefault(labels[each], len(numbers)) for each in operator.tolist()], dtype=np.int32)
    order = np.lexsort((operator, source))
    rows = np.stack([source, label, target], axis=1)[order]
    first = np.unique(rows, axis=0, return_index=True)[1]
    return np.asarray(order[np.sort(first)])
