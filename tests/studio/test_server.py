"""The server: the same episode despite kills, lost connections and several tabs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.live import EXAMPLES, Studio, Visitor, played, played_with_kills, send, settled, studio, was_closed
from tests.studio.scripted import as_ego, as_teammate, inputs, trace_of

VILLAIN = '''
import os
from askwise import Agent, Decision

class Villain(Agent):
    """Waits twice, then takes its process with it."""
    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        self.times = 0
    def decide(self, observation):
        self.times += 1
        if self.times > 2:
            os._exit(3)
        return Decision(action=self.problem.ego.actions.stay)
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Studio]:
    (home / "villain.py").write_text(VILLAIN)
    with studio(home / "out", "--method", f"{home / 'villain.py'}:Villain") as started:
        yield started


@pytest.fixture(scope="module")
def visitor(server: Studio) -> Visitor:
    return server.enter()


def test_a_killed_server_goes_on_where_it_was(visitor: Visitor) -> None:
    """The server is killed at random moments, some of them between a message and its acknowledgement."""
    simulated = as_teammate("kitchen", "baseline", 11)
    assert simulated.questions
    name = visitor.new_round("kitchen", role="teammate", method="baseline", seed=11)
    assert played_with_kills(visitor, name, inputs(simulated, "teammate"), 3, random.Random(4)) == 3
    assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated)


def test_as_the_ego_agent_too(server: Studio, visitor: Visitor) -> None:
    simulated = as_ego("ward", "ezq-exact", 12)
    script = inputs(simulated, "ego")
    name = visitor.new_round("ward", role="ego", seed=12)
    with visitor.socket(name) as socket:
        settled(socket)
        send(socket, 0, script[0])
        settled(socket)
    server.kill()
    server.start()
    message = played(visitor, name, script)
    assert message["state"]["cost"] == round(simulated.cost, 9)
    trace: dict[str, Any] = visitor.ask(f"/api/rounds/{name}/trace")
    assert (trace["cost"], trace["goal"], trace["method"]) == (simulated.cost, simulated.goal_name, "person")


def test_a_message_counts_once_however_often_it_is_sent(visitor: Visitor) -> None:
    simulated = as_teammate("coverage", "never", 2)
    script = inputs(simulated, "teammate")
    name = visitor.new_round("coverage", role="teammate", method="never", seed=2)
    with visitor.socket(name) as socket:
        assert settled(socket)["n"] == 0
        for n, user_input in enumerate(script[:3]):
            for _ in range(3):
                send(socket, n, user_input)
                message = settled(socket)
                assert (message["type"], message["n"], message["state"]["t"]) == ("state", n + 1, n + 1)
        other = next(move for move in ("NORTH", "EAST", "SOUTH", "WEST") if {"move": move} != script[0])
        send(socket, 0, {"move": other})  # another user_input under a number that is taken
        assert (settled(socket)["type"], message["n"]) == ("behind", 3)
        send(socket, 9, script[3])  # one from the future
        assert settled(socket)["type"] == "behind"
    assert played(visitor, name, script)["state"]["phase"] == "over"
    assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated)


def test_the_newest_tab_wins_and_the_other_is_told(visitor: Visitor) -> None:
    script = inputs(as_teammate("coverage", "never", 3), "teammate")
    name = visitor.new_round("coverage", role="teammate", method="never", seed=3)
    with visitor.socket(name) as old:
        settled(old)
        send(old, 0, script[0])
        first = settled(old)
        with visitor.socket(name) as new:
            message = settled(new)
            assert (message["type"], message["n"], message["state"]) == ("board", 1, first["state"])
            assert len(message["trails"]["teammate"]) == 2
            assert was_closed(old) == 4001
            send(new, 1, script[1])
            assert settled(new)["n"] == 2


def test_a_method_that_kills_its_process_ends_its_own_round_only(server: Studio, home: Path, visitor: Visitor) -> None:
    simulated = as_teammate("coverage", "never", 4)
    script = inputs(simulated, "teammate")
    other = visitor.new_round("coverage", role="teammate", method="never", seed=4)
    place = f"{home / 'villain.py'}:Villain"
    name = visitor.new_round("coverage", role="teammate", method=place, seed=4)
    with visitor.socket(other) as calm, visitor.socket(name) as socket:
        settled(calm)
        settled(socket)
        send(calm, 0, script[0])
        settled(calm)
        for n in range(2):
            send(socket, n, script[n])
            message = settled(socket)
        assert message == {"type": "failed", "why": "failed: its process ended itself (exit code 3)"}
    assert played(visitor, other, script)["state"]["phase"] == "over"
    assert visitor.ask(f"/api/rounds/{other}/trace") == trace_of(simulated)
    rounds = {each["round"]: each["end"] for each in visitor.ask("/api/rounds")}
    assert rounds[name] == "failed: its process ended itself (exit code 3)"
    assert rounds[other] == "finished"
    assert f"round {name} failed: its process ended itself (exit code 3)" in server.logged()


def test_explore_lists_what_it_can_open(visitor: Visitor) -> None:
    problems = visitor.ask("/api/explore/start")["problems"]
    assert [name for _, name in problems] == ["coverage", "kitchen", "ward", "workshop"]
    for number, _ in problems:
        assert "sketch" in visitor.ask("/api/explore/read", {"problem": number})


def test_what_nobody_may_know_yet_is_not_told(server: Studio, visitor: Visitor) -> None:
    name = visitor.new_round("coverage", role="ego", seed=4)
    for path in (f"/api/rounds/{name}/trace", f"/api/rounds/{name}/review", f"/review/{name}"):
        status, _, text = server.request(path, cookie=visitor.cookie)
        assert status in (400, 404)
        assert "an unfinished one" in text


def test_a_file_can_be_uploaded_and_a_wrong_one_is_refused_in_its_own_words(server: Studio, visitor: Visitor) -> None:
    text = (EXAMPLES / "ward.toml").read_text(encoding="utf-8")
    found = visitor.ask("/api/problems", {"text": text})
    assert (found["title"], found["goals"][0]) == ("Ward", "pills for Ada")
    assert visitor.ask("/api/rounds", {"problem": text, "setup": {"role": "ego"}})["round"]
    wrong = text.replace('start = "desk"', 'start = "roof"')
    status, _, said = server.request("/api/problems", {"text": wrong}, cookie=visitor.cookie)
    assert status == 400
    assert "teammate.start" in said
    for setup, words in [
        ({"role": "teammate", "method": "plannner"}, "did you mean 'planner'?"),
        ({"role": "teammate", "method": "os.py:system"}, "setup.method: found"),
        ({"role": "teammate", "goal": "nowhere"}, "goal: found 'nowhere'"),
        ({"role": "ego", "teammate": "drunk"}, "teammate: found 'drunk'"),
        ({"role": "ego", "answers": "maybe"}, "answers: found 'maybe'"),
    ]:
        status, _, said = server.request("/api/rounds", {"problem": 0, "setup": setup}, cookie=visitor.cookie)
        assert status == 400
        assert words in said, said
