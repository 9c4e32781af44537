"""Designs of tool fetching: cells that become walls, for worker and fetcher alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from askwise.designs.space import EgoTrips, Space, cells_to_forbid
from askwise.domains.tool_fetching.instance import Instance
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.errors import InputError
from askwise.types import IntArray


def space_of_tool_fetching(given: Instance | ToolFetching) -> Space:
    """Return all designs of a workshop: cells may become walls, except those of agents, stations and toolboxes."""
    problem = given if isinstance(given, ToolFetching) else ToolFetching(given)
    if problem.policies is not None:
        raise InputError("teammate_policies", "policies of one's own", "None: designs are for shortest ways")
    instance, grid = problem.instance, problem.grid
    stations = {name: grid.state(station.at) for name, station in instance.stations.items()}
    boxes = {name: grid.state(cell) for name, cell in instance.toolboxes.items()}
    worker, fetcher = grid.state(instance.worker), grid.state(instance.fetcher)
    ground, states = cells_to_forbid(grid, [worker, fetcher, *stations.values(), *boxes.values()])
    cells = [(int(x), int(y)) for x, y in grid.cells[states].tolist()]

    def changed(things: Sequence[int]) -> Instance | ToolFetching:
        walls = (*instance.walls, *(cells[thing] for thing in things))
        other = replace(instance, walls=walls) if things else instance
        return other if isinstance(given, Instance) else ToolFetching(other).with_answers(problem.answers)

    legs = []
    for name, station in instance.stations.items():
        box = boxes[station.toolbox]
        legs.append(((fetcher, _one(box)), (box, _one(stations[name]))))
    return Space(
        thing="cell",
        names=tuple(cells),
        goals=problem.goals,
        prior=np.array(problem.prior),
        ground=ground,
        start=worker,
        targets=tuple(_one(stations[name]) for name in problem.goals),
        changed=changed,
        trips=EgoTrips(ground, tuple(legs), np.ones(len(legs), dtype=np.int32)),  # 1 to pick the tool up
        both=True,
    )


def _one(state: int) -> IntArray:
    return np.array([state], dtype=np.int32)
