"""The pipeline from a study to its report: run it, combine the tables, analyse them, and write all results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from askwise.errors import InputError
from askwise.studies.analysis import Analysis, write_results
from askwise.studies.running.checksums import Damaged
from askwise.studies.running.ownership import belongs_to
from askwise.studies.running.run import Ran, run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.instances import Given, words_of
from askwise.studies.schema.study import Study
from askwise.studies.schema.study_file import is_the_papers
from askwise.studies.schema.tables import SCHEMAS


@dataclass(frozen=True)
class Conducted:
    """A study that was run and analysed.

    Attributes:
        ran: the outcome of the run.
        analysis: the numbers computed from its tables.
    """

    ran: Ran
    analysis: Analysis

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.ran.store.folder / "report.html"


def conduct(
    study: Study,
    folder: str | Path,
    *,
    workers: int = 1,
    dask: str | None = None,
    retry_failed: bool = False,
    show_progress: bool = False,
    on_damage: Callable[[Damaged], object] | None = None,
) -> Conducted:
    """Run a study and write its tables, figures and report; the arguments are those of `run_study`."""
    ran = run_study(
        study,
        folder,
        workers=workers,
        dask=dask,
        retry_failed=retry_failed,
        show_progress=show_progress,
        on_damage=on_damage,
    )
    store = ran.store
    store.combine()
    episodes, queries, timings, expected = (store.table(name) for name in SCHEMAS)
    analysis = write_results(
        store.folder,
        episodes,
        queries,
        timings,
        expected=expected,
        title=study.title,
        study=study.describe(),
        provenance={"fingerprint": study.fingerprint, "runs": store.previous_runs()},
        words=words_of(study.domain),
        files=study.instances.files if isinstance(study.instances, Given) else None,
        judged=is_the_papers(study),
    )
    return Conducted(ran, analysis)


def stored_tasks(study: Study, folder: str | Path) -> int:
    """Return the number of tasks of a study that are stored in a folder; 0 if the folder belongs to another study."""
    try:
        return len(Store(folder, study).done()) if belongs_to(Path(folder), study) else 0
    except (OSError, InputError):
        return 0
