"""``askwise reproduce``: the table, the pictures, the exit code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from askwise.studies import two_goal_grid
from askwise.studies.two_goal_grid import Comparison
from tests.cli.command import Run

REPORT = """\
The two-goal grid of the paper: 9 x 7 cells, goals g1 at (8, 0) and g2 at (8, 6)

                                                          paper         askwise
divergence point of east, east, north from (4, 3)         3             3
Z_I, teammate at (4, 3)                                   t <= 5        t <= 5
Z_B, ego agent at (5, 4)                                  t >= 4        t >= 4
Z_Q, ego agent at (5, 4)                                  4 <= t <= 5   4 <= t <= 5
Z_B, ego agent at (2, 4)                                  t >= 7        t >= 7
Z_Q, ego agent at (2, 4)                                  empty         empty
ECD at (7, 6)                                             1.67          1.67
ECD at (7, 6) differs from both EDPs and their mean       yes           yes

Expected divergence points with the teammate at (4, 3) (the figure is missing from our copy of the paper):
  EDP(g1 | g2) = 2.0000, EDP(g2 | g1) = 2.0000

8 of 8 numbers agree with the paper.
Written: results/today/figures/edp-map.png
"""


def test_the_report_and_the_pictures(run: Run) -> None:
    assert run("reproduce", "--grid-only", "--out", "results/today").assert_fine() == REPORT
    folder = Path("results/today/figures")
    assert sorted(path.name for path in folder.iterdir()) == ["edp-map.png", "edp-map.svg"]
    with Image.open(folder / "edp-map.png") as picture:
        picture.load()
        assert picture.format == "PNG"
        assert min(picture.size) >= 1000
    assert (folder / "edp-map.svg").read_text().rstrip().endswith("</svg>")

    # Once more, into the folder that is used if none is named: the same bytes.
    run("reproduce", "--grid-only").assert_fine()
    for name in ("edp-map.png", "edp-map.svg"):
        assert (folder / name).read_bytes() == (Path("out/reproduce/figures") / name).read_bytes()


@pytest.fixture
def empty_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: these tests look at what is around the pictures."""
    monkeypatch.setattr(two_goal_grid, "figure", Figure)


@pytest.mark.usefixtures("empty_figure")
def test_a_number_that_differs_is_marked_and_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    right = list(two_goal_grid.comparisons())

    def one_wrong() -> Iterator[Comparison]:
        yield Comparison(right[0].what, right[0].paper, "4")
        yield from right[1:]

    monkeypatch.setattr(two_goal_grid, "comparisons", one_wrong)
    outcome = run("reproduce", "--grid-only", "--out", "here")
    assert outcome.code == 1
    marked = [line for line in outcome.out.splitlines() if line.endswith("DIFFERS")]
    assert marked == ["divergence point of east, east, north from (4, 3)         3             4             DIFFERS"]
    assert "\n7 of 8 numbers agree with the paper.\n" in outcome.out


@pytest.mark.parametrize(
    ("folder", "why"), [("file", "file exists"), ("file/below", "not a directory"), ("file/a/b", "not a directory")]
)
def test_a_folder_that_cannot_be_made_is_refused(run: Run, folder: str, why: str) -> None:
    Path("file").write_text("in the way")
    run("reproduce", "--grid-only", "--out", folder).assert_refused(
        f"askwise reproduce: folder {folder!r}: found {why}; expected a folder that can be written to"
    )


@pytest.mark.usefixtures("empty_figure")
def test_a_picture_that_cannot_be_written_fails_without_a_traceback(run: Run) -> None:
    Path("here/figures/edp-map.png").mkdir(parents=True)
    outcome = run("reproduce", "--grid-only", "--out", "here")
    assert outcome.code == 2
    assert outcome.err == (
        "askwise reproduce: file 'here/figures/edp-map.png': found a folder, not a file; "
        "expected a place that can be written to\n"
    )


def test_a_folder_without_name_is_refused(run: Run) -> None:
    run("reproduce", "--grid-only", "--out", "").assert_refused_somehow()
    assert list(Path.cwd().iterdir()) == []
