"""Steps per second of tool fetching: the plain rules, Gymnasium and PettingZoo, beside lb-foraging's environment.

Level-based foraging (PyPI ``lbforaging``) is the nearest environment in common use: a grid, two agents that move at the
same time, a common task. All play in the same process and take turns. Every environment gets random actions drawn
beforehand, plays episodes of at most 50 steps (lb-foraging's own limit), and has its resets counted. Both Gymnasium
environments are made by ``gymnasium.make`` without the passive checker, nothing is rendered.

The fetcher never asks here: a question moves nobody and so would make steps cheaper.
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
from benchmarks.report import Column, Table, count, progress, ratio
from benchmarks.timing import Job, Times, interleaved

available = find_spec("lbforaging") is not None
"""Whether lb-foraging is here; without it its row says so."""

EPISODE = 50
FORAGING = "lb-foraging"
RULES = "askwise: Rules.step"
DRAWN = "askwise: Gymnasium, a new instance each episode"
GIVEN = "askwise: Gymnasium, a given instance"
BOTH = "askwise: PettingZoo parallel, a given instance"
FLAT = "askwise: Gymnasium, flat wrapper, a given instance"


@dataclass(frozen=True)
class Setting:
    """Maps of about the same size on both sides."""

    side: int
    stations: int
    toolboxes: int
    foraging: str

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.side} x {self.side}, {self.stations} stations, {self.toolboxes} toolboxes"


SETTINGS = (
    Setting(10, 10, 3, "Foraging-10x10-2p-3f-v3"),
    Setting(20, 50, 5, "Foraging-19x19-2p-4f-v3"),
)
"""A small map, and that of the paper beside the largest that lb-foraging registers."""


def run(quick: bool) -> list[Table]:
    """Measure both settings."""
    steps, rounds = (200, 2) if quick else (4000, 7)
    found = []
    for setting in SETTINGS:
        progress(f"environments on {setting.name}")
        jobs = _jobs(setting, steps)
        for job in jobs:
            job.work(None)  # Whatever is compiled or cached once.
        times = interleaved(jobs, rounds)
        found += [_table(setting, steps, rounds, times), _verdicts(setting, times, quick)]
    return found


# -- the ways -------------------------------------------------------------------------------------------------


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
    """Return the work of `steps` joint steps and of asking whether they were the last, along one random walk."""
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
    if isinstance(space, gymnasium.spaces.Discrete):  # The flat one: moves and NOOP come first.
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


# -- the tables -----------------------------------------------------------------------------------------------


def _table(setting: Setting, steps: int, rounds: int, times: dict[str, Times]) -> Table:
    table = Table(
        f"Environments: steps per second; {setting.name}",
        [Column("way"), count("steps per second"), count("at best"), ratio("times lb-foraging")],
    )
    for name, took in times.items():
        label = f"{FORAGING}: {setting.foraging}" if name == FORAGING else name
        faster = times[FORAGING].median / took.median if available else None
        table.rows.append([label, round(steps / took.median), round(steps / took.minimum), faster])
    if not available:
        table.rows.append([f"{FORAGING}: lbforaging is not installed here: not measured", None, None, None])
    packages = ("gymnasium", "pettingzoo", *(["lbforaging"] if available else []))
    table.notes = [
        f"{steps:,} steps a time, {rounds} rounds, all ways taking turns; median and best round",
        f"random actions without questions; episodes of at most {EPISODE} steps, resets included",
        "Rules.step: both agents, legal actions of a random walk, no observation; everybody else builds observations",
        "flat wrapper: in every step it also updates a belief and works out which questions make sense",
        ", ".join(f"{package} {version(package)}" for package in packages),
    ]
    return table


def _verdicts(setting: Setting, times: dict[str, Times], quick: bool) -> Table:
    table = Table(
        f"Expected and measured; environments on {setting.name}",
        [Column("way of askwise"), Column("expected"), ratio("measured"), Column("holds")],
    )
    for name in (RULES, DRAWN, GIVEN, BOTH):
        if not available:
            table.rows.append([name, "ahead of lb-foraging", None, "not measured"])
            continue
        measured = times[FORAGING].median / times[name].median
        holds = "not judged" if quick else "yes" if measured > 1 else "NO"
        table.rows.append([name, "ahead of lb-foraging", measured, holds])
    return table
