"""Lengths of optimal plans beside Fast Downward, and problems of unified-planning."""

from __future__ import annotations

import pytest
from tests.pddl.problems import INTRUSION, KEYS, LOGISTICS, TWO_EXITS, Files, blocks

from askwise.pddl import cones_of, recognition

shortcuts = pytest.importorskip("unified_planning.shortcuts")
pytest.importorskip("up_fast_downward")


def _plainer(text: str) -> str:
    """Return a text without either-types, and without a predicate that is called like a type: it reads neither."""
    return text.replace("(either vehicle parcel)", "object").replace("(city ", "(within ")


PROBLEMS = {
    "exits": TWO_EXITS,
    "keys": KEYS,
    "parcels": {role: _plainer(text) for role, text in LOGISTICS.items()},
    "hosts": INTRUSION,
    "words": blocks("arcst", ["star", "cats", "rat"]),
}


@pytest.mark.parametrize("files", PROBLEMS.values(), ids=PROBLEMS)
def test_optimal_plans_are_as_long_and_problems_of_unified_planning_are_the_same(files: Files) -> None:
    from unified_planning.io import PDDLReader, PDDLWriter

    problem = recognition(files)
    ours = cones_of(problem)
    shortcuts.get_environment().credits_stream = None
    for goal, line in enumerate(files["hyps.dat"].splitlines()):
        template = files["template.pddl"].replace("<HYPOTHESIS>", line.replace(",", " "))
        theirs = PDDLReader().parse_problem_string(files["domain.pddl"], template)
        with shortcuts.OneshotPlanner(name="fast-downward-opt") as planner:
            plan = planner.solve(theirs).plan
        assert len(plan.actions) == ours.lengths[goal]
        writer = PDDLWriter(theirs)
        bridged = cones_of(recognition({"domain.pddl": writer.get_domain(), "template.pddl": writer.get_problem()}))
        assert bridged.lengths.tolist() == [ours.lengths[goal]]
        assert bridged.found[0].plans is not None
        assert ours.found[goal].plans is not None
        assert bridged.model.n_states == int(ours.inside[:, goal].sum())
