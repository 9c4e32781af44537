"""A problem of no domain: it can do what every problem can, and nobody knows how to draw or to record it."""

from __future__ import annotations

from typing import Any


class Elsewhere:
    """Does what another problem does, under a type of its own."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)
