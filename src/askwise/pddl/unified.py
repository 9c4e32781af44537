"""Problems of unified-planning, by way of PDDL: its own writer says what they mean, our reader takes it from there.

The package is not needed for anything else, and is only imported here, by whoever has such a problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from askwise.errors import InputError
from askwise.pddl.archive import DOMAIN, GOALS, TEMPLATE, Recognition, recognition
from askwise.pddl.limits import Limits


def from_unified_planning(
    problem: Any, goals: Iterable[str] | None = None, *, limits: Limits | None = None
) -> Recognition:
    """Return a `unified_planning.model.Problem` as a goal-recognition problem.

    Args:
        problem: the problem; what goes beyond STRIPS is refused as in PDDL files.
        goals: the goals that are thought possible, each as in ``hyps.dat``, ``(at robot room1), (open door2)``, in the
            names that unified-planning writes; by default the goal of the problem alone.
        limits: how much may be tried to fill in objects.
    """
    try:
        from unified_planning.io import PDDLWriter
    except ImportError:
        expected = "the package unified-planning, installed (pip install unified-planning)"
        raise InputError("problem", "a problem of unified-planning, without that package", expected) from None
    writer = PDDLWriter(problem)
    texts = {DOMAIN: writer.get_domain(), TEMPLATE: writer.get_problem()}
    if goals is not None:
        texts[GOALS] = "\n".join(goals)
    called = {DOMAIN: "domain as unified-planning writes it", TEMPLATE: "problem as unified-planning writes it"}
    return recognition(texts, name=str(problem.name or "problem"), files={**called, GOALS: "goals"}, limits=limits)
