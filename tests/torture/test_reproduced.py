"""The whole of ``askwise reproduce``: the results in the documentation, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwise.cli import main

SHOWN = Path(__file__).parents[2] / "docs" / "reproduced"


def test_the_paper_is_reproduced_as_the_documentation_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert main(["reproduce", "--out", str(folder), "--json"]) == 0
    written = {name: str(folder / name) for name in ("report.html", "summary.csv", "claims.csv", "episodes.parquet")}
    assert json.loads(capsys.readouterr().out) == {"folder": str(folder), "failures": 0, **written}
    assert (folder / "summary.csv").read_bytes() == (SHOWN / "summary.csv").read_bytes()
