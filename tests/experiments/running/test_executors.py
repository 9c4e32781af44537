"""Crews on this machine: what runs where, and that everything ends when it should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from askwise.experiments.running import executors
from askwise.experiments.running.executors import InThisProcess, Pool, local, process_pool, stop, uninterrupted


def test_one_worker_is_this_process() -> None:
    with local(1) as crew:
        assert crew.executor.submit(os.getpid).result() == os.getpid()
        # The next task begins when the one before is stored.
        assert (crew.width(), crew.ahead, crew.fresh) == (1, 1, None)


def test_what_goes_wrong_in_this_process_is_in_the_future() -> None:
    future = InThisProcess().submit(divmod, 1, 0)
    assert isinstance(future.exception(), ZeroDivisionError)


def test_more_workers_are_other_processes_with_one_thread_each() -> None:
    with local(2) as crew:
        assert (crew.width(), crew.ahead, crew.fresh) == (2, 2, process_pool)
        other = crew.executor.submit(os.getpid).result()
        assert other != os.getpid()
        assert crew.executor.submit(os.getenv, "POLARS_MAX_THREADS").result() == "1"
        assert crew.executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    assert not alive(other)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_pool_that_is_stopped_gives_up_what_it_does() -> None:
    pool = Pool(1)
    first = pool.submit(os.getpid).result()
    waiting = [pool.submit(signal.pause), pool.submit(os.getpid)]
    stop(pool)
    assert not alive(first)
    assert isinstance(waiting[0].exception(timeout=60), BrokenExecutor)
    assert isinstance(waiting[1].exception(timeout=60), BrokenExecutor)


STOPPED = """
from askwise.experiments.running.executors import process_pool, stop
if __name__ == "__main__":
    pool = process_pool(2)
    sent = [pool.submit(bytes, 20_000_000) for _ in range(20)]
    sent[0].result()
    stop(pool)
    print("stopped")
"""


def test_a_pool_that_is_stopped_while_it_sends_does_not_hang(tmp_path: Path) -> None:
    # Half a result in the pipe, and nobody to send the rest: the program must end all the same.
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED)
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_ctrl_c_waits_while_processes_are_started() -> None:
    reached = []

    def start() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("the end of it")
        reached.append("what comes next")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert reached == ["the end of it"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_cores_are_counted_as_the_process_may_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7})
    assert executors.usable_cores() == 3
