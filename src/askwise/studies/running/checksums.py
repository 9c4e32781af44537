"""The manifest of a study's folder: size and SHA-256 of every table and part, in one text file that checks itself.

::

    0f3a...  askwise/checksums@1 4be1...                                  the format and the fingerprint of the study
    77c2...  9d01... 5120 1b2c3d4e parts/episodes/00042.parquet          SHA-256, bytes, columns, name

Each line begins with a checksum of the study's fingerprint and the rest of the line. A changed line, or one of another
study, therefore does not count; the file that it describes is then not listed, and its instance is played again.
Lines are only appended, after their files are on the disk. If a file has several lines, the last one counts. A run
that is killed while it appends leaves half a line, which does not count either.

What was found damaged in the folder of a study, and what became of it.

The JSON files of a study's folder: `study.json` and `provenance.json`, each with a checksum of what it says.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from askwise.errors import InputError
from askwise.text.data import parse_json
from askwise.text.files import decode, opened, reason, whole_file

FORMAT = "askwise/checksums@1"
NAME = "checksums.txt"
SHORT = 16
"""Letters of the checksum of a line."""
CHUNK = 1 << 20


class Corrupt(Exception):  # noqa: N818 - it names what happened
    """A file is not as askwise wrote it; the message says why, as part of a sentence."""


@dataclass(frozen=True)
class Entry:
    """What the manifest says about one file.

    Attributes:
        digest: the SHA-256 of its bytes, in hexadecimal.
        size: how many bytes it has.
        columns: names and types of its columns, as `columns_in_short` shortens them.
    """

    digest: str
    size: int
    columns: str

    @classmethod
    def of(cls, file: IO[bytes], columns: str) -> Entry:
        """Return the entry of an open file."""
        return cls(_digest(file), file.tell(), columns)


def columns_in_short(schema: Mapping[str, Any]) -> str:
    """Return a short checksum of the names and types of a table's columns."""
    named = "\n".join(f"{name}: {kind}" for name, kind in schema.items())
    return hashlib.sha256(named.encode()).hexdigest()[:8]


@dataclass
class Manifest:
    """The checksums of a study's files, as read from the manifest.

    Attributes:
        folder: the folder of the study.
        study: the fingerprint of the study.
        entries: what is known about each file, by its name in the folder.
        owner: the fingerprint in the first line, None if there is no such line.
        damaged: how many lines are not as they were written.
        torn: whether the last line is incomplete, as after a run that was killed.
    """

    folder: Path
    study: str
    entries: dict[str, Entry] = field(default_factory=dict)
    owner: str | None = None
    damaged: int = 0
    torn: bool = False

    @property
    def path(self) -> Path:
        """The manifest itself."""
        return self.folder / NAME

    @property
    def proves_owner(self) -> bool:
        """Whether at least one line is of this study."""
        return bool(self.entries) or self.owner == self.study

    # -- checking ----------------------------------------------------------------------------------------------------

    def check(self, name: str, columns: str) -> None:
        """Raise `Corrupt` unless a file is as it was written, with these columns; `PermissionError` if it is locked."""
        try:
            with opened(self.folder / name) as file:
                self._check(file, name, columns)
        except PermissionError:
            raise
        except FileNotFoundError:
            raise Corrupt("it is missing") from None
        except OSError as error:
            raise Corrupt(reason(error)) from None

    def read(self, name: str, columns: str) -> IO[bytes]:
        """Return the bytes of a file once they are checked; raise as `check` does."""
        try:
            with opened(self.folder / name) as file:
                entry = self._sized(file, name)
                found = io.BytesIO(file.read(entry.size))
        except PermissionError:
            raise
        except FileNotFoundError:
            raise Corrupt("it is missing") from None
        except OSError as error:
            raise Corrupt(reason(error)) from None
        self._check(found, name, columns)
        found.seek(0)
        return found

    def _check(self, file: IO[bytes], name: str, columns: str) -> None:
        entry = self._sized(file, name)
        if _digest(file) != entry.digest:
            raise Corrupt(self._copied(file, entry.size) or "its checksum does not fit")
        if entry.columns != columns:
            raise Corrupt("its columns are those of another version of askwise")

    def _sized(self, file: IO[bytes], name: str) -> Entry:
        """Return the entry of a file of the right size: others are not read, they could be endless."""
        entry = self.entries.get(name)
        if entry is None:
            raise Corrupt(f"{NAME} does not list it, as after a run that was killed")
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if size != entry.size:
            short = "it is empty" if size == 0 else "it is cut off"
            raise Corrupt(self._copied(file, size) or (short if size < entry.size else "it is too long"))
        return entry

    def _copied(self, file: IO[bytes], size: int) -> str | None:
        """Return which other file of the study this one is a copy of, in a few words; None if it is no copy."""
        same = {known.digest: name for name, known in self.entries.items() if known.size == size}
        name = same.get(_digest(file)) if same else None
        return None if name is None else f"it is a copy of {name}"

    # -- writing -----------------------------------------------------------------------------------------------------

    def add(self, entries: Mapping[str, Entry]) -> None:
        """Append entries, and wait until they are on the disk."""
        lines = [] if self.proves_owner else [self._head()]
        lines += [self._line(name, entry) for name, entry in entries.items()]
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            with os.fdopen(handle, "ab") as file:
                file.write("".join(lines).encode("ascii"))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"file {str(self.path)!r}", reason(error), "a place that can be written to") from None
        self.entries.update(entries)
        self.owner = self.owner or self.study

    def keep(self, names: Iterable[str]) -> None:
        """Write the manifest again with the entries of these files only, and without damaged lines."""
        self.entries = {name: self.entries[name] for name in names if name in self.entries}
        with whole_file(self.path) as temporary:
            lines = [self._head(), *(self._line(name, entry) for name, entry in self.entries.items())]
            temporary.write_bytes("".join(lines).encode("ascii"))
        self.owner, self.damaged, self.torn = self.study, 0, False

    def _head(self) -> str:
        return _checked(f"{FORMAT} {self.study}")

    def _line(self, name: str, entry: Entry) -> str:
        return _checked(f"{entry.digest} {entry.size} {entry.columns} {name}", self.study)


def read_manifest(folder: Path, study: str) -> Manifest | None:
    """Return the manifest of a folder, None if there is none; lines of other studies count as damaged."""
    try:
        with opened(folder / NAME) as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"file {str(folder / NAME)!r}", reason(error), "a file that can be read") from None
    found = Manifest(folder, study, torn=bool(data) and not data.endswith(b"\n"))
    lines = data.decode("ascii", errors="replace").split("\n")
    for line in lines[:-1]:
        head, entry = _content(line), _content(line, study)
        if head is not None and head[0] == FORMAT:
            found.owner = head[1]
        elif entry is not None:
            digest, size, columns, name = entry
            found.entries[name] = Entry(digest, int(size), columns)
        else:
            found.damaged += 1
    return found


def _checked(content: str, study: str = "") -> str:
    """Return a line of the manifest with its checksum."""
    return f"{hashlib.sha256(f'{study} {content}'.encode()).hexdigest()[:SHORT]}  {content}\n"


def _content(line: str, study: str = "") -> list[str] | None:
    """Return the words of a line after its checksum, None if the checksum does not fit."""
    content = line[SHORT + 2 :]
    return content.split(" ") if _checked(content, study) == f"{line}\n" else None


def _digest(file: IO[bytes]) -> str:
    """Return the SHA-256 of an open file, from its beginning to its end."""
    found = hashlib.sha256()
    file.seek(0)
    while piece := file.read(CHUNK):
        found.update(piece)
    return found.hexdigest()


@dataclass(frozen=True)
class Damaged:
    """A file that is not as askwise wrote it.

    Attributes:
        path: the file.
        why: what is wrong with it.
        cure: what becomes of it.
    """

    path: Path
    why: str
    cure: str = "its instance is played again"

    def __str__(self) -> str:
        return f"{self.path} is damaged ({self.why}): {self.cure}"


def as_error(path: Path, why: str) -> InputError:
    """Return the error for a file that is found damaged when its numbers are needed."""
    expected = "what askwise wrote there (the same command, given again, finds the damage and puts it right)"
    return InputError(f"file {str(path)!r}", f"damage ({why})", expected)


CHECKSUM = "checksum"


def write_record(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file with its checksum."""
    text = json.dumps({**data, CHECKSUM: checksum(data)}, indent=1, ensure_ascii=False) + "\n"
    with whole_file(path) as temporary:
        # Halves of characters (from odd file names) have no UTF-8; an escape means the same in JSON.
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def read_record(path: Path) -> dict[str, Any] | None:
    """Return what a JSON file says, None if there is none; raise `Corrupt` if it is not as it was written."""
    found = parsed(path)
    if found is None:
        return None
    said = found.pop(CHECKSUM, None)
    if said != checksum(found):
        raise Corrupt("it has no checksum" if said is None else "its checksum does not fit")
    return found


def parsed(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, whoever wrote it; None if there is no file."""
    try:
        with opened(path) as file:
            data = file.read()
        found = parse_json(decode(data, "file"))
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a file that can be read") from None
    except OSError as error:
        raise Corrupt(reason(error)) from None
    except InputError as error:
        raise Corrupt(f"{error.field}: {error.found}") from None
    if not isinstance(found, dict):
        raise Corrupt("it is no JSON object")
    return found


def checksum(data: Mapping[str, Any]) -> str:
    """Return the checksum of what a record says; how it is laid out is of no matter."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
