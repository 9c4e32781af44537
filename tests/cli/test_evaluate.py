"""``askwise evaluate``: expected costs in words and as JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwise import evaluate, lower_bound
from askwise.core.answers import AnswerModel
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import AGENTS
from askwise.play.evaluate import evaluate as evaluate_problem
from tests.cli.command import Run
from tests.tool_fetching import workshop

PRICE = {"base": 0.5, "per_station": 0.1}


@pytest.fixture(autouse=True)
def _saved(run: Run) -> None:
    workshop(query_cost=PRICE).save("workshop.json")


def test_exactly_in_words(run: Run) -> None:
    printed = run("evaluate", "workshop.json", "--method", "optimal", "--exact", "--bound").assert_fine()
    expected = evaluate(workshop(query_cost=PRICE), "optimal", exact=True)
    assert printed == (
        "method                  optimal\n"
        "expected marginal cost  0.6\n"
        "expected cost           10.6\n"
        "verdict                 exact, every state that it can meet\n"
        f"searched                {expected.states} decisions\n"
        "lower bound             0.6 (exact, optimal over all questions and actions)\n"
    )
    text = Path("workshop.json").read_text()
    assert run("evaluate", "-", "--method", "optimal", "--exact", "--bound", stdin=text).assert_fine() == printed


@pytest.mark.parametrize("method", AGENTS)
def test_exactly_as_json(run: Run, method: str) -> None:
    found = json.loads(run("evaluate", "workshop.json", "--method", method, "--exact", "--json").assert_fine())
    expected = evaluate(workshop(query_cost=PRICE), method, exact=True)
    assert found == {
        "method": method,
        "expected_marginal_cost": expected.expected_marginal_cost,
        "expected_cost": expected.expected_cost,
        "verdict": str(expected.verdict),
        "exact": True,
        "states": expected.states,
        "stderr": 0.0,
        "ci": [expected.expected_marginal_cost] * 2,
    }


def test_at_most_so_many_questions(run: Run) -> None:
    """The verdict says how many, and the bound what more of them could save."""
    options = ["evaluate", "workshop.json", "--method", "optimal", "--answers", "wrong:0.1,refused:0.2", "--exact"]
    problem = ToolFetching(workshop(query_cost=PRICE)).with_answers(AnswerModel(0.1, 0.2))
    for most in (0, 1, 3):
        expected = evaluate(problem, "optimal", exact=True, questions=most)
        bound = lower_bound(problem, questions=most)
        asked = [*options, "--questions", str(most), "--bound"]
        found = json.loads(run(*asked, "--json").assert_fine())
        assert found["expected_marginal_cost"] == expected.expected_marginal_cost
        assert (found["most_questions"], found["lower_bound"]) == (most, bound.value)
        assert found["more_could_save"] == expected.expected_marginal_cost - bound.value > 0
        lines = run(*asked).assert_fine().splitlines()
        ending = f"at most {most} question{'' if most == 1 else 's'}"
        assert lines[3] == f"verdict                 exact, every state that it can meet, {ending}"
        assert lines[-1] == f"more questions          could save at most {found['more_could_save']:.6g}"
    assert found["bound_verdict"] == "proven lower bound, optimal if all answers were true after the first 2"
    drawn = run("evaluate", "workshop.json", "--method", "never", "--episodes", "3", "--questions", "1").assert_fine()
    assert "verdict                 estimate, 3 episodes, at most 1 question\n" in drawn
    assert "more questions" not in drawn


def test_from_episodes(run: Run) -> None:
    options = ["evaluate", "workshop.json", "--method", "never", "--episodes", "20", "--seed", "7"]
    expected = evaluate(workshop(query_cost=PRICE), "never", episodes=20, seed=7)
    found = json.loads(run(*options, "--json", "--bound").assert_fine())
    assert found["expected_marginal_cost"] == expected.expected_marginal_cost
    assert (found["stderr"], found["ci"], found["exact"]) == (expected.stderr, list(expected.ci), False)
    assert found["verdict"] == "estimate, 20 episodes"
    assert found["lower_bound"] == lower_bound(workshop(query_cost=PRICE)).value
    assert found["bound_verdict"] == "exact, optimal over all questions and actions"
    printed = run(*options).assert_fine().splitlines()
    low, high = expected.ci
    assert printed[1] == (
        f"expected marginal cost  {expected.expected_marginal_cost:.3f} (95 %: {low:.3f} to {high:.3f})"
    )


def test_a_tighter_bound(run: Run) -> None:
    """With 18 stations the oracle needs several groups; what is told is the larger of the two."""
    drawn = generate(width=9, stations=18, toolboxes=3, query_cost=QueryCost(0.5, 0.5), seed=0)
    drawn.save("many.json")
    options = ["evaluate", "many.json", "--method", "never", "--episodes", "2", "--seed", "1", "--json"]
    found = json.loads(run(*options, "--tight").assert_fine())
    expected = lower_bound(drawn, tight=True, seed=1)
    assert (found["lower_bound"], found["bound_verdict"]) == (expected.value, str(expected.verdict))
    assert found["lower_bound"] >= json.loads(run(*options, "--bound").assert_fine())["lower_bound"]
    assert "lower_bound" not in json.loads(run(*options).assert_fine())


def test_for_each_station(run: Run) -> None:
    found = json.loads(run("evaluate", "workshop.json", "--method", "never", "--paths", "3", "--json").assert_fine())
    assert found["verdict"] == "estimate, 3 episodes for each goal"
    assert (
        found["expected_marginal_cost"] == evaluate(workshop(query_cost=PRICE), "never", paths=3).expected_marginal_cost
    )


def test_beliefs_are_passed_on(run: Run) -> None:
    found = run("evaluate", "workshop.json", "--method", "never", "--belief", "robust", "--exact").assert_fine()
    assert "verdict                 exact, every branch that it can meet" in found


def test_progress_if_told_to_go_on(run: Run) -> None:
    done = run("evaluate", "workshop.json", "--method", "never", "--episodes", "2", "--go-on")
    assert done.err == "askwise evaluate: 1 episodes so far\naskwise evaluate: 2 episodes so far\n"
    assert done.out == run("evaluate", "workshop.json", "--method", "never", "--episodes", "2").assert_fine()


def test_methods_are_listed(run: Run) -> None:
    assert run("evaluate", "--method", "help").assert_fine() == run("run", "--method", "help").assert_fine()


def test_too_large(run: Run) -> None:
    generate(stations=63, seed=1).save("large.json")
    run("evaluate", "large.json", "--method", "optimal", "--episodes", "2").assert_refused(
        "askwise evaluate: too large for an exact answer: 63 goals, 4.6e+18 questions at the start alone, "
        "up to 2.7e+23 states; more than this search can number"
    )


def test_too_many_decisions(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(evaluate_problem.__kwdefaults__ or {}, "limit", 5)
    run("evaluate", "workshop.json", "--method", "never", "--exact").assert_refused(
        "askwise evaluate: too large to evaluate exactly: agent 'never' is not done after 5 decisions; "
        "go on anyway (go_on, --go-on), or draw episodes (episodes, --episodes)"
    )
    assert run("evaluate", "workshop.json", "--method", "never", "--exact", "--go-on").code == 0


def test_several_methods_in_one_table(run: Run) -> None:
    alone = {
        name: json.loads(run("evaluate", "workshop.json", "--method", name, "--json").out) for name in ("never", "ezq")
    }
    together = json.loads(run("evaluate", "workshop.json", "--methods", "never, ezq", "--json").out)
    assert together == [alone["never"], alone["ezq"]]
    assert all(each["exact"] for each in together)
    shown = run("evaluate", "workshop.json", "--methods", "never,ezq").out.splitlines()
    assert shown[0].split("  ")[0] == "method"
    assert [line.split()[0] for line in shown[1:3]] == ["ezq", "never"], "the cheapest first"
    assert shown[1].split()[1:] == [f"{alone['ezq'][key]:.3f}" for key in ("expected_marginal_cost", "expected_cost")]
    table = run("evaluate", "ward", "--methods", "planner,ezq,never").out.splitlines()
    assert table[4] == "verdict of planner, never: exact, every state that it can meet"
    assert table[5].startswith("verdict of ezq: exact, every state that it can meet, random choices by ")
    sampled = run("evaluate", "workshop.json", "--methods", "never,ezq", "--episodes", "3").out
    assert "95 % interval" in sampled


REFUSED = {
    "no file": (["--exact"], "FILE: found nothing; expected an instance file (askwise new writes one)"),
    "a method twice": (
        ["workshop.json", "--methods", "never,ezq,never"],
        "--methods: found 'never,ezq,never'; expected names of different methods, separated by commas",
    ),
    "a method without a name": (
        ["workshop.json", "--methods", "never,"],
        "--methods: found 'never,'; expected names of different methods, separated by commas",
    ),
    "two ways": (
        ["workshop.json", "--exact", "--episodes", "3"],
        "--exact, --episodes, --paths: found --exact and --episodes; expected at most one of the three",
    ),
    "one episode": (
        ["workshop.json", "--episodes", "1"],
        "--episodes: found '1'; expected a whole number from 2",
    ),
    "half a path": (["workshop.json", "--paths", "1.5"], "--paths: found '1.5'; expected a whole number from 2"),
    "questions below 0": (
        ["workshop.json", "--exact", "--questions", "-1"],
        "--questions: found '-1'; expected a whole number from 0",
    ),
    "a seed in words": (
        ["workshop.json", "--exact", "--seed", "one"],
        "--seed: found 'one'; expected a whole number from 0",
    ),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(run: Run, options: list[str], message: str) -> None:
    run("evaluate", *options).assert_refused(f"askwise evaluate: {message}")


def test_an_unknown_method(run: Run) -> None:
    done = run("evaluate", "workshop.json", "--method", "plannr", "--exact")
    assert done.code == 2
    assert done.err.startswith("askwise evaluate: method: found 'plannr'; expected one of 'never', ")
    assert done.err.endswith("(did you mean 'planner'?)\n")
