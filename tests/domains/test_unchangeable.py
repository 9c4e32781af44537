"""Shared objects cannot be changed: the problems of every domain, also after pickling."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import askwise
from askwise import simulate
from askwise.frozen import CannotChange
from tests.domains import test_contract
from tests.domains.test_contract import every_file, problem_of
from tests.unchangeable import changeable

packages = test_contract.packages


@every_file
def test_nothing_of_a_problem_can_be_changed(name: str) -> None:
    problem = problem_of(name)
    assert changeable(problem) == []


@every_file
@pytest.mark.parametrize("way", ["pickle 2", "pickle 4", "pickle 5", "copy", "deepcopy", "other terms"])
def test_nor_of_one_that_was_copied_or_has_travelled(name: str, way: str) -> None:
    problem = problem_of(name)
    before = simulate(problem, "ezq", seed=1)
    if way.startswith("pickle"):
        again = pickle.loads(pickle.dumps(problem, protocol=int(way[-1])))
    elif way == "other terms":
        prior = problem.instance.prior if isinstance(problem, askwise.ToolFetching) else problem.prior
        again = problem.with_terms(prior, problem.query_cost)  # type: ignore[attr-defined]
    else:
        again = getattr(copy, way)(problem)
    assert changeable(again) == []
    assert changeable(problem) == []
    assert simulate(again, "ezq", seed=1).steps == before.steps


@every_file
def test_who_tries_to_change_a_problem_is_told_so(name: str) -> None:
    problem: Any = problem_of(name)
    kind = type(problem).__name__
    for attempt, what in (
        (lambda: setattr(problem, "prior", None), f"{kind}.prior was to be set"),
        (lambda: setattr(problem.ego, "steps", len), f"{type(problem.ego).__name__}.steps was to be set"),
        (lambda: delattr(problem, "query_cost"), f"{kind}.query_cost was to be deleted"),
        (lambda: problem.groups.update(a=(0,)), "a dictionary in one of them was to be written to"),
    ):
        with pytest.raises(CannotChange) as caught:
            attempt()
        assert str(caught.value) == f"problems and what they are made of cannot be changed: {what}"
