"""Tool fetching as a registered domain."""

from __future__ import annotations

from pathlib import Path

from askwise.domains.tool_fetching.instance import Instance
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.domains.tool_fetching.studies import ToolFetchingStudies


class ToolFetchingDomain:
    """Tool fetching; fulfils `askwise.domains.registry.Domain`."""

    name = "tool-fetching"
    studies = ToolFetchingStudies()

    def owns(self, given: object) -> bool:
        """See `Domain`."""
        return isinstance(given, Instance)

    def problem(self, given: Instance | str | Path) -> ToolFetching:
        """See `Domain`."""
        return ToolFetching(given)


DOMAIN = ToolFetchingDomain()
