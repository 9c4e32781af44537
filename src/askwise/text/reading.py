"""Reading JSON and TOML from people: every complaint names the field, what was found there and what is allowed."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from askwise.errors import InputError, did_you_mean
from askwise.text.files import opened, reason

LONGEST_SHOWN = 60
LARGEST_FILE = 256 * 2**20
"""Bytes of a file that is read as a whole; as JSON it takes about ten times as much memory."""
DEEPEST = 100
"""Levels of lists and objects inside each other in JSON and TOML. No file of askwise has more than ten."""


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let what is refused in here name the file that it was found in."""
    try:
        yield
    except InputError as error:
        if error.field.startswith("file "):
            raise
        where = f"file {path!r}" if error.field == "file" else f"file {path!r}, {error.field}"
        raise InputError(where, error.found, error.expected) from None


def read_text(path: str | Path) -> str:
    """Return the text of a file.

    A file that is missing, unreadable, binary or too large is an `InputError`, as are devices and pipes.
    """
    with reading(path) as file:
        return decode(read_whole(file, f"file {str(path)!r}"), f"file {str(path)!r}")


@contextmanager
def reading(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file that somebody named, for reading; what keeps you from opening or reading it is an `InputError`."""
    try:
        with opened(Path(path)) as file:
            yield file
    except OSError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a file that can be read") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"file {str(path)!r}", "a name that no file can have", "a file name") from None


def read_whole(file: IO[bytes], field: str) -> bytes:
    """Return all bytes of an open file; refuse more than `LARGEST_FILE`, before they are read where that is known."""
    if _size(file) > LARGEST_FILE:
        raise _too_large(field)
    data = file.read(LARGEST_FILE + 1)  # a file may grow meanwhile, and standard input has no size
    return _within(b"" if data is None else data, field)


def read_lines(file: IO[bytes], field: str) -> Iterator[bytes]:
    """Iterate over the lines of an open file; refuse a line of more than `LARGEST_FILE` bytes."""
    while line := file.readline(LARGEST_FILE + 1):
        yield _within(line, field)


def _size(file: IO[bytes]) -> int:
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:  # not a file of the system
        return 0


def _within(data: bytes, field: str) -> bytes:
    if len(data) > LARGEST_FILE:
        raise _too_large(field)
    return data


def _too_large(field: str) -> InputError:
    most = f"{LARGEST_FILE // 2**20} MiB"
    return InputError(field, f"more than {most}", f"at most {most}")


def read_stdin() -> str:
    """Return the text on standard input."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input", "it closed", "a text")
    try:
        return decode(read_whole(sys.stdin.buffer, "standard input"), "standard input")
    except OSError as error:
        raise InputError("standard input", reason(error), "a text") from None


def decode(data: bytes, field: str) -> str:
    """Return UTF-8 bytes as text, without the byte order mark that some editors put in front."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(field, "bytes that are not UTF-8 text", "a text file") from None


def printable(text: str) -> str:
    """Return `text` on one line, with control characters and halves of characters written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def parse_json(text: str) -> Any:
    """Parse JSON strictly: no duplicate keys, no NaN or Infinity, no bottomless nesting."""
    try:
        return not_too_deep(json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(where, f"something that is not JSON ({error.msg})", "one JSON object") from None
    except RecursionError:
        raise InputError("file", "JSON nested too deeply", "one JSON object as documented") from None
    except ValueError as error:  # an integer of thousands of digits; Python refuses to convert it
        if isinstance(error, InputError):
            raise
        raise InputError("file", "a number with thousands of digits", "ordinary numbers") from None


def not_too_deep(value: Any) -> Any:
    """Return a value; one that is nested more than `DEEPEST` levels deep is a `RecursionError`, as in parsers."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return value
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    raise RecursionError


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML; what is wrong with it is said with its line."""
    try:
        found: dict[str, Any] = not_too_deep(tomllib.loads(text))
        return found
    except tomllib.TOMLDecodeError as error:
        what, where = _toml_place(str(error), text)
        raise InputError(where, f"something that is not TOML ({what})", "TOML: key = value, [table]") from None
    except RecursionError:
        raise InputError("file", "TOML nested too deeply", "tables as documented") from None
    except ValueError:  # an integer of thousands of digits, a date that no calendar has; Python refuses to convert it
        raise InputError("file", "a value that is no number and no date", "ordinary numbers") from None


def _toml_place(message: str, text: str) -> tuple[str, str]:
    """Return what a parser of TOML complains about, and where."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    if found is None:
        return message, "file"
    line, column = found[2], found[3]
    return found[1], f"line {line}, column {column}" if line else f"line {text.count(chr(10)) + 1}"


def parse_text(text: str, *, toml: bool = False) -> Any:
    """Parse TOML if `toml` says that it is, else whichever it looks like: JSON begins with a brace."""
    return parse_json(text) if not toml and text.lstrip()[:1] in ("{", "[") else parse_toml(text)


def is_data(text: str) -> bool:
    """Whether a text may be JSON or TOML; a drawing of a map, say, is neither."""
    return text.lstrip()[:1] in ("{", "[") or "=" in text


def copied(value: Any) -> Any:
    """Return a copy of what JSON or TOML hold; several times faster than copying whatever there may be."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if isinstance(value, list) else value


def as_text(data: dict[str, Any]) -> str:
    """Return JSON with one line for each key, and one for each entry of an object below it: made to be read."""
    lines = []
    for key, value in data.items():
        if isinstance(value, dict) and any(isinstance(entry, dict | list) for entry in value.values()):
            inner = [f"  {_dump(name)}: {_dump(entry)}" for name, entry in value.items()]
            lines.append(f" {_dump(key)}: {{\n " + ",\n ".join(inner) + "\n }")
        else:
            lines.append(f" {_dump(key)}: {_dump(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _dump(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    # Half a character (a lone surrogate) has no UTF-8; JSON can only escape it.
    return text if text.isascii() or _encodable(text) else json.dumps(value, allow_nan=False)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(value: Any) -> str:
    """Return `value` as JSON, shortened: error messages quote what they found."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        return "something nested too deeply"
    except ValueError:
        return "a number with thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True)
class Field:
    """A JSON value and the path by which it was reached, e.g. ``stations.S1.at``.

    Attributes:
        path: the path.
        value: the value.
        folder: where files are that the value names, None if it may name none.
    """

    path: str
    value: Any
    folder: Path | None = None

    def refuse(self, expected: str) -> InputError:
        """Return the error for this field."""
        return InputError(self.path or "file", shown(self.value), expected)

    def child(self, key: str) -> Field:
        """Return the field `key` of an object."""
        return Field(self._path_of(key), self.value[key], self.folder)

    def _path_of(self, key: str) -> str:
        name = key if len(key) <= LONGEST_SHOWN else key[: LONGEST_SHOWN - 3] + "..."
        return f"{self.path}.{name}" if self.path else name

    def has(self, key: str) -> bool:
        """Whether this object has the key."""
        return key in self.value

    def object(self, required: Iterable[str] = (), optional: Iterable[str] | None = None) -> Field:
        """Check that this is an object with the `required` keys and, unless None, no others but `optional`."""
        if not isinstance(self.value, dict):
            raise self.refuse("an object, { ... }")
        required = list(required)
        for key in required:
            if key not in self.value:
                raise InputError(self._path_of(key), "nothing", "this key, which is required")
        if optional is not None:
            self._refuse_unknown([*required, *optional])
        return self

    def _refuse_unknown(self, known: list[str]) -> None:
        for key in self.value:
            if key not in known:
                hint = did_you_mean(key, known)
                where = self.path or "file"
                raise InputError(where, f"the unknown key {shown(key)}", f"only {_listed(known)}{hint}")

    def items(self) -> Iterator[tuple[str, Field]]:
        """Iterate over the fields of an object; their names must not be empty."""
        for key in self.object().value:
            if not key:
                raise InputError(self.path, "an empty name", "names with at least one character")
            yield key, self.child(key)

    def elements(self) -> Iterator[Field]:
        """Iterate over the elements of a list."""
        if not isinstance(self.value, list):
            raise self.refuse("a list, [ ... ]")
        for k, value in enumerate(self.value):
            yield Field(f"{self.path}[{k}]", value, self.folder)

    def whole(self, lowest: int, highest: int | None = None) -> int:
        """Return a whole number within bounds."""
        value = self.value
        fits = isinstance(value, int) and value >= lowest and (highest is None or value <= highest)
        if isinstance(value, bool) or not fits:
            raise self.refuse(f"a whole number from {lowest}" + ("" if highest is None else f" to {highest}"))
        return int(value)

    def number(self, *, above: float | None = None) -> float:
        """Return a finite number from 0, or above the given bound."""
        allowed = "a finite number from 0" if above is None else f"a finite number above {above:g}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refuse(allowed)
        try:
            number = float(self.value)
        except OverflowError:
            raise self.refuse(allowed) from None
        if not math.isfinite(number) or (number < 0 if above is None else number <= above):
            raise self.refuse(allowed)
        return number

    def text(self, allowed: Iterable[str] | None = None) -> str:
        """Return a string, one of `allowed` unless None."""
        options = None if allowed is None else list(allowed)
        expected = "a string" if options is None else "one of " + _listed([repr(option) for option in options])
        if not isinstance(self.value, str):
            raise self.refuse(expected)
        if options is not None and self.value not in options:
            raise self.refuse(expected + did_you_mean(self.value, options))
        return self.value

    def cell(self, width: int, height: int) -> tuple[int, int]:
        """Return a cell ``[x, y]`` of a grid of that size."""
        value = self.value
        whole = isinstance(value, list) and len(value) == 2 and all(type(k) is int for k in value)
        if not whole or not (0 <= value[0] < width and 0 <= value[1] < height):
            raise self.refuse(f"a cell [x, y] with x from 0 to {width - 1} and y from 0 to {height - 1}")
        return value[0], value[1]


def _listed(names: list[str], most: int = 20) -> str:
    shown_names = [name if len(name) <= LONGEST_SHOWN else name[: LONGEST_SHOWN - 3] + "..." for name in names[:most]]
    return ", ".join(shown_names) + (", ..." if len(names) > most else "")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"key {shown(key)}", "it twice in one object", "each key once")
        found[key] = value
    return found


def _refuse_constant(name: str) -> float:
    raise InputError("file", name, "finite numbers only")
