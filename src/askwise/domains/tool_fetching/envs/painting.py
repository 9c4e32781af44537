"""How an episode of tool fetching looks in an environment. The goal is not shown.

Stations are coloured by what the answers so far leave of the prior; what the player believes beyond that, an
environment cannot know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.domains.tool_fetching.rules import WORKER_ACTIONS
from askwise.envs.playing import Play
from askwise.looking.scene import Scene
from askwise.looking.words import number


class ToolFetchingPainter:
    """Draws maps; fulfils `askwise.envs.rendering.Painter`."""

    def text(self, play: Play) -> str:
        """See `askwise.envs.rendering.Painter`."""
        from askwise.looking import text

        return text.draw(scene_of(play))

    def pixels(self, play: Play) -> Any:
        """See `askwise.envs.rendering.Painter`."""
        from askwise.looking import raster

        return np.asarray(raster.draw(scene_of(play)))


def scene_of(play: Play) -> Scene:
    """Return what is to be drawn now."""
    game = play.game
    problem: Any = game.problem
    action, answer = game.teammate_action, game.answer
    # While a question is shown, what it was about must not be crossed out yet.
    allowed = game.allowed if answer is None else play.allowed_when_asked
    weights = np.where(allowed, problem.prior, 0.0)
    return Scene(
        rules=problem.rules,
        state=problem.decode(game.state),
        belief=weights / weights.sum(),
        asked=() if answer is None else answer.asked,
        answer=None if answer is None else answer.yes,
        progress=f"after step {game.steps}: cost so far {number(game.cost)}",
        event="" if action is None else f"The worker did {WORKER_ACTIONS[action]}.",
    )
