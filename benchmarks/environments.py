"""Steps per second of tool fetching, by the rules alone, Gymnasium and PettingZoo, compared with lb-foraging.

Level-based foraging (PyPI ``lbforaging``) is the most similar environment in common use: a grid, two agents that move
at the same time, a common task. All environments run in one process and take turns. Each receives random actions that
were drawn before, plays episodes of at most 50 steps (lb-foraging's own limit), and its resets are counted. Gymnasium
environments are made by ``gymnasium.make`` without the passive checker; nothing is rendered.

The fetcher never asks, because a question moves no agent and would make steps faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np

from askwise.domains.tool_fetching import Rules
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.rules import WORKER_ACTIONS
from askwise.envs import FLAT_ID, ID, tool_fetching_v0
from benchmarks.tools.report import Column, Table, count, progress, ratio
from benchmarks.tools.timing import Job, Times, time_in_turns

available = find_spec("lbforaging") is not None
"""Whether lb-foraging is installed; if not, its row says so."""

EPISODE = 50
FORAGING = "lb-foraging"
RULES = "askwise: Rules.step"
DRAWN = "askwise: Gymnasium, a new instance each episode"
GIVEN = "askwise: Gymnasium, a given instance"
BOTH = "askwise: PettingZoo parallel, a given instance"
FLAT = "askwise: Gymnasium, flat wrapper, a given instance"


@dataclass(frozen=True)
class Setting:
    """The size of a map, and the lb-foraging environment of about the same size."""

    side: int
    stations: int
    toolboxes: int
    foraging: str

    @property
    def name(self) -> str:
        """The size in words."""
        return f"{self.side} x {self.side}, {self.stations} stations, {self.toolboxes} toolboxes"


SETTINGS = (
    Setting(10, 10, 3, "Foraging-10x10-2p-3f-v3"),
    Setting(20, 50, 5, "Foraging-19x19-2p-4f-v3"),
)
"""A small map, and the map of the paper with the largest one that lb-foraging registers."""


def run(quick: bool) -> list[Table]:
    """Measure steps per second in both settings."""
    steps, rounds = (200, 2) if quick else (4000, 7)
    found = []
    for setting in SETTINGS:
        progress(f"environments on {setting.name}")
        jobs = _jobs(setting, steps)
        for job in jobs:
            job.work(None)  # once untimed, to compile and fill caches
        times = time_in_turns(jobs, rounds)
        found += [_table(setting, steps, rounds, times), _verdicts(setting, times, quick)]
    return found


# -- implementations -------------------------------------------------------------------------------------------------


def _jobs(setting: Setting, steps: int) -> list[Job]:
    drawn = {"size": setting.side, "stations": setting.stations, "toolboxes": setting.toolboxes}
    instance = generate(width=setting.side, stations=setting.stations, toolboxes=setting.toolboxes, seed=2021)
    jobs = [
        Job(RULES, _rules(Rules(instance), steps)),
        Job(GIVEN, _gymnasium(_make(ID, instance=instance), steps)),
        Job(DRAWN, _gymnasium(_make(ID, **drawn), steps)),
        Job(BOTH, _pettingzoo(tool_fetching_v0.parallel_env(instance, max_steps=EPISODE), steps)),
        Job(FLAT, _gymnasium(_make(FLAT_ID, instance=instance), steps)),
    ]
    if available:
        jobs.append(Job(FORAGING, _gymnasium(_foraging(setting.foraging), steps)))
    return jobs


def _make(name: str, **arguments: Any) -> Any:
    return gymnasium.make(name, disable_env_checker=True, max_steps=EPISODE, **arguments)


def _foraging(name: str) -> Any:
    import lbforaging  # noqa: F401 - registers its ids

    return gymnasium.make(name, disable_env_checker=True)


def _rules(rules: Rules, steps: int) -> Callable[[object], None]:
    """Return a function that takes `steps` joint steps of a random walk, and checks after each if it is the last."""
    rng = np.random.default_rng(1)
    state, walk = rules.start, []
    for _ in range(steps):
        worker = int(rng.choice(rules.legal_worker_actions(state)))
        fetcher = int(rng.choice(rules.legal_fetcher_actions(state)))
        walk.append((worker, fetcher))
        state = rules.step(state, worker, fetcher)

    def work(_: object) -> None:
        state = rules.start
        for worker, fetcher in walk:
            state = rules.step(state, worker, fetcher)
            rules.finished(worker, state, 0)

    return work


def _gymnasium(env: Any, steps: int) -> Callable[[object], None]:
    actions = _ontic_actions(env.action_space, steps)

    def work(_: object) -> None:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return work


def _ontic_actions(space: Any, steps: int) -> list[Any]:
    """Return random actions that are not questions."""
    space.seed(1)
    if isinstance(space, gymnasium.spaces.OneOf):
        return [(0, space[0].sample()) for _ in range(steps)]
    if isinstance(space, gymnasium.spaces.Discrete):  # the flat environment: moves and NOOP come first
        return list(np.random.default_rng(1).integers(5, size=steps).tolist())
    return [space.sample() for _ in range(steps)]


def _pettingzoo(env: Any, steps: int) -> Callable[[object], None]:
    fetcher = _ontic_actions(env.action_space("fetcher"), steps)
    worker = np.random.default_rng(2).integers(len(WORKER_ACTIONS), size=steps).tolist()
    actions = [{"worker": w, "fetcher": f} for w, f in zip(worker, fetcher, strict=True)]

    def work(_: object) -> None:
        env.reset(seed=0)
        for action in actions:
            env.step(action)
            if not env.agents:
                env.reset()

    return work


# -- tables ----------------------------------------------------------------------------------------------------------


def _table(setting: Setting, steps: int, rounds: int, times: dict[str, Times]) -> Table:
    table = Table(
        f"Environments: steps per second; {setting.name}",
        [Column("environment"), count("steps per second"), count("best round"), ratio("compared with lb-foraging")],
    )
    for name, took in times.items():
        label = f"{FORAGING}: {setting.foraging}" if name == FORAGING else name
        faster = times[FORAGING].median / took.median if available else None
        table.rows.append([label, round(steps / took.median), round(steps / took.minimum), faster])
    if not available:
        table.rows.append([f"{FORAGING}: lbforaging is not installed: not measured", None, None, None])
    packages = ("gymnasium", "pettingzoo", *(["lbforaging"] if available else []))
    table.notes = [
        f"{steps:,} steps per round, {rounds} rounds in turns; median and best round",
        f"random actions without questions; episodes of at most {EPISODE} steps, resets included",
        "Rules.step: both agents, legal actions of a random walk, no observations; the others compute observations",
        "flat wrapper: each step also updates a belief and computes which questions are useful",
        ", ".join(f"{package} {version(package)}" for package in packages),
    ]
    return table


def _verdicts(setting: Setting, times: dict[str, Times], quick: bool) -> Table:
    table = Table(
        f"Expected and measured; environments on {setting.name}",
        [Column("environment"), Column("expected"), ratio("measured"), Column("holds")],
    )
    for name in (RULES, DRAWN, GIVEN, BOTH):
        if not available:
            table.rows.append([name, "faster than lb-foraging", None, "not measured"])
            continue
        measured = times[FORAGING].median / times[name].median
        holds = "not judged" if quick else "yes" if measured > 1 else "NO"
        table.rows.append([name, "faster than lb-foraging", measured, holds])
    return table
