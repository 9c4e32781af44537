"""Where the instances of a study come from: drawn at random, or given in files.

How one is drawn is up to `askwise.studies.schema.studied`, how one is read and written up to its domain.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from askwise.domains.registry import domain
from askwise.studies.schema.studied import Parameters, StudyWords, studies_of

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
