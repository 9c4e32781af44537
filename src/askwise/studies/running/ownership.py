"""The right to use a folder of results, which belongs to one study and to one run at a time.

The file ``study.json`` names the study; if it is lost or damaged, ``checksums.txt`` does. A run locks its folder until
its process ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.studies.running import checksums
from askwise.studies.running.checksums import (
    CHECKSUM,
    Corrupt,
    Damaged,
    Manifest,
    checksum,
    parsed,
    read_manifest,
    read_record,
    write_record,
)
from askwise.studies.schema.study import Study, differences
from askwise.text import files


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Lock a folder, by its file ``.lock``, while the ``with`` block runs.

    Raises:
        InputError: another run holds the lock, or the folder cannot be written.
    """
    try:
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r}", files.reason(error), "a folder that can be written to") from None
    try:
        if not _taken(handle):
            raise InputError(f"folder {str(folder)!r}", "another run that uses it", "a folder that no other run uses")
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    """Try to lock an open file without waiting; return False if another process holds the lock.

    If the system or file system has no locks, the result is True.
    """
    try:
        import fcntl
    except ImportError:  # Windows: parts are still written atomically, and two runs would write the same
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


FORMAT = "askwise/study@3"
EARLIER = ("askwise/study@1", "askwise/study@2")
"""Formats of earlier versions, which had no checksums, or had them inside the parts."""

NAME = "study.json"
OURS = "an empty folder, or the folder of this study (--out DIR chooses another)"


def refuse_others(folder: Path, study: Study) -> bool:
    """Check by ``study.json`` that a folder does not belong to another study.

    Returns:
        True if the file names this study, False if there is no such file.

    Raises:
        InputError: the file names another study, or another version of askwise wrote it.
        Corrupt: the file is damaged.
    """
    _refuse_earlier(folder)
    found = read_record(folder / NAME)
    if found is None:
        return False
    if found.get("format") != FORMAT:
        raise InputError(f"folder {str(folder)!r}", f"results in the format {found.get('format')!r}", repr(FORMAT))
    if found.get("fingerprint") != study.fingerprint:
        raise _of_another(folder, study, found)
    return True


def belongs_to(folder: Path, study: Study) -> bool:
    """Return whether the ``study.json`` of a folder is intact and names this study."""
    try:
        return refuse_others(folder, study)
    except (InputError, Corrupt):
        return False


def _of_another(folder: Path, study: Study, found: dict[str, Any]) -> InputError:
    theirs = {key: value for key, value in found.items() if key not in ("format", "fingerprint")}
    changed = ", ".join(differences(json.loads(json.dumps(study.describe())), theirs)) or "its format"
    which = f"the results of another study, {found.get('name')!r}, which differs in {changed}"
    return InputError(f"folder {str(folder)!r}", which, OURS)


def _refuse_earlier(folder: Path) -> None:
    found = parsed(folder / NAME) or {}
    stated = found.pop(CHECKSUM, None)
    # The first format had no checksum. With a wrong checksum the format itself may be damaged, so it is not believed.
    if found.get("format") in EARLIER and stated in (None, checksum(found)):
        raise InputError(
            f"folder {str(folder)!r}",
            f"results of an earlier version of askwise, without the checksums of its parts in {checksums.NAME}",
            "an empty folder (--out DIR chooses another), or that version to continue them",
        )


def claim(folder: Path, study: Study, has_results: bool) -> Damaged | None:
    """Make a folder belong to a study: write ``study.json`` and an empty ``checksums.txt`` if they are missing.

    The caller must hold the lock. If the folder has results (`has_results`), ``checksums.txt`` must prove that they
    belong to the study.

    Returns:
        What was wrong with ``study.json`` if it was damaged and replaced; otherwise None.

    Raises:
        InputError: the folder belongs to another study, or the proof is missing.
    """
    damaged, manifest = None, read_manifest(folder, study.fingerprint)
    try:
        known = refuse_others(folder, study)
    except Corrupt as corrupt:
        known, damaged = False, Damaged(folder / NAME, str(corrupt), "it is written again")
    if has_results:
        _refuse_unproven(folder, known, damaged, manifest)
    if not known:
        write_record(folder / NAME, {"format": FORMAT, "fingerprint": study.fingerprint, **study.describe()})
    if manifest is None:
        Manifest(folder, study.fingerprint).keep([])
    return damaged


def _refuse_unproven(folder: Path, known: bool, damaged: Damaged | None, manifest: Manifest | None) -> None:
    """Raise `InputError` unless the manifest proves that the results in a folder belong to the study.

    The message depends on `known` (whether ``study.json`` names the study) and `damaged` (what is wrong with
    ``study.json``).
    """
    if manifest is not None and manifest.proves_owner:
        return
    if known:
        # The parts may be intact. They are not removed, because you may be able to restore their manifest.
        lost = f"no {checksums.NAME}" if manifest is None else f"no intact line in {checksums.NAME}"
        expected = f"the file that askwise wrote with the results, or {OURS.partition(',')[0]} (--out DIR)"
        raise InputError(f"folder {str(folder)!r}", lost, expected)
    lost = f"no {NAME}" if damaged is None else f"a damaged {NAME} ({damaged.why})"
    other = manifest is not None and manifest.owner is not None
    found = f"results of another study ({checksums.NAME})" if other else "results of an unknown study"
    raise InputError(f"folder {str(folder)!r}", f"{lost} and {found}", OURS)
