"""The ``[instances]`` of a study file: how many to draw and with which parameters, or which files to read.

The parameters are the domain's: it names their keys and checks them.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from askwise.domains.registry import studies_of
from askwise.errors import InputError
from askwise.experiments.schema.entries import distinct
from askwise.experiments.schema.sources import DEFAULT_DOMAIN, Generated, Given
from askwise.reading import Field

MOST_INSTANCES = 1_000_000
DEFAULT_COUNT = 100


def read_instances(root: Field, folder: Path) -> Generated | Given:
    """Return where the instances of a study come from; files are relative to `folder`."""
    if not root.has("instances"):
        return _drawn(Field("instances", {}), DEFAULT_DOMAIN)
    field = root.child("instances").object()
    if field.has("files"):
        return _given(field.object((), ("files",)).child("files"), folder, DEFAULT_DOMAIN)
    return _drawn(field, DEFAULT_DOMAIN)


def drawn_keys(name: str = DEFAULT_DOMAIN) -> tuple[str, ...]:
    """Return the keys of ``[instances]`` where instances of a domain are drawn."""
    return ("count", *studies_of(name).parameter_keys)


def _drawn(field: Field, name: str) -> Generated:
    field.object((), drawn_keys(name))
    count = field.child("count").whole(1, MOST_INSTANCES) if field.has("count") else DEFAULT_COUNT
    return Generated(count, studies_of(name).parameters(field), name)


def _given(field: Field, folder: Path, name: str) -> Given:
    files = [file for element in field.elements() for file in _matching(element, folder)]
    distinct(field, files, files)
    # Named as in the study file: the same study is the same from wherever it is started.
    return Given(tuple(files), tuple(_loaded(folder / file, name) for file in files), name)


def _matching(field: Field, folder: Path) -> list[str]:
    """Return the files that a name or a pattern stands for, relative to the folder."""
    if "*" not in field.text():
        return [Path(field.text()).as_posix()]
    # Path.glob takes no absolute patterns, and raises what it likes about odd ones.
    found = [] if "\0" in field.text() else glob.glob(field.text(), root_dir=folder, recursive=True)  # noqa: PTH207
    if not found:
        raise field.refuse("a pattern that some file matches")
    return sorted(Path(name).as_posix() for name in found)


def _loaded(path: Path, name: str) -> Any:
    try:
        return studies_of(name).read(path)
    except InputError as error:
        if error.field.startswith("file "):
            raise
        raise InputError(f"file {str(path)!r}, {error.field}", error.found, error.expected) from None
