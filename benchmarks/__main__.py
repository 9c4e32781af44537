"""``python -m benchmarks``: measure, print, and save to ``out/bench``."""

from __future__ import annotations

import argparse
import importlib
import sys
import traceback
from pathlib import Path
from time import perf_counter

from benchmarks.provenance import cores, load, provenance
from benchmarks.report import Table, progress, save

# Loaded when they are wanted: some need packages that others do without.
SECTIONS = {
    "speed": "speed",
    "state": "one_state",
    "growth": "growth",
    "scale": "scale",
    "files": "large_files",
    "cyclic": "cyclic",
    "environments": "environments",
    "agents": "agents",
    "questions": "questions",
    "cells": "cells",
    "optimum": "optimum",
    "gap": "gap",
    "budget": "budget",
    "noisy-optimum": "noisy_optimum",
    "calibration": "calibration",
    "planner": "planner",
    "planning": "planning",
    "rl": "rl",
    "sampled": "sampled",
    "recognition": "recognition",
    "robustness": "robustness",
    "evidence": "evidence",
    "answers": "answers",
    "answers-exactly": "answers_exactly",
    "choices": "choices",
    "audit": "audit",
    "pomdp": "pomdp",
    "decide": "deciding",
    "rules": "rules",
    "throughput": "throughput",
    "compiling": "compiling",
    "studio": "studio",
    "design": "design",
    "before-after": "before_after",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure askwise beside other ways.")
    parser.add_argument("--quick", action="store_true", help="small sizes: does everything still run?")
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="NAME", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="folder for the results")
    parser.add_argument("--before", metavar="REVISION", help="of git, for before-after")
    parser.add_argument("--methods", metavar="NAMES", help="for noisy-optimum: only these, with commas between")
    parser.add_argument("--data", metavar="FOLDER", help="for planning: a data set (default: ASKWISE_PLANNING_DATA)")
    asked = parser.parse_args()
    names = [name for name in SECTIONS if not asked.only or name in asked.only]

    start = perf_counter()
    origin = provenance()
    print("\n".join(f"{name:<10}{value}" for name, value in origin.items()), flush=True)
    tables: list[Table] = []
    failed: list[str] = []
    busiest = load()
    for name in names:
        progress(f"part {name!r}")
        more = {"before": asked.before} if name == "before-after" and asked.before else {}
        if name == "planning":
            more = {"data": asked.data}
        if name == "noisy-optimum" and asked.methods:
            more = {"methods": asked.methods.split(",")}
        try:
            found = importlib.import_module(f"benchmarks.{SECTIONS[name]}").run(asked.quick, **more)
        except Exception:  # what the other parts found is worth having; the exit code says that one failed
            traceback.print_exc()
            failed.append(name)
            continue
        for table in found:
            print("\n" + table.text(), flush=True)
            tables.append(table)
        busiest = max(busiest, load())
    origin["load"] += f", {busiest:.2f} at most"
    if busiest > cores():
        # A job of milliseconds fits between two interruptions, a job of seconds does not.
        origin["warning"] = "busier than its cores: long jobs came out too slow, their ratios to short ones too large"
        print("\nwarning:", origin["warning"])
    origin["run time"] = f"{perf_counter() - start:.0f} s"
    # A quick or partial run never overwrites the full one.
    stem = "-".join([*(["quick"] if asked.quick else []), *(names if asked.only else ["all"])])
    print("\nrun time", origin["run time"])
    if failed:
        origin["failed"] = ", ".join(failed)
    for path in save(asked.out, stem, origin, tables):
        print("written:", path)
    if failed:
        sys.exit(f"failed: {origin['failed']}; why is said above")


if __name__ == "__main__":
    main()
