"""Tool fetching, the domain of the experiments in the paper behind askwise.

A worker (the teammate) walks to its station. A fetcher (the ego agent) brings it the tool for this station from a
toolbox.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askwise.domains.tool_fetching.instance import FORMAT as FORMAT
    from askwise.domains.tool_fetching.instance import Instance as Instance
    from askwise.domains.tool_fetching.instance import Prior as Prior
    from askwise.domains.tool_fetching.instance import Station as Station
    from askwise.domains.tool_fetching.problem import ToolFetching as ToolFetching
    from askwise.domains.tool_fetching.rules import Rules as Rules
    from askwise.domains.tool_fetching.rules import State as State

_HOMES = {
    "FORMAT": "instance",
    "Instance": "instance",
    "Prior": "instance",
    "Rules": "rules",
    "State": "rules",
    "Station": "instance",
    "ToolFetching": "problem",
}

__all__ = ["FORMAT", "Instance", "Prior", "Rules", "State", "Station", "ToolFetching"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
