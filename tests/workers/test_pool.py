"""The pool of worker processes: messages, limits, dying processes, and the end of runs."""

from __future__ import annotations

import math
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from askwise.workers import pool
from askwise.workers.heartbeat import Limits
from askwise.workers.pool import RunEnded, WorkerDied, WorkersGone, borrowed, end, supervisors, usable_cores
from askwise.workers.process import RequestRefused
from tests.studies.commands import is_alive
from tests.workers.services import GARBAGE

SERVICES = "tests.workers.services"
ECHO = f"{SERVICES}:echo"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A new run, whose services can import the modules of the tests."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    name = pool.new_run()
    yield name
    end(name)


def answers(run: str, service: str, request: Any, limits: Limits | None = None) -> list[Any]:
    with borrowed(run, f"{SERVICES}:{service}", limits or Limits()) as worker:
        return list(worker.replies(request))


def test_replies_come_whole_and_in_order(run: str) -> None:
    sent = [*range(50), "x" * 300_000, {"last": (1.5, None)}]  # longer than the buffer of a pipe
    with borrowed(run, ECHO, Limits()) as worker:
        assert worker.is_fresh
        assert list(worker.replies(sent)) == sent
        assert not worker.is_fresh
        assert list(worker.replies([])) == []


def test_a_worker_is_where_its_parent_is(run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["HERE", "LEFT_BEHIND", "OMP_NUM_THREADS"]
    with borrowed(run, f"{SERVICES}:surroundings", Limits()) as worker:
        list(worker.replies(names))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HERE", "yes")
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        folder, environment = worker.replies(names)
    assert folder == str(tmp_path)
    assert environment == {"HERE": "yes", "LEFT_BEHIND": None, "OMP_NUM_THREADS": "1"}


def test_a_worker_that_ends_itself(run: str) -> None:
    with pytest.raises(WorkerDied, match=r"^its process ended itself \(exit code 3\)$") as died:
        answers(run, "misbehave", "exits")
    assert (died.value.unit, died.value.prices, died.value.exceeded) == (7, (0.5, 0.25), False)


def test_a_worker_that_exceeds_a_limit(run: str) -> None:
    with pytest.raises(
        WorkerDied, match=r"^took longer than 0\.1 s for a decision \(services\.py, line \d+\)$"
    ) as died:
        answers(run, "misbehave", "hangs", Limits(decision=0.1))
    assert (died.value.unit, died.value.exceeded) == (7, True)


@pytest.mark.parametrize("manner", GARBAGE)
def test_output_that_is_no_reply_ends_the_worker_at_once(run: str, manner: str) -> None:
    with pytest.raises(WorkerDied, match=r"^wrote into the pipe of its process"):
        answers(run, "misbehave", manner)


def test_what_a_worker_prints_disturbs_nobody(run: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(WorkerDied, match=r"^its process ended itself \(exit code 1\)$"):  # there is nothing to read
        answers(run, "misbehave", "prints")
    out, err = capfd.readouterr()
    assert out == ""
    assert "from C" in err
    assert "EOFError" in err


def test_requests_that_a_worker_does_not_understand(run: str) -> None:
    with pytest.raises(RequestRefused, match=r"^not for me$"):
        answers(run, "misbehave", "refuses")
    with pytest.raises(RequestRefused, match=r"^ModuleNotFoundError: No module named 'nowhere'$"):
        answers(run, "echo", b"cnowhere\nnothing\n.")


def test_workers_that_cannot_be_started(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKEN_SERVICE", "1")
    gone = r"^worker processes cannot be started \(its process ended itself \(exit code 1\)\)$"
    with pytest.raises(WorkersGone, match=gone):
        answers(run, "echo", [])
    monkeypatch.setattr(pool, "SupervisedProcess", _too_many)
    with pytest.raises(WorkersGone, match=r"^worker processes cannot be started \(.*too many\)$"):
        answers(run, "echo", [])


def _too_many(*_: object, **__: object) -> None:
    raise OSError("too many")


def test_processes_are_kept_for_the_next_task_and_end_with_the_run(monkeypatch: pytest.MonkeyPatch, run: str) -> None:
    monkeypatch.setattr(pool, "_idle", [])  # not counting workers of other tests
    monkeypatch.setattr(pool, "MOST_IDLE", 3)
    with supervisors(1, run) as threads:
        assert threads.submit(os.getpid).result() == os.getpid()
        with borrowed(run, ECHO, Limits()) as worker:
            first = worker.pid
        with borrowed(run, ECHO, Limits()) as worker:
            assert worker.pid == first
        with borrowed(run, ECHO, Limits(decision=7)) as other, borrowed("another", ECHO, Limits()) as third:
            assert len({first, other.pid, third.pid}) == 3
        assert is_alive(first)
        with borrowed(run, ECHO, Limits(), guest="a method") as fourth:
            assert fourth.pid not in (first, other.pid, third.pid)
        assert not is_alive(first)  # it was idle for the longest time
    assert not is_alive(other.pid)
    assert is_alive(third.pid)
    end("another")
    assert not is_alive(third.pid)
    with pytest.raises(RunEnded), borrowed(run, ECHO, Limits()):
        pass


def test_a_run_that_ends_ends_workers_that_are_busy_or_come_back_later(run: str) -> None:
    waiting, raised = threading.Event(), []

    def wait_for_it() -> None:
        try:
            with borrowed(run, f"{SERVICES}:misbehave", Limits(decision=math.inf)) as worker:
                for _ in worker.replies("hangs"):
                    waiting.set()
        except RunEnded as error:
            raised.append(error)

    thread = threading.Thread(target=wait_for_it)
    thread.start()
    assert waiting.wait(60)
    with borrowed(run, ECHO, Limits()) as worker:
        end(run)
    thread.join(60)
    assert len(raised) == 1
    assert not is_alive(worker.pid)
    assert worker not in pool._idle
    assert worker not in pool._busy


def test_a_worker_without_requests_ends_unless_it_is_reserved(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_idle", [])
    monkeypatch.setattr(pool, "MOST_IDLE", 0)
    with borrowed(run, ECHO, Limits(), reserved=True) as kept:
        pass
    with borrowed(run, ECHO, Limits()) as surplus:
        pass
    assert surplus.is_gone()
    monkeypatch.setattr(pool, "MOST_IDLE", 1)
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.1)
    with borrowed(run, ECHO, Limits()) as first:
        first._process.process.wait(60)
    with borrowed(run, ECHO, Limits()) as second:
        assert second.pid != first.pid
    with borrowed(run, ECHO, Limits(), reserved=True) as again:
        assert again.pid == kept.pid


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_fork_does_not_end_the_workers_of_its_parent(run: str) -> None:
    with borrowed(run, ECHO, Limits()) as worker:
        pass
    child = os.fork()
    if not child:
        ends = pool._idle or pool._busy
        pool._end_all()
        os._exit(1 if ends else 0)
    assert os.waitpid(child, 0)[1] == 0
    with borrowed(run, ECHO, Limits()) as again:
        assert again.pid == worker.pid
        assert list(again.replies([1])) == [1]


def test_cores_are_counted_as_the_process_may_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7})
    assert usable_cores() == 3
