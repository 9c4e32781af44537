"""Completion: everything that the parser knows, in words that the shell understands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from askwise.cli import COMMANDS, build_parser
from askwise.cli.completion import SHELLS, commands_of
from askwise.methods import AGENTS
from tests.cli.command import Run


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_option_and_method_is_there(run: Run, shell: str) -> None:
    printed = run("completion", shell).assert_fine()
    commands = commands_of(build_parser())
    assert [each.name for each in commands] == list(COMMANDS)
    for each in commands:
        assert each.name in printed
        for option in each.options:
            assert (f"-l {option[2:]} " if shell == "fish" else option) in printed
    for method in AGENTS:
        assert method in printed


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_itself_finds_nothing_wrong(run: Run, shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).assert_fine(), encoding="utf-8")
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["askwise", "ru"], ["run"]),
        (["askwise", "ed"], ["edp"]),
        (["askwise", "solve", "--go"], ["--go-on"]),
        (["askwise", "ask", "--method", "planner"], ["planner", "planner-light"]),
        (["askwise", "show", "worksh"], ["workshop.json"]),
    ],
)
def test_bash_completes(run: Run, tmp_path: Path, typed: list[str], offered: list[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
    (tmp_path / "workshop.json").touch()
    words = " ".join(f"'{word}'" for word in typed)
    asked = f"COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; _askwise; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    script = run("completion", "bash").assert_fine() + asked
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == offered


def test_an_unknown_shell(run: Run) -> None:
    run("completion", "bush").assert_refused(
        "askwise completion: SHELL: found 'bush'; expected one of bash, zsh, fish (did you mean 'bash'?)"
    )
