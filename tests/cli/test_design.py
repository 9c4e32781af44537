"""``askwise design``: what it prints, draws and writes, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from askwise.model import Drawing
from tests.cli.command import Run, run_as_user
from tests.designs.test_actions import DOMAIN, FORK, rooms
from tests.designs.test_design import EXAMPLES, graph_file

TOLD = """\
forbid   (5, 3)
         wall for both agents

                before     after
WCD                  5         1
expected EDP     2.000     1.000

WCD: the latest step that separates two goals.

        teammate's steps               EDP
goal     before    after   before    after
A             7        7    2.000    1.000
B             7        7    2.000    1.000

verdict  proven optimal by branch and bound; 29 designs evaluated
"""


@pytest.fixture(autouse=True)
def _examples(run: Run) -> None:
    for name in ("two-goals.txt", "kitchen.toml"):
        shutil.copy(EXAMPLES / name, name)


def test_in_words(run: Run) -> None:
    assert run("design", "two-goals.txt", "-k", "1").assert_fine() == TOLD
    assert run("design", "-", "-k", "1", stdin=Path("two-goals.txt").read_text()).assert_fine() == TOLD
    assert run_as_user("design", "two-goals.txt", "-k", "1").assert_fine() == TOLD


def test_as_json(run: Run) -> None:
    found = json.loads(run("design", "two-goals.txt", "-k", "1", "--json").assert_fine())
    assert found.pop("seconds") > 0
    assert found.pop("verdict").startswith("proven optimal")
    before, after = found.pop("before"), found.pop("after")
    assert (before["wcd"], after["wcd"], after["costs"]) == (5, 1, {"A": 7, "B": 7})
    assert (before["told_apart"], after["told_apart"], before["never_apart"]) == (5, 1, 0)
    assert (before["value"], after["value"], after["ego_costs"]) == (5, 1, {})
    assert found == {
        "forbid": [[5, 3]],
        "thing": "cell",
        "for_both": True,
        "minimise": "wcd",
        "by": None,
        "at_most": 1,
        "budget": 0,
        "left_out": [],
        "wcd_convention": "step that tells apart",
        "proven": True,
        "bound": 1.0,
        "looked_at": 29,
    }


def test_in_the_words_of_the_file(run: Run) -> None:
    printed = run("design", "kitchen.toml", "-k", "1", "--minimise", "cost", "--by", "optimum").assert_fine()
    assert "cost of not knowing, by optimum     0.700     0.625\n" in printed
    assert "cook's steps    helper's steps               EDP\ndish " in printed


def test_the_changed_file(run: Run) -> None:
    printed = run("design", "two-goals.txt", "-k", "1", "-o", "changed.txt").assert_fine()
    assert printed == f"{TOLD}Written: changed.txt\n"
    assert Drawing.parse(Path("changed.txt").read_text()).grid.walls[3, 5]
    run("design", "kitchen.toml", "--forbid", "1,2", "-o", "changed.toml").assert_fine()
    assert "\n.#C..#.....\n" in Path("changed.toml").read_text()
    again = run("design", "changed.toml", "--forbid", "1,2")
    again.assert_refused(
        "askwise design: --forbid: found (1, 2); expected a cell that may be forbidden, "
        "one of (1, 0), (6, 0), (8, 0), (9, 0), (0, 1), ..."
    )


def test_pictures(run: Run) -> None:
    Path("graph.json").write_text(json.dumps(graph_file().to_json()))
    for number, name in enumerate(("two-goals.txt", "kitchen.toml", "graph.json")):
        printed = run("design", name, "-k", "1", "--png", f"{number}.png").assert_fine()
        assert printed.endswith(f"Written: {number}.png\n")
        assert Path(f"{number}.png").read_bytes().startswith(b"\x89PNG")


def test_planning_problems(run: Run) -> None:
    template = rooms(FORK, ["(at k one)", "(at k two)"])
    from askwise.pddl.archive import texts_of

    for name, text in {**texts_of(template), "domain.pddl": DOMAIN}.items():
        Path(name).write_text(text)
    options = ("design", "domain.pddl", "template.pddl", "--goals", "hyps.dat", "-k", "1")
    printed = run(*options, "-o", "changed.tar.bz2", "--png", "actions.png").assert_fine()
    assert printed.startswith("forbid   move k hall one\n")
    assert printed.endswith("Written: changed.tar.bz2\nWritten: actions.png\n")
    found = json.loads(run("design", "changed.tar.bz2", "-k", "1", "--json").assert_fine())
    assert (found["forbid"], found["before"]["wcd"]) == ([], 0)
    assert run("design", ".", "-k", "1").assert_fine().startswith("forbid   move k hall one\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("two-goals.txt", "-k: found nothing; expected how many may be blocked, a whole number from 1"),
        ("two-goals.txt -k 0", "-k: found '0'; expected a whole number from 1"),
        ("two-goals.txt -k x", "-k: found 'x'; expected a whole number from 1"),
        ("two-goals.txt -k 99", "-k: found 99 cells; expected at most 59: no more cells may be forbidden"),
        ("two-goals.txt -k 1 --longer -1", "--longer: found '-1'; expected a whole number from 0"),
        ("two-goals.txt -k 1 --designs 0", "--designs: found '0'; expected a whole number from 1"),
        ("two-goals.txt -k 1 --forbid 1,1", "-k, --forbid: found both; expected one of the two"),
        ("two-goals.txt --forbid 1,x", "--forbid: found '1,x'; expected a cell X,Y, two whole numbers"),
        (
            "two-goals.txt -k 1 --minimise ecd",
            "--minimise: found 'ecd'; expected one of 'wcd', 'edp', 'cost' (did you mean 'wcd'?)",
        ),
        (
            "two-goals.txt -k 1 --by planner",
            "--by: found 'planner'; expected nothing, unless minimise is 'cost' (it is 'wcd')",
        ),
        (
            "two-goals.txt -k 1 --png map.gif",
            "file 'map.gif': found the ending '.gif'; expected one of .png, .svg, .pdf",
        ),
        (
            "two-goals.txt -k 1 --goals hyps.dat",
            "--goals: found 'hyps.dat'; expected a planning problem, FILE.pddl or an archive, with it",
        ),
        (
            "nowhere.txt -k 1",
            "file 'nowhere.txt': found no such file or directory; expected a file that can be read",
        ),
        (
            "apart.txt -k 1",
            "file 'apart.txt', goal A: found no way to it from where the teammate starts; "
            "expected a goal that can be reached",
        ),
    ],
)
def test_refused(run: Run, arguments: str, message: str) -> None:
    Path("apart.txt").write_text("W.#A\n")
    run("design", *arguments.split()).assert_refused(f"askwise design: {message}")
