"""Two versions of askwise side by side: their trees of source, the work that both do, and processes that do it."""

from __future__ import annotations

import importlib
from typing import Any


def methods() -> Any:
    """Return the module that makes agents, by the name that it has in the version that is measured."""
    try:
        return importlib.import_module("askwise.methods")
    except ImportError:
        return importlib.import_module("askwise.agents")
