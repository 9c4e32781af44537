"""Studies: episodes per second with one process, two processes and Dask, and memory as a study grows.

The first table plays the paper's mix of methods, priors and prices. Times are of the whole run, including the start of
worker processes and the writing of results; compiled code comes from the cache. The second table runs the command
``askwise study`` with more and more inexpensive episodes. Results are streamed to the disk, so memory should not grow.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from askwise.cli import main
from askwise.studies.running.run import run_study
from askwise.studies.schema.study_file import load_study
from benchmarks.tools.processes import run_in_child
from benchmarks.tools.report import Column, Table, count, memory, number, progress, ratio, seconds

TIME_LIMIT = 1200.0
PER_INSTANCE = 100


def run(quick: bool) -> list[Table]:
    """Measure episodes per second, then memory."""
    return [_rates(2 if quick else 20), _memory((1_000, 10_000) if quick else (1_000, 10_000, 100_000))]


# -- rates -----------------------------------------------------------------------------------------------------------


def _rates(instances: int) -> Table:
    table = Table(
        f"The paper's study, {instances} instances",
        [Column("workers"), count("episodes"), seconds("time"), number("episodes per second", 3), ratio("speed-up")],
        notes=["time of the whole run: starting processes, playing, storing; see cores and load of the machine"],
    )
    with dask_cluster(2) as address:
        settings: dict[str, dict[str, Any]] = {
            "1 process": {"workers": 1},
            "2 processes": {"workers": 2},
            "Dask, 2 workers on loopback": {"dask": address},
        }
        run_in_child(
            "throughput:rate", limit=TIME_LIMIT, instances=2, **settings["Dask, 2 workers on loopback"]
        )  # warm
        alone = None
        for name, options in settings.items():
            progress(f"the paper's study: {name}")
            row = run_in_child("throughput:rate", limit=TIME_LIMIT, instances=instances, **options)
            if "error" in row:
                table.rows.append([f"{name}: {row['error']}", None, None, None, None])
                continue
            rate = row["episodes"] / row["seconds"]
            alone = alone or rate
            table.rows.append([name, row["episodes"], row["seconds"], rate, rate / alone])
    return table


def rate(instances: int, **options: Any) -> dict[str, Any]:
    """Play some instances of the paper's study and measure the time; called in a child process."""
    study = load_study("paper", {"instances": {"count": instances}})
    with tempfile.TemporaryDirectory() as folder:
        run_study(load_study("paper", {"instances": {"count": 1}}), Path(folder) / "warm")  # loads compiled code
        start = perf_counter()
        ran = run_study(study, Path(folder) / "out", **options)
        took = perf_counter() - start
        if ran.store.failed():
            raise RuntimeError("episodes failed")
    return {"episodes": study.n_tasks * study.episodes_per_task, "seconds": took}


@contextlib.contextmanager
def dask_cluster(workers: int) -> Iterator[str]:
    """Start a Dask scheduler and workers of one thread each; yield the scheduler's address."""
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str, *options: str) -> None:
        words = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *options]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        started.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment))

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            file = Path(folder) / "scheduler.json"
            start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
            address = _address(file)
            for _ in range(workers):
                options = ["--nthreads", "1", "--nworkers", "1", "--host", "127.0.0.1", "--local-directory", folder]
                start("worker", address, *options)
            yield address
        finally:
            for process in reversed(started):
                process.terminate()  # a worker ends the process that it supervises
            for process in started:
                process.wait(60)


def _address(file: Path) -> str:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        with contextlib.suppress(OSError, ValueError):
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        time.sleep(0.1)
    raise RuntimeError("the Dask scheduler did not start within a minute")


# -- memory ----------------------------------------------------------------------------------------------------------


def _memory(sizes: tuple[int, ...]) -> Table:
    table = Table(
        "Peak memory of askwise study, one process, inexpensive episodes",
        [count("episodes"), seconds("time"), number("episodes per second", 3), memory("peak memory"), ratio("growth")],
        notes=[f"{PER_INSTANCE} episodes per instance; results are streamed to the disk"],
    )
    smallest = None
    for episodes in sizes:
        progress(f"memory: {episodes:,} episodes")
        row = run_in_child("throughput:command", limit=TIME_LIMIT, episodes=episodes)
        if "error" in row:
            table.notes.append(f"{episodes:,} episodes: {row['error']}")
            continue
        smallest = smallest or row["peak"]
        table.rows.append([episodes, row["seconds"], episodes / row["seconds"], row["peak"], row["peak"] / smallest])
    return table


def command(episodes: int) -> dict[str, Any]:
    """Run the command and measure the time; called in a child process."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        words = ["study", "--methods", "never", "--size", "5", "--stations", "4", "--toolboxes", "1", "--workers", "1"]
        words += ["--episodes", str(PER_INSTANCE), "--instances", str(episodes // PER_INSTANCE)]
        start = perf_counter()
        code = main([*words, "--out", str(Path(folder) / "out")])
        took = perf_counter() - start
    if code:
        raise RuntimeError(f"exit code {code}")
    return {"seconds": took}
