"""More than a hundred misbehaving agents, in every command that runs agents.

None of them causes a traceback or affects other results, and every message names the agent at fault.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from askwise.cli import main
from tests.methods.blamed import Culprit, culprits
from tests.studies.studies import stored
from tests.tool_fetching import workshop

CULPRITS = culprits()
MADE = [culprit for culprit in CULPRITS if not str(culprit).startswith("Init")]
"""Agents that can be constructed; the others are refused when a study file is read."""
INNOCENT = ("never", "ezq")
COMMANDS = {
    "run": ["run", "shop.json", "--seed", "1"],
    "run, everything written": [
        *("run", "shop.json", "--seed", "1", "--json", "--trace", "t.json", "--html", "e.html", "--gif", "e.gif")
    ],
    "ask": ["ask", "shop.json"],
    "watch": ["ask", "shop.json", "--seen", "EAST,EAST"],
    "episodes": ["evaluate", "shop.json", "--episodes", "2"],
    "exact": ["evaluate", "shop.json", "--exact"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an instance."""
    workshop().save(tmp_path / "shop.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_enough_of_them() -> None:
    assert len(CULPRITS) >= 49


@pytest.mark.parametrize("culprit", CULPRITS, ids=str)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_whose_fault_it_was(
    culprit: Culprit, command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fails = command.split(",")[0] in culprit.only
    code = main([*COMMANDS[command], "--method", culprit.place])
    printed = capsys.readouterr()
    if not fails:
        assert (code == 0) == (printed.err == ""), "it does nothing wrong here, or is refused for something else"
        assert "Traceback" not in printed.err
        return
    assert (code, printed.out) == (2, "")
    start, message = f"askwise {COMMANDS[command][0]}: ", printed.err.removesuffix("\n")
    assert message.startswith(start)
    culprit.assert_named(message.removeprefix(start))
    assert [path.name for path in folder.iterdir()] == ["shop.json"], "nothing is written that is not whole"


@pytest.mark.parametrize("culprit", CULPRITS[:1] + CULPRITS[40:45], ids=str)
def test_all_of_an_error_is_shown_if_wanted(culprit: Culprit, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMANDS["run"], "--method", culprit.place, "--traceback"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback (most recent call last):\n")
    culprit.assert_named(printed.splitlines()[-1].removeprefix("askwise run: "))


def study_file(folder: Path, name: str, methods: list[str]) -> str:
    """Write a study file with these methods; return its path."""
    path = folder / f"{name}.toml"
    exactly = 'exact = {instances = 1, priors = ["near"]}\npriors = ["near"]\n'
    stated = f'name = "{name}"\nepisodes = 2\nmethods = [{", ".join(methods)}]\n{exactly}'
    path.write_text(stated + '[instances]\nfiles = ["shop.json"]\n', encoding="utf-8")
    return str(path)


def studied(folder: Path, name: str, methods: list[str]) -> dict[str, pl.DataFrame]:
    """Return the tables of a study with these methods, run by the command."""
    assert main(["study", study_file(folder, name, methods), "--out", name, "--workers", "1"]) == 0
    return {table: stored(folder / name, table) for table in ("episodes", "expected")}


def test_in_a_study_each_is_a_row_with_its_error_and_the_others_never_notice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guilty = [f'{{name = "{culprit.place}", label = "{culprit}"}}' for culprit in MADE]
    innocent = [f'"{method}"' for method in INNOCENT]
    together = studied(folder, "together", [innocent[0], *guilty, innocent[1]])
    alone = studied(folder, "alone", innocent)
    assert "Traceback" not in capsys.readouterr().err
    for name, rows in together.items():
        assert rows.filter(pl.col("method").is_in(INNOCENT)).equals(alone[name])
        assert alone[name]["error"].null_count() == alone[name].height
    for culprit in MADE:
        for name, how in (("episodes", "study"), ("expected", "exact")):
            errors = together[name].filter(pl.col("method") == str(culprit))["error"].to_list()
            assert len(errors) == (2 if name == "episodes" else 1)
            for error in errors:
                if how in culprit.only:
                    culprit.assert_named(error)
                else:
                    assert error is None


@pytest.mark.parametrize("culprit", [each for each in CULPRITS if each not in MADE], ids=str)
def test_a_study_with_one_that_cannot_be_made_is_refused(
    culprit: Culprit, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", study_file(folder, "study", [f'"{culprit.place}"']), "--out", "study"]) == 2
    culprit.assert_named(capsys.readouterr().err.removesuffix("\n"))
