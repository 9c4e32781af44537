"""The bridge to unified-planning, without it: what its writer would say is read; tests/oracle has the real one."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from askwise.pddl import cones_of
from askwise.pddl.unified import from_unified_planning
from tests.pddl.problems import LOGISTICS
from tests.refused import assert_refused


class Writer:
    """Writes the parcels, whatever it is given."""

    def __init__(self, problem: object) -> None:
        self.problem = problem

    def get_domain(self) -> str:
        return LOGISTICS["domain.pddl"]

    def get_problem(self) -> str:
        return LOGISTICS["template.pddl"].replace("<HYPOTHESIS>", "(at red p2)")


def test_what_its_writer_says_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    package, io = ModuleType("unified_planning"), ModuleType("unified_planning.io")
    io.PDDLWriter = Writer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "unified_planning", package)
    monkeypatch.setitem(sys.modules, "unified_planning.io", io)
    problem = from_unified_planning(SimpleNamespace(name="post"))
    assert problem.name == "post"
    assert cones_of(problem).lengths.tolist() == [10]
    several = from_unified_planning(SimpleNamespace(name=None), ["(at red p2)", "(at blue p2)"])
    assert cones_of(several).lengths.tolist() == [10, 7]


def test_without_it_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unified_planning", None)
    monkeypatch.setitem(sys.modules, "unified_planning.io", None)
    message = (
        "problem: found a problem of unified-planning, without that package; expected the package unified-planning,"
        " installed (pip install unified-planning)"
    )
    assert_refused(lambda: from_unified_planning(object()), message)
