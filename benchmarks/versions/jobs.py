"""What is timed in both versions: tables, decisions, episodes, steps of environments, exact values, plain problems."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwise import Divergence, Instance, Prior, QueryCost, ToolFetching, evaluate, generate, simulate, solve
from benchmarks import cases
from benchmarks.versions import steps
from benchmarks.versions.moments import Moments, decisions
from benchmarks.versions.work import Go, Job, clocked

PLAIN, COMPRESSED = "plain", "compressed"
"""The same problems as two models with nothing known of their structure, and as tool fetching."""
TABLES = (("askwise.planning.view", "view_of"), ("askwise.planning.tables", "tables_of"))
"""The names that the planner's tables of a problem have had."""


@dataclass(frozen=True)
class Setting:
    """Sizes: of the paper, unless the run is a quick one.

    Attributes:
        side: of the maps.
        stations: on each of them.
        toolboxes: on each of them.
        maps: on which decisions and episodes are measured, each a problem of its own.
        steps: of each environment.
        small: side and stations of the maps that are solved exactly.
        plain: side and stations of the maps that are written as plain problems too.
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
# Compiling the planner takes a minute for each version. All else that is done with methods goes by their names.
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
    """Return the maps of the paper's size."""
    return [_map(setting.side, setting.stations, setting.toolboxes, seed) for seed in range(setting.maps)]


def plain_maps(setting: Setting) -> list[Instance]:
    """Return the maps that are written as plain problems too."""
    return [_map(*setting.plain, min(3, setting.toolboxes), seed) for seed in range(setting.maps)]


def _map(side: int, stations: int, toolboxes: int, seed: int) -> Instance:
    price = QueryCost(base=0.5, per_goal=0.2)
    return generate(width=side, stations=stations, toolboxes=toolboxes, prior=Prior("far"), query_cost=price, seed=seed)


def all_jobs(setting: Setting, moments: Moments) -> list[Job]:
    """Return everything that is to be timed."""
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
    problems = _Kept(ToolFetching, paper_maps(setting))
    yield Job("tables", "the planner's tables of a problem", problems.then(_planner_tables))


def _at_states(case: cases.Case) -> object:
    case.forget()
    family = Divergence(case.grid, case.goals)
    return [family.matrices_at(start) for start in case.starts]


def _all_pairs(case: cases.Case) -> object:
    case.forget()
    return Divergence(case.grid, case.goals).edp_table()


def _planner_tables(problems: Sequence[Any]) -> Go:
    tables_of = _first_of(TABLES)

    def work() -> object:
        return [(made.weight, made.following) for made in map(tables_of, problems)]

    return clocked(len(problems), work)


def _first_of(names: Sequence[tuple[str, str]]) -> Callable[..., Any]:
    """Return the first function that is there, of a module and a name each."""
    for module, name in names:
        try:
            found: Callable[..., Any] = getattr(importlib.import_module(module), name)
        except ImportError:
            continue
        return found
    raise ImportError("none of " + ", ".join(f"{module}.{name}" for module, name in names))


# -- decisions, episodes, steps, exact values ------------------------------------------------------------------------


def _decisions(setting: Setting, moments: Moments) -> Iterator[Job]:
    problems = _Kept(ToolFetching, paper_maps(setting))
    for method in setting.deciding:
        told = moments[f"paper {method}"]
        yield Job("decisions", f"a decision of {method}", problems.then(decisions, method, told))


def _episodes(setting: Setting) -> Iterator[Job]:
    for method in setting.playing:
        name = f"an episode of {method}, from nothing"
        yield Job("episodes", name, _prepared(setting.maps, _played_afresh, paper_maps(setting), method))


def _played_afresh(maps: Sequence[Instance], method: str) -> object:
    # An instance keeps its grid: every turn begins with one of its own.
    return _played([ToolFetching(replace(each)) for each in maps], method)


def _played(problems: Sequence[Any], method: str) -> object:
    episodes = [simulate(problem, method, seed=seed) for seed, problem in enumerate(problems)]
    return [(each.cost, each.marginal_cost, len(each.steps), each.finished) for each in episodes]


def _environments(setting: Setting) -> Iterator[Job]:
    for name, make in steps.ENVIRONMENTS.items():
        yield Job("environments", f"a step, {name}", _made(make, paper_maps(setting)[0], setting.steps))


def _made(make: Callable[..., Callable[[], object]], instance: Instance, count: int) -> Callable[[], Go]:
    return lambda: clocked(count, make(instance, count))


def _exact(setting: Setting) -> Iterator[Job]:
    maps = [_map(*setting.small, min(3, setting.toolboxes), seed) for seed in range(setting.maps)]
    yield Job("exact values", "solve", _prepared(len(maps), _solved_afresh, maps))
    for method in ("never", "ezq-local"):
        yield Job("exact values", f"evaluate {method} exactly", _prepared(len(maps), _evaluated, maps, method))


def _solved_afresh(maps: Sequence[Instance]) -> object:
    return _solved([ToolFetching(replace(each)) for each in maps])


def _solved(problems: Sequence[Any]) -> object:
    return [solve(problem).expected_marginal_cost for problem in problems]


def _evaluated(maps: Sequence[Instance], method: str) -> object:
    problems = [ToolFetching(replace(each)) for each in maps]
    return [evaluate(each, method, exact=True, go_on=True).expected_marginal_cost for each in problems]


# -- plain problems beside compressed ones ---------------------------------------------------------------------------


def _product_problem() -> Callable[..., Any]:
    """Return what makes a problem with the whole model of the fetcher: in the tests, earlier in the package."""
    earlier = importlib.import_module("askwise.domains.tool_fetching.problem")
    if hasattr(earlier, "product_problem"):
        return earlier.product_problem  # type: ignore[no-any-return]
    return importlib.import_module("tests.tool_fetching").product_problem  # type: ignore[no-any-return]


def _plain(setting: Setting, moments: Moments) -> Iterator[Job]:
    maps = plain_maps(setting)
    ways = {COMPRESSED: _Kept(ToolFetching, maps), PLAIN: _Kept(_product_problem(), maps)}
    for way, problems in ways.items():
        yield Job(way, "making the problem", _prepared(1, _problem_made, problems.make, maps[0]))
    for method in setting.compared:
        for way, problems in ways.items():
            told = moments[f"plain {method}"]
            yield Job(way, f"a decision of {method}", problems.then(decisions, method, told))
        for way, problems in ways.items():
            yield Job(way, f"an episode of {method}, problem kept", problems.then(_playing, method))
    for way, problems in ways.items():
        yield Job(way, "solve, problem kept", problems.then(_solving))


def _problem_made(make: Callable[[Instance], Any], instance: Instance) -> object:
    return list(make(replace(instance)).goals)


def _playing(problems: Sequence[Any], method: str) -> Go:
    return clocked(len(problems), lambda: _played(problems, method))


def _solving(problems: Sequence[Any]) -> Go:
    return clocked(len(problems), lambda: _solved(problems))


class _Kept:
    """Problems that are made once, at first use."""

    def __init__(self, make: Callable[[Instance], Any], maps: Sequence[Instance]) -> None:
        self.make, self._maps = make, maps
        self._problems: list[Any] = []

    def then(self, prepare: Callable[..., Go], *more: Any) -> Callable[[], Go]:
        """Return what makes the problems, if need be, and goes on to `prepare` with them."""

        def prepared() -> Go:
            self._problems = self._problems or [self.make(each) for each in self._maps]
            return prepare(self._problems, *more)

        return prepared


def _prepared(pieces: int, work: Callable[..., object], *arguments: Any) -> Callable[[], Go]:
    return lambda: clocked(pieces, lambda: work(*arguments))
