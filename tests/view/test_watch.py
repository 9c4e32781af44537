"""Watching in the terminal: one frame after the other, and a clean terminal at the end."""

from __future__ import annotations

import io
import os

import pytest

from askwise.view import text
from askwise.view.scene_builder import scenes
from askwise.view.text import FROM_TOP, OWN_SCREEN, USUAL_SCREEN, can_watch, watch
from tests.view.episodes import asking


@pytest.fixture(autouse=True)
def _terminal_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("LINES", "40")


def frames_of(printed: str) -> list[str]:
    return printed.split(FROM_TOP)[1:]


def test_every_moment_is_shown() -> None:
    stream, pauses = io.StringIO(), list[float]()
    episode = asking()
    assert watch(episode, stream, speed=2, colour=False, sleep=pauses.append)
    printed = stream.getvalue()
    assert printed.startswith(OWN_SCREEN)
    assert printed.endswith(USUAL_SCREEN)
    assert printed.count(OWN_SCREEN) == printed.count(USUAL_SCREEN) == 1
    frames = frames_of(printed)
    assert len(frames) == len(episode.steps) + 1
    for frame, scene in zip(frames, scenes(episode), strict=True):
        for line in text.draw(scene, columns=89, rows=32).splitlines():
            assert f"{line}\x1b[K" in frame


def test_the_speed_is_in_steps_a_second_and_questions_stay_longer() -> None:
    episode, pauses = asking(), list[float]()
    watch(episode, io.StringIO(), speed=2, sleep=pauses.append)
    assert pauses[:-1] == [2.0 if step.answer else 0.5 for step in episode.steps] + [0.5]


def test_ctrl_c_leaves_the_terminal_clean() -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    stream = io.StringIO()
    assert not watch(asking(), stream, sleep=interrupted)
    assert len(frames_of(stream.getvalue())) == 1
    assert stream.getvalue().endswith(USUAL_SCREEN)


def test_a_fault_leaves_the_terminal_clean_too() -> None:
    def broken(_: float) -> None:
        raise RuntimeError("broken")

    stream = io.StringIO()
    with pytest.raises(RuntimeError, match=r"^broken$"):
        watch(asking(), stream, sleep=broken)
    assert stream.getvalue().endswith(USUAL_SCREEN)


def test_no_frame_is_higher_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "9")
    stream = io.StringIO()
    watch(asking(), stream, sleep=lambda _: None)
    assert max(frame.count("\n") for frame in frames_of(stream.getvalue())) <= 8


def test_a_file_cannot_be_watched() -> None:
    assert not can_watch(io.StringIO())
    with open(os.devnull, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a device, not a path
        assert not can_watch(stream)
