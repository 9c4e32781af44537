"""Runs that are killed, interrupted, out of disk space or concurrent: no result is lost or duplicated."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.study import Method
from tests.studies.commands import PATIENCE, finish, parts, start, wait_for_parts, wait_until_gone
from tests.studies.gates import Gate
from tests.studies.studies import files_in, small, table_bytes, toml, undisturbed

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes in /proc")

STUDY = replace(
    small(priors=["far"], instances={"count": 8, "size": 4, "stations": 4, "toolboxes": 1}),
    methods=(Method("never", "never"), Method("gated", "gated"), Method("toolbox", "toolbox")),
)


EACH = STUDY.episodes_per_task // len(STUDY.methods)
"""The number of episodes of an instance that wait at the gate."""


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """A gate that holds runs until the test opens it."""
    found = Gate(tmp_path / "gate")
    monkeypatch.setenv("GATE", str(found.folder))
    return found


@pytest.fixture
def study(plugin: Path, tmp_path: Path) -> Path:
    """The study as a file; without a gate, episodes do not wait."""
    assert plugin.exists()
    path = tmp_path / "study.toml"
    path.write_text(toml(STUDY))
    return path


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The tables of an undisturbed run."""
    return undisturbed(STUDY, tmp_path_factory.mktemp("expected"))


def started(study: Path, gate: Gate, out: Path, workers: str = "1") -> subprocess.Popen[str]:
    """Start a run, and wait until two instances are stored and it is held at the gate."""
    gate.let(2 * EACH + EACH // 2)
    process = start(str(study), "--out", str(out), "--workers", workers)
    gate.wait_until_somebody_waits()
    if workers == "1":
        wait_for_parts(process, out, 2)
    return process


def test_killed_while_another_run_is_refused_and_then_resumed(
    study: Path, gate: Gate, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    """The torture tests kill a study twenty times; here it is killed once, between two episodes of an instance."""
    out = tmp_path / "out"
    process = started(study, gate, out)
    code, printed, err = finish(start(str(study), "--out", str(out), "--workers", "1"))
    assert (code, printed) == (2, "")
    found = "found another run that uses it; expected a folder that no other run uses"
    assert err.startswith(f"askwise study: folder {str(out)!r}: {found}")
    assert err.count("\n") == 1
    process.kill()
    finish(process)
    wait_until_gone(process.pid)
    assert parts(out) == 2
    gate.open()
    code, _, err = finish(start(str(study), "--out", str(out), "--workers", "2"))
    assert (code, err) == (0, "")
    assert table_bytes(out) == expected
    assert not [name for name in files_in(out) if Path(name).name.startswith(".") and name != ".lock"]
    assert parts(out) == STUDY.n_tasks


@pytest.mark.parametrize(("workers", "number"), [("1", signal.SIGINT), ("2", signal.SIGTERM)])
def test_stopped_it_says_how_to_go_on(
    study: Path, gate: Gate, tmp_path: Path, expected: dict[str, bytes], workers: str, number: signal.Signals
) -> None:
    out = tmp_path / "out"
    process = started(study, gate, out, workers)
    os.killpg(process.pid, number)  # to the whole process group, like a terminal
    code, printed, err = finish(process)
    assert (code, printed) == (128 + number, "")
    stored = len(Store(out, STUDY).done())
    assert stored < STUDY.n_tasks
    assert err == (f"\nStopped: {stored} of 8 instances are stored in {out}.\nRun the same command again to resume.\n")
    wait_until_gone(process.pid)
    run = json.loads((out / "provenance.json").read_text())["runs"][0]
    assert (run["tasks_done"], run["ended"] is not None) == (stored, True)
    gate.open()
    run_study(STUDY, out).store.combine()
    assert table_bytes(out) == expected


def test_ctrl_c_while_processes_start_is_quiet(study: Path, gate: Gate, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(str(study), "--out", str(out), "--workers", "2")
    give_up = time.monotonic() + PATIENCE
    while not (out / "provenance.json").exists():
        assert time.monotonic() < give_up
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = finish(process)
    assert code == 130
    assert err == f"\nStopped: 0 of 8 instances are stored in {out}.\nRun the same command again to resume.\n"
    wait_until_gone(process.pid)


# -- no room ---------------------------------------------------------------------------------------------------------


def small_files() -> None:
    """Limit the size of files in this process, which has the same effect as a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def no_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_a_disk_that_is_full_from_the_start(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, printed, err = finish(start(str(study), "--out", str(out), "--workers", "1", preexec_fn=no_files))
    assert (code, printed) == (2, "")
    path = str(out / "study.json")
    assert err == f"askwise study: file {path!r}: found file too large; expected a place that can be written to\n"
    assert files_in(out) == [".lock"]


def test_a_disk_that_is_full_in_the_end(study: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    out = tmp_path / "out"
    run_study(STUDY, out)  # all parts are stored, but there is no space for the tables
    code, printed, err = finish(start(str(study), "--out", str(out), "--workers", "1", preexec_fn=small_files))
    assert (code, printed) == (2, "")
    path = str(out / "episodes.parquet")
    assert err.count("\n") == 1
    assert err.startswith(f"askwise study: file {path!r}: found ")
    assert "file too large" in err.lower()
    assert err.endswith(
        f"; expected a place that can be written to (8 of 8 instances are stored in {str(out)!r}; "
        "run the same command again to resume)\n"
    )
    assert not [name for name in files_in(out) if Path(name).name.startswith(".") and name != ".lock"]
    run_study(STUDY, out).store.combine()
    assert table_bytes(out) == expected


@contextlib.contextmanager
def tiny_disk(folder: Path) -> Iterator[None]:
    """A small separate disk, if the test may mount one."""
    folder.mkdir()
    if os.system(f"mount -t tmpfs -o size=96k tmpfs {folder} 2>/dev/null") != 0:
        pytest.skip("no right to mount a file system")
    try:
        yield
    finally:
        os.system(f"umount {folder}")


def test_a_disk_that_fills_up_half_way(study: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    disk = tmp_path / "disk"
    with tiny_disk(disk):
        out = disk / "out"
        code, printed, err = finish(start(str(study), "--out", str(out), "--workers", "1"))
        assert (code, printed) == (2, "")
        assert err.count("\n") == 1
        assert "no space left on device; expected a place that can be written to (" in err
        stored = len(Store(out, STUDY).done())
        assert 0 < stored < STUDY.n_tasks
        assert f"({stored} of 8 instances are stored in {str(out)!r}; run the same command again to resume)\n" in err
        assert not [name for name in files_in(out) if Path(name).name.startswith(".") and name != ".lock"]
        os.system(f"mount -o remount,size=4m {disk}")
        ran = run_study(STUDY, out)
        # A part may have been written before there was no room to list it.
        assert [line for line in map(str, ran.damaged) if "is unfinished" not in line] == []
        ran.store.combine()
        assert table_bytes(out) == expected
