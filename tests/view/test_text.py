"""Scenes as text: correct letters at all map sizes and with all kinds of names.

Watching in the terminal: one frame after the other, and a clean terminal at the end.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from askwise import simulate
from askwise.domains.tool_fetching import Instance
from askwise.domains.tool_fetching.generate import generate
from askwise.view import text
from askwise.view.scene_builder import scene_at, scenes, start_scene
from askwise.view.text import FROM_TOP, OWN_SCREEN, USUAL_SCREEN, can_watch, watch
from tests.tool_fetching import instance, instances, workshop
from tests.view.episodes import asking, golden, never, question_of, row_of

ESCAPES = re.compile("\x1b\\[[0-9;]*m")


def drawings() -> str:
    """Return drawings of the start, a question, a step with the tool, and the end."""
    episode = asking()
    moments = (0, question_of(episode) + 1, len(episode.steps) // 2, len(episode.steps))
    return "\n".join([*(text.draw(scene_at(episode, k)) for k in moments), text.draw(scene_at(never(), 4))])


def map_of(drawing: str) -> list[str]:
    """Return the lines of the map without coordinates."""
    rows = drawing.split("\n\n")[0].splitlines()[:-1]
    return [row[2:] for row in rows]


def test_golden_drawings() -> None:
    assert drawings() == golden("showing-text.txt", drawings())


def test_every_place_is_where_the_instance_says() -> None:
    assert map_of(text.draw(start_scene(workshop()))) == [
        ".  B  .  .  .  C",
        ".  .  .  .  .  .",
        "T  .  .  ## .  .",
        ".  .  .  ## .  .",
        "W  .  F  .  U  A",
    ]


@pytest.mark.parametrize(
    ("worker", "fetcher", "row"),
    [
        ((0, 0), (3, 0), "WA  B  C FT"),
        ((1, 0), (1, 0), " A &B  C  T"),
        ((0, 1), (0, 1), " A  B  C  T"),
    ],
    ids=["on a station and a toolbox", "both on a station", "elsewhere"],
)
def test_agents_show_what_they_stand_on(worker: tuple[int, int], fetcher: tuple[int, int], row: str) -> None:
    drawing = text.draw(start_scene(row_of("A", "B", "C", worker=worker, fetcher=fetcher)))
    assert drawing.splitlines()[1] == f"0{row}"
    assert ("& worker and fetcher" in drawing) == (worker == fetcher)
    assert ("W worker" in drawing) == (worker != fetcher)


def test_a_question_and_its_answer_stand_out() -> None:
    episode = asking()
    drawing = text.draw(scene_at(episode, question_of(episode)))
    assert "?A" in drawing
    assert "? in the question" in drawing
    assert "\nQUESTION  Is it A?  No.\n" in drawing


def test_a_question_without_an_answer_yet() -> None:
    scene = replace(start_scene(row_of("A", "B", "C")), asked=(0, 2))
    drawing = text.draw(scene)
    assert drawing.splitlines()[1] == "0?A  B ?C  T"
    assert "\nQUESTION  Is it A or C?\n" in drawing


def test_what_is_in_hand() -> None:
    episode = asking()
    assert "fetcher at (2, 0), with empty hands" in text.draw(scene_at(episode, 0))
    assert "fetcher at (5, 4), with the tool of C" in text.draw(scene_at(episode, len(episode.steps)))


def test_the_likeliest_come_first_and_the_ruled_out_are_counted() -> None:
    belief = np.array([0.0, 0.2, 0.0, 0.003, 0.15, 0.15, 0.1, 0.1, 0.1, 0.1, 0.097])
    scene = start_scene(row_of(*"abcdefghijk"), belief)
    assert "\nbelief: b 20 %, e 15 %, f 15 %, g 10 %, h 10 %, i 10 %, 3 more; 2 ruled out\n" in text.draw(scene)
    assert text.draw(scene).splitlines()[1] == "0 x  b  x  d  e  f  g  h  i  j  k  T"


def test_without_a_belief_there_is_no_line_about_it() -> None:
    drawing = text.draw(start_scene(workshop()))
    assert "belief" not in drawing
    assert "ruled out" not in drawing


def test_the_goal_is_told_only_if_it_is_known() -> None:
    scene = start_scene(workshop())
    assert "worker at (0, 0); fetcher" in text.draw(scene)
    assert "worker at (0, 0), whose goal is B; fetcher" in text.draw(replace(scene, goal=1))


# -- sizes of maps -----------------------------------------------------------------------------------------------


def wide(columns: int) -> str:
    return text.draw(start_scene(row_of("S1", "S2", "S13")), columns=columns)


def test_names_get_shorter_as_room_runs_out() -> None:
    assert wide(100).splitlines()[1] == "0 S1   S2   S13  T"
    assert wide(17).splitlines()[1] == "0 S1  S2  S13 T"
    assert wide(13).splitlines()[1] == "0 1  2  13 T"
    assert "stations without the prefix 'S'" in wide(13)
    assert wide(12).splitlines()[1] == "0 o o o T"
    assert "o station, T toolbox" in wide(12)
    assert wide(5).splitlines()[1] == "0oooT"
    assert "each letter stands for" in wide(4)


def test_shortened_names_must_not_look_like_toolboxes() -> None:
    given = instance(
        (3, 1),
        stations={"aT": ((0, 0), "T"), "aU": ((1, 0), "T")},
        toolboxes={"T": (2, 0)},
        worker=(0, 0),
        fetcher=(2, 0),
    )
    assert text.draw(start_scene(given), columns=7).splitlines()[0] == "0 W o F"


def test_coordinates_stand_below_their_columns() -> None:
    rows = text.draw(start_scene(generate(width=30, height=3, stations=3, toolboxes=1, seed=1))).split("\n\n")[0]
    axis = rows.splitlines()[-1]
    row = rows.splitlines()[0]
    for x in re.finditer(r"\d+", axis):
        assert x.start() == 1 + 1 + 3 * int(x[0])
    assert len(row) <= 1 + 3 * 30


def test_a_large_map_is_summed_up_in_blocks() -> None:
    given = instance(
        (1000, 500),
        stations={"A": ((5, 499), "T"), "B": ((995, 0), "T")},
        toolboxes={"T": (500, 250)},
        worker=(0, 0),
        fetcher=(999, 499),
    )
    drawing = text.draw(start_scene(given, np.array([1.0, 0.0])), columns=51, rows=60)
    rows = drawing.split("\n\n")[0].splitlines()
    assert "each letter stands for 20 x 40 cells" in drawing.replace("\n", " ")
    assert [len(row) for row in rows] == [50] * 13
    assert (rows[0][0], rows[0][-1]) == ("o", "F")
    assert (rows[-1][0], rows[-1][-1]) == ("W", "x")
    assert rows[6][25] == "T"
    assert "".join(rows).count(".") == 13 * 50 - 5


def test_agents_in_one_block_are_both_seen() -> None:
    given = instance(
        (400, 4), stations={"A": ((399, 3), "T")}, toolboxes={"T": (399, 0)}, worker=(0, 0), fetcher=(1, 1)
    )
    drawing = text.draw(start_scene(given), columns=60)
    assert "&" in drawing.splitlines()[0]


def test_walls_of_a_large_map() -> None:
    solid = [(x, y) for x in range(100, 160) for y in range(12)]
    sparse = [(x, y) for x in range(200, 260) for y in range(0, 12, 3)]
    given = instance(
        (300, 12),
        walls=solid + sparse,
        stations={"A": ((99, 0), "T")},
        toolboxes={"T": (9, 0)},
        worker=(0, 0),
        fetcher=(1, 1),
    )
    drawing = text.draw(start_scene(given), columns=51)
    assert drawing.splitlines()[0][17:26] == "#########"
    assert drawing.splitlines()[0][34:43] == ":::::::::"
    assert ": at least a quarter walls" in drawing


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "a\u2028b", "\ud800"])
def test_names_cannot_break_a_drawing(name: str) -> None:
    drawing = text.draw(start_scene(row_of(name, "other"), np.array([0.5, 0.5])))
    assert all(line.isprintable() for line in drawing.splitlines())
    assert len(drawing.splitlines()) == 8


def test_wide_letters_keep_the_columns() -> None:
    drawing = text.draw(start_scene(row_of("日本", "B")))
    assert drawing.splitlines()[0] == "1 W     F     ."
    assert drawing.splitlines()[1] == "0 日本  B     T"


def test_a_long_name_does_not_stretch_the_map() -> None:
    drawing = text.draw(start_scene(row_of("a station with a long name", "B")))
    assert drawing.splitlines()[1] == "0 o o T"


def test_a_toolbox_under_a_station_is_mentioned() -> None:
    given = instance((2, 1), stations={"A": ((0, 0), "T")}, toolboxes={"T": (0, 0)}, worker=(1, 0), fetcher=(1, 0))
    drawing = text.draw(start_scene(given))
    assert drawing.splitlines()[0] == "0 A  &"
    assert "T lies under A" in drawing


# -- colours -----------------------------------------------------------------------------------------------------


@given(instances())
def test_colours_change_nothing_but_the_colours(drawn: Instance) -> None:
    episode = simulate(drawn, "never", seed=1)
    for k in (0, len(episode.steps)):
        scene = scene_at(episode, k)
        plain, colourful = text.draw(scene), text.draw(scene, colour=True)
        assert colourful != plain
        stripped = [line.rstrip() for line in ESCAPES.sub("", colourful).splitlines()]
        assert stripped == [line.rstrip() for line in plain.splitlines()]


def test_the_likelier_the_darker_and_the_ruled_out_are_grey() -> None:
    scene = start_scene(row_of("A", "B", "C"), np.array([0.9, 0.1, 0.0]))
    row = text.draw(scene, colour=True).splitlines()[1]
    assert "\x1b[48;5;18;38;5;231mA\x1b[0m" in row
    assert "\x1b[48;5;115;38;5;16mB\x1b[0m" in row
    assert "\x1b[38;5;244mx\x1b[0m" in row


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
