"""Whoever takes too long is told on: once, in words, and not for time that nobody had."""

from __future__ import annotations

import math
import os
import threading
import time

import pytest

from askwise.workers import limits
from askwise.workers.limits import Limits
from askwise.workers.pulse import DECIDING, LOADING, NO_UNIT, SINCE, Pulse, Timed
from askwise.workers.watch import Watch

PATIENCE = 60


class Told:
    """Remembers what it is told."""

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
    pulse = Pulse()
    shown, deciding = pulse.numbers, Timed(pulse)
    deciding.__enter__()
    since = shown[DECIDING]
    pulse.copied()
    with deciding:  # a copy may work, inside the decision
        pass
    with pytest.raises(Gone):
        deciding.__exit__()
    assert shown[DECIDING] == since > 0


def test_a_decision_that_takes_too_long() -> None:
    pulse, told = Pulse(), Told()
    watching = Watch(pulse, Limits(decision=0.05), told)
    watching.start()
    with Timed(pulse):
        assert told.heard.wait(PATIENCE)
    assert told.words == ["took longer than 0.05 s for a decision"]
    watching.stop()


def test_an_episode_that_takes_too_long() -> None:
    pulse, told = Pulse(), Told()
    pulse.begin(3)
    Watch(pulse, Limits(episode=0.05), told).start()
    assert told.heard.wait(PATIENCE)
    assert told.words == ["took longer than 0.05 s for an episode"]


def test_an_agent_that_takes_too_long_to_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Limits(decision=300).loading, Limits(decision=0.5).loading, Limits(decision=math.inf).loading) == (
        300,
        limits.LEAST_LOADING,
        math.inf,
    )
    monkeypatch.setattr(limits, "LEAST_LOADING", 0.05)
    pulse, told = Pulse(), Told()
    watching = Watch(pulse, Limits(decision=0.01), told)
    watching.start()
    with Timed(pulse, LOADING):
        assert pulse.is_others
        assert told.heard.wait(PATIENCE)
    assert told.words == ["took longer than 0.05 s to be loaded"]
    assert not pulse.is_others
    watching.stop()


def test_what_is_over_is_forgotten() -> None:
    pulse = Pulse()
    pulse.begin(3)
    pulse.priced(0.5, 0.1)
    assert (pulse.unit, pulse.prices) == (3, (0.5, 0.1))
    with Timed(pulse) as _:
        assert pulse.is_deciding
    pulse.end()
    assert (pulse.unit, pulse.is_deciding, pulse.numbers[SINCE]) == (NO_UNIT, False, 0.0)
    pulse.begin(4)
    assert math.isnan(pulse.prices[0])


def test_decisions_within_decisions_are_one() -> None:
    pulse = Pulse()
    deciding = Timed(pulse)
    with deciding:
        began = pulse.numbers[DECIDING]
        with deciding:
            assert pulse.numbers[DECIDING] == began
        assert pulse.is_deciding
    assert not pulse.is_deciding


def test_time_for_compiling_does_not_count() -> None:
    pulse = Pulse()
    pulse.begin(0)
    began = pulse.numbers[SINCE]
    pulse.pause()
    paused = time.monotonic()
    assert (pulse.numbers[SINCE], pulse.numbers[DECIDING]) == (0.0, 0.0)
    while time.monotonic() == paused:
        pass
    pulse.resume()
    assert pulse.numbers[SINCE] > began
    assert pulse.numbers[DECIDING] == 0


def test_clocks_go_on_after_the_last_of_several_pauses() -> None:
    """A kernel that is compiled may wait for another, which another process compiles."""
    pulse = Pulse()
    pulse.begin(0)
    pulse.pause()
    pulse.pause()
    pulse.resume()
    assert pulse.numbers[SINCE] == 0.0
    pulse.resume()
    assert pulse.numbers[SINCE] > 0.0


def test_time_that_nobody_had_is_not_counted() -> None:
    """A job that is suspended for an hour, with its watcher: nobody took an hour for a decision."""
    pulse = Pulse()
    watching = Watch(pulse, Limits(decision=60, episode=math.inf), Told())
    pulse.numbers[DECIDING] = 100.0
    assert watching.left(110.0, 0.0) == {DECIDING: 50.0, LOADING: 60.0}
    assert watching.left(3720.0, 3600.0) == {DECIDING: 40.0, LOADING: 60.0}
    pulse.numbers[DECIDING] = 3725.0
    assert watching.left(3730.0, 0.0) == {DECIDING: 55.0, LOADING: 60.0}
    pulse.numbers[DECIDING] = 0.0
    assert watching.left(9999.0, 0.0) == {DECIDING: 60.0, LOADING: 60.0}
