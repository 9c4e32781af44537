"""Processes for measurements: one fresh process for a peak of memory, or a pool for many independent tasks."""

from __future__ import annotations

import csv
import importlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from askwise.workers.process import one_thread
from benchmarks.tools import ONE_THREAD, ROOT
from benchmarks.tools.provenance import cores
from benchmarks.tools.report import progress

Task = TypeVar("Task")
Result = TypeVar("Result")


def process_pool() -> ProcessPoolExecutor:
    """Return a pool of fresh processes, one for each core, with one thread each."""
    return ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn"), initializer=one_thread)


def compute_missing(
    tasks: Sequence[Task],
    found: dict[Task, Result],
    compute: Callable[[Task], Result],
    to_row: Callable[[Task, Result], Iterable[object]],
    path: Path,
) -> dict[Task, Result]:
    """Return the results of `tasks`; those that are not in `found` are computed in a pool of processes.

    Each computed result is appended to the CSV file `path` at once, as the row `to_row`, so that an interrupted run can
    be resumed.
    """
    missing = [task for task in tasks if task not in found]
    path.parent.mkdir(parents=True, exist_ok=True)
    with process_pool() as pool, path.open("a", encoding="utf-8", newline="") as file:
        for k, (task, result) in enumerate(zip(missing, pool.map(compute, missing), strict=True), start=1):
            csv.writer(file).writerow(to_row(task, result))
            file.flush()
            os.fsync(file.fileno())
            found[task] = result
            progress(f"{path.stem}: {k} of {len(missing)}")
    return {task: found[task] for task in tasks}


def run_in_child(function: str, *, limit: float, **arguments: Any) -> dict[str, Any]:
    """Call a function in a fresh process, so that the peak of memory is that of the call alone.

    Args:
        function: ``module:name`` in this package; it returns a dictionary that JSON can hold.
        limit: seconds after which the process is stopped.
        arguments: arguments of the function.

    Returns:
        The dictionary, with the peak of memory in bytes as ``peak``; if the call fails, only an ``error``.
    """
    command = [sys.executable, "-m", "benchmarks.tools.processes", function, json.dumps(arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"stopped after {limit:.0f} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def peak_memory() -> int:
    """Return the largest amount of memory that this process has used so far, in bytes."""
    # On Linux getrusage includes the process that started this one, so /proc is preferred.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def _main(function: str, arguments: str) -> None:
    module, _, name = function.partition(":")
    found = getattr(importlib.import_module(f"benchmarks.{module}"), name)(**json.loads(arguments))
    print(json.dumps({**found, "peak": peak_memory()}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
