"""Damaged parts and tables are named, and their instances are played again."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from askwise.errors import InputError
from askwise.studies import pipeline
from askwise.studies.running.checksums import Damaged
from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.tables import SCHEMAS
from tests.refused import assert_refused
from tests.studies.studies import files_in, finished, part, small, table_bytes

STUDY = small(methods=["never", "toolbox"], priors=["far"], bounds=1)
OTHER = small(methods=["never", "toolbox"], priors=["far"], bounds=1, seed=8)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study, of which each test gets a copy."""
    return finished(STUDY, tmp_path_factory.mktemp("played"))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same study with another seed."""
    return finished(OTHER, tmp_path_factory.mktemp("other"))


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A finished study."""
    return Path(shutil.copytree(played, tmp_path / "out"))


def flip(path: Path, at: float, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[int(at * len(data))] ^= 1 << bit
    path.write_bytes(data)


def in_place_of(path: Path, put: Callable[[Path], object]) -> None:
    path.unlink()
    put(path)


def swap(path: Path) -> None:
    path.write_bytes(path.with_name("00001.parquet").read_bytes()[:50] + b"PAR1")


def endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


CHECKSUM, CUT_OFF, LONG = "its checksum is wrong", "it is cut off", "it is too long"

DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a bit in a value": (lambda path: flip(path, 0.1), CHECKSUM),
    "a bit in the description": (lambda path: flip(path, 0.9, 3), CHECKSUM),
    "the last bit": (lambda path: flip(path, 0.99999, 7), CHECKSUM),
    "nothing in it": (lambda path: path.write_bytes(b""), "it is empty"),
    "seven bytes": (lambda path: path.write_bytes(b"PAR1PAR"), CUT_OFF),
    "zero bytes": (lambda path: path.write_bytes(bytes(len(path.read_bytes()))), CHECKSUM),
    "garbage": (lambda path: path.write_bytes(b"garbage" * 40_000), LONG),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-20]), CUT_OFF),
    "a byte too many": (lambda path: path.write_bytes(path.read_bytes() + b"\0"), LONG),
    "mixed up": (swap, CUT_OFF),
    "endless": (endless, LONG),
    "another table": (lambda path: pl.DataFrame({"a": [1]}).write_parquet(path), CUT_OFF),
    "missing": (Path.unlink, "it is missing"),
    "a pipe": (lambda path: in_place_of(path, os.mkfifo), "a pipe"),
    "a link to nothing": (lambda path: in_place_of(path, lambda p: p.symlink_to("none")), "it is missing"),
    "a link to itself": (
        lambda path: in_place_of(path, lambda p: p.symlink_to(p.name)),
        "too many levels of symbolic links",
    ),
    "a link to a device": (lambda path: in_place_of(path, lambda p: p.symlink_to("/dev/zero")), "a device"),
}


@pytest.mark.parametrize(("number", "damage"), list(enumerate(DAMAGE)), ids=DAMAGE)
def test_damaged_parts_are_named_and_cleared_away(folder: Path, number: int, damage: str) -> None:
    path = part(folder, 3, list(SCHEMAS)[number % len(SCHEMAS)])
    break_it, why = DAMAGE[damage]
    break_it(path)
    store = Store(folder, STUDY)
    with store.locked():
        assert store.clear() == [Damaged(path, why)]
        assert store.done() == {0, 1, 2, 4, 5}
        assert store.clear() == []
    assert not os.path.lexists(path)


def test_what_is_damaged_is_played_again(folder: Path, played: Path) -> None:
    told: list[Damaged] = []
    for k, name in enumerate(SCHEMAS):
        flip(part(folder, k, name), 0.5)
    ran = run_study(STUDY, folder, on_damage=told.append)
    assert (ran.before, ran.played) == (2, 4)
    assert [each.path for each in ran.damaged] == [part(folder, k, name) for k, name in enumerate(SCHEMAS)]
    assert told == list(ran.damaged)
    assert str(told[0]) == (f"{part(folder, 0)} is damaged (its checksum is wrong): its instance is played again")
    ran.store.combine()
    assert table_bytes(folder) == table_bytes(played)
    assert run_study(STUDY, folder).damaged == ()


# -- sound, but in the wrong place -----------------------------------------------------------------------------------


def test_a_part_in_the_place_of_another_is_seen(folder: Path, played: Path, other: Path) -> None:
    shutil.copy(part(folder, 1), part(folder, 0))
    shutil.copy(part(folder, 2, "episodes"), part(folder, 2, "timings"))
    shutil.copy(part(other, 3), part(folder, 3))
    shutil.copy(folder / "episodes.parquet", part(folder, 4))
    sizes = [part(played, 3).stat().st_size, part(other, 3).stat().st_size]
    other_study = CHECKSUM if sizes[0] == sizes[1] else CUT_OFF if sizes[1] < sizes[0] else LONG
    ran = run_study(STUDY, folder)
    assert {each.path: each.why for each in ran.damaged} == {
        part(folder, 0): "it is a copy of parts/episodes/00001.parquet",
        part(folder, 2, "timings"): "it is a copy of parts/episodes/00002.parquet",
        part(folder, 3): other_study,
        part(folder, 4): "it is a copy of episodes.parquet",
    }
    ran.store.combine()
    assert table_bytes(folder) == table_bytes(played)


def test_columns_of_another_version_are_played_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = {**SCHEMAS, "timings": {**SCHEMAS["timings"], "energy": pl.Float64}}
    monkeypatch.setattr("askwise.studies.running.store.SCHEMAS", later)
    store = Store(folder, STUDY)
    with store.locked():
        whys = {each.why for each in store.clear()}
    assert whys == {"its columns are those of another version of askwise"}
    assert store.done() == set()


# -- the manifest ----------------------------------------------------------------------------------------------------


def lines_of(folder: Path) -> list[str]:
    return (folder / "checksums.txt").read_text().splitlines(keepends=True)


def test_a_damaged_line_of_the_manifest_is_named_and_its_instance_played_again(folder: Path, played: Path) -> None:
    lines = lines_of(folder)
    at = next(k for k, line in enumerate(lines) if line.endswith(" parts/queries/00002.parquet\n"))
    lines[at] = lines[at].replace("00002", "00003")
    (folder / "checksums.txt").write_text("".join(lines))
    ran = run_study(STUDY, folder)
    assert ran.played == 1
    unlisted = "checksums.txt does not list it"
    assert [(each.path.name, each.why, each.cure) for each in ran.damaged] == [
        ("checksums.txt", "1 line is not as written", "it is written again"),
        ("00002.parquet", unlisted, "its instance is played again"),
    ]
    ran.store.combine()
    assert table_bytes(folder) == table_bytes(played)
    assert run_study(STUDY, folder).damaged == ()


@pytest.mark.parametrize("left", [0, 1, 2, 3, 4])
def test_a_run_that_was_killed_while_it_wrote_is_continued(folder: Path, played: Path, left: int) -> None:
    """Some parts of a task exist, but the manifest has no line about them, or half a line."""
    lines = [line for line in lines_of(folder) if "/00002.parquet" not in line]
    torn = lines_of(folder)[1][:40] if left % 2 else ""
    (folder / "checksums.txt").write_text("".join(lines) + torn)
    for name in list(SCHEMAS)[left:]:
        part(folder, 2, name).unlink()
    ran = run_study(STUDY, folder)
    assert ran.played == 1
    assert [str(each) for each in ran.damaged] == [
        f"{part(folder, 2, name)} is unfinished (its run was interrupted): its instance is played again"
        for name in list(SCHEMAS)[:left]
    ]
    ran.store.combine()
    assert table_bytes(folder) == table_bytes(played)
    assert run_study(STUDY, folder).damaged == ()


@pytest.mark.parametrize("text", [None, "", "garbage\n", "\0" * 100])
def test_results_without_a_manifest_are_refused_and_left_alone(folder: Path, text: str | None) -> None:
    (folder / "checksums.txt").unlink()
    if text is not None:
        (folder / "checksums.txt").write_text(text)
    before = {name: (folder / name).read_bytes() for name in files_in(folder)}
    found = "no checksums.txt" if text is None else "no intact line in checksums.txt"
    assert_refused(
        lambda: run_study(STUDY, folder),
        f"folder {str(folder)!r}: found {found}; expected the file that askwise wrote with the results, or an "
        "empty folder (--out DIR)",
    )
    assert {name: (folder / name).read_bytes() for name in files_in(folder)} == before


# -- damage that comes later -----------------------------------------------------------------------------------------


def test_damage_is_named_when_the_tables_are_put_together(folder: Path, played: Path) -> None:
    store = Store(folder, STUDY)
    flip(part(folder, 3, "queries"), 0.3)
    path = part(folder, 3, "queries")
    message = (
        f"file {str(path)!r}: found damage (its checksum is wrong); expected an intact file "
        "(run the same command again to repair)"
    )
    assert_refused(store.combine, message)
    assert_refused(lambda: store.scan("queries"), message)
    assert table_bytes(folder) == table_bytes(played)
    assert not [name for name in files_in(folder) if Path(name).name.startswith(".askwise")]


def test_damage_is_named_when_failures_are_looked_for(folder: Path) -> None:
    flip(part(folder, 3), 0.3)
    with pytest.raises(InputError, match=r"00003\.parquet': found damage \(its checksum is wrong\)"):
        Store(folder, STUDY).failed()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_damaged_table_is_not_analysed(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    combine = Store.combine

    def combine_and_flip(store: Store) -> None:
        combine(store)
        flip(folder / f"{name}.parquet", 0.4)

    monkeypatch.setattr(Store, "combine", combine_and_flip)
    with pytest.raises(InputError) as caught:
        pipeline.conduct(STUDY, folder)
    assert str(caught.value).startswith(f"file {str(folder / name)!r}"[:-1] + ".parquet': found damage (its checksum")
    assert not (folder / "report.html").exists()


def test_a_table_of_another_study_is_not_analysed(folder: Path, other: Path) -> None:
    shutil.copy(other / "episodes.parquet", folder / "episodes.parquet")
    with pytest.raises(InputError, match=r"found damage \((its checksum is wrong|it is cut off|it is too long)\)"):
        Store(folder, STUDY).table("episodes")


# -- what is not touched ---------------------------------------------------------------------------------------------


def test_a_folder_in_the_place_of_a_part_is_named(folder: Path) -> None:
    part(folder, 3).unlink()
    part(folder, 3).mkdir()
    assert_refused(
        lambda: run_study(STUDY, folder),
        f"file {str(part(folder, 3))!r}: found a folder, not a file; expected a place that can be written to, in which "
        "askwise alone writes",
    )


def test_a_part_that_may_not_be_read_is_named_and_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def forbidden(path: Path, *arguments: int) -> int:
        if path == part(folder, 3):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments)

    monkeypatch.setattr(os, "open", forbidden)
    message = f"file {str(part(folder, 3))!r}: found permission denied; expected a file that can be read"
    assert_refused(lambda: run_study(STUDY, folder), message)
    assert_refused(lambda: Store(folder, STUDY).failed(), message)
    assert part(folder, 3).exists()


def test_a_sound_part_behind_a_link_is_a_part(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.parquet"
    part(folder, 3).rename(elsewhere)
    part(folder, 3).symlink_to(elsewhere)
    assert run_study(STUDY, folder).played == 0


def test_a_socket_in_the_place_of_a_part_is_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(part(folder, 3).parent)  # the path of a socket must be short
    Path("00003.parquet").unlink()
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("00003.parquet")
        assert [each.why for each in run_study(STUDY, folder).damaged] == ["a socket"]
