"""``askwise examples``, and examples by name in every command that takes a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import askwise
from askwise.cli import COMMANDS, main
from askwise.cli.common import KINDS, kind_of
from askwise.text.files import EXAMPLES, examples_folder


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_example_is_listed_and_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(EXAMPLES)
    assert all((examples_folder() / each.file).exists() for each in EXAMPLES.values())
    shipped = {
        path.relative_to(examples_folder()).as_posix()
        for path in examples_folder().rglob("*.[tj][oxs][mto]*")
        if path.is_file()
    }
    assert shipped == {each.file for each in EXAMPLES.values() if Path(each.file).suffix not in ("", ".py")}


@pytest.mark.parametrize(
    "command",
    [
        ["show", "words"],
        ["edp", "office"],
        ["edp", "words-pddl"],
        ["recognise", "words-pddl"],
        ["design", "hall", "-k", "1"],
        ["decide", "robot"],
        ["new", "--kind", "map", "--from", "two-goals"],
    ],
)
def test_a_command_takes_the_name_of_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        ("recognise", "ward", "an instance file; expected a planning problem (askwise ask takes this one)"),
        ("audit", "ward", "an instance file; expected episodes or conversations (askwise ask takes this one)"),
        ("study", "ward", "an instance file; expected a study file (askwise ask takes this one)"),
        ("decide", "ward", "an instance file; expected a decision file (askwise ask takes this one)"),
        ("run", "words-pddl", "a planning problem; expected an instance file (askwise recognise takes this one)"),
        ("solve", "returns", "episodes or conversations; expected an instance file (askwise audit takes this one)"),
        ("grd", "ticket", "a decision file; expected a planning problem (askwise decide takes this one)"),
        ("show", "train_ppo", "Python code; expected an instance file (an agent is given as --method FILE.py:CLASS)"),
    ],
)
def test_a_command_names_the_one_that_takes_the_file(
    command: str, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, name]) == 2
    assert capsys.readouterr().err == f"askwise {command}: file {name!r}: found {message}\n"


def test_the_kind_of_an_example_fits_the_command_that_is_listed_with_it() -> None:
    for name, each in EXAMPLES.items():
        kind = kind_of(name)
        assert kind is not None, name
        assert each.command.split()[0] in (*kind.commands, "examples"), name
    assert {name for kind in KINDS for name in kind.commands} <= COMMANDS.keys()


def test_python_takes_the_name_of_an_example() -> None:
    assert "pills for Ada" in askwise.ask("ward", "never").problem.goals
    assert askwise.design("hall", most=1).changed
    assert askwise.Instance.load("workshop") == askwise.Instance.load("examples/workshop.json")


def test_a_file_of_that_name_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    Path("office").write_text("W..A\n", encoding="utf-8")
    assert main(["edp", "office"]) == 0
    assert "4 x 1 grid" in capsys.readouterr().out


def test_a_name_with_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "kichen"]) == 2
    message = "file 'kichen': found no such file; expected a file, or the name of an example (did you mean 'kitchen'?)"
    assert capsys.readouterr().err == f"askwise show: {message}\n"
    assert main(["examples", "wards"]) == 2
    assert "(did you mean 'ward'?)" in capsys.readouterr().err


def test_a_copy_has_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "words", "-o", "mine.toml"]) == 0
    assert main(["show", "mine.toml"]) == 0
    assert main(["examples", "words", "-o", "mine.toml"]) == 2
    assert "another name, or --force" in capsys.readouterr().err
    Path("words/domain.pddl").write_text("mine", encoding="utf-8")
    assert main(["examples", "words", "-o", "other.toml"]) == 2
    assert "domain.pddl', which exists; expected another name, or --force" in capsys.readouterr().err
    assert Path("words/domain.pddl").read_text(encoding="utf-8") == "mine"
    assert not Path("other.toml").exists()
    assert main(["examples", "words", "-o", "other.toml", "--force"]) == 0
    assert main(["show", "other.toml"]) == 0
    assert main(["examples", "words", "-o", "third.toml"]) == 0, "the folder holds unchanged copies"
    assert main(["examples", "words-pddl"]) == 2
    assert main(["examples", "words-pddl", "-o", "archive"]) == 0
    assert main(["examples", "ward"]) == 0
    assert 'name = "Ward"' in capsys.readouterr().out


def test_an_example_as_the_repository_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["show", "examples/kitchen.toml"]) == 0
    assert capsys.readouterr().out.startswith("Kitchen: ")
    assert main(["show", "examples/nothing.toml"]) == 2
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "kitchen.toml").write_text("mine")
    assert main(["show", "examples/kitchen.toml"]) == 2  # a file that is there comes first
