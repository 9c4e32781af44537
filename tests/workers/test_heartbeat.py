"""Exceeded time limits are reported once; time in which the machine was paused does not count."""

from __future__ import annotations

import math
import os
import threading
import time

import pytest

from askwise.workers import heartbeat as module
from askwise.workers.heartbeat import DECIDING, LOADING, NO_UNIT, SINCE, UNIT, Heartbeat, Limits, Timed, Watchdog

PATIENCE = 60


class Told:
    """A callback that remembers its arguments."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.heard = threading.Event()

    def __call__(self, words: str) -> None:
        self.words.append(words)
        self.heard.set()


def test_a_copy_of_a_watched_process_shows_nothing_and_ends_after_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Exception):  # noqa: N818 - nothing is wrong
        pass

    def leave(code: int) -> None:
        raise Gone(code)

    monkeypatch.setattr(os, "_exit", leave)
    heartbeat = Heartbeat()
    shown, deciding = heartbeat.numbers, Timed(heartbeat)
    deciding.__enter__()
    since = shown[DECIDING]
    heartbeat.mark_as_copy()
    with deciding:  # a fork may work inside the decision
        pass
    with pytest.raises(Gone):
        deciding.__exit__()
    assert shown[DECIDING] == since > 0


def test_a_decision_that_takes_too_long() -> None:
    heartbeat, told = Heartbeat(), Told()
    watchdog = Watchdog(heartbeat, Limits(decision=0.05), told)
    watchdog.start()
    with Timed(heartbeat):
        assert told.heard.wait(PATIENCE)
    assert told.words == ["took longer than 0.05 s for a decision"]
    watchdog.stop()


def test_an_episode_that_takes_too_long() -> None:
    heartbeat, told = Heartbeat(), Told()
    heartbeat.begin(3)
    Watchdog(heartbeat, Limits(episode=0.05), told).start()
    assert told.heard.wait(PATIENCE)
    assert told.words == ["took longer than 0.05 s for an episode"]


def test_an_agent_that_takes_too_long_to_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Limits(decision=300).loading, Limits(decision=0.5).loading, Limits(decision=math.inf).loading) == (
        300,
        10,
        math.inf,
    )
    monkeypatch.setattr(module, "LEAST_LOADING", 0.05)
    heartbeat, told = Heartbeat(), Told()
    watchdog = Watchdog(heartbeat, Limits(decision=0.01), told)
    watchdog.start()
    with Timed(heartbeat, LOADING):
        assert heartbeat.numbers[LOADING]
        assert told.heard.wait(PATIENCE)
    assert told.words == ["took longer than 0.05 s to be loaded"]
    assert not heartbeat.numbers[LOADING]
    watchdog.stop()


def test_what_is_over_is_forgotten() -> None:
    heartbeat = Heartbeat()
    heartbeat.begin(3)
    heartbeat.set_prices(0.5, 0.1)
    assert (heartbeat.unit, heartbeat.prices) == (3, (0.5, 0.1))
    with Timed(heartbeat) as _:
        assert heartbeat.is_deciding
    heartbeat.end()
    assert (heartbeat.unit, heartbeat.is_deciding, heartbeat.numbers[SINCE]) == (NO_UNIT, False, 0.0)
    heartbeat.begin(4)
    assert math.isnan(heartbeat.prices[0])
    heartbeat.numbers[UNIT] = math.nan
    assert heartbeat.unit == NO_UNIT


def test_decisions_within_decisions_are_one() -> None:
    heartbeat = Heartbeat()
    deciding = Timed(heartbeat)
    with deciding:
        began = heartbeat.numbers[DECIDING]
        with deciding:
            assert heartbeat.numbers[DECIDING] == began
        assert heartbeat.is_deciding
    assert not heartbeat.is_deciding


def test_time_for_compiling_does_not_count() -> None:
    heartbeat = Heartbeat()
    heartbeat.begin(0)
    began = heartbeat.numbers[SINCE]
    heartbeat.pause()
    paused = time.monotonic()
    assert (heartbeat.numbers[SINCE], heartbeat.numbers[DECIDING]) == (0.0, 0.0)
    while time.monotonic() == paused:
        pass
    heartbeat.resume()
    assert heartbeat.numbers[SINCE] > began
    assert heartbeat.numbers[DECIDING] == 0


def test_clocks_go_on_after_the_last_of_several_pauses() -> None:
    """Compiling one kernel may wait for another one, which another process compiles."""
    heartbeat = Heartbeat()
    heartbeat.begin(0)
    heartbeat.pause()
    heartbeat.pause()
    heartbeat.resume()
    assert heartbeat.numbers[SINCE] == 0.0
    heartbeat.resume()
    assert heartbeat.numbers[SINCE] > 0.0


def test_time_that_nobody_had_is_not_counted() -> None:
    """If a job and its watchdog are suspended for an hour, the decision did not take an hour."""
    heartbeat = Heartbeat()
    watchdog = Watchdog(heartbeat, Limits(decision=60, episode=math.inf), Told())
    heartbeat.numbers[DECIDING] = 100.0
    assert watchdog.left(110.0, 0.0) == {DECIDING: 50.0, LOADING: 60.0}
    assert watchdog.left(3720.0, 3600.0) == {DECIDING: 40.0, LOADING: 60.0}
    heartbeat.numbers[DECIDING] = 3725.0
    assert watchdog.left(3730.0, 0.0) == {DECIDING: 55.0, LOADING: 60.0}
    heartbeat.numbers[DECIDING] = 0.0
    assert watchdog.left(9999.0, 0.0) == {DECIDING: 60.0, LOADING: 60.0}
