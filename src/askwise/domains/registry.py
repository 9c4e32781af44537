"""The domains that askwise knows, by name; everything else asks here and imports no domain.

A domain is one object (see `Domain`), written as ``module:name`` and loaded at first use.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from askwise.errors import InputError

if TYPE_CHECKING:  # it brings a compiler along, and whoever only wants to know what there is does not wait for that
    from askwise.problem import Problem

HOMES = {"tool-fetching": "askwise.domains.tool_fetching.domain:DOMAIN"}
"""Where the domain of each name is."""

_TOOL_FETCHING_ENVS = "askwise.domains.tool_fetching.envs"

ENVIRONMENTS = {
    "FlatToolFetching": f"{_TOOL_FETCHING_ENVS}.flat:FlatToolFetching",
    "ToolFetchingEnv": f"{_TOOL_FETCHING_ENVS}.environment:ToolFetchingEnv",
    "tool_fetching_v0": f"{_TOOL_FETCHING_ENVS}.tool_fetching_v0",
}
"""Where the environments are that `askwise.envs` offers, by name: ``module:name``, or a module."""

GYMNASIUM_IDS = {"askwise/ToolFetching-v0": ENVIRONMENTS["ToolFetchingEnv"]}
"""What Gymnasium makes of each id. This is here, and not in the domains, because registering ids must load nothing."""

FLAT_GYMNASIUM_IDS = {"askwise/ToolFetchingFlat-v0": f"{_TOOL_FETCHING_ENVS}.flat:make_flat"}
"""The same for environments that come inside a wrapper."""


class Domain(Protocol):
    """All that the rest of askwise needs to know of a domain beyond the `Problem` that it makes."""

    name: str

    def owns(self, given: object) -> bool:
        """Whether `given` is an instance of this domain."""

    def problem(self, given: Any) -> Problem:
        """Return an instance of this domain, or the one in a file, as a problem."""


@cache
def domain(name: str) -> Domain:
    """Return the domain of that name."""
    found: Domain = load(HOMES[name])
    return found


def load(place: str) -> Any:
    """Return what is at a place: ``module:name``, or a whole module."""
    module, _, attribute = place.partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def as_problem(given: object) -> Problem:
    """Return an instance, or the one in a file, as the problem it describes; a problem is returned as it is."""
    if hasattr(given, "ego_optimal"):  # one of many things that every problem has
        return given  # type: ignore[return-value]
    for name in HOMES:
        if isinstance(given, str | Path) or domain(name).owns(given):
            return domain(name).problem(given)
    raise InputError("instance", repr(given), "an Instance, the path of an instance file, or a Problem")
