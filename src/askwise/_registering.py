"""Environments that Gymnasium knows as soon as both it and askwise are imported, in whichever order.

Gymnasium looks for no environments of other packages by itself. So ``import askwise`` either registers its ids at once,
where Gymnasium is loaded already, or waits for the moment at which somebody loads it: askwise itself loads neither
Gymnasium nor anything that the environments need.
"""

from __future__ import annotations

import importlib
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

GYMNASIUM, ENVIRONMENTS = "gymnasium", "askwise.envs"


def register_when_loaded() -> None:
    """Register the environments now or as soon as Gymnasium is loaded."""
    if GYMNASIUM in sys.modules:
        importlib.import_module(ENVIRONMENTS)
    elif not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting())


class _Waiting(MetaPathFinder):
    """Finds nothing itself: lets the others find Gymnasium, and has them call back when it is loaded."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """See `MetaPathFinder`."""
        if name != GYMNASIUM:
            return None
        sys.meta_path.remove(self)  # once is enough, and the others are asked below
        found = find_spec(name)
        if found is not None and found.loader is not None:
            _call_after(found.loader)
        return found


def _call_after(loader: Any) -> None:
    """Let a loader register the environments when it is done."""
    usual = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        usual(module)
        importlib.import_module(ENVIRONMENTS)

    loader.exec_module = exec_module
