"""Parsing and writing JSON and TOML.

The parsers refuse duplicate keys, NaN and deep nesting; every error message says where the error is. The writers keep
what belongs together on one line, for human readers.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from askwise.errors import InputError

LONGEST_SHOWN = 60
"""Characters of a value that an error message quotes."""
DEEPEST = 100
"""Limit on nested lists and objects in JSON and TOML. No file of askwise has more than ten levels."""
BARE = re.compile(r"[A-Za-z0-9_-]+")
LONGEST_LINE = 100


# -- parsing -------------------------------------------------------------------------------------------------------


def parse_text(text: str, *, toml: bool = False) -> Any:
    """Parse a text as JSON or TOML, and return its data.

    The text is parsed as JSON if it begins with a brace or a bracket and `toml` is False, otherwise as TOML.
    """
    return parse_json(text) if not toml and text.lstrip()[:1] in ("{", "[") else parse_toml(text)


def looks_like_data(text: str) -> bool:
    """Return whether a text may be JSON or TOML: it begins with a brace or a bracket, or contains an equals sign.

    Some commands also take a drawing of a map; for a drawing, the result is False.
    """
    return text.lstrip()[:1] in ("{", "[") or "=" in text


def parse_json(text: str) -> Any:
    """Parse JSON; raise an `InputError` for syntax errors, duplicate keys, NaN, Infinity and deep nesting."""
    try:
        return require_shallow(json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(where, f"something that is not JSON ({error.msg})", "one JSON object") from None
    except RecursionError:
        raise InputError("file", "JSON nested too deeply", "one JSON object as documented") from None
    except ValueError as error:  # Python refuses to convert an integer of thousands of digits
        if isinstance(error, InputError):
            raise
        raise InputError("file", "a number with thousands of digits", "ordinary numbers") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML; raise an `InputError` that names the line of a syntax error."""
    try:
        found: dict[str, Any] = require_shallow(tomllib.loads(text))
        return found
    except tomllib.TOMLDecodeError as error:
        what, where = _toml_place(str(error), text)
        raise InputError(where, f"something that is not TOML ({what})", "TOML: key = value, [table]") from None
    except RecursionError:
        raise InputError("file", "TOML nested too deeply", "tables as documented") from None
    except ValueError:  # Python refuses to convert an integer of thousands of digits, or an impossible date
        raise InputError("file", "a value that is no number and no date", "ordinary numbers") from None


def require_shallow(value: Any) -> Any:
    """Return parsed data unchanged; raise a `RecursionError` if lists and dicts are nested deeper than `DEEPEST`.

    The parsers of the standard library raise the same error for very deep nesting.
    """
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return value
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    raise RecursionError


def _toml_place(message: str, text: str) -> tuple[str, str]:
    """Split a message of Python's TOML parser into two texts: the problem, and its place.

    The place is, for example, ``line 3, column 1``, or ``file`` if the message names none. `text` is the text that was
    parsed.
    """
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    if found is None:
        return message, "file"
    line, column = found[2], found[3]
    return found[1], f"line {line}, column {column}" if line else f"line {text.count(chr(10)) + 1}"


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"key {short_json(key)}", "it twice in one object", "each key once")
        found[key] = value
    return found


def _refuse_constant(name: str) -> float:
    raise InputError("file", name, "finite numbers only")


def copy_data(value: Any) -> Any:
    """Return a deep copy of parsed JSON or TOML; this function is several times faster than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: copy_data(each) for key, each in value.items()}
    return [copy_data(each) for each in value] if isinstance(value, list) else value


# -- JSON ----------------------------------------------------------------------------------------------------------


def json_text(data: dict[str, Any]) -> str:
    """Return a dict as JSON text that is easy to read, with one line for each entry.

    If an entry is a dict that contains lists or dicts, there is one line for each entry of that dict instead.
    """
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
    # A lone surrogate has no UTF-8 encoding; in JSON it can be written as an escape.
    return text if text.isascii() or _encodable(text) else json.dumps(value, allow_nan=False)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def short_json(value: Any) -> str:
    """Return `value` as JSON to quote in an error message; text beyond `LONGEST_SHOWN` characters is cut off."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        return "something nested too deeply"
    except ValueError:
        return "a number with thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


# -- TOML ----------------------------------------------------------------------------------------------------------


def toml_text(data: Mapping[str, Any]) -> str:
    """Return a dict as TOML text; values are strings, numbers, booleans, lists, and dicts with strings as keys."""
    return "\n".join(_table(data, ())).strip("\n") + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a TOML table: first its plain values, then its subtables, as TOML requires.

    `path` has the keys that lead to the table; it is empty for the whole file.
    """
    plain = {key: value for key, value in data.items() if not _is_table(value, path)}
    if path and (plain or not data):
        yield f"\n[{'.'.join(map(_key, path))}]"
    for key, value in plain.items():
        yield f"{_key(key)} = {_block(value)}"
    for key, value in data.items():
        if key not in plain:
            yield from _table(value, (*path, key))


def _is_table(value: Any, path: tuple[str, ...]) -> bool:
    if not isinstance(value, dict):
        return False
    # A small object deep inside, such as a kind of policy, is easier to read on one line.
    return not path or path == ("goals",) or any(isinstance(each, list) for each in value.values())


def _block(value: Any) -> str:
    """Return a value as TOML, on several lines if it is a text with line breaks or a long list."""
    if isinstance(value, str) and "\n" in value and re.fullmatch(r"[^\x00-\x09\x0b-\x1f\x7f\\\"]*", value):
        return f'"""\n{value}"""'
    line = _value(value)
    if isinstance(value, list) and len(line) > LONGEST_LINE:
        return "[\n" + "".join(f"  {_value(each)},\n" for each in value) + "]"
    return line


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    # Numbers and booleans are written alike in JSON and TOML; a float keeps its point or exponent.
    return json.dumps(value, allow_nan=False)


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
