"""Writing TOML: made for the few kinds of values that problem files hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")
LONGEST_LINE = 100


def toml_text(data: Mapping[str, Any]) -> str:
    """Return the TOML of texts, numbers, truth values, lists and objects with texts as keys."""
    return "\n".join(_table(data, ())).strip("\n") + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Iterate over the lines of a table: what is no table comes first, or it would belong to the table before it."""
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
    # A small object deep inside (a kind of policy, say) reads better on one line.
    return not path or path == ("goals",) or any(isinstance(each, list) for each in value.values())


def _block(value: Any) -> str:
    """Return a value, over several lines if that reads better."""
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
    # The numbers and truth values of JSON are those of TOML; a float keeps its point or exponent.
    return json.dumps(value, allow_nan=False)


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
