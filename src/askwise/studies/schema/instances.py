"""Where the instances of a study come from: drawn at random, or given in files.

How one is drawn is up to `askwise.studies.schema.domain`, how one is read and written up to its domain.

What the lists in a study file have in common: nothing stands in them twice, and entries may have labels.

The ``[instances]`` of a study file: how many to draw and with which parameters, or which files to read.

The parameters are the domain's: it names their keys and checks them.
"""

from __future__ import annotations

import glob
import hashlib
import itertools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.domains.registry import domain, domain_of, names, read_file
from askwise.errors import InputError
from askwise.studies.schema.domain import Parameters, StudyWords, studies_of
from askwise.text.reading import Field, read_name

DEFAULT_DOMAIN = "tool-fetching"
"""What a study is of unless it says otherwise."""


@dataclass(frozen=True)
class Generated:
    """So many random instances, each drawn with the domain's parameters from a seed of its own."""

    count: int
    parameters: Parameters
    domain: str = DEFAULT_DOMAIN

    def describe(self) -> dict[str, Any]:
        """Return the instances as they stand in a study file."""
        return {**_named(self.domain), "count": self.count, **self.parameters.describe()}


@dataclass(frozen=True)
class Given:
    """Instances from files; their contents travel with the study, so that other machines need no files."""

    files: tuple[str, ...]
    instances: tuple[Any, ...]
    domain: str = DEFAULT_DOMAIN

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.files)

    def describe(self) -> dict[str, Any]:
        """Return the instances as they stand in a study file, with a digest of their contents."""
        write = domain(self.domain).write
        contents = json.dumps([write(instance) for instance in self.instances], sort_keys=True)
        digest = hashlib.sha256(contents.encode()).hexdigest()
        return {**_named(self.domain), "files": list(self.files), "sha256": digest}


def words_of(name: str = DEFAULT_DOMAIN) -> StudyWords:
    """Return what figures and reports call the things of a domain."""
    return studies_of(name).words


def _named(name: str) -> dict[str, str]:
    # Studies of the default domain do not name it: folders that were begun when it was the only one still belong
    # to the same study.
    return {} if name == DEFAULT_DOMAIN else {"domain": name}


def distinct(field: Field, values: list[Any], labels: list[Any]) -> list[Any]:
    """Return the values of a list; refuse an empty one, and one with two of the same label."""
    if not values:
        raise field.refuse("at least one")
    for k, label in enumerate(labels):
        if label in labels[:k]:
            raise InputError(f"{field.path}[{k}]", f"{label!r} for the second time", "each one once")
    return values


def chosen_label(field: Field, default: str) -> str:
    """Return the label that something in a study file has, or the default."""
    if not field.has("label"):
        return default
    label = field.child("label")
    if not label.text().strip():
        raise label.refuse("at least one letter")
    return read_name(label)


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
