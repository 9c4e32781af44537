"""Tool fetching as it is drawn: scenes of problems and instances."""

from __future__ import annotations

from askwise.domains.tool_fetching.description import describe, prior
from askwise.domains.tool_fetching.instance import Instance
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.domains.tool_fetching.rules import NOTHING, Rules, State
from askwise.domains.tool_fetching.vocabulary import WORDS
from askwise.problem import JointState
from askwise.reading import printable
from askwise.showing.scene import Cell, Figure, Goal, Landmark, Map, Scene
from askwise.types import FloatArray


class ToolFetchingLook:
    """How tool fetching looks; fulfils `askwise.domains.parts.Look`."""

    def scene(self, problem: ToolFetching, state: JointState) -> Scene:
        """See `Look`."""
        return _scene(problem.rules, problem.decode(state))

    def start(self, given: Instance | ToolFetching) -> Scene:
        """See `Look`."""
        rules = given.rules if isinstance(given, ToolFetching) else Rules(given)
        return _scene(rules, rules.start)

    def prior(self, given: Instance) -> FloatArray:
        """See `Look`."""
        return prior(given)

    def describe(self, given: Instance) -> str:
        """See `Look`."""
        return describe(given, self.start(given).size)


def _scene(rules: Rules, state: State) -> Scene:
    instance = rules.instance
    boxes = {name: k for k, name in enumerate(instance.toolboxes)}
    held = "" if state.holding == NOTHING else rules.stations[state.holding]
    return Scene(
        words=WORDS,
        ground=Map(rules.grid.walls),
        teammate=Figure(WORDS.teammate, WORDS.teammate_sign, _cell(rules, state.worker)),
        ego=Figure(WORDS.ego, WORDS.ego_sign, _cell(rules, state.fetcher)),
        goals=tuple(Goal(name, station.at, boxes[station.toolbox]) for name, station in instance.stations.items()),
        landmarks=tuple(Landmark(name, cell) for name, cell in instance.toolboxes.items()),
        carried=held,
        hands=f"the tool of {printable(held)}" if held else "empty hands",
    )


def _cell(rules: Rules, state: int) -> Cell:
    x, y = rules.grid.cells[state].tolist()
    return x, y
