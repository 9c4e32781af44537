"""The time of EDP by evidence, compared with EDP, and whether `ezq` gains by it.

**Time.** EDP of all pairs of 50 goals at one state of a 20 x 20 map, with and without walls: the usual algorithm, which
follows optimal actions only, and the one that adds up evidence, in turns.

**Gain.** The paper's setting (20 x 20 cells, 50 stations, 5 toolboxes, base cost 0.5, 0.2 for a station), with workers
that make mistakes, under the belief `robust` (mistakes contradict `bayes`, which assumes shortest plans). `ezq-local`
expects goals to be ruled out either by impossible actions only, or by evidence. All methods play the same problems with
the same seeds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from askwise import Divergence, simulate
from askwise.core.questions import QueryCost
from askwise.divergence.evidence import matrices_by_evidence
from askwise.divergence.pairs import capped_matrices
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods.paper import Ezq
from benchmarks.tools import cases
from benchmarks.tools.cases import Case, check_agreement
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, count, number, progress, ratio, seconds

EVIDENCE = 0.05
PRIORS = ("uniform", "near", "far")
TEAMMATES = ("noisy:0.2", "boltzmann:2")
BELIEF = "robust"
METHODS: dict[str, Any] = {
    "ezq-local": lambda: Ezq(optimiser="local", belief=BELIEF),
    "ezq-local, evidence 0.05": lambda: Ezq(optimiser="local", belief=BELIEF, evidence=0.05),
    "ezq-local, evidence 0.2": lambda: Ezq(optimiser="local", belief=BELIEF, evidence=0.2),
    "planner": lambda: "planner",
}
"""Functions that make the methods; the others are compared with the first."""

Task = tuple[str, str, str, int]
"""Method, teammate, prior, number of episodes."""


def run(quick: bool) -> list[Table]:
    """Measure the times of EDP for all pairs of goals, then the costs of the methods."""
    return [_times(quick), _costs(2 if quick else 80)]


def _times(quick: bool) -> Table:
    table = Table(
        f"All pairs of goals at one state, by evidence of {EVIDENCE:g}",
        [
            Column("case"),
            seconds("EDP"),
            seconds("EDP by evidence"),
            ratio("by evidence / EDP"),
            seconds("edp_at"),
            seconds("edp_at by evidence"),
        ],
        notes=[
            "mean over 20 states of the shortest time at each, in turns: calls this short are often interrupted",
            "expected: by evidence at most twice as long as EDP",
            "edp_at is the public function; without evidence it computes WCD too, and uses a closed form without walls",
        ],
    )
    for walls in (False, True):
        case = cases.build(20, 10 if quick else 50, walls=walls)
        progress(f"evidence on {case.name}")
        table.rows.append(_row(case, 3 if quick else 50))
    return table


def _row(case: Case, rounds: int) -> list[object]:
    plain = Divergence(case.grid, case.goals)
    targets = np.concatenate(plain.targets)
    starts = np.arange(len(plain.targets) + 1, dtype=np.int32)
    model = case.grid
    arrays = (model.successor, *model.predecessors)
    off = ~np.eye(plain.n_goals, dtype=bool)
    strict = matrices_by_evidence(model, case.starts[0], targets, starts, 1e-300)[0]
    check_agreement(f"evidence towards 0, {case.name}", strict[off], plain.edp_at(case.starts[0])[off])

    family = Divergence(case.grid, case.goals, evidence=EVIDENCE)
    calls: list[Callable[[int], object]] = [
        lambda start: capped_matrices(*arrays, start, targets, starts),
        lambda start: matrices_by_evidence(model, start, targets, starts, EVIDENCE),
        plain.edp_at,
        family.edp_at,
    ]
    one, two, *both = np.mean([_shortest(calls, start, rounds) for start in case.starts], axis=0).tolist()
    return [case.name, one, two, two / one, *both]


def _shortest(calls: list[Callable[[int], object]], start: int, rounds: int) -> list[float]:
    """Return the shortest time of each call at a state, in seconds; the calls take turns."""
    best = [math.inf] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            started = time.perf_counter()
            call(start)
            best[k] = min(best[k], time.perf_counter() - started)
    return best


def costs_of(task: Task) -> tuple[list[float], float]:
    """Return the marginal costs of the episodes of a task (nan where one did not end), and the seconds for all."""
    method, teammate, prior, episodes = task
    start, costs = time.perf_counter(), []
    for k in range(episodes):
        drawn = generate(seed=k, prior=Prior(prior), query_cost=QueryCost(0.5, 0.2))
        agent = METHODS[method]()
        chosen: dict[str, Any] = {"belief": BELIEF} if isinstance(agent, str) else {}
        costs.append(simulate(ToolFetching(drawn), agent, teammate, seed=1000 + k, **chosen).marginal_cost)
    return costs, time.perf_counter() - start


def _costs(episodes: int) -> Table:
    table = Table(
        f"ezq by evidence, workers that make mistakes ({episodes} episodes per row, belief robust)",
        [
            Column("teammate"),
            Column("prior"),
            Column("method"),
            number("mean marginal cost", 2),
            number("difference from ezq-local", 3),
            number("95 % half-width", 3),
            count("ended"),
            number("seconds per episode", 3),
        ],
        notes=["differences are paired: same problem, goal and seed"],
    )
    tasks = [(method, team, prior, episodes) for team in TEAMMATES for prior in PRIORS for method in METHODS]
    with process_pool() as pool:
        base = np.empty(0)
        for (method, teammate, prior, _), (found, spent) in zip(tasks, pool.map(costs_of, tasks), strict=True):
            progress(f"evidence: {teammate}, {prior}, {method}")
            costs = np.array(found)
            base = costs if method == "ezq-local" else base
            more = (costs - base)[~np.isnan(costs - base)]
            width = 1.96 * float(more.std(ddof=1)) / more.size**0.5
            ended = int((~np.isnan(costs)).sum())
            mean = float(np.nanmean(costs))
            table.rows.append([teammate, prior, method, mean, float(more.mean()), width, ended, spent / episodes])
    return table
