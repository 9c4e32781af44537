"""The locations of episodes and conversations: files, folders of files, and lines of ``.jsonl`` files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.play import trace
from askwise.text.data import parse_json
from askwise.text.files import decode, read_lines, read_text, read_whole, reading
from askwise.text.reading import Field, refuse_blank

TRACES = (trace.FORMAT, trace.EARLIER)
CONVERSATION = "askwise/conversation@1"
FORMATS = (*TRACES, CONVERSATION)
ENDINGS = (".json", ".jsonl")
LINES = ".jsonl"


@dataclass(frozen=True, slots=True)
class EpisodeSource:
    """The location of one episode or conversation: a file, or a line of a file.

    Attributes:
        path: the file.
        line: number of the line from 1; None for the whole file.
        start: offset of the line in the file, in bytes.
        size: size of the line in bytes; None for the whole file.
        key: equal for all episodes and conversations about the same problem, see `problem_key`.
    """

    path: str
    line: int | None = None
    start: int = 0
    size: int | None = None
    key: str = ""

    @property
    def name(self) -> str:
        """The path, followed by ``:`` and the number of the line if the episode is a line of the file."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    @property
    def folder(self) -> Path:
        """The folder of the file; the names of decision files in a conversation are relative to it."""
        return Path(self.path).parent

    @property
    def field(self) -> str:
        """The file, and the line if there is one, as error messages name them."""
        return f"file {self.path!r}" + ("" if self.line is None else f", line {self.line}")

    def read(self) -> Any:
        """Read the file or the line, and return it as parsed JSON; raise `InputError` if it is empty or invalid."""
        if self.size is None:
            text = read_text(self.path)
        else:
            with reading(self.path) as file:
                file.seek(self.start)
                text = decode(file.read(self.size), self.field).rstrip("\r\n")
        refuse_blank(text, self.field, f"one of {', '.join(FORMATS)}")
        return parse_json(text)


@contextmanager
def located_errors(field: str) -> Iterator[None]:
    """While the ``with`` block runs, put `field` (a file or a line) before the field of each `InputError`.

    Errors that already name a file are not changed.
    """
    try:
        yield
    except InputError as error:
        if error.field.startswith("file "):
            raise
        # `field` already names the line in the file; the parser calls it line 1.
        inner = error.field.removeprefix("line 1, ") if ", line " in field else error.field
        raise InputError(field if inner == "file" else f"{field}, {inner}", error.found, error.expected) from None


def format_of(data: Any) -> str:
    """Return the format that the parsed contents of a file state; raise `InputError` if `audit` does not know it."""
    stated = Field("", data).object(["format"]).child("format")
    if stated.value not in FORMATS:
        raise stated.refuse("one of " + ", ".join(map(repr, FORMATS)))
    return str(stated.value)


def find_sources(path: Path) -> list[EpisodeSource]:
    """Return the locations of all episodes and conversations in a file, or in the files of a folder, sorted by path.

    In a folder, other files of askwise, such as instances, are skipped. Raises `InputError` if there is nothing to
    audit.
    """
    if not path.is_dir():
        return list(_sources(path))
    files = sorted(each for each in path.rglob("*") if each.suffix in ENDINGS and each.is_file())
    found = [source for file in files for source in _sources(file, among_others=True)]
    if not found:
        raise InputError(f"folder {str(path)!r}", "no file that can be audited", f"files {' or '.join(ENDINGS)}")
    return found


def _sources(file: Path, *, among_others: bool = False) -> Iterator[EpisodeSource]:
    path = str(file)
    with reading(file) as opened_file:
        if file.suffix != LINES:
            text = read_whole(opened_file, f"file {path!r}")
            if not (among_others and _of_another_kind(text)):
                yield EpisodeSource(path, key=problem_key(text, file.parent))
            return
        start, empty = 0, True
        for number, line in enumerate(read_lines(opened_file, f"file {path!r}"), start=1):
            if line.strip():
                empty = False
                yield EpisodeSource(path, number, start, len(line), problem_key(line, file.parent))
            start += len(line)
        if empty:
            raise InputError(f"file {path!r}", "nothing in it", f"one JSON object on each line, {' or '.join(FORMATS)}")


def _of_another_kind(text: bytes) -> bool:
    """Return whether a text is an askwise file that cannot be audited, such as an instance or a decision."""
    stated = _parsed(text).get("format")
    return isinstance(stated, str) and stated.startswith("askwise/") and stated not in FORMATS


def _parsed(text: bytes) -> Mapping[str, Any]:
    """Parse a text as a JSON object; return an empty one if it is invalid, which the audit reports later."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def problem_key(given: bytes | Mapping[str, Any], folder: Path) -> str:
    """Return a key that is equal for all episodes and conversations about the same problem.

    Args:
        given: the contents of a file or a line, as bytes or parsed.
        folder: the folder to which names of decision files are relative.
    """
    data = _parsed(given) if isinstance(given, bytes) else given
    decision = data.get("decision")
    if isinstance(decision, str):
        decision = str(folder / decision)
    stated = [data.get("format"), data.get("instance"), data.get("answers"), decision]
    try:
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()
    except (ValueError, TypeError, RecursionError):
        return ""
