"""The one way from Python into the planner's compiled loops.

Every kernel that Python calls is compiled with all the loops that it contains and with the way in, which unpacks the
workspace array by array. So there is one for all, and the functions below name what it can do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.planning.search.menus import choose as _choose
from askwise.planning.search.silence import silent as _silent
from askwise.planning.search.steps import best_action as _best_action
from askwise.planning.search.steps import count_actions
from askwise.planning.search.steps import score_actions as _score_actions
from askwise.planning.search.values import list_actions as _list_actions
from askwise.planning.search.values import put, value_from
from askwise.planning.search.workspace import Limits, Workspace

SILENT, BEST, LISTED, CHOOSE, VALUE = range(5)

NO_LIMITS = Limits(0, 0, 0, 0)
NO_GROUPS = np.zeros((0, 1), dtype=np.uint64)


@compiled
def _do(
    what: int,
    ws: Any,
    limits: Any,
    groups: Any,
    level: int,
    w: int,
    place: int,
    load: int,
    number: int,
    more: int,
    depth: int,
    limit: float,
) -> tuple[float, int]:
    """Do one of the things below; what they return, or 0."""
    row = ws.rows.stack + level
    if what == SILENT:
        return _silent(ws, level, w, place, load, number != 0, limit), 0
    if what == CHOOSE:
        _choose(ws, limits, groups, level, w, place, load, number)
        return 0.0, 0
    if what == VALUE:
        if more >= 0:
            put(ws, level, w, place, load, more, depth, number, limit)
        return value_from(ws, limits, 1, level)
    weight = _score_actions(ws.world, ws.sets, ws.ranked, ws.scored, row, w, place, load)
    if what == BEST:
        return weight, _best_action(ws.scored, count_actions(ws.world, place), weight)
    return weight, _list_actions(ws, level, place, weight, number)


def silent(ws: Workspace, level: int, w: int, place: int, load: int, settles: bool) -> float:
    """See `askwise.planning.search.silence.silent`."""
    return float(_do(SILENT, ws, NO_LIMITS, NO_GROUPS, level, w, place, load, int(settles), 0, 0, math.inf)[0])


def best_action(ws: Workspace, w: int, place: int, load: int) -> tuple[float, int]:
    """Score the actions of the state at level 0; return the weight of its goals and the action of least regret."""
    weight, action = _do(BEST, ws, NO_LIMITS, NO_GROUPS, 0, w, place, load, 0, 0, 0, math.inf)
    return float(weight), int(action)


def list_actions(ws: Workspace, w: int, place: int, load: int, most: int) -> tuple[float, int]:
    """Write the best actions of the state at level 0 into the stack; return the weight of its goals, and how many."""
    weight, n = _do(LISTED, ws, NO_LIMITS, NO_GROUPS, 0, w, place, load, most, 0, 0, math.inf)
    return float(weight), int(n)


def choose(ws: Workspace, limits: Limits, groups: Any, level: int, w: int, place: int, load: int, menu: int) -> None:
    """See `askwise.planning.search.menus.choose`."""
    _do(CHOOSE, ws, limits, groups, level, w, place, load, menu, 0, 0, math.inf)


def value_of(
    ws: Workspace, limits: Limits, w: int, place: int, load: int, more: int, depth: int, menu: int, limit: float
) -> tuple[float, int]:
    """Put a state on level 1 of the stack, where its goals are; see `askwise.planning.search.values.value_from`."""
    value, level = _do(VALUE, ws, limits, NO_GROUPS, 1, w, place, load, menu, more, depth, limit)
    return float(value), int(level)


def value_going_on(ws: Workspace, limits: Limits, level: int) -> tuple[float, int]:
    """Go on at `level`, whose menu has been chosen; see `askwise.planning.search.values.value_from`."""
    value, level = _do(VALUE, ws, limits, NO_GROUPS, level, 0, 0, 0, 0, -1, 0, math.inf)
    return float(value), int(level)
