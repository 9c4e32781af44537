"""The gap between the planner's cost and lower bounds that no method can beat, at the paper's size.

The first instances of the study `beyond` are used, with all its priors and prices. The planner's cost is an exact
expectation over all goals and paths of the worker. It is compared with the optimum where the exact search finds it
within its limit of states. Elsewhere it is compared with the larger of two lower bounds: the oracle's, which is proven,
and that of random groups, with 95 % confidence on each instance. The gap is how far the mean cost of the planner is
above the mean of these. Each number is written to a file at once, so an interrupted run can be resumed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from askwise import evaluate
from askwise.core.problem import Problem
from askwise.planning.bounds import bound_problem
from askwise.planning.exact import TooLarge
from askwise.planning.groups import bound_with_groups
from askwise.planning.optimum import solve_problem
from askwise.studies.running.play import Problems
from askwise.studies.schema.study_file import load_study
from benchmarks.tools.report import Column, Table, number, progress

INSTANCES = 3
WRITTEN = Path("out/bench/gap.jsonl")
SHOWN = Path("out/bench/gap.csv")
"""``docs/reproduced/gap.csv`` is a copy of this file."""
MOST_STATES = 15_000_000
"""The most states for the optimum: some minutes, and up to 2 GB."""
GROUP_STATES, GROUP_SIZE, DEALS = 8_000_000, 25, 4
"""Limits for groups if the optimum is not found: larger than those of `evaluate --tight`, which is quicker."""
CLOSE = 1.01
"""No groups are drawn if the planner costs at most this factor times the oracle's bound."""
KINDS = ("optimum", "planner", "oracle", "groups")
Key = tuple[str, int, str, float]
"""A number to compute: its kind, instance, prior and price."""


def run(quick: bool) -> list[Table]:
    """Compute the numbers that are not yet in the file, and return the gap in every condition."""
    found: dict[Key, float | None] = {} if quick else read_written()
    instances, priors = (1, ("near",)) if quick else (INSTANCES, ("far", "uniform", "near"))
    for key, problem in cases(instances, priors, (0.2,) if quick else None):
        if key not in found and is_needed(found, key):
            progress("gap: {} of instance {}, {}, {}".format(*key))
            found[key] = value(key[0], problem)
            if not quick:
                WRITTEN.parent.mkdir(parents=True, exist_ok=True)
                with WRITTEN.open("a") as file:
                    file.write(json.dumps([*key, found[key]]) + "\n")
    gaps = table(found)
    if not quick:
        gaps.save_csv(SHOWN)
    return [gaps]


def is_needed(found: dict[Key, float | None], key: Key) -> bool:
    """Whether a number is needed: bounds if the optimum is not known, the second one if the first is not close."""
    optimum, cost, oracle = (found.get((kind, *key[1:])) for kind in KINDS[:3])
    if key[0] not in ("oracle", "groups"):
        return True
    if optimum is not None:
        return False
    return key[0] == "oracle" or cost is None or oracle is None or cost > CLOSE * oracle


def read_written() -> dict[Key, float | None]:
    """Return the numbers that earlier runs have written."""
    lines = WRITTEN.read_text().splitlines() if WRITTEN.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(kind, index, prior, price): found for kind, index, prior, price, found in rows}


def cases(instances: int, priors: tuple[str, ...], prices: tuple[float, ...] | None) -> Iterator[tuple[Key, Problem]]:
    """Yield the key and the problem of each number: all conditions of one instance before the next."""
    study = load_study("beyond")
    for index in range(instances):
        task = study.task(index)
        problems = Problems(task)
        for condition in task.conditions():
            prior, price = condition.prior.label, condition.per_goal
            assert price is not None
            if condition.method.label == "planner" and prior in priors and (prices is None or price in prices):
                for kind in KINDS:
                    yield (kind, index, prior, price), problems(condition)


def value(kind: str, problem: Problem) -> float | None:
    """Return the optimum, the planner's cost or a bound; None if the optimum takes too many states."""
    if kind == "optimum":
        try:
            return solve_problem(problem, limit=MOST_STATES).expected_marginal_cost
        except TooLarge:
            return None
    if kind == "planner":
        return evaluate(problem, "planner", exact=True, go_on=True).expected_marginal_cost
    if kind == "oracle":
        return bound_problem(problem, limit=GROUP_STATES).value
    bound = bound_with_groups(problem, largest=GROUP_SIZE, deals=DEALS, limit=GROUP_STATES)
    assert bound is not None
    return bound.value


def table(found: dict[Key, float | None]) -> Table:
    """Return the gap in every condition, over the instances for which all numbers are known."""
    title = "What is left to gain: the planner compared with the optimum, or with bounds that no method can beat"
    names = ("instances", "solved", "planner", "bound", "gap, %")
    columns = [Column("prior"), *(number(name, digits=4) for name in ("price", *names))]
    conditions = dict.fromkeys((prior, price) for _, _, prior, price in found)
    rows = [[*key, *row] for key in conditions if (row := _row(found, *key)) is not None]
    notes = [
        "means over the same instances; solved: number of instances on which the bound is the optimum; on the others "
        "it is the larger of the oracle's bound and that of random groups, which holds with 95 % confidence on each"
    ]
    return Table(title, columns, rows, notes)


def _row(found: dict[Key, float | None], prior: str, price: float) -> list[float] | None:
    planner, least, solved = [], [], 0
    for kind, index, p, c in found:
        if (kind, p, c) != ("planner", prior, price):
            continue
        bound = _bound(found, index, prior, price)
        if bound is not None:
            cost = found[kind, index, p, c]
            assert cost is not None
            planner.append(cost)
            least.append(bound)
            solved += found.get(("optimum", index, p, c)) is not None
    if not planner:
        return None
    means = sum(planner) / len(planner), sum(least) / len(least)
    return [len(planner), solved, *means, 100 * (means[0] / means[1] - 1)]


def _bound(found: dict[Key, float | None], index: int, prior: str, price: float) -> float | None:
    """Return the optimum of an instance, or the larger of its bounds; None if neither is known.

    Bounds for lower prices are bounds for this price too.
    """
    best = found.get(("optimum", index, prior, price))
    if best is not None:
        return best
    bounds = [found.get((kind, index, prior, price)) for kind in ("oracle", "groups")]
    if bounds[0] is None:
        return None
    cheaper = [
        value
        for (kind, k, p, c), value in found.items()
        if kind in ("optimum", "oracle") and (k, p) == (index, prior) and c <= price and value is not None
    ]
    return max(value for value in (*bounds, *cheaper) if value is not None)
