"""``askwise examples``, and examples by name in every command that takes a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import askwise
from askwise.cli import main
from askwise.text.examples import EXAMPLES, folder


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_example_is_listed_and_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(EXAMPLES)
    assert all((folder() / each.file).exists() for each in EXAMPLES.values())
    shipped = {path.relative_to(folder()).as_posix() for path in folder().rglob("*.[tj][oxs][mto]*") if path.is_file()}
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


def test_python_takes_the_name_of_an_example() -> None:
    assert "pills for Ada" in askwise.ask("ward", "never").problem.goals
    assert askwise.design("hall", most=1).changed


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
