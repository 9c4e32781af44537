"""Showing an episode: as text, as pixels, or in a window. How it looks is the domain's; the goal is not shown."""

from __future__ import annotations

from typing import Any, Protocol

from gymnasium import logger

from askwise.envs.playing import Play
from askwise.errors import InputError

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 4


class Painter(Protocol):
    """How a domain's episodes look."""

    def text(self, play: Play) -> str:
        """Return the moment as text."""

    def pixels(self, play: Play) -> Any:
        """Return the moment as a picture, ``uint8 [height, width, 3]``."""


class Renderer:
    """Draws episodes in one way; `mode` None draws nothing."""

    def __init__(self, painter: Painter, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise InputError("render_mode", repr(mode), "None or one of " + ", ".join(map(repr, RENDER_MODES)))
        self.painter = painter
        self.mode = mode
        self._window: Window | None = None

    def __call__(self, play: Play) -> Any:
        """Return text or pixels, or show them."""
        if self.mode is None:
            logger.warn("nothing is drawn: the environment was made without a render_mode")
            return None
        if self.mode == "ansi":
            return self.painter.text(play)
        pixels = self.painter.pixels(play)
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
