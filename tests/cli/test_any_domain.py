"""The commands on files of any domain: good ones, bad ones, places by name, what was seen and answered."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import askwise
from askwise import trace
from tests.cli.command import Run, run_as_user
from tests.doc_pages import ROOT
from tests.domains.stated.files import WARD, ward

EXAMPLES = ("ward.toml", "kitchen.toml", "coverage.toml")


@pytest.fixture(autouse=True)
def _examples(run: Run) -> None:
    for name in EXAMPLES:
        shutil.copy(ROOT / "examples" / name, name)


# -- every command -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_command_takes_them(run: Run, name: str) -> None:
    for command in ("ask", "solve", "edp", "evaluate --exact --method never", "show", "run --seed 1"):
        verb, *options = command.split()
        printed = run(verb, name, *options).assert_fine()
        assert printed == run(verb, "-", *options, stdin=Path(name).read_text()).assert_fine()
    assert set(json.loads(run("solve", name, "--json").assert_fine())) == {
        *("expected_marginal_cost", "expected_cost", "verdict", "states", "questions", "ask", "action")
    }


def test_texts_use_the_words_of_the_file_and_json_those_of_the_domain(run: Run) -> None:
    told = run("ask", "ward.toml", "--method", "ezq-exact", "--teammate-at", "corridor 1").assert_fine()
    assert "\nnow        nurse at corridor 1; robot at lift\n" in told
    assert "\ninferred   the nurse came from desk, which 6 of 6 tasks explain\n" in told
    assert "\npossible   6 of 6 tasks\n" in told
    account = run("run", "ward.toml", "--method", "baseline", "--seed", "1").assert_fine()
    assert account.startswith("Ward: ")
    assert "\nnurse starts at desk, robot at lift\n" in account
    queries = json.loads(run("run", "ward.toml", "--method", "baseline", "--seed", "1", "--json").out)["queries"]
    assert all("goals" in query for query in queries)
    found = json.loads(run("ask", "ward.toml", "--method", "ezq-exact", "--json").out)
    assert set(found["runner_up"]) == {"goals", "net"}


def test_episodes_are_written_and_read(run: Run) -> None:
    run("run", "kitchen.toml", "--seed", "2", "--method", "ezq-auto", "--trace", "it.json").assert_fine()
    assert trace.load("it.json") == askwise.simulate("kitchen.toml", "ezq-auto", seed=2)


def test_the_teammate_walks_as_the_file_says(run: Run) -> None:
    text = WARD.replace("[ego]", '[teammate.policy]\ntable = "ways.csv"\n\n[ego]')
    Path("own.toml").write_text(text)
    rows = [("to room 1", "desk", "go"), ("to room 1", "hall", "left"), ("to room 2", "desk", "go")]
    Path("ways.csv").write_text("".join(f"{','.join(row)},1\n" for row in [*rows, ("to room 2", "hall", "right")]))
    assert "teammate policy," in run("run", "own.toml", "--seed", "1").assert_fine()
    assert "teammate urop," in run("run", "own.toml", "--seed", "1", "--teammate", "urop").assert_fine()
    assert run("edp", "own.toml").assert_fine()


# -- a moment ----------------------------------------------------------------------------------------------------


def answer(run: Run, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("ask", *options, "--json").assert_fine())
    return found


def test_it_decides_as_somebody_who_has_watched(run: Run) -> None:
    seen = ["east", "east"]
    for options in (["--seen", "east,east"], ["--teammate-at", "corridor 2"], ["--worker", "corridor 2"]):
        found = answer(run, "ward.toml", "--method", "ezq-exact", *options)
        watched = askwise.ask("ward.toml", "ezq-exact", seen=seen)
        assert (found["ask"], found["why"]) == (None if watched.ask is None else list(watched.ask), watched.why)
    both = answer(run, "ward.toml", "--seen", "east, east", "--teammate-at", "corridor 2", "--ego-at", "lift")
    assert both == answer(run, "ward.toml", "--seen", "east,east")


def test_what_was_answered(run: Run) -> None:
    asked = ["pills for Ada", "sheets for Bo"]
    found = answer(run, "ward.toml", "--method", "ezq-exact", "--answered", f"{','.join(asked)}:no")
    heard = askwise.ask("ward.toml", "ezq-exact", answered=[(asked, False)])
    assert (found["why"], found["gate"]["possible"]) == (heard.why, 4)
    assert found == answer(run, "ward.toml", "--method", "ezq-exact", "--ruled-out", ",".join(asked))
    yes = answer(run, "ward.toml", "--answered", "pills for Ada,sheets for Bo:YES", "--answered", "sheets for Bo:no")
    assert yes["why"].endswith("only pills for Ada is possible.")


def test_it_may_start_elsewhere(run: Run) -> None:
    fresh = run("ask", "kitchen.toml", "--teammate-at", "S", "--ego-at", "0,0", "--fresh").assert_fine()
    assert "\nnow        cook at (0, 5); helper at (0, 0)\npossible   6 of 6 dishes\n" in fresh


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--teammate-at", "room 9"],
            "--teammate-at: found 'room 9'; expected a state of the graph, ",
        ),
        (["--ego-at", "desk"], "--ego-at: found 'desk'; expected a state of the graph, "),
        (["--holding", "x"], "--holding: found 'x'; expected nothing: in this problem nothing is carried"),
        (["--seen", "fly"], "action 1 of those seen: found 'fly'; expected one of 'east', 'west', "),
        (["--seen", "west"], "action 1 of those seen: the teammate chose west, which is not available there"),
        (
            ["--answered", "pills for Ada"],
            "--answered: found 'pills for Ada'; expected GOALS:yes, GOALS:no or GOALS:unknown",
        ),
        (["--answered", "x:yes"], "--answered: found the unknown task 'x'; expected some of pills for Ada, "),
        (["--ruled-out", "x"], "ruled out: found the unknown task 'x'; expected some of pills for Ada, "),
        (
            ["--seen", "east,north", "--answered", "sheets for Bo:yes", "--method", "ezq"],
            "--seen and --answered: found what no possible task explains; "
            "expected what fits some goal (--belief robust allows for detours)",
        ),
        (
            ["--teammate-at", "room 1", "--ruled-out", "pills for Ada", "--method", "ezq"],
            "--teammate-at: found room 1, on no shortest path from desk to a possible task; "
            "expected a state on one (--belief robust allows for detours, --fresh starts there)",
        ),
        (
            ["--seen", "east", "--teammate-at", "desk"],
            "teammate: found 'desk'; expected 'corridor 1', where the actions",
        ),
    ],
)
def test_moments_that_cannot_be(run: Run, options: list[str], message: str) -> None:
    outcome = run("ask", "ward.toml", *options)
    outcome.assert_refused_somehow()
    assert outcome.err.startswith(f"askwise ask: {message}")


# -- edp ---------------------------------------------------------------------------------------------------------


def test_edp_of_a_graph(run: Run) -> None:
    printed = run("edp", "ward.toml", "--at", "corridor 2").assert_fine()
    assert printed.startswith("graph of 10 states, 6 goals, teammate at corridor 2\n")
    found = json.loads(run("edp", "ward.toml", "--json").assert_fine())
    assert found["at"] == "desk"
    assert found["goals"][0] == "pills for Ada"
    assert found["edp"][0][1] == 2
    run("edp", "ward.toml", "--at", "corridor 9").assert_refused(
        "askwise edp: --at: found 'corridor 9'; expected one of 'desk', 'corridor 1', 'corridor 2', 'corridor 3', "
        "'room 1', 'room 2', 'room 3', 'room 4', 'room 5', 'room 6' (did you mean 'corridor 3'?)"
    )


def test_edp_draws_the_matrix_of_a_graph(run: Run) -> None:
    assert run("edp", "ward.toml", "--png", "ward.png").assert_fine().endswith("\n\nWritten: ward.png\n")
    assert Path("ward.png").read_bytes().startswith(b"\x89PNG")


# -- bad files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["ask", "run", "solve", "evaluate --exact", "show", "edp"])
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", json.dumps(ward(ego__start="X")), 'ego.start: found "X"; expected a letter of the map, "A", '),
        ("a.toml", WARD.replace('"left"', '"go"').replace('"hall", "go"', '"desk", "go"'), "teammate.edges[1]: found "),
        ("a.toml", WARD.replace("weight = 2", "weight = "), "line 18, column 10: found something that is not TOML "),
        ("a.toml", "A.W\n", "line 1, column 4: found something that is not TOML "),
        ("a.toml", "{", "line 1, column 1: found something that is not TOML "),
        ("a.toml", WARD.replace("wrong = 0.0", "wrong = 0.6"), "answers.wrong: found 0.6; expected a number from 0 "),
    ],
)
def test_bad_files(run: Run, command: str, name: str, text: str, message: str) -> None:
    verb, *options = command.split()
    Path(name).write_text(text)
    outcome = run(verb, name, *options)
    outcome.assert_refused_somehow()
    assert outcome.err.startswith(f"askwise {verb}: file {name!r}, {message}")


@pytest.mark.parametrize("command", ["ask", "run", "solve", "evaluate --exact", "show", "edp", "study"])
@pytest.mark.parametrize(("name", "text"), [("a.toml", ""), ("a.toml", " \n"), ("a.json", "")])
def test_an_empty_file_is_called_so_by_every_command(run: Run, command: str, name: str, text: str) -> None:
    Path(name).write_text(text)
    verb, *options = command.split()
    outcome = run(verb, name, *options)
    outcome.assert_refused_somehow()
    assert outcome.err.startswith(f"askwise {verb}: file {name!r}: found nothing in it; expected ")


def test_files_of_another_kind_say_which_command_takes_them(run: Run) -> None:
    Path("study.toml").write_text('name = "mine"\nmethods = ["never"]\n')
    run("show", "study.toml").assert_refused(
        "askwise show: file 'study.toml': found a study file; expected an instance file (askwise study takes this one)"
    )
    run("study", "ward.toml").assert_refused(
        "askwise study: file 'ward.toml': found an instance file; expected a study file (askwise ask takes this one)"
    )
    run("new", "--kind", "study-with-people", "-o", "people.toml")
    run("ask", "people.toml").assert_refused(
        "askwise ask: file 'people.toml': found a study with people; expected an instance file "
        "(askwise studio takes this one)"
    )


def test_only_the_file_is_blamed_for_being_of_another_kind(run: Run) -> None:
    Path("my map.txt").write_text("A.W.B\n")
    run("ask", "my map.txt").assert_refused(
        "askwise ask: file 'my map.txt': found a drawn map; expected an instance file (askwise edp takes this one; "
        "askwise new --kind map --from 'my map.txt' makes an instance file)"
    )
    run("audit", "ward.toml", "--workers", "x").assert_refused(
        "askwise audit: --workers: found 'x'; expected a whole number from 1"
    )
    assert run("ask", "ward.toml", "--method", "plan").err.startswith("askwise ask: method: found 'plan'; ")


def test_a_file_with_one_agent_needs_no_class(run: Run) -> None:
    run("new", "--kind", "agent", "-o", "mine.py")
    named = run("ask", "ward.toml", "--method", "mine.py:Likeliest,enough=0.2").assert_fine()
    assert run("ask", "ward.toml", "--method", "mine.py,enough=0.2").assert_fine() == named
    assert run("ask", "ward.toml", "--method", "mine.py,enough=0.9").assert_fine() != named
    table = run("evaluate", "ward.toml", "--methods", "mine.py,enough=0.2,never").assert_fine()
    assert [line.split()[0] for line in table.splitlines()[1:3]] == ["likeliest", "never"]
    run("ask", "ward.toml", "--method", "mine.py,enugh=0.2").assert_refused_somehow()
    run("ask", "ward.toml", "--method", "planner,second=1").assert_refused_somehow()
    Path("two.py").write_text(Path("mine.py").read_text() + "\n\nclass Other(Likeliest):\n    pass\n")
    run("ask", "ward.toml", "--method", "two.py").assert_refused(
        "askwise ask: method 'two.py': found 2 agents in two.py; expected one of 'Likeliest', 'Other'"
    )


def test_a_user_sees_no_traceback() -> None:
    Path("a.toml").write_text(WARD.replace('teammate = "room 2"', 'teammate = "room 1"'))
    outcome = run_as_user("run", "a.toml")
    outcome.assert_refused(
        'askwise run: file \'a.toml\', goals.to room 2.teammate: found "room 1", a target of goal "to room 1" already; '
        "expected a target that no other goal has: the place where the teammate stays reveals its goal"
    )
