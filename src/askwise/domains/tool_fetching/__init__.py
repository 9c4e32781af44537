"""Tool fetching, the domain of the paper's experiments."""

from askwise.domains.tool_fetching.instance import FORMAT, Instance, Prior, Station
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.domains.tool_fetching.rules import Rules, State

__all__ = ["FORMAT", "Instance", "Prior", "Rules", "State", "Station", "ToolFetching"]
