"""Tool fetching as a registered domain: each part is in a file of its own, loaded at first use."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askwise.domains.parts import Generator, Moments, Recording
    from askwise.domains.studied import Studied
    from askwise.domains.tool_fetching import Instance, ToolFetching
    from askwise.showing.vocabulary import Vocabulary


class ToolFetchingDomain:
    """Tool fetching; fulfils `askwise.domains.registry.Domain`."""

    name = "tool-fetching"

    def owns(self, given: object) -> bool:
        """See `Domain`."""
        from askwise.domains.tool_fetching import Instance, ToolFetching

        return isinstance(given, Instance | ToolFetching)

    def problem(self, given: Instance | str | Path) -> ToolFetching:
        """See `Domain`."""
        from askwise.domains.tool_fetching import ToolFetching

        return ToolFetching(given)

    def vocabulary(self, given: Instance | ToolFetching | None = None) -> Vocabulary:
        """See `Domain`."""
        from askwise.domains.tool_fetching import ToolFetching
        from askwise.domains.tool_fetching.vocabulary import WORDS, words_for

        return WORDS if given is None else words_for(given.instance if isinstance(given, ToolFetching) else given)

    @cached_property
    def recording(self) -> Recording:
        """See `Domain`."""
        from askwise.domains.tool_fetching.recording import ToolFetchingRecording

        return ToolFetchingRecording()

    @cached_property
    def moments(self) -> Moments:
        """See `Domain`."""
        from askwise.domains.tool_fetching.moments import ToolFetchingMoments

        return ToolFetchingMoments()

    @cached_property
    def generator(self) -> Generator:
        """See `Domain`."""
        from askwise.domains.tool_fetching.options import ToolFetchingGenerator

        return ToolFetchingGenerator()

    @cached_property
    def studies(self) -> Studied:
        """See `Domain`."""
        from askwise.domains.tool_fetching.studies import ToolFetchingStudies

        return ToolFetchingStudies()


DOMAIN = ToolFetchingDomain()
