"""Crews on this machine: who looks after the work, and that everything ends when it should."""

from __future__ import annotations

import os

import pytest

from askwise.studies.running import children, executors
from askwise.studies.running.children import Ended
from askwise.studies.running.executors import local
from askwise.workers.limits import Limits
from tests.experiments.commands import is_alive


def test_workers_are_threads_that_look_after_processes() -> None:
    with local(2, "a run") as crew:
        assert (crew.width(), crew.ahead, crew.news()) == (2, 2, None)
        assert crew.executor.submit(os.getpid).result() == os.getpid()


def test_processes_are_kept_for_the_next_task_and_end_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_idle", [])  # others of the tests are none of this one's business
    monkeypatch.setattr(children, "MOST_IDLE", 3)
    with local(1, "one run"):
        with children.borrowed("one run", Limits()) as child:
            first = child.number
        with children.borrowed("one run", Limits()) as child:
            assert child.number == first
        with children.borrowed("one run", Limits(decision=7)) as other, children.borrowed("another", Limits()) as third:
            assert len({first, other.number, third.number}) == 3
        assert is_alive(first)
        with children.borrowed("one run", Limits(), guest="a method") as fourth:
            assert fourth.number not in (first, other.number, third.number)
        assert not is_alive(first)  # it was without work for longest
    assert not is_alive(other.number)
    assert is_alive(third.number)
    children.end("another")
    assert not is_alive(third.number)
    with pytest.raises(Ended), children.borrowed("one run", Limits()):
        pass


def test_cores_are_counted_as_the_process_may_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7})
    assert executors.usable_cores() == 3
