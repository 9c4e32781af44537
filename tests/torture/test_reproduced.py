"""The command ``askwise reproduce`` gives the results in the documentation."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from askwise.cli import main

SHOWN = Path(__file__).parents[2] / "docs" / "reproduced"
ROUNDED = ["stderr", "ci_low", "ci_high"]
"""Columns computed by a product of vectors, whose last bit depends on the processor."""


def test_the_paper_is_reproduced_as_the_documentation_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert main(["reproduce", "--out", str(folder), "--json"]) == 0
    written = {name: str(folder / name) for name in ("report.html", "summary.csv", "claims.csv", "episodes.parquet")}
    assert json.loads(capsys.readouterr().out) == {"folder": str(folder), "failures": 0, **written}
    found, shown = pl.read_csv(folder / "summary.csv"), pl.read_csv(SHOWN / "summary.csv")
    assert found.drop(ROUNDED).rows() == shown.drop(ROUNDED).rows()
    for name in ROUNDED:
        assert found[name].to_list() == pytest.approx(shown[name].to_list(), rel=1e-13, abs=1e-13)
