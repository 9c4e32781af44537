"""``askwise solve``: the optimum in words and as JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwise.domains.tool_fetching.generate import generate
from askwise.evaluation import solve
from tests.cli.command import Run, run_as_user
from tests.planning.test_optimal import fork
from tests.tool_fetching import workshop

TOLD = """\
expected marginal cost  0.6
expected cost           10.6
first                   NORTH
verdict                 exact, optimal over all questions and actions
looked at               14 states, 22 questions
"""


@pytest.fixture(autouse=True)
def _saved(run: Run) -> None:
    workshop(query_cost={"base": 0.5, "per_station": 0.1}).save("workshop.json")


def test_in_words(run: Run) -> None:
    printed = run("solve", "workshop.json").assert_fine()
    assert printed == TOLD
    assert run("solve", "-", stdin=Path("workshop.json").read_text()).assert_fine() == printed
    assert run_as_user("solve", "workshop.json").assert_fine() == printed


def test_as_json(run: Run) -> None:
    found = json.loads(run("solve", "workshop.json", "--json").assert_fine())
    expected = solve(workshop(query_cost={"base": 0.5, "per_station": 0.1}))
    assert found == {
        "expected_marginal_cost": expected.expected_marginal_cost,
        "expected_cost": expected.expected_cost,
        "verdict": "exact, optimal over all questions and actions",
        "states": expected.states,
        "questions": expected.splits,
        "ask": None,
        "action": "NORTH",
    }


def test_a_question_first(run: Run) -> None:
    fork(query_cost={"base": 0.2, "per_station": 0.1}).instance.save("fork.json")
    found = json.loads(run("solve", "fork.json", "--json").assert_fine())
    assert (found["ask"], found["action"]) == (["B"], None)
    assert "\nfirst                   ask whether it is B\n" in run("solve", "fork.json").assert_fine()


def test_too_large(run: Run) -> None:
    generate(width=12, stations=30, toolboxes=3, seed=1).save("large.json")
    run("solve", "large.json").assert_refused(
        "askwise solve: too large for an exact answer: 30 goals, 5.4e+08 questions at the start alone, up to 5.1e+12 "
        "states; at most 3,000,000 are tried unless told to go on (--go-on)"
    )


def test_too_large_even_so(run: Run) -> None:
    generate(seed=1).save("large.json")
    run("solve", "large.json", "--go-on").assert_refused(
        "askwise solve: too large for an exact answer: 50 goals, 5.6e+14 questions at the start alone, up to 2.3e+19 "
        "states; more than this search can number"
    )


def test_progress_if_told_to_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.planning.exact.solver.STATES_A_TURN", 100)
    generate(width=8, stations=8, toolboxes=3, seed=1).save("medium.json")
    quiet, loud = run("solve", "medium.json"), run("solve", "medium.json", "--go-on")
    assert quiet.err == ""
    assert loud.out == quiet.out
    lines = loud.err.splitlines()
    assert len(lines) > 2
    assert all(line.startswith("askwise solve: ") and line.rstrip().endswith(" so far") for line in lines)


def test_no_file(run: Run) -> None:
    run("solve").assert_refused(
        "askwise solve: FILE: found nothing; expected an instance file (askwise new writes one)"
    )
    run("solve", "nowhere.json").assert_refused_somehow()
