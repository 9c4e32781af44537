"""JSON schemas of two file formats: decision problems (``decision``) and recommendations (``recommendation``).

Conditions that a schema cannot express are checked when a problem is read.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

NAMES = ("decision", "recommendation")


def schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of a file format, parsed from the package's files.

    Args:
        name: ``decision`` (a decision problem) or ``recommendation`` (the action or question to choose).
    """
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
