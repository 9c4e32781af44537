"""Modules of other packages that are imported at first use.

Importing scipy's optimisers, sparse matrices and linear algebra takes longer than the whole work of most commands, and
few commands use them.
"""

from __future__ import annotations

import importlib
from typing import Any


class LazyModule:
    """A stand-in for a module that imports it when one of its attributes is first used, to make starting fast.

    ``sparse = LazyModule("scipy.sparse")`` replaces ``from scipy import sparse``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)
