"""Two versions of askwise: their source trees, the work that both do, and the processes that do it."""

from __future__ import annotations

import importlib
from typing import Any


def methods() -> Any:
    """Return the module that makes agents; its name depends on the version that is measured."""
    try:
        return importlib.import_module("askwise.methods")
    except ImportError:
        return importlib.import_module("askwise.agents")
