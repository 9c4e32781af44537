"""The folder of a study: results that appear whole or not at all, and can be gone on with.

::

    study.json            what is played; a folder belongs to one study
    provenance.json       what ran it: versions, machine, times, one entry for each run
    parts/episodes/00042.parquet, parts/queries/..., parts/timings/...   one part for each instance
    episodes.parquet, queries.parquet, timings.parquet                   all parts together, at the end

A part is written beside its place, flushed to the disk and moved there in one step. The part of the episodes is
written last: a task is done when that one is there. Whoever kills a run at any moment loses what was being played
and nothing else. A lock that dies with its process keeps two runs out of one folder; whoever holds it may clear away
what a dead run left behind, and parts that are damaged, whose tasks are then played again.

Every file carries a checksum, and tables carry the study, table and task that they are of (`sealed`). All of them are
checked when a study is gone on with, and again when their numbers are used.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from askwise.errors import InputError
from askwise.studies.running import records, sealed
from askwise.studies.running.claim import claim, refuse_others
from askwise.studies.running.damage import Damaged, as_error
from askwise.studies.running.lock import lock
from askwise.studies.running.play import Played
from askwise.studies.running.sealed import Broken, Label
from askwise.studies.schema.study import Study
from askwise.studies.schema.tables import SCHEMAS
from askwise.text import files

LAST = "episodes"
"""The table whose part says that a task is done."""
CAN_FAIL = tuple(name for name in SCHEMAS if "error" in SCHEMAS[name])
"""The tables whose rows may hold errors: those of episodes, and of expected costs."""

PART = re.compile(r"([0-9]{5}|[1-9][0-9]{5,8})\.parquet")
PROVENANCE = "provenance.json"
ROW_GROUP = 100_000
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
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
        self._columns = {name: sealed.columns_in_short(SCHEMAS[name]) for name in SCHEMAS}
        self._holding = False
        self._replaced: list[Damaged] = []
        self._written = False
        with contextlib.suppress(Broken):  # whoever gets the lock finds out whose folder it is
            refuse_others(self.folder, study)
        for name in SCHEMAS:
            files.make_folder(self._parts_of(name))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder while this one works in it; who has the lock may take it again."""
        if self._holding:
            yield
            return
        with lock(self.folder):
            self._holding = True
            try:
                replaced = claim(self.folder, self.study, self._results())
                self._replaced += [] if replaced is None else [replaced]
                yield
            finally:
                self._holding = False
                self._settle()

    def _settle(self) -> None:
        """See to it that the names of new parts are on the disk; what is in them is there already."""
        if self._written:
            self._written = False
            for name in SCHEMAS:
                _told(files.sync_names, self._parts_of(name))

    def _results(self) -> Iterator[Path]:
        """Iterate over all that carries a seal."""
        yield from (path for name in SCHEMAS if (path := self._table(name)).exists())
        for name in SCHEMAS:
            yield from (self._part(name, index) for index in sorted(_numbers(self._parts_of(name))))

    # -- parts -------------------------------------------------------------------------------------------------------

    def done(self) -> set[int]:
        """Return the numbers of the tasks that are done."""
        return set.intersection(*(self._stored(name) for name in SCHEMAS))

    def _stored(self, name: str) -> set[int]:
        return {index for index in _numbers(self._parts_of(name)) if index < self.study.n_tasks}

    def clear(self) -> list[Damaged]:
        """Remove what a dead run left half-written, and damaged parts; return the latter. Needs the lock."""
        for folder in (self.folder, self.folder / "figures", *map(self._parts_of, SCHEMAS)):
            if folder.is_dir():
                _told(files.remove_left_overs, folder)
        damaged = [*self._replaced, *self._aside()]
        for name in SCHEMAS:
            for index in sorted(self._stored(name)):
                why = self._damage(name, index)
                if why is not None:
                    _told(Path.unlink, self._part(name, index))
                    damaged.append(Damaged(self._part(name, index), why))
        self._replaced = []
        return damaged

    def _damage(self, name: str, index: int) -> str | None:
        """Return what is wrong with a part, None if nothing is."""
        path = self._part(name, index)
        try:
            with files.opened(path) as file:
                sealed.check(file, self._label(name, index))
        except PermissionError as error:
            raise _forbidden(path, error) from None
        except OSError as error:
            return files.reason(error)
        except Broken as broken:
            return str(broken)
        return None

    def failed(self) -> set[int]:
        """Return the numbers of the tasks that are done but hold rows with errors."""
        return {index for index in sorted(self.done()) if any(self._has_errors(name, index) for name in CAN_FAIL)}

    def _has_errors(self, name: str, index: int) -> bool:
        errors = _read(self._part(name, index), self._label(name, index))["error"]
        return errors.null_count() < len(errors)

    def write(self, played: Played) -> None:
        """Store what came of a task."""
        self._written = True
        for name in sorted(SCHEMAS, key=lambda name: name == LAST):
            memory = io.BytesIO()
            played.tables[name].write_parquet(memory)
            sealed.seal(memory, self._label(name, played.index))
            with files.whole_file(self._part(name, played.index), sync_folder=False) as temporary:
                temporary.write_bytes(memory.getvalue())

    def _part(self, name: str, index: int) -> Path:
        return self._parts_of(name) / f"{index:05}.parquet"

    def _parts_of(self, name: str) -> Path:
        return self.folder / "parts" / name

    def _label(self, name: str, index: int | None = None) -> Label:
        return Label(self.study.fingerprint, name, index, self._columns[name])

    # -- tables ------------------------------------------------------------------------------------------------------

    def scan(self, name: str) -> pl.LazyFrame:
        """Return a whole table, not read yet, in the order of the tasks; its parts have been checked."""
        indices = sorted(self.done())
        for index in indices:
            why = self._damage(name, index)
            if why is not None:
                raise as_error(self._part(name, index), why)
        if not indices:
            return pl.LazyFrame(schema=dict(SCHEMAS[name]))
        # Brackets, stars and equals signs in the folder's name mean themselves.
        parts = [self._part(name, index) for index in indices]
        return pl.scan_parquet(parts, glob=False, hive_partitioning=False)

    def combine(self) -> None:
        """Write each table as one file; the parts stay, so that the study can be gone on with."""
        with self.locked():
            for name in SCHEMAS:
                with files.whole_file(self._table(name)) as temporary:
                    self._combine(name, temporary)

    def _combine(self, name: str, temporary: Path) -> None:
        rows = self.scan(name)
        try:
            # Groups of a fixed size: the same bytes on machines with more cores or fewer.
            rows.sink_parquet(temporary, maintain_order=True, row_group_size=ROW_GROUP)
        except (OSError, *UNREADABLE) as error:
            # The parts are fine, so it is the new file that is not: a full disk, for instance.
            where = f"file {str(self._table(name))!r}"
            raise InputError(where, _one_line(error), "a place that can be written to") from None
        with temporary.open("r+b") as file:
            sealed.seal(file, self._label(name))

    def table(self, name: str) -> pl.DataFrame:
        """Return a table that `combine` wrote."""
        return _read(self._table(name), self._label(name))

    def _table(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    # -- where results come from -------------------------------------------------------------------------------------

    def write_json(self, name: str, data: dict[str, Any]) -> None:
        """Write a JSON file into the folder."""
        records.write_record(self.folder / name, data)

    def previous_runs(self) -> list[dict[str, Any]]:
        """Return what earlier runs in this folder wrote down."""
        path = self.folder / PROVENANCE
        try:
            found = records.read_record(path)
        except Broken as broken:
            raise as_error(path, str(broken)) from None
        return [] if found is None else list(found.get("runs", []))

    def _aside(self) -> list[Damaged]:
        """Put a damaged record of earlier runs aside: nobody can write it again, and somebody may read it."""
        path = self.folder / PROVENANCE
        try:
            records.read_record(path)
        except Broken as broken:
            kept = _free(path)
            _told(path.rename, kept)
            return [Damaged(path, str(broken), f"it is kept as {kept.name}, and a new one is begun")]
        return []


def _nameable(folder: str | Path) -> str | Path:
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:  # polars takes no such paths
        raise InputError(f"folder {str(folder)!r}", "a name that is not UTF-8", "another name") from None
    # Nor does it take a tilde at the beginning for what it is.
    return Path(folder).absolute() if str(folder).startswith("~") else folder


def _numbers(folder: Path) -> set[int]:
    """Return the numbers of the parts in a folder."""
    return {int(found[1]) for path in folder.iterdir() if (found := PART.fullmatch(path.name))}


def _read(path: Path, label: Label) -> pl.DataFrame:
    """Return the table in a file; what is in it is checked before polars sees it."""
    try:
        return pl.read_parquet(sealed.read(path, label))
    except PermissionError as error:
        raise _forbidden(path, error) from None
    except (Broken, *UNREADABLE) as error:
        raise as_error(path, _one_line(error)) from None


def _forbidden(path: Path, error: OSError) -> InputError:
    # Not removed: what cannot be looked at may be sound.
    return InputError(f"file {str(path)!r}", files.reason(error), "a file that can be read")


def _told(work: Callable[[Path], object], path: Path) -> None:
    """Do something with a file of the folder; an error is about that file."""
    try:
        work(path)
    except OSError as error:
        expected = "a place that can be written to, in which askwise alone writes"
        raise InputError(f"file {str(path)!r}", files.reason(error), expected) from None


def _free(path: Path) -> Path:
    """Return a name under which a damaged file can be kept."""
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
