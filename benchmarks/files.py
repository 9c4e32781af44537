"""Time and peak memory of commands on large problem files.

The files are a graph of 10,000 states, a lattice of rooms with some doors missing, and a drawn map of 1,000 x 1,000
cells, a tenth of them walls. Each command runs in a separate process; times are those of the whole command.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from askwise.cli import main
from benchmarks.tools.processes import run_in_child
from benchmarks.tools.report import Column, Table, memory, progress, seconds

TIME_LIMIT = 900.0
COMMANDS = {
    "show": ["show"],
    "ask, ezq": ["ask"],
    "run, never": ["run", "--method", "never", "--seed", "1"],
    "run, ezq-local": ["run", "--method", "ezq-local", "--seed", "1"],
    "run, planner-light": ["run", "--method", "planner-light", "--seed", "1"],
}
SIDES = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}


def run(quick: bool) -> list[Table]:
    """Measure every command on both files."""
    graph_side, map_side = (20, 100) if quick else (100, 1000)
    table = Table(
        f"A graph of {graph_side**2:,} states with 12 goals, a map of {map_side} x {map_side} cells with 10",
        [Column("file"), Column("command"), seconds("time"), memory("peak memory")],
        notes=["time of the whole command, with compiled code from the cache"],
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("graph", graph(graph_side)), ("map", drawn_map(map_side))):
            path = Path(folder) / f"{name}.json"
            path.write_text(text, encoding="utf-8")
            for command, words in COMMANDS.items():
                progress(f"{name}: {command}")
                row = run_in_child("files:command", limit=TIME_LIMIT, words=[words[0], str(path), *words[1:]])
                label = command if "error" not in row else f"{command}: {row['error']}"
                table.rows.append([name, label, row.get("seconds"), row.get("peak")])
    return [table]


def command(words: list[str]) -> dict[str, Any]:
    """Run a command of askwise and measure it; called in a child process."""
    start = perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    if code:
        raise SystemExit(code)
    return {"seconds": perf_counter() - start}


def graph(side: int) -> str:
    """Return a problem file: a lattice of rooms in which some doors are missing, in one direction or both."""
    rng = random.Random(1)
    rooms = [f"room {k}" for k in range(side * side)]
    edges = []
    for k, room in enumerate(rooms):
        for action, (right, up) in SIDES.items():
            x, y = k % side + right, k // side + up
            if 0 <= x < side and 0 <= y < side and rng.random() < 0.93:
                edges.append([room, action, rooms[y * side + x]])
    middle = (side + 1) * (side // 2)
    ends = rng.sample([k for k in range(side * side) if k != middle], 12)
    goals = {f"g{k}": {"teammate": rooms[end], "ego": rooms[rng.choice(ends)]} for k, end in enumerate(ends)}
    return _file({"start": rooms[middle], "edges": edges}, {"start": rooms[middle - side // 5], "edges": edges}, goals)


def drawn_map(side: int) -> str:
    """Return a problem file with a drawn map, the same for both agents."""
    rng = random.Random(2)
    rows = [["#" if rng.random() < 0.1 else "." for _ in range(side)] for _ in range(side)]
    letters = "ABCDEFGHIJ"
    places = rng.sample([(x, y) for x in range(side) for y in range(side)], len(letters) + 2)
    for letter, (x, y) in zip([*letters, "t", "e"], places, strict=True):
        rows[y][x] = letter
    lines = ["".join(row) for row in rows]
    goals = {letter: {"teammate": letter, "ego": letter} for letter in letters}
    return _file({"start": "t", "map": lines}, {"start": "e", "map": lines}, goals)


def _file(teammate: dict[str, Any], ego: dict[str, Any], goals: dict[str, Any]) -> str:
    return json.dumps({"format": "askwise/problem@1", "teammate": teammate, "ego": ego, "goals": goals})
