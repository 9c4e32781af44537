"""Whose folder it is: `study.json` says so, and where it is lost or damaged, the seals of the results do.

A folder belongs to one study. Results of another one must neither be taken for this one's nor be written over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.studies.running.damage import Damaged
from askwise.studies.running.records import parsed, read_record, write_record
from askwise.studies.running.sealed import Broken, label_of
from askwise.studies.schema.study import Study, differences
from askwise.text.files import opened, reason

FORMAT = "askwise/study@2"
WITHOUT_SEALS = "askwise/study@1"
"""The format of earlier versions, whose results cannot be told from damaged ones."""

NAME = "study.json"
OURS = "an empty folder, or that of this very study (--out DIR chooses another)"


def refuse_others(folder: Path, study: Study) -> bool:
    """Refuse a folder that says that it is another study's; return whether it says that it is this one's."""
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
    """Whether a folder says that it is this study's."""
    try:
        return refuse_others(folder, study)
    except (InputError, Broken):
        return False


def _of_another(folder: Path, study: Study, found: dict[str, Any]) -> InputError:
    theirs = {key: value for key, value in found.items() if key not in ("format", "fingerprint")}
    changed = ", ".join(differences(json.loads(json.dumps(study.describe())), theirs)) or "its format"
    which = f"the results of another study, {found.get('name')!r}, which differs in {changed}"
    return InputError(f"folder {str(folder)!r}", which, OURS)


def _refuse_earlier(folder: Path) -> None:
    found = parsed(folder / NAME)
    if found is not None and found.get("format") == WITHOUT_SEALS:
        raise InputError(
            f"folder {str(folder)!r}",
            "results of an earlier version of askwise, whose parts have no checksums",
            "an empty folder (--out DIR chooses another), or that version to go on with them",
        )


def claim(folder: Path, study: Study, results: Iterable[Path]) -> Damaged | None:
    """Write down whose folder it is if that does not stand there; return the `study.json` that had to be replaced.

    Args:
        folder: the folder. Its lock has to be held, or two studies could claim it at once.
        study: who claims it.
        results: what lies there and would carry seals.
    """
    damaged = None
    try:
        if refuse_others(folder, study):
            return None
    except Broken as broken:
        damaged = Damaged(folder / NAME, str(broken), "it is written again")
    _refuse_unknown(folder, study, damaged, results)
    write_record(folder / NAME, {"format": FORMAT, "fingerprint": study.fingerprint, **study.describe()})
    return damaged


def _refuse_unknown(folder: Path, study: Study, damaged: Damaged | None, results: Iterable[Path]) -> None:
    """Refuse a folder without a `study.json` unless its results prove that they are this study's, or there are none."""
    owners = {path: _owner(path) for path in results}
    others = [path for path, owner in owners.items() if owner not in (None, study.fingerprint)]
    if others:
        found = f"results of another study ({others[0].relative_to(folder)})"
    elif owners and study.fingerprint not in owners.values():
        found = "results that do not say whose they are"
    else:
        return
    lost = f"no {NAME}" if damaged is None else f"a damaged {NAME} ({damaged.why})"
    raise InputError(f"folder {str(folder)!r}", f"{lost} and {found}", OURS)


def _owner(path: Path) -> str | None:
    """Return the fingerprint of the study that a file belongs to, None if it does not say so."""
    try:
        with opened(path) as file:
            return label_of(file).study
    except PermissionError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a file that can be read") from None
    except (Broken, OSError):
        return None
