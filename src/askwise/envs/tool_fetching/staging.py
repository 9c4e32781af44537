"""What tool fetching hands to its environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.problem import JointState
from askwise.domains.tool_fetching.instance import Instance
from askwise.envs.painting import ScenePainter
from askwise.envs.playing import Masks
from askwise.envs.stage import Staging
from askwise.envs.tool_fetching.observing import ToolFetchingObserver
from askwise.envs.tool_fetching.starting import Settings, Source


class ToolFetchingMasks(Masks):
    """The rules list what is available faster than every PICKUP can be tried."""

    def ego_mask(self, state: int) -> Any:
        """See `Masks`."""
        mask = np.zeros(len(self.problem.ego.actions.names), dtype=np.int8)
        here = self.problem.decode(JointState(self.problem.start.teammate, state))
        mask[self.problem.rules.legal_fetcher_actions(here)] = 1
        return mask


def tool_fetching_staging(instance: Instance | str | Path | None, settings: Settings) -> Staging:
    """Return where instances come from, what is seen of them and how they are drawn."""
    source = Source(instance, settings)
    observer, painter = ToolFetchingObserver(source.shape), ScenePainter()
    return Staging(source, observer, painter, goal_word="station", masks=ToolFetchingMasks)
