"""How an episode looks in an environment. The goal is not shown.

Goals are coloured by what the answers so far leave of the prior; what the player believes beyond that, an environment
cannot know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from askwise.core.game import Game
from askwise.core.problem import teammate_does
from askwise.envs.playing import Play
from askwise.text.wording import number
from askwise.view.decision_text import reply_to_text
from askwise.view.scene import Scene
from askwise.view.scene_builder import scene_of


class ScenePainter:
    """Draws the scenes of any problem; fulfils `askwise.envs.rendering.Painter`."""

    def text(self, play: Play) -> str:
        """See `askwise.envs.rendering.Painter`."""
        from askwise.view import text

        return text.draw(moment_of(play))

    def pixels(self, play: Play) -> Any:
        """See `askwise.envs.rendering.Painter`."""
        from askwise.view import raster

        return np.asarray(raster.draw(moment_of(play)))


def moment_of(play: Play) -> Scene:
    """Return what is to be drawn now."""
    game = play.game
    action, answer = game.teammate_action, game.answer
    # While a question is shown, what it was about must not be crossed out yet.
    allowed = game.allowed if answer is None else play.allowed_when_asked
    weights = np.where(allowed, game.problem.prior, 0.0)
    scene = scene_of(game.problem, game.state, weights / weights.sum())
    return replace(
        scene,
        asked=() if answer is None else answer.asked,
        reply="" if answer is None else reply_to_text(game.problem.goals, answer),
        progress=f"after step {game.steps}: cost so far {number(game.cost)}",
        event="" if action is None else f"The {scene.words.teammate} did {_did(game, action)}.",
    )


def _did(game: Game, action: int) -> str:
    return teammate_does(game.problem, game.before.teammate, action)
