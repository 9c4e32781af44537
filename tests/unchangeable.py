"""Trying to change a problem in every way that an agent could by accident; what gives way is told by its path."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import setitem
from typing import Any

import numpy as np

from askwise.core.problem import Problem

OWN = ("askwise", "tests")
"""Packages whose objects are looked into."""


def changeable(problem: Problem) -> list[str]:
    """The paths of everything about a problem that could be changed."""
    return [*_in_value(problem, "problem", set()), *_in_results(problem)]


def _in_value(value: Any, path: str, seen: set[int]) -> Iterator[str]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            yield f"{path}[...] = ..."
    elif isinstance(value, Mapping | tuple | list):
        if _happens(partial(setitem, value, next(iter(value), 0), 0)):
            yield f"{path}[...] = ..."
        for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _in_value(each, f"{path}[{key!r}]", seen)
    elif type(value).__module__.split(".")[0] in OWN and not isinstance(value, type):
        yield from _in_object(value, path, seen)


def _in_object(value: Any, path: str, seen: set[int]) -> Iterator[str]:
    for name in [each for each in dir(value) if not each.startswith("_")]:
        try:
            found = getattr(value, name)
        except Exception:  # `successor` of a stochastic model, say
            continue
        if _happens(partial(setattr, value, name, found)):
            yield f"{path}.{name} = ..."
        if _happens(partial(delattr, value, name)):
            yield f"del {path}.{name}"
        if isinstance(found, np.ndarray) and not np.shares_memory(found, getattr(value, name)):
            continue  # everybody gets one of their own
        if not callable(found) or isinstance(found, Mapping):
            yield from _in_value(found, f"{path}.{name}", seen)
    if _happens(partial(setattr, value, "something_new", 1)):
        yield f"{path}.something_new = ..."


def _in_results(problem: Problem) -> Iterator[str]:
    """Write to all that the methods of the protocol return, and see whether they then return something else."""
    teammate, ego = problem.start.teammate, problem.start.ego
    calls: dict[str, Callable[[], Any]] = {
        "teammate_policy": lambda: problem.teammate.policy(teammate),
        "teammate_optimal": lambda: problem.teammate.optimal(teammate),
        "teammate_targets": lambda: problem.teammate.targets(0),
        "teammate_steps": lambda: problem.teammate.steps(teammate),
        "teammate_matrices": lambda: problem.teammate.divergence(teammate),
        "ego_optimal": lambda: problem.ego.optimal(ego),
        "ego_steps": lambda: problem.ego.steps(ego),
        "ego_matrices": lambda: problem.ego.divergence(ego),
    }
    for name, call in calls.items():
        before = pickle.dumps(call())
        found = call()
        for array in found if isinstance(found, tuple) else (found,):
            if array.flags.writeable:
                array[...] = 7
        if pickle.dumps(call()) != before:
            yield f"problem.{name}(...)[...] = ..."
    yield from _in_value(problem.ego.table(), "problem.ego.table()", set())


def _happens(attempt: Callable[[], object]) -> bool:
    """Whether something can be done."""
    try:
        attempt()
    except (AttributeError, IndexError, TypeError, ValueError):
        return False
    return True
