"""Which walls would make goals plain soonest, as `askwise.design` finds them, from where both agents start."""

from __future__ import annotations

from typing import Any

from askwise.designing.designing import design
from askwise.reading import Field, printable
from askwise.studio.exploring.sketch import Cell, Sketch

MINIMISE = ("edp", "wcd")
MOST_WALLS = 3
MOST_LONGER = 10
MOST_DESIGNS = 20_000
"""Designs that are looked at before the best so far is suggested: a few seconds."""


def suggested(sketch: Sketch, given: Field) -> dict[str, Any]:
    """Return the cells to become walls, what that changes, and what is proven.

    Args:
        sketch: the map.
        given: what to minimise, how many walls at most, by how much ways may grow.
    """
    given.object(["minimise", "most", "budget"], [])
    found = design(
        sketch.file,
        given.child("most").whole(1, MOST_WALLS),
        minimise=given.child("minimise").text(MINIMISE),
        budget=given.child("budget").whole(0, MOST_LONGER),
        limit=MOST_DESIGNS,
    )
    taken = {sketch.teammate, sketch.ego}
    cells: list[Cell] = [cell for cell in found.forbidden if isinstance(cell, tuple)]  # on a map, all of them
    return {
        "cells": [list(cell) for cell in cells],
        "inTheWay": [list(cell) for cell in cells if cell in taken],
        "before": {"wcd": found.before.wcd, "edp": found.before.edp},
        "after": {"wcd": found.after.wcd, "edp": found.after.edp},
        "verdict": printable(str(found.verdict)),
    }
