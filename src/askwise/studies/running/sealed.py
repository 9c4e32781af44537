"""Tables whose damage is seen: ordinary Parquet files with a seal in them.

A Parquet file ends with its description, the length of that, and four letters. Who reads one begins there, and goes
to each column by the place that the description gives. So between the last column and the description nobody looks,
and a seal can stand there: whatever reads Parquet reads sealed files as well.

::

    columns | words | SHA-256 | length of the words | MAGIC | description | length of the description | PAR1

The words say what the file is: of which study, which table and which task, and with which columns. The checksum is
that of everything else in the file, so no byte can change unnoticed, and no file can stand in the place of another. It
is checked before anybody looks at what the file says: readers of Parquet believe what they read, and some fall over it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from askwise.text.files import opened, reason

MAGIC = b"askwise1"
PARQUET = b"PAR1"
LONGEST_WORDS = 1000
ENDING = struct.Struct("<I4s")
"""How a Parquet file ends: the length of its description, `PARQUET`."""
AFTER = struct.Struct("<32sH8s")
"""What follows the words: the checksum, their length, `MAGIC`."""
PIECE = 1 << 20


class Broken(Exception):  # noqa: N818 - it names what happened
    """A file is not what it should be; the message says what it is, fit for the middle of a sentence."""


@dataclass(frozen=True)
class Label:
    """What a file is: a table of a study, or a task's part of it.

    Attributes:
        study: the fingerprint of the study.
        table: the name of the table.
        task: the number of the task, None for the whole table.
        columns: names and kinds of the columns in short, see `columns_in_short`; versions may differ in them.
    """

    study: str
    table: str
    task: int | None = None
    columns: str = ""

    def words(self) -> bytes:
        """Return the label as it stands in the file."""
        return json.dumps(asdict(self)).encode("ascii")

    def found_in_place_of(self, other: Label) -> str:
        """Return what is wrong when this one is where the other should be."""
        if self.study != other.study:
            return "it belongs to another study"
        if (self.table, self.task) == (other.table, other.task):
            return "its columns are those of another version of askwise"
        where = "the whole table" if self.task is None else f"task {self.task}"
        return f"it is {where} of {self.table}"


def columns_in_short(schema: Mapping[str, Any]) -> str:
    """Return a few letters that stand for the names and kinds of a table's columns."""
    named = "\n".join(f"{name}: {kind}" for name, kind in schema.items())
    return hashlib.sha256(named.encode()).hexdigest()[:8]


@dataclass(frozen=True)
class _Seal:
    """What a file's seal says, and where its checksum is."""

    words: bytes
    digest: bytes
    at: int


def seal(file: IO[bytes], label: Label) -> None:
    """Put a seal into a Parquet file that is open for reading and writing."""
    size, start = _description(file)
    file.seek(start)
    description = file.read(size - start)
    words = label.words()
    file.seek(start)
    file.write(words + AFTER.pack(bytes(32), len(words), MAGIC) + description)
    at = start + len(words)
    digest = _digest(file, at)
    file.seek(at)
    file.write(digest)


def check(file: IO[bytes], label: Label) -> None:
    """Raise `Broken` unless this is the file with that label, as it was written."""
    found = label_of(file)
    if found != label:
        raise Broken(found.found_in_place_of(label))


def label_of(file: IO[bytes]) -> Label:
    """Return the label of a file that is as it was written, else raise `Broken`."""
    found = _read_seal(file)
    if _digest(file, found.at) != found.digest:
        raise Broken("its checksum does not fit")
    try:
        return Label(**json.loads(found.words))
    except (ValueError, TypeError, RecursionError):
        raise Broken("its seal is not of this version of askwise") from None


def read(path: Path, label: Label) -> IO[bytes]:
    """Return what is in the file with that label, checked; else raise `Broken`, or `PermissionError`."""
    try:
        with opened(path) as file:
            _read_seal(file)  # first: who knows how long something else is
            file.seek(0)
            found = io.BytesIO(file.read())
    except PermissionError:
        raise
    except OSError as error:
        raise Broken(reason(error)) from None
    check(found, label)
    found.seek(0)
    return found


def _read_seal(file: IO[bytes]) -> _Seal:
    _, start = _description(file)
    end = start - AFTER.size
    if end < 0:
        raise Broken("it has no seal")
    file.seek(end)
    digest, length, magic = _unpacked(AFTER, file)
    if magic != MAGIC or length > min(end, LONGEST_WORDS):
        raise Broken("it has no seal")
    file.seek(end - length)
    return _Seal(file.read(length), digest, end)


def _description(file: IO[bytes]) -> tuple[int, int]:
    """Return the size of a Parquet file, and where its description begins."""
    size = file.seek(0, os.SEEK_END)
    if size < ENDING.size:
        raise Broken("it is empty" if size == 0 else "it is cut off")
    file.seek(size - ENDING.size)
    length, letters = _unpacked(ENDING, file)
    if letters != PARQUET or length > size - ENDING.size:
        raise Broken("it is cut off, or no table")
    return size, size - ENDING.size - length


def _unpacked(what: struct.Struct, file: IO[bytes]) -> tuple[Any, ...]:
    try:
        return what.unpack(file.read(what.size))
    except struct.error:  # somebody is cutting it off right now
        raise Broken("it is cut off") from None


def _digest(file: IO[bytes], at: int) -> bytes:
    """Return the checksum of all that is in a file, but for the place of the checksum itself."""
    found = hashlib.sha256()
    file.seek(0)
    left = at
    while left and (piece := file.read(min(PIECE, left))):
        found.update(piece)
        left -= len(piece)
    file.seek(at + len(found.digest()))
    while piece := file.read(PIECE):
        found.update(piece)
    return found.digest()
