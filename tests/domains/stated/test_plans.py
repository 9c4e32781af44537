"""A teammate that follows plans: the file, the resulting graph, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askwise
from askwise.cli import main
from askwise.divergence import Divergence
from askwise.domains.stated.file import ProblemFile
from askwise.errors import InputError
from askwise.pddl import cones_of, load
from askwise.text.data import json_text
from tests.doc_pages import ROOT
from tests.pddl.corridors import corridors

WORDS = ROOT / "examples" / "words.toml"
ORDER = ("ear", "tear", "sear", "eat", "seat")
"""The goals of the example in the order of its list for goal recognition."""


def stated(folder: Path, **changes: Any) -> ProblemFile:
    """Return a file about a teammate that walks to one of two rooms, with some changes."""
    files = corridors(3, 2, [(2, 0), (2, 1)])
    (folder / "walk").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "walk" / name).write_text(text)
    contents = {
        "format": "askwise/problem@1",
        "teammate": {"pddl": "walk"},
        "ego": {"start": "E", "map": "A.E.B"},
        "goals": {"near": {"teammate": "(at r2-0)", "ego": "A"}, "far": {"teammate": "(at r2-1)", "ego": "B"}},
        **changes,
    }
    (folder / "walk.json").write_text(json_text(contents))
    return ProblemFile.load(folder / "walk.json")


def test_goals_look_alike_as_long_as_in_the_planning_problem() -> None:
    file, problem = ProblemFile.load(WORDS), load(ROOT / "examples" / "words")
    goals = {name: list(file.goals[name].teammate) for name in ORDER}
    edp, wcd = Divergence(file.teammate.model, goals).matrices_at(file.teammate.start)
    expected = cones_of(problem).divergence.matrices_at(0)
    assert np.array_equal(edp, expected[0])
    assert np.array_equal(wcd, expected[1])


def test_what_is_written_again_needs_no_other_file(tmp_path: Path) -> None:
    file = stated(tmp_path)
    file.save(tmp_path / "elsewhere.toml")
    for path in (tmp_path / "walk").iterdir():
        path.unlink()
    again = ProblemFile.load(tmp_path / "elsewhere.toml")
    assert again == file
    assert ["start", "go r0-0 r1-0", "at r1-0"] in again.to_json()["teammate"]["edges"]


def test_a_domain_and_a_problem_by_themselves(tmp_path: Path) -> None:
    one = stated(tmp_path)
    pair = {"domain": "walk/domain.pddl", "problem": "walk/template.pddl"}
    assert stated(tmp_path, teammate={"pddl": pair}) == one


@pytest.mark.parametrize("method", ["ezq", "planner", "optimal"])
def test_every_episode_is_played_to_its_end(method: str) -> None:
    solution = askwise.solve(WORDS)
    episodes = [askwise.simulate(WORDS, method, seed=seed) for seed in range(12)]
    assert all(episode.finished for episode in episodes)
    exact = askwise.evaluate(WORDS, method, exact=True).expected_marginal_cost
    assert exact >= solution.expected_marginal_cost - 1e-9
    if method == "optimal":
        assert exact == pytest.approx(solution.expected_marginal_cost)


def test_a_moment_is_named_by_what_holds_then(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(WORDS), "--method", "planner", "--teammate-at", "on a r"]) == 0
    printed = capsys.readouterr().out
    assert "now        speller at on a r; helper at (4, 3)" in printed
    assert "possible   3 of 5 words" in printed  # with a on r, no longer eat and seat


GOAL = {"teammate": "(at r2-0)", "ego": "A"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"teammate": {"pddl": "nowhere"}}, "file '.*nowhere': found no such file or directory"),
        ({"teammate": {"pddl": 5}}, "teammate.pddl: found 5; expected"),
        (
            {"teammate": {"pddl": {"domain": "x"}}},
            "teammate.pddl.problem: found nothing; expected this key, which is required",
        ),
        (
            {"teammate": {"pddl": "walk", "start": "r0"}},
            'teammate: found the unknown key "start"; expected only pddl, policy',
        ),
        (
            {"goals": {"near": GOAL, "far": {"teammate": "(at r9)", "ego": "B"}}},
            r"goals.far.teammate, line 1: found 'r9'; expected a known object",
        ),
        (
            {"goals": {"near": GOAL, "far": {"teammate": "", "ego": "B"}}},
            'goals.far.teammate: found ""; expected a condition in one line, such as',
        ),
        (
            {"goals": {"near": GOAL, "far": {"teammate": "(way r2-1 r0-0)", "ego": "B"}}},
            "goals.far.teammate: found .*, to which no plan leads; expected a goal that can be reached",
        ),
        (
            {"goals": {"near": GOAL, "also": {"teammate": "(at r2-0)", "ego": "B"}}},
            'goals.also.teammate: found "at r2-0", a target of goal "near" already',
        ),
        ({"goals": {}}, "goals: found {}; expected at least one goal"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        stated(tmp_path, **changes)


def test_other_files_are_named_by_files_only() -> None:
    contents = {
        "format": "askwise/problem@1",
        "teammate": {"pddl": "words"},
        "ego": {"start": "E", "map": "A.E"},
        "goals": {"only": GOAL},
    }
    with pytest.raises(InputError, match=r'teammate.pddl: found "words"; expected a file next to a problem file'):
        ProblemFile.from_json(contents)
