"""The instances of a study, each of which describes one problem.

The section ``[instances]`` of a study file states whether instances are drawn at random or read from files.
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
from askwise.text.files import EXAMPLES, naming_file
from askwise.text.reading import Field

DEFAULT_DOMAIN = "tool-fetching"
"""The domain of studies that do not name one."""
MOST_INSTANCES = 1_000_000
DEFAULT_COUNT = 100
ENDINGS = (".json", ".toml")
"""If a study names a folder, the files in it with these endings are its instances."""


@dataclass(frozen=True)
class Generated:
    """Random instances, of which a study holds only the parameters; each instance is drawn with its own seed.

    Attributes:
        count: the number of instances.
        parameters: the checked parameters; their method `draw` makes an instance from a seed.
        domain: the name of the domain, the kind of problem.
    """

    count: int
    parameters: Parameters
    domain: str = DEFAULT_DOMAIN

    def describe(self) -> dict[str, Any]:
        """Return the contents of the section ``[instances]`` of a study file that states these random instances."""
        return {**_named(self.domain), "count": self.count, **self.parameters.describe()}


@dataclass(frozen=True)
class Given:
    """Instances that were read from files; other machines do not need the files.

    Attributes:
        files: the names of the files, relative to the folder of the study file.
        instances: the instance in each file; the type depends on the domain.
        domain: the name of the domain, the kind of problem.
    """

    files: tuple[str, ...]
    instances: tuple[Any, ...]
    domain: str = DEFAULT_DOMAIN

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.files)

    def describe(self) -> dict[str, Any]:
        """Return the section ``[instances]`` of a study file with these instances, as a dict.

        The keys are ``files`` (names), ``sha256`` (one checksum of all instances) and ``domain`` (left out for the
        default domain).
        """
        write = domain(self.domain).write
        contents = json.dumps([write(instance) for instance in self.instances], sort_keys=True)
        digest = hashlib.sha256(contents.encode()).hexdigest()
        return {**_named(self.domain), "files": list(self.files), "sha256": digest}


def words_of(name: str = DEFAULT_DOMAIN) -> StudyWords:
    """Return the words that figures and reports use for the goals and the teammate of the domain called `name`."""
    return studies_of(name).words


def _named(name: str) -> dict[str, str]:
    # Studies of the default domain do not name it, so that their fingerprint is the same as in earlier versions, which
    # had no other domain.
    return {} if name == DEFAULT_DOMAIN else {"domain": name}


def distinct(field: Field, values: list[Any], labels: list[Any]) -> list[Any]:
    """Return `values` unchanged; raise `InputError` if there are no values, or if two of their `labels` are equal.

    The message names `field`, the list in the study file.
    """
    if not values:
        raise field.refuse("at least one")
    for k, label in enumerate(labels):
        if label in labels[:k]:
            raise InputError(f"{field.path}[{k}]", f"{label!r} again", "every entry once")
    return values


@dataclass(frozen=True)
class NamedFiles:
    """The names of instance files in a study file, before the instance files are opened.

    Attributes:
        field: the list of names in the study file.
        domain: always None: the domain is not known yet.
    """

    field: Field
    domain: None = None


def stated_instances(root: Field) -> Generated | NamedFiles:
    """Return the parameters of random instances, or the names of instance files, that a study file states.

    Nothing is drawn or opened; `found_instances` does this.

    Raises:
        InputError: the section ``[instances]`` has a wrong key or value.
    """
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
    """Return the keys that the section ``[instances]`` of a study file may have for random instances of a domain.

    The key ``domain``, which may always be there, is not included.

    Args:
        name: the name of the domain.
    """
    return ("count", *studies_of(name).parameter_keys)


def _drawn(field: Field, name: str) -> Generated:
    studies = studies_of(name)
    field.object((), ("domain", *drawn_keys(name)))
    count = field.child("count").whole(1, MOST_INSTANCES) if field.has("count") else DEFAULT_COUNT
    return Generated(count, studies.parameters(field), name)


def found_instances(stated: Generated | NamedFiles, folder: Path) -> Generated | Given:
    """Read the files of a study's instances, or check that random instances can be drawn; return the instances.

    Names of files in `stated` (from `stated_instances`) are relative to `folder`.

    Raises:
        InputError: a file cannot be read, the files belong to different domains, or no random instance can be drawn.
    """
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
            raise InputError(field.path, found, "files of one domain, so that their results can be compared")
    # Names as in the study file: the fingerprint must not depend on the current folder.
    return Given(tuple(files), tuple(instances), owners[0])


def _matching(field: Field, folder: Path) -> list[str]:
    """Return the sorted names of the files that an entry in a study's list of instance files stands for.

    The entry is a file, a folder, or a pattern such as ``maps/*.json``, relative to `folder`.

    Raises:
        InputError: no file matches.
    """
    text = field.text()
    if "*" not in text or os.path.lexists(folder / text):
        if not text or not _is_folder(folder / text):
            return [Path(text).as_posix()]
        found = [path for path in (folder / text).iterdir() if path.suffix.lower() in ENDINGS]
        if not found:
            raise field.refuse(f"a folder with files that end in {' or '.join(ENDINGS)}")
        return sorted((Path(text) / path.name).as_posix() for path in found)
    # Path.glob does not accept absolute patterns, and raises various exceptions about malformed ones.
    matched = [] if "\0" in text else glob.glob(_pattern(text, folder), root_dir=folder, recursive=True)  # noqa: PTH207
    if not matched:
        raise field.refuse("a pattern that some file matches")
    return sorted(Path(name).as_posix() for name in matched)


def _pattern(text: str, folder: Path) -> str:
    """Return the file pattern `text`, with special characters escaped in the folders before the first star.

    Otherwise, ``maps [old]`` would be taken for a pattern. Nothing is escaped if there are no such folders.
    """
    parts = Path(text).parts
    plain = list(itertools.takewhile(lambda part: "*" not in part, parts))
    if not plain or not folder.joinpath(*plain).is_dir():
        return text
    return str(Path(*map(glob.escape, plain), *parts[len(plain) :]))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # an impossible or too long name, which is reported when the file is read
        return False


def _loaded(path: Path) -> Any:
    with naming_file(str(path)):
        # Names of files are relative to the study; those of examples are not.
        return read_file(path.name if path.name in EXAMPLES and not path.exists() else path)
