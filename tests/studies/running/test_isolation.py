"""Agents that hang or die only affect their own units, on every executor."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from askwise.studies.running import executors
from askwise.studies.running.executors import local
from askwise.studies.running.play import Rows, play, units
from askwise.studies.running.run import run_study
from askwise.studies.schema.study import Study, Task
from askwise.studies.schema.study_file import study_from
from askwise.workers import pool
from askwise.workers.pool import RunEnded
from tests.studies.gates import Gate
from tests.studies.studies import small, stored
from tests.studies.villains import line_of, write_villains

SECONDS = 3
"""Time limits of decisions: very short for agents that hang, very long for the others."""


def among(villains: Path, *names: str, instances: int = 1, **limits: Any) -> Study:
    """Return a small study in which misbehaving agents play between two others."""
    return study_from(
        {
            "name": "among-villains",
            "priors": ["far"],
            "methods": ["never", *({"name": f"{villains}:{name}", "label": name} for name in names), "toolbox"],
            "limits": {"decision_seconds": SECONDS, **limits},
            "bounds": 1,
            "instances": {"count": instances, "size": 5, "stations": 5, "toolboxes": 2},
        }
    )


def assert_innocent_unharmed(study: Study, folder: Path) -> None:
    """Check that all other methods have the same rows as without the misbehaving ones."""
    alone = small(priors=["far"], methods=["never", "toolbox"], per_goal=[0.0], seed=0, bounds=1)
    for index in range(study.n_tasks):
        expected = play(alone.task(index)).tables
        for name in ("episodes", "queries", "expected"):
            rows = stored(folder, name).filter(pl.col("instance") == index)
            innocent = rows.filter(pl.col("method").is_in(["never", "toolbox", "lower bound"]))
            assert innocent.equals(expected[name])


def errors(folder: Path) -> dict[str, str]:
    """Return the error of each method, which must be the same in all its rows."""
    rows = stored(folder).filter(pl.col("error").is_not_null())
    assert rows.select("method", "error").n_unique() == rows["method"].n_unique()
    return dict(rows.select("method", "error").iter_rows())


@pytest.fixture
def villains(tmp_path: Path) -> Path:
    return write_villains(tmp_path)


def test_one_worker_survives_them_all(villains: Path, tmp_path: Path) -> None:
    study = among(villains, "HangsInC", "Exits", "Crashes", "Leaves", "Interrupts", "Scribbles")
    ran = run_study(study, tmp_path / "out")
    assert (ran.store.done(), ran.store.failed()) == ({0}, {0})
    assert errors(tmp_path / "out") == {
        "HangsInC": f"took longer than 3 s for a decision (villains.py, line {line_of('hangs in C')})",
        "Exits": "its process ended itself (exit code 3)",
        "Crashes": f"its process died (signal 11, segmentation fault; villains.py, line {line_of('crashes')})",
        "Leaves": f"step 1: agent 'leaves' failed in decide: SystemExit: enough ({villains}, line {line_of('leaves')})",
        "Interrupts": "KeyboardInterrupt",
        "Scribbles": "wrote into the pipe of its process",
    }
    rows = stored(tmp_path / "out")
    assert set(rows["base"]) == {0.5}
    assert_innocent_unharmed(study, tmp_path / "out")


def test_threads_of_somebody_else(villains: Path, tmp_path: Path) -> None:
    study = among(villains, "IsKilled", instances=2)
    with ThreadPoolExecutor(2) as threads:
        run_study(study, tmp_path / "out", executor=threads)
    assert errors(tmp_path / "out") == {"IsKilled": "its process was killed (signal 9; out of memory?)"}
    assert_innocent_unharmed(study, tmp_path / "out")


def test_an_episode_has_a_limit_too(villains: Path, tmp_path: Path) -> None:
    study = among(villains, "Dawdles", decision_seconds="none", episode_seconds=4)
    run_study(study, tmp_path / "out")
    line = line_of("dawdles")
    assert errors(tmp_path / "out") == {"Dawdles": f"took longer than 4 s for an episode (villains.py, line {line})"}
    assert_innocent_unharmed(study, tmp_path / "out")


def test_what_a_method_does_to_its_process_stays_there(villains: Path, tmp_path: Path) -> None:
    """Memory has a limit, a method that forks plays once, and the study ends."""
    names = ["Greedy", "Leaks", "Patches", "Overwrites", "Forks"]
    study = among(villains, *names, memory_gib=8)
    run_study(study, tmp_path / "out")
    rows = stored(tmp_path / "out")
    assert rows["method"].to_list() == ["never", *names, "toolbox"]
    found = errors(tmp_path / "out")
    assert re.search("MemoryError: Unable to allocate 256. MiB", found["Greedy"])
    assert "Forks" not in found
    costs = dict(rows.select("method", "cost").iter_rows())
    assert costs["Forks"] == costs["never"]
    assert_innocent_unharmed(study, tmp_path / "out")


def test_methods_of_others_have_a_process_each_and_those_of_askwise_share_one(
    villains: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[tuple[str, set[str]]] = []

    @contextmanager
    def borrowed(_: str, __: str, ___: object, guest: str) -> Iterator[Any]:
        yield SimpleNamespace(is_fresh=True, replies=lambda sent: played(guest, pickle.loads(sent[0]), sent[1]))

    def played(guest: str, task: Task, numbers: set[int]) -> Iterator[tuple[int, Rows]]:
        wanted = {number: unit for number, unit in enumerate(units(task)) if number in numbers}
        lent.append((guest, {"none" if unit.method is None else unit.method.label for unit in wanted.values()}))
        yield from ((number, unit.failed(task, "not played")) for number, unit in wanted.items())

    monkeypatch.setattr(pool, "borrowed", borrowed)
    own = small(bounds=1, exact={"instances": 1, "priors": ["far"]})
    executors.play_isolated(own.task(0), "a run")
    assert lent == [("", {"never", "toolbox", "ezq-local", "none"})]
    lent.clear()
    study = among(villains, "Leaves", "Interrupts")
    result = executors.play_isolated(study.task(0), "a run")
    assert [labels for _, labels in lent] == [{"never", "toolbox", "none"}, {"Leaves"}, {"Interrupts"}]
    assert len({guest for guest, _ in lent}) == 3
    assert result.tables["episodes"]["method"].to_list() == ["never", "Leaves", "Interrupts", "toolbox"]


@pytest.mark.usefixtures("plugin")
def test_methods_of_modules_and_other_packages_have_a_process_each() -> None:
    study = small(methods=["never", "gated", "misbehaving:Gated", "ezq"], priors=["far"])
    guests = {unit.method.label: executors._guest(unit) for unit in units(study.task(0)) if unit.method is not None}
    assert {label for label, guest in guests.items() if guest == ""} == {"never", "ezq"}
    assert len(set(guests.values())) == 3


def test_limits_are_no_part_of_a_study(villains: Path) -> None:
    one, other = among(villains, "Exits"), among(villains, "Exits", decision_seconds="none")
    assert (one.limits.decision, other.limits.decision) == (SECONDS, math.inf)
    assert one == other
    assert one.fingerprint == other.fingerprint


@pytest.mark.usefixtures("plugin")
def test_a_run_that_ends_ends_what_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(tmp_path / "gate")
    monkeypatch.setenv("GATE", str(gate.folder))
    with local(1, "a short run") as workers:
        waiting = workers.executor.submit(executors.play_isolated, small(methods=["gated"]).task(0), "a short run")
        gate.wait_until_somebody_waits()
    assert isinstance(waiting.exception(timeout=0), RunEnded)


def test_what_cannot_be_sent_is_played_here(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Study):
        """A class that other processes cannot import."""

    task = small().task(0)
    mine = Own(**vars(task.study))
    monkeypatch.setattr(executors, "pool", None)  # no process may be used
    here = executors.play_isolated(type(task)(0, mine, task.source), "a run")
    assert here.tables["episodes"].equals(play(task).tables["episodes"])
