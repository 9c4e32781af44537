"""Goal recognition design: whether branch and bound is right, how long it takes, and what the planner gains.

Small random maps and graphs are also solved by trying every set of cells or edges, as in the tests, on more problems.
Maps of 13 x 13 cells are solved with at most 5 forbidden cells, for every objective. On maps of 9 x 9 cells, the
planner plays designs with the least expected EDP: its cost of not knowing the goal is compared with the EDP. Times are
CPU seconds of one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count as numbers
from time import process_time
from typing import Any

import numpy as np
from tests.designs import plain

import askwise
from askwise import Drawing, FactoredProblem, GridWorld, QueryCost, evaluate
from askwise.designs.design import space_of_given
from benchmarks.tools.report import Column, Table, count, number, progress, seconds

EQUAL = 1e-9
SIDE, CELLS = 13, 5
MAPS = ((0, 3), (0, 5), (20, 4), (20, 5), (40, 4), (40, 5))
"""Walls and goals of the large maps."""

Make = Callable[[np.random.Generator], Any]
KINDS: dict[str, tuple[Make, int]] = {
    "map, teammate alone": (plain.random_drawing, 2),
    "map, both agents": (plain.random_map_problem, 2),
    "graph, teammate alone": (lambda rng: plain.random_graph_problem(rng, shared=False), 3),
    "graph, both agents": (lambda rng: plain.random_graph_problem(rng, shared=True), 3),
}
"""Functions that make random problems (None if a seed gives none), and how much may be forbidden in each."""


def run(quick: bool) -> list[Table]:
    """Check small designs, time large ones, and play designs."""
    askwise.design(Drawing.parse("W..A\n...B"), 1, minimise="edp")  # once untimed, to compile
    return [_compare_with_everything(4 if quick else 40), _large(quick), _played(2 if quick else 30)]


# -- correctness -----------------------------------------------------------------------------------------------------


def _compare_with_everything(n: int) -> Table:
    columns = ["problems", "minimises"]
    table = Table(
        "Branch and bound compared with trying everything",
        [
            *(Column(name) for name in columns),
            count("problems solved"),
            count("equal"),
            count("proven"),
            count("allowed designs"),
            count("designs searched"),
            seconds("branch and bound"),
            seconds("trying everything"),
        ],
        notes=["budgets of 0, 1 and 2 in turns; equal: the same least value with the same number of forbidden things"],
    )
    for name, (make, most) in KINDS.items():
        for minimise in ("wcd", "edp"):
            table.rows.append(_compare(name, make, minimise, most, n))
    few = max(2, n // 2)
    table.rows.append(_compare("map, both agents", plain.random_map_problem, "cost", 2, few))
    return table


def _compare(name: str, make: Make, minimise: str, most: int, n: int) -> list[Any]:
    progress(f"design: {n} problems, {name}, {minimise}")
    equal = proven = tried = looked_at = 0
    ours = trying = 0.0
    for k, given in enumerate(_draw(make, n)):
        space, budget = space_of_given(given), k % 3
        value: Any = {"wcd": plain.worst_case, "edp": plain.expected_edp}.get(minimise)
        value = value or plain.cost_of_not_knowing(given)
        at_most = min(most, len(space.names))
        start = process_time()
        truth = plain.least(space, value, at_most, budget)
        middle = process_time()
        by = "optimum" if minimise == "cost" else None
        found = askwise.design(given, at_most, minimise=minimise, budget=budget, by=by)
        ours, trying = ours + process_time() - middle, trying + middle - start
        same = abs(found.after.value - truth.value) <= EQUAL and len(found.forbidden) == truth.size
        equal, proven = equal + same, proven + found.verdict.proven
        tried, looked_at = tried + truth.allowed, looked_at + found.verdict.looked_at
    return [name, minimise, n, equal, proven, tried, looked_at, ours, trying]


def _draw(make: Make, n: int) -> Iterator[Any]:
    """Yield `n` random problems."""
    found = 0
    for seed in numbers(1000):
        made = make(np.random.default_rng(seed))
        if made is not None:
            found += 1
            yield made
        if found == n:
            return


# -- time ------------------------------------------------------------------------------------------------------------


def _large(quick: bool) -> Table:
    table = Table(
        f"Maps of {SIDE} x {SIDE} cells, at most {CELLS} forbidden",
        [
            count("walls"),
            count("goals"),
            count("cells on shortest plans"),
            Column("minimises"),
            number("before", 4),
            number("after", 4),
            count("forbidden"),
            Column("proven"),
            number("lower bound", 4),
            count("designs searched"),
            seconds("CPU time"),
        ],
        notes=["budget 0; cost: of the optimum or the planner, for which forbidden cells are walls too"],
    )
    paths: list[dict[str, Any]] = [{"minimise": "wcd"}, {"minimise": "edp"}]
    paths += [{"minimise": "cost", "by": by} for by in ("optimum", "planner")]
    for seed, (walls, goals) in enumerate(MAPS[:1] if quick else MAPS):
        problem = _map(seed, walls, goals)
        for options in paths:
            progress(f"design: {walls} walls, {goals} goals, {options}")
            start = process_time()
            found = askwise.design(problem, CELLS, **options)
            taken = process_time() - start
            name = " ".join(options.values())
            row = [
                walls,
                goals,
                _cells_on_plans(problem),
                name,
                found.before.value,
                found.after.value,
                len(found.forbidden),
            ]
            verdict = found.verdict
            row += ["yes" if verdict.proven else "no", verdict.bound, verdict.looked_at, taken]
            table.rows.append(row)
    return table


def _cells_on_plans(problem: FactoredProblem) -> int:
    from askwise.designs.paths import TeammatePaths

    return int(TeammatePaths(space_of_given(problem), 0).useful(()).sum())


def _map(seed: int, walls: int, goals: int) -> FactoredProblem:
    """Return a random map on which all targets, different ones for the two agents, can be reached."""
    for again in numbers():
        rng = np.random.default_rng([seed, again])
        cells = [(x, y) for x in range(SIDE) for y in range(SIDE)]
        cells = [cells[k] for k in rng.permutation(len(cells))]
        grid = GridWorld(SIDE, SIDE, cells[2 * goals + 2 : 2 * goals + 2 + walls])
        try:
            return FactoredProblem(
                [chr(65 + k) for k in range(goals)],
                teammate_model=grid,
                teammate_goals=cells[:goals],
                ego_goals=cells[goals : 2 * goals],
                start=(cells[2 * goals], cells[2 * goals + 1]),
            )
        except askwise.InputError:
            continue  # a target cannot be reached
    raise AssertionError("unreachable: the loop has no end")


# -- gain ------------------------------------------------------------------------------------------------------------


def open_map(seed: int, *, side: int = 9, goals: int = 4, price: float = 1.0) -> FactoredProblem:
    """Return an open map: the teammate on the left, its goals on the right, the ego agent and its targets anywhere."""
    rng = np.random.default_rng(seed)
    cells = [(x, y) for x in range(side) for y in range(side)]
    right = [cell for cell in cells if cell[0] >= side // 2]
    targets = [right[k] for k in rng.permutation(len(right))[:goals]]
    start = (0, side // 2)
    rest = [cell for cell in cells if cell not in targets and cell != start]
    chosen = [rest[k] for k in rng.permutation(len(rest))[: goals + 1]]
    return FactoredProblem(
        [chr(65 + k) for k in range(goals)],
        teammate_model=GridWorld(side, side),
        teammate_goals=targets,
        ego_goals=chosen[:goals],
        start=(start, chosen[goals]),
        query_cost=QueryCost(price, 0.0),
    )


def edp_and_cost(seed: int, most: int, limit: int) -> list[tuple[float, float]]:
    """Return expected EDP and the planner's expected marginal cost, for designs with 0 to `most` forbidden cells."""
    problem = open_map(seed)
    found = [askwise.design(problem, k, minimise="edp", limit=limit) for k in range(1, most + 1)]
    played = [evaluate(given, "planner", exact=True) for given in (problem, *(each.changed for each in found))]
    edps = [found[0].before.edp, *(each.after.edp for each in found)]
    return [(edp, each.expected_marginal_cost) for edp, each in zip(edps, played, strict=True)]


def _played(n: int) -> Table:
    progress(f"design: {n} maps played by the planner")
    means = np.array([edp_and_cost(seed, CELLS, 5000) for seed in range(n)])
    table = Table(
        f"The planner's cost where goals show earlier: {n} open maps of 9 x 9 cells",
        [
            count("cells forbidden at most"),
            number("mean expected EDP", 4),
            number("mean marginal cost", 4),
            count("maps with a lower cost than before"),
            count("maps with a higher cost"),
        ],
        notes=["designs with the least expected EDP found; exact costs of the planner; a question costs 1"],
    )
    for k in range(CELLS + 1):
        costs, before = means[:, k, 1], means[:, 0, 1]
        less, more = int((costs < before - EQUAL).sum()), int((costs > before + EQUAL).sum())
        table.rows.append([k, float(means[:, k, 0].mean()), float(costs.mean()), less, more])
    return table
