"""``askwise run``: account, JSON, animation, files, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from askwise import simulate, trace
from askwise.cli.run import as_json
from askwise.core.teammates import TEAMMATES
from askwise.methods import AGENTS
from askwise.view.summary import episode_to_text
from askwise.view.text import OWN_SCREEN, USUAL_SCREEN
from tests.cli.command import Run, run_as_user, user_environment
from tests.tool_fetching import workshop
from tests.view.episodes import asking

NEVER = ["--method", "never", "--goal", "B", "--seed", "4"]


@pytest.fixture(autouse=True)
def _saved(run: Run) -> None:
    workshop().save("workshop.json")


def test_the_account(run: Run) -> None:
    expected = episode_to_text(simulate(workshop(), "never", goal="B", seed=4))
    assert "method never, teammate urop, goal B, seed 4\n" in expected
    assert run("run", "workshop.json", *NEVER).assert_fine() == expected
    assert run("run", "-", *NEVER, stdin=Path("workshop.json").read_text()).assert_fine() == expected
    for hash_seed in ("0", "4242"):
        assert run_as_user("run", "workshop.json", *NEVER, env={"PYTHONHASHSEED": hash_seed}).assert_fine() == expected


def test_json(run: Run) -> None:
    assert json.loads(run("run", "workshop.json", *NEVER, "--json").assert_fine()) == {
        "goal": "B",
        "cost": 14.0,
        "known_cost": 8.0,
        "marginal_cost": 6.0,
        "steps": 14,
        "queries": [],
        "finished": True,
    }


def test_questions_in_json() -> None:
    told = as_json(asking())
    assert told["queries"] == [
        {"t": 1, "stations": ["A"], "answer": False, "cost": 0.6, "value": 1.5},
        {"t": 2, "stations": ["B"], "answer": False, "cost": 0.6, "value": 1.5},
    ]
    assert list(told) == ["goal", "cost", "known_cost", "marginal_cost", "steps", "queries", "finished"]


@pytest.mark.parametrize("method", AGENTS)
def test_every_method_plays(run: Run, method: str) -> None:
    printed = run("run", "workshop.json", "--method", method, "--goal", "C", "--seed", "3", "--json").assert_fine()
    assert json.loads(printed) == as_json(simulate(workshop(), method, goal="C", seed=3))
    assert json.loads(printed)["finished"] is True


def test_questions_with_and_without_a_value(run: Run) -> None:
    for method, valued in (("ezq", True), ("baseline", False)):
        told = json.loads(run("run", "workshop.json", "--method", method, "--seed", "1", "--json").assert_fine())
        assert told["queries"]
        assert all((query["value"] is not None) == valued for query in told["queries"])


def test_the_trace_of_an_episode_with_questions(run: Run) -> None:
    run("run", "workshop.json", "--method", "ezq-exact", "--seed", "1", "--trace", "t.json").assert_fine()
    loaded = trace.load("t.json")
    assert loaded == simulate(workshop(), "ezq-exact", seed=1)
    assert loaded.questions[0].decision.verdict == "proven optimal"


def test_options_arrive(run: Run) -> None:
    options = "--method informed --teammate noisy:0.2 --belief robust --goal C --seed 9 --max-steps 4"
    printed = run("run", "workshop.json", *options.split()).assert_fine()
    assert "method informed, teammate noisy:0.2, goal C, seed 9\n" in printed
    assert "Not finished: cut off after 4 steps, with no questions." in printed


def test_without_goal_and_seed_both_are_drawn_and_told(run: Run) -> None:
    printed = run("run", "workshop.json").assert_fine()
    line = printed.splitlines()[1]
    assert line.startswith("method planner, teammate urop, goal ")
    seed = line.rpartition("seed ")[2]
    assert run("run", "workshop.json", "--seed", seed).assert_fine() == printed


def test_methods_are_listed(run: Run) -> None:
    printed = run("run", "--method", "help").assert_fine()
    listed = printed.splitlines()[:-2]  # the last line says how to name others
    assert [line.split()[0] for line in listed] == list(AGENTS)
    assert all(len(line.split()) > 3 for line in listed)
    assert printed.startswith("never          never asks; acts if one action is optimal for all possible goals")


@pytest.mark.usefixtures("wide_terminal")
def test_teammates_are_listed(run: Run) -> None:
    printed = run("run", "--teammate", "help").assert_fine()
    assert [line.partition(":")[0].split()[0] for line in printed.splitlines()] == list(TEAMMATES)
    assert all(len(line.split()) > 3 for line in printed.splitlines())
    assert "`" not in printed
    assert "=" not in printed


def test_files(run: Run) -> None:
    files = ["--trace", "t.json", "--html", "p.html", "--gif", "a.gif"]
    printed = run("run", "workshop.json", *NEVER, *files).assert_fine()
    assert printed.endswith("marginal cost 6.\nWritten: t.json\nWritten: p.html\nWritten: a.gif\n")
    assert episode_to_text(trace.load("t.json")) == episode_to_text(simulate(workshop(), "never", goal="B", seed=4))
    assert Path("p.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    with Image.open("a.gif") as animation:
        assert getattr(animation, "n_frames", 1) == 15


def test_files_beside_json_leave_the_json_alone(run: Run) -> None:
    printed = run("run", "workshop.json", *NEVER, "--json", "--html", "p.html").assert_fine()
    assert printed == run("run", "workshop.json", *NEVER, "--json").assert_fine()
    assert Path("p.html").exists()


# -- watching ----------------------------------------------------------------------------------------------------


def test_watching_without_a_terminal_is_declined_politely(run: Run) -> None:
    outcome = run("run", "workshop.json", *NEVER, "--watch")
    assert (outcome.code, outcome.err) == (0, "askwise run: --watch needs a terminal; printing the episode instead\n")
    assert outcome.out == run("run", "workshop.json", *NEVER).assert_fine()


def in_a_terminal(*arguments: str, stop_at: str | None = None, **env: str) -> tuple[int, str]:
    """Run a command in a terminal of its own; interrupt it, as Ctrl-C does, as soon as it has printed `stop_at`."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    usual = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", "NO_COLOR": ""}
    process = subprocess.Popen(
        [sys.executable, "-m", "askwise.cli", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=user_environment({**usual, **env}),
    )
    os.close(theirs)
    printed = b""
    while piece := read_piece(ours):
        printed += piece
        if stop_at is not None and stop_at.encode() in printed:
            process.send_signal(signal.SIGINT)
            stop_at = None
    os.close(ours)
    return process.wait(), printed.decode().replace("\r\n", "\n")


def read_piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux tells that the other side is gone
        return b""


def test_watching_in_a_terminal() -> None:
    code, printed = in_a_terminal("run", "workshop.json", *NEVER, "--watch", "--speed", "1000", NO_COLOR="1")
    assert code == 0
    animation, _, after = printed.partition(USUAL_SCREEN)
    assert animation.startswith(OWN_SCREEN)
    for t in range(1, 15):
        assert f"step {t} of 14: cost so far {t - 1}, with the goal known 8" in animation
    assert after == episode_to_text(simulate(workshop(), "never", goal="B", seed=4))


def test_watching_is_declined_in_a_terminal_that_cannot_move_the_cursor(run: Run) -> None:
    code, printed = in_a_terminal("run", "workshop.json", *NEVER, "--watch", TERM="dumb")
    declined = "askwise run: --watch needs a terminal; printing the episode instead\n"
    assert (code, printed) == (0, declined + run("run", "workshop.json", *NEVER).assert_fine())


def test_ctrl_c_ends_the_watching_only() -> None:
    slowly = ["--watch", "--speed", "0.01"]
    code, printed = in_a_terminal("run", "workshop.json", *NEVER, *slowly, stop_at="step 1 of 14")
    assert code == 0
    before, _, after = printed.partition(USUAL_SCREEN)
    assert "step 2 of 14" not in before
    assert after.startswith("(stopped watching)\nTool fetching: 6 x 5 cells")
    assert "Traceback" not in printed


def test_colours_in_a_terminal_unless_they_are_not_wanted(run: Run) -> None:
    assert "\x1b[" in in_a_terminal("show", "workshop.json")[1]
    for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        code, printed = in_a_terminal("show", "workshop.json", **unwanted)
        assert (code, printed) == (0, run("show", "workshop.json").assert_fine())


# -- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "FILE: found nothing; expected an instance file (askwise new writes one)"),
        (
            ["workshop.json", "--method", "nevr"],
            f"method: found 'nevr'; expected one of {', '.join(map(repr, AGENTS))} (did you mean 'never'?)",
        ),
        (
            ["workshop.json", "--teammate", "nois:0.1"],
            f"teammate: found 'nois:0.1'; expected one of {', '.join(map(repr, TEAMMATES))} (did you mean 'noisy'?)",
        ),
        (
            ["workshop.json", "--teammate", "noisy:2"],
            "noise of the teammate: found 2.0; expected a number from 0 and below 1",
        ),
        (
            ["workshop.json", "--belief", "bays"],
            "belief: found 'bays'; expected one of 'elimination', 'bayes', 'robust' (did you mean 'bayes'?)",
        ),
        (["workshop.json", "--goal", "D"], "goal: found 'D'; expected one of A, B, C"),
        (["workshop.json", "--seed", "one"], "--seed: found 'one'; expected a whole number from 0"),
        (["workshop.json", "--max-steps", "0"], "--max-steps: found '0'; expected a whole number from 1"),
        (["workshop.json", "--watch", "--json"], "--watch: found --json as well; expected one of the two"),
        (["workshop.json", "--speed", "0"], "--speed: found '0'; expected a finite number above 0"),
        (["workshop.json", "--gif", "a.png"], "file 'a.png': found the ending '.png'; expected the ending '.gif'"),
        (
            ["workshop.json", "--html", "nowhere/p.html"],
            "file 'nowhere/p.html': found no such file or directory; expected a place that can be written to",
        ),
        (["none.json"], "file 'none.json': found no such file or directory; expected a file that can be read"),
        *(
            (
                ["workshop.json", "--answers", f"{name}:{share}"],
                f"--answers: {name}: found {float(share)}; expected a number from 0 and below {below}",
            )
            for name, share, below in (
                ("wrong", "0.5", "0.5"),
                ("wrong", "-0.1", "0.5"),
                ("wrong", "nan", "0.5"),
                ("refused", "1", "1"),
                ("refused", "-1", "1"),
            )
        ),
        (
            ["workshop.json", "--answers", "rude:0.1"],
            "--answers: found 'rude:0.1'; expected truthful, or some of wrong:E, refused:R and persistent, with commas "
            "between",
        ),
    ],
)
def test_wrong_options(run: Run, options: list[str], message: str) -> None:
    run("run", *options).assert_refused(f"askwise run: {message}")
    assert [path.name for path in Path().iterdir()] == ["workshop.json"]


def test_a_text_drawing_is_no_instance(run: Run) -> None:
    Path("office.txt").write_text("A.W.B\n..F..\n")
    run("run", "office.txt").assert_refused(
        "askwise run: file 'office.txt': found a drawn map; expected an instance file "
        "(askwise edp takes this one; askwise new --kind map --from office.txt makes an instance file)"
    )


def test_a_teammate_that_cannot_be_explained(run: Run) -> None:
    options = ["--method", "never", "--teammate", "plan:EAST,WEST", "--goal", "A", "--seed", "1"]
    run("run", "workshop.json", *options, "--belief", "elimination").assert_refused(
        "askwise run: step 3: an action of the teammate rules out every goal that was still possible under the belief "
        "'elimination': the teammate does not act as assumed; belief 'robust' allows for that (try --belief robust)"
    )
    robust = run("run", "workshop.json", *options, "--belief", "robust").assert_fine()
    assert "Finished after " in robust
    assert run("run", "workshop.json", *options).assert_fine() == robust, "the default for a teammate that errs"


def test_a_faulty_instance(run: Run) -> None:
    faulty: dict[str, Any] = {**workshop().to_json(), "worker": [3, 1]}
    run("run", "-", stdin=json.dumps(faulty)).assert_refused(
        "askwise run: worker: found [3, 1], which is a wall; expected a free cell"
    )
