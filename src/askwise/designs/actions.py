"""Designs of planning problems, which forbid ground actions such as ``stack a b``.

The budget is the number of steps by which the shortest plan for each goal may grow. A budget of 0 needs only shortest
plans (`askwise.pddl.cones`), a larger one all plans within it.

**Plans within a budget.** Let `L` be the length of a shortest plan for a goal, and `b` the budget. A state at depth `d`
is on a walk of at most ``L + b`` steps if ``d + r <= L + b`` for the `r` steps left to the goal. Let `h` be a lower
bound on `r`. The bounded search (`askwise.pddl.search`) leaves out only states with ``d + h > L + b``, and continues
after the goal. So it finds all states on such walks, perhaps more.

The graph has the states found for any goal, and all transitions between them. Operators that are relevant to no goal
are left out (`askwise.pddl.task`): plans are shorter without them.

**Forbidding.** To forbid ``stack a b``, ``stack`` gets the precondition ``not (forbidden-stack-2 ?x ?y)``, and
``(forbidden-stack-2 a b)`` is added to the initial state. No action changes this predicate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from askwise.designs.space import NO_OWNER, MoveGraph, Space
from askwise.errors import AskwiseError, InputError
from askwise.model.builders import rank_tables
from askwise.pddl.archive import Recognition
from askwise.pddl.cones import Cones, Progress, cones_of, unique_rows
from askwise.pddl.grounding import Limits, too_many
from askwise.pddl.language import Conjunction, Literal, Schema
from askwise.pddl.search import BoundedSearch
from askwise.pddl.table import holding, steps_between
from askwise.pddl.task import GoalTask, Words, whole_goal_tasks
from askwise.text.reading import check_size
from askwise.types import IntArray


def space_of_actions(given: Recognition, progress: Progress | None = None) -> Space:
    """Return the design space of a planning problem: the ground actions that may be forbidden, and all shortest plans.

    A ground action is an action with its objects, such as ``stack a b``. `progress` is called with lines of text; None
    for no calls.
    """
    cones = cones_of(given, progress=progress)
    _refuse_unknown(cones)
    return _of_shortest_plans(given, cones, progress)


def _of_shortest_plans(given: Recognition, cones: Cones, progress: Progress | None) -> Space:
    graph, names = _ground(cones)
    goals = cones.reached
    return Space(
        thing="action",
        names=names,
        goals=tuple(cones.goals[goal] for goal in goals),
        prior=np.full(len(goals), 1 / len(goals)),
        graph=graph,
        start=0,
        targets=tuple(cones.targets[goal] for goal in goals),
        changed=lambda things: forbid_actions(given, [names[thing] for thing in things]),
        plays=False,
        largest_budget=0,
        widened=lambda budget: _widened(given, cones, budget, progress),
        left_out=tuple(cones.goals[goal] for goal in cones.unreachable),
        prefix=True,
    )


def _widened(given: Recognition, cones: Cones, budget: int, progress: Progress | None) -> Space:
    """Return the design space of a planning problem, with all plans up to `budget` steps longer than the shortest.

    `cones` has the shortest plans for all goals. `progress` is called with lines of text.
    """
    plans = near_optimal_plans(cones, budget, given.limits, progress)
    thing_of, names = _things(cones, plans.operator)
    successor, owner = rank_tables(plans.counts, plans.target, thing_of[plans.operator])
    _refuse_same_names(successor, owner, names)
    return replace(
        _of_shortest_plans(given, cones, progress),
        names=names,
        graph=MoveGraph(successor, owner),
        start=plans.start,
        targets=plans.targets,
        changed=lambda things: forbid_actions(given, [names[thing] for thing in things]),
        largest_budget=budget,
    )


def _refuse_unknown(cones: Cones) -> None:
    if cones.too_large:
        goal = cones.too_large[0]
        raise AskwiseError(
            f"too large: the shortest plans for goal {cones.goals[goal]} are not known "
            f"(they have at least {cones.found[goal].at_least} steps)"
        )
    if not cones.reached:
        raise InputError("goals", "no reachable goal", "at least one")


def _ground(cones: Cones) -> tuple[MoveGraph, tuple[str, ...]]:
    """Return the graph of all shortest plans, and the names of the ground actions that are its moves.

    The graph's array `owner` has the index of each move's action in the names. Each name, such as ``stack a b``, occurs
    once.
    """
    model = cones.model
    thing_of, names = _things(cones, cones.operators[cones.operators >= 0])
    owner = np.full(model.successor.shape, NO_OWNER, dtype=np.int32)
    columns = [column for column in range(model.n_actions) if column != model.stay]
    owner[:, columns] = thing_of[cones.operators]
    _refuse_same_names(model.successor, owner, names)
    return MoveGraph(model.successor, owner), names


def _refuse_same_names(successor: IntArray, owner: IntArray, names: tuple[str, ...]) -> None:
    """Raise InputError if actions of the same name lead from one state to different states.

    `successor` and `owner`, both ``int32 [n_states, n_ranks]``, have the next state of each move, and the index of its
    action in `names`.
    """
    order = np.argsort(owner, axis=1, kind="stable")
    owners, targets = np.take_along_axis(owner, order, axis=1), np.take_along_axis(successor, order, axis=1)
    again = (owners[:, 1:] == owners[:, :-1]) & (owners[:, 1:] != NO_OWNER) & (targets[:, 1:] != targets[:, :-1])
    if again.any():
        name = names[int(owners[:, 1:][again][0])]
        found = "actions with this name that lead from one state to different states"
        expected = "a name that determines where the action leads (rename one of the actions)"
        raise InputError(f"action {name!r}", found, expected)


def _things(cones: Cones, operators: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    """Assign numbers to the actions of the given operators; operators with the same name are the same action.

    Returns the number of each operator's action, ``int32 [n_operators + 1]``, and the names of the actions by number.
    The number is `NO_OWNER` for operators that are not given, and in the last entry.
    """
    labels = cones.task.labels
    used = np.unique(operators)
    names = tuple(dict.fromkeys(labels[operator] for operator in used.tolist()))
    number = {name: thing for thing, name in enumerate(names)}
    thing_of = np.full(len(labels) + 1, NO_OWNER, dtype=np.int32)  # index -1, no operator, has no owner
    for operator in used.tolist():
        thing_of[operator] = number[labels[operator]]
    return thing_of, names


# -- plans within a budget ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NearOptimalPlans:
    """All plans that are at most a given number of steps longer than the shortest, as transitions between states.

    Attributes:
        start: the first state.
        targets: for each reachable goal, the states in which it is true.
        counts: ``int32 [n_states]``, number of transitions from each state.
        operator: ``int32 [n_edges]``, operator of each transition; transitions are sorted by first state.
        target: ``int32 [n_edges]``, state after each transition.
    """

    start: int
    targets: tuple[IntArray, ...]
    counts: IntArray
    operator: IntArray
    target: IntArray


def near_optimal_plans(cones: Cones, budget: int, limits: Limits, progress: Progress | None = None) -> NearOptimalPlans:
    """Return all plans for reachable goals that are at most `budget` steps longer than the shortest plan for the goal.

    `cones` has the shortest plans. `progress` is called with lines of text; None for no calls. Raises an InputError if
    the search exceeds `limits`.
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
    """Return the states on all plans that are at most `budget` steps longer than the shortest plan for a goal.

    The result is ``uint64 [n, n_words]``, the bits of one state in each row, perhaps with further states. `goal_tasks`
    has the task to search for each goal. Raises an InputError beyond `limits`.
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
    """Return the indices of all transitions except duplicates, sorted by source and operator.

    Two transitions are duplicates if they have the same source, target and operator name. `source`, `operator` and
    `target` are ``int32 [n]``.
    """
    labels = cones.task.labels
    numbers: dict[str, int] = {}
    label = np.array([numbers.setdefault(labels[each], len(numbers)) for each in operator.tolist()], dtype=np.int32)
    order = np.lexsort((operator, source))
    rows = np.stack([source, label, target], axis=1)[order]
    first = np.unique(rows, axis=0, return_index=True)[1]
    return np.asarray(order[np.sort(first)])


# -- forbidding --------------------------------------------------------------------------------------------------


def forbid_actions(given: Recognition, labels: Sequence[str]) -> Recognition:
    """Return a copy of a planning problem in which some ground actions can never be applied.

    `labels` are the names of these actions, such as ``stack a b``. If there are none, `given` itself is returned.
    """
    if not labels:
        return given
    domain, setting = given.domain, given.setting
    predicates, initial = dict(domain.predicates), list(setting.initial)
    schemas = list(domain.schemas)
    for label in labels:
        name, *objects = label.split()
        predicate = f"forbidden-{name}-{len(objects)}"
        for k, schema in enumerate(schemas):
            if schema.name == name and len(schema.parameters) == len(objects):
                schemas[k] = _wanting_none(schema, predicate)
                predicates[predicate] = len(objects)
        at = next(schema.at for schema in schemas if schema.name == name)
        initial.append(Literal(predicate, tuple(objects), True, at))
    return replace(
        given,
        domain=replace(domain, predicates=predicates, schemas=tuple(schemas)),
        setting=replace(setting, initial=tuple(initial)),
    )


def _wanting_none(schema: Schema, predicate: str) -> Schema:
    """Return a copy of an action schema with one more precondition: `predicate` is false for the action's objects."""
    if any(literal.predicate == predicate for literal in schema.condition.literals):
        return schema
    terms = tuple(parameter.name for parameter in schema.parameters)
    unwanted = Literal(predicate, terms, False, schema.at)
    condition = Conjunction((*schema.condition.literals, unwanted), schema.condition.equalities)
    return replace(schema, condition=condition)
