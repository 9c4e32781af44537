"""What the README shows is run, and its links and targets exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.doc_pages import ROOT, Reader, blocks, commands, missing_links, own_folder

README = ROOT / "README.md"


def test_what_is_shown_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_folder(tmp_path, monkeypatch):
        Reader(README, capsys, monkeypatch).read()


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
