"""The folder of a study: whose it is, what counts as done, what is refused and what is put right."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from askwise.errors import InputError
from askwise.experiments.running.play import failed, play
from askwise.experiments.running.run import run_study
from askwise.experiments.running.store import Store
from askwise.experiments.schema.study import Study
from askwise.experiments.schema.tables import SCHEMAS
from tests.experiments.studies import files_in, small, table_bytes
from tests.refused import assert_refused

STUDY = small(methods=["never"], priors=["far"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished study."""
    run_study(STUDY, tmp_path / "out").store.combine()
    return tmp_path / "out"


def part(folder: Path, index: int, name: str = "episodes") -> Path:
    return folder / "parts" / name / f"{index:05}.parquet"


def test_what_lies_in_the_folder(folder: Path) -> None:
    parts = [f"parts/{name}/{k:05}.parquet" for name in SCHEMAS for k in range(6)]
    tables = [f"{name}.parquet" for name in SCHEMAS]
    assert files_in(folder) == sorted([".lock", "provenance.json", "study.json", *tables, *parts])
    about = json.loads((folder / "study.json").read_text())
    assert about == {"format": "askwise/study@1", "fingerprint": STUDY.fingerprint, **STUDY.describe()}
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
        "an empty folder, or that of this very study (--out DIR chooses another)",
    )
    assert {name: (folder / name).read_bytes() for name in files_in(folder)} == before


def test_a_folder_is_claimed_by_who_has_the_lock(tmp_path: Path) -> None:
    # Both find the folder empty; the one that comes second must not write over the first one's claim.
    first, second = Store(tmp_path, STUDY), Store(tmp_path, small())
    with first.locked():
        assert_refused(
            lambda: second.locked().__enter__(),
            f"folder {str(tmp_path)!r}: found another run that is working in it; expected to be the only one there",
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
    # A lock file that a dead run left is no lock.
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


# -- files that somebody broke ---------------------------------------------------------------------------------------


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def swap(path: Path) -> None:
    path.write_bytes(path.with_name("00001.parquet").read_bytes()[:50] + b"PAR1")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "nothing in it": lambda path: path.write_bytes(b""),
    "zero bytes": lambda path: path.write_bytes(bytes(len(path.read_bytes()))),
    "garbage": lambda path: path.write_bytes(os.urandom(3000)),
    "cut off": truncate,
    "mixed up": swap,
    "another table": lambda path: pl.DataFrame({"a": [1]}).write_parquet(path),
    "rows missing": lambda path: pl.read_parquet(path).head(1).write_parquet(path),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("name", ["episodes", "queries", "timings"])
def test_damaged_parts_are_named_and_played_again(folder: Path, damage: Callable[[Path], object], name: str) -> None:
    if name != "episodes" and damage is DAMAGE["rows missing"]:
        return  # how many questions there are is for nobody to know
    before = table_bytes(folder)
    damage(part(folder, 3, name))
    ran = run_study(STUDY, folder)
    assert (ran.before, ran.played, ran.damaged) == (5, 1, (part(folder, 3, name),))
    ran.store.combine()
    assert table_bytes(folder) == before


def test_parts_that_are_missing_are_played_again(folder: Path) -> None:
    before = table_bytes(folder)
    part(folder, 2, "queries").unlink()
    part(folder, 4).unlink()
    ran = run_study(STUDY, folder)
    assert (ran.before, ran.played, ran.damaged) == (4, 2, ())
    ran.store.combine()
    assert table_bytes(folder) == before


def test_values_that_cannot_be_read_are_named_when_the_tables_are_put_together(folder: Path) -> None:
    # The description at the end of the file is whole, what it describes is not.
    path = part(folder, 3)
    data = path.read_bytes()
    path.write_bytes(data[:4] + b"\xff" * 400 + data[404:])
    store = Store(folder, STUDY)
    before = table_bytes(folder)
    with pytest.raises(InputError) as caught:
        store.combine()
    message = str(caught.value)
    assert message.startswith(f"file {str(path)!r}: found something that cannot be read (")
    assert message.endswith("); expected what askwise wrote there (remove the file, and its instance is played again)")
    assert "\n" not in message
    assert table_bytes(folder) == before


def test_a_folder_in_the_place_of_a_part_is_named(folder: Path) -> None:
    part(folder, 3).unlink()
    part(folder, 3).mkdir()
    assert_refused(
        lambda: run_study(STUDY, folder),
        f"file {str(part(folder, 3))!r}: found is a directory; expected a part of this study, or nothing",
    )


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
    names = files_in(folder)
    for name in (
        "parts/episodes/.00003.abcdefgh.parquet",
        "parts/queries/.00007.0a1b_2cd.parquet",
        ".episodes.abcdefgh.parquet",
        ".provenance.abcdefgh.json",
        ".study.abcdefgh.json",
    ):
        (folder / name).write_text("half")
    assert run_study(STUDY, folder).played == 0
    assert files_in(folder) == names


def test_clearing_away_catches_what_is_really_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As if the process had died between writing and renaming.
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
    assert files_in(tmp_path) == [".lock", "study.json"]


# -- other files and folders -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["study.json", "provenance.json"])
@pytest.mark.parametrize(
    ("text", "where", "found", "expected"),
    [
        ("{", ", line 1, column 2", "something that is not JSON", "one JSON object, as askwise wrote it"),
        ("[1]", ", file", "[1]", "an object, { ... }, as askwise wrote it"),
        ("\xff", "", "bytes that are not UTF-8 text", "a text file"),
    ],
)
def test_damaged_json_is_named(folder: Path, name: str, text: str, where: str, found: str, expected: str) -> None:
    (folder / name).write_bytes(text.encode("latin-1"))
    part(folder, 0).unlink()
    with pytest.raises(InputError) as caught:
        run_study(STUDY, folder)
    message = str(caught.value)
    assert message.startswith(f"file {str(folder / name)!r}{where}: found {found}")
    assert message.endswith(f"; expected {expected}")


def test_a_claim_without_fingerprint_is_refused(folder: Path) -> None:
    (folder / "study.json").write_text('{"format": "askwise/study@1"}')
    assert_refused(lambda: Store(folder, STUDY), "fingerprint: found nothing; expected this key, which is required")


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
        f"folder {str(tmp_path)!r}: found is a directory; expected a folder that can be written to",
    )


@pytest.mark.parametrize("name", ["a[b]", "star*", "prior=far", "what?", "日本", "a b", "{x}"])
def test_odd_names_of_folders_mean_themselves(tmp_path: Path, name: str) -> None:
    ran = run_study(STUDY, tmp_path / name / "out")
    ran.store.combine()
    assert ran.store.scan("episodes").collect().height == 12
    assert ran.store.failed() == set()
    assert run_study(STUDY, tmp_path / name / "out").played == 0


def test_no_parts_make_empty_tables(tmp_path: Path) -> None:
    store = Store(tmp_path, STUDY)
    store.combine()
    assert pl.read_parquet(tmp_path / "episodes.parquet").height == 0
    assert pl.read_parquet(tmp_path / "queries.parquet").columns[-1] == "value"


def test_tasks_with_errors_are_known(tmp_path: Path) -> None:
    store = Store(tmp_path, STUDY)
    store.write(play(STUDY.task(0)))
    store.write(failed(STUDY.task(2), "gone"))
    assert (store.done(), store.failed()) == ({0, 2}, {2})
