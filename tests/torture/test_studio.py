"""Stress tests of the studio: kills during rounds, malformed messages, damaged databases, long use."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.studio.fuzzed import fuzz, fuzzed_messages
from tests.studio.inside import PlayedHere
from tests.studio.live import Studio, played, played_with_kills, send, settled, studio
from tests.studio.participants import STUDY, Taker, load, overview, write_study
from tests.studio.scripted import as_teammate, inputs, trace_of
from tests.studio.test_study_faults import check_damaged

KILLS = 50
MESSAGES = 10_000
PEOPLE, TOGETHER, ROUNDS, MOVES = 40, 8, 50, 12
"""The number of moves of ten people in twenty minutes, at two per second."""
WARM = 12
"""The number of people after which all caches are filled."""
MOST_GROWTH = 15.0
"""MiB by which server and worker processes together may grow after that."""


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with studio(tmp_path_factory.mktemp("torture") / "out") as started:
        yield started


def test_fifty_kills_at_random_moments(server: Studio) -> None:
    chance = random.Random(16)
    visitor = server.enter()
    killed, seed = 0, 0
    while killed < KILLS:
        seed += 1
        method = chance.choice(["planner", "ezq-exact", "never", "baseline"])
        problem = chance.choice(["kitchen", "ward", "coverage"])
        simulated = as_teammate(problem, method, seed)
        name = visitor.new_round(problem, role="teammate", method=method, seed=seed)
        killed += played_with_kills(visitor, name, inputs(simulated, "teammate"), min(8, KILLS - killed), chance)
        assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated), (problem, method, seed)
    assert killed == KILLS


def test_ten_thousand_fuzzed_messages(server: Studio) -> None:
    visitor = server.enter()
    simulated = as_teammate("coverage", "never", 7)
    name = visitor.new_round("coverage", role="teammate", method="never", seed=7)
    assert fuzz(visitor, name, fuzzed_messages(MESSAGES, seed=2)) == MESSAGES
    assert played(visitor, name, inputs(simulated, "teammate"))["state"]["phase"] == "over"
    assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated)
    assert "Traceback" not in server.logged()


def test_three_hundred_damaged_databases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("askwise.studio.study.export.playing", PlayedHere)
    check_damaged(tmp_path / "out", load(write_study(tmp_path)), damages=300, seed=9)
    assert "Traceback" not in capsys.readouterr().err


def test_twenty_minutes_of_play_take_no_more_memory(tmp_path: Path) -> None:
    home = write_study(tmp_path, long_study())
    with studio(tmp_path / "out", path=home) as server:
        join = overview(server.enter())["join"].partition("?")[0]
        with ThreadPoolExecutor(TOGETHER) as people:
            first = sum(people.map(lambda number: play_all(server, join, number), range(WARM)))
            before = memory(server)
            second = sum(people.map(lambda number: play_all(server, join, number), range(WARM, PEOPLE)))
        grown = memory(server) - before
        assert first + second == PEOPLE * ROUNDS * (MOVES + 1) > 10 * 20 * 60 * 2
        assert "Traceback" not in server.logged()
    assert grown < MOST_GROWTH, f"{before:.0f} MiB before, {grown:.0f} more after {second} moves"


def long_study() -> str:
    """Return a study that only consists of rounds."""
    text = (
        STUDY.partition("[check]")[0]
        + """
[conditions.curious]
method = "baseline"

[conditions.quiet]
method = "never"

[panel]
parameter = "PID"
"""
    )
    text = text.replace("rounds = 1", f"rounds = {ROUNDS // 2}").replace("most_at_once = 6", "most_at_once = 100")
    return text.replace('instructions = ["Read this.", "And this."]', "")


def play_all(server: Studio, join: str, number: int) -> int:
    """Take part in the study: move back and forth in each round, then give up; return the number of inputs."""
    taker, done = Taker(server, join, f"p{number}"), 0
    screen = taker.enter(taker.screen(), {"agreed": True})
    while screen["kind"] != "end":
        with taker.visitor.socket(screen["round"]) as socket:
            state = settled(socket)["state"]
            for n in range(MOVES):
                moves, asked = state.get("moves"), state["phase"] == "answer"
                send(socket, n, {"answer": None} if asked else {"move": moves[n % len(moves)]["name"]})
                state = settled(socket)["state"]
            send(socket, MOVES, {"stop": True})
            assert settled(socket)["state"]["phase"] == "over"
        done += MOVES + 1
        screen = taker.enter(screen, {})
    return done


def memory(server: Studio) -> float:
    """Return the MiB of memory of a server and its child processes."""
    assert server.process is not None
    parents = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            text = path.read_text()
        except OSError:  # it has ended in the meantime
            continue
        found = dict(re.findall(r"^(Pid|PPid|VmRSS):\s+(\d+)", text, re.MULTILINE))
        parents[int(found["Pid"])] = int(found["PPid"]), int(found.get("VmRSS", 0)) / 1024
    own = server.process.pid
    return sum(mib for pid, (parent, mib) in parents.items() if own in (pid, parent))
