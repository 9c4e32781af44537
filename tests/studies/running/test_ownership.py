"""The owner of a folder without an intact `study.json`: results prove it, or no file is changed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from askwise.errors import InputError
from askwise.studies.pipeline import stored_tasks
from askwise.studies.running.checksums import Corrupt, Damaged, read_record, write_record
from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from tests.refused import assert_refused
from tests.studies.studies import files_in, finished, part, small

STUDY = small(methods=["never"], priors=["far"])
OTHER = small(methods=["never"], priors=["far"], seed=8)
WANTED = "; expected an empty folder, or the folder of this study (--out DIR chooses another)"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study, of which each test gets a copy."""
    return finished(STUDY, tmp_path_factory.mktemp("played"))


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A finished study."""
    return Path(shutil.copytree(played, tmp_path / "out"))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_in(folder)}


DAMAGED: dict[str, tuple[bytes, str]] = {
    "cut off": (
        b"{",
        "line 1, column 2: something that is not JSON (Expecting property name enclosed in double quotes)",
    ),
    "a list": (b"[1]", "it is not a JSON object"),
    "no text": (b"\xff", "file: bytes that are not UTF-8 text"),
    "no checksum": (b'{"format": "askwise/study@3"}', "it has no checksum"),
    "another checksum": (b'{"format": "askwise/study@3", "checksum": "12"}', "its checksum is wrong"),
    "nested": (b"[" * 100_000, "file: JSON nested too deeply"),
}


# -- study.json ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "why"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_claim_is_written_again_if_the_results_prove_it(folder: Path, data: bytes, why: str) -> None:
    before = contents(folder)
    (folder / "study.json").write_bytes(data)
    ran = run_study(STUDY, folder)
    assert (ran.played, ran.damaged) == (0, (Damaged(folder / "study.json", why, "it is written again"),))
    assert contents(folder) == before
    assert run_study(STUDY, folder).damaged == ()


def test_a_setting_that_was_changed_in_the_claim_is_damage(folder: Path) -> None:
    before = contents(folder)
    text = (folder / "study.json").read_text()
    (folder / "study.json").write_text(text.replace('"seed": 7', '"seed": 5'))
    assert [each.why for each in run_study(STUDY, folder).damaged] == ["its checksum is wrong"]
    assert contents(folder) == before


@pytest.mark.parametrize("version", [1, 2])
def test_a_damaged_number_of_the_format_does_not_make_it_an_earlier_one(folder: Path, version: int) -> None:
    text = (folder / "study.json").read_text()
    (folder / "study.json").write_text(text.replace("askwise/study@3", f"askwise/study@{version}"))
    assert [each.why for each in run_study(STUDY, folder).damaged] == ["its checksum is wrong"]


def test_a_lost_claim_is_written_again_if_the_results_prove_it(folder: Path) -> None:
    before = contents(folder)
    (folder / "study.json").unlink()
    part(folder, 2).write_bytes(b"damaged as well")
    assert run_study(STUDY, folder).played == 1
    # runs and times differ
    changed = {name for name, data in contents(folder).items() if data != before[name]}
    assert changed <= {"provenance.json", "parts/timings/00002.parquet", "checksums.txt"}


@pytest.mark.parametrize("claim", [None, b"{"], ids=["lost", "damaged"])
def test_results_of_another_seed_are_not_taken_for_ones_own(folder: Path, claim: bytes | None) -> None:
    (folder / "study.json").unlink()
    if claim is not None:
        (folder / "study.json").write_bytes(claim)
    before = contents(folder)
    lost = "no study.json" if claim is None else f"a damaged study.json ({DAMAGED['cut off'][1]})"
    assert_refused(
        lambda: run_study(OTHER, folder),
        f"folder {str(folder)!r}: found {lost} and results of another study (checksums.txt){WANTED}",
    )
    assert contents(folder) == before
    assert run_study(STUDY, folder).played == 0, "and its owner still gets it back"


def test_results_that_prove_nothing_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "episodes.parquet").write_text("somebody's own")
    assert_refused(
        lambda: run_study(STUDY, tmp_path),
        f"folder {str(tmp_path)!r}: found no study.json and results of an unknown study{WANTED}",
    )
    assert (tmp_path / "episodes.parquet").read_text() == "somebody's own"


def test_a_claim_without_any_results_is_claimed_anew(tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text("{")
    ran = run_study(STUDY, tmp_path)
    assert (ran.played, len(ran.damaged)) == (6, 1)


@pytest.mark.parametrize("version", [1, 2])
def test_a_folder_of_an_earlier_version_is_left_alone(folder: Path, version: int) -> None:
    about = {"format": f"askwise/study@{version}", "fingerprint": STUDY.fingerprint, **STUDY.describe()}
    if version == 1:  # that format had no checksums
        (folder / "study.json").write_text(json.dumps(about))
    else:
        write_record(folder / "study.json", about)
    before = contents(folder)
    assert_refused(
        lambda: run_study(STUDY, folder),
        f"folder {str(folder)!r}: found results of an earlier version of askwise, without the checksums of its "
        "parts in checksums.txt; expected an empty folder (--out DIR chooses another), or that version to continue "
        "them",
    )
    assert contents(folder) == before


def test_a_folder_of_a_later_version_is_left_alone(folder: Path) -> None:
    write_record(folder / "study.json", {"format": "askwise/study@4", "fingerprint": STUDY.fingerprint})
    assert_refused(
        lambda: run_study(STUDY, folder),
        f"folder {str(folder)!r}: found results in the format 'askwise/study@4'; expected 'askwise/study@3'",
    )


@pytest.mark.parametrize("name", ["study.json", "provenance.json"])
def test_a_pipe_in_the_place_of_a_record_is_not_waited_for(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)
    if name == "study.json":
        assert_refused(
            lambda: run_study(STUDY, folder),
            f"file {str(folder / name)!r}: found a pipe; expected an ordinary file, or a new name",
        )
    else:
        assert [each.why for each in run_study(STUDY, folder).damaged] == ["a pipe"]


def test_how_many_tasks_are_stored_is_known_without_waiting(folder: Path) -> None:
    assert stored_tasks(STUDY, folder) == 6
    assert stored_tasks(OTHER, folder) == 0
    (folder / "study.json").write_text("{")
    assert stored_tasks(STUDY, folder) == 0
    assert stored_tasks(STUDY, folder / "none") == 0
    assert not (folder / "none").exists()


# -- provenance.json -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "why"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_of_earlier_runs_is_kept_aside(folder: Path, data: bytes, why: str) -> None:
    (folder / "provenance.json").write_bytes(data)
    part(folder, 0).unlink()
    kept = "it is renamed to provenance.damaged-1.json, and a new one is written"
    ran = run_study(STUDY, folder)
    assert ran.damaged == (
        Damaged(folder / "provenance.json", why, kept),
        Damaged(part(folder, 0), "it is missing"),
    )
    assert (folder / "provenance.damaged-1.json").read_bytes() == data
    assert len(ran.store.previous_runs()) == 1
    (folder / "provenance.json").write_bytes(data)
    assert "provenance.damaged-2.json" in run_study(STUDY, folder).damaged[0].cure


def test_a_record_that_is_damaged_during_a_run_is_named(folder: Path) -> None:
    (folder / "provenance.json").write_text("{}")
    with pytest.raises(InputError, match=r"provenance\.json': found damage \(it has no checksum\)"):
        Store(folder, STUDY).previous_runs()


@pytest.mark.parametrize("data", [{"a": "\udcff"}, {"a": "\ud83d\ude00"}, {"a": "😀", "b": 0.1, "c": [None, True]}, {}])
def test_records_come_back_as_they_were(tmp_path: Path, data: dict[str, Any]) -> None:
    path = tmp_path / "record.json"
    write_record(path, data)
    assert json.dumps(read_record(path)) == json.dumps(data)
    assert read_record(tmp_path / "none.json") is None


def test_every_bit_of_a_record_counts_or_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    said = {"seed": 7, "cost": 1e-05, "name": "é", "runs": [{"ended": None}]}
    write_record(path, said)
    data = path.read_bytes()
    for at in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        path.write_bytes(flipped)
        try:
            assert read_record(path) == said
        except Corrupt:
            continue
