"""Drawings of the environments: text, pixels, and a window that does not mind a missing display."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from askwise.envs import tool_fetching_v0
from askwise.envs.play import RENDER_MODES, Window, render_pixels
from tests.envs.playing import CORRIDOR, EAST, NOOP, SMALL, act, ask, make


def test_text() -> None:
    env = make(instance=CORRIDOR, render_mode="ansi")
    env.reset(seed=0, options={"goal": "S1"})
    first = env.render()
    assert "after step 0: cost so far 0" in first
    env.step(act(EAST))
    moved = env.render()
    assert "The worker did EAST." in moved
    assert "worker at (5, 0); fetcher at (2, 0), with empty hands" in moved
    assert moved.splitlines()[0] != first.splitlines()[0], "the map has changed"
    env.step(ask(1, 0))
    asked = env.render()
    assert "Is it S1?  Yes." in asked
    assert "S2 50 %" in asked
    assert "after step 2: cost so far 1.75" in asked
    env.step(act(NOOP))
    after = env.render()
    assert "Is it" not in after, "a question is shown while it is asked"
    assert "belief: S1 100 %; 1 ruled out" in after


def test_text_never_shows_the_goal() -> None:
    env = make(instance=CORRIDOR, render_mode="ansi", teammate="plan:NOOP")
    drawn = []
    for goal in (0, 1):
        env.reset(seed=0, options={"goal": goal})
        env.step(act(NOOP))
        drawn.append(env.render())
    assert drawn[0] == drawn[1]


def test_pixels() -> None:
    env = make(**SMALL, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.dtype == np.uint8
    assert first.ndim == 3
    assert first.shape[2] == 3
    env.step(act(NOOP))
    second = env.render()
    assert second.shape == first.shape
    assert (first != second).any()


def test_pixels_need_no_plotting_library() -> None:
    code = """
import sys, gymnasium, askwise.envs
env = gymnasium.make("askwise/ToolFetching-v0", render_mode="rgb_array")
env.reset(seed=1)
env.render()
print("matplotlib" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


HUMAN = """
import gymnasium, askwise.envs
env = gymnasium.make("askwise/ToolFetching-v0", size=5, stations=3, toolboxes=1, render_mode="human")
env.reset(seed=1)
for _ in range(3):
    env.step((0, 4))
assert env.render() is None
env.close()
env.close()
print("shown")
"""


@pytest.mark.parametrize("backend", ["", "tkagg"])
def test_without_a_display_the_window_is_simply_not_seen(backend: str) -> None:
    without = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    if backend:
        without["MPLBACKEND"] = backend
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HUMAN], env=without, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("shown", "")


def test_the_window_shows_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(Window, "show", lambda _, pixels: shown.append(pixels))
    env = make(instance=CORRIDOR, render_mode="human")
    env.reset(seed=0)
    env.step(act(EAST))
    env.step(ask(0, 1))
    assert len(shown) == 3
    assert np.array_equal(shown[-1], render_pixels(env.play))
    env.close()


def test_a_window_is_updated_and_waits_for_the_eye() -> None:
    window = Window()
    events: list[str] = []

    class Canvas:
        def draw_idle(self) -> None:
            events.append("draw")

        def start_event_loop(self, seconds: float) -> None:
            events.append(f"wait {seconds}")

    class Figure:
        canvas = Canvas()

        def show(self) -> None:
            events.append("show")

    real = window.figure
    window.visible, window.figure = True, Figure()  # type: ignore[assignment]
    for brightness in (0, 255):
        picture = np.full((4, 4, 3), brightness, dtype=np.uint8)
        window.show(picture)
        assert np.array_equal(window.image.get_array(), picture)
    assert events == ["show", "draw", "wait 0.25"] * 2
    window.figure = real
    window.close()


def test_without_a_mode_nothing_is_drawn_and_it_says_so() -> None:
    env = make(**SMALL)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="made without a render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_pettingzoo_draws_the_same(mode: str) -> None:
    drawn = []
    for env in (make(**SMALL, render_mode=mode), tool_fetching_v0.parallel_env(**SMALL, render_mode=mode)):
        env.reset(seed=2)
        drawn.append(env.render())
        env.close()
    assert np.array_equal(drawn[0], drawn[1])
