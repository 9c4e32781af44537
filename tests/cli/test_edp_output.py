"""What ``askwise edp`` prints. All numbers here can be checked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import askwise
from tests.cli.command import Run
from tests.domains.instances import instance_json

COUNTED = "step that tells apart"

FORK = """\
A...B
##.##
##C##
##W##
"""
FORK_TABLE = """\
5 x 4 grid, 12 walls, 3 goals, teammate at (2, 0)

Expected divergence point, EDP(row | column): steps until the row's goal is
ruled out if the teammate pursues the column's goal.
         A      B      C
A        -  4.000  2.000
B    4.000      -  2.000
C    2.000  2.000      -

Worst case (WCD): the latest step at which plans for the two goals first differ.
     A  B  C
A    -  4  2
B    4  -  2
C    2  2  -
"""

# From the cell beside B, a teammate that goes to B steps east and stays: 2. One that goes to A steps east once and
# south six times, and the first step south gives it away: 8/7 on average. This tells rows from columns.
TWO_GOALS = "........B\n" + ".........\n" * 5 + "........A\n"
TWO_GOALS_TABLE = """\
9 x 7 grid, no walls, 2 goals, teammate at (7, 6)

Expected divergence point, EDP(row | column): steps until the row's goal is
ruled out if the teammate pursues the column's goal.
         A      B
A        -  2.000
B    1.143      -

Worst case (WCD): the latest step at which plans for the two goals first differ.
     A  B
A    -  2
B    2  -
"""

# Goals at 1, 2, ..., 14 steps in a row: goals i and j part in step min(i, j) + 1, whatever happens.
CORRIDOR = "W123456789ABCDE\n"
CORRIDOR_SUMMARY = """\
15 x 1 grid, no walls, 14 goals, teammate at (0, 0)

All 182 ordered pairs: mean EDP 6.000, median 5.000, largest 14.000

The 10 pairs that look alike longest (--json prints all); WCD is the step by which they are told apart:
  pursued       to rule out        EDP   WCD
  E             D               14.000    14
  D             E               14.000    14
  D             C               13.000    13
  E             C               13.000    13
  C             D               13.000    13
  C             E               13.000    13
  C             B               12.000    12
  D             B               12.000    12
  E             B               12.000    12
  B             C               12.000    12
"""

WALLED = """\
A...#..B
..#.#...
..#W..#.
....#..C
"""


def test_few_goals_are_shown_in_tables(run: Run) -> None:
    Path("map.txt").write_text(FORK)
    assert run("edp", "map.txt").assert_fine() == FORK_TABLE


def test_the_column_is_pursued_and_the_row_ruled_out(run: Run) -> None:
    assert run("edp", "-", "--at", "7,6", stdin=TWO_GOALS).assert_fine() == TWO_GOALS_TABLE


@pytest.mark.usefixtures("wide_terminal")
def test_many_goals_are_summed_up(run: Run) -> None:
    assert run("edp", "-", stdin=CORRIDOR).assert_fine() == CORRIDOR_SUMMARY


def test_twelve_goals_still_make_a_table(run: Run) -> None:
    printed = run("edp", "-", stdin="W123456789ABC").assert_fine()
    lines = [line.split() for line in printed.splitlines()]
    assert lines[4] + lines[18] == list("123456789ABC")  # nine columns fit in a line, three are below
    assert lines[16] + lines[30] == ["C", *(f"{k}.000" for k in range(2, 11)), "C", "11.000", "12.000", "-"]
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.parametrize(
    ("drawing", "head"),
    [
        ("WA", "2 x 1 grid, no walls, 1 goal, teammate at (0, 0)"),
        ("A#\nW.", "2 x 2 grid, 1 wall, 1 goal, teammate at (0, 0)"),
        ("A#\nA#\n.W", "2 x 3 grid, 2 walls, 1 goal, teammate at (1, 0)"),
    ],
)
def test_one_goal_cannot_be_confused(run: Run, drawing: str, head: str) -> None:
    expected = f"{head}\n\nOnly one goal: there is nothing to tell apart.\n"
    assert run("edp", "-", stdin=drawing).assert_fine() == expected


def test_json_has_the_tables_with_null_for_infinity(run: Run) -> None:
    printed = run("edp", "-", "--json", "--at", "7,6", stdin=TWO_GOALS).assert_fine()
    assert json.loads(printed) == {
        "at": [7, 6],
        "goals": ["A", "B"],
        "edp": [[None, 2.0], [pytest.approx(8 / 7, rel=1e-15), None]],
        "wcd": [[None, 2], [2, None]],
        "wcd_convention": COUNTED,
    }
    assert printed.count("\n") == 1
    assert '"wcd": [[null, 2], [2, null]]' in printed  # whole numbers, not 2.0


def test_json_of_one_goal(run: Run) -> None:
    printed = run("edp", "-", "--json", stdin="WA").assert_fine()
    assert json.loads(printed) == {
        "at": [0, 0],
        "goals": ["A"],
        "edp": [[None]],
        "wcd": [[None]],
        "wcd_convention": COUNTED,
    }


def test_json_agrees_with_the_library(run: Run) -> None:
    found = json.loads(run("edp", "-", "--json", stdin=WALLED).assert_fine())
    drawing = askwise.Drawing.parse(WALLED)
    for i, one in enumerate(found["goals"]):
        for j, other in enumerate(found["goals"]):
            if i == j:
                continue
            pair = (drawing.goals[one], drawing.goals[other])
            assert found["edp"][i][j] == pytest.approx(float(askwise.edp(drawing.grid, *pair, at=(3, 1))), rel=1e-12)
            assert found["wcd"][i][j] == float(askwise.wcd(drawing.grid, *pair, at=(3, 1)))


def test_json_of_many_goals_is_whole(run: Run) -> None:
    found = json.loads(run("edp", "-", "--json", stdin=CORRIDOR).assert_fine())
    expected = [[None if i == j else min(i, j) + 1 for j in range(1, 15)] for i in range(1, 15)]
    assert found == {
        "at": [0, 0],
        "goals": list("123456789ABCDE"),
        "edp": expected,
        "wcd": expected,
        "wcd_convention": COUNTED,
    }


def test_at_comes_before_the_w(run: Run) -> None:
    here = json.loads(run("edp", "-", "--json", "--at", "4,0", stdin="W...A..B").assert_fine())
    assert here["at"] == [4, 0]
    assert here["edp"] == [[None, 1.0], [1.0, None]]
    there = json.loads(run("edp", "-", "--json", stdin="W...A..B").assert_fine())
    assert there["at"] == [0, 0]
    assert there["edp"] == [[None, 5.0], [5.0, None]]


def test_a_goal_of_two_cells(run: Run) -> None:
    # Going to B is one step east, which A's second cell asks for too; going to A is west or east with equal odds.
    found = json.loads(run("edp", "-", "--json", stdin="A.WBA").assert_fine())
    assert found["edp"] == [[None, 2.0], [1.5, None]]


def test_the_ego_agent_of_a_drawing_plays_no_part(run: Run) -> None:
    with_f = run("edp", "-", "--json", stdin="AF.W.B.\n......C").assert_fine()
    assert with_f == run("edp", "-", "--json", stdin="A..W.B.\n......C").assert_fine()


@pytest.mark.parametrize("text", ["A..B\n.W..", "A..B\r\n.W..\r\n", "\n\nA..B\n.W..\n\n", "A..B  \n.W..\t\n"])
def test_line_endings_and_blanks_around_a_drawing_do_not_matter(run: Run, text: str) -> None:
    assert run("edp", "-", stdin=text) == run("edp", "-", stdin="A..B\n.W..\n")


def test_an_instance_gives_stations_and_worker(run: Run) -> None:
    data = instance_json()
    Path("instance.json").write_text(json.dumps(data))
    found = json.loads(run("edp", "instance.json", "--json").assert_fine())
    grid = askwise.GridWorld(20, 20, [(3, 4)])
    assert (found["at"], found["goals"]) == ([5, 0], ["S1", "S2"])
    assert found["edp"][0][1] == pytest.approx(float(askwise.edp(grid, (7, 2), (7, 8), at=(5, 0))))
    assert found["edp"][1][0] == pytest.approx(float(askwise.edp(grid, (7, 8), (7, 2), at=(5, 0))))


def test_only_map_stations_and_worker_of_an_instance_matter(run: Run) -> None:
    def found(**changes: Any) -> str:
        return run("edp", "-", "--json", stdin=json.dumps(instance_json(**changes))).assert_fine()

    assert found() == found(fetcher=[19, 19], toolboxes={"T1": [0, 0]}, prior={"kind": "near"})
    assert found() != found(worker=[6, 0])


def test_an_instance_and_at(run: Run) -> None:
    found = json.loads(run("edp", "-", "--at", "6,2", "--json", stdin=json.dumps(instance_json())).assert_fine())
    assert found["at"] == [6, 2]
    assert found["edp"][1][0] == 2.0  # one step east to S1, which suits S2 as well, then staying


def test_long_station_names_keep_the_columns_apart(run: Run) -> None:
    names = {f"workstation number {k}": {"at": [k, 1], "toolbox": "T1"} for k in range(14)}
    printed = run("edp", "-", stdin=json.dumps(instance_json(stations=names))).assert_fine()
    rows = [line for line in printed.splitlines() if line.startswith("  workstation")]
    assert len(rows) == 10
    for row in rows:
        assert row.count(" workstation") == 2, "the two names run together"


def test_evidence_rules_goals_out_earlier(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "map.txt"
    path.write_text("B....\n.....\n....A\nW....\n")
    shown = json.loads(run("edp", str(path), "--evidence", "0.3", "--json").out)
    assert (shown["evidence"], shown["edp"]) == (0.3, [[None, 1.0], [1.2, None]])
