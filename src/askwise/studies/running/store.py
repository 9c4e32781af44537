"""The folder of a study, which stores the results so far, so that an interrupted study can be continued.

The files in the folder::

    study.json            the study; a folder belongs to one study
    provenance.json       versions, machine and times of each run
    checksums.txt         the manifest: size and checksums of every table and part
    parts/episodes/00042.parquet, parts/queries/..., ...   parts: the rows of one instance in one table of `SCHEMAS`
    episodes.parquet, queries.parquet, ...                 the tables, combined from all parts at the end

An instance is done when the manifest lists a part for each of its tables. A killed run loses only the instances that it
was playing.

A run locks the folder. It removes damaged parts and unfinished files of killed runs, and plays their instances again.
All files are checked when a study is continued and when they are used.
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
from askwise.studies.running.checksums import Corrupt, Damaged, Entry, Manifest, Unlisted, damage_error
from askwise.studies.running.ownership import claim, lock, refuse_others
from askwise.studies.running.play import TaskResult
from askwise.studies.schema.study import Study
from askwise.studies.schema.tables import SCHEMAS
from askwise.text import files

CAN_FAIL = tuple(name for name in SCHEMAS if "error" in SCHEMAS[name])
"""The tables that have a column ``error``."""

PART = re.compile(r"([0-9]{5}|[1-9][0-9]{5,8})\.parquet")
"""The name of a part: the number of its task, with at least five digits."""
PROVENANCE = "provenance.json"
ROW_GROUP = 100_000
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""The exceptions that polars raises about files that it cannot parse."""


class Store:
    """The folder of one study, with its results, their checksums and their provenance.

    There is one Parquet file per instance and table. ``checksums.txt``, the manifest, lists their checksums.

    Args:
        folder: the folder; created if it does not exist.
        study: the study.

    Raises:
        InputError: the folder belongs to another study.
    """

    def __init__(self, folder: str | Path, study: Study) -> None:
        self.study = study
        self.folder = files.make_folder(_nameable(folder))
        self._columns = {name: checksums.columns_digest(SCHEMAS[name]) for name in SCHEMAS}
        self._holding = False
        self._replaced: list[Damaged] = []
        self._written = False
        self._held: Manifest | None = None
        with contextlib.suppress(Corrupt):  # `claim` finds and reports this again once the folder is locked
            refuse_others(self.folder, study)
        for name in SCHEMAS:
            files.make_folder(self._parts_of(name))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder while the ``with`` block runs, so that no other run uses it.

        A new folder then belongs to this study. Calls can be nested.

        Raises:
            InputError: another run uses the folder, or it belongs to another study.
        """
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
        """Flush the folders of new result files to the disk; the contents of the files were flushed before."""
        if self._written:
            self._written = False
            for name in SCHEMAS:
                _on_file(files.sync_names, self._parts_of(name))

    def _results(self) -> Iterator[Path]:
        """Yield the paths of all result files: first those of whole tables, then those of single instances."""
        yield from (path for name in SCHEMAS if (path := self._table(name)).exists())
        for name in SCHEMAS:
            yield from (self._part(name, index) for index in sorted(_numbers(self._parts_of(name))))

    # -- parts -------------------------------------------------------------------------------------------------------

    def done(self) -> set[int]:
        """Return the numbers of the instances (problems of the study, from 0) that are done.

        An instance is done if it has a result file for each table, and the manifest lists the checksums of all these
        files.
        """
        known = self._manifest().entries
        return {
            index
            for index in set.intersection(*(self._stored(name) for name in SCHEMAS))
            if all(self._name(self._part(name, index)) in known for name in SCHEMAS)
        }

    def _stored(self, name: str) -> set[int]:
        return {index for index in _numbers(self._parts_of(name)) if index < self.study.n_tasks}

    def clear(self) -> list[Damaged]:
        """Remove temporary files and unusable results of instances; repair ``provenance.json`` and ``checksums.txt``.

        The caller must hold the lock. Results are unusable if they are damaged, or if their run was killed before it
        recorded their checksums. The instances of removed results are no longer done. A damaged ``provenance.json`` is
        renamed; damaged lines of ``checksums.txt`` are removed.

        Returns:
            A description of each unusable or repaired file.
        """
        for folder in (self.folder, self.folder / "figures", *map(self._parts_of, SCHEMAS)):
            if folder.is_dir():
                _on_file(files.remove_left_overs, folder)
        manifest = self._manifest()
        found = [*self._replaced, *self._set_aside()]
        if manifest.damaged:
            lines = "1 line is" if manifest.damaged == 1 else f"{manifest.damaged} lines are"
            found.append(Damaged(manifest.path, f"{lines} not as written", "it is written again"))
        for name in SCHEMAS:
            for index in sorted(self._stored(name) | self._listed(manifest, name)):
                damaged = self._damage(manifest, self._part(name, index), name)
                if damaged is not None:
                    if os.path.lexists(damaged.path):
                        _on_file(Path.unlink, damaged.path)
                    found.append(damaged)
        kept = [self._name(path) for path in self._results()]
        if manifest.damaged or manifest.torn or manifest.entries.keys() - set(kept):
            manifest.keep(kept)
        self._replaced = []
        return found

    def _listed(self, manifest: Manifest, name: str) -> set[int]:
        """Return the numbers of the instances whose file of the table `name` is listed in `manifest`."""
        parts = (Path(each) for each in manifest.entries)
        found = (PART.fullmatch(part.name) for part in parts if part.parent == Path("parts", name))
        return {int(each[1]) for each in found if each}

    def _damage(self, manifest: Manifest, path: Path, name: str) -> Damaged | None:
        """Return what is wrong with the file of one instance in the table `name`; None if nothing is wrong.

        Raises:
            InputError: the user may not read the file.
        """
        try:
            manifest.check(self._name(path), self._columns[name])
        except PermissionError as error:
            raise _forbidden(path, error) from None
        except Unlisted as unlisted:
            # Parts are listed last. Unless a line was damaged, the run that wrote this part was killed before that.
            if not manifest.damaged:
                return Damaged(path, "its run was interrupted", state="unfinished")
            return Damaged(path, str(unlisted))
        except Corrupt as corrupt:
            return Damaged(path, str(corrupt))
        return None

    def _manifest(self) -> Manifest:
        """Return the manifest: the list of result files with their sizes and checksums.

        While the lock is held, all calls return the same object; otherwise each call reads ``checksums.txt`` again.
        """
        if self._held is not None:
            return self._held
        found = checksums.read_manifest(self.folder, self.study.fingerprint)
        return Manifest(self.folder, self.study.fingerprint) if found is None else found

    def _name(self, path: Path) -> str:
        """Return the name of a file in ``checksums.txt``: its path relative to the folder, with forward slashes."""
        return path.relative_to(self.folder).as_posix()

    def failed(self) -> set[int]:
        """Return the numbers of the instances that are done and have a row with an error in one of their tables."""
        manifest = self._manifest()
        return {
            index for index in sorted(self.done()) if any(self._has_errors(manifest, name, index) for name in CAN_FAIL)
        }

    def _has_errors(self, manifest: Manifest, name: str, index: int) -> bool:
        errors = self._read(manifest, self._part(name, index), name)["error"]
        return errors.null_count() < len(errors)

    def write(self, result: TaskResult) -> None:
        """Write the rows of one instance, one file for each table; then list the files in ``checksums.txt``.

        The lock must be held (`locked`).
        """
        self._written = True
        entries = {}
        for name in SCHEMAS:
            memory, path = io.BytesIO(), self._part(name, result.index)
            result.tables[name].write_parquet(memory)
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
        """Return the table `name`, such as ``episodes``, with the rows of all done instances in their order.

        Raises:
            InputError: a file is damaged.
        """
        indices, manifest = sorted(self.done()), self._manifest()
        for index in indices:
            damaged = self._damage(manifest, self._part(name, index), name)
            if damaged is not None:
                raise damage_error(damaged.path, damaged.why)
        if not indices:
            return pl.LazyFrame(schema=dict(SCHEMAS[name]))
        # Brackets, stars and equals signs in the folder's name are not patterns.
        parts = [self._part(name, index) for index in indices]
        return pl.scan_parquet(parts, glob=False, hive_partitioning=False)

    def combine(self) -> None:
        """Write each table as one file, such as ``episodes.parquet``, with the rows of all done instances.

        Raises:
            InputError: a file of an instance is damaged, another run uses the folder, or the tables cannot be written.
        """
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
            # With groups of a fixed size, the bytes do not depend on the number of cores.
            rows.sink_parquet(temporary, maintain_order=True, row_group_size=ROW_GROUP)
        except (OSError, *UNREADABLE) as error:
            # The parts were checked, so the new file cannot be written: a full disk, for instance.
            where = f"file {str(self._table(name))!r}"
            raise InputError(where, _one_line(error), "a place that can be written to") from None

    def table(self, name: str) -> pl.DataFrame:
        """Return the table `name` (such as ``episodes``) from the file that `combine` wrote.

        Raises:
            InputError: the file is missing or damaged.
        """
        return self._read(self._manifest(), self._table(name), name)

    def _read(self, manifest: Manifest, path: Path, name: str) -> pl.DataFrame:
        """Return the content of a Parquet file with rows of the table `name`, after checking the file by the manifest.

        Raises:
            InputError: the file is missing or damaged, or the user may not read it.
        """
        try:
            return pl.read_parquet(manifest.read(self._name(path), self._columns[name]))
        except PermissionError as error:
            raise _forbidden(path, error) from None
        except (Corrupt, *UNREADABLE) as error:
            raise damage_error(path, _one_line(error)) from None

    def _table(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    # -- provenance --------------------------------------------------------------------------------------------------

    def write_json(self, name: str, data: dict[str, Any]) -> None:
        """Write a JSON object, and a checksum of it, to the file `name` in the folder; replace an existing file."""
        checksums.write_record(self.folder / name, data)

    def previous_runs(self) -> list[dict[str, Any]]:
        """Return the provenance of each earlier run in this folder, oldest first: versions, machine, times and more.

        Raises:
            InputError: ``provenance.json`` is damaged.
        """
        path = self.folder / PROVENANCE
        try:
            found = checksums.read_record(path)
        except Corrupt as corrupt:
            raise damage_error(path, str(corrupt)) from None
        return [] if found is None else list(found.get("runs", []))

    def _set_aside(self) -> list[Damaged]:
        """Rename ``provenance.json`` if it is damaged; it is not removed, because people may still be able to read it.

        Returns:
            a list with a description of the damage; empty if the file is intact or missing.
        """
        path = self.folder / PROVENANCE
        try:
            checksums.read_record(path)
        except Corrupt as corrupt:
            kept = _free(path)
            _on_file(path.rename, kept)
            return [Damaged(path, str(corrupt), f"it is renamed to {kept.name}, and a new one is written")]
        return []


def _nameable(folder: str | Path) -> str | Path:
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:  # polars does not support such paths
        raise InputError(f"folder {str(folder)!r}", "a name that is not UTF-8", "another name") from None
    # It would also expand a tilde at the beginning.
    return Path(folder).absolute() if str(folder).startswith("~") else folder


def _numbers(folder: Path) -> set[int]:
    """Return the numbers of the instances that have a file in `folder`, such as 42 for ``00042.parquet``."""
    return {int(found[1]) for path in folder.iterdir() if (found := PART.fullmatch(path.name))}


def _forbidden(path: Path, error: OSError) -> InputError:
    # The file is not removed: it may be intact.
    return InputError(f"file {str(path)!r}", files.reason(error), "a file that can be read")


def _on_file(operation: Callable[[Path], object], path: Path) -> None:
    """Call `operation` with a path in the study's folder.

    Raises:
        InputError: the operation raised an `OSError`; the message names the path.
    """
    try:
        operation(path)
    except OSError as error:
        expected = "a place that can be written to, in which askwise alone writes"
        raise InputError(f"file {str(path)!r}", files.reason(error), expected) from None


def _free(path: Path) -> Path:
    """Return a new name for a damaged file, as a path in the same folder; no file has this name yet.

    The new name of ``provenance.json`` is ``provenance.damaged-1.json``, or has the next free number.
    """
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
