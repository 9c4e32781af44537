"""A map of a million cells with 40 stations can be loaded, drawn and played.

The episode is cut off after a few steps: what is slow at that size is each single one of them, and a whole episode
would be two thousand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from askwise.cli import main
from askwise.domains.tool_fetching.generate import generate

STEPS = 12


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.json"
    generate(width=1000, stations=40, toolboxes=5, walls=0.2, seed=3).save(path)
    return path


def test_it_is_described_and_drawn(large: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(large), "--png", str(tmp_path / "large.png")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Tool fetching: 1000 x 1000 cells, 200000 walls, 40 stations, 5 toolboxes\n")
    assert max(map(len, printed.split("\n\n")[1].splitlines())) <= 100
    assert "each letter stands for 13 x 26 cells" in printed.replace("\n", " ")
    assert (tmp_path / "large.png").stat().st_size < 2_000_000


def test_it_is_played(large: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = ["--html", str(tmp_path / "large.html"), "--gif", str(tmp_path / "large.gif")]
    assert main(["run", str(large), "--method", "never", "--seed", "1", "--max-steps", str(STEPS), *written]) == 0
    assert f"Not finished: cut off after {STEPS} steps, with no questions.\nCost {STEPS}, " in capsys.readouterr().out
    assert (tmp_path / "large.html").stat().st_size < 2_000_000
    assert (tmp_path / "large.gif").stat().st_size < 20_000_000
