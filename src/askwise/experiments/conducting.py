"""From a study to its report: run it, put the tables together, analyse them, write everything down."""

from __future__ import annotations

import json
from pathlib import Path

from askwise.experiments.run import Ran, run_study
from askwise.experiments.store import Store
from askwise.experiments.study import Study


def conduct(
    study: Study,
    folder: str | Path,
    *,
    workers: int = 1,
    dask: str | None = None,
    retry_failed: bool = False,
    show_progress: bool = False,
) -> Ran:
    """Run a study (see `run_study`) and write its tables."""
    ran = run_study(study, folder, workers=workers, dask=dask, retry_failed=retry_failed, show_progress=show_progress)
    ran.store.combine()
    return ran


def stored_tasks(study: Study, folder: str | Path) -> int:
    """Return how many tasks of this study are stored in a folder; 0 if it is not this study's."""
    path = Path(folder) / "study.json"
    try:
        mine = json.loads(path.read_text(encoding="utf-8"))["fingerprint"] == study.fingerprint
        return len(Store(folder, study).done()) if mine else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0
