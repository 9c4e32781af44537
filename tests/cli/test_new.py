"""``askwise new``: files to start from, and maps that become problems."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from askwise.api import as_problem
from askwise.cli.starters import ENDINGS, NOTE
from askwise.domains.coverage import Coverage
from tests.cli.command import Outcome, Run

DRAWN = "A...B\n.W.F.\nC..#.\n"


@pytest.mark.parametrize("kind", ENDINGS)
def test_it_prints_or_writes(run: Run, kind: str) -> None:
    printed = run("new", "--kind", kind)
    note = f"askwise new: {NOTE}\n" if kind == "tool-fetching" else ""
    assert (printed.code, printed.err) == (0, note)
    file = f"it{ENDINGS[kind]}"
    assert run("new", "--kind", kind, "-o", file) == Outcome(0, f"Written: {file}\n", note)
    assert Path(file).read_text() == printed.out
    assert len(printed.out.splitlines()) > 10
    assert max(map(len, printed.out.splitlines())) <= 120
    if kind in ("graph", "map", "coverage"):
        run("ask", file).assert_fine()
        assert "#" in printed.out, "it is commented"
        assert run("ask", "-", stdin=printed.out).assert_fine() == run("ask", file).assert_fine()
    if kind == "decision":
        assert "#" in printed.out, "it is commented"
        assert run("decide", "-", stdin=printed.out).assert_fine() == run("decide", file).assert_fine()


def test_nothing_is_overwritten(run: Run) -> None:
    Path("ward.toml").write_text("mine")
    run("new", "--kind", "graph", "-o", "ward.toml").assert_refused(
        "askwise new: --output: found 'ward.toml', which exists; expected another name, or --force to overwrite it"
    )
    assert Path("ward.toml").read_text() == "mine"
    run("new", "--kind", "graph", "-o", "ward.toml", "--force").assert_fine()
    assert tomllib.loads(Path("ward.toml").read_text())["name"] == "Ward"


KINDS = "one of 'graph', 'map', 'coverage', 'tool-fetching', 'decision', 'study', 'study-with-people', 'agent'"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], f"--kind: found nothing; expected {KINDS}"),
        (["--kind", "grph"], f"--kind: found 'grph'; expected {KINDS} (did you mean 'graph'?)"),
        (["--kind", "graph", "-o", "a.json"], "--output: found 'a.json'; expected a name that ends with .toml"),
        (["--kind", "agent", "-o", "a"], "--output: found 'a'; expected a name that ends with .py"),
        (
            ["--kind", "graph", "-o", "none/a.toml"],
            "file 'none/a.toml': found no such file or directory; expected a place that can be written to",
        ),
        (["--kind", "graph", "--from", "a"], "--from: found --kind graph; expected --kind map or coverage with it"),
        (
            ["--kind", "map", "--from", "none.txt"],
            "file 'none.txt': found no such file or directory; expected a file that can be read",
        ),
    ],
)
def test_wrong_options(run: Run, options: list[str], message: str) -> None:
    run("new", *options).assert_refused(f"askwise new: {message}")


# -- from a drawing ----------------------------------------------------------------------------------------------


def test_a_drawn_map_becomes_a_problem(run: Run) -> None:
    Path("plan.txt").write_text(DRAWN)
    run("new", "--kind", "map", "--from", "plan.txt", "-o", "plan.toml").assert_fine()
    problem = as_problem("plan.toml")
    assert problem.goals == ("A", "B", "C")
    assert problem.teammate.model is problem.ego.model
    assert run("edp", "plan.toml").assert_fine() == run("edp", "plan.txt").assert_fine()
    text = Path("plan.toml").read_text()
    assert 'ego = [[0, 0], "A"]' in text, "how to change the ego agent's targets"
    Path("plan.toml").write_text(text.replace('teammate = "A"\nego = "A"', 'teammate = "A"\nego = [[0, 0], "B"]'))
    assert json.loads(run("ask", "plan.toml", "--json").assert_fine())["why"]


def test_a_drawn_map_becomes_coverage(run: Run) -> None:
    run("new", "--kind", "coverage", "--from", "-", "-o", "plan.toml", stdin=DRAWN).assert_fine()
    problem, drawn = as_problem("plan.toml"), Coverage(DRAWN)
    assert problem.goals == drawn.goals == ("A", "B", "C")
    for goal in range(3):
        assert problem.ego.targets(goal).tolist() == drawn.ego.targets(goal).tolist()


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("A.W\n", "drawing: found no F (the ego agent); expected both W and F"),
        ("A.F\n", "drawing: found no W (the teammate); expected both W and F"),
        ("W.F\n", "drawing: found no goals; expected at least one letter or digit other than W and F"),
        ("W.F\nA.\n", "drawing, line 2: found 2 cells; expected 3, as in line 1 (every line has the same length)"),
        (
            "WF#A\n",
            "goals.A.teammate: found no way to it from [0, 0]; expected a goal that can be reached",
        ),
    ],
)
def test_drawings_that_make_no_problem(run: Run, drawing: str, message: str) -> None:
    run("new", "--kind", "map", "--from", "-", "-o", "plan.toml", stdin=drawing).assert_refused(
        f"askwise new: {message}"
    )
    assert not Path("plan.toml").exists()
