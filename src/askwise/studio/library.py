"""The problems that the studio offers: files that were named when it was started, or examples of its own."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from askwise.domains.registry import standalone
from askwise.errors import InputError
from askwise.text.files import reason
from askwise.text.limits import LONGEST_NAME
from askwise.text.reading import naming, read_text

if TYPE_CHECKING:
    from askwise.studio.study.file import PeopleStudy

ENDINGS = (".toml", ".json")
MOST_FILES = 500
EXAMPLES = {"map.txt": "kitchen (a map)", "graph.txt": "ward (a graph)", "coverage.txt": "rooms (coverage)"}
"""Starters of `askwise new` that can be played as they are."""


def problems_at(path: str | None) -> dict[str, str]:
    """Return the texts of problem files by name: one file, those of a folder, or the examples.

    Other files of a folder are left out, which a line on standard error says. No text needs another file.
    """
    if path is None:
        folder = resources.files("askwise.starters")
        return {title: folder.joinpath(name).read_text(encoding="utf-8") for name, title in EXAMPLES.items()}
    place = Path(path)
    if place.is_dir():
        return _in_folder(place)
    return {place.stem[:LONGEST_NAME]: _text(place)}


def study_at(path: str | None) -> PeopleStudy | None:
    """Return the study with people in a file, None if it is no such file."""
    from askwise.studio.study.file import is_people_study, read_people_study

    if path is None or Path(path).suffix.lower() != ".toml" or not Path(path).is_file():
        return None
    return read_people_study(path) if is_people_study(read_text(path)) else None


def _in_folder(folder: Path) -> dict[str, str]:
    try:
        found = sorted(each for each in folder.iterdir() if each.suffix.lower() in ENDINGS and each.is_file())
    except OSError as error:
        raise InputError(f"folder {str(folder)!r}", reason(error), "a folder that can be read") from None
    if not found:
        raise InputError(f"folder {str(folder)!r}", "no .toml or .json file", "problem files (askwise new writes one)")
    if len(found) > MOST_FILES:
        raise InputError(f"folder {str(folder)!r}", f"{len(found)} files", f"at most {MOST_FILES}")
    texts, refused = {}, []
    for each in found:
        try:
            texts[each.stem[:LONGEST_NAME]] = _text(each)
        except InputError as error:
            refused.append(error)
    if not texts:
        raise refused[0]
    for why in refused:
        print(f"askwise studio: left out {why}", file=sys.stderr)
    return texts


def _text(path: Path) -> str:
    with naming(str(path)):
        return standalone(path)
