"""Watching an episode in the terminal.

The animation has a screen of its own: when it ends, or is ended with Ctrl-C, the terminal is as it was before.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import TextIO

from askwise.core.episode import Episode
from askwise.view.account import header
from askwise.view.scene_builder import scenes
from askwise.view.text import LINES_BELOW, draw

OWN_SCREEN, USUAL_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
"""The cursor is hidden there, and long lines are cut instead of wrapped."""
FROM_TOP, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"

QUESTION_LASTS = 4
"""A question stands as long as so many steps: it has to be read."""


def can_watch(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def watch(
    episode: Episode,
    stream: TextIO,
    *,
    speed: float = 4.0,
    colour: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Animate an episode; return whether it was watched to its end.

    Args:
        episode: an episode of any domain that can be drawn.
        stream: the terminal.
        speed: steps for each second.
        colour: whether to use colours.
        sleep: how to wait; tests do not wait.
    """
    title = header(episode)[1]
    stream.write(OWN_SCREEN)
    try:
        for scene in scenes(episode):
            columns, rows = shutil.get_terminal_size((100, 40))
            drawing = draw(scene, colour=colour, columns=columns - 1, rows=max(rows - LINES_BELOW, 4))
            lines = [title, *drawing.splitlines()][:rows]
            stream.write(FROM_TOP + "\n".join(line + REST_OF_LINE for line in lines) + REST_OF_SCREEN)
            stream.flush()
            sleep((QUESTION_LASTS if scene.asked else 1) / speed)
        sleep(QUESTION_LASTS / speed)
    except KeyboardInterrupt:
        return False
    else:
        return True
    finally:
        stream.write(USUAL_SCREEN)
        stream.flush()
