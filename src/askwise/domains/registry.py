"""The domains that askwise knows, by name; everything else asks here and imports no domain.

A domain is one object (see `Domain`), written as ``module:name`` and loaded at first use.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from askwise.domains.studied import Studied
from askwise.errors import InputError
from askwise.problem import Problem

HOMES = {"tool-fetching": "askwise.domains.tool_fetching.domain:DOMAIN"}
"""Where the domain of each name is."""


class Domain(Protocol):
    """All that the rest of askwise needs to know of a domain beyond the `Problem` that it makes."""

    name: str

    @property
    def studies(self) -> Studied:
        """What studies need of the domain."""

    def owns(self, given: object) -> bool:
        """Whether `given` is an instance of this domain."""

    def problem(self, given: Any) -> Problem:
        """Return an instance of this domain, or the one in a file, as a problem."""


@cache
def domain(name: str) -> Domain:
    """Return the domain of that name."""
    module, _, attribute = HOMES[name].partition(":")
    found: Domain = getattr(importlib.import_module(module), attribute)
    return found


def as_problem(given: object) -> Problem:
    """Return an instance, or the one in a file, as the problem it describes; a problem is returned as it is."""
    if hasattr(given, "ego_optimal"):  # one of many things that every problem has
        return given  # type: ignore[return-value]
    for name in HOMES:
        if isinstance(given, str | Path) or domain(name).owns(given):
            return domain(name).problem(given)
    raise InputError("instance", repr(given), "an Instance, the path of an instance file, or a Problem")
