"""Flipped bits in all files of a study: every change is detected and repaired, without a crash.

Each bit of one part and one table of each kind is flipped in memory and compared with the manifest. One bit of each
byte is flipped on the disk, and the study is continued; some of these studies are then played to their end.
In records every bit is flipped on the disk, in the manifest one bit of each byte.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from askwise.errors import InputError
from askwise.studies.running.checksums import Corrupt, Damaged, read_manifest
from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.tables import SCHEMAS
from tests.studies.studies import files_in, finished, part, small, table_bytes

STUDY = small(
    methods=["never", "toolbox"],
    priors=["far"],
    bounds=2,
    exact={"instances": 2},
    instances={"count": 2, "size": 4, "stations": 4, "toolboxes": 1},
)
TASK = 0
"""The task whose parts are damaged; none of its parts is empty."""
PLAYED_TO_THE_END = 20
"""The number of damaged parts of each kind that are played again."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study."""
    return finished(STUDY, tmp_path_factory.mktemp("played"))


@pytest.fixture(autouse=True)
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip `fsync`: thousands of records are written, and there is no power failure here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of the finished study, to be damaged."""
    return Path(shutil.copytree(played, tmp_path / "out"))


def flipped(data: bytes, at: int, bit: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


def every_bit(data: bytes) -> Iterator[bytes]:
    return (flipped(data, at, bit) for at in range(len(data)) for bit in range(8))


def one_bit_of_each_byte(data: bytes) -> Iterator[bytes]:
    bits = random.Random(13)
    return (flipped(data, at, bits.randrange(8)) for at in range(len(data)))


Check = Callable[[bytes], bool]


def checker(folder: Path, path: Path) -> Check:
    """Return a function that returns whether bytes would count as damaged in that file."""
    manifest = read_manifest(folder, STUDY.fingerprint)
    assert manifest is not None
    name = path.relative_to(folder).as_posix()
    columns = manifest.entries[name].columns

    def is_corrupt(data: bytes) -> bool:
        try:
            manifest._check(io.BytesIO(data), name, columns)
        except Corrupt:
            return True
        return False

    return is_corrupt


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_bit_of_a_part(folder: Path, name: str) -> None:
    path = part(folder, TASK, name)
    data, is_corrupt = path.read_bytes(), checker(folder, path)
    assert not is_corrupt(data)
    assert pl.read_parquet(data).height > 0
    assert all(is_corrupt(changed) for changed in every_bit(data))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_bit_of_a_table(folder: Path, name: str) -> None:
    path = folder / f"{name}.parquet"
    data, is_corrupt = path.read_bytes(), checker(folder, path)
    assert not is_corrupt(data)
    assert all(is_corrupt(changed) for changed in every_bit(data))


@pytest.mark.parametrize("name", SCHEMAS)
def test_parts_that_are_cut_off_anywhere_or_of_which_a_piece_is_missing_or_zero(folder: Path, name: str) -> None:
    path = part(folder, TASK, name)
    data, is_corrupt = path.read_bytes(), checker(folder, path)
    moments = random.Random(13)
    for at in range(len(data)):
        assert is_corrupt(data[:at])
        assert is_corrupt(data[at + 1 :])
        end = at + moments.randint(1, 512)
        assert is_corrupt(data[:at] + data[end:])
        zero = data[:at] + bytes(len(data[at:end])) + data[end:]
        assert zero == data or is_corrupt(zero)


def test_flipped_bits_of_the_manifest(folder: Path) -> None:
    """A flipped bit costs at most the instance of its line; intact files are kept, and the manifest is repaired.

    `tests.studies.running.test_checksums` flips every bit of a small manifest.
    """
    path, kept = folder / "checksums.txt", {name: (folder / name).read_bytes() for name in files_in(folder)}
    data = path.read_bytes()
    for changed in one_bit_of_each_byte(data):
        path.write_bytes(changed)
        found = outcome(folder)
        assert not isinstance(found, str), found
        # Without its line end, the last line is incomplete. It is about a table, which every run writes again.
        assert found or changed[:-1] == data[:-1]
        assert len({each.path for each in found} - {path}) <= 2  # a damaged line end joins two lines
        assert outcome(folder) == []
        for name in {each.path.relative_to(folder).as_posix() for each in found}:
            (folder / name).write_bytes(kept[name])


@pytest.mark.parametrize("name", SCHEMAS)
def test_damaged_parts_on_the_disk_are_named_and_cleared_away(folder: Path, name: str) -> None:
    path = part(folder, TASK, name)
    data, others, manifest = path.read_bytes(), files_in(folder), (folder / "checksums.txt").read_bytes()
    others.remove(path.relative_to(folder).as_posix())
    for changed in one_bit_of_each_byte(data):
        path.write_bytes(changed)
        (folder / "checksums.txt").write_bytes(manifest)
        store = Store(folder, STUDY)
        with store.locked():
            found = store.clear()
            assert [(each.path, each.why) for each in found] == [(path, "its checksum is wrong")]
            assert store.done() == {1}
    assert files_in(folder) == others


@pytest.mark.parametrize("name", SCHEMAS)
def test_damaged_parts_are_played_again_to_the_same_tables(folder: Path, played: Path, name: str) -> None:
    path = part(folder, TASK, name)
    data, expected, choice = path.read_bytes(), table_bytes(played), random.Random(13)
    for _ in range(PLAYED_TO_THE_END):
        path.write_bytes(flipped(data, choice.randrange(len(data)), choice.randrange(8)))
        ran = run_study(STUDY, folder)
        assert (ran.played, [each.path for each in ran.damaged]) == (1, [path])
        ran.store.combine()
        assert table_bytes(folder) == expected


@pytest.mark.parametrize("name", SCHEMAS)
def test_damaged_tables_on_the_disk_are_named_and_not_analysed(folder: Path, name: str) -> None:
    path = folder / f"{name}.parquet"
    data, store = path.read_bytes(), Store(folder, STUDY)
    for changed in one_bit_of_each_byte(data):
        path.write_bytes(changed)
        with pytest.raises(InputError) as caught:
            store.table(name)
        assert str(caught.value).startswith(f"file {str(path)!r}: found damage (")
    path.write_bytes(data)
    assert store.table(name).height > 0


def outcome(folder: Path) -> list[Damaged] | str:
    """Return the files that a continued study cannot use, or the error message."""
    try:
        store = Store(folder, STUDY)
        with store.locked():
            return store.clear()
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("name", ["study.json", "provenance.json"])
def test_every_bit_of_a_record(folder: Path, name: str) -> None:
    path = folder / name
    data, names = path.read_bytes(), files_in(folder)
    for changed in every_bit(data):
        path.write_bytes(changed)
        found = outcome(folder)
        assert not isinstance(found, str), found
        if not found:  # another spelling of the same JSON, such as E for e
            assert json.loads(changed) == json.loads(data)
            continue
        assert [each.path for each in found] == [path]
        if name == "study.json":
            assert path.read_bytes() == data
            continue
        kept = folder / "provenance.damaged-1.json"
        assert kept.read_bytes() == changed
        kept.unlink()
    path.write_bytes(data)
    assert files_in(folder) == names
    assert Store(folder, STUDY).done() == {0, 1}
