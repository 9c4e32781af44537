"""Design spaces of maps, graphs and tool fetching: which cells may become walls, and which edges may be closed.

If both agents move in the same model, this applies to both, otherwise only to the teammate.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from askwise.api import as_problem
from askwise.core.factored import FactoredProblem
from askwise.designs.space import EgoTrips, MoveGraph, Space, cells_to_forbid, edges_to_forbid
from askwise.domains.coverage import Coverage
from askwise.domains.stated.file import ProblemFile, StatedProblem
from askwise.domains.stated.reader import read_lines
from askwise.domains.stated.sides import WALL
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.errors import InputError
from askwise.model import Drawing, GridWorld, Model, goal_list, same_model, state_names
from askwise.text.reading import Field
from askwise.types import IntArray

ONLY_SHORTEST = "None: designs assume that the teammate takes shortest paths"
Cell = tuple[int, int]
Edge = tuple[Hashable, str, Hashable]


def space_of_tool_fetching(given: Instance | ToolFetching) -> Space:
    """Return the design space of a tool-fetching problem, or of its instance: the cells that may become walls.

    The cells of agents, stations and toolboxes must stay free.
    """
    problem = given if isinstance(given, ToolFetching) else ToolFetching(given)
    if problem.policies is not None:
        raise InputError("teammate_policies", "your own policies", ONLY_SHORTEST)
    instance, grid = problem.instance, problem.grid
    stations = {name: grid.state(station.at) for name, station in instance.stations.items()}
    boxes = {name: grid.state(cell) for name, cell in instance.toolboxes.items()}
    worker, fetcher = grid.state(instance.worker), grid.state(instance.fetcher)
    graph, states = cells_to_forbid(grid, [worker, fetcher, *stations.values(), *boxes.values()])
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
        graph=graph,
        start=worker,
        targets=tuple(_one(stations[name]) for name in problem.goals),
        changed=changed,
        trips=EgoTrips(graph, tuple(legs), np.ones(len(legs), dtype=np.int32)),  # 1 step to pick up the tool
        both=True,
    )


def _one(state: int) -> IntArray:
    return np.array([state], dtype=np.int32)


def space_of_place(given: object) -> Space:
    """Return the design space of a map (cells that may become walls) or of a graph (edges that may be closed).

    `given` is a drawn map, a problem, or an instance (the contents of a problem file).
    """
    if isinstance(given, Drawing):
        return _of_drawing(given)
    if isinstance(given, Instance | ToolFetching):
        return space_of_tool_fetching(given)
    problem = as_problem(given)
    given = given if isinstance(given, ProblemFile) else problem
    if not isinstance(problem, FactoredProblem):
        raise InputError("problem", f"one of type {type(problem).__name__}", "a map, a graph, or a planning problem")
    if problem.policies is not None:
        place = "teammate.policy" if isinstance(problem, StatedProblem) else "teammate_policies"
        raise InputError(place, "a policy", ONLY_SHORTEST)
    mapped = isinstance(problem.teammate.model, GridWorld)
    return _of_map(problem, given) if mapped else _of_graph(problem, given)


# -- maps --------------------------------------------------------------------------------------------------------


def _of_drawing(drawing: Drawing) -> Space:
    """Return the design space of a drawn map: the cells that may become walls.

    The cells of agents and goals must stay free. Only the teammate's paths count.
    """
    grid = drawing.grid
    if drawing.teammate is None:
        raise InputError("drawing", "no W (the teammate)", "a drawing with a W")
    if not drawing.goals:
        raise InputError("drawing", "no goals", "at least one letter or digit other than W and F")
    names, targets = goal_list(grid, drawing.goals)
    agents = [grid.state(cell) for cell in (drawing.teammate, drawing.ego) if cell is not None]
    graph, states = cells_to_forbid(grid, [*agents, *np.concatenate(targets).tolist()])
    cells = _cells(grid, states)
    n = len(drawing.goals)
    return Space(
        thing="cell",
        names=tuple(cells),
        goals=names or (),
        prior=np.full(n, 1 / n),
        graph=graph,
        start=agents[0],
        targets=targets,
        changed=lambda things: _walled(drawing, [cells[thing] for thing in things]),
        plays=False,
        both=True,
    )


def _walled(drawing: Drawing, cells: Sequence[Cell]) -> Drawing:
    if not cells:
        return drawing
    return replace(drawing, grid=_with_walls(drawing.grid, cells))


def _with_walls(grid: GridWorld, cells: Iterable[Cell]) -> GridWorld:
    walls = grid.walls.copy()
    for x, y in cells:
        walls[y, x] = True
    return GridWorld(grid.width, grid.height, walls)


def _cells(grid: GridWorld, states: IntArray) -> list[Cell]:
    return [(int(x), int(y)) for x, y in grid.cells[states].tolist()]


def _of_map(problem: FactoredProblem, given: Any) -> Space:
    grid = problem.teammate.model
    assert isinstance(grid, GridWorld)
    graph, states = cells_to_forbid(grid, _needed(problem))
    cells = _cells(grid, states)

    def changed(things: Sequence[int]) -> Any:
        return _with_changes(given, problem, [cells[thing] for thing in things], _draw_walls, _with_walls)

    return _space(problem, "cell", tuple(cells), graph, changed)


def _needed(problem: FactoredProblem) -> set[int]:
    """Return the states that must stay free: the teammate's start and targets.

    If both agents share the map, the ego agent's start and targets must stay free, too.
    """
    sides = [(problem.start.teammate, problem.teammate.targets)]
    if _shared(problem):
        sides.append((problem.start.ego, problem.ego.targets))
    goals = range(len(problem.goals))
    return {state for start, targets in sides for state in (start, *(int(s) for g in goals for s in targets(g)))}


def _draw_walls(side: dict[str, Any], cells: Sequence[Cell]) -> None:
    lines = [list(line) for line in read_lines(Field("map", side["map"]))]
    for x, y in cells:
        lines[len(lines) - 1 - y][x] = WALL
    drawn = ["".join(line) for line in lines]
    # Keep the form of the file: one text, or a list of lines.
    side["map"] = "\n".join(drawn) + "\n" if isinstance(side["map"], str) else drawn


# -- graphs ------------------------------------------------------------------------------------------------------


def _of_graph(problem: FactoredProblem, given: Any) -> Space:
    model = problem.teammate.model
    graph, edges = edges_to_forbid(model)
    names: list[Edge] = [
        (model.name(s), str(model.action_name(s, a)), model.name(int(model.successor[s, a]))) for s, a in edges.tolist()
    ]

    def changed(things: Sequence[int]) -> Any:
        return _with_changes(given, problem, [names[thing] for thing in things], _take_out, _without_edges)

    return _space(problem, "edge", tuple(names), graph, changed)


def _take_out(side: dict[str, Any], edges: Sequence[Edge]) -> None:
    gone = {(_key(s), a, _key(t)) for s, a, t in edges}
    # States keep their numbers: list them, because some may lose all their edges.
    states = {_key(each): each for edge in side["edges"] for each in (edge[0], edge[2])}
    side.setdefault("states", list(states.values()))
    side["edges"] = [edge for edge in side["edges"] if (_key(edge[0]), edge[1], _key(edge[2])) not in gone]


def _key(name: Any) -> Any:
    return tuple(name) if isinstance(name, list) else name


def _without_edges(model: Model, edges: Iterable[Edge]) -> Model:
    successor = model.successor.copy()
    for s, a, _ in edges:
        at = model.state(s)
        successor[at, model.action_in(at, a)] = -1
    names = [model.name(state) for state in range(model.n_states)]
    if model.labels is None:
        return Model(successor, states=names, actions=model.actions, stay=model.actions[model.stay])
    *actions, stay = model.labels.names.names or ()  # staying is the last column and the last label
    labels = np.where(successor >= 0, model.labels.table, -1)[:, :-1]
    return Model(successor[:, :-1], labels=labels, states=names, actions=actions, stay=stay)


# -- both --------------------------------------------------------------------------------------------------------


def _shared(problem: FactoredProblem) -> bool:
    """Return whether both agents move in the same model."""
    return same_model(problem.teammate.model, problem.ego.model)


def _space(
    problem: FactoredProblem,
    thing: str,
    names: tuple[Hashable, ...],
    graph: MoveGraph,
    changed: Callable[[Sequence[int]], Any],
) -> Space:
    goals = range(len(problem.goals))
    trips = None
    if _shared(problem):
        legs = tuple(((problem.start.ego, problem.ego.targets(goal)),) for goal in goals)
        trips = EgoTrips(graph, legs, np.zeros(len(goals), dtype=np.int32))
    return Space(
        thing=thing,
        names=names,
        goals=problem.goals,
        prior=np.array(problem.prior),
        graph=graph,
        start=problem.start.teammate,
        targets=tuple(problem.teammate.targets(goal) for goal in goals),
        changed=changed,
        trips=trips,
        both=_shared(problem),
    )


def _with_changes(
    given: Any,
    problem: FactoredProblem,
    what: Sequence[Any],
    in_file: Callable[[dict[str, Any], Sequence[Any]], None],
    in_model: Callable[[Any, Iterable[Any]], Model],
) -> Any:
    """Return a copy of a problem, or of the contents of a problem file, in which some cells or edges are forbidden.

    `given` is what to copy, and `problem` the problem that it is or describes. `what` has the cells or edges to forbid;
    if there are none, `given` itself is returned. `in_file` forbids them in place, in one agent's part of a problem
    file. `in_model` returns a model without them.
    """
    if not what:
        return given
    file = given.file if isinstance(given, StatedProblem) else given
    if isinstance(file, ProblemFile):
        contents = file.to_json()
        for side in ("teammate", "ego") if _shared(problem) else ("teammate",):
            in_file(contents[side], what)
        other: Any = ProblemFile.from_json(contents)
        return other.problem().with_answers(problem.answers) if isinstance(given, StatedProblem) else other
    if isinstance(problem, Coverage):
        drawing = _walled(problem.drawing, what)
        return Coverage(drawing, prior=problem.weights, query_cost=problem.query_cost, answers=problem.answers)
    return _changed_models(problem, in_model(problem.teammate.model, what))


def _changed_models(problem: FactoredProblem, teammate: Model) -> FactoredProblem:
    """Return a copy of a problem built in Python, with another model of the teammate.

    If both agents share a model, the ego agent gets the new model, too. The new model must have the states of the old
    one.
    """
    old, own, goals = problem.teammate.model, problem.ego.model, range(len(problem.goals))
    ego = teammate if _shared(problem) else own
    return FactoredProblem(
        goals=list(problem.goals),
        prior=problem.prior,
        teammate_model=teammate,
        teammate_goals=[state_names(old, problem.teammate.targets(goal)) for goal in goals],
        ego_model=ego,
        ego_goals=[state_names(own, problem.ego.targets(goal)) for goal in goals],
        start=(old.name(problem.start.teammate), own.name(problem.start.ego)),
        query_cost=problem.query_cost,
        ego_moves=[own.all_actions[move] for move in problem.ego.actions.moves],
        groups={name: [problem.goals[goal] for goal in members] for name, members in problem.groups.items()},
        answers=problem.answers,
    )
