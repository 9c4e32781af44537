"""Reports speak of the domain's things by the domain's words."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from askwise.studies.analysis import write_results
from askwise.studies.analysis.figures import pictures
from askwise.studies.schema.domain import StudyWords
from tests.studies.analysis.studies import paper_like, renamed

WORDS = StudyWords(goal="room", teammate="nurse", priors="ours favours none.")


def test_another_domain_has_its_own_words(tmp_path: Path) -> None:
    # Methods that are not the paper's: its claims are about tool fetching, and speak of stations.
    tables = [table.filter(pl.col("prior") == "near") for table in paper_like(3)]
    others = [renamed(table, {name: f"{name}*" for name in tables[0]["method"].unique()}) for table in tables]
    found = write_results(tmp_path, *others, words=WORDS)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<dt>per-room cost</dt>\n<dd>What each room named in a question adds to its price.</dd>" in report
    assert "goals and nurse paths" in report
    assert "ours favours none." in report
    assert "cheapest at every per-room cost: " in report
    for picture in pictures(found.tables):
        assert "per-room cost" in picture.alt + picture.caption
        assert "station" not in picture.alt + picture.caption
        labels = [text for ax in picture.figure.axes for text in (ax.get_title(), ax.get_xlabel())]
        assert not [text for text in labels if "station" in text]
