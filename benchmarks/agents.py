"""The time of an episode and of a decision of each method, and its growth with the number of goals.

Every episode is played on its own map of the paper's size: 20 x 20 cells, 50 stations, 5 toolboxes. *New problem*
includes making the problem and its tables; *same problem* is the time of a second episode on the same problem.
Everything runs in one process, and the methods take turns on each map. One episode of each, which loads compiled code,
is not counted. A decision is *torn* where the gate is open: only there are questions considered.

The growth is that of a torn decision with all goals possible, on a problem whose tables exist.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from askwise import simulate
from askwise.core.problem import JointState, Problem
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.instance import Station
from askwise.methods import Observation, make_agent
from benchmarks.tools.report import Column, Table, count, progress, ratio, seconds
from benchmarks.tools.timing import TimedAgent, TimedDecision, growth_exponent

SIDE, STATIONS, TOOLBOXES = 20, 50, 5
COST = QueryCost(base=0.5, per_goal=0.2)
HEURISTICS = ("never", "baseline", "toolbox", "cost-prob")
METHODS = (*HEURISTICS, "ezq", "ezq-local", "ezq-auto")
PAPER = {"ezq": 8.9, **dict.fromkeys(HEURISTICS, 0.23)}
"""Seconds for an episode in the paper."""
EXPECTED = {"ezq": 0.060, "ezq-local": 0.020, **dict.fromkeys(HEURISTICS, 0.002)}
"""Expected upper limits of the time for an episode on a new problem, in seconds."""
SIZES = (25, 50, 100, 200, 400)
GROWTH_METHODS = ("ezq", "ezq-local")


@dataclass
class Measured:
    """Times of one method, in seconds: of each episode, each decision, and each torn decision."""

    new: list[float] = field(default_factory=list)
    same: list[float] = field(default_factory=list)
    decisions: list[float] = field(default_factory=list)
    torn: list[float] = field(default_factory=list)


def run(quick: bool) -> list[Table]:
    """Measure episodes and decisions, then the growth of a decision with the goals."""
    episodes, sizes, states = (3, SIZES[:3], 3) if quick else (100, SIZES, 15)
    found = measure(episodes)
    return [_episodes(found), _decisions(found), _verdicts(found, quick), _growth(sizes, states)]


# -- episodes ------------------------------------------------------------------------------------------------


def measure(episodes: int) -> dict[str, Measured]:
    """Play an episode on each of so many maps with every method."""
    found = {name: Measured() for name in METHODS}
    for k in range(episodes + 1):
        if k % 25 == 0:
            progress(f"agents: episode {k} of {episodes}")
        instance = _paper_instance(k)
        for name in METHODS:
            into = Measured() if k == 0 else found[name]
            _play(name, instance, k, into)
    return found


def _paper_instance(seed: int) -> Instance:
    return generate(width=SIDE, stations=STATIONS, toolboxes=TOOLBOXES, prior=Prior("far"), query_cost=COST, seed=seed)


def _play(name: str, instance: Instance, seed: int, into: Measured) -> None:
    agent, timed = make_agent(name), TimedAgent(name)
    own = replace(instance)  # an instance caches its grid, which would otherwise be shared by the methods
    start = perf_counter()
    problem = ToolFetching(own)
    simulate(problem, agent, seed=seed)
    middle = perf_counter()
    simulate(problem, agent, seed=seed)
    into.new.append(middle - start)
    into.same.append(perf_counter() - middle)
    simulate(problem, timed, seed=seed)  # a third episode, because reading the clock takes time too
    into.decisions += [each.seconds for each in timed.decisions]
    into.torn += [each.seconds for each in timed.decisions if _is_torn(each, problem)]


def _is_torn(made: TimedDecision, problem: Problem) -> bool:
    # With one goal left, NOOP means that the fetcher has arrived, not that it is torn.
    return made.decision.ask is not None or (made.undecided and made.decision.action == problem.ego.actions.stay)


# -- growth --------------------------------------------------------------------------------------------------


def _growth(sizes: Sequence[int], states: int) -> Table:
    table = Table(
        f"Growth of a torn decision with the goals, {SIDE} x {SIDE}",
        [count("goals"), *(seconds(f"{name}, {what}") for name in GROWTH_METHODS for what in ("median", "worst"))],
    )
    medians: dict[str, list[float]] = {name: [] for name in GROWTH_METHODS}
    for n in sizes:
        progress(f"agents: decisions about {n} goals")
        row: list[object] = [n]
        for name in GROWTH_METHODS:
            taken = _torn_decisions(name, n, states)
            medians[name].append(statistics.median(taken))
            row += [statistics.median(taken), max(taken)]
        table.rows.append(row)
    bound = growth_exponent(sizes, [n**2 * np.log(n) for n in sizes])
    table.notes = [
        f"{name} grows like n^{growth_exponent(sizes, taken):.2f} (least squares)" for name, taken in medians.items()
    ]
    table.notes += [
        f"the paper's bound, O(n^2 log n), grows like n^{bound:.2f} over these sizes",
        f"{states} random states each, all goals possible, no action optimal for all goals; tables exist",
    ]
    return table


def _torn_decisions(name: str, n: int, states: int) -> list[float]:
    rng = np.random.default_rng([2021, n])
    taken = []
    for _ in range(states):
        problem = ToolFetching(_random_map(n, rng))
        state = _torn_state(problem, rng)
        agent = make_agent(name)
        for counted in (False, True):  # the first decision fills the tables
            agent.reset(problem, 1)
            start = perf_counter()
            decision = agent.decide(Observation(state))
            if counted:
                taken.append(perf_counter() - start)
        assert decision.considered is not None
    return taken


def _random_map(n: int, rng: np.random.Generator) -> Instance:
    """Return a map with `n` stations, up to one on every cell; a toolbox and a station may share a cell."""
    cells = [(int(k) % SIDE, int(k) // SIDE) for k in rng.permutation(SIDE * SIDE)]
    boxes = {f"T{k}": cells[int(at)] for k, at in enumerate(rng.choice(len(cells), TOOLBOXES, replace=False))}
    owners = rng.integers(TOOLBOXES, size=n)
    return Instance(
        width=SIDE,
        height=SIDE,
        toolboxes=boxes,
        stations={f"S{k}": Station(cells[k], f"T{owners[k]}") for k in range(n)},
        worker=cells[int(rng.integers(len(cells)))],
        fetcher=cells[int(rng.integers(len(cells)))],
        query_cost=COST,
    )


def _torn_state(problem: ToolFetching, rng: np.random.Generator) -> JointState:
    """Return a state in which no action is optimal for all goals."""
    n_tools = len(problem.goals) + 1
    while True:
        worker, fetcher = (int(cell) for cell in rng.integers(problem.grid.n_states, size=2))
        state = JointState(worker, fetcher * n_tools)
        if not problem.ego.optimal(state.ego).all(axis=0).any():
            return state


# -- tables --------------------------------------------------------------------------------------------------


def _episodes(found: dict[str, Measured]) -> Table:
    columns = [seconds(what) for what in ("new problem, median", "mean", "worst", "same problem, median")]
    table = Table(
        f"Episodes; {SIDE} x {SIDE}, {STATIONS} stations, {TOOLBOXES} toolboxes",
        [Column("method"), *columns, seconds("the paper"), ratio("the paper / median")],
    )
    for name, took in found.items():
        median, paper = statistics.median(took.new), PAPER.get(name)
        same = statistics.median(took.same)
        faster = None if paper is None else paper / median
        table.rows.append([name, median, statistics.mean(took.new), max(took.new), same, paper, faster])
    table.notes = [
        f"{len(found[METHODS[0]].new)} maps, prior far, a question costs 0.5 plus 0.2 for each station",
        "new problem: includes the grid, distances and all that a problem caches, except the closed form of this grid "
        "size, which all maps share",
        "the paper: 8.9 s for an ezq episode (6.1 s for its genetic algorithm), under 0.23 s for its heuristics",
        "the paper used another machine and language: ratios show what users gain, not which implementation is better",
    ]
    return table


def _decisions(found: dict[str, Measured]) -> Table:
    columns = [seconds(what) for what in ("torn, median", "mean", "worst", "all decisions, median")]
    table = Table("Decisions in the same episodes", [Column("method"), *columns, count("torn"), count("all")])
    for name, took in found.items():
        torn = took.torn
        times = [statistics.median(torn), statistics.mean(torn), max(torn), statistics.median(took.decisions)]
        table.rows.append([name, *times, len(torn), len(took.decisions)])
    table.notes = [
        "torn: no action is optimal for all possible goals; the tables of the problem exist from an earlier episode"
    ]
    return table


def _verdicts(found: dict[str, Measured], quick: bool) -> Table:
    table = Table(
        "Expected and measured: an episode on a new problem, median",
        [Column("method"), seconds("expected below"), seconds("measured"), Column("verdict")],
    )
    for name, limit in EXPECTED.items():
        median = statistics.median(found[name].new)
        verdict = "not judged" if quick else "holds" if median < limit else "DOES NOT HOLD"
        table.rows.append([name, limit, median, verdict])
    return table
