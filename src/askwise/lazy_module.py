"""Modules of other packages that are loaded when something of them is first used.

Loading scipy's optimisers, sparse matrices and linear algebra takes longer than most commands need for all their work,
and few commands use them.
"""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """Stands for a module: ``sparse = Later("scipy.sparse")`` instead of ``from scipy import sparse``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)
