"""Pictures that ``askwise edp --png`` draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from askwise.cli import edp
from askwise.text import files
from tests.cli.command import Run
from tests.domains.instances import instance_json

TWO_GOALS = "....B\n.....\nW...A\n"
WALLED_THREE = "A..#.\n.#W#.\n.#.#B\nC...#\n"
POCKET = "A.#.#\n.W###\n....B\n"
LARGE = "\n".join([("." * 99 + "B"), *["." * 100] * 80, ("W" + "." * 98 + "A"), "C" + "#" * 99])
CORRIDOR = "W123456789ABCDE"


def assert_picture(path: Path) -> None:
    """Check that the file is a whole PNG with something on it."""
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        picture.load()  # fails on a truncated file
        assert min(picture.size) >= 500
        assert len(picture.convert("RGB").getcolors(maxcolors=2**24) or []) > 20


@pytest.mark.parametrize(
    "drawing",
    ["W", TWO_GOALS, POCKET, LARGE, CORRIDOR],
    ids=["single cell", "two goals", "walled pocket", "large map", "corridor of 14 goals"],
)
def test_a_picture_is_drawn(run: Run, drawing: str) -> None:
    text = drawing.replace("W", "A") if drawing == "W" else drawing
    options = ("--at", "0,0") if drawing == "W" else ()
    printed = run("edp", "-", *options, "--png", "x.png", stdin=text).assert_fine()
    assert printed.endswith("\n\nWritten: x.png\n")
    assert_picture(Path("x.png"))


def test_json_is_all_that_is_printed_beside_a_picture(run: Run) -> None:
    printed = run("edp", "-", "--json", "--png", "x.png", stdin=TWO_GOALS).assert_fine()
    assert json.loads(printed)["goals"] == ["A", "B"]
    assert_picture(Path("x.png"))


def test_a_picture_takes_the_place_of_an_older_one(run: Run) -> None:
    Path("x.png").write_text("an older file")
    run("edp", "-", "--png", "x.png", stdin=TWO_GOALS).assert_fine()
    assert_picture(Path("x.png"))
    assert list(Path.cwd().iterdir()) == [Path.cwd() / "x.png"]


@pytest.mark.parametrize("name", ["X.PNG", "x.svg", "x.pdf"])
def test_the_ending_decides_the_kind(run: Run, name: str) -> None:
    run("edp", "-", "--png", name, stdin=TWO_GOALS).assert_fine()
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[Path(name).suffix.lower()]
    assert Path(name).read_bytes().startswith(start)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Keep the figures instead of writing them, to see what is on them."""
    kept: list[Figure] = []
    monkeypatch.setattr(files, "save_figure", lambda figure, _, **__: kept.append(figure))
    return kept


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


def test_two_goals_get_the_map_with_both_numbers(run: Run, drawn: list[Figure]) -> None:
    run("edp", "-", "--png", "x.png", stdin=TWO_GOALS).assert_fine()
    assert [ax.get_title() for ax in drawn[0].axes] == ["EDP(A | B) / EDP(the other way)", ""]
    # From (0, 0) B takes four steps east and two north in any order, and its first step north rules A out: 7/3.
    # A takes four steps east, which B may do as well, and stays: 5.
    assert texts(drawn[0])[0] == "2.33\n5"
    assert len(texts(drawn[0])) == 15 + 2


def test_captions_name_the_evidence_and_numbers_use_it(run: Run, drawn: list[Figure]) -> None:
    run("edp", "-", "--png", "x.png", "--evidence", "0.5", stdin=TWO_GOALS).assert_fine()
    assert drawn[0].axes[0].get_title() == "EDP(A | B) / EDP(the other way)\nby evidence of 0.5"
    # Of four steps east and two north for B, 4/6 begin east, then 3/5 of them: below 1/2 after two steps for A.
    assert texts(drawn[0])[0] == "2.33\n2"
    run("edp", "-", "--png", "x.png", "--evidence", "0.5", stdin=WALLED_THREE.replace("C...#", "C....")).assert_fine()
    titles = [ax.get_title() for ax in drawn[1].axes[:2]]
    assert titles == ["where goals are hard to tell apart\nby evidence of 0.5", "EDP at (2, 2) by evidence of 0.5"]


def test_more_goals_get_the_map_of_all_and_the_matrix(run: Run, drawn: list[Figure]) -> None:
    run("edp", "-", "--png", "x.png", stdin=WALLED_THREE).assert_refused(
        "askwise edp: goal B: found no way to it from state (2, 2); expected a goal that can be reached"
    )
    run("edp", "-", "--png", "x.png", stdin=WALLED_THREE.replace("C...#", "C....")).assert_fine()
    titles = [ax.get_title() for ax in drawn[0].axes]
    assert titles == ["where goals are hard to tell apart", "EDP at (2, 2)", "", ""]
    assert [text for text in texts(drawn[0]) if text in "ABC"] == ["A", "B", "C"]


def test_a_map_too_large_to_colour_shows_its_goals_only(
    run: Run, drawn: list[Figure], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edp, "LARGEST_TABLE", 8 * 15 * 14**2 - 1)
    run("edp", "-", "--png", "x.png", stdin=CORRIDOR).assert_fine()
    assert [ax.get_title() for ax in drawn[0].axes] == ["", "EDP at (0, 0)", ""]
    monkeypatch.setattr(edp, "LARGEST_TABLE", 8 * 15 * 14**2)
    run("edp", "-", "--png", "x.png", stdin=CORRIDOR).assert_fine()
    assert drawn[1].axes[0].get_title() == "where goals are hard to tell apart"


NAMES = {
    "dollars": ["$x^2$", "$\\nonsense$", "$"],
    "letters of other scripts": ["日本", "\U0001f600", "é"],
    "control characters": ["\x1b[31m", "\x00", "a\nb"],
    "very long": ["a" * 200, "B", "C"],
}


@pytest.mark.parametrize(("kind", "count"), [*((kind, 3) for kind in NAMES), ("dollars", 2), ("control characters", 2)])
def test_any_name_can_be_drawn(run: Run, kind: str, count: int) -> None:
    """With three goals on a map and in a matrix; with two there is another picture, with the same names on it."""
    stations = {name: {"at": [k, 1], "toolbox": "T1"} for k, name in enumerate(NAMES[kind][:count])}
    given = json.dumps(instance_json(stations=stations))
    outcome = run("edp", "-", "--json", "--png", "x.png", stdin=given)
    assert (outcome.code, outcome.err) == (0, "")
    assert_picture(Path("x.png"))


def test_a_planning_problem_gets_its_matrix(run: Run, drawn: list[Figure]) -> None:
    words = str(Path(__file__).parents[2] / "examples" / "words")
    assert run("edp", words, "--picture", "x.pdf").assert_fine().endswith("\n\nWritten: x.pdf\n")
    ax = drawn[0].axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("goal that is pursued", "goal to be ruled out")
    assert len(ax.texts) == 5 * 4, "every pair of different goals has its number"
    assert drawn[0].get_size_inches()[0] == pytest.approx(3.3), "as wide as a column"
