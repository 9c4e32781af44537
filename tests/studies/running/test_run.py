"""Runs of a study: with any executor and in any order, the tables are identical bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from askwise.domains.tool_fetching import ToolFetching
from askwise.errors import AskwiseError
from askwise.studies.running import run as running
from askwise.studies.running.executors import Workers
from askwise.studies.running.play import TaskResult
from askwise.studies.running.run import Interrupted, WorkersGone, results, run_study
from askwise.studies.schema.study import Study
from tests.studies.studies import small, stored, table_bytes

STUDY = small(episodes=2)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in one process without interruption."""
    folder = tmp_path_factory.mktemp("expected")
    ran = run_study(STUDY, folder)
    ran.store.combine()
    assert (ran.before, ran.played, ran.damaged) == (0, 6, ())
    return folder


def assert_same(folder: Path, expected: Path) -> None:
    for name in ("episodes", "queries"):
        assert_frame_equal(
            pl.read_parquet(folder / f"{name}.parquet"), pl.read_parquet(expected / f"{name}.parquet"), check_exact=True
        )
    assert table_bytes(folder) == table_bytes(expected)


class Backwards(Executor):
    """An executor that only works while its caller waits, last task first, and counts pending tasks."""

    def __init__(self, width: int) -> None:
        self._max_workers = width
        self.out: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.most = 0
        self.was_shut_down = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.out.append((future, lambda: fn(*args, **kwargs)))
        self.most = max(self.most, len(self.out))
        return future

    def wait(self, futures: Any, **_: Any) -> Any:
        assert len(self.out) == len(futures)
        future, work = self.out.pop()
        future.set_result(work())

        return SimpleNamespace(done={future})

    def shutdown(self, *_: Any, **__: Any) -> None:
        self.was_shut_down = True


# -- the same results ------------------------------------------------------------------------------------------------


def test_two_processes(tmp_path: Path, expected: Path) -> None:
    run_study(STUDY, tmp_path, workers=2).store.combine()
    assert_same(tmp_path, expected)


def test_threads_of_the_caller_who_keeps_them(tmp_path: Path, expected: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        run_study(STUDY, tmp_path, executor=pool).store.combine()
        assert pool.submit(abs, -1).result() == 1
    assert_same(tmp_path, expected)


def test_any_order(tmp_path: Path, expected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Backwards(2)
    monkeypatch.setattr(running, "wait", executor.wait)
    run_study(STUDY, tmp_path, executor=executor).store.combine()
    assert not executor.was_shut_down
    assert_same(tmp_path, expected)


def test_in_pieces(tmp_path: Path, expected: Path) -> None:
    for stop_after in (1, 2, 1):
        with pytest.raises(Interrupted) as stopped:
            run_study(STUDY, tmp_path, executor=Interrupting(stop_after))
        assert stopped.value.store.folder == tmp_path
    ran = run_study(STUDY, tmp_path, workers=2)
    assert (ran.before, ran.played) == (4, 2)
    ran.store.combine()
    assert_same(tmp_path, expected)
    runs = json.loads((tmp_path / "provenance.json").read_text())["runs"]
    assert [(run["tasks"], run["tasks_done"]) for run in runs] == [(6, 1), (5, 3), (3, 4), (2, 6)]


class Interrupting(Executor):
    """An executor that raises `KeyboardInterrupt` after some tasks."""

    _max_workers = 1

    def __init__(self, after: int) -> None:
        self.left = after

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.left > 0:
            future.set_result(fn(*args, **kwargs))
        elif self.left < 0:
            raise KeyboardInterrupt
        self.left -= 1
        return future


def test_nothing_left_to_do_is_done_at_once(tmp_path: Path, expected: Path) -> None:
    ran = run_study(STUDY, expected, executor=Interrupting(-1))
    assert (ran.before, ran.played) == (6, 0)


def test_what_ran_is_written_down(expected: Path) -> None:
    about = json.loads((expected / "provenance.json").read_text())
    assert (about["study"], about["fingerprint"], about["seed"]) == ("small", STUDY.fingerprint, 7)
    (run,) = about["runs"]
    assert (run["tasks"], run["tasks_done"]) == (6, 6)
    assert run["ended"] >= run["started"]
    assert {"askwise", "git", "python", "packages", "system", "processor", "cores", "command"} <= set(run)


# -- memory ----------------------------------------------------------------------------------------------------------


def test_no_more_tasks_are_out_than_keep_everybody_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    alive, most = [0], [0]

    class Counted:
        """A result that counts its living instances."""

        def __init__(self) -> None:
            alive[0] += 1
            most[0] = max(most[0], alive[0])

        def __del__(self) -> None:
            alive[0] -= 1

    executor = Backwards(3)
    monkeypatch.setattr(running, "wait", executor.wait)
    monkeypatch.setattr(running, "play_isolated", lambda *_: Counted())
    study = small(instances={"count": 500, "size": 5, "stations": 5, "toolboxes": 2})
    seen = sum(1 for _ in results(study, range(500), Workers(executor, lambda: 3), "a run", print))
    assert seen == 500
    assert executor.most == 6  # twice the width
    assert most[0] <= 6


# -- processes that die ----------------------------------------------------------------------------------------------


def bad_instances(study: Study) -> set[int]:
    """Return the tasks on whose maps the test agents misbehave."""
    starts = {k: ToolFetching(study.task(k).instance()).start.teammate for k in range(study.n_tasks)}
    bad = {k for k, start in starts.items() if start % 3 == 0}
    assert 0 < len(bad) < study.n_tasks
    return bad


@pytest.mark.usefixtures("plugin")
def test_an_agent_that_kills_its_process_fails_alone(tmp_path: Path) -> None:
    study = small(methods=["never", "dies"], priors=["far"], per_goal=[0.0])
    bad = bad_instances(study)
    ran = run_study(study, tmp_path / "out", workers=2)
    assert (ran.played, ran.store.done(), ran.store.failed()) == (6, set(range(6)), bad)
    rows = stored(tmp_path / "out")
    failed = rows.filter(pl.col("error").is_not_null())
    assert (set(failed["instance"]), set(failed["method"])) == (bad, {"dies"})
    assert set(failed["error"]) == {"its process ended itself (exit code 3)"}
    # Other methods are unaffected, on the same instances, too.
    run_study(small(methods=["never"], priors=["far"], per_goal=[0.0]), tmp_path / "alone")
    assert rows.filter(pl.col("method") == "never").equals(stored(tmp_path / "alone"))
    assert rows.filter(pl.col("error").is_null(), pl.col("method") == "dies").height == study.n_tasks - len(bad)


@pytest.mark.usefixtures("plugin")
def test_failed_tasks_are_played_again_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "marker"
    marker.touch()
    monkeypatch.setenv("FLAKY_WHILE", str(marker))
    study = small(methods=["never", "flaky"])
    bad = bad_instances(study)
    first = run_study(study, tmp_path / "out", workers=2)
    assert first.store.failed() == bad
    rows = stored(tmp_path / "out")
    (error,) = set(rows.filter(pl.col("error").is_not_null())["error"])
    assert error.startswith("step 1: agent 'flaky' failed in decide: RuntimeError: not today (")
    assert set(rows.filter(pl.col("error").is_not_null())["method"]) == {"flaky"}

    marker.unlink()
    assert run_study(study, tmp_path / "out", workers=2).played == 0
    assert first.store.failed() == bad
    again = run_study(study, tmp_path / "out", workers=2, retry_failed=True)
    assert (again.before, again.played) == (6, len(bad))
    assert again.store.failed() == set()
    assert stored(tmp_path / "out")["error"].null_count() == rows.height


UNGUARDED = """
import sys
from askwise.studies.running.run import run_study
from tests.studies.studies import small
print(run_study(small(), sys.argv[1], workers=2).played, "instances")
"""


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    # Worker processes do not run the script again, with or without `if __name__ == "__main__"`.
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert (done.stdout, done.stderr) == ("6 instances\n", "")


def test_processes_that_cannot_be_started_are_nobodys_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "new_run", lambda: "a run without processes")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(WorkersGone) as gone:
        run_study(STUDY, tmp_path)
    words = "worker processes cannot be started (its process ended itself (exit code 1))"
    assert str(gone.value) == words
    assert not any((tmp_path / "parts" / "episodes").iterdir())


# -- executors that break --------------------------------------------------------------------------------------------


class Breaking(Interrupting):
    """An executor that breaks after some tasks."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        if self.left < 0:
            raise BrokenExecutor("the machine burns")
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_an_executor_that_goes_away_ends_the_run_and_nothing_is_lost(tmp_path: Path, expected: Path) -> None:
    with pytest.raises(WorkersGone) as gone:
        run_study(STUDY, tmp_path, executor=Breaking(3))
    assert isinstance(gone.value, AskwiseError)
    assert str(gone.value) == "the workers are gone (BrokenExecutor: the machine burns)"
    ran = run_study(STUDY, tmp_path)
    assert ran.before >= 2
    ran.store.combine()
    assert_same(tmp_path, expected)
    assert ran.store.failed() == set()


def test_cancelled_tasks_are_not_failed_tasks(tmp_path: Path) -> None:
    class Cancelling(Interrupting):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(WorkersGone) as gone:
        run_study(STUDY, tmp_path, executor=Cancelling(0))
    assert str(gone.value) == "the workers are gone (CancelledError)"
    assert not any((tmp_path / "parts" / "episodes").iterdir())


def test_whatever_comes_back_instead_of_rows_becomes_rows(tmp_path: Path) -> None:
    class Failing(Interrupting):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(RuntimeError("lost on the way " * 100))
            return future

    ran = run_study(STUDY, tmp_path, executor=Failing(0))
    assert ran.store.failed() == set(range(6))
    assert set(stored(tmp_path)["error"]) == {("RuntimeError: " + "lost on the way " * 100)[:500]}


def test_results_are_stored_as_they_come(tmp_path: Path) -> None:
    seen: list[int] = []

    class Looking(Interrupting):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            seen.append(len(list((tmp_path / "parts" / "episodes").iterdir())))
            future: Future[TaskResult] = Future()
            future.set_result(fn(*args, **kwargs))
            return future

    run_study(STUDY, tmp_path, executor=Looking(0))
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] >= 3
