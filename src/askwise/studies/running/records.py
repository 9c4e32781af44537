"""The JSON files of a study's folder: `study.json` and `provenance.json`, each with a checksum of what it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.studies.running.checksums import Corrupt
from askwise.text.files import opened, reason, whole_file
from askwise.text.reading import decode, parse_json

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
