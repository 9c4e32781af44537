"""What an instance is like: its size, its tools, how likely and how far its stations are."""

from __future__ import annotations

from collections import Counter

import numpy as np

from askwise._graph import breadth_first
from askwise.domains.tool_fetching.instance import Cell, Instance
from askwise.domains.tool_fetching.priors import prior_of
from askwise.reading import printable
from askwise.showing.words import counted, number
from askwise.types import FloatArray, IntArray

MOST_BOXES = 12


class Distances:
    """Steps between the places of an instance, from one search for each agent and each toolbox.

    On large maps this is much less than the tables that playing needs.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._stations = np.array([instance.grid.state(s.at) for s in instance.stations.values()])

    def worker_to_stations(self) -> IntArray:
        """``int32 [n_stations]``: the worker's steps to each station."""
        return np.asarray(self._from(self.instance.worker)[self._stations])

    def fetcher_to_tools(self) -> IntArray:
        """``int32 [n_stations]``: the fetcher's steps to each station's tool."""
        steps = self._from(self.instance.fetcher)
        boxes = self.instance.toolboxes
        return np.array([steps[self.instance.grid.state(boxes[s.toolbox])] for s in self.instance.stations.values()])

    def tools_to_stations(self) -> IntArray:
        """``int32 [n_stations]``: the steps from each station's tool to the station."""
        used = {station.toolbox for station in self.instance.stations.values()}
        steps = {name: self._from(cell) for name, cell in self.instance.toolboxes.items() if name in used}
        boxes = [station.toolbox for station in self.instance.stations.values()]
        return np.array([steps[box][cell] for box, cell in zip(boxes, self._stations, strict=True)])

    def _from(self, cell: Cell) -> IntArray:
        grid = self.instance.grid
        return breadth_first([grid.state(cell)], *grid.predecessors)[0]


def prior(instance: Instance) -> FloatArray:
    """``float64 [n_stations]``: how likely each station is at the start."""
    distances = Distances(instance)
    return prior_of(instance, distances.worker_to_stations(), distances.fetcher_to_tools())


def describe(instance: Instance, size: str) -> str:
    """Return the description, to be printed; `size` says how large the map is."""
    distances = Distances(instance)
    to_station, to_tool = distances.worker_to_stations(), distances.fetcher_to_tools()
    likely = prior_of(instance, to_station, to_tool)
    best = 1 + np.maximum(to_station, to_tool + distances.tools_to_stations())
    cost = instance.query_cost
    each = f" and {number(cost.per_goal)} for each station in it" if cost.per_goal else ""
    lines = [
        f"Tool fetching: {size}",
        f"toolboxes: {_boxes(instance)}",
        f"prior: {_prior_in_words(instance)}",
        f"a question costs {number(cost.base)}{each}",
        f"cost with the goal known: {float(likely @ best):.1f} expected, from {best.min()} to {best.max()}",
    ]
    return "\n".join(lines) + "\n"


def _boxes(instance: Instance) -> str:
    tools = Counter(station.toolbox for station in instance.stations.values())
    shown = [
        f"{printable(name)} at {cell} ({counted(tools[name], 'tool')})"
        for name, cell in list(instance.toolboxes.items())[:MOST_BOXES]
    ]
    more = len(instance.toolboxes) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _prior_in_words(instance: Instance) -> str:
    kind, temperature = instance.prior.kind, number(instance.prior.temperature)
    return {
        "uniform": "uniform",
        "weights": "weights by station",
        "far": f"far, stations far from the worker are likelier (temperature {temperature})",
        "near": f"near, stations near the worker are likelier (temperature {temperature})",
        "fetcher-far": f"fetcher-far, tools far from the fetcher are likelier (temperature {temperature})",
        "fetcher-near": f"fetcher-near, tools near the fetcher are likelier (temperature {temperature})",
    }[kind]
