"""The pipeline from a study to its report: play all episodes, combine and analyse the tables, and write the results."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.studies.analysis import Analysis, write_results
from askwise.studies.analysis.tables import short_names
from askwise.studies.analysis.text import conjoined
from askwise.studies.running.checksums import Damaged
from askwise.studies.running.ownership import belongs_to
from askwise.studies.running.run import Ran, run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.instances import Given, words_of
from askwise.studies.schema.study import Study
from askwise.studies.schema.study_file import is_the_papers, load_study
from askwise.studies.schema.tables import SCHEMAS

UNNAMED = "study"
"""The name and title of a study that is described by options of a command only."""


@dataclass(frozen=True)
class Conducted:
    """The results of a study that was run and analysed.

    Attributes:
        ran: the outcome of the run, with the folder of the results.
        analysis: the tables computed from the results.
    """

    ran: Ran
    analysis: Analysis

    @property
    def report(self) -> Path:
        """The path of the report, the file ``report.html`` in the folder of the results."""
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
    """Run a study and write its tables, figures and report into `folder`.

    Args:
        study: the instances, and the conditions in which each is played.
        folder: the folder of results, created if needed. Instances with results are not played again. If the results
            are of another study, `InputError` is raised.
        workers: number of processes on this machine.
        dask: address of a Dask scheduler to use instead, such as ``tcp://127.0.0.1:8786``; may be None.
        retry_failed: whether to play instances with stored errors again.
        show_progress: whether to draw a progress bar.
        on_damage: called with each damaged or unfinished file before any instance is played; may be None.
    """
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
        title=_title(study),
        study=study.describe(),
        provenance={"fingerprint": study.fingerprint, "runs": [_shown(run) for run in store.previous_runs()]},
        words=words_of(study.domain),
        files=short_names(study.instances.files) if isinstance(study.instances, Given) else None,
        judged=is_the_papers(study),
    )
    return Conducted(ran, analysis)


def study(given: str | Path, folder: str | Path | None = None, *, workers: int = 1, **settings: Any) -> Conducted:
    """Run a study, or continue an interrupted one; write its tables, figures and report into a folder.

    Args:
        given: a study file, or the name of a study that comes with askwise, such as ``paper``.
        folder: the folder of the results; None for ``out/NAME``, with the study's name.
        workers: number of processes.
        settings: replace keys of the study file (`askwise.studies.schema.study_file`), such as ``methods=["never"]``.
    """
    chosen = load_study(given, settings)
    return conduct(chosen, f"out/{chosen.name}" if folder is None else folder, workers=workers)


def _title(study: Study) -> str:
    """Return the title of a study's report: the title of the study, or "A study of" and its methods if it has none."""
    if study.title != UNNAMED:
        return study.title
    return f"A study of {conjoined([method.label for method in study.methods])}"


def _shown(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance of a run with its command line as one text under ``command``, ready for a terminal."""
    command = run.get("command")
    return {**run, "command": shlex.join(command)} if isinstance(command, list) else dict(run)


def stored_tasks(study: Study, folder: str | Path) -> int:
    """Return how many instances of a study are completely played and stored in a folder.

    The result is 0 if the folder belongs to another study, does not exist or cannot be read.
    """
    try:
        return len(Store(folder, study).done()) if belongs_to(Path(folder), study) else 0
    except (OSError, InputError):
        return 0
