"""The folder of a study: results that appear whole or not at all, and can be gone on with.

::

    study.json            what is played; a folder belongs to one study
    provenance.json       what ran it: versions, machine, times, one entry for each run
    parts/episodes/00042.parquet, parts/queries/..., parts/timings/...   one part for each instance
    episodes.parquet, queries.parquet, timings.parquet                   all parts together, at the end

A part is written beside its place, flushed to the disk and moved there in one step. The part of the episodes is
written last: a task is done when that one is there. Whoever kills a run at any moment loses what was being played
and nothing else. A lock that dies with its process keeps two runs out of one folder; whoever holds it may clear away
what a dead run left behind, and parts that somebody damaged, whose tasks are then played again.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import polars as pl

from askwise import files
from askwise.errors import InputError
from askwise.experiments.running.play import Played
from askwise.experiments.schema.study import Study, differences
from askwise.experiments.schema.tables import SCHEMAS
from askwise.reading import Field, parse_json, read_text

FORMAT = "askwise/study@1"
LAST = "episodes"
"""The table whose part says that a task is done."""

PART = re.compile(r"([0-9]{5}|[1-9][0-9]{5,8})\.parquet")
LEFT_OVER = re.compile(r"\.(\d+|episodes|queries|timings|study|provenance)\.[a-z0-9_]{8}\.(parquet|json)")
"""How `askwise.files.whole_file` calls what it has not finished."""

ROW_GROUP = 100_000
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises about files that it cannot make sense of."""


class Store:
    """The folder of one study.

    Args:
        folder: where it is; made if it is not there.
        study: the study that it belongs to. A folder that belongs to another study is refused.
    """

    def __init__(self, folder: str | Path, study: Study) -> None:
        self.study = study
        self.folder = files.make_folder(_nameable(folder))
        self._holding = False
        self._refuse_others()
        for name in SCHEMAS:
            files.make_folder(self.folder / "parts" / name)

    # -- whose folder it is ------------------------------------------------------------------------------------------

    def _claim(self) -> None:
        """Write down whose folder it is; with the lock in hand, or two studies could claim it at once."""
        self._refuse_others()
        if not (self.folder / "study.json").exists():
            head = {"format": FORMAT, "fingerprint": self.study.fingerprint}
            self.write_json("study.json", {**head, **self.study.describe()})

    def _refuse_others(self) -> None:
        path = self.folder / "study.json"
        if not path.exists():
            return
        description = self.study.describe()
        found = read_json(path).object(("format", "fingerprint")).value
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
        """Keep other runs out of the folder while this one works in it; who has the lock may take it again."""
        if self._holding:
            yield
            return
        with self._lock_file() as handle:
            if not _lock(handle.fileno()):
                raise InputError(
                    f"folder {str(self.folder)!r}", "another run that is working in it", "to be the only one there"
                )
            self._holding = True
            try:
                self._claim()
                yield
            finally:
                self._holding = False

    def _lock_file(self) -> IO[str]:
        try:
            return (self.folder / ".lock").open("a+")
        except OSError as error:
            raise InputError(
                f"folder {str(self.folder)!r}", files.reason(error), "a folder that can be written to"
            ) from None

    # -- parts -------------------------------------------------------------------------------------------------------

    def done(self) -> set[int]:
        """Return the numbers of the tasks that are done."""
        return set.intersection(*(self._stored(name) for name in SCHEMAS))

    def _stored(self, name: str) -> set[int]:
        names = (path.name for path in (self.folder / "parts" / name).iterdir())
        numbers = {int(found[1]) for file in names if (found := PART.fullmatch(file))}
        return {index for index in numbers if index < self.study.n_tasks}

    def clear(self) -> list[Path]:
        """Remove what a dead run left half-written, and damaged parts; return the latter. Needs the lock."""
        for folder in (self.folder, *(self.folder / "parts" / name for name in SCHEMAS)):
            for path in folder.glob(".*.*"):
                if LEFT_OVER.fullmatch(path.name):
                    path.unlink(missing_ok=True)
        damaged = [path for path in self._parts() if not self._is_sound(path)]
        for path in damaged:
            _remove(path)
        return damaged

    def _parts(self) -> Iterator[Path]:
        for name in SCHEMAS:
            yield from (self._part(name, index) for index in sorted(self._stored(name)))

    def _is_sound(self, path: Path) -> bool:
        """Whether a part can be opened and is what it should be; looks at its description, not at every value."""
        name = path.parent.name
        try:
            frame = scan_parts([path])
            rows = int(frame.select(pl.len()).collect().item()) if name == LAST else None
            return dict(frame.collect_schema()) == SCHEMAS[name] and rows in (None, self.study.episodes_per_task)
        except UNREADABLE:
            return False

    def failed(self) -> set[int]:
        """Return the numbers of the tasks that are done but hold rows with errors."""
        return {index for index in sorted(self.done()) if self._has_errors(index)}

    def _has_errors(self, index: int) -> bool:
        path = self._part(LAST, index)
        try:
            errors = scan_parts([path]).select("error").collect()
        except UNREADABLE as error:
            raise unreadable(path, error) from None
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
        return scan_parts(parts)

    def combine(self) -> None:
        """Write each table as one file; the parts stay, so that the study can be gone on with."""
        with self.locked():
            for name in SCHEMAS:
                path = self.folder / f"{name}.parquet"
                with files.whole_file(path) as temporary:
                    self._combine(name, path, temporary)

    def _combine(self, name: str, path: Path, temporary: Path) -> None:
        try:
            # Groups of a fixed size: the same bytes on machines with more cores or fewer.
            self.scan(name).sink_parquet(temporary, maintain_order=True, row_group_size=ROW_GROUP)
        except UNREADABLE as error:
            for part in (self._part(name, index) for index in sorted(self.done())):
                _check_values(part)
            # All parts are fine, so it is the new file that is not: a full disk, for instance.
            raise InputError(f"file {str(path)!r}", _one_line(error), "a place that can be written to") from None

    def write_json(self, name: str, data: dict[str, Any]) -> None:
        """Write a JSON file into the folder."""
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        with files.whole_file(self.folder / name) as temporary:
            # Halves of characters (from odd file names) have no UTF-8; an escape means the same in JSON.
            temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def _nameable(folder: str | Path) -> str | Path:
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:  # polars takes no such paths
        raise InputError(f"folder {str(folder)!r}", "a name that is not UTF-8", "another name") from None
    return folder


def read_json(path: Path) -> Field:
    """Return what stands in one of the folder's own JSON files."""
    try:
        return Field("", parse_json(read_text(path))).object()
    except InputError as error:
        if error.field == f"file {str(path)!r}":
            raise
        raise InputError(
            f"file {str(path)!r}, {error.field}", error.found, f"{error.expected}, as askwise wrote it"
        ) from None


def scan_parts(paths: list[Path]) -> pl.LazyFrame:
    """Return parts, not read yet; brackets, stars and equals signs in the folder's name mean themselves."""
    return pl.scan_parquet(paths, glob=False, hive_partitioning=False)


def unreadable(path: Path, error: BaseException) -> InputError:
    """Return the error for a part that cannot be read."""
    return InputError(
        f"file {str(path)!r}",
        f"something that cannot be read ({_one_line(error)})",
        "what askwise wrote there (remove the file, and its instance is played again)",
    )


def _check_values(path: Path) -> None:
    try:
        scan_parts([path]).collect()
    except UNREADABLE as error:
        raise unreadable(path, error) from None


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise InputError(f"file {str(path)!r}", files.reason(error), "a part of this study, or nothing") from None


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


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
