"""The CPU time of commands, the first time on a machine and later, and the kernels that take longest to compile.

Two versions run the same commands in separate processes, each with an empty cache of compiled code, and then again with
the cache that the first run has filled. Times are CPU seconds of the whole process.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.tools import ROOT
from benchmarks.tools.report import Column, Table, count, progress, ratio, seconds
from benchmarks.versions.trees import NoRevisionError, Tree, tree_in_use, tree_of_revision

BEFORE = "0d1ae21"
"""The last revision in which numba was loaded for every command."""
COMMANDS = {
    "show": "show examples/ward.toml",
    "edp": "edp examples/two-goals.txt",
    "ask": "ask examples/ward.toml",
    "run": "run examples/workshop.json --goal S3 --seed 1",
    "run, planner": "run examples/workshop.json --goal S3 --seed 1 --method planner",
}
QUICK = ("edp", "ask")


def run(quick: bool, before: str = BEFORE) -> list[Table]:
    """Run the commands in both versions, twice each, and list the kernels of this version that take longest."""
    names = QUICK if quick else tuple(COMMANDS)
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    notes = []
    with tempfile.TemporaryDirectory() as folder:
        trees = [tree_in_use(Path(folder) / "after")]
        try:
            trees.insert(0, tree_of_revision(before, Path(folder) / "before"))
        except NoRevisionError as error:
            notes.append(f"NOT COMPARED: {error}")
        for name in names:
            for tree in trees:
                for when in ("first", "later"):
                    progress(f"compiling: {name}, {tree.name}, {when}")
                    found[name, tree.name, when] = _measure(tree, COMMANDS[name], f"-{name}".replace(", ", "-"))
    return [_commands(names, found, notes), _kernels(names, found)]


def _measure(tree: Tree, command: str, cache: str) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.compiling", *command.split()]
    done = subprocess.run(words, cwd=ROOT, env=tree.environment(cache), capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _commands(names: tuple[str, ...], found: dict[tuple[str, str, str], dict[str, Any]], notes: list[str]) -> Table:
    table = Table(
        "Commands, the first time on a machine and later",
        [
            Column("command"),
            Column("when"),
            seconds("before"),
            seconds("after"),
            ratio("after / before"),
            count("kernels before"),
            count("kernels after"),
        ],
        notes=[
            *notes,
            "CPU seconds of the whole process; kernels: number compiled for this command, including helpers",
        ],
    )
    for name in names:
        for when in ("first", "later"):
            pair = [found.get((name, tree, when)) for tree in ("before", "after")]
            cpu = [None if each is None else each["cpu"] for each in pair]
            share = None if cpu[0] is None or cpu[1] is None else cpu[1] / cpu[0]
            many = [None if each is None else len(each["kernels"]) for each in pair]
            table.rows.append([name, when, *cpu, share, *many])
    return table


def _kernels(names: tuple[str, ...], found: dict[tuple[str, str, str], dict[str, Any]]) -> Table:
    table = Table(
        "Kernels that take longest to compile, in the present version",
        [Column("command"), Column("kernel"), seconds("own"), seconds("with callees"), count("times")],
        notes=["CPU seconds; own: without the kernels that it calls"],
    )
    for name in names:
        own: dict[str, float] = defaultdict(float)
        whole: dict[str, float] = defaultdict(float)
        times: Counter[str] = Counter()
        for kernel, alone, together in found[name, "after", "first"]["kernels"]:
            own[kernel] += alone
            whole[kernel] += together
            times[kernel] += 1
        for kernel in sorted(own, key=lambda kernel: -own[kernel])[:8]:
            table.rows.append([name, kernel, own[kernel], whole[kernel], times[kernel]])
    return table


class _AtNumba:
    """An import hook that observes numba once it is loaded; loading it earlier would change the measurement."""

    def __init__(self, kernels: list[tuple[str, float, float]]) -> None:
        self._kernels = kernels

    def find_spec(self, name: str, *_: object) -> None:
        """Find nothing, but start observing when numba is imported."""
        if name == "numba.core.dispatcher":
            sys.meta_path.remove(self)
            _listen(self._kernels)


def _listen(kernels: list[tuple[str, float, float]]) -> None:
    """Record the CPU time for compiling each kernel, without and with the kernels that it calls."""
    from numba.core import event

    running: list[list[float]] = []

    class Listener(event.Listener):
        def on_start(self, _: object) -> None:
            running.append([time.process_time(), 0.0])

        def on_end(self, happening: Any) -> None:
            start, others = running.pop()
            taken = time.process_time() - start
            if running:
                running[-1][1] += taken
            function = happening.data["dispatcher"].py_func
            name = f"{function.__module__}.{function.__name__}".removeprefix("askwise.")
            kernels.append((name, taken - others, taken))

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def _main(arguments: list[str]) -> None:
    """Run a command of the imported version; print its CPU time and the compiled kernels as JSON."""
    kernels: list[tuple[str, float, float]] = []
    sys.meta_path.insert(0, _AtNumba(kernels))
    from askwise.cli import main

    with contextlib.redirect_stdout(io.StringIO()):
        main(arguments)
    print(json.dumps({"cpu": time.process_time(), "kernels": kernels}))


if __name__ == "__main__":
    _main(sys.argv[1:])
