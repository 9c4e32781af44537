"""Tool fetching in files: instances as ``askwise/tool-fetching@1``, states in the steps of a trace.

``worker`` and ``fetcher`` (cells ``[x, y]``) and ``holding`` (the station whose tool is in hand, or null) tell where
everybody is. What the worker did is ``worker_action``; the second best question, ``runner_up``, lists its ``stations``.
"""

from __future__ import annotations

from typing import Any

from askwise.domains.tool_fetching.instance import FORMAT, Instance
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.domains.tool_fetching.rules import NOTHING, State
from askwise.errors import InputError
from askwise.problem import JointState
from askwise.reading import Field


class ToolFetchingRecording:
    """Instances and states as JSON; fulfils `askwise.domains.parts.Recording`."""

    formats = (FORMAT,)
    state_keys = ("worker", "fetcher", "holding")

    def read(self, given: Field) -> Instance:
        """See `Recording`."""
        return Instance.from_json(given)

    def write(self, given: Instance | ToolFetching) -> dict[str, Any]:
        """See `Recording`."""
        if isinstance(given, Instance):
            return given.to_json()
        if given.policies is not None:
            raise InputError("teammate_policies", "policies of one's own", f"None: a file of {FORMAT} holds none")
        return given.instance.to_json()

    def state_to_json(self, problem: ToolFetching, state: JointState) -> dict[str, Any]:
        """See `Recording`."""
        now = problem.decode(state)
        return {
            "worker": list(problem.grid.cells[now.worker].tolist()),
            "fetcher": list(problem.grid.cells[now.fetcher].tolist()),
            "holding": None if now.holding == NOTHING else problem.goals[now.holding],
        }

    def state_from_json(self, problem: ToolFetching, given: Field) -> JointState:
        """See `Recording`."""
        grid = problem.grid
        places = [given.child(who) for who in ("worker", "fetcher")]
        worker, fetcher = (grid.state(place.cell(grid.width, grid.height), place.path) for place in places)
        holding = given.child("holding")
        tool = NOTHING if holding.value is None else problem.goals.index(holding.text(problem.goals))
        return problem.encode(State(worker, fetcher, tool))
