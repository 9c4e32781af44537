"""Small instances of tool fetching, by hand and at random, and the game told once more in plain Python.

Nothing in the second half uses `askwise`: cells are pairs, agents are dictionaries' keys, plans are counted with whole
numbers of any size. Tests compare the package with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from hypothesis import strategies as st

from askwise.core.episode import Episode
from askwise.core.factored import FactoredProblem
from askwise.domains.tool_fetching import FORMAT, Instance, ToolFetching
from askwise.domains.tool_fetching.rules import FETCHER_NOOP
from askwise.model import Model

Cell = tuple[int, int]

DIRECTIONS: dict[str, Cell] = {"NORTH": (0, 1), "EAST": (1, 0), "SOUTH": (0, -1), "WEST": (-1, 0)}
KINDS = ("uniform", "far", "near", "fetcher-far", "fetcher-near")


def instance(
    size: Cell,
    *,
    stations: dict[str, tuple[Cell, str]],
    toolboxes: dict[str, Cell],
    worker: Cell,
    fetcher: Cell,
    walls: Iterable[Cell] = (),
    **more: Any,
) -> Instance:
    """An instance from a few words; `more` are further keys of its file."""
    return Instance.from_json(
        {
            "format": FORMAT,
            "width": size[0],
            "height": size[1],
            "walls": [list(cell) for cell in walls],
            "toolboxes": {name: list(cell) for name, cell in toolboxes.items()},
            "stations": {name: {"at": list(at), "toolbox": box} for name, (at, box) in stations.items()},
            "worker": list(worker),
            "fetcher": list(fetcher),
            **more,
        }
    )


def workshop(**more: Any) -> Instance:
    """Three stations, two toolboxes, room for detours: the map of most episodes in the tests.

    ::

        . B . . . C
        . . . . . .
        T . . # . .
        . . . # . .
        W . F . U A
    """
    return instance(
        (6, 5),
        stations={"A": ((5, 0), "T"), "B": ((1, 4), "T"), "C": ((5, 4), "U")},
        toolboxes={"T": (0, 2), "U": (4, 0)},
        worker=(0, 0),
        fetcher=(2, 0),
        walls=[(3, 1), (3, 2)],
        **more,
    )


# -- at random ---------------------------------------------------------------------------------------------------


@st.composite
def instances(draw: st.DrawFn, *, max_side: int = 4, max_stations: int = 4, kinds: Sequence[str] = KINDS) -> Instance:
    """Instances with and without walls; stations may lie on toolboxes, agents anywhere, pockets may be walled in."""
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    cells = [(x, y) for y in range(height) for x in range(width)]
    worker = draw(st.sampled_from(cells))
    others = [cell for cell in cells if cell != worker]
    walls = draw(st.lists(st.sampled_from(others), unique=True, max_size=len(cells) // 3)) if others else []
    place = st.sampled_from(sorted(steps_between(frozenset(cells) - frozenset(walls), worker)))
    boxes = draw(st.lists(place, unique=True, min_size=1, max_size=3))
    toolboxes = {f"T{k + 1}": cell for k, cell in enumerate(boxes)}
    owner = st.sampled_from(list(toolboxes))
    ats = draw(st.lists(place, unique=True, min_size=1, max_size=max_stations))
    return instance(
        (width, height),
        stations={f"S{k + 1}": (at, draw(owner)) for k, at in enumerate(ats)},
        toolboxes=toolboxes,
        worker=worker,
        fetcher=draw(place),
        walls=walls,
        prior={"kind": draw(st.sampled_from(kinds)), "temperature": draw(st.sampled_from([0.5, 1.0, 4.0]))},
        query_cost={"base": draw(st.sampled_from([0.0, 0.5])), "per_station": draw(st.sampled_from([0.0, 0.25]))},
    )


# -- in plain Python ---------------------------------------------------------------------------------------------


def free_cells(given: Instance) -> frozenset[Cell]:
    return frozenset((x, y) for x in range(given.width) for y in range(given.height)) - frozenset(given.walls)


def neighbours(free: frozenset[Cell], cell: Cell) -> dict[str, Cell]:
    """Where each move leads that is not blocked."""
    around = {name: (cell[0] + dx, cell[1] + dy) for name, (dx, dy) in DIRECTIONS.items()}
    return {name: there for name, there in around.items() if there in free}


@cache
def steps_between(free: frozenset[Cell], start: Cell) -> dict[Cell, int]:
    """Steps from `start` to every cell that can be reached, by breadth-first search."""
    steps = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for there in neighbours(free, here).values():
            if there not in steps:
                steps[there] = steps[here] + 1
                queue.append(there)
    return steps


@cache
def count_plans(free: frozenset[Cell], start: Cell, goal: Cell) -> int:
    """The number of shortest paths from `start` to `goal`."""
    if start == goal:
        return 1
    left = steps_between(free, goal)
    return sum(count_plans(free, c, goal) for c in neighbours(free, start).values() if left[c] == left[start] - 1)


@dataclass(frozen=True)
class Place:
    """Where everybody is, and the name of the station whose tool is in hand."""

    worker: Cell
    fetcher: Cell
    holding: str | None = None


def worker_moves(given: Instance, place: Place) -> dict[str, Cell]:
    moves = {**neighbours(free_cells(given), place.worker), "NOOP": place.worker}
    if place.worker in [station.at for station in given.stations.values()]:
        moves["WORK"] = place.worker
    return moves


def fetcher_moves(given: Instance, place: Place) -> dict[str, tuple[Cell, str | None]]:
    moves: dict[str, tuple[Cell, str | None]] = {"NOOP": (place.fetcher, place.holding)}
    for name, there in neighbours(free_cells(given), place.fetcher).items():
        moves[name] = there, place.holding
    for name, station in given.stations.items():
        if given.toolboxes[station.toolbox] == place.fetcher:
            moves[f"PICKUP {name}"] = place.fetcher, name
    return moves


def fewest_steps(given: Instance, goal: str) -> int:
    """The length of the shortest episode, found by trying everything that both agents can do."""
    station = given.stations[goal].at
    reached = {Place(given.worker, given.fetcher)}
    for step in range(1, 1000):
        following = set()
        for place in reached:
            for action, worker in worker_moves(given, place).items():
                for fetcher, holding in fetcher_moves(given, place).values():
                    if action == "WORK" and worker == fetcher == station and holding == goal:
                        return step
                    following.add(Place(worker, fetcher, holding))
        reached |= following
    raise AssertionError("the goal cannot be reached")


def urop_posterior(given: Instance, prior: Sequence[float], here: Cell) -> list[Fraction]:
    """``P0(g) N_g(here) / N_g(start)``, normalised, over the goals that a shortest path through `here` leads to."""
    free = free_cells(given)
    start, here_steps = steps_between(free, given.worker), steps_between(free, here)
    weights = []
    for weight, station in zip(prior, given.stations.values(), strict=True):
        on_the_way = start[here] + here_steps[station.at] == start[station.at]
        plans = Fraction(count_plans(free, here, station.at), count_plans(free, given.worker, station.at))
        weights.append(Fraction(weight) * plans if on_the_way else Fraction(0))
    return [weight / sum(weights) for weight in weights]


# -- in words ----------------------------------------------------------------------------------------------------


def drawn_map(given: Instance) -> list[str]:
    """The map at the start, the highest row first; stations and toolboxes by the first letter of their names."""
    marks = dict.fromkeys(given.walls, "#")
    marks |= {cell: name[0] for name, cell in given.toolboxes.items()}
    marks |= {station.at: name[0] for name, station in given.stations.items()}
    marks |= {given.worker: "W", given.fetcher: "F"}
    rows = reversed(range(given.height))
    return [" ".join(marks.get((x, y), ".") for x in range(given.width)) for y in rows]


def told(episode: Episode) -> str:
    """An episode as a page of text: the map, a line for each step (``-``: an impossible goal), the costs."""
    problem = episode.problem
    assert isinstance(problem, ToolFetching)
    names = problem.goals
    lines = [
        f"worker {episode.teammate}, fetcher {episode.method}, goal {episode.goal_name}, seed {episode.seed}",
        "",
        *drawn_map(problem.instance),
        "",
        " t  worker          fetcher           holds  " + "  ".join(f"P({name})" for name in names),
    ]
    for step in episode.steps:
        state = problem.decode(step.state)
        worker, fetcher = (_cell(problem, cell) for cell in (state.worker, state.fetcher))
        work = "" if step.teammate_action is None else problem.teammate.actions.names[step.teammate_action]
        fetch = "asks" if step.decision.action is None else problem.ego.actions.names[step.decision.action]
        holds = "-" if state.holding < 0 else names[state.holding]
        belief = [] if step.belief is None else [f"{p:4.2f}" if p > 0 else " -  " for p in step.belief]
        line = f"{step.t:2}  {worker} {work:8} {fetcher} {fetch:10} {holds:5}  " + "  ".join(belief)
        lines.append(line.rstrip())
    end = "finished" if episode.finished else "cut off"
    lines += [
        "",
        f"{end}: cost {episode.cost:g}, optimal {episode.known_cost:g}, more {episode.marginal_cost:g}",
        "",
    ]
    return "\n".join(lines)


def _cell(problem: ToolFetching, state: int) -> str:
    x, y = problem.grid.cells[state].tolist()
    return f"({x}, {y})"


def product_problem(instance: Instance) -> FactoredProblem:
    """Return the same problem with the fetcher's whole product model; small instances only."""
    plain = ToolFetching(instance)
    rules, n = plain.rules, plain.rules.n_stations
    n_ego = plain.grid.n_states * (n + 1)
    names = plain.ego.actions.names
    successor = [[plain.ego.next(ego, a) for a in range(len(names))] for ego in range(n_ego)]
    fetcher = Model(successor, actions=names, stay=names[FETCHER_NOOP])
    return FactoredProblem(
        goals=plain.goals,
        prior=plain.prior,
        teammate_model=plain.grid,
        teammate_goals=list(rules.station_cells),
        ego_model=fetcher,
        ego_goals=[cell * (n + 1) + goal + 1 for goal, cell in enumerate(rules.station_cells)],
        start=plain.start,
        query_cost=plain.query_cost,
        ego_moves=[names[move] for move in plain.ego.actions.moves],
        groups={name: [plain.goals[goal] for goal in goals] for name, goals in plain.groups.items()},
        answers=plain.answers,
    )
