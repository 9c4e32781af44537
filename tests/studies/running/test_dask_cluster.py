"""A real Dask cluster on this machine gives the same results, even if parts of it fail."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from askwise.errors import InputError
from askwise.studies.running import executors
from askwise.studies.running.executors import BACK, GONE, WorkerCount, dask
from askwise.studies.running.run import NoProgress, WorkersGone, run_study
from askwise.studies.schema.study import Method
from tests.refused import assert_refused
from tests.studies.commands import PATIENCE, finish, parts, start, wait_until_gone
from tests.studies.gates import Gate
from tests.studies.running.test_isolation import among, assert_innocent_unharmed, errors
from tests.studies.studies import small, stored, table_bytes, the_plugin, toml, undisturbed
from tests.studies.villains import line_of, write_villains

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes in /proc")

STUDY = replace(
    small(priors=["far"], instances={"count": 8, "size": 4, "stations": 4, "toolboxes": 1}),
    methods=(Method("never", "never"), Method("gated", "gated"), Method("toolbox", "toolbox")),
)


EACH = STUDY.episodes_per_task // len(STUDY.methods)
"""The number of episodes of an instance that wait at the gate."""


class Cluster:
    """A scheduler and its workers, each in its own session, so that it can be ended with its child processes."""

    def __init__(self, folder: Path, plugin: Path) -> None:
        self._folder, self._plugin = folder, plugin
        self.sessions: list[subprocess.Popen[bytes]] = []
        self._file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self._file)
        )
        self.workers: list[subprocess.Popen[bytes]] = []
        give_up = time.monotonic() + PATIENCE
        while not self._file.exists() or not self._file.read_text().endswith("}"):
            assert time.monotonic() < give_up
            time.sleep(0.05)
        self.address: str = json.loads(self._file.read_text())["address"]

    def add_worker(self) -> None:
        number = str(len(self.workers))
        options = [
            "--nthreads",
            "1",
            "--nworkers",
            "1",
            "--host",
            "127.0.0.1",
            "--local-directory",
            str(self._folder / number),
        ]
        self.workers.append(self._start("worker", self.address, *options))

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(self._plugin), *filter(None, sys.path)])
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        self.sessions.append(process)
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process and its child processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
        wait_until_gone(process.pid)


@contextlib.contextmanager
def running(folder: Path, workers: int) -> Iterator[Cluster]:
    folder.mkdir(exist_ok=True)
    found = Cluster(folder, the_plugin())
    try:
        for _ in range(workers):
            found.add_worker()
        if workers:  # on a slow machine they may take longer to start than a study waits for them
            with executors._connected(found.address) as client:
                client.wait_for_workers(workers, timeout=PATIENCE)
        yield found
    finally:
        for process in found.sessions:
            found.end(process)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster"), 2) as found:
        yield found


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The tables of a run in one process."""
    return undisturbed(STUDY, tmp_path_factory.mktemp("expected"))


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """A gate that holds the workers of clusters that are started later."""
    found = Gate(tmp_path / "gate")
    monkeypatch.setenv("GATE", str(found.folder))
    return found


@pytest.fixture
def study(plugin: Path, tmp_path: Path) -> Path:
    assert plugin.exists()
    path = tmp_path / "study.toml"
    path.write_text(toml(STUDY))
    return path


def test_a_cluster_gives_the_same_tables_as_one_process(
    two_workers: Cluster, study: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    code, printed, err = finish(start(str(study), "--out", str(out), "--dask", two_workers.address))
    assert (code, err) == (0, "")
    assert printed.endswith(f"8 of 8 instances are stored in {out}\n")
    assert table_bytes(out) == expected


def test_workers_with_another_askwise_are_refused(
    two_workers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dask(two_workers.address) as crew:
        assert crew.executor.submit(divmod, 7, 4).result(timeout=PATIENCE) == (1, 3)
    monkeypatch.setattr(executors, "__version__", "99")
    with pytest.raises(InputError, match=r"^--dask: found askwise .* at the worker tcp://.*; expected askwise 99 at "):
        run_study(STUDY, tmp_path / "out", dask=two_workers.address)
    assert parts(tmp_path / "out") == 0


def test_dask_may_log_again_afterwards(two_workers: Cluster) -> None:
    with dask(two_workers.address):
        assert logging.getLogger("distributed.client").disabled
    assert not logging.getLogger("distributed.client").disabled


MINE = """
from askwise.methods import BeliefAgent


class Waits(BeliefAgent):
    def ask_or_wait(self, state, possible):
        return self.wait("Wait.")
"""


def test_agents_that_hang_or_die_fail_alone(
    two_workers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers find an agent by its absolute path; by a relative name they report what is missing."""
    villains = write_villains(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    study = among(villains, "Exits", "Sleeps")
    own = (Method(f"{tmp_path / 'mine.py'}:Waits", "there"), Method("mine.py:Waits", "here"))
    run_study(replace(study, methods=study.methods + own), tmp_path / "out", dask=two_workers.address)
    found = errors(tmp_path / "out")
    assert "mine.py" in found.pop("here")
    assert found == {
        "Exits": "its process ended itself (exit code 3)",
        "Sleeps": f"took longer than 3 s for a decision (villains.py, line {line_of('sleeps')})",
    }
    costs = dict(stored(tmp_path / "out").select("method", "cost").iter_rows())
    assert (costs["there"], costs["here"]) == (costs["never"], None)
    assert_innocent_unharmed(study, tmp_path / "out")


def test_workers_and_then_the_scheduler_are_killed_and_nothing_is_lost(
    plugin: Path, gate: Gate, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only worker dies and another one takes over; then the scheduler dies, and the study is finished here."""
    assert plugin.exists()
    out, said, heard = tmp_path / "out", list[str](), threading.Event()

    def hear(_: NoProgress, text: str) -> None:
        said.append(text)
        heard.set()

    monkeypatch.setattr(executors, "PATIENCE", 0.5)
    monkeypatch.setattr(NoProgress, "say", hear)
    gate.let(2 * EACH)
    with running(tmp_path / "cluster", 1) as found:

        def wait_for_parts(number: int) -> None:
            give_up = time.monotonic() + PATIENCE
            while parts(out) < number and time.monotonic() < give_up:
                time.sleep(0.01)

        def disturb() -> None:
            gate.wait_until_somebody_waits()
            wait_for_parts(2)  # what a worker has not sent yet is played again, and needs further passes
            found.end(found.workers[0])
            heard.wait(PATIENCE)
            found.add_worker()
            gate.let(2 * EACH)
            wait_for_parts(4)
            found.end(found.scheduler)

        disturbing = threading.Thread(target=disturb)
        disturbing.start()
        with pytest.raises(WorkersGone, match=r"^the workers are gone \(.*\)$"):
            run_study(STUDY, out, dask=found.address)
        disturbing.join()
    assert said == [GONE, BACK]
    assert 4 <= parts(out) < STUDY.n_tasks
    gate.open()
    ran = run_study(STUDY, out)
    assert (ran.before, ran.store.failed()) == (parts(out) - ran.played, set())
    ran.store.combine()
    assert table_bytes(out) == expected


def test_what_there_is_to_say_about_workers() -> None:
    now, there = [0.0], [2]
    workers = WorkerCount(lambda: there[0], lambda: now[0])
    said = []
    for moment, number in [(0, 2), (1, 0), (10, 0), (11, 0), (99, 0), (100, 1), (101, 1), (102, 0), (103, 1), (120, 0)]:
        now[0], there[0] = moment, number
        workers.count()
        said.append((moment, workers.news()))
    assert [each for each in said if each[1] is not None] == [(11, GONE), (100, BACK)]


def test_a_scheduler_without_workers_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "TIMEOUT", 2)
    with running(tmp_path / "cluster", 0) as found:
        assert_refused(
            lambda: run_study(small(), tmp_path / "out", dask=found.address),
            f"--dask: found {found.address!r}, a scheduler without workers; expected at least one dask worker",
        )
    assert parts(tmp_path / "out") == 0


# -- nobody there ----------------------------------------------------------------------------------------------------


def test_an_address_where_nobody_answers_is_refused(study: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    out = tmp_path / "out"
    run_study(STUDY, out)
    for index in (3, 4):
        (out / "parts" / "episodes" / f"{index:05}.parquet").unlink()
    code, printed, err = finish(start(str(study), "--out", str(out), "--dask", "tcp://127.0.0.1:1"))
    assert (code, printed) == (2, "")
    missing = "".join(
        f"{out}/parts/episodes/{index:05}.parquet is damaged (it is missing): its instance is played again\n"
        for index in (3, 4)
    )
    assert err == missing + (
        "askwise study: --dask: found 'tcp://127.0.0.1:1', which does not answer (connection refused); expected the "
        f"address of a running Dask scheduler (6 of 8 instances are stored in {str(out)!r}; run the same command "
        "again to resume)\n"
    )
    run_study(STUDY, out).store.combine()
    assert table_bytes(out) == expected
