"""Pictures of graphs and of two floors: correct colours and positions, everything inside the picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from PIL import Image

from askwise import FactoredProblem, Model
from askwise.view import raster
from askwise.view.palette import ARROW, EGO, RULED_OUT, TEAMMATE, shade
from askwise.view.panels import LONGEST_SIDE
from askwise.view.scene import Scene
from askwise.view.scene_builder import scene_at, scenes, start_scene
from askwise.view.text import watch
from tests.view.floors import ALL, coverage, graph_and_map, kitchen, played, two_maps, ward
from tests.view.test_layout import models


class Terminal:
    """A text stream that stores its output."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


def around(scene: Scene, side: int, place: tuple[float, float], reach: int = 12) -> raster.Pixels:
    """Return the pixels around a place, one colour per row."""
    panel = raster.Sheet(scene.floors).panels[side]
    x, y = map(round, panel.centre(place))
    return raster.draw(scene)[max(y - reach, 0) : y + reach, max(x - reach, 0) : x + reach].reshape(-1, 3)


def share(pixels: raster.Pixels, colour: tuple[int, int, int]) -> float:
    return float((pixels == colour).all(axis=1).mean())


def test_agents_and_goals_are_on_their_nodes() -> None:
    scene = start_scene(ward(), np.array([0.6, 0.4, 0.0]))
    assert share(around(scene, 0, scene.teammate.at), TEAMMATE) > 0.5
    assert share(around(scene, 0, scene.ego.at), EGO) > 0.5
    room, rounds, washing = scene.goals
    assert share(around(scene, 0, room.at), shade(0.6)) > 0.9
    for place in (rounds.at, *rounds.also):
        assert share(around(scene, 0, place), shade(0.4)) > 0.9
    assert share(around(scene, 0, washing.at), RULED_OUT) > 0.4


def test_each_is_on_its_own_ground() -> None:
    scene = start_scene(graph_and_map(), np.array([0.7, 0.3]))
    assert share(around(scene, 0, scene.teammate.at), TEAMMATE) > 0.5
    assert share(around(scene, 1, scene.ego.at), EGO) > 0.5
    picture = raster.draw(scene)
    middle = raster.Sheet(scene.floors).panels[1].left - 20
    assert share(picture[: raster.Sheet(scene.floors).height, :middle].reshape(-1, 3), EGO) == 0
    assert share(around(scene, 1, scene.goals[0].ego[0]), shade(0.7)) > 0.2


def test_where_goals_meet_their_probabilities_add_up() -> None:
    scene = start_scene(kitchen(), np.array([0.5, 0.25, 0.25]))
    assert share(around(scene, 0, (0, 0)), shade(0.75)) > 0.2
    assert share(around(scene, 0, (5, 3)), shade(0.25)) > 0.3


def test_a_shared_place_has_a_small_mark_too() -> None:
    scene = start_scene(coverage(), np.array([0.5, 0.5, 0.0]))
    plain = replace(scene, goals=tuple(replace(goal, ego=()) for goal in scene.goals))
    drawn, without = (share(around(each, 0, scene.goals[0].at, 26), EGO) for each in (scene, plain))
    assert drawn > without


def test_a_way_without_return_has_an_arrow() -> None:
    edges = [("a", "on", "b"), ("b", "back", "a")]
    for given_edges, arrows in ((edges, False), (edges[:1], True)):
        problem = FactoredProblem({"b": "b"}, teammate_model=Model.from_edges(given_edges), start=("a", "a"))
        pixels = raster.draw(start_scene(problem)).reshape(-1, 3)
        assert (share(pixels, ARROW) > 0) == arrows


@pytest.mark.parametrize("name", ALL)
def test_all_moments_of_an_episode_have_one_size(name: str) -> None:
    episode = played(ALL[name]())
    pictures = [raster.draw(scene) for scene in scenes(episode)]
    assert len({picture.shape for picture in pictures}) == 1
    assert len({picture.tobytes() for picture in pictures}) > 1


@pytest.mark.parametrize("name", ["ward", "hostile"])
def test_a_graph_is_never_larger_than_asked_for(name: str) -> None:
    scene = start_scene(ALL[name]())
    for side in (200, LONGEST_SIDE):
        (panel,) = raster.Sheet(scene.floors, side).panels
        assert max(panel.width, panel.height) <= side


@given(models(most=14))
@settings(deadline=None, max_examples=25)
def test_any_graph_can_be_drawn(model: Model) -> None:
    problem = FactoredProblem({"goal": 0}, teammate_model=model, start=(0, 0))
    assert raster.draw(start_scene(problem)).dtype == np.uint8


def test_animations(tmp_path: Path) -> None:
    episode = played(two_maps())
    raster.save_gif(episode, tmp_path / "two.gif")
    with Image.open(tmp_path / "two.gif") as animation:
        assert getattr(animation, "n_frames", 1) == len(episode.steps) + 1


@pytest.mark.parametrize("name", ["ward", "two maps", "graph and map"])
def test_watching(name: str) -> None:
    terminal = Terminal()
    episode = played(ALL[name]())
    assert watch(episode, terminal, sleep=lambda _: None)  # type: ignore[arg-type]
    assert terminal.text.count("\x1b[H") == len(episode.steps) + 1
    assert scene_at(episode, 0).teammate.name in terminal.text
