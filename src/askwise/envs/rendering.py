"""Showing an episode: as text, as pixels, or in a window. The goal is not shown.

Stations are coloured by what the answers so far leave of the prior; what the player believes beyond that, an
environment cannot know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import logger

from askwise.domains.tool_fetching.rules import WORKER_ACTIONS
from askwise.envs.playing import Play
from askwise.errors import InputError
from askwise.showing import Scene
from askwise.showing import scene_of as moment_of
from askwise.showing.words import number

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 4


class Renderer:
    """Draws episodes in one way; `mode` None draws nothing."""

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise InputError("render_mode", repr(mode), "None or one of " + ", ".join(map(repr, RENDER_MODES)))
        self.mode = mode
        self._window: Window | None = None

    def __call__(self, play: Play) -> Any:
        """Return text or pixels, or show them."""
        if self.mode is None:
            logger.warn("nothing is drawn: the environment was made without a render_mode")
            return None
        if self.mode == "ansi":
            from askwise.showing import text

            return text.draw(scene_of(play))
        pixels = pixels_of(play)
        if self.mode == "rgb_array":
            return pixels
        if self._window is None:
            self._window = Window()
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()
            self._window = None


def scene_of(play: Play) -> Scene:
    """Return what is to be drawn now."""
    action = play.worker_action
    asked = play.steps > 0 and action is None
    # While a question is shown, what it was about must not be crossed out yet.
    weights = np.where(play.possible_when_asked if asked else play.possible, play.problem.prior, 0.0)
    return replace(
        moment_of(play.problem, play.problem.encode(play.state), weights / weights.sum()),
        asked=tuple(np.flatnonzero(play.asked).tolist()) if asked else (),
        answer=play.answer if asked else None,
        progress=f"after step {play.steps}: cost so far {number(play.cost)}",
        event="" if action is None else f"The worker did {WORKER_ACTIONS[action]}.",
    )


def pixels_of(play: Play) -> Any:
    """``uint8 [height, width, 3]``: the picture of an episode."""
    from askwise.showing import raster

    return np.asarray(raster.draw(scene_of(play)))


class Window:
    """A matplotlib window with one picture in it. Where there is no display, a picture that nobody sees."""

    def __init__(self) -> None:
        import matplotlib.pyplot as plt

        self._plt = plt
        try:
            self.figure = plt.figure(figsize=(7, 7), layout="constrained")
        except ImportError:
            # A backend that needs a display was asked for, and there is none.
            plt.switch_backend("agg")
            self.figure = plt.figure(figsize=(7, 7), layout="constrained")
        self.visible = type(self.figure.canvas).required_interactive_framework is not None
        self._axes = self.figure.add_subplot()
        self._axes.set_axis_off()
        self.image: Any = None

    def show(self, pixels: Any) -> None:
        """Show this picture now, and long enough to be seen."""
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
        """Close it."""
        self._plt.close(self.figure)
