"""The checks of what pages show: they find what there is, and notice what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwise import __version__
from tests.doc_pages import Block, Command, Reader, blocks, commands, matches, run_python

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

```{code-block} toml
:caption: folder/mine.toml
:class: wide

name = "mine"
```

```{figure} picture.svg
:alt: a picture
```
"""


def test_blocks_are_found() -> None:
    assert list(blocks(PAGE)) == [
        Block("python", "x = 1\n", 4),
        Block("console", "$ askwise --version\naskwise 0\n$ make\n", 9),
        Block("", "```python\nnot a block\n```\n", 15),
        Block("toml", 'name = "mine"\n', 24, "folder/mine.toml"),
        Block("{figure}", ":alt: a picture\n", 28),
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


@pytest.fixture
def reader(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    return Reader(tmp_path / "PAGE.md", capsys, monkeypatch)


def test_other_output_of_a_command_is_noticed_and_shown(reader: Reader) -> None:
    with pytest.raises(pytest.fail.Exception) as caught:
        reader.run(Command("askwise --version", ["askwise 0"], 9))
    assert "$ askwise --version\n--- PAGE.md, line 10\n" in str(caught.value)
    assert "-askwise 0\n" in str(caught.value)


def test_output_of_python_is_compared_with_the_block_below(reader: Reader) -> None:
    reader.do(Block("python", "print(1)\nprint(2)\n", 4))
    reader.do(Block("output", "1\n2\n", 8))
    reader.do(Block("python", "print(3)\n", 4))
    with pytest.raises(pytest.fail.Exception, match=r"^the Python above\n--- PAGE.md, line 8\n(.*\n)*-4\n\+3$"):
        reader.do(Block("output", "4\n", 8))


def test_output_is_written_anew_where_that_is_asked_for(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "```python\nprint(1)\nprint(2)\n```\n\n```output\n1\n```\n\n```console\n$ askwise --version\n```\nEnd.\n"
    reader.page.write_text(page, encoding="utf-8")
    with pytest.raises(pytest.fail.Exception):
        reader.read()
    assert reader.page.read_text(encoding="utf-8") == page
    monkeypatch.setenv("ASKWISE_REWRITE_PAGES", "yes")
    reader.read()
    anew = page.replace("```output\n1\n", "```output\n1\n2\n").replace("version\n", f"version\naskwise {__version__}\n")
    assert reader.page.read_text(encoding="utf-8") == anew


def test_output_of_nothing_is_noticed(reader: Reader) -> None:
    reader.do(Block("python", "print(1)\n", 4))
    reader.do(Block("", "in between\n", 6))
    with pytest.raises(AssertionError, match="line 8: output of nothing"):
        reader.do(Block("output", "1\n", 8))


def test_files_are_written_and_not_run(reader: Reader) -> None:
    reader.do(Block("python", "1 / 0\n", 4, "deep/down/program.py"))
    assert Path("deep/down/program.py").read_text(encoding="utf-8") == "1 / 0\n"


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
