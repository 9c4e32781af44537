"""Moments of tool fetching, as people say them: cells ``X,Y``, and the station whose tool is in hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from askwise._graph import breadth_first
from askwise.arguments import cell
from askwise.domains.tool_fetching.instance import Cell, Instance
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.domains.tool_fetching.rules import NOTHING, State
from askwise.domains.tool_fetching.vocabulary import WORDS
from askwise.errors import InputError
from askwise.model import GridWorld
from askwise.problem import JointState
from askwise.showing.words import place_in


class ToolFetchingMoments:
    """Where worker and fetcher may be; fulfils `askwise.domains.parts.Moments`."""

    def state(
        self,
        problem: ToolFetching,
        teammate: str | None = None,
        ego: str | None = None,
        holding: str | None = None,
    ) -> JointState:
        """See `Moments`."""
        start = problem.rules.start
        given = {"worker": teammate, "fetcher": ego}
        cells = {who: cell(text, f"--{who}") for who, text in given.items() if text is not None}
        held = NOTHING if holding is None else place_in(problem.goals, holding, "holding", WORDS.goal)
        places = {who: _reachable(problem, who, at) for who, at in cells.items()}
        return problem.encode(State(places.get("worker", start.worker), places.get("fetcher", start.fetcher), held))

    def starting_at(self, problem: ToolFetching, state: JointState) -> ToolFetching:
        """See `Moments`."""
        now = problem.decode(state)
        worker, fetcher = ((int(x), int(y)) for x, y in problem.grid.cells[[now.worker, now.fetcher]])
        return ToolFetching(replace(problem.instance, worker=worker, fetcher=fetcher))

    def teammate_side(self, given: Instance) -> tuple[GridWorld, Mapping[str, Cell], Cell]:
        """See `Moments`."""
        return given.grid, {name: station.at for name, station in given.stations.items()}, given.worker


def _reachable(problem: ToolFetching, who: str, at: Cell) -> int:
    """Return the state of a cell, one from which the stations can be reached."""
    grid = problem.grid
    state = grid.state(at, who)
    steps = breadth_first([problem.rules.start.worker], *grid.predecessors)[0]
    if steps[state] < 0:  # moves can be undone: the stations are where the worker is from
        raise InputError(who, f"{at}, with no way to the stations", "a cell with a way to them")
    return state
