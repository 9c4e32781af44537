"""JSON schemas of what is read and written: ``decision`` (a file, or an argument) and ``recommendation``.

What a schema cannot say, that probabilities sum to 1 for instance, is checked where they are read.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

NAMES = ("decision", "recommendation")


def schema(name: str) -> dict[str, Any]:
    """Return a schema by its name, one of `NAMES`."""
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
