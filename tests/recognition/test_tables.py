"""The verdict on a problem holds for every goal."""

from __future__ import annotations

from askwise.pddl import Limits, cones_of, load
from askwise.recognition.tables import verdict
from tests.doc_pages import ROOT


def test_the_bound_of_goals_that_are_too_large_is_that_of_the_least() -> None:
    cones = cones_of(load(ROOT / "examples" / "words"), limits=Limits(blind=5, evaluations=1, states=5))
    bounds = [found.at_least for found in cones.found if not found.exact]
    assert len(bounds) == 5
    assert min(bounds) < max(bounds)
    assert all(found.at_least <= length for found, length in zip(cones.found, (4, 6, 8, 6, 8), strict=True))
    told = f"too large: 5 of 5 goals need at least {min(bounds)} steps, and the search reached its limits"
    assert verdict(cones) == told
    assert verdict(cones_of(load(ROOT / "examples" / "words"))) == "exact"
