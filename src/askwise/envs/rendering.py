"""Rendering of episodes: as text, as pixels, or in a window. The goal is not shown.

Goals are coloured by their prior, with those at 0 that answers have ruled out; the environment does not know what else
the player believes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import logger

from askwise.core.problem import teammate_does
from askwise.envs.play import Play
from askwise.errors import InputError
from askwise.text.wording import number
from askwise.view.decision_text import reply_to_text
from askwise.view.scene import Scene
from askwise.view.scene_builder import scene_of

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 4


def render_text(play: Play) -> str:
    """Return the current state of an episode as a drawing of several lines of text."""
    from askwise.view import text

    return text.draw(_scene(play))


def render_pixels(play: Play) -> Any:
    """Return the current state of an episode as a picture, ``uint8 [height, width, 3]``."""
    from askwise.view import raster

    return np.asarray(raster.draw(_scene(play)))


def _scene(play: Play) -> Scene:
    game = play.game
    action, answer = game.teammate_action, game.answer
    # The scene after a question shows the question, so the goals that it ruled out are not crossed out yet.
    allowed = game.allowed if answer is None else play.allowed_when_asked
    weights = np.where(allowed, game.problem.prior, 0.0)
    scene = scene_of(game.problem, game.state, weights / weights.sum())
    event = ""
    if action is not None:
        event = f"The {scene.words.teammate} did {teammate_does(game.problem, game.before.teammate, action)}."
    return replace(
        scene,
        asked=() if answer is None else answer.asked,
        reply="" if answer is None else reply_to_text(game.problem.goals, answer),
        progress=f"after step {game.steps}: cost so far {number(game.cost)}",
        event=event,
    )


class Renderer:
    """Renders episodes in one of the modes of Gymnasium.

    Args:
        mode: ``"ansi"`` (text), ``"rgb_array"`` (pixels), ``"human"`` (a window) or None (nothing, with a warning).
    """

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise InputError("render_mode", repr(mode), "None or one of " + ", ".join(map(repr, RENDER_MODES)))
        self.mode = mode
        self._window: Window | None = None

    def __call__(self, play: Play) -> Any:
        """Return an episode's current state as text or as pixels, ``uint8 [height, width, 3]``, depending on the mode.

        In mode ``"human"`` it is drawn in a window, and None is returned. In mode None, nothing is drawn: there is a
        warning, and None is returned.
        """
        if self.mode is None:
            logger.warn("nothing is drawn: the environment was made without a render_mode")
            return None
        if self.mode == "ansi":
            return render_text(play)
        pixels = render_pixels(play)
        if self.mode == "rgb_array":
            return pixels
        if self._window is None:
            self._window = Window()
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window of mode ``"human"``, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


class Window:
    """A matplotlib window with one picture; if the computer has no display, nothing is shown.

    Attributes:
        figure: the figure of matplotlib.
        visible: whether there is a display.
        image: the picture in the figure, an object of matplotlib; None before the first one.
    """

    def __init__(self) -> None:
        import matplotlib.pyplot as plt

        self._plt = plt
        try:
            self.figure = plt.figure(figsize=(7, 7), layout="constrained")
        except ImportError:
            # The configured backend needs a display, and there is none.
            plt.switch_backend("agg")
            self.figure = plt.figure(figsize=(7, 7), layout="constrained")
        self.visible = type(self.figure.canvas).required_interactive_framework is not None
        self._axes = self.figure.add_subplot()
        self._axes.set_axis_off()
        self.image: Any = None

    def show(self, pixels: Any) -> None:
        """Show a picture, ``uint8 [height, width, 3]``, until the next one; wait ``1 / FRAMES_PER_SECOND`` seconds."""
        if self.image is None or self.image.get_array().shape != pixels.shape:
            self._axes.clear()
            self._axes.set_axis_off()
            self.image = self._axes.imshow(pixels)
        else:
            self.image.set_data(pixels)
        if self.visible:
            self.figure.show()
            self.figure.canvas.draw_idle()
            self.figure.canvas.start_event_loop(1 / FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window; it cannot be used again."""
        self._plt.close(self.figure)
