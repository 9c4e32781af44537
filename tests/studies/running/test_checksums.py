"""The manifest of a study: every changed byte of a file or of the manifest itself is detected."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from askwise.studies.running.checksums import NAME, Corrupt, Entry, Manifest, columns_digest, read_manifest
from askwise.studies.schema.tables import SCHEMAS

STUDY, OTHER, COLUMNS = "0123456789abcdef", "fedcba9876543210", "89abcdef"
DATA = {"a.parquet": b"first" * 40, "parts/b.parquet": b"second" * 40, "c.parquet": b"third"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three files and their manifest."""
    (tmp_path / "parts").mkdir()
    manifest = Manifest(tmp_path, STUDY)
    for name, data in DATA.items():
        (tmp_path / name).write_bytes(data)
        manifest.add({name: Entry.of(io.BytesIO(data), COLUMNS)})
    return tmp_path


def found(folder: Path, study: str = STUDY) -> Manifest:
    manifest = read_manifest(folder, study)
    assert manifest is not None
    return manifest


def why(folder: Path, name: str, columns: str = COLUMNS) -> str | None:
    try:
        found(folder).check(name, columns)
    except Corrupt as corrupt:
        with pytest.raises(Corrupt, match=str(corrupt)):
            found(folder).read(name, columns)
        return str(corrupt)
    assert found(folder).read(name, columns).read() == (folder / name).read_bytes()
    return None


def test_files_as_they_were_written_are_sound(folder: Path) -> None:
    assert [why(folder, name) for name in DATA] == [None] * 3
    manifest = found(folder)
    assert (manifest.owner, manifest.damaged, manifest.torn, manifest.proves_owner) == (STUDY, 0, False, True)
    assert read_manifest(folder / "parts", STUDY) is None


def test_every_change_of_a_file_is_seen(folder: Path) -> None:
    path, data = folder / "a.parquet", DATA["a.parquet"]
    changes = {
        "its checksum is wrong": data[:7] + b"F" + data[8:],
        "it is empty": b"",
        "it is cut off": data[:-1],
        "it is too long": data + b"\0",
    }
    for expected, changed in changes.items():
        path.write_bytes(changed)
        assert why(folder, "a.parquet") == expected
    path.unlink()
    assert why(folder, "a.parquet") == "it is missing"
    path.mkdir()
    assert why(folder, "a.parquet") == "a folder, not a file"


def test_a_file_in_the_place_of_another_is_named(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path, STUDY)
    for name, data in {"a": b"one", "b": b"two"}.items():
        (tmp_path / name).write_bytes(data)
        manifest.add({name: Entry.of(io.BytesIO(data), COLUMNS)})
    (tmp_path / "a").write_bytes(b"two")
    assert why(tmp_path, "a") == "it is a copy of b"


def test_files_that_are_not_listed_and_columns_of_another_version(folder: Path) -> None:
    (folder / "d.parquet").write_bytes(b"new")
    assert why(folder, "d.parquet") == f"{NAME} does not list it"
    assert why(folder, "a.parquet", "other") == "its columns are those of another version of askwise"


def test_the_last_line_of_a_file_counts(folder: Path) -> None:
    (folder / "a.parquet").write_bytes(b"again")
    found(folder).add({"a.parquet": Entry.of(io.BytesIO(b"again"), COLUMNS)})
    assert why(folder, "a.parquet") is None
    assert len((folder / NAME).read_text().splitlines()) == 5
    found(folder).keep(["a.parquet", "c.parquet"])
    assert len((folder / NAME).read_text().splitlines()) == 3
    assert list(found(folder).entries) == ["a.parquet", "c.parquet"]


def test_every_bit_of_the_manifest_counts(folder: Path) -> None:
    """A flipped bit may lose entries, which is detected, but never changes one."""
    data, true = (folder / NAME).read_bytes(), found(folder).entries
    for at in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        (folder / NAME).write_bytes(flipped)
        manifest = found(folder)
        assert manifest.entries.items() <= true.items()
        assert manifest.damaged or manifest.torn
        assert manifest.owner in (STUDY, None)


def test_a_manifest_cut_off_anywhere_keeps_its_whole_lines(folder: Path) -> None:
    data, true = (folder / NAME).read_bytes(), found(folder).entries
    for at in range(len(data)):
        (folder / NAME).write_bytes(data[:at])
        manifest = found(folder)
        assert list(manifest.entries.items()) == list(true.items())[: max(0, data[:at].count(b"\n") - 1)]
        assert (manifest.damaged, manifest.torn) == (0, at > 0 and data[at - 1] != ord("\n"))


def test_lines_of_another_study_do_not_count(folder: Path) -> None:
    manifest = found(folder, OTHER)
    assert (manifest.owner, manifest.entries, manifest.damaged, manifest.proves_owner) == (STUDY, {}, 3, False)


def test_columns_digest() -> None:
    shortened = {columns_digest(schema) for schema in SCHEMAS.values()}
    assert len(shortened) == len(SCHEMAS)
    assert {len(each) for each in shortened} == {8}
