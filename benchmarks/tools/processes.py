"""Processes for measurements: one fresh process for a peak of memory, and a pool for many independent computations."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from askwise.workers.child import one_thread
from benchmarks.tools import ONE_THREAD, ROOT
from benchmarks.tools.provenance import cores


def process_pool() -> ProcessPoolExecutor:
    """Return a pool of fresh processes, one for each core, with one thread each."""
    return ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn"), initializer=one_thread)


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
