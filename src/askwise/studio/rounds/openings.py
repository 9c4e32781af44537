"""Rounds of one problem begin alike: what the planner decides at the start is worked out once for all who play it.

The planner's first decision depends on the problem alone: nothing is drawn at random, and nobody has done anything
yet. In short rounds it is most of the work. So the planner is kept as it was after that decision, and later rounds
begin with copies of it. They are copies, not the planner itself: what a planner remembers spares it work, and so it
could see further after others had played; everybody has to meet the same method.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from typing import Any

from askwise.core.problem import Problem
from askwise.methods.planner import PlannerAgent
from askwise.studio.rounds.round import Round, Setup

MOST_KEPT = 20
PROBLEM = "problem"
"""In place of the problem, which all rounds share."""


class Openings:
    """Planners after their first decision, by method and belief and the problem that they are for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str, str | None], tuple[Problem, bytes]] = OrderedDict()

    def begin(self, problem: Problem, setup: Setup) -> Round:
        """Return a new round, in which the robot has made its first decision."""
        made = Round(problem, setup)
        if type(made.robot) is not PlannerAgent or made.problem is not problem:
            made.think()
            return made
        key = (id(problem), setup.method, setup.belief)
        known, data = self._kept.get(key, (None, b""))
        if known is problem:
            rng = made.robot.rng
            made.robot, made.decision = _Reader(io.BytesIO(data), problem).load()
            assert made.robot is not None
            made.robot.rng = rng
        else:
            made.think()
            self._keep(key, problem, (made.robot, made.decision))
        return made

    def _keep(self, key: tuple[int, str, str | None], problem: Problem, opening: Any) -> None:
        stream = io.BytesIO()
        _Writer(stream, problem).dump(opening)
        self._kept[key] = problem, stream.getvalue()
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


class _Writer(pickle.Pickler):
    """Writes all but the problem."""

    def __init__(self, stream: io.BytesIO, problem: Problem) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._problem = problem

    def persistent_id(self, found: Any) -> str | None:
        """See `pickle.Pickler`."""
        return PROBLEM if found is self._problem else None


class _Reader(pickle.Unpickler):
    """Reads what a `_Writer` of this process has written, nothing else."""

    def __init__(self, stream: io.BytesIO, problem: Problem) -> None:
        super().__init__(stream)
        self._problem = problem

    def persistent_load(self, _: Any) -> Problem:
        """See `pickle.Unpickler`."""
        return self._problem
