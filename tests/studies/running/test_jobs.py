"""Lists of jobs: they run independently, are recorded, and can be resumed."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from askwise.errors import InputError
from askwise.studies.running.jobs import Done, Row, do_all
from askwise.studies.running.ownership import lock
from askwise.workers.heartbeat import Limits


@dataclass(frozen=True)
class Squared:
    """A job that squares a number, leaves a note in a folder, and may misbehave."""

    number: int
    notes: Path
    manner: str = ""

    @property
    def key(self) -> str:
        return f"squared-{self.number}"

    def rows(self) -> list[Row]:
        with (self.notes / str(self.number)).open("a") as file:
            file.write("x")
        if self.manner == "dies":
            os._exit(7)
        if self.manner == "hangs":
            time.sleep(600)
        if self.manner == "fails":
            raise ValueError("no square")
        return [{"number": self.number, "square": self.number**2}]

    def failed(self, why: str) -> list[Row]:
        return [{"number": self.number, "square": None, "why": why}]


def done(jobs: list[Squared], folder: Path, seconds: float = 600) -> dict[int, Done]:
    limits = Limits(decision=math.inf, episode=seconds, unit="a job")
    return {each.number: each for each in do_all(jobs, folder, workers=2, limits=limits)}


def test_what_misbehaves_fails_alone_and_only_that_is_done_again(tmp_path: Path) -> None:
    jobs = [Squared(k, tmp_path, {1: "dies", 3: "fails"}.get(k, "")) for k in range(5)]
    first = done(jobs, tmp_path / "kept")
    assert [first[k].rows[0]["square"] for k in range(5)] == [0, None, 4, None, 16]
    assert first[1].failure == first[1].rows[0]["why"] == "its process ended itself (exit code 7)"
    assert first[3].failure == "ValueError: no square"
    again = done([Squared(k, tmp_path) for k in range(5)], tmp_path / "kept")
    assert [again[k].rows[0]["square"] for k in range(5)] == [0, 1, 4, 9, 16]
    assert [again[k].before for k in range(5)] == [True, False, True, False, True]
    assert [(tmp_path / str(k)).read_text() for k in range(5)] == ["x", "xx", "x", "xx", "x"]


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    found = done([Squared(1, tmp_path, "hangs")], tmp_path / "kept", seconds=0.5)
    failure = found[0].failure
    assert failure is not None
    assert failure.startswith("took longer than 0.5 s for a job (test_jobs.py, line ")


@pytest.mark.parametrize("damage", ["cut", "changed", "other"])
def test_what_is_damaged_is_done_again(tmp_path: Path, damage: str) -> None:
    job, kept = Squared(4, tmp_path), tmp_path / "kept"
    done([job], kept)
    record = kept / "squared-4.json"
    text = record.read_text()
    if damage == "other":
        done([Squared(5, tmp_path)], kept)
        text = (kept / "squared-5.json").read_text()
    record.write_text({"cut": text[:-9], "changed": text.replace("16", "61"), "other": text}[damage])
    assert done([job], kept)[0] == Done(0, [{"number": 4, "square": 16}])
    assert done([job], kept)[0].before


def test_one_at_a_time_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with lock(tmp_path / "kept"), pytest.raises(InputError, match="another run that uses it"):
        done([Squared(1, tmp_path)], tmp_path / "kept")
