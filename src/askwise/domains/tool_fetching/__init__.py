"""Tool fetching, the domain of the paper's experiments."""

from askwise.domains.tool_fetching.instance import FORMAT, Instance, Prior, QueryCost, Station

__all__ = ["FORMAT", "Instance", "Prior", "QueryCost", "Station"]
