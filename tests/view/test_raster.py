"""Pictures: size, type, and the right colour in the right place.

Animated pictures of episodes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from PIL import Image, ImageSequence

from askwise import simulate
from askwise.domains.tool_fetching import Instance
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.view import raster
from askwise.view.palette import (
    EGO,
    FLOOR,
    LANDMARK,
    NO_BELIEF,
    RAMP,
    RULED_OUT,
    TEAMMATE,
    WALL,
    Colour,
    ink_on,
    luminance,
    shade,
)
from askwise.view.panels import BELOW, DIGITS, MapPanel, labelled
from askwise.view.pen import font
from askwise.view.scene import Map
from askwise.view.scene_builder import scene_at, scenes, start_scene
from tests.tool_fetching import instance, instances, workshop
from tests.view.episodes import asking, question_of, row_of

CELL = 48


def panel_of(width: int, height: int) -> MapPanel:
    """Return the panel of an open map in its picture."""
    (panel,) = raster.Sheet([Map(np.zeros((height, width), dtype=np.bool_))]).panels
    assert isinstance(panel, MapPanel)
    return panel


LAYOUT = panel_of(6, 5)
LEFT = LAYOUT.left
BOTTOM = 5 * CELL
STRIP = BOTTOM + BELOW
"""The panel of `workshop`: its map is narrower than the strip below, and centred above it."""


def pixel(picture: raster.Pixels, x: int, y: int, right: int = 0, down: int = 0) -> Colour:
    """Return the colour of a pixel, given by a cell and an offset from its centre in pixels."""
    column = LEFT + x * CELL + CELL // 2 + right
    row = BOTTOM - (y + 1) * CELL + CELL // 2 + down
    red, green, blue = picture[row, column].tolist()
    return red, green, blue


@pytest.fixture(scope="module")
def question() -> raster.Pixels:
    """A moment at which the fetcher asks about A; nothing is ruled out yet."""
    return raster.draw(scene_at(asking(), 0))


@pytest.fixture(scope="module")
def with_tool() -> raster.Pixels:
    """A moment at which the fetcher carries the tool of C; A and B are ruled out."""
    episode = asking()
    return raster.draw(scene_at(episode, 6))


def test_shape_and_type(question: raster.Pixels) -> None:
    assert question.dtype == np.uint8
    assert question.ndim == 3
    assert question.shape[1:] == (480, 3)
    assert question.shape[0] > BOTTOM


def test_floor_and_walls(question: raster.Pixels) -> None:
    assert pixel(question, 3, 1) == pixel(question, 3, 2) == WALL
    assert pixel(question, 4, 1) == pixel(question, 0, 4) == FLOOR


def test_agents(question: raster.Pixels) -> None:
    assert pixel(question, 0, 0, down=-14) == TEAMMATE
    assert pixel(question, 2, 0, down=-14) == EGO


def test_toolboxes(question: raster.Pixels) -> None:
    assert pixel(question, 0, 2, right=-16, down=16) == pixel(question, 4, 0, right=-16, down=16) == LANDMARK


def test_stations_are_coloured_by_belief(question: raster.Pixels) -> None:
    for x, y in ((5, 0), (1, 4), (5, 4)):
        assert pixel(question, x, y, right=-16) == shade(1 / 3)


def test_the_stations_in_the_question_are_framed(question: raster.Pixels) -> None:
    assert pixel(question, 5, 0, right=-23) == EGO
    assert pixel(question, 1, 4, right=-23) != EGO


def test_ruled_out_stations_are_grey_and_small(with_tool: raster.Pixels) -> None:
    assert pixel(with_tool, 1, 4, right=-11) == RULED_OUT
    assert pixel(with_tool, 1, 4, right=-17) == FLOOR
    assert pixel(with_tool, 5, 4, right=-16) == shade(1.0) == RAMP[-1]


def test_the_tool_is_seen_in_the_hand(question: raster.Pixels, with_tool: raster.Pixels) -> None:
    fetcher = scene_at(asking(), 6).ego.at
    assert pixel(with_tool, int(fetcher[0]), int(fetcher[1]), right=28, down=23) == LANDMARK
    assert pixel(question, 2, 0, right=28, down=23) != LANDMARK


def test_the_goal_has_a_star_only_if_it_is_known() -> None:
    scene = scene_at(asking(), 0)
    assert pixel(raster.draw(scene), 5, 4, right=17, down=-17) == TEAMMATE
    assert pixel(raster.draw(replace(scene, goal=None)), 5, 4, right=17, down=-17) != TEAMMATE


def test_agents_in_one_cell_are_both_seen() -> None:
    episode = asking()
    picture = raster.draw(scene_at(episode, len(episode.steps)))
    assert pixel(picture, 5, 4, right=-19, down=-10) == TEAMMATE
    assert pixel(picture, 5, 4, right=15, down=2) == EGO


def test_stations_without_a_belief_have_a_colour_of_their_own() -> None:
    assert pixel(raster.draw(start_scene(workshop())), 1, 4, right=-16) == NO_BELIEF


def test_all_moments_of_an_episode_have_one_size_and_differ() -> None:
    pictures = [raster.draw(scene) for scene in scenes(asking())]
    assert len({picture.shape for picture in pictures}) == 1
    assert len({picture.tobytes() for picture in pictures}) == len(pictures)


def test_the_strip_tells_step_and_question() -> None:
    scene = scene_at(asking(), 0)
    strip = raster.draw(scene)[STRIP:]
    for other in (replace(scene, progress="step 2"), replace(scene, reply="Yes"), replace(scene, asked=(1,))):
        changed = raster.draw(other)
        assert (changed[STRIP:] != strip).any()


def test_a_question_that_is_too_long_is_cut() -> None:
    names = [f"a long name of a station {k}" for k in range(12)]
    scene = replace(start_scene(row_of(*names), np.full(12, 1 / 12)), asked=tuple(range(11)), reply="Yes")
    picture = raster.draw(scene)
    assert (picture[:, -3:] == 255).all(axis=2).sum() > picture.shape[0] // 4


@given(instances(max_side=6))
def test_any_instance_can_be_drawn(drawn: Instance) -> None:
    episode = simulate(drawn, "never", seed=2)
    for k in (0, len(episode.steps)):
        picture = raster.draw(scene_at(episode, k))
        assert picture.dtype == np.uint8
        assert picture.shape[2] == 3


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\ud800", "日本", "\U0001f600", "long" * 100])
def test_names_cannot_break_a_picture(name: str) -> None:
    scene = replace(start_scene(row_of(name, "B"), np.array([0.5, 0.5])), asked=(0,), reply="Yes")
    assert raster.draw(scene).shape[1] == 480


@pytest.mark.parametrize(("width", "height"), [(2, 1), (3, 200), (200, 3), (720, 720), (721, 400), (3000, 10)])
def test_a_picture_is_never_larger_than_asked_for(width: int, height: int) -> None:
    scene = start_scene(generate(width=width, height=height, stations=1, toolboxes=1, seed=1))
    picture = raster.draw(scene, longest_side=360)
    assert picture.shape[1] == 360
    assert picture.shape[0] <= 360 + 250


def test_the_coordinates_are_written_beside_and_below(question: raster.Pixels) -> None:
    for k in range(6):
        column = LEFT + k * CELL + CELL // 2
        below = question[BOTTOM + 2 : STRIP - 1, column - 6 : column + 6]
        assert (below < 200).any(), f"x = {k}"
        assert (question[BOTTOM + 2 : STRIP - 1, column + 10 : column + 30] == 255).all()
    for k in range(5):
        row = BOTTOM - k * CELL - CELL // 2
        assert (question[row - 6 : row + 6, LEFT - 14 : LEFT - 2] < 200).any(), f"y = {k}"
    assert (question[:BOTTOM, : LEFT - 20] == 255).all()


@pytest.mark.parametrize(("width", "height"), [(20, 20), (9, 200), (600, 300), (10_000, 100), (1, 1)])
def test_coordinates_do_not_run_into_each_other(width: int, height: int) -> None:
    layout = panel_of(width, height)
    longest = font(DIGITS).getlength(str(width - 1))
    along_x, along_y = (
        labelled(width, layout.cell, longest + 6),
        labelled(height, layout.cell, DIGITS + 4),
    )
    assert along_x.step * layout.cell >= longest + 6
    assert along_y.step * layout.cell > DIGITS
    assert layout.beside > font(DIGITS).getlength(str(height - 1))
    assert layout.left >= layout.beside
    assert (along_x[0], along_y[0]) == (0, 0)


@pytest.mark.parametrize(("cell", "apart"), [(40, 1), (15, 1), (14, 2), (7, 5), (2.9, 10), (1, 20), (0.02, 1000)])
def test_coordinates_are_at_round_distances(cell: float, apart: int) -> None:
    assert labelled(10_000, cell, 15) == range(0, 10_000, apart)


def test_a_map_of_one_cell() -> None:
    given = instance((1, 1), stations={"A": ((0, 0), "T")}, toolboxes={"T": (0, 0)}, worker=(0, 0), fetcher=(0, 0))
    assert raster.draw(start_scene(given)).shape[1] == 480


def test_on_a_large_map_marks_are_still_seen() -> None:
    scene = start_scene(generate(width=600, stations=20, toolboxes=3, walls=0.2, seed=4), np.full(20, 0.05))
    picture = raster.draw(scene)
    x, y = scene.teammate.at
    column, row = map(round, panel_of(600, 600).centre((x, y)))
    around = picture[row - 8 : row + 8, column - 8 : column + 8].reshape(-1, 3)
    assert (around == TEAMMATE).all(axis=1).sum() > 30


def test_the_file_holds_the_picture(tmp_path: Path) -> None:
    scene = scene_at(asking(), 0)
    raster.save_png(scene, tmp_path / "scene.PNG")
    assert (np.asarray(Image.open(tmp_path / "scene.PNG")) == raster.draw(scene)).all()
    assert [path.name for path in tmp_path.iterdir()] == ["scene.PNG"]


@pytest.mark.parametrize(("name", "found"), [("scene.jpg", "the ending '.jpg'"), ("scene", "no ending")])
def test_another_ending_is_refused(tmp_path: Path, name: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        raster.save_png(scene_at(asking(), 0), tmp_path / name)
    assert str(caught.value) == f"file {str(tmp_path / name)!r}: found {found}; expected the ending '.png'"
    assert list(tmp_path.iterdir()) == []


# -- colours -----------------------------------------------------------------------------------------------------


def test_belief_can_be_read_without_seeing_colours() -> None:
    shades = [luminance(shade(p)) for p in np.linspace(0, 1, 50)]
    assert all(later < earlier for earlier, later in pairwise(shades))


def test_letters_can_be_read_on_every_shade() -> None:
    for p in np.linspace(0, 1, 101):
        floor = luminance(shade(float(p)))
        ink = luminance(ink_on(shade(float(p))))
        contrast = (max(floor, ink) + 0.05) / (min(floor, ink) + 0.05)
        assert contrast > 3


def test_grey_means_ruled_out_only() -> None:
    def colourfulness(colour: Colour) -> int:
        return max(colour) - min(colour)

    assert colourfulness(RULED_OUT) == 0
    assert min(colourfulness(shade(float(p))) for p in np.linspace(0, 1, 101)) > 40


def test_a_narrow_picture_has_a_narrow_strip() -> None:
    assert raster.draw(start_scene(workshop()), longest_side=200).shape[1] == 200


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


def test_an_animation_with_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        raster.save_gif(asking(), tmp_path / "episode.png")
    assert (
        str(caught.value)
        == f"file {str(tmp_path / 'episode.png')!r}: found the ending '.png'; expected the ending '.gif'"
    )
