"""Agents loaded from a file or a module, and the error messages if they cannot be loaded."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest

import askwise
from askwise import simulate
from askwise.cli import main
from askwise.methods import Agent, BeliefAgent, make_agent
from tests.refused import assert_refused
from tests.tool_fetching import workshop

MINE = """
    from dataclasses import dataclass

    from askwise.methods import Agent, BeliefAgent
    from helper import REASON

    @dataclass
    class Remembered:
        why: str

    class Likeliest(BeliefAgent):
        '''Asks about the likeliest goal.'''

        def ask_or_wait(self, state, possible):
            return self.ask([int(self.probabilities.argmax())], Remembered(REASON).why)

    class Renamed(Likeliest):
        name = "asks at once"

    class Chooses(Likeliest):
        def __init__(self, enough, belief="bayes"):
            super().__init__(belief=belief)
            self.enough = enough

    class Unfinished(BeliefAgent):
        pass

    class Breaks(Likeliest):
        def __init__(self, **options):
            super().__init__(**options)
            self.share = 1 / 0

    class Stranger:
        pass

    def half_as_curious(**options):
        made = Likeliest(**options)
        made.name = "made"
        return made

    def a_word():
        return "an agent"

    number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create a folder with agents and make it the current one."""
    package = tmp_path / "own"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "agents.py").write_text(dedent(MINE))
    (tmp_path / "mine.py").write_text(dedent(MINE))
    (tmp_path / "helper.py").write_text("REASON = 'Ask about the likeliest.'\n")
    (tmp_path / "shop.json").write_text("")
    workshop().save(tmp_path / "shop.json")
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("own", "helper", "mine")):
            del sys.modules[name]  # the next test has others of these names


# -- found -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["mine.py:Likeliest", "./mine.py:Likeliest", "own.agents:Likeliest"])
def test_a_place_is_as_good_as_a_name(place: str) -> None:
    episode = simulate(workshop(), place, goal="C", seed=1)
    assert episode.finished
    assert episode.method == "likeliest"
    assert episode.questions[0].decision.why == "Ask about the likeliest."
    assert askwise.ask(workshop(), place, seed=1).method == "likeliest"
    assert askwise.evaluate(workshop(), place, episodes=2, seed=1).method == "likeliest"


def test_a_whole_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert make_agent(f"{folder / 'mine.py'}:Likeliest").name == "likeliest"


def test_options_are_passed_on() -> None:
    agent = make_agent("mine.py:Likeliest", belief="bayes")
    assert isinstance(agent, BeliefAgent)
    assert agent.belief_kind == "bayes"
    assert vars(make_agent("mine.py:Chooses", enough=0.3))["enough"] == 0.3


def test_functions_and_names_of_one_s_own() -> None:
    assert make_agent("mine.py:half_as_curious", belief="robust").name == "made"
    assert make_agent("mine.py:Renamed").name == "asks at once"


def test_beside_a_teammate_that_errs_it_believes_robustly_if_it_can() -> None:
    for seed in range(5):
        assert simulate(workshop(), "mine.py:Likeliest", "noisy:0.4", seed=seed).finished


def test_a_file_that_was_changed_is_loaded_anew(folder: Path) -> None:
    first, again = make_agent("mine.py:Likeliest"), make_agent("mine.py:Likeliest")
    assert type(first) is type(again)
    text = (folder / "mine.py").read_text()
    (folder / "mine.py").write_text(text.replace("at once", "once more"))
    assert make_agent("mine.py:Renamed").name == "asks once more"


def test_two_files_that_are_called_alike_stay_apart(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "mine.py").write_text((folder / "mine.py").read_text().replace("at once", "elsewhere"))
    assert make_agent("mine.py:Renamed").name == "asks at once"
    assert make_agent("other/mine.py:Renamed").name == "asks elsewhere"
    assert make_agent("mine.py:Renamed").name == "asks at once"


def test_nothing_is_left_on_the_path_and_nothing_is_hidden(folder: Path) -> None:
    before = list(sys.path)
    (folder / "json.py").write_text("1 / 0\n")
    (folder / "uses_json.py").write_text(
        "import json\nfrom askwise.methods import Never\nNever.seen = json.dumps({})\n"
    )
    assert make_agent("uses_json.py:Never").name == "never"
    assert sys.path == before


def test_agents_of_a_file_can_be_pickled() -> None:
    agent = make_agent("mine.py:Likeliest")
    agent.reset(askwise.ToolFetching(workshop()), 1)
    assert type(pickle.loads(pickle.dumps(agent))) is type(agent)


def _played_elsewhere(place: str) -> tuple[str, float]:
    episode = simulate(workshop(), place, seed=3)
    return episode.method, episode.marginal_cost


def test_other_processes_load_it_for_themselves() -> None:
    """Studies send the name of a method to new processes, which load the file themselves."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(_played_elsewhere, "mine.py:Likeliest").result() == _played_elsewhere("mine.py:Likeliest")


# -- refused -----------------------------------------------------------------------------------------------------

AGENTS_THERE = "'Likeliest', 'Renamed', 'Chooses', 'Unfinished', 'Breaks'"
HERE = "FILE.py, FILE.py:CLASS or PACKAGE.MODULE:CLASS"

REFUSED = {
    "mine.py:": f"method: found 'mine.py:'; expected {HERE}",
    ":Likeliest": f"method: found ':Likeliest'; expected {HERE}",
    "no.py:Likeliest": (
        "method 'no.py:Likeliest': found no file 'no.py' in '{folder}' (no such file or directory); "
        "expected a Python file"
    ),
    "nowhere.agents:X": (
        f"method 'nowhere.agents:X': found no module 'nowhere.agents'; expected {HERE}, of a module that is installed "
        "or here"
    ),
    "own.nothing:X": (
        f"method 'own.nothing:X': found no module 'own.nothing'; expected {HERE}, of a module that is installed or here"
    ),
    "mine.py:Likelest": (
        f"method 'mine.py:Likelest': found no 'Likelest' in mine.py; expected one of {AGENTS_THERE} "
        "(did you mean 'Likeliest'?)"
    ),
    "own.agents:Nobody": (
        f"method 'own.agents:Nobody': found no 'Nobody' in own.agents; expected one of {AGENTS_THERE}"
    ),
    "helper.py:Nobody": (
        "method 'helper.py:Nobody': found no 'Nobody' in helper.py; "
        "expected the name of an agent: a subclass of askwise.Agent (the file has none)"
    ),
    "mine.py:Stranger": (
        "method 'mine.py:Stranger': found the class Stranger, which is not an Agent; "
        "expected a subclass of askwise.Agent, or a function that makes one"
    ),
    "mine.py:number": (
        "method 'mine.py:number': found something of type int, which is not an Agent; "
        "expected a subclass of askwise.Agent, or a function that makes one"
    ),
    "mine.py:a_word": "method 'mine.py:a_word': found something of type str; expected an askwise Agent",
    "mine.py:Breaks": (
        "method 'mine.py:Breaks': found ZeroDivisionError: division by zero ({folder}/mine.py, line 31); "
        "expected an agent that can be made"
    ),
    "mine.py:Chooses": (
        "method 'mine.py:Chooses': found missing a required argument: 'enough' (options: none); "
        "expected options as in (enough, belief='bayes')"
    ),
    "syntax.py:X": (
        "method 'syntax.py:X': found expected ':' ({folder}/syntax.py, line 2); "
        "expected a file that Python can run, syntax.py"
    ),
    "deep.py:X": (
        "method 'deep.py:X': found ZeroDivisionError: division by zero ({folder}/deep.py, line 3); "
        "expected a file that Python can run, deep.py"
    ),
    "deep:X": (
        "method 'deep:X': found ZeroDivisionError: division by zero ({folder}/deep.py, line 3); "
        "expected a module that can be imported"
    ),
    "needs.py:X": (
        "method 'needs.py:X': found ModuleNotFoundError: No module named 'not_installed' ({folder}/needs.py, line 1); "
        "expected a file that Python can run, needs.py"
    ),
    "needs:X": (
        "method 'needs:X': found ModuleNotFoundError: No module named 'not_installed' ({folder}/needs.py, line 1); "
        "expected a module that can be imported"
    ),
    "leaves.py:X": (
        "method 'leaves.py:X': found SystemExit: 0 ({folder}/leaves.py, line 2); "
        "expected a file that Python can run, leaves.py"
    ),
}
FAULTY = {
    "syntax.py": "\nclass X\n",
    "deep.py": "import statistics\n\nX = statistics.fmean([1 / 0])\n",
    "needs.py": "import not_installed\n",
    "leaves.py": "import sys\nsys.exit(0)\n",
}


@pytest.mark.parametrize("place", REFUSED)
def test_what_cannot_be_used_is_refused(place: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in FAULTY.items():
        (folder / name).write_text(text)
    message = REFUSED[place].replace("{folder}", str(folder.resolve()))
    assert_refused(lambda: make_agent(place), message)
    for command in (["run"], ["ask"], ["evaluate", "--episodes", "2"]):
        assert main([*command, "shop.json", "--method", place]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err == f"askwise {command[0]}: {message}\n"


def test_what_the_agent_itself_refuses_is_said_in_its_words() -> None:
    with pytest.raises(askwise.InputError, match=r"^belief: found 'sure'"):
        make_agent("mine.py:Likeliest", belief="sure")


def test_an_option_that_it_does_not_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "shop.json", "--method", "mine.py:Chooses", "--belief", "robust"]) == 2
    assert capsys.readouterr().err == (
        "askwise run: method 'mine.py:Chooses': found missing a required argument: 'enough' (options: belief); "
        "expected options as in (enough, belief='bayes')\n"
    )


def test_a_file_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is raised here, because permissions do not stop every user from reading."""
    assert (folder / "mine.py").exists()

    def denied(path: Path, *_: object) -> object:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(askwise.InputError, match=r"no file 'mine.py' in .* \(permission denied\)"):
        make_agent("mine.py:Likeliest")


def test_a_pipe_is_no_file_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    assert_refused(
        lambda: make_agent("pipe.py:Likeliest"),
        f"method 'pipe.py:Likeliest': found no file 'pipe.py' in '{folder}' (a pipe); expected a Python file",
    )


# -- commands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["mine.py:Renamed", "own.agents:Renamed"])
def test_every_command_that_takes_a_method(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["run", "--seed", "1"], ["ask"], ["evaluate", "--episodes", "2"], ["evaluate", "--exact"]):
        assert main([command[0], "shop.json", "--method", place, *command[1:]]) == 0
        assert "asks at once" in capsys.readouterr().out


def test_help_mentions_it(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "ask", "evaluate"):
        assert main([command, "--method", "help"]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last == "Your own agent: --method FILE.py:CLASS, or --method PACKAGE.MODULE:CLASS."


def test_the_name_of_an_agent_is_no_place() -> None:
    assert isinstance(make_agent("askwise.methods:Never"), Agent), "askwise's own can be named so too"
