"""Reinforcement learning on small problems: sb3-contrib's MaskablePPO compared with askwise's methods and the optimum.

``examples/train_ppo.py`` runs with several seeds, each in a separate process with one thread. All costs are exact
expected marginal costs, both of the methods and of the policy at the end of the training.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from askwise.domains.tool_fetching.generate import generate
from benchmarks.tools import ONE_THREAD, ROOT
from benchmarks.tools.report import Column, Table, count, number, progress, seconds

available = find_spec("sb3_contrib") is not None
"""Whether sb3-contrib is installed; if not, the table says so."""

SCRIPT = ROOT / "examples" / "train_ppo.py"
WORKERS = 2


@dataclass(frozen=True)
class Setting:
    """A problem to train on, the steps of each training, and its seeds.

    Attributes:
        name: a problem file, or a description of `generated`.
        generated: arguments with which a map is generated; None for a problem file.
    """

    name: str
    steps: int
    seeds: tuple[int, ...]
    generated: dict[str, Any] | None = None

    def problem(self, folder: Path) -> Path:
        """Return the file of the problem; a generated map is written to `folder`."""
        if self.generated is None:
            return ROOT / self.name
        path = folder / "map.json"
        generate(**self.generated).save(path)
        return path


SETTINGS = (
    Setting("examples/ward.toml", 40_000, (0, 1, 2)),
    Setting(
        "map of 5 x 5 cells, 4 stations, 2 toolboxes",
        60_000,
        (0, 1),
        {"width": 5, "stations": 4, "toolboxes": 2, "seed": 3},
    ),
    Setting(
        "map of 6 x 6 cells, 6 stations, 2 toolboxes",
        60_000,
        (0, 1),
        {"width": 6, "stations": 6, "toolboxes": 2, "seed": 3},
    ),
)


def run(quick: bool) -> list[Table]:
    """Train on every problem with every seed."""
    return [_table(setting, quick) for setting in SETTINGS]


def _table(setting: Setting, quick: bool) -> Table:
    table = Table(
        f"Reinforcement learning compared with planning; {setting.name}",
        [
            Column("method"),
            number("expected marginal cost", 4),
            count("training steps"),
            count("training steps until within 10 % of the planner"),
            seconds("CPU time of training"),
        ],
    )
    if not available:
        table.rows.append(["MaskablePPO: sb3-contrib is not installed: not measured", None, None, None, None])
        return table
    steps, seeds = (2_000, setting.seeds[:1]) if quick else (setting.steps, setting.seeds)
    progress(f"rl on {setting.name}: {len(seeds)} times {steps:,} steps")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
        problem = setting.problem(Path(folder))
        outs = list(pool.map(lambda seed: _train(problem, steps, seed, Path(folder)), seeds))
        costs = [_rows(out / "costs.csv") for out in outs]
        curves = [_rows(out / "curve.csv") for out in outs]
    reference = {row["method"]: _number(row["expected_marginal_cost"]) for row in costs[0][:-1]}
    table.rows += [[method, cost, None, None, None] for method, cost in reference.items()]
    table.rows += [_row(*each, reference["planner"]) for each in zip(seeds, curves, strict=True)]
    table.notes = [
        "all costs are exact expectations; '-': the policy would never reach some goal",
        "reward: the negative regret of each step; policies are evaluated 20 times, which the time does not include",
        ", ".join(f"{package} {version(package)}" for package in ("sb3-contrib", "stable-baselines3", "torch")),
    ]
    return table


def _row(seed: int, curve: list[dict[str, str]], planner: float | None) -> list[object]:
    last = curve[-1]
    assert planner is not None
    close = (int(row["steps"]) for row in _stays_below(curve, 1.1 * planner))
    return [
        f"MaskablePPO, seed {seed}",
        _number(last["exact"]),
        int(last["steps"]),
        next(close, None),
        float(last["seconds"]),
    ]


def _stays_below(curve: list[dict[str, str]], most: float) -> Iterator[dict[str, str]]:
    """Yield the points of a curve from which on no evaluated cost is above `most`."""
    exact = [_number(row["exact"]) for row in curve]
    for place, row in enumerate(curve):
        if all(cost is not None and cost <= most + 1e-9 for cost in exact[place:]):
            yield row


def _train(problem: Path, steps: int, seed: int, folder: Path) -> Path:
    """Run the example, and return the folder with its results."""
    out = folder / f"seed-{seed}"
    command = [sys.executable, str(SCRIPT), str(problem), "--steps", str(steps), "--seed", str(seed)]
    done = subprocess.run(
        [*command, "--out", str(out)], env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return out


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _number(text: str) -> float | None:
    return float(text) if text else None
