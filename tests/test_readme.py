"""What the README shows is run with the installed package, and its links and targets exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from askwise.cli import main
from tests.doc_pages import ROOT, Command, Reader, blocks, commands, missing_links

README = ROOT / "README.md"


COMPILE = ("evaluate", "solve", "study", "decide", "design", "ask workshop")
"""How commands begin that need compiled loops."""

GIVEN = os.environ.get("INSTALLED_ASKWISE", "")
"""The command of an installation in which every command is to run (``make dist`` gives it)."""


def runs_here(command: str) -> bool:
    """Whether a command runs in this process: if it compiles loops, unless an installation is given."""
    return not GIVEN and command.removeprefix("askwise ").startswith(COMPILE)


class InstalledReader(Reader):
    """Runs the commands of a page with an installed askwise, in processes of their own.

    Those that compile loops run in this process, except in ``make dist``: each installation compiles them once more.
    """

    program = ""
    """The ``askwise`` to run."""

    def run(self, command: Command) -> None:
        if runs_here(command.text):
            super().run(command)
        elif command.text.startswith("askwise "):
            done = run_installed(self.program, command.text)
            printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
            self._compare(f"$ {command.text}", command.expected, printed, command.line + 1)


def run_installed(program: str, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command that begins with ``askwise``."""
    arguments = [program, *shlex.split(command)[1:]]
    return subprocess.run(arguments, capture_output=True, check=False, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def installed(wheel_file: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command of a fresh environment into which the wheel was installed; it borrows the other packages."""
    if GIVEN:
        return GIVEN
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install", "--quiet"]
    done = subprocess.run([*pip, "--no-deps", "--no-index", str(wheel_file)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    (packages,) = folder.glob("lib/python*/site-packages")
    borrowed = sysconfig.get_path("purelib")  # a plain line: the .pth of this askwise in there is not followed
    (packages / "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
    where = subprocess.run([python, "-c", "import askwise; print(askwise.__file__)"], capture_output=True, text=True)
    assert where.stdout.startswith(str(folder)), where
    return str(folder / "bin" / "askwise")


def test_what_is_shown_works_after_an_installation_in_an_empty_folder(
    tmp_path: Path, installed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reader = InstalledReader(README, capsys, monkeypatch)
    reader.program = installed
    reader.read()
    inline = re.findall(r"`(askwise [^`]+)`", README.read_text(encoding="utf-8"))
    tried = [command for command in inline if not re.search(r"^askwise \S+$|reproduce|help", command)]
    assert len(tried) >= 6
    for command in tried:
        if runs_here(command):
            assert main(shlex.split(command)[1:]) == 0, command
        else:
            done = run_installed(installed, command)
            assert done.returncode == 0, f"{command}: {done.stderr}"


def test_links_lead_somewhere() -> None:
    assert missing_links(README) == []


def test_make_targets_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([\w-]+):", makefile, flags=re.MULTILINE)
    named = re.findall(r"\bmake ([a-z]+)(?=`|  )", README.read_text(encoding="utf-8"))
    assert named
    assert set(named) <= set(targets)


def test_the_readme_shows_code_and_commands() -> None:
    found = list(blocks(README.read_text(encoding="utf-8")))
    assert {"python", "console"} <= {block.language for block in found}
    assert any(command.text.startswith("askwise ") for b in found if b.language == "console" for command in commands(b))
