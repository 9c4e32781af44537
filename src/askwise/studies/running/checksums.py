"""Checksums of the files in a study's folder, by which damaged files are found.

A result file has a whole table, such as ``episodes.parquet``, or the rows of one instance in one table. The manifest,
the text file ``checksums.txt``, describes all result files::

    0f3a...  askwise/checksums@1 4be1...
    77c2...  9d01... 5120 1b2c3d4e parts/episodes/00042.parquet

The first line has the format and the fingerprint of the study. Each other line has a result file's SHA-256, its size in
bytes, a checksum of the names and types of its columns, and its name. Every line begins with a checksum of the
fingerprint and the rest of the line.

A line is added after its file is on the disk. If a file has several lines, the last one counts. Changed and incomplete
lines are ignored; the instances of their files are played again.

``study.json`` and ``provenance.json`` are JSON objects with a checksum of their other entries.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from askwise.errors import InputError
from askwise.text.data import parse_json
from askwise.text.files import decode, opened, reason, whole_file

FORMAT = "askwise/checksums@1"
NAME = "checksums.txt"
SHORT = 16
"""Hexadecimal digits of the checksum of a line."""
CHUNK = 1 << 20
"""Bytes that are read at once."""
CHECKSUM = "checksum"
"""The key of a record's checksum."""


class Corrupt(Exception):  # noqa: N818 - it names what happened
    """Raised if a file is not as askwise wrote it; the message is a clause such as "it is empty"."""


class Unlisted(Corrupt):
    """Raised if the manifest, a study's file of checksums, does not list a result file.

    The usual reason is that the run was killed after it wrote the file and before it listed it.
    """


@dataclass(frozen=True)
class Damaged:
    """A file of a study's folder that cannot be used.

    Attributes:
        path: the file.
        why: what is wrong, such as "it is empty".
        cure: what askwise does about it, such as "it is written again".
        state: "damaged", or "unfinished" if its checksum was never recorded.
    """

    path: Path
    why: str
    cure: str = "its instance is played again"
    state: str = "damaged"

    def __str__(self) -> str:
        return f"{self.path} is {self.state} ({self.why}): {self.cure}"


def damage_error(path: Path, why: str) -> InputError:
    """Return the error to raise if a file is damaged and its content is needed.

    Args:
        path: the file.
        why: what is wrong with it, as a clause such as "it is empty".
    """
    return InputError(f"file {str(path)!r}", f"damage ({why})", "an intact file (run the same command again to repair)")


@dataclass(frozen=True)
class Entry:
    """The size and checksums of one result file, as listed in ``checksums.txt``.

    Attributes:
        digest: the SHA-256 of the file, in hexadecimal.
        size: number of bytes.
        columns: checksum of the names and types of the table's columns (`columns_digest`).
    """

    digest: str
    size: int
    columns: str

    @classmethod
    def of(cls, file: IO[bytes], columns: str) -> Entry:
        """Compute the size and the SHA-256 of an open file; return its entry for the manifest.

        Args:
            file: the file, open in binary mode; read as a whole.
            columns: checksum of the columns of the file's table (`columns_digest`).
        """
        return cls(_digest(file), file.tell(), columns)


def columns_digest(schema: Mapping[str, Any]) -> str:
    """Return a checksum of the names, types and order of a table's columns, with 8 hexadecimal digits.

    Args:
        schema: a dict from the name of each column to its type.
    """
    named = "\n".join(f"{name}: {kind}" for name, kind in schema.items())
    return hashlib.sha256(named.encode()).hexdigest()[:8]


@dataclass
class Manifest:
    """The manifest of a study: its file ``checksums.txt``, which has a line for each result file.

    Attributes:
        folder: the folder of the study.
        study: fingerprint (checksum) of the study.
        entries: size and checksums of files, by path in the folder.
        owner: fingerprint in the first line; None if missing or damaged.
        damaged: number of lines that were changed or belong to another study.
        torn: whether the last line is incomplete.
    """

    folder: Path
    study: str
    entries: dict[str, Entry] = field(default_factory=dict)
    owner: str | None = None
    damaged: int = 0
    torn: bool = False

    @property
    def path(self) -> Path:
        """The path of ``checksums.txt``."""
        return self.folder / NAME

    @property
    def proves_owner(self) -> bool:
        """Whether at least one intact line of ``checksums.txt`` belongs to the study of this object."""
        return bool(self.entries) or self.owner == self.study

    # -- checking ----------------------------------------------------------------------------------------------------

    def check(self, name: str, columns: str) -> None:
        """Check that a result file has the size, checksum and columns in the manifest.

        Args:
            name: path in the folder.
            columns: checksum of the required columns (`columns_digest`).

        Raises:
            Corrupt: the file is missing, unreadable or different.
            Unlisted: it is not in the manifest.
            PermissionError: the user may not read it.
        """
        with self._open(name) as file:
            self._check(file, name, columns)

    def read(self, name: str, columns: str) -> IO[bytes]:
        """Read a result file, compare it with the manifest, and return it as a binary file in memory.

        Args:
            name: path in the folder.
            columns: checksum of the required columns (`columns_digest`).

        Raises:
            Corrupt: the file is missing, unreadable or different.
            Unlisted: it is not in the manifest.
            PermissionError: the user may not read it.
        """
        with self._open(name) as file:
            entry = self._sized(file, name)
            found = io.BytesIO(file.read(entry.size))
        self._check(found, name, columns)
        found.seek(0)
        return found

    @contextmanager
    def _open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with opened(self.folder / name) as file:
                yield file
        except PermissionError:
            raise
        except FileNotFoundError:
            raise Corrupt("it is missing") from None
        except OSError as error:
            raise Corrupt(reason(error)) from None

    def _check(self, file: IO[bytes], name: str, columns: str) -> None:
        entry = self._sized(file, name)
        if _digest(file) != entry.digest:
            raise Corrupt(self._copied(file, entry.size) or "its checksum is wrong")
        if entry.columns != columns:
            raise Corrupt("its columns are those of another version of askwise")

    def _sized(self, file: IO[bytes], name: str) -> Entry:
        """Return the manifest's entry of an open binary file, after checking the file's size; rewind the file.

        Raises:
            Corrupt: the size differs.
            Unlisted: the manifest does not list the file.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise Unlisted(f"{NAME} does not list it")
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if size != entry.size:
            short = "it is empty" if size == 0 else "it is cut off"
            raise Corrupt(self._copied(file, size) or (short if size < entry.size else "it is too long"))
        return entry

    def _copied(self, file: IO[bytes], size: int) -> str | None:
        """Return a clause such as "it is a copy of episodes.parquet" if an open file has the content of a listed file.

        The result is None otherwise. `size` is the number of bytes of the file.
        """
        same = {known.digest: name for name, known in self.entries.items() if known.size == size}
        name = same.get(_digest(file)) if same else None
        return None if name is None else f"it is a copy of {name}"

    # -- writing -----------------------------------------------------------------------------------------------------

    def add(self, entries: Mapping[str, Entry]) -> None:
        """Append a line for each new result file to ``checksums.txt``, and update `self.entries`.

        The lines are on the disk when this method returns.

        Args:
            entries: the size and checksums of each file, by its path in the folder.

        Raises:
            InputError: ``checksums.txt`` cannot be written.
        """
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
        """Rewrite ``checksums.txt`` so that it lists only the files `names`, and has no damaged lines.

        Args:
            names: paths of result files, relative to the folder of the study. Files that the manifest did not list
                before are not added.
        """
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
    """Read ``checksums.txt`` in a folder; return None if there is no such file.

    Damaged lines, and lines of other studies, are only counted (`Manifest.damaged`).

    Args:
        folder: the folder of a study.
        study: fingerprint (checksum) of the study.

    Raises:
        InputError: the file cannot be read.
    """
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
    """Return a line of ``checksums.txt``: a short checksum of `study` and `content`, then `content`, then a newline.

    `study` is the fingerprint of the study; empty for the first line, whose content states it.
    """
    return f"{hashlib.sha256(f'{study} {content}'.encode()).hexdigest()[:SHORT]}  {content}\n"


def _content(line: str, study: str = "") -> list[str] | None:
    """Return the words that follow the checksum in a line of ``checksums.txt``; None if the checksum is wrong.

    `study` is the fingerprint of the study, which the checksum includes; empty for the first line.
    """
    content = line[SHORT + 2 :]
    return content.split(" ") if _checked(content, study) == f"{line}\n" else None


def _digest(file: IO[bytes]) -> str:
    """Return the SHA-256 of an open binary file, from its beginning to its end, in hexadecimal."""
    found = hashlib.sha256()
    file.seek(0)
    while piece := file.read(CHUNK):
        found.update(piece)
    return found.hexdigest()


# -- records -----------------------------------------------------------------------------------------------------


def write_record(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON object to a file, with a checksum of the object under the additional key ``checksum``.

    An existing file is replaced only when the new one is complete.

    Args:
        path: the file to write.
        data: the object.
    """
    text = json.dumps({**data, CHECKSUM: checksum(data)}, indent=1, ensure_ascii=False) + "\n"
    with whole_file(path) as temporary:
        # Unpaired surrogates (from odd file names) have no UTF-8; an escape means the same in JSON.
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def read_record(path: Path) -> dict[str, Any] | None:
    """Return the JSON object that `write_record` wrote to a file, without its checksum; None if there is no file.

    Raises:
        Corrupt: the file is not a JSON object, or was changed.
        InputError: the user may not read the file.
    """
    found = parsed(path)
    if found is None:
        return None
    stated = found.pop(CHECKSUM, None)
    if stated != checksum(found):
        raise Corrupt("it has no checksum" if stated is None else "its checksum is wrong")
    return found


def parsed(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, without comparing its checksum; None if the file does not exist.

    Raises:
        Corrupt: the file is not a JSON object, or cannot be read.
        InputError: the user may not read the file.
    """
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
        raise Corrupt("it is not a JSON object")
    return found


def checksum(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON-compatible dict, in hexadecimal; it does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
