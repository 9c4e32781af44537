"""Running one measurement in a fresh process, so that its peak memory is its own."""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent


def run(function: str, *, limit: float, **arguments: Any) -> dict[str, Any]:
    """Call ``module:name`` of benchmarks in a new process and return the dictionary it gives, with its ``peak``.

    A failure is a row too: the dictionary then has an ``error`` and nothing else.
    """
    words = [sys.executable, "-m", "benchmarks.child", function, json.dumps(arguments)]
    # askwise uses one core; so does everybody else, because spinning threads on a busy machine measure the machine.
    one_core = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            words, cwd=_ROOT, env=one_core, capture_output=True, text=True, check=False, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return {"error": f"stopped after {limit:.0f} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def peak_memory() -> int:
    """Return the largest memory this process has had, in bytes."""
    # getrusage remembers the process that started this one until exec (Linux keeps the larger of the two), so the
    # high-water mark of the address space itself is asked first.
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
