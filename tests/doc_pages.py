"""Run the examples of README and documentation: code, commands and files, and compare their output.

Blocks of a page run in order, in one namespace, in a temporary folder with a copy of ``examples``:

- ``python``: run. An ``output`` block right below is what it prints.
- ``console``: lines that start with ``$ `` are commands and the lines below are what they print. ``askwise`` commands
  are run, and so is ``pip install ./FOLDER``, into the test's own folder; others are not.
- ``{code-block}`` with a ``:caption:``: a file of that name, written to the folder.

In output, a line of just ``...`` stands for any lines. Where output has changed for a good reason, run the tests with
``ASKWISE_REWRITE_PAGES`` set: they write what comes out now into the pages. Read the difference before keeping it.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from askwise.cli import main
from askwise.domains import registry

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?:\{code-block\} *)?(?P<language>[\w-]*|\{[\w:-]+\})(?: [^`]*)?$"
)
REWRITE = "ASKWISE_REWRITE_PAGES"
CAPTION = re.compile(r"^:caption: *(?P<file>\S+)$")
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its first line in the page, and the name of the file that it defines."""

    language: str
    text: str
    line: int
    file: str = ""


@dataclass(frozen=True)
class Command:
    """A command, its expected output and its line in the page."""

    text: str
    expected: list[str]
    line: int


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a Markdown page."""
    lines = iter(enumerate(page.splitlines(), start=1))
    for number, line in lines:
        if not (opening := FENCE.match(line)):
            continue
        indent, inside = len(opening["indent"]), []
        for _, inner in lines:
            if inner.strip() == opening["fence"]:
                break
            inside.append(inner[indent:])
        else:
            raise AssertionError(f"the block that starts in line {number} has no end")
        yield _block(opening["language"], inside, number + 1)


def _block(language: str, inside: list[str], line: int) -> Block:
    """Return a block; options at its top, such as ``:caption:``, are not part of its text."""
    options = 0
    if inside and CAPTION.match(inside[0]):
        while options < len(inside) and inside[options].startswith(":"):
            options += 1
        options += options < len(inside) and not inside[options]
    caption = CAPTION.match(inside[0]) if options else None
    text = "".join(f"{text}\n" for text in inside[options:])
    return Block(language, text, line + options, caption["file"] if caption else "")


def commands(block: Block) -> Iterator[Command]:
    """Split a console block into commands and their output."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], [], number))
        elif found:
            found[-1].expected.append(line.rstrip())
        else:
            raise AssertionError(f"line {number}: output before the first command")
    return iter(found)


def matches(expected: list[str], printed: list[str]) -> bool:
    """Return whether the output is as expected; an expected line ``...`` matches any number of lines."""
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected]
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in printed)) is not None


@contextmanager
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a temporary working folder with the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")
    forget_domains()


class Reader:
    """Runs the blocks of a page in the current folder; fails if the output differs."""

    def __init__(self, page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = page
        self.capsys = capsys
        self.monkeypatch = monkeypatch
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.printed: list[str] | None = None
        """The output of the previous block, None if it was not Python."""
        self.changes: list[tuple[int, int, list[str]]] = []
        """Output to rewrite: its first line in the page, its number of lines there, and the new lines."""

    def read(self) -> None:
        """Run all blocks in order."""
        text = self.page.read_text(encoding="utf-8")
        for block in blocks(text):
            self.do(block)
        if self.changes:
            lines = text.splitlines()
            for line, count, printed in reversed(self.changes):
                lines[line - 1 : line - 1 + count] = printed
            self.page.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def do(self, block: Block) -> None:
        """Run one block."""
        printed, self.printed = self.printed, None
        if block.file:
            target = Path(block.file)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            self.capsys.readouterr()
            run_python(self.page, block, self.namespace)
            self.printed = self._lines()
        elif block.language == "output":
            assert printed is not None, f"line {block.line}: output of nothing"
            self._compare("the Python above", [line.rstrip() for line in block.text.splitlines()], printed, block.line)
        elif block.language == "console":
            for command in commands(block):
                self.run(command)

    def run(self, command: Command) -> None:
        """Run a command and compare its output."""
        if command.text.startswith("askwise "):
            self.capsys.readouterr()
            with suppress(SystemExit):  # --help and wrong options end like this; what they print is compared too
                main(shlex.split(command.text)[1:])
            self._compare(f"$ {command.text}", command.expected, self._lines(), command.line + 1)
        elif command.text.startswith("pip install ./"):
            self._install(command.text.removeprefix("pip install "))

    def _install(self, folder: str) -> None:
        installed = Path("installed").resolve()
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", str(installed), folder]
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
        done = subprocess.run([*pip, *options], capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        self.monkeypatch.syspath_prepend(str(installed))
        forget_domains()

    def _lines(self) -> list[str]:
        printed = self.capsys.readouterr()
        return [line.rstrip() for line in (printed.out + printed.err).splitlines()]

    def _compare(self, what: str, expected: list[str], printed: list[str], line: int) -> None:
        if matches(expected, printed):
            return
        if REWRITE in os.environ and "..." not in expected:
            self.changes.append((line, len(expected), printed))
        else:
            where = f"{self.page.name}, line {line}"
            diff = difflib.unified_diff(expected, printed, where, "what it prints now", lineterm="")
            pytest.fail(f"{what}\n" + "\n".join(diff), pytrace=False)


def forget_domains() -> None:
    """Clear the caches of the domain registry after the installed packages have changed."""
    registry._points.cache_clear()
    registry.domain.cache_clear()


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    """Run a Python block; tracebacks refer to lines of the page."""
    code = "\n" * (block.line - 1) + block.text
    exec(compile(code, str(page), "exec"), namespace)


def missing_links(page: Path) -> list[str]:
    """Return the local links of a page whose target does not exist."""
    targets = [match["target"] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    local = [target.partition("#")[0] for target in targets if "://" not in target and not target.startswith("#")]
    return [target for target in local if not (page.parent / target).exists()]
