"""The folder of a study: results that appear whole or not at all, and can be gone on with.

::

    study.json            what is played; a folder belongs to one study
    provenance.json       what ran it: versions, machine, times, one entry for each run
    checksums.txt         the manifest: size and checksum of every table and part
    parts/episodes/00042.parquet, parts/queries/..., parts/timings/...   one part for each instance
    episodes.parquet, queries.parquet, timings.parquet                   all parts together, at the end

A part is written beside its place, flushed to the disk and moved there in one step. A task is done when all its parts
are there and the manifest lists them, which happens last (see `checksums`). A run that is killed loses only what it was
playing. A lock that ends with its process keeps two runs out of one folder. The run that holds the lock may remove what
a killed run left behind, and damaged parts, whose tasks are then played again.

All files are checked when a study is continued, and again when their numbers are used.
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
from askwise.studies.running import checksums
from askwise.studies.running.checksums import Corrupt, Damaged, Entry, Manifest, as_error
from askwise.studies.running.ownership import claim, lock, refuse_others
from askwise.studies.running.play import Played
from askwise.studies.schema.study import Study
from askwise.studies.schema.tables import SCHEMAS
from askwise.text import files

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
        self._columns = {name: checksums.columns_in_short(SCHEMAS[name]) for name in SCHEMAS}
        self._holding = False
        self._replaced: list[Damaged] = []
        self._written = False
        self._held: Manifest | None = None
        with contextlib.suppress(Corrupt):  # this is found out again, and reported, once the folder is locked
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
                replaced = claim(self.folder, self.study, any(True for _ in self._results()))
                self._replaced += [] if replaced is None else [replaced]
                self._held = self._manifest()
                yield
            finally:
                self._holding = False
                self._held = None
                self._settle()

    def _settle(self) -> None:
        """See to it that the names of new parts are on the disk; what is in them is there already."""
        if self._written:
            self._written = False
            for name in SCHEMAS:
                _told(files.sync_names, self._parts_of(name))

    def _results(self) -> Iterator[Path]:
        """Iterate over all tables and parts that are there."""
        yield from (path for name in SCHEMAS if (path := self._table(name)).exists())
        for name in SCHEMAS:
            yield from (self._part(name, index) for index in sorted(_numbers(self._parts_of(name))))

    # -- parts -------------------------------------------------------------------------------------------------------

    def done(self) -> set[int]:
        """Return the numbers of the tasks that are done."""
        known = self._manifest().entries
        return {
            index
            for index in set.intersection(*(self._stored(name) for name in SCHEMAS))
            if all(self._name(self._part(name, index)) in known for name in SCHEMAS)
        }

    def _stored(self, name: str) -> set[int]:
        return {index for index in _numbers(self._parts_of(name)) if index < self.study.n_tasks}

    def clear(self) -> list[Damaged]:
        """Remove what a dead run left half-written, and damaged parts; return the latter. Needs the lock."""
        for folder in (self.folder, self.folder / "figures", *map(self._parts_of, SCHEMAS)):
            if folder.is_dir():
                _told(files.remove_left_overs, folder)
        manifest = self._manifest()
        damaged = [*self._replaced, *self._aside()]
        if manifest.damaged:
            lines = "1 line is" if manifest.damaged == 1 else f"{manifest.damaged} lines are"
            damaged.append(Damaged(manifest.path, f"{lines} not as written", "it is written again"))
        for name in SCHEMAS:
            for index in sorted(self._stored(name) | self._listed(manifest, name)):
                path = self._part(name, index)
                why = self._damage(manifest, path, name)
                if why is not None:
                    if os.path.lexists(path):
                        _told(Path.unlink, path)
                    damaged.append(Damaged(path, why))
        kept = [self._name(path) for path in self._results()]
        if manifest.damaged or manifest.torn or manifest.entries.keys() - set(kept):
            manifest.keep(kept)
        self._replaced = []
        return damaged

    def _listed(self, manifest: Manifest, name: str) -> set[int]:
        """Return the numbers of the parts of a table that the manifest lists."""
        parts = (Path(each) for each in manifest.entries)
        found = (PART.fullmatch(part.name) for part in parts if part.parent == Path("parts", name))
        return {int(each[1]) for each in found if each}

    def _damage(self, manifest: Manifest, path: Path, name: str) -> str | None:
        """Return what is wrong with a file of the table `name`, None if nothing is."""
        try:
            manifest.check(self._name(path), self._columns[name])
        except PermissionError as error:
            raise _forbidden(path, error) from None
        except Corrupt as corrupt:
            return str(corrupt)
        return None

    def _manifest(self) -> Manifest:
        """Return the manifest; who has no lock reads it again each time."""
        if self._held is not None:
            return self._held
        found = checksums.read_manifest(self.folder, self.study.fingerprint)
        return Manifest(self.folder, self.study.fingerprint) if found is None else found

    def _name(self, path: Path) -> str:
        """Return the name by which the manifest lists a file."""
        return path.relative_to(self.folder).as_posix()

    def failed(self) -> set[int]:
        """Return the numbers of the tasks that are done but hold rows with errors."""
        manifest = self._manifest()
        return {
            index for index in sorted(self.done()) if any(self._has_errors(manifest, name, index) for name in CAN_FAIL)
        }

    def _has_errors(self, manifest: Manifest, name: str, index: int) -> bool:
        errors = self._read(manifest, self._part(name, index), name)["error"]
        return errors.null_count() < len(errors)

    def write(self, played: Played) -> None:
        """Store what came of a task."""
        self._written = True
        entries = {}
        for name in SCHEMAS:
            memory, path = io.BytesIO(), self._part(name, played.index)
            played.tables[name].write_parquet(memory)
            entries[self._name(path)] = Entry.of(memory, self._columns[name])
            with files.whole_file(path, sync_folder=False) as temporary:
                temporary.write_bytes(memory.getvalue())
        self._manifest().add(entries)

    def _part(self, name: str, index: int) -> Path:
        return self._parts_of(name) / f"{index:05}.parquet"

    def _parts_of(self, name: str) -> Path:
        return self.folder / "parts" / name

    # -- tables ------------------------------------------------------------------------------------------------------

    def scan(self, name: str) -> pl.LazyFrame:
        """Return a whole table, not read yet, in the order of the tasks; its parts have been checked."""
        indices, manifest = sorted(self.done()), self._manifest()
        for index in indices:
            why = self._damage(manifest, self._part(name, index), name)
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
                    with temporary.open("rb") as file:
                        entry = Entry.of(file, self._columns[name])
                self._manifest().add({self._name(self._table(name)): entry})

    def _combine(self, name: str, temporary: Path) -> None:
        rows = self.scan(name)
        try:
            # Groups of a fixed size: the same bytes on machines with more cores or fewer.
            rows.sink_parquet(temporary, maintain_order=True, row_group_size=ROW_GROUP)
        except (OSError, *UNREADABLE) as error:
            # The parts are fine, so it is the new file that is not: a full disk, for instance.
            where = f"file {str(self._table(name))!r}"
            raise InputError(where, _one_line(error), "a place that can be written to") from None

    def table(self, name: str) -> pl.DataFrame:
        """Return a table that `combine` wrote."""
        return self._read(self._manifest(), self._table(name), name)

    def _read(self, manifest: Manifest, path: Path, name: str) -> pl.DataFrame:
        """Return the table `name`, or a part of it; its bytes are checked before polars sees them."""
        try:
            return pl.read_parquet(manifest.read(self._name(path), self._columns[name]))
        except PermissionError as error:
            raise _forbidden(path, error) from None
        except (Corrupt, *UNREADABLE) as error:
            raise as_error(path, _one_line(error)) from None

    def _table(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    # -- where results come from -------------------------------------------------------------------------------------

    def write_json(self, name: str, data: dict[str, Any]) -> None:
        """Write a JSON file into the folder."""
        checksums.write_record(self.folder / name, data)

    def previous_runs(self) -> list[dict[str, Any]]:
        """Return what earlier runs in this folder wrote down."""
        path = self.folder / PROVENANCE
        try:
            found = checksums.read_record(path)
        except Corrupt as corrupt:
            raise as_error(path, str(corrupt)) from None
        return [] if found is None else list(found.get("runs", []))

    def _aside(self) -> list[Damaged]:
        """Put a damaged record of earlier runs aside: nobody can write it again, and somebody may read it."""
        path = self.folder / PROVENANCE
        try:
            checksums.read_record(path)
        except Corrupt as corrupt:
            kept = _free(path)
            _told(path.rename, kept)
            return [Damaged(path, str(corrupt), f"it is kept as {kept.name}, and a new one is begun")]
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
