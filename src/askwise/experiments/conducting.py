"""From a study to its report: run it, put the tables together, analyse them, write everything down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from askwise.experiments.analysis import Analysis, write_results
from askwise.experiments.running.run import Ran, previous_runs, run_study
from askwise.experiments.running.store import Store
from askwise.experiments.schema.sources import words_of
from askwise.experiments.schema.study import Study
from askwise.experiments.schema.tables import SCHEMAS


@dataclass(frozen=True)
class Conducted:
    """A study that was run and analysed."""

    ran: Ran
    analysis: Analysis

    @property
    def report(self) -> Path:
        """The page with everything."""
        return self.ran.store.folder / "report.html"


def conduct(
    study: Study,
    folder: str | Path,
    *,
    workers: int = 1,
    dask: str | None = None,
    retry_failed: bool = False,
    show_progress: bool = False,
) -> Conducted:
    """Run a study (see `run_study`), or what is left of it, and write its tables, figures and report."""
    ran = run_study(study, folder, workers=workers, dask=dask, retry_failed=retry_failed, show_progress=show_progress)
    store = ran.store
    store.combine()
    episodes, queries, timings, expected = (pl.read_parquet(store.folder / f"{name}.parquet") for name in SCHEMAS)
    analysis = write_results(
        store.folder,
        episodes,
        queries,
        timings,
        expected=expected,
        title=study.title,
        study=study.describe(),
        provenance={"fingerprint": study.fingerprint, "runs": previous_runs(store)},
        words=words_of(study.domain),
    )
    return Conducted(ran, analysis)


def stored_tasks(study: Study, folder: str | Path) -> int:
    """Return how many tasks of this study are stored in a folder; 0 if it is not this study's."""
    path = Path(folder) / "study.json"
    try:
        mine = json.loads(path.read_text(encoding="utf-8"))["fingerprint"] == study.fingerprint
        return len(Store(folder, study).done()) if mine else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0
