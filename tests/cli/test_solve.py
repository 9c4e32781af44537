"""``askwise solve``: the optimum in words and as JSON, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from askwise import solve
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from tests.cli.command import Run
from tests.planning.test_exact import fork
from tests.tool_fetching import workshop

pytestmark = pytest.mark.usefixtures("wide_terminal")

TOLD = """\
expected marginal cost  0.6
expected cost           10.6
first                   NORTH
verdict                 exact, optimal over all questions and actions
searched                15 states, 25 questions
"""


@pytest.fixture(autouse=True)
def _saved(run: Run) -> None:
    workshop(query_cost={"base": 0.5, "per_station": 0.1}).save("workshop.json")


def test_in_words(run: Run) -> None:
    printed = run("solve", "workshop.json").assert_fine()
    assert printed == TOLD
    assert run("solve", "-", stdin=Path("workshop.json").read_text()).assert_fine() == printed


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


def test_at_most_so_many_questions(run: Run) -> None:
    fork(query_cost={"base": 0.2, "per_station": 0.1}).instance.save("fork.json")
    assert run("solve", "fork.json", "--questions", "0").assert_fine().splitlines()[-2] == (
        "verdict                 exact, optimal over all actions and at most 0 questions; more could save at most 0.7"
    )
    found = json.loads(run("solve", "fork.json", "--questions", "0", "--json").assert_fine())
    assert (found["most_questions"], found["lower_bound"], found["ask"]) == (0, pytest.approx(0.3), None)
    run("solve", "fork.json", "--questions", "-1").assert_refused(
        "askwise solve: --questions: found '-1'; expected a whole number from 0"
    )


def test_a_choice_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ToolFetching(
        generate(width=6, stations=6, toolboxes=3, query_cost=QueryCost(0.3, 0.3, per_option=0.0), seed=0)
    )
    problem.instance.save("choice.json")
    monkeypatch.setattr("askwise.api.as_problem", lambda _: problem)  # files do not say it
    groups = json.loads(run("solve", "choice.json", "--json").assert_fine())["ask"]
    assert all(isinstance(group, list) for group in groups)
    assert "\nfirst                   ask which it is: " in run("solve", "choice.json").assert_fine()


def test_too_large(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    generate(width=12, stations=30, toolboxes=3, seed=1).save("large.json")
    monkeypatch.setattr("askwise.planning.exact.SPLITS_A_STATE", 0)  # three million states take long
    found = run("solve", "large.json")
    assert (found.code, found.out) == (2, "")
    assert re.fullmatch(
        r"askwise solve: too large for an exact answer: 30 goals, 5\.4e\+08 questions at the start alone, up to "
        r"5\.1e\+12 states; not solved after [\d,]+ states and [\d,]+ questions, all that is tried unless you ask to "
        r"go on \(--go-on\); askwise evaluate FILE --paths 10 --bound estimates the cost of a method and computes "
        r"a lower bound\n",
        found.err,
    )


def test_too_large_even_so(run: Run) -> None:
    generate(stations=63, seed=1).save("large.json")
    run("solve", "large.json", "--go-on").assert_refused(
        "askwise solve: too large for an exact answer: 63 goals, 4.6e+18 questions at the start alone, up to 2.7e+23 "
        "states; more than this search can number; askwise evaluate FILE --paths 10 --bound estimates the cost of "
        "a method and computes a lower bound"
    )


def test_progress_if_told_to_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.planning.exact.STATES_A_TURN", 100)
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
