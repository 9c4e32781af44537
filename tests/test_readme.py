"""What the README and the documentation show is run: code, commands with their output, links.

In a ``console`` block, lines that start with ``$ `` are commands and the lines below are what they print; a line of
just ``...`` stands for any lines. Only ``askwise`` commands are run. Python blocks of a file are run in order, in one
namespace, in a folder of their own with a copy of ``examples``.
"""

from __future__ import annotations

import difflib
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from askwise.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>[\w-]*)[^`]*$")
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the file that its text starts in."""

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command and what it is said to print."""

    text: str
    expected: list[str]
    line: int


def blocks(page: str) -> Iterator[Block]:
    """Find the fenced blocks of a Markdown page."""
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
        yield Block(opening["language"], "".join(f"{text}\n" for text in inside), number + 1)


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
    """Whether the lines are those expected, where ``...`` stands for any number of lines."""
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected]
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in printed)) is not None


def run_command(text: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run an ``askwise`` command and return all that it prints, line by line."""
    capsys.readouterr()
    with suppress(SystemExit):  # --help and wrong options end like this; what they print is compared all the same
        main(shlex.split(text)[1:])
    printed = capsys.readouterr()
    return [line.rstrip() for line in (printed.out + printed.err).splitlines()]


def check_command(page: str, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run_command(command.text, capsys)
    if not matches(command.expected, printed):
        where = f"{page}, line {command.line}"
        diff = difflib.unified_diff(command.expected, printed, where, "what it prints now", lineterm="")
        pytest.fail(f"$ {command.text}\n" + "\n".join(diff), pytrace=False)


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    # Empty lines in front make tracebacks point into the page.
    code = "\n" * (block.line - 1) + block.text
    exec(compile(code, str(page), "exec"), namespace)


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to write to, with the examples in it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_what_is_shown_works(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(page.relative_to(ROOT))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            run_python(page, block, namespace)
        elif block.language == "console":
            for command in commands(block):
                if command.text.startswith("askwise "):
                    check_command(name, command, capsys)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    targets = [match["target"] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    local = [target.partition("#")[0] for target in targets if "://" not in target and not target.startswith("#")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_make_targets_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([\w-]+):", makefile, flags=re.MULTILINE)
    named = re.findall(r"\bmake ([a-z]+)(?=`|  )", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert named
    assert set(named) <= set(targets)


def test_the_readme_shows_code_and_commands() -> None:
    found = list(blocks((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {"python", "console"} <= {block.language for block in found}
    assert any(command.text.startswith("askwise ") for b in found if b.language == "console" for command in commands(b))


# -- the checks themselves ---------------------------------------------------------------------------------------

PAGE = """\
Text.

```python
x = 1
```

- a list
  ```console
  $ askwise --version
  askwise 0
  $ make
  ```

````
```python
not a block
```
````
"""


def test_blocks_are_found() -> None:
    assert list(blocks(PAGE)) == [
        Block("python", "x = 1\n", 4),
        Block("console", "$ askwise --version\naskwise 0\n$ make\n", 9),
        Block("", "```python\nnot a block\n```\n", 15),
    ]


def test_commands_are_found() -> None:
    assert list(commands(list(blocks(PAGE))[1])) == [
        Command("askwise --version", ["askwise 0"], 9),
        Command("make", [], 11),
    ]


def test_a_block_without_end_and_output_without_command_are_noticed() -> None:
    with pytest.raises(AssertionError, match="line 1 has no end"):
        list(blocks("```python\nx = 1\n"))
    with pytest.raises(AssertionError, match="line 5: output before the first command"):
        list(commands(Block("console", "output\n", 5)))


@pytest.mark.parametrize(
    ("expected", "printed", "fits"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        ([], ["a"], False),
        (["a.c"], ["abc"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["a", "", "b"], ["a", "b"], False),
    ],
)
def test_matching(expected: list[str], printed: list[str], fits: bool) -> None:
    assert matches(expected, printed) is fits


@pytest.mark.usefixtures("own_folder")
def test_other_output_is_noticed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(pytest.fail.Exception) as caught:
        check_command("PAGE.md", Command("askwise --version", ["askwise 0"], 9), capsys)
    assert "$ askwise --version\n--- PAGE.md, line 9\n" in str(caught.value)
    assert "-askwise 0\n" in str(caught.value)


def test_a_failing_block_points_into_the_page() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_python(Path("PAGE.md"), Block("python", "x = 1\nx / 0\n", 4), {})
    last = caught.traceback[-1]
    assert (str(last.path).endswith("PAGE.md"), last.lineno + 1) == (True, 5)


def test_blocks_share_a_namespace_and_main_is_main() -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    run_python(Path("PAGE.md"), Block("python", "x = 1\n", 4), namespace)
    run_python(Path("PAGE.md"), Block("python", "y = x + 1\n", 9), namespace)
    assert namespace["y"] == 2
