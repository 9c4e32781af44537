"""Animated pictures of episodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from askwise.errors import InputError
from askwise.view import raster
from askwise.view.palette import EGO, TEAMMATE
from askwise.view.scene_builder import scene_at
from tests.view.episodes import asking, question_of


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gif") / "episode.gif"
    raster.save_gif(asking(), path)
    return path


def test_one_frame_for_each_step_and_one_for_the_end(written: Path) -> None:
    with Image.open(written) as animation:
        assert getattr(animation, "n_frames", 1) == len(asking().steps) + 1
        assert animation.info["loop"] == 0


def test_questions_and_the_end_stay_longer(written: Path) -> None:
    episode = asking()
    with Image.open(written) as animation:
        shown = [frame.info["duration"] for frame in ImageSequence.Iterator(animation)]
    questions = [step.answer is not None for step in episode.steps]
    assert shown == [raster.QUESTION_MS if asked else raster.STEP_MS for asked in questions] + [raster.END_MS]


def test_frames_are_the_pictures(written: Path) -> None:
    episode = asking()
    with Image.open(written) as animation:
        for k in (question_of(episode), 5, len(episode.steps)):
            animation.seek(k)
            frame = np.asarray(animation.convert("RGB")).astype(int)
            picture = raster.draw(scene_at(episode, k), longest_side=raster.GIF_SIDE)
            assert frame.shape == picture.shape
            # 256 colours are not all colours (white becomes 252), but agents must keep theirs.
            assert np.abs(frame - picture).mean() < 2.5
            for colour in (TEAMMATE, EGO):
                same = (picture == colour).all(axis=2)
                assert np.abs(frame[same] - colour).max() < 12


def test_the_same_episode_gives_the_same_bytes(written: Path, tmp_path: Path) -> None:
    raster.save_gif(asking(), tmp_path / "again.gif")
    assert (tmp_path / "again.gif").read_bytes() == written.read_bytes()


def test_of_a_long_episode_some_steps_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raster, "MOST_FRAMES", 4)
    raster.save_gif(asking(), tmp_path / "short.gif", longest_side=100)
    with Image.open(tmp_path / "short.gif") as animation:
        # Of moments 0 to 12 every third, and both questions, which are moments 0 and 1.
        assert getattr(animation, "n_frames", 1) == 6


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        raster.save_gif(asking(), tmp_path / "episode.png")
    assert (
        str(caught.value)
        == f"file {str(tmp_path / 'episode.png')!r}: found the ending '.png'; expected the ending '.gif'"
    )
