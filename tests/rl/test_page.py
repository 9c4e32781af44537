"""The page about MiniGrid: its blocks run. Run by ``make rl``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.doc_pages import ROOT, Reader, blocks, own_folder

PAGE = ROOT / "docs" / "how-to" / "minigrid.md"


def test_what_the_page_shows_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What networks print differs with the machine, so single numbers are not compared."""
    with own_folder(tmp_path, monkeypatch) as folder:
        monkeypatch.syspath_prepend(str(folder / "examples"))
        reader = Reader(PAGE, capsys, monkeypatch)
        printed = []
        for block in blocks(PAGE.read_text(encoding="utf-8")):
            reader.do(block)
            printed.append(reader.printed or [])
        names = reader.namespace
        assert Path("alike.png").stat().st_size > 5_000
        assert len(Path("pairs.csv").read_text(encoding="utf-8").splitlines()) == 7
    shown = [line for lines in printed for line in lines]
    assert sum("ruled out under" in line for line in shown) == 6
    assert sum(line.startswith("price ") for line in shown) == 3
    assert names["posterior"]["south east"] == max(names["posterior"].values())
    assert sum(names["posterior"].values()) == pytest.approx(1)
    assert names["questions"] == 0  # the last price is too high for any question
