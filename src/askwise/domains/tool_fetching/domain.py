"""The registered domain of tool fetching, which reads and writes files and provides words for texts.

The format of the files is ``askwise/tool-fetching@1``. People type cells as ``X,Y``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwise.core.problem import JointState
from askwise.domains.tool_fetching.instance import FORMAT, Cell, Instance
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.domains.tool_fetching.rules import NOTHING, State
from askwise.errors import InputError
from askwise.model.graph import breadth_first
from askwise.text.reading import Field, parse_cell
from askwise.text.wording import Site, Vocabulary, index_of, number

WORDS = Vocabulary(
    title="Tool fetching",
    teammate="worker",
    ego="fetcher",
    goal="station",
    landmark="toolbox",
    load="tool",
    teammate_sign="W",
    ego_sign="F",
    landmark_sign="T",
    stays="works at {goal}",
    handling="a PICKUP",
    done="The work is done.",
    achieved="The worker has its tool at {goal}.",
)


def words_for(instance: Instance) -> Vocabulary:
    """Return the words that texts use for an instance: nouns, the positions of toolboxes, and the prior in words."""
    stations: dict[str, list[str]] = {name: [] for name in instance.toolboxes}
    for name, station in instance.stations.items():
        stations[station.toolbox].append(name)
    sites = tuple(Site(name, cell, tuple(stations[name])) for name, cell in instance.toolboxes.items())
    return replace(WORDS, sites=sites, prior=_prior_in_words(instance))


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


class ToolFetchingDomain:
    """The domain of tool fetching: the fetcher (ego agent) brings the worker (teammate) the tool for its station.

    It implements the interface `askwise.domains.registry.Domain`.
    """

    name = "tool-fetching"
    formats = (FORMAT,)

    def recognises(self, given: object) -> bool:
        """Return whether `given` is an `Instance` (what a file describes) or a `ToolFetching` problem."""
        return isinstance(given, Instance | ToolFetching)

    def read(self, field: Field) -> Instance:
        """Return the instance that a file describes; raise InputError if anything in the file is wrong.

        Args:
            field: the parsed contents of the file.
        """
        return Instance.from_json(field)

    def write(self, given: Instance | ToolFetching) -> dict[str, Any]:
        """Return the contents of an instance's file, as JSON-compatible data.

        `given` is the instance, or a problem made from it. Raises InputError for teammate policies or prices that a
        file cannot hold.
        """
        if isinstance(given, Instance):
            return given.to_json()
        if given.policies is not None:
            raise InputError("teammate_policies", "your own policies", f"None: a file of {FORMAT} holds no policies")
        return given.instance.to_json()

    def problem(self, given: Instance | ToolFetching, start: JointState | None = None) -> ToolFetching:
        """Return the problem of an instance, the object that a file describes.

        Args:
            given: an instance or a problem. A problem is returned unchanged if `start` is None.
            start: the start of both agents, of which only the cells are used; None for that of `given`. A prior that
                depends on the start is computed anew.

        Raises:
            InputError: an agent cannot reach every station.
        """
        problem = given if isinstance(given, ToolFetching) else ToolFetching(given)
        if start is None:
            return problem
        now = problem.decode(start)
        worker, fetcher = ((int(x), int(y)) for x, y in problem.grid.cells[[now.worker, now.fetcher]])
        other = ToolFetching(replace(problem.instance, worker=worker, fetcher=fetcher))
        return other.with_answers(problem.answers)

    def vocabulary(self, given: Instance | ToolFetching | None = None) -> Vocabulary:
        """Return the words that texts use for an instance or a problem, including the positions of its toolboxes.

        For None, return the words of the whole domain, without positions.
        """
        return WORDS if given is None else words_for(given.instance if isinstance(given, ToolFetching) else given)

    def parse_state(
        self,
        problem: ToolFetching,
        teammate: str | None = None,
        ego: str | None = None,
        holding: str | None = None,
    ) -> JointState:
        """Return the states of both agents, by index, from the cells and the name that a person typed.

        Args:
            problem: the problem.
            teammate: the worker's cell as ``X,Y``; None for its start.
            ego: the fetcher's cell as ``X,Y``; None for its start.
            holding: the station whose tool the fetcher holds; None for empty hands.

        Raises:
            InputError: the station is unknown, or a cell is not free or has no way to the stations.
        """
        start = problem.rules.start
        given = {"worker": teammate, "fetcher": ego}
        cells = {who: parse_cell(text, f"--{who}") for who, text in given.items() if text is not None}
        held = NOTHING if holding is None else index_of(problem.goals, holding, "holding", WORDS.goal)
        places = {who: _reachable(problem, who, at) for who, at in cells.items()}
        return problem.encode(State(places.get("worker", start.worker), places.get("fetcher", start.fetcher), held))


DOMAIN = ToolFetchingDomain()


def _reachable(problem: ToolFetching, who: str, at: Cell) -> int:
    """Return the state index of a cell; raise InputError if it is not free or no station can be reached from it.

    The error message calls the agent `who`, which is ``worker`` or ``fetcher``.
    """
    grid = problem.grid
    state = grid.state(at, who)
    steps = breadth_first([problem.rules.start.worker], *grid.predecessors)[0]
    if steps[state] < 0:  # moves can be undone, so the stations are connected to the worker's start
        raise InputError(who, f"{at}, with no way to the stations", "a cell with a way to them")
    return state
