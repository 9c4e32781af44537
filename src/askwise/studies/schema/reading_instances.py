"""The ``[instances]`` of a study file: how many to draw and with which parameters, or which files to read.

The parameters are the domain's: it names their keys and checks them.
"""

from __future__ import annotations

import glob
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.domains.registry import domain_of, names, read_file
from askwise.errors import InputError
from askwise.studies.schema.entries import distinct
from askwise.studies.schema.sources import DEFAULT_DOMAIN, Generated, Given
from askwise.studies.schema.studied import studies_of
from askwise.text.reading import Field

MOST_INSTANCES = 1_000_000
DEFAULT_COUNT = 100
ENDINGS = (".json", ".toml")
"""Of a folder, the files that are instances."""


@dataclass(frozen=True)
class NamedFiles:
    """Files as a study names them, not opened yet: nobody knows of which domain they are."""

    field: Field
    domain: None = None


def stated_instances(root: Field) -> Generated | NamedFiles:
    """Return where the instances of a study come from; fields are checked, nothing is drawn or opened."""
    if not root.has("instances"):
        return _drawn(Field("instances", {}), DEFAULT_DOMAIN)
    field = root.child("instances").object()
    if field.has("files"):
        files = field.object((), ("files",)).child("files")
        distinct(files, names_given := [element.text() for element in files.elements()], names_given)
        return NamedFiles(files)
    name = field.child("domain").text(names()) if field.has("domain") else DEFAULT_DOMAIN
    return _drawn(field, name)


def drawn_keys(name: str = DEFAULT_DOMAIN) -> tuple[str, ...]:
    """Return the keys of ``[instances]`` where instances of a domain are drawn."""
    return ("count", *studies_of(name).parameter_keys)


def _drawn(field: Field, name: str) -> Generated:
    studies = studies_of(name)
    field.object((), ("domain", *drawn_keys(name)))
    count = field.child("count").whole(1, MOST_INSTANCES) if field.has("count") else DEFAULT_COUNT
    return Generated(count, studies.parameters(field), name)


def found_instances(stated: Generated | NamedFiles, folder: Path) -> Generated | Given:
    """Open the files, which are relative to `folder`; see that instances can be drawn."""
    if isinstance(stated, NamedFiles):
        return _given(stated.field, folder)
    stated.parameters.try_one("instances")
    return stated


def _given(field: Field, folder: Path) -> Given:
    files = [file for element in field.elements() for file in _matching(element, folder)]
    distinct(field, files, files)
    instances = [_loaded(folder / file) for file in files]
    owners = [domain_of(instance, "instances.files").name for instance in instances]
    for file, owner in zip(files, owners, strict=True):
        if owner != owners[0]:
            found = f"{files[0]!r} of the domain {owners[0]!r} and {file!r} of {owner!r}"
            raise InputError(field.path, found, "files of one domain: their results could not be compared")
    # Named as in the study file: the same study is the same from wherever it is started.
    return Given(tuple(files), tuple(instances), owners[0])


def _matching(field: Field, folder: Path) -> list[str]:
    """Return the files that a name, a folder or a pattern stands for, relative to the folder of the study."""
    text = field.text()
    if "*" not in text or os.path.lexists(folder / text):
        if not text or not _is_folder(folder / text):
            return [Path(text).as_posix()]
        found = [path for path in (folder / text).iterdir() if path.suffix.lower() in ENDINGS]
        if not found:
            raise field.refuse(f"a folder with files that end in {' or '.join(ENDINGS)}")
        return sorted((Path(text) / path.name).as_posix() for path in found)
    # Path.glob takes no absolute patterns, and raises what it likes about odd ones.
    matched = [] if "\0" in text else glob.glob(_pattern(text, folder), root_dir=folder, recursive=True)  # noqa: PTH207
    if not matched:
        raise field.refuse("a pattern that some file matches")
    return sorted(Path(name).as_posix() for name in matched)


def _pattern(text: str, folder: Path) -> str:
    """Return a pattern in which the folders before the first star, if they are there, mean themselves."""
    parts = Path(text).parts
    plain = list(itertools.takewhile(lambda part: "*" not in part, parts))
    if not plain or not folder.joinpath(*plain).is_dir():
        return text
    return str(Path(*map(glob.escape, plain), *parts[len(plain) :]))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that no file can have, or one that is too long; said when it is read
        return False


def _loaded(path: Path) -> Any:
    try:
        return read_file(path)
    except InputError as error:
        if error.field.startswith("file "):
            raise
        raise InputError(f"file {str(path)!r}, {error.field}", error.found, error.expected) from None
