"""``python -m benchmarks``: run the measurements, print their tables, and save them to ``out/bench``."""

from __future__ import annotations

import argparse
import importlib
import sys
import traceback
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.tools.provenance import cores, load, provenance
from benchmarks.tools.report import Table, progress, save

PARTS = {
    "speed": "speed:run",
    "state": "growth:run_state",
    "growth": "growth:run",
    "scale": "scale:run",
    "files": "files:run",
    "cyclic": "cyclic:run",
    "environments": "environments:run",
    "agents": "agents:run",
    "questions": "questions:run",
    "paper-setting": "paper_setting:run",
    "optimum": "optimum:run",
    "gap": "gap:run",
    "budget": "planner:run_budget",
    "noisy-optimum": "optimum:run_noisy",
    "calibration": "calibration:run",
    "planner": "planner:run",
    "planning": "planning:run",
    "rl": "rl:run",
    "sampled": "sampled:run",
    "recognition": "recognition:run",
    "robustness": "robustness:run",
    "evidence": "evidence:run",
    "answers": "answers:run",
    "answers-exactly": "answers_exactly:run",
    "choices": "choices:run",
    "audit": "audit:run",
    "pomdp": "pomdp:run",
    "decide": "decide:run",
    "rules": "rules:run",
    "throughput": "throughput:run",
    "compiling": "compiling:run",
    "studio": "studio:run",
    "design": "design:run",
    "before-after": "before_after:run",
}
"""The module and function of each part. They are imported when they run: some need packages that others do not."""


def main() -> None:
    """Run the parts that the command line names, all by default."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure askwise, and compare it with other programs and methods."
    )
    parser.add_argument("--quick", action="store_true", help="use small sizes, to test that everything runs")
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"run one part; repeatable: {', '.join(PARTS)}"
    )
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="folder for the results")
    parser.add_argument("--before", metavar="REVISION", help="before-after: git revision to compare with")
    parser.add_argument("--methods", metavar="NAMES", help="noisy-optimum: methods to evaluate, separated by commas")
    parser.add_argument(
        "--data", metavar="FOLDER", help="planning: folder of the data set (default: ASKWISE_PLANNING_DATA)"
    )
    arguments = parser.parse_args()
    names = [name for name in PARTS if not arguments.only or name in arguments.only]

    start = perf_counter()
    origin = provenance()
    print("\n".join(f"{name:<10}{value}" for name, value in origin.items()), flush=True)
    tables: list[Table] = []
    failed: list[str] = []
    busiest = load()
    for name in names:
        progress(f"part {name!r}")
        module, _, function = PARTS[name].partition(":")
        try:
            run = getattr(importlib.import_module(f"benchmarks.{module}"), function)
            found = run(arguments.quick, **_options(name, arguments))
        except Exception:  # the other parts are still worth running; the exit code reports the failure
            traceback.print_exc()
            failed.append(name)
            continue
        for table in found:
            print("\n" + table.text(), flush=True)
            tables.append(table)
        busiest = max(busiest, load())
    origin["load"] += f", {busiest:.2f} at most"
    if busiest > cores():
        # A task of milliseconds fits between two interruptions, a task of seconds does not.
        origin["warning"] = (
            "load above the number of cores: long tasks, and their ratios to short ones, are overestimated"
        )
        print("\nwarning:", origin["warning"])
    origin["run time"] = f"{perf_counter() - start:.0f} s"
    # A quick or partial run never overwrites the full one.
    stem = "-".join([*(["quick"] if arguments.quick else []), *(names if arguments.only else ["all"])])
    print("\nrun time", origin["run time"])
    if failed:
        origin["failed"] = ", ".join(failed)
    for path in save(arguments.out, stem, origin, tables):
        print("written:", path)
    if failed:
        sys.exit(f"failed: {origin['failed']}; the errors are above")


def _options(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the command line that a part understands."""
    if name == "before-after" and arguments.before:
        return {"before": arguments.before}
    if name == "planning":
        return {"data": arguments.data}
    if name == "noisy-optimum" and arguments.methods:
        return {"methods": arguments.methods.split(",")}
    return {}


if __name__ == "__main__":
    main()
