"""How much is left to gain at the paper's size: the planner beside bounds that no method can beat.

The first instances of the study `beyond`, under all its priors and prices. The planner's cost is an expectation over
all goals and paths of the worker, no sample. Two bounds: the oracle's, proven; and that of random groups, with 95 %
confidence on each instance. The larger of the two counts, instance by instance. The gap is how far the planner's mean
cost is above the mean bound. Each number is written to a file as soon as it is there, and a run that was stopped goes
on from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from askwise.evaluation import evaluate
from askwise.experiments.running.problems import Problems
from askwise.experiments.schema.study_file import load_study
from askwise.planning.bounds import bound_problem
from askwise.planning.groups import bound_with_groups
from askwise.problem import Problem
from benchmarks.report import Column, Table, number, progress

INSTANCES = 4
WRITTEN = Path("out/bench/gap.jsonl")
SHOWN = Path("out/bench/gap.csv")
"""What ``docs/reproduced/gap.csv`` is a copy of."""
KINDS = ("oracle", "groups", "planner")
Key = tuple[str, int, str, float]
"""What it is, instance, prior, price."""


def run(quick: bool) -> list[Table]:
    """Work out what is not yet written, and tell the gap of every cell."""
    found = {} if quick else written()
    instances, priors = (1, ("near",)) if quick else (INSTANCES, ("far", "uniform", "near"))
    for key, problem in cases(instances, priors, (0.2,) if quick else None):
        if key not in found:
            progress("gap: {} of instance {}, {}, {}".format(*key))
            found[key] = value(key[0], problem)
            if not quick:
                WRITTEN.parent.mkdir(parents=True, exist_ok=True)
                with WRITTEN.open("a") as file:
                    file.write(json.dumps([*key, found[key]]) + "\n")
    told = table(found)
    if not quick:
        told.save_csv(SHOWN)
    return [told]


def written() -> dict[Key, float]:
    """Return what earlier runs have found."""
    lines = WRITTEN.read_text().splitlines() if WRITTEN.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(kind, index, prior, price): found for kind, index, prior, price, found in rows}


def cases(instances: int, priors: tuple[str, ...], prices: tuple[float, ...] | None) -> Iterator[tuple[Key, Problem]]:
    """Iterate over all numbers that are wanted: all cells of one instance before the next."""
    study = load_study("beyond")
    for index in range(instances):
        task = study.task(index)
        problems = Problems(task)
        for condition in task.conditions():
            prior, price = condition.prior.label, condition.per_station_cost
            assert price is not None
            if condition.method.label == "planner" and prior in priors and (prices is None or price in prices):
                for kind in KINDS:
                    yield (kind, index, prior, price), problems(condition)


def value(kind: str, problem: Problem) -> float:
    """Return a bound, or what the planner costs."""
    if kind == "planner":
        return evaluate(problem, "planner", exact=True, go_on=True).expected_marginal_cost
    bound = bound_problem(problem) if kind == "oracle" else bound_with_groups(problem)
    assert bound is not None
    return bound.value


def table(found: dict[Key, float]) -> Table:
    """Return the gap of every cell, over the instances for which all is known."""
    title = "What is left to gain: the planner beside bounds that no method can beat"
    names = ("instances", "planner", "oracle", "groups", "bound", "gap, %")
    columns = [Column("prior"), *(number(name, digits=4) for name in ("price", *names))]
    cells = dict.fromkeys((prior, price) for _, _, prior, price in found)
    rows = [[*cell, *row] for cell in cells if (row := _row(found, *cell)) is not None]
    notes = [
        "means over the same instances; oracle: the largest at this price or a lower one; groups: with 95 % confidence "
        "on each; bound: the larger on each instance",
    ]
    return Table(title, columns, rows, notes)


def _row(found: dict[Key, float], prior: str, price: float) -> list[float] | None:
    indices = [index for kind, index, p, c in found if (kind, p, c) == ("planner", prior, price)]
    whole = [k for k in indices if all((kind, k, prior, price) in found for kind in KINDS)]
    if not whole:
        return None
    groups, planner = ([found[kind, k, prior, price] for k in whole] for kind in KINDS[1:])
    oracle = [_oracle(found, k, prior, price) for k in whole]
    best = [max(pair) for pair in zip(oracle, groups, strict=True)]
    means = [sum(some) / len(whole) for some in (planner, oracle, groups, best)]
    return [len(whole), *means, 100 * (means[0] / means[3] - 1)]


def _oracle(found: dict[Key, float], index: int, prior: str, price: float) -> float:
    """Return the oracle's bound; what nobody can beat at a lower price, nobody can at this one."""
    cheaper = [
        value for (kind, k, p, c), value in found.items() if (kind, k, p) == ("oracle", index, prior) and c <= price
    ]
    return max(cheaper)
