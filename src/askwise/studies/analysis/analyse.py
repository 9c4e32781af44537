"""All numbers of a study at once, and the files they are written to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from askwise.studies.analysis.claims import COLUMNS, claims
from askwise.studies.analysis.comparisons import comparisons
from askwise.studies.analysis.expected import bounds_of, expected_summary
from askwise.studies.analysis.parts import parts
from askwise.studies.analysis.ratios import ratios
from askwise.studies.analysis.summary import failures, summary, timing_summary, write_csv
from askwise.studies.analysis.tables import Tables, checked, with_files
from askwise.studies.schema.domain import StudyWords
from askwise.studies.schema.tables import EXPECTED
from askwise.text.files import make_folder

WRITTEN = (
    "summary", "parts", "ratios", "comparisons", "claims", "failures", "timing_summary", "expected_summary",
)  # fmt: skip


@dataclass(frozen=True)
class Analysis:
    """The tables of a study and everything computed from them; made by `analyse`."""

    tables: Tables
    summary: pl.DataFrame
    parts: pl.DataFrame
    failures: pl.DataFrame
    ratios: pl.DataFrame
    comparisons: pl.DataFrame
    claims: pl.DataFrame
    timing_summary: pl.DataFrame
    expected_summary: pl.DataFrame


def analyse(
    episodes: pl.DataFrame,
    queries: pl.DataFrame | None = None,
    timings: pl.DataFrame | None = None,
    expected: pl.DataFrame | None = None,
    *,
    words: StudyWords | None = None,
    files: Sequence[str] | None = None,
    judged: bool = False,
) -> Analysis:
    """Check the tables of a study and compute everything that its report shows, except the figures.

    `files` names the files of a study over files, in the order of its instances: each of them is then reported alone.
    `judged` says whether the paper's claims are judged: they are about the paper's study, not about any other.
    """
    computed = pl.DataFrame(schema=dict(EXPECTED)) if expected is None else expected
    if files is not None:
        episodes, computed = with_files(episodes, files), with_files(computed, files)
        queries = None if queries is None else with_files(queries, files)
    tables = checked(episodes, queries, timings, bounds_of(computed), words=words)
    return Analysis(
        tables,
        summary(tables.episodes),
        parts(tables.episodes),
        failures(tables.episodes),
        ratios(tables.episodes),
        comparisons(tables.episodes),
        claims(tables.episodes, tables.queries, tables.timings) if judged else pl.DataFrame(schema=COLUMNS),
        timing_summary(tables.timings, tables.episodes),
        expected_summary(computed),
    )


def write_tables(folder: str | Path, analysis: Analysis) -> list[Path]:
    """Write a CSV file for each of `WRITTEN`; return their paths."""
    target = make_folder(folder)
    written = []
    for name in WRITTEN:
        path = target / f"{name}.csv"
        write_csv(getattr(analysis, name), path)
        written.append(path)
    return written
