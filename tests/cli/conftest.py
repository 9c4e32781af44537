from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from askwise.cli import main
from tests.cli.command import Outcome, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in this process; the working folder is empty, standard input is what the test gives."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | bytes = "") -> Outcome:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        try:
            code = main(arguments)
        except SystemExit as end:  # how argparse ends --help and wrong options
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no line be wrapped, for tests of what output says."""
    monkeypatch.setenv("COLUMNS", "200")
