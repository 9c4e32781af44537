"""Where episodes and conversations are: files, folders of them, and lines of files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.play import trace
from askwise.text.data import parse_json
from askwise.text.files import decode, read_lines, read_text, read_whole, reading
from askwise.text.reading import Field

TRACES = (trace.FORMAT, trace.EARLIER)
CONVERSATION = "askwise/conversation@1"
FORMATS = (*TRACES, CONVERSATION)
ENDINGS = (".json", ".jsonl")
LINES = ".jsonl"


@dataclass(frozen=True, slots=True)
class EpisodeSource:
    """One episode or conversation in a file.

    Attributes:
        path: the file.
        line: number of its line from 1, None if it is the whole file.
        start: where in the file it begins, in bytes.
        size: how many bytes it has, None for all.
        key: the same for all of one problem.
    """

    path: str
    line: int | None = None
    start: int = 0
    size: int | None = None
    key: str = ""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    @property
    def folder(self) -> Path:
        """Where files are that it names."""
        return Path(self.path).parent

    @property
    def field(self) -> str:
        """What a refusal calls it."""
        return f"file {self.path!r}" + ("" if self.line is None else f", line {self.line}")

    def read(self) -> Any:
        """Return its contents."""
        if self.size is None:
            text = read_text(self.path)
        else:
            with reading(self.path) as file:
                file.seek(self.start)
                text = decode(file.read(self.size), self.field).rstrip("\r\n")
        if not text.strip():
            raise InputError(self.field, "nothing in it", f"one of {', '.join(FORMATS)}")
        return parse_json(text)


@contextmanager
def naming(field: str) -> Iterator[None]:
    """Let what is refused inside name where it was found."""
    try:
        yield
    except InputError as error:
        if error.field.startswith("file "):
            raise
        # The line of a file that has many: within it there is only one.
        inner = error.field.removeprefix("line 1, ") if ", line " in field else error.field
        raise InputError(field if inner == "file" else f"{field}, {inner}", error.found, error.expected) from None


def format_of(data: Any) -> str:
    """Return which of the formats that can be audited some contents have; refuse others."""
    stated = Field("", data).object(["format"]).child("format")
    if stated.value not in FORMATS:
        raise stated.refuse("one of " + ", ".join(map(repr, FORMATS)))
    return str(stated.value)


def found_in(paths: Iterable[str | Path]) -> list[EpisodeSource]:
    """Return all episodes and conversations in files and folders, in order."""
    return [source for path in paths for source in _found(Path(path))]


def _found(path: Path) -> list[EpisodeSource]:
    """Return all that a file or folder has; in a folder, files of askwise of another kind may lie beside them."""
    if not path.is_dir():
        return list(_sources(path))
    files = sorted(each for each in path.rglob("*") if each.suffix in ENDINGS and each.is_file())
    found = [source for file in files for source in _sources(file, among_others=True)]
    if not found:
        raise InputError(f"folder {str(path)!r}", "nothing in it that can be audited", f"files {' or '.join(ENDINGS)}")
    return found


def _sources(file: Path, *, among_others: bool = False) -> Iterator[EpisodeSource]:
    path = str(file)
    with reading(file) as opened_file:
        if file.suffix != LINES:
            text = read_whole(opened_file, f"file {path!r}")
            if not (among_others and _of_another_kind(text)):
                yield EpisodeSource(path, key=key_of(text, file.parent))
            return
        start, empty = 0, True
        for number, line in enumerate(read_lines(opened_file, f"file {path!r}"), start=1):
            if line.strip():
                empty = False
                yield EpisodeSource(path, number, start, len(line), key_of(line, file.parent))
            start += len(line)
        if empty:
            raise InputError(f"file {path!r}", "nothing in it", f"one JSON object on each line, {' or '.join(FORMATS)}")


def _of_another_kind(text: bytes) -> bool:
    """Whether this is a file of askwise that nobody would audit: an instance, a decision."""
    stated = _parsed(text).get("format")
    return isinstance(stated, str) and stated.startswith("askwise/") and stated not in FORMATS


def _parsed(text: bytes) -> Mapping[str, Any]:
    """Return an object, an empty one for what is none; that is refused later, with its place."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def key_of(given: bytes | Mapping[str, Any], folder: Path) -> str:
    """Return what is the same for all of one problem, and else differs."""
    data = _parsed(given) if isinstance(given, bytes) else given
    decision = data.get("decision")
    if isinstance(decision, str):
        decision = str(folder / decision)
    stated = [data.get("format"), data.get("instance"), data.get("answers"), decision]
    try:
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()
    except (ValueError, TypeError, RecursionError):
        return ""
