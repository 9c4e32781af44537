"""What tool fetching hands to its environments."""

from __future__ import annotations

from pathlib import Path

from askwise.domains.tool_fetching.envs.observing import ToolFetchingObserver
from askwise.domains.tool_fetching.envs.painting import ToolFetchingPainter
from askwise.domains.tool_fetching.envs.starting import Settings, Source
from askwise.domains.tool_fetching.instance import Instance
from askwise.envs.stage import Staging


def tool_fetching_staging(instance: Instance | str | Path | None, settings: Settings) -> Staging:
    """Return where instances come from, what is seen of them and how they are drawn."""
    source = Source(instance, settings)
    return Staging(source, ToolFetchingObserver(source.shape), ToolFetchingPainter(), goal_word="station")
