"""How long the studio lets 200 simultaneous participants wait, measured inside the server.

Two hundred scripted participants take part in a study, each with a cookie and a socket. They make two moves per second:
they follow a shortest path to their goal and answer truthfully. *kept* is the time from the arrival of a message until
it is on the disk and the browser has been notified. *turn* is the time until the method has decided as well, so that
the participant may continue. The server, its two worker processes and all participants share the machine's cores. No
move may be lost: every round is read from the disk again, and replayed.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl
from websockets.asyncio.client import connect

from askwise.core.problem import Problem
from askwise.domains.registry import domain_of
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.studio.study.codebook import EXPORT
from askwise.studio.study.export import export
from askwise.text.data import json_text
from benchmarks.tools.report import Column, Table, count, number, progress

PEOPLE, SECONDS, PACE = 200, 40.0, 0.5
PATIENCE = 600
"""Time limit for a reply: the first participant waits until the method is compiled."""
CASES = (("planner", 10, 10, 3), ("planner-light", 20, 50, 5))
"""Method, side of the map, stations, toolboxes."""
EXPECTED = {"p95": 100.0, "p99": 250.0}
"""Expected upper limits of quantiles, in milliseconds."""
STUDY = """
format = "askwise/people-study@1"
name = "load"
seed = 1
role = "teammate"
design = "between"
rounds = 50
problems = ["map.json"]
most_at_once = 1000
consent = "yes"
[conditions.only]
method = "{method}"
"""


@dataclass
class Load:
    """The measurements of one case.

    Attributes:
        moves: acknowledged moves and answers after all participants had begun.
        all_moves: the same, including those before.
        cpu: CPU seconds of the server and its processes for all of them.
        rounds: rounds that were completed.
        times: quantiles that the server measured, by name.
        lost: completed rounds that the disk does not have, or that cannot be replayed.
    """

    moves: int = 0
    all_moves: int = 0
    cpu: float = 0.0
    rounds: int = 0
    times: dict[str, Any] | None = None
    lost: int = 0


def run(quick: bool) -> list[Table]:
    """Measure both cases."""
    people, seconds = (20, 8.0) if quick else (PEOPLE, SECONDS)
    rows = []
    for method, side, stations, boxes in CASES:
        progress(f"{people} participants with {method}, {side} x {side}, {stations} stations")
        found = play(method, side, stations, boxes, people, seconds)
        assert found.times is not None
        for name in ("kept", "turn"):
            quantiles = found.times[name]
            verdict = "yes" if all(quantiles[key] < limit for key, limit in EXPECTED.items()) else "no"
            case = f"{method}, {side} x {side}, {stations} stations"
            each = 1000 * found.cpu / max(found.all_moves, 1)
            moves = [found.moves, found.moves / seconds, each]
            rows.append([case, name, *moves, *_row(quantiles), verdict, found.lost])
    columns = [
        Column("case"),
        Column("time"),
        count("moves"),
        number("moves per second", 4),
        number("CPU per move [ms]", 3),
    ]
    columns += [number(f"{key} [ms]", 4) for key in ("p50", "p95", "p99", "max")]
    columns += [Column("p95 < 100, p99 < 250"), count("lost")]
    return [Table(f"{people} participants at {1 / PACE:g} moves per second, measured in the server", columns, rows)]


def _row(quantiles: dict[str, float]) -> list[float]:
    return [quantiles[key] for key in ("p50", "p95", "p99", "max")]


def play(method: str, side: int, stations: int, boxes: int, people: int, seconds: float) -> Load:
    """Start a studio, and let participants play for some seconds after all have begun."""
    drawn = generate(size=side, stations=stations, toolboxes=boxes, seed=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "map.json").write_text(json_text(domain_of(drawn).write(drawn)), encoding="utf-8")
        (folder / "study.toml").write_text(STUDY.format(method=method), encoding="utf-8")
        with _studio(folder) as (host, link, server):
            cookie = _cookie(host, urlsplit(link).path)
            join = urlsplit(_ask(host, "/api/study", cookie)["join"]).path
            before = _cpu(server)
            found = asyncio.run(_all(host, join, ToolFetching(drawn), people, seconds))
            found.times = _ask(host, "/api/times", cookie)
            found.cpu = _cpu(server) - before
        found.lost += _lost(folder / "out", found.rounds)
    return found


def _lost(folder: Path, rounds: int) -> int:
    export(folder)
    found = pl.read_parquet(folder / EXPORT / "rounds.parquet")
    if found.is_empty():
        return rounds
    again = found.filter(pl.col("finished") & pl.col("replay_error").is_null()).height
    return max(0, rounds - again)  # some rounds may be over but not closed yet


@contextmanager
def _studio(folder: Path) -> Iterator[tuple[str, str, int]]:
    command = [sys.executable, "-m", "askwise.cli", "studio", str(folder / "study.toml"), "--out", str(folder / "out")]
    command += ["--port", "0", "--no-browser", "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the studio did not start"
        yield urlsplit(found[0]).netloc, found[0], process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _cpu(process: int) -> float:
    """Return the CPU seconds of a process and its children; 0 on systems other than Linux."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task").glob("*/children")
        inside = [int(child) for file in children for child in file.read_text().split()]
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(map(_cpu, inside))


# -- participants ------------------------------------------------------------------------------------------------------


async def _all(host: str, join: str, problem: Problem, people: int, seconds: float) -> Load:
    found, begun, end = Load(), asyncio.Semaphore(0), asyncio.Event()
    async with asyncio.TaskGroup() as players:  # a failure ends all participants
        for k in range(people):
            players.create_task(_person(host, join, problem, found, begun, end, k))
        for _ in range(people):
            await begun.acquire()
        found.moves = 0
        await asyncio.sleep(seconds)
        end.set()
    return found


async def _person(
    host: str, join: str, problem: Problem, found: Load, begun: asyncio.Semaphore, end: asyncio.Event, number: int
) -> None:
    await asyncio.sleep(0.05 * number)  # participants do not arrive at the same instant
    cookie = await asyncio.to_thread(_cookie, host, join)
    screen = await asyncio.to_thread(_ask, host, "/api/take", cookie)
    first = True
    while not end.is_set():
        if screen["kind"] == "round" and not screen["over"]:
            address = f"ws://{host}/play/{screen['round']}/socket"
            async with connect(address, origin=f"http://{host}", additional_headers={"Cookie": cookie}) as socket:  # type: ignore[arg-type]
                if first:
                    begun.release()
                    first = False
                if not await _round(socket, problem, found, end):
                    return
            found.rounds += 1
            screen["over"] = True
        entry = {"agreed": True} if screen["kind"] == "consent" else {}
        screen = await asyncio.to_thread(_ask, host, "/api/take", cookie, {"n": screen["n"], "entry": entry})


async def _round(socket: Any, problem: Problem, found: Load, end: asyncio.Event) -> bool:
    """Play a round; return False if the time is over before its end."""
    message = json.loads(await socket.recv())
    goal = message["board"]["goal"]
    while True:
        state = message["state"]
        if state["phase"] == "over":
            return True
        if end.is_set():
            return False
        if state["phase"] == "thinking":
            message = json.loads(await socket.recv())
            continue
        began = time.perf_counter()
        await socket.send(json.dumps({"n": message["n"], "input": _input(problem, state, goal)}))
        message = json.loads(await socket.recv())
        found.moves += 1
        found.all_moves += 1
        if message["state"]["phase"] == "thinking":
            message = json.loads(await socket.recv())
        await asyncio.sleep(max(0.0, PACE - (time.perf_counter() - began)))


def _input(problem: Problem, state: dict[str, Any], goal: int) -> dict[str, Any]:
    if state["phase"] == "answer":
        return {"answer": goal in state["question"]["goals"]}
    here = problem.teammate.model.state(tuple(state["teammate"]["at"]))
    action = int(problem.teammate.optimal(here)[goal].argmax())
    return {"move": problem.teammate.actions.names[action]}


def _cookie(host: str, path: str) -> str:
    connection = http.client.HTTPConnection(host, timeout=PATIENCE)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
    connection.close()
    assert cookie, f"no cookie: status {answer.status}"
    return cookie


def _ask(host: str, path: str, cookie: str, body: Any = None) -> dict[str, Any]:
    connection = http.client.HTTPConnection(host, timeout=PATIENCE)
    headers = {"Cookie": cookie, "Origin": f"http://{host}", "Content-Type": "application/json"}
    connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    found: dict[str, Any] = json.loads(answer.read())
    connection.close()
    assert answer.status == 200, found
    return found
