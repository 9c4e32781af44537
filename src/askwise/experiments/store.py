"""The folder of a study: results that appear whole or not at all, and can be gone on with.

::

    study.json            what is played; a folder belongs to one study
    provenance.json       what ran it: versions, machine, times, one entry for each run
    parts/episodes/00042.parquet, parts/queries/..., parts/timings/...   one part for each instance
    episodes.parquet, queries.parquet, timings.parquet                   all parts together, at the end

A part is written beside its place, flushed to the disk and moved there in one step. The part of the episodes is
written last: a task is done when that one is there. Whoever kills a run at any moment loses what was being played
and nothing else. A lock that dies with its process keeps two runs out of one folder.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from askwise import files
from askwise.errors import InputError
from askwise.experiments.play import Played
from askwise.experiments.study import Study, differences
from askwise.experiments.tables import SCHEMAS
from askwise.reading import Field, parse_json, read_text

FORMAT = "askwise/study@1"
LAST = "episodes"
"""The table whose part says that a task is done."""


class Store:
    """The folder of one study.

    Args:
        folder: where it is; made if it is not there.
        study: the study that it belongs to. A folder that belongs to another study is refused.
    """

    def __init__(self, folder: str | Path, study: Study) -> None:
        self.study = study
        self.folder = files.make_folder(folder)
        self._claim()
        for name in SCHEMAS:
            files.make_folder(self.folder / "parts" / name)

    # -- whose folder it is ------------------------------------------------------------------------------------------

    def _claim(self) -> None:
        path = self.folder / "study.json"
        description = self.study.describe()
        if not path.exists():
            self.write_json("study.json", {"format": FORMAT, "fingerprint": self.study.fingerprint, **description})
            return
        found = Field("", parse_json(read_text(path))).object(("format", "fingerprint")).value
        if found["fingerprint"] == self.study.fingerprint:
            return
        theirs = {key: value for key, value in found.items() if key not in ("format", "fingerprint")}
        changed = ", ".join(differences(json.loads(json.dumps(description)), theirs)) or "its format"
        raise InputError(
            f"folder {str(self.folder)!r}",
            f"the results of another study, {found.get('name')!r}, which differs in {changed}",
            "an empty folder, or that of this very study (--out DIR chooses another)",
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder while this one works in it."""
        with (self.folder / ".lock").open("a+") as handle:
            if not _lock(handle.fileno()):
                raise InputError(
                    f"folder {str(self.folder)!r}", "another run that is working in it", "to be the only one there"
                )
            yield

    # -- parts -------------------------------------------------------------------------------------------------------

    def done(self) -> set[int]:
        """Return the numbers of the tasks that are done."""
        found = {int(path.stem) for path in (self.folder / "parts" / LAST).glob("[0-9]*.parquet")}
        return {index for index in found if index < self.study.n_tasks}

    def failed(self) -> set[int]:
        """Return the numbers of the tasks that are done but hold rows with errors."""
        return {index for index in sorted(self.done()) if self._has_errors(index)}

    def _has_errors(self, index: int) -> bool:
        errors = pl.read_parquet(self._part(LAST, index), columns=["error"])
        return errors["error"].null_count() < errors.height

    def write(self, played: Played) -> None:
        """Store what came of a task."""
        for name in sorted(SCHEMAS, key=lambda name: name == LAST):
            write_table(played.tables[name], self._part(name, played.index))

    def _part(self, name: str, index: int) -> Path:
        return self.folder / "parts" / name / f"{index:05}.parquet"

    # -- tables ------------------------------------------------------------------------------------------------------

    def scan(self, name: str) -> pl.LazyFrame:
        """Return a whole table, not read yet, in the order of the tasks."""
        parts = [self._part(name, index) for index in sorted(self.done())]
        if not parts:
            return pl.LazyFrame(schema=dict(SCHEMAS[name]))
        return pl.scan_parquet(parts)

    def combine(self) -> None:
        """Write each table as one file; the parts stay, so that the study can be gone on with."""
        for name in SCHEMAS:
            path = self.folder / f"{name}.parquet"
            with files.whole_file(path) as temporary:
                try:
                    self.scan(name).sink_parquet(temporary, maintain_order=True)
                except pl.exceptions.PolarsError as error:  # a full disk, for instance
                    raise InputError(f"file {str(path)!r}", str(error), "a place that can be written to") from None

    def write_json(self, name: str, data: dict[str, Any]) -> None:
        """Write a JSON file into the folder."""
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        with files.whole_file(self.folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table so that it is on the disk, whole, when its name appears."""
    memory = io.BytesIO()
    frame.write_parquet(memory)
    with files.whole_file(path) as temporary, temporary.open("wb") as handle:
        handle.write(memory.getvalue())
        handle.flush()
        os.fsync(handle.fileno())


def _lock(handle: int) -> bool:
    """Lock a file until its process closes it or dies; False if somebody else holds it."""
    try:
        import fcntl
    except ImportError:  # Windows: parts still appear whole, and two runs would write the same
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
