"""Designs of planning problems, which forbid ground actions such as ``stack a b``.

The search uses the union of the goals' cones (`askwise.pddl.cones`). With a budget of 0 the set of shortest plans can
only shrink, so nothing else matters. With a larger budget it uses all plans within the budget
(`askwise.pddl.near_optimal`). There are many more of them; if they exceed the limits, the budget is refused.

To forbid ``stack a b``, a predicate is added that no action changes: ``stack`` gets the precondition
``not (forbidden-stack-2 ?x ?y)``, and ``(forbidden-stack-2 a b)`` holds in the initial state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from askwise.designs.space import NO_OWNER, MoveGraph, Space
from askwise.errors import AskwiseError, InputError
from askwise.model.builders import rank_tables
from askwise.pddl.archive import Recognition
from askwise.pddl.cones import Cones, Progress, cones_of
from askwise.pddl.language import Conjunction, Literal, Schema
from askwise.pddl.near_optimal import near_optimal_plans
from askwise.types import IntArray


def space_of_actions(given: Recognition, progress: Progress | None = None) -> Space:
    """Return the design space of a planning problem: the ground actions that may be forbidden, and all shortest plans.

    All reachable goals are equally likely.

    Args:
        given: the planning problem.
        progress: called with a line of text from time to time during the search for plans; None for no calls.
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
    """Return the design space of a planning problem with all plans at most `budget` steps longer than shortest ones.

    Args:
        given: the planning problem.
        cones: its shortest plans for all goals, as one model.
        budget: the number of steps by which plans may be longer.
        progress: called with a line of text from time to time during the search for plans; None for no calls.
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
    """Return the graph of all shortest plans, and the names of the ground actions that own its moves.

    The owner of a move in the graph is the index of its action in the names. Each name, such as ``stack a b``, occurs
    once.

    Args:
        cones: the shortest plans of a planning problem for all goals, as one model.
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

    The search assumes that the observer sees states, so the name of an action has to determine the next state.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move; a rank is the number of a move in its
            state.
        owner: ``int32 [n_states, n_ranks]``, the index of each move's action in `names`.
        names: the names of the actions.
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
    """Assign numbers to the ground actions that may be forbidden: those of some operators of a planning task.

    Operators with the same name, such as ``stack a b``, are the same ground action.

    Args:
        cones: the shortest plans of all goals; only its planning task, with the names of all operators, is used.
        operators: the indices of the operators; some may occur several times.

    Returns:
        The number of each operator's action, ``int32 [n_operators + 1]``, for all operators of the task: `NO_OWNER` for
        those that are not in `operators`, and in the last entry. And the names of the actions, in the order of their
        numbers.
    """
    labels = cones.task.labels
    used = np.unique(operators)
    names = tuple(dict.fromkeys(labels[operator] for operator in used.tolist()))
    number = {name: thing for thing, name in enumerate(names)}
    thing_of = np.full(len(labels) + 1, NO_OWNER, dtype=np.int32)  # index -1, no operator, has no owner
    for operator in used.tolist():
        thing_of[operator] = number[labels[operator]]
    return thing_of, names


def forbid_actions(given: Recognition, labels: Sequence[str]) -> Recognition:
    """Return a copy of a planning problem in which some ground actions can never be applied.

    Args:
        given: the planning problem.
        labels: the names of these actions, such as ``stack a b``.
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
    """Return an action schema with the additional precondition that `predicate` does not hold for its objects."""
    if any(literal.predicate == predicate for literal in schema.condition.literals):
        return schema
    terms = tuple(parameter.name for parameter in schema.parameters)
    unwanted = Literal(predicate, terms, False, schema.at)
    condition = Conjunction((*schema.condition.literals, unwanted), schema.condition.equalities)
    return replace(schema, condition=condition)
