"""The studio under fire: killed fifty times while several rounds are played, ten thousand messages that are none."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.studio.fuzzed import fuzz, fuzzed_messages
from tests.studio.live import Studio, played, played_with_kills, studio
from tests.studio.scripted import as_teammate, deeds, trace_of

KILLS = 50
MESSAGES = 10_000


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
        killed += played_with_kills(visitor, name, deeds(simulated, "teammate"), min(8, KILLS - killed), chance)
        assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated), (problem, method, seed)
    assert killed == KILLS


def test_ten_thousand_fuzzed_messages(server: Studio) -> None:
    visitor = server.enter()
    simulated = as_teammate("coverage", "never", 7)
    name = visitor.new_round("coverage", role="teammate", method="never", seed=7)
    assert fuzz(visitor, name, fuzzed_messages(MESSAGES, seed=2)) == MESSAGES
    assert played(visitor, name, deeds(simulated, "teammate"))["state"]["phase"] == "over"
    assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated)
    assert "Traceback" not in server.logged()
