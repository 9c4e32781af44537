"""Figures of scenes and episodes for papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from askwise.api import as_problem
from askwise.core.problem import Problem
from askwise.play.simulate import simulate
from askwise.view import scene_figure
from askwise.view.scene_builder import start_scene
from askwise.view.scene_figure import SceneFigure, save_episode, save_scene

EXAMPLES = Path(__file__).parents[2] / "examples"


def problem(name: str) -> Problem:
    return as_problem(str(EXAMPLES / name))


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def figure_of(name: str) -> Figure:
    given = problem(name)
    return SceneFigure(start_scene(given, given.prior)).draw()


def test_the_legend_lists_only_what_is_drawn() -> None:
    found = texts(figure_of("kitchen.toml"))
    assert {"cook", "helper", "where the helper goes", "wall", "probability"} <= set(found)
    assert not {"in the question", "ruled out", "tool in hand", "toolbox", "true goal"} & set(found)


def test_each_station_names_its_toolbox() -> None:
    found = texts(figure_of("workshop.json"))
    boxes = [found[k + 1] for k, text in enumerate(found) if text == "S9"]
    assert boxes == ["T1"]


@pytest.mark.parametrize("name", ["kitchen.toml", "workshop.json", "ward.toml"])
def test_texts_stay_inside_and_do_not_overlap(name: str) -> None:
    figure = figure_of(name)
    assert figure.get_size_inches()[0] == pytest.approx(3.3)
    figure.canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent()) for text in figure.axes[0].texts]
    for text, box in boxes:
        assert min(box.x0, box.y0) >= 0, text
        assert (box.x1 <= figure.bbox.x1, box.y1 <= figure.bbox.y1) == (True, True), text
    for k, (one, box) in enumerate(boxes):
        for other, second in boxes[:k]:
            # Boxes include the room for descenders: neighbours in one mark may touch.
            wide = min(box.x1, second.x1) - max(box.x0, second.x0)
            high = min(box.y1, second.y1) - max(box.y0, second.y0)
            assert wide <= 0 or high <= 0.35 * min(box.height, second.height), (one, other)


def test_long_names_become_numbers_with_a_key() -> None:
    given = problem("kitchen.toml")
    scene = start_scene(given, given.prior)
    goals = tuple(type(goal)(f"a very long name of dish {k}", goal.at) for k, goal in enumerate(scene.goals))
    found = texts(SceneFigure(type(scene)(**{**vars(scene), "goals": goals})).draw())
    assert "1" in found
    assert "1 a very long name of dish 0" in found


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_an_episode_shows_its_questions(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    episode = simulate(problem("kitchen.toml"), "ezq", seed=3)
    path = tmp_path / f"x.{ending}"
    save_episode(episode, path)
    assert path.stat().st_size > 1000
    kept: list[Figure] = []
    monkeypatch.setattr(scene_figure, "save_figure", lambda figure, _, **__: kept.append(figure))
    save_episode(episode, path)
    found = texts(kept[0])
    assert "true goal" in found
    assert sum(text.startswith(("1: ", "2: ", "3: ")) for text in found) == len(episode.questions) > 0


def test_a_scene_is_saved_the_same_way_twice(tmp_path: Path) -> None:
    given = problem("workshop.json")
    for name in ("a.svg", "b.svg"):
        save_scene(start_scene(given), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
