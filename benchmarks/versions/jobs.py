"""The work that is timed in both versions: tables, decisions, episodes, environments, exact values, plain problems."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwise import Divergence, Instance, Prior, QueryCost, ToolFetching, evaluate, generate, simulate, solve
from benchmarks.tools import cases
from benchmarks.versions import steps
from benchmarks.versions.moments import Moments, decisions
from benchmarks.versions.work import Go, Job, timed

PLAIN, COMPRESSED = "plain", "compressed"
"""The same problems as two models without known structure, and as tool fetching."""
TABLES = (("askwise.planning.view", "view_of"), ("askwise.planning.tables", "tables_of"))
"""Module and function of the planner's tables, in the earlier and the present version."""


@dataclass(frozen=True)
class Setting:
    """Sizes of the work; the defaults are the paper's.

    Attributes:
        side: side of the maps.
        stations: stations on each map.
        toolboxes: toolboxes on each map.
        maps: number of maps on which decisions and episodes are measured.
        steps: steps of each environment.
        small: side and stations of the maps that are solved exactly.
        plain: side and stations of the maps that are also written as plain problems.
        deciding: methods whose decisions are measured.
        playing: methods whose episodes are measured.
        compared: methods that play plain problems.
    """

    side: int = 20
    stations: int = 50
    toolboxes: int = 5
    maps: int = 5
    steps: int = 1000
    small: tuple[int, int] = (10, 10)
    plain: tuple[int, int] = (12, 8)
    deciding: tuple[str, ...] = ("ezq", "ezq-local", "planner", "planner-light")
    playing: tuple[str, ...] = ("never", "ezq", "planner-light")
    compared: tuple[str, ...] = ("ezq", "planner")


FULL = Setting()
# Without the planner, because compiling it takes a minute for each version.
QUICK = Setting(
    side=8,
    stations=6,
    toolboxes=2,
    maps=2,
    steps=100,
    small=(5, 4),
    plain=(5, 4),
    deciding=("ezq", "ezq-local"),
    playing=("never", "ezq"),
    compared=("ezq",),
)


def paper_maps(setting: Setting) -> list[Instance]:
    """Return maps of the paper's size."""
    return [_map(setting.side, setting.stations, setting.toolboxes, seed) for seed in range(setting.maps)]


def plain_maps(setting: Setting) -> list[Instance]:
    """Return the maps that are also written as plain problems."""
    return [_map(*setting.plain, min(3, setting.toolboxes), seed) for seed in range(setting.maps)]


def _map(side: int, stations: int, toolboxes: int, seed: int) -> Instance:
    price = QueryCost(base=0.5, per_goal=0.2)
    return generate(width=side, stations=stations, toolboxes=toolboxes, prior=Prior("far"), query_cost=price, seed=seed)


def all_jobs(setting: Setting, moments: Moments) -> list[Job]:
    """Return all jobs."""
    return [
        *_tables(setting),
        *_decisions(setting, moments),
        *_episodes(setting),
        *_environments(setting),
        *_exact(setting),
        *_plain(setting, moments),
    ]


# -- tables ----------------------------------------------------------------------------------------------------------


def _tables(setting: Setting) -> Iterator[Job]:
    for walls in (False, True):
        case = cases.build(setting.side, setting.stations, walls=walls)
        yield Job("tables", f"EDP and WCD at a state, {case.name}", _prepared(len(case.starts), _at_states, case))
        yield Job("tables", f"EDP of all pairs, {case.name}", _prepared(1, _all_pairs, case))
    problems = _Problems(ToolFetching, paper_maps(setting))
    yield Job("tables", "the planner's tables of a problem", problems.then(_planner_tables))


def _at_states(case: cases.Case) -> object:
    case.clear_caches()
    family = Divergence(case.grid, case.goals)
    return [family.matrices_at(start) for start in case.starts]


def _all_pairs(case: cases.Case) -> object:
    case.clear_caches()
    return Divergence(case.grid, case.goals).edp_table()


def _planner_tables(problems: Sequence[Any]) -> Go:
    tables_of = _first_of(TABLES)

    def work() -> object:
        return [(made.weight, made.following) for made in map(tables_of, problems)]

    return timed(len(problems), work)


def _first_of(names: Sequence[tuple[str, str]]) -> Callable[..., Any]:
    """Return the first function that exists, from pairs of a module and a name."""
    for module, name in names:
        try:
            found: Callable[..., Any] = getattr(importlib.import_module(module), name)
        except ImportError:
            continue
        return found
    raise ImportError("none of " + ", ".join(f"{module}.{name}" for module, name in names))


# -- decisions, episodes, steps, exact values ------------------------------------------------------------------------


def _decisions(setting: Setting, moments: Moments) -> Iterator[Job]:
    problems = _Problems(ToolFetching, paper_maps(setting))
    for method in setting.deciding:
        recorded = moments[f"paper {method}"]
        yield Job("decisions", f"a decision of {method}", problems.then(decisions, method, recorded))


def _episodes(setting: Setting) -> Iterator[Job]:
    for method in setting.playing:
        name = f"an episode of {method}, new problem"
        yield Job("episodes", name, _prepared(setting.maps, _play_new, paper_maps(setting), method))


def _play_new(maps: Sequence[Instance], method: str) -> object:
    # An instance caches its grid, so every turn begins with a copy.
    return _play([ToolFetching(replace(each)) for each in maps], method)


def _play(problems: Sequence[Any], method: str) -> object:
    episodes = [simulate(problem, method, seed=seed) for seed, problem in enumerate(problems)]
    return [(each.cost, each.marginal_cost, len(each.steps), each.finished) for each in episodes]


def _environments(setting: Setting) -> Iterator[Job]:
    for name, make in steps.ENVIRONMENTS.items():
        yield Job("environments", f"a step, {name}", _made(make, paper_maps(setting)[0], setting.steps))


def _made(make: Callable[..., Callable[[], object]], instance: Instance, count: int) -> Callable[[], Go]:
    return lambda: timed(count, make(instance, count))


def _exact(setting: Setting) -> Iterator[Job]:
    maps = [_map(*setting.small, min(3, setting.toolboxes), seed) for seed in range(setting.maps)]
    yield Job("exact values", "solve", _prepared(len(maps), _solve_new, maps))
    for method in ("never", "ezq-local"):
        yield Job("exact values", f"evaluate {method} exactly", _prepared(len(maps), _evaluated, maps, method))


def _solve_new(maps: Sequence[Instance]) -> object:
    return _solve([ToolFetching(replace(each)) for each in maps])


def _solve(problems: Sequence[Any]) -> object:
    return [solve(problem).expected_marginal_cost for problem in problems]


def _evaluated(maps: Sequence[Instance], method: str) -> object:
    problems = [ToolFetching(replace(each)) for each in maps]
    return [evaluate(each, method, exact=True, go_on=True).expected_marginal_cost for each in problems]


# -- plain and compressed problems -----------------------------------------------------------------------------------


def _product_problem() -> Callable[..., Any]:
    """Return the function that makes a problem with the whole model of the fetcher.

    It is in the tests, and was in the package in the earlier version.
    """
    earlier = importlib.import_module("askwise.domains.tool_fetching.problem")
    if hasattr(earlier, "product_problem"):
        return earlier.product_problem  # type: ignore[no-any-return]
    return importlib.import_module("tests.tool_fetching").product_problem  # type: ignore[no-any-return]


def _plain(setting: Setting, moments: Moments) -> Iterator[Job]:
    maps = plain_maps(setting)
    forms = {COMPRESSED: _Problems(ToolFetching, maps), PLAIN: _Problems(_product_problem(), maps)}
    for form, problems in forms.items():
        yield Job(form, "making the problem", _prepared(1, _make_problem, problems.make, maps[0]))
    for method in setting.compared:
        for form, problems in forms.items():
            recorded = moments[f"plain {method}"]
            yield Job(form, f"a decision of {method}", problems.then(decisions, method, recorded))
        for form, problems in forms.items():
            yield Job(form, f"an episode of {method}, same problem", problems.then(_playing, method))
    for form, problems in forms.items():
        yield Job(form, "solve, same problem", problems.then(_solving))


def _make_problem(make: Callable[[Instance], Any], instance: Instance) -> object:
    return list(make(replace(instance)).goals)


def _playing(problems: Sequence[Any], method: str) -> Go:
    return timed(len(problems), lambda: _play(problems, method))


def _solving(problems: Sequence[Any]) -> Go:
    return timed(len(problems), lambda: _solve(problems))


class _Problems:
    """Problems that are made once, at first use, by a function from each map."""

    def __init__(self, make: Callable[[Instance], Any], maps: Sequence[Instance]) -> None:
        self.make, self._maps = make, maps
        self._problems: list[Any] = []

    def then(self, prepare: Callable[..., Go], *more: Any) -> Callable[[], Go]:
        """Return a function that makes the problems if necessary, and calls `prepare` with them and `more`."""

        def prepared() -> Go:
            self._problems = self._problems or [self.make(each) for each in self._maps]
            return prepare(self._problems, *more)

        return prepared


def _prepared(units: int, work: Callable[..., object], *arguments: Any) -> Callable[[], Go]:
    return lambda: timed(units, lambda: work(*arguments))
