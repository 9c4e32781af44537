"""The ``askwise`` command itself: help, version, choice of a subcommand, what it imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import askwise
from askwise.cli import COMMANDS, GROUPS
from tests.cli.command import Outcome, Run, run_as_user, user_environment

HEAVY = {"numba", "scipy", "matplotlib"}


def test_version(run: Run) -> None:
    assert run("--version") == Outcome(0, f"askwise {askwise.__version__}\n", "")


def test_help_lists_every_command(run: Run) -> None:
    printed = run("--help").assert_fine()
    assert printed.startswith("usage: askwise ")
    unwrapped = " ".join(printed.split())
    for group, commands in GROUPS.items():
        assert (f"{group}:" in unwrapped) == (group != "more")
        for name, summary in commands.items():
            assert (f"{name} {summary}" in unwrapped) == (group != "more")
    everything = " ".join(run("--help-all").assert_fine().split())
    assert all(f"{name} {summary}" in everything for name, summary in COMMANDS.items())


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    printed = [run("--help"), *(run(command, "--help") for command in COMMANDS)]
    for line in "\n".join(each.assert_fine() for each in printed).splitlines():
        assert len(line) <= max(columns, 80)


def test_less_common_options_are_listed_on_request(run: Run) -> None:
    for command, option in [
        ("evaluate", "--paths N  "),
        ("design", "--by"),
        ("run", "--traceback"),
        ("edp", "--memory"),
    ]:
        assert option not in run(command, "--help").assert_fine()
        assert option in run(command, "--help-all").assert_fine()


def test_misspelt_options_get_a_suggestion(run: Run) -> None:
    for given, message in [
        (["run", "ward", "--methd", "planner"], "askwise run: unknown option '--methd' (did you mean '--method'?)"),
        (["ask", "ward", "--beleif=robust"], "askwise ask: unknown option '--beleif' (did you mean '--belief'?)"),
        (["show", "ward", "kitchen"], "askwise show: unknown argument 'kitchen'"),
    ]:
        run(*given).assert_refused(f"{message} (askwise {given[0]} --help explains)")


def test_earlier_spellings_work_with_a_notice(run: Run) -> None:
    now = run("ask", "ward", "--teammate-at", "corridor 1", "--ego-at", "lift").assert_fine()
    before = run("ask", "ward", "--teammate", "corridor 1", "--ego", "lift")
    assert (before.code, before.out) == (0, now)
    assert before.err == (
        "askwise ask: --teammate is now called --teammate-at\naskwise ask: --ego is now called --ego-at\n"
    )


def test_other_spellings_of_commands(run: Run) -> None:
    assert run("recognize", "words-pddl") == run("recognise", "words-pddl")
    assert run("study", "report").err == run("study-report").err
    assert run("design", "hall", "-k", "1", "--minimize", "wcd").code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_explains_it_and_its_options(run: Run, command: str) -> None:
    printed = run(command, "--help-all" if command not in ("completion", "examples", "new") else "--help").assert_fine()
    options = OPTIONS[command]
    explained = printed[printed.index("\n\n") :]
    for option in options:
        assert f"  {option}" in explained
    assert max(map(len, printed.splitlines())) <= 100


OPTIONS = {
    "studio": [
        "PROBLEMS",
        "-o DIR, --output DIR",
        "--host ADDRESS",
        "--port N",
        "--url URL",
        "--method PLACE",
        "--no-browser",
    ],
    "study-report": ["DIR"],
    "ask": [
        "FILE",
        "--method",
        "--teammate-at STATE, --worker STATE",
        "--ego-at STATE, --fetcher STATE",
        "--seen ACTIONS",
        "--answered GOALS:yes|no",
        "--fresh",
        "--holding",
        "--ruled-out",
        "--belief KIND",
        "--json",
    ],
    "completion": ["SHELL"],
    "examples": ["NAME", "-o FILE, --output FILE", "--json"],
    "decide": ["FILE", "--heard QUESTION=ANSWER", "--depth N", "--picture FILE", "--json", "--memory AMOUNT"],
    "serve-mcp": ["--memory AMOUNT"],
    "audit": [
        "PATH",
        "--judge NAME",
        "--tolerance X",
        "--workers N",
        "--costliest N",
        "--csv FILE",
        "--html FILE",
        "--fail-over X",
    ],
    "design": [
        "FILE",
        "TEMPLATE",
        "-k N",
        "--minimise WHAT",
        "--by WHO",
        "--longer N",
        "--forbid WHAT",
        "--goals FILE",
        "--designs N",
        "--json",
        "--picture FILE",
        "-o",
    ],
    "edp": ["MAP", "--at STATE", "--json", "--picture FILE"],
    "evaluate": [
        "FILE",
        "--method",
        "--exact",
        "--episodes N",
        "--paths N",
        "--seed N",
        "--bound",
        "--tight",
        "--go-on",
        "--json",
    ],
    "generate": ["--size", "--stations", "--toolboxes", "--walls", "--clustered", "--seed"],
    "grd": ["DIR", "--search-limit NAME=N", "--csv FILE", "--workers N", "--time-limit SECONDS"],
    "new": ["--kind KIND", "--from FILE", "-o FILE", "--force"],
    "recognise": [
        "ARCHIVE",
        "--goals FILE",
        "--obs FILE",
        "--belief",
        "--stray P",
        "--complete",
        "--json",
        "--csv FILE",
        "--workers N",
    ],
    "reproduce": ["-o DIR, --output DIR", "--quick", "--grid-only", "--workers N", "--dask ADDRESS", "--retry-failed"],
    "solve": ["FILE", "--go-on", "--json"],
    "run": [
        "FILE",
        "--method",
        "--goal",
        "--teammate",
        "--belief KIND",
        "--watch",
        "--json",
        "--gif FILE",
        "--html FILE",
    ],
    "show": ["FILE", "--picture FILE"],
    "study": [
        "STUDY",
        "--methods NAME",
        "--priors KIND",
        "--base X",
        "--per-goal X",
        "-o DIR, --output DIR",
        "--dry-run",
        "--dask ADDRESS",
    ],
}


def test_the_example_in_the_help_works(run: Run) -> None:
    assert r"printf 'B....\n.....\nW...A\n' | askwise edp -" in run("edp", "--help").out
    assert run("edp", "-", stdin="B....\n.....\nW...A\n").assert_fine().startswith("5 x 3 grid, no walls, 2 goals")


def test_no_command_at_all_prints_the_help(run: Run) -> None:
    assert run().assert_fine() == run("--help").assert_fine()


@pytest.mark.parametrize(("given", "meant"), [("rum", "run"), ("edpp", "edp"), ("evaluat", "evaluate"), ("xyz", None)])
def test_unknown_command(run: Run, given: str, meant: str | None) -> None:
    hint = "" if meant is None else f" (did you mean {meant!r}?)"
    run(given).assert_refused(f"askwise: COMMAND: found {given!r}; expected one of {', '.join(COMMANDS)}{hint}")


@pytest.mark.parametrize(("given", "meant"), [("--vesion", "--version"), ("--x", None), ("-v", None)])
def test_unknown_option_in_the_place_of_a_command(run: Run, given: str, meant: str | None) -> None:
    hint = "" if meant is None else f" (did you mean {meant!r}?)"
    known = "a command, or one of -h, --help, --help-all, --version"
    for rest in ([], ["edp", "-"]):
        run(given, *rest).assert_refused(f"askwise: option: found {given!r}; expected {known}{hint}")


def test_the_package_is_a_command_too() -> None:
    command = [sys.executable, "-m", "askwise", "--version"]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=user_environment())
    assert (done.stdout, done.stderr) == (f"askwise {askwise.__version__}\n", "")


def test_a_user_gets_tables() -> None:
    printed = run_as_user("edp", "-", stdin=b"A.W.B\n").assert_fine()
    assert printed.startswith("5 x 1 grid, no walls, 2 goals, teammate at (2, 0)\n")


def test_a_user_gets_json(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("A.W.B\n")
    printed = run_as_user("edp", str(tmp_path / "map.txt"), "--json").assert_fine()
    assert json.loads(printed)["edp"] == [[None, 1.0], [1.0, None]]


def test_a_user_gets_one_line_and_exit_code_2() -> None:
    run_as_user("edp", "-", stdin=b"A.W\n..\n").assert_refused(
        "askwise edp: drawing, line 2: found 2 cells; expected 3, as in line 1 (every line has the same length)"
    )


def test_the_installed_script_is_this_command() -> None:
    script = Path(sys.executable).with_name("askwise")
    if not script.exists():
        pytest.skip("askwise is not installed beside this Python")
    done = subprocess.run([script, "--version"], capture_output=True, check=True, text=True, env=user_environment())
    assert done.stdout == f"askwise {askwise.__version__}\n"


def imported_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh Python has loaded after running `code`."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, check=True, text=True, env=user_environment()
    )
    return set(done.stderr.split())


def test_importing_askwise_is_light() -> None:
    loaded = imported_by("import askwise")
    assert "askwise" in loaded
    assert not loaded & (HEAVY | {"numpy"})


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["edp", "--help"], ["reproduce", "--help"], ["ask", "--help"], ["edp"]]
)
def test_help_and_wrong_options_are_light(arguments: list[str]) -> None:
    loaded = imported_by(f"from askwise.cli import main\ntry: main({arguments})\nexcept SystemExit: import argparse")
    assert "argparse" in loaded
    assert not loaded & (HEAVY | {"numpy"})


def test_the_check_for_heavy_imports_can_fail() -> None:
    assert imported_by("import askwise, scipy; askwise.plot; from askwise import _jit") >= HEAVY
