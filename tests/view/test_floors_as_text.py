"""Graphs and two floors as text: golden drawings, and properties that hold for all names and sizes."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from askwise.core.problem import joint_state
from askwise.view import text
from askwise.view.scene_builder import scene_at, scene_of, start_scene
from askwise.view.summary import describe, episode_to_text
from tests.view.episodes import golden
from tests.view.floors import ALL, coverage, graph_and_map, hostile, kitchen, large, played, two_maps, ward

ESCAPES = re.compile("\x1b\\[[0-9;]*m")
TOLD = ("ward", "kitchen", "two maps", "graph and map", "coverage")


def drawings() -> str:
    """Return, for each problem, its description, three moments of an episode, and the episode as text."""
    parts = []
    for name in TOLD:
        episode = played(ALL[name]())
        moments = [text.draw(scene_at(episode, k)) for k in (0, 1, len(episode.steps))]
        parts += [f"== {name}\n", describe(episode.problem), *moments, episode_to_text(episode)]
    return "\n".join(parts)


def test_golden_drawings() -> None:
    assert drawings() == golden("showing-grounds.txt", drawings())


def test_a_graph_lists_where_one_can_go() -> None:
    lines = text.draw(start_scene(ward())).splitlines()
    assert lines[0] == "T   desk          -> hall (go)"
    assert lines[3] == "  o room 1        -> hall (out)"
    assert lines[5] == "  o room 2        [rounds] -> corridor (out)"
    assert lines[7] == "  o laundry       [washing] -> nowhere"


def test_what_is_asked_and_ruled_out_is_signed_in_lists() -> None:
    scene = replace(start_scene(ward(), np.array([0.0, 0.5, 0.5])), asked=(1,))
    lines = text.draw(scene).splitlines()
    assert [line[2] for line in lines[:8]] == list("   x ??o")


def test_both_in_one_place() -> None:
    problem = ward()
    scene = scene_of(problem, joint_state(problem, "hall", "hall"))
    assert text.draw(scene).splitlines()[1].startswith("&   hall")


def test_two_maps_stand_side_by_side() -> None:
    lines = text.draw(start_scene(two_maps())).splitlines()
    assert lines[0] == "teammate" + " " * 25 + "|  ego agent"
    assert lines[1] == "2 soup  .     .     .     pie    |  1 .     E     .    *pie"
    assert lines[2] == "1 .     .     ##### .     .      |  0*soup  .     .    *pie"


def test_the_ego_agent_is_on_its_own_ground_only() -> None:
    drawing = text.draw(start_scene(graph_and_map()))
    above, below = drawing.split("ego agent:\n", 1)
    assert "\nT   desk" in above
    assert not re.search(r"^.?E", above, re.MULTILINE)
    assert "1 .  ## E  ." in below


def test_places_that_the_map_cannot_show_are_told() -> None:
    assert "for A the ego agent goes to C or B" in text.draw(start_scene(coverage()))
    assert "for tea the ego agent goes to pie" in text.draw(start_scene(kitchen()))
    assert "*soup+1" in text.draw(start_scene(kitchen()))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("columns", [20, 60, 100])
def test_colours_change_nothing_but_the_colours(name: str, columns: int) -> None:
    episode = played(ALL[name]())
    for k in (0, 1, len(episode.steps)):
        plain, colourful = (text.draw(scene_at(episode, k), colour=colour, columns=columns) for colour in (False, True))
        stripped = [line.rstrip() for line in ESCAPES.sub("", colourful).splitlines()]
        assert stripped == [line.rstrip() for line in plain.splitlines()]


def test_names_cannot_break_a_list() -> None:
    drawing = text.draw(start_scene(hostile(), np.full(6, 1 / 6)), columns=100)
    listed = drawing.split("\n\n")[0].splitlines()
    assert len(listed) == 7
    assert all(line.isprintable() for line in drawing.splitlines())
    assert max(map(len, listed)) <= 100


def test_of_many_states_those_that_matter_are_listed() -> None:
    drawing = text.draw(start_scene(large(10_000)), rows=12)
    listed = drawing.split("\n\n")[0].splitlines()
    assert len(listed) <= 12
    assert [line[0] for line in listed].count("T") == [line[0] for line in listed].count("E") == 1
    assert [line[2] for line in listed].count("o") == 4
    assert f"{10_000 - len(listed)} of 10000 states are not listed" in drawing
