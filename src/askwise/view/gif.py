"""An episode as an animated GIF: one frame for each moment, questions and the end shown longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from askwise.core.episode import Episode
from askwise.text.files import whole_file
from askwise.view import raster
from askwise.view.scene import Scene
from askwise.view.scene_builder import scenes

LONGEST_SIDE = 560
STEP, QUESTION, END = 350, 1800, 3000
"""How long a frame is shown, in milliseconds."""
MOST_FRAMES = 500
"""Of a longer episode every second, third, ... step is shown, and all questions."""


def save_gif(episode: Episode, path: str | Path, *, longest_side: int = LONGEST_SIDE) -> None:
    """Write an episode as a GIF file, whole or not at all."""
    raster.check_ending(path, ".gif")
    chosen = list(_chosen(episode))
    pictures = (Image.fromarray(raster.draw(scene, longest_side=longest_side)) for scene in chosen)
    first = next(pictures).quantize(256)
    with whole_file(path) as temporary:
        first.save(
            temporary,
            format="GIF",
            save_all=True,
            # One palette for all: colours that shift between frames look like something happening.
            append_images=(picture.quantize(palette=first, dither=Image.Dither.NONE) for picture in pictures),
            duration=[_duration(scene, last=k == len(chosen) - 1) for k, scene in enumerate(chosen)],
            loop=0,
        )


def _chosen(episode: Episode) -> Iterator[Scene]:
    """Iterate over the moments that become frames: all of them unless there are too many."""
    n = len(episode.steps)
    every = -(-n // MOST_FRAMES) or 1
    for k, scene in enumerate(scenes(episode)):
        if k % every == 0 or scene.asked or k == n:
            yield scene


def _duration(scene: Scene, *, last: bool) -> int:
    return END if last else QUESTION if scene.asked else STEP
