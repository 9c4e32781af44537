"""Seals: ordinary Parquet files in which no byte changes unnoticed."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from askwise.studies.running.sealed import (
    AFTER,
    MAGIC,
    Broken,
    Label,
    check,
    columns_in_short,
    label_of,
    read,
    seal,
)
from askwise.studies.schema.tables import SCHEMAS

LABEL = Label("0123456789abcdef", "episodes", 3, "89abcdef")
TABLE = pl.DataFrame({"instance": [1, 2, 3], "goal": ["a", None, "PAR1askwise1"], "goals": [["x"], [], ["y", "z"]]})


def sealed(label: Label = LABEL, table: pl.DataFrame = TABLE) -> bytes:
    memory = io.BytesIO()
    table.write_parquet(memory)
    seal(memory, label)
    return memory.getvalue()


def why(data: bytes, label: Label = LABEL) -> str | None:
    try:
        check(io.BytesIO(data), label)
    except Broken as broken:
        return str(broken)
    return None


def test_what_is_sealed_is_found_sound_and_says_what_it_is() -> None:
    assert why(sealed()) is None
    assert label_of(io.BytesIO(sealed())) == LABEL


def test_sealed_files_are_ordinary_parquet(tmp_path: Path) -> None:
    (tmp_path / "table.parquet").write_bytes(sealed())
    assert pl.read_parquet(tmp_path / "table.parquet").equals(TABLE)
    assert pl.scan_parquet(tmp_path / "table.parquet").filter(instance=2).collect().height == 1
    assert pl.read_parquet(read(tmp_path / "table.parquet", LABEL)).equals(TABLE)


def test_the_same_table_gets_the_same_seal_in_memory_and_in_a_file(tmp_path: Path) -> None:
    assert sealed() == sealed()
    path = tmp_path / "table.parquet"
    TABLE.write_parquet(path)
    with path.open("r+b") as file:
        seal(file, LABEL)
    assert path.read_bytes() == sealed()


def test_large_tables_and_empty_ones() -> None:
    for table in (TABLE.clear(), pl.DataFrame({"a": range(400_000)})):
        data = sealed(table=table)
        assert why(data) is None
        assert pl.read_parquet(io.BytesIO(data)).equals(table)
    for at in (5, len(data) // 2, len(data) - 20):
        assert why(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]) is not None


@pytest.mark.parametrize(
    ("label", "found"),
    [
        (Label("fedcba9876543210", "episodes", 3), "it belongs to another study"),
        (Label("0123456789abcdef", "queries", 3), "it is task 3 of queries"),
        (Label("0123456789abcdef", "episodes", 4), "it is task 4 of episodes"),
        (Label("0123456789abcdef", "episodes"), "it is the whole table of episodes"),
        (replace(LABEL, columns="01234567"), "its columns are those of another version of askwise"),
    ],
)
def test_a_sound_file_in_the_wrong_place(label: Label, found: str) -> None:
    assert why(sealed(label)) == found


def test_no_bit_no_cut_and_no_addition_goes_unnoticed() -> None:
    data = sealed()
    for at in range(len(data)):
        assert why(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]) is not None, at
        assert why(data[:at]) is not None, at
        assert why(data[:at] + b"\0" + data[at:]) is not None, at


@pytest.mark.parametrize("words", [b"{}", b"[" * 999, b'{"study": 1, "table": 2, "tusk": 3}', b"\xff", b"3"])
def test_a_seal_of_another_version(words: bytes) -> None:
    class Odd(Label):
        def words(self) -> bytes:
            return words

    assert why(sealed(Odd("", ""))) == "its seal is not of this version of askwise"


def test_a_seal_that_claims_to_be_longer_than_the_file() -> None:
    data = sealed()
    at = data.rindex(AFTER.pack(bytes(32), len(LABEL.words()), MAGIC)[-10:])
    assert why(data[:at] + (60_000).to_bytes(2, "little") + data[at + 2 :]) == "it has no seal"


def test_the_words_stand_in_the_file_for_people_to_see() -> None:
    words = json.dumps({"study": "0123456789abcdef", "table": "episodes", "task": 3, "columns": "89abcdef"}).encode()
    assert sealed().count(words) == 1


def test_columns_in_short() -> None:
    assert columns_in_short(SCHEMAS["queries"]) == columns_in_short(dict(SCHEMAS["queries"]))
    assert len({columns_in_short(schema) for schema in SCHEMAS.values()}) == len(SCHEMAS)
    assert columns_in_short({"a": pl.Int32}) != columns_in_short({"a": pl.Int64})
    # If this fails, all studies that were begun before are played again; so be it if columns changed.
    assert columns_in_short({"a": pl.Int32, "b": pl.List(pl.String)}) == "36e96292"


def test_a_file_that_is_not_there_is_broken(tmp_path: Path) -> None:
    with pytest.raises(Broken, match=r"^no such file or directory$"):
        read(tmp_path / "none", LABEL)
