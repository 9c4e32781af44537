"""The folder of a study: its owner, finished tasks, refused folders, and repairs."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import polars as pl
import pytest

from askwise.errors import InputError
from askwise.studies.pipeline import conduct
from askwise.studies.running.checksums import checksum
from askwise.studies.running.play import failed_task, play
from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.study import Study
from askwise.studies.schema.tables import SCHEMAS
from askwise.text import files
from tests.refused import assert_refused
from tests.studies.studies import files_in, finished, part, small, table_bytes

STUDY = small(methods=["never"], priors=["far"])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study, of which each test gets a copy."""
    return finished(STUDY, tmp_path_factory.mktemp("played"))


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A finished study."""
    return Path(shutil.copytree(played, tmp_path / "out"))


def test_what_lies_in_the_folder(folder: Path) -> None:
    parts = [f"parts/{name}/{k:05}.parquet" for name in SCHEMAS for k in range(6)]
    tables = [f"{name}.parquet" for name in SCHEMAS]
    assert files_in(folder) == sorted([".lock", "checksums.txt", "provenance.json", "study.json", *tables, *parts])
    about = json.loads((folder / "study.json").read_text())
    head = {"format": "askwise/study@3", "fingerprint": STUDY.fingerprint}
    assert about == {**head, **STUDY.describe(), "checksum": checksum({**head, **STUDY.describe()})}
    assert pl.read_parquet(folder / "episodes.parquet")["instance"].to_list() == [k for k in range(6) for _ in range(2)]


def test_a_study_knows_its_folder(folder: Path) -> None:
    assert Store(folder, STUDY).done() == {0, 1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("other", "changed"),
    [
        (small(methods=["never"], priors=["far"], seed=8), "seed"),
        (small(methods=["never"], name="two", title="small"), "name, priors"),
    ],
)
def test_another_studys_folder_is_refused(folder: Path, other: Study, changed: str) -> None:
    before = {name: (folder / name).read_bytes() for name in files_in(folder)}
    assert_refused(
        lambda: run_study(other, folder),
        f"folder {str(folder)!r}: found the results of another study, 'small', which differs in {changed}; expected "
        "an empty folder, or the folder of this study (--out DIR chooses another)",
    )
    assert {name: (folder / name).read_bytes() for name in files_in(folder)} == before


def test_a_folder_is_claimed_by_who_has_the_lock(tmp_path: Path) -> None:
    # Both find the folder empty; the second must not overwrite the study of the first.
    first, second = Store(tmp_path, STUDY), Store(tmp_path, small())
    with first.locked():
        assert_refused(
            lambda: second.locked().__enter__(),
            f"folder {str(tmp_path)!r}: found another run that uses it; expected a folder that no other run uses",
        )
    with pytest.raises(InputError, match="the results of another study"), second.locked():
        pass
    assert json.loads((tmp_path / "study.json").read_text())["fingerprint"] == STUDY.fingerprint


def test_the_lock_may_be_taken_again_by_who_has_it_and_is_free_afterwards(tmp_path: Path) -> None:
    store = Store(tmp_path, STUDY)
    with store.locked(), store.locked():
        pass
    with Store(tmp_path, STUDY).locked():
        pass
    # The lock file of a dead run does not lock the folder.
    (tmp_path / ".lock").write_text("12345")
    with store.locked():
        pass


def test_many_that_want_the_lock_at_once_get_it_one_by_one(tmp_path: Path) -> None:
    inside, most, refused = [0], [0], [0]
    gate = threading.Barrier(8)

    def enter() -> None:
        gate.wait()
        for _ in range(50):
            try:
                with Store(tmp_path, STUDY).locked():
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    inside[0] -= 1
            except InputError:
                refused[0] += 1

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1


# -- other files and folders -----------------------------------------------------------------------------------------


def test_parts_that_are_missing_are_played_again(folder: Path) -> None:
    before = table_bytes(folder)
    part(folder, 2, "queries").unlink()
    part(folder, 4).unlink()
    ran = run_study(STUDY, folder)
    assert (ran.before, ran.played) == (4, 2)
    assert [(each.path, each.why) for each in ran.damaged] == [
        (part(folder, 4), "it is missing"),
        (part(folder, 2, "queries"), "it is missing"),
    ]
    ran.store.combine()
    assert table_bytes(folder) == before


def test_files_of_others_are_left_alone(folder: Path) -> None:
    strangers = ["parts/episodes/00003 (copy).parquet", "parts/episodes/3.parquet", "parts/episodes/1e3.parquet"]
    strangers += ["parts/episodes/00099.parquet", ".hidden.json", "notes.txt", "parts/queries/.x.parquet"]
    for name in strangers:
        (folder / name).write_text("mine")
    ran = run_study(STUDY, folder)
    assert (ran.before, ran.played) == (6, 0)
    ran.store.combine()
    assert all((folder / name).read_text() == "mine" for name in strangers)


def test_what_a_dead_run_left_half_written_is_cleared_away(folder: Path) -> None:
    (folder / "figures").mkdir()
    names = files_in(folder)
    for place in ("parts/episodes", "parts/queries", "parts/timings", "parts/expected", "figures", "."):
        for ending in (".parquet", ".json", ".csv", ".svg", ".html", ""):
            (folder / place / f".askwise-0123456789ab{ending}").write_text("half")
    assert run_study(STUDY, folder).played == 0
    assert files_in(folder) == names


def test_clearing_away_catches_what_is_really_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as after a process that died between writing and renaming
    store = Store(tmp_path, STUDY)
    played = play(STUDY.task(0))
    with monkeypatch.context() as dying:
        dying.setattr(Path, "replace", lambda *_: os.strerror(1 // 0))
        dying.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(ZeroDivisionError):
            store.write(played)
        with pytest.raises(ZeroDivisionError):
            store.write_json("provenance.json", {})
        with pytest.raises(ZeroDivisionError):
            store.combine()
    assert len(files_in(tmp_path)) > 3
    assert store.done() == set()
    with store.locked():
        store.clear()
    assert files_in(tmp_path) == [".lock", "checksums.txt", "study.json"]


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name, why in (("file", "file exists"), ("file/below", "not a directory")):
        path = str(tmp_path / name)
        assert_refused(
            lambda path=path: Store(path, STUDY),  # type: ignore[misc]
            f"folder {path!r}: found {why}; expected a folder that can be written to",
        )


def test_a_lock_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    assert_refused(
        lambda: run_study(STUDY, tmp_path),
        f"folder {str(tmp_path)!r}: found a folder, not a file; expected a folder that can be written to",
    )


@pytest.mark.parametrize("name", ["a[b]", "star*", "prior=far", "what?", "日本", "a b", "{x}", "~", "s3:"])
def test_odd_names_of_folders_mean_themselves(
    tmp_path: Path, played: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = Path(name) / "out"
    out.parent.mkdir()
    shutil.copytree(played, out)
    ran = run_study(STUDY, out)
    assert ran.played == 0
    ran.store.combine()
    assert ran.store.scan("episodes").collect().height == 12
    assert ran.store.table("episodes").height == 12
    assert ran.store.failed() == set()
    assert table_bytes(out) == table_bytes(played)


def test_a_neighbour_whom_the_folders_name_would_match_as_a_pattern(tmp_path: Path, played: Path) -> None:
    neighbour = small(methods=["never"], priors=["far"], seed=8, instances={"count": 2, "size": 4, "stations": 3})
    finished(neighbour, tmp_path / "x1")
    shutil.copytree(played, tmp_path / "x[1]")
    done = conduct(STUDY, tmp_path / "x[1]")
    assert done.analysis.tables.episodes.height == 12
    assert done.analysis.tables.episodes["instance"].n_unique() == 6


def test_no_parts_make_empty_tables(tmp_path: Path) -> None:
    store = Store(tmp_path, STUDY)
    store.combine()
    assert pl.read_parquet(tmp_path / "episodes.parquet").height == 0
    assert pl.read_parquet(tmp_path / "queries.parquet").columns[-1] == "value"


def test_tasks_with_errors_are_known(tmp_path: Path) -> None:
    store = Store(tmp_path, STUDY)
    with store.locked():
        store.write(play(STUDY.task(0)))
        store.write(failed_task(STUDY.task(2), "gone"))
    assert (store.done(), store.failed()) == ({0, 2}, {2})


def test_all_that_a_study_writes_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[int] = set()
    fsync = os.fsync

    def watched(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    conduct(STUDY, tmp_path)
    written = [path for path in (tmp_path, *tmp_path.rglob("*")) if path.name not in (".lock", "parts")]
    assert [path for path in written if path.stat().st_ino not in synced] == []
    assert {"report.html", "study.json", "summary.csv", "figures"} <= {path.name for path in written}


def test_names_of_parts_are_synced_when_a_run_lets_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(files, "sync_names", synced.append)
    store = Store(tmp_path, STUDY)
    with store.locked():
        synced.clear()
        store.write(play(STUDY.task(0)))
        assert synced == []
    assert sorted(synced) == sorted(tmp_path / "parts" / name for name in SCHEMAS)
    synced.clear()
    with store.locked():
        pass
    assert synced == []
