"""``askwise edp`` on planning problems."""

# ruff: noqa: E501 - whole messages stand on one line beside what they are about

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from askwise.cli import common
from askwise.divergence import Divergence
from askwise.model import GridWorld
from tests.cli.command import Run
from tests.pddl.problems import INTRUSION, TWO_EXITS, Files, blocks
from tests.pddl.test_archive import archive

pytestmark = pytest.mark.usefixtures("wide_terminal")

EXITS = """\
exits: 2 goals, 80 actions, 25 atoms
optimal plans of 6 steps; 25 states on them (exact)

Expected divergence point, EDP(row | column): steps until the row's goal is
ruled out if the actor pursues the column's goal by an optimal plan, all
equally likely.
         1      2
1        -  2.333
2    2.333      -

Worst case (WCD): the longest common prefix of optimal plans, in steps. The
step after it tells the two apart.
     1  2
1    -  4
2    4  -

All 2 ordered pairs:
  EDP              mean 2.333, median 2.333, largest 2.333
  WCD              4 (longest common prefix)
  told apart by    step 5

Goals, and the steps of their optimal plans:
     1      6  robot c0-4
     2      6  robot c4-4
"""


def written(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_few_goals_are_shown_as_tables(run: Run, tmp_path: Path) -> None:
    assert run("edp", str(written(tmp_path / "exits", TWO_EXITS))).assert_fine() == EXITS


def test_an_archive_or_its_files_by_themselves(run: Run, tmp_path: Path) -> None:
    packed = archive(tmp_path / "exits.tar.bz2", TWO_EXITS)
    assert run("edp", str(packed)).assert_fine() == EXITS
    written(tmp_path / "files", TWO_EXITS)
    alone = run("edp", "files/domain.pddl", "files/template.pddl", "--goals", "files/hyps.dat").assert_fine()
    assert alone == EXITS.replace("exits:", "template:")


def test_after_what_was_seen(run: Run, tmp_path: Path) -> None:
    files = {**TWO_EXITS, "obs.dat": "(MOVE C2-0 C2-1)\n(MOVE C2-1 C2-2)\n"}
    folder = str(written(tmp_path / "exits", files))
    found = json.loads(run("edp", folder, "--obs", "--json").assert_fine())
    assert found["seen"] == ["move c2-0 c2-1", "move c2-1 c2-2"]
    assert found["edp"][0][1] == pytest.approx(5 / 3)
    assert (found["wcd"], found["told_apart"]) == ([[None, 2], [2, None]], [[None, 3], [3, None]])
    (tmp_path / "more.dat").write_text("(move c2-0 c1-0)", encoding="utf-8")
    text = run("edp", folder, "--obs", "more.dat").assert_fine()
    assert "after 1 action: 1 of 2 goals still possible\n\nOnly goal 1 is left: there is nothing to tell apart." in text
    assert "     2      6  robot c4-4  (ruled out)\n" in text


def test_evidence_on_the_cones_of_a_planning_problem(run: Run, tmp_path: Path) -> None:
    files = {**TWO_EXITS, "hyps.dat": "(robot c0-4)\n(robot c4-4)\n(robot c2-4)\n"}
    folder = str(written(tmp_path / "exits", files))
    plain = json.loads(run("edp", folder, "--json").assert_fine())
    found = json.loads(run("edp", folder, "--json", "--evidence", "0.5").assert_fine())
    # The same squares as a map. The straight way to the third exit is one plan of 15 for the others.
    grid, goals = GridWorld(5, 5), [(0, 4), (4, 4), (2, 4)]
    expected = Divergence(grid, goals, evidence=0.5).edp_at((2, 0))
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(np.array(found["edp"], dtype=float)[off], expected[off])
    assert found["edp"][0][2] == 2.0
    assert plain["edp"][0][2] == 5.0
    assert (found["evidence"], found["wcd"]) == (0.5, plain["wcd"])
    text = run("edp", folder, "--evidence", "0.5").assert_fine()
    assert "\ngoals are ruled out by evidence of 0.5 (WCD: by impossible actions only)\n" in text
    run("edp", folder, "--evidence", "2").assert_refused(
        "askwise edp: --evidence: found 2.0; expected a number above 0 and below 1, such as 0.05"
    )


def test_what_no_optimal_plan_does_is_refused(run: Run, tmp_path: Path) -> None:
    files = {**TWO_EXITS, "obs.dat": "(MOVE C2-0 C2-1)\n(MOVE C2-1 C2-0)\n"}
    run("edp", str(written(tmp_path / "exits", files)), "--obs").assert_refused(
        "askwise edp: obs.dat, line 2: found (move c2-1 c2-0); expected an action that continues an optimal plan for some"
        " goal, such as (move c2-1 c1-1), (move c2-1 c2-2), (move c2-1 c3-1) (actions may not be missing here)"
    )


def test_many_goals_are_shown_by_their_hardest_pairs(run: Run, tmp_path: Path) -> None:
    words = ["abc", "acb", "bac", "bca", "cab", "cba", "ab", "ba", "ac", "ca", "bc", "cb", "abcd", "a"]
    text = run("edp", str(written(tmp_path / "words", blocks("abcd", words)))).assert_fine()
    assert "The 10 pairs that look alike longest (--json prints all):" in text
    assert "   pursued  ruled out      EDP   capped  WCD\n" in text


def test_json_says_all(run: Run, tmp_path: Path) -> None:
    files = {**INTRUSION, "hyps.dat": "(stolen web)\n(stolen web), (root web)\n(wiped mail)\n"}
    found = json.loads(run("edp", str(written(tmp_path / "net", files)), "--json").assert_fine())
    assert found["goals"] == ["stolen web", "stolen web, root web", "wiped mail"]
    assert [goal["steps"] for goal in found["all_goals"]] == [4, 4, 4]
    assert found["edp"][0][1] is None
    assert found["edp_capped"][0][1] == 5.0
    assert (found["wcd"][0][1], found["told_apart"][0][1]) == (4, None)
    assert found["exact"] is True


def test_goals_beyond_reach_are_said(run: Run, tmp_path: Path) -> None:
    files = blocks("abc", ["abc", "cba"])
    files["hyps.dat"] += "\n(on a a)\n"
    text = run("edp", str(written(tmp_path / "words", files))).assert_fine()
    assert "\n\nNo plan leads to goal 3.\n\n" in text
    assert "     3   none  on a a\n" in text


def test_goals_beyond_the_limits_are_said_with_what_is_proven(run: Run, tmp_path: Path) -> None:
    files = blocks("abcdef", ["abcdef", "ab"])
    limits = ("--search-limit", "blind=30", "--search-limit", "evaluations=2")
    text = run("edp", str(written(tmp_path / "words", files)), *limits).assert_fine()
    assert "Goal 1 is too large: no plan has fewer than 10 steps; its shortest plans are not known.\n" in text
    assert "     1  >= 10  clear a, on a b" in text
    assert "optimal plans of 2 steps; 3 states on them (exact for the goals that are settled)\n" in text


def test_long_work_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for terminal, pause in ((True, "PAUSE_SECONDS"), (False, "LOG_SECONDS")):
        monkeypatch.setattr("sys.stderr.isatty", lambda shown=terminal: shown)
        with common.Progress("edp", "{}", patient=True) as progress:
            progress("too soon")
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(common, pause, 0.0)
        with common.Progress("edp", "{}", patient=True) as progress:
            progress("goal 1 of 2, 7 states")
        assert "askwise edp: goal 1 of 2, 7 states so far" in capsys.readouterr().err


REFUSED = {
    ("domain.pddl",): "arguments: found 'domain.pddl' alone; expected DOMAIN.pddl TEMPLATE.pddl --goals HYPS.dat, or an archive",
    ("x.tar.bz2",): "file 'x.tar.bz2': found no such file or directory; expected a file that can be read",
    ("x.tar.bz2", "more"): "arguments: found 'more' after 'x.tar.bz2'; expected one archive or folder, or DOMAIN.pddl TEMPLATE.pddl",
    ("x.tar.bz2", "--search-limit", "blnd=3"): "--search-limit: found 'blnd=3'; expected NAME=N with one of atoms, operators, tries, blind, states, evaluations, edges (did you mean 'blind'?)",
    ("x.tar.bz2", "--search-limit", "blind=many"): "--search-limit blind: found 'many'; expected a whole number from 0",
    ("x.tar.bz2", "--at", "1,2"): "--at: found '1,2'; expected a map or an instance; for a planning problem use --obs",
    ("map.txt", "--goals", "hyps.dat"): "--goals: found 'hyps.dat'; expected a planning problem, MAP.pddl or an archive, with it",
}  # fmt: skip


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_wrong_arguments_are_refused(run: Run, arguments: tuple[str, ...]) -> None:
    run("edp", *arguments).assert_refused(f"askwise edp: {REFUSED[arguments]}")
