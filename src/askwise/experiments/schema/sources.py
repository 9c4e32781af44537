"""Where the instances of a study come from: drawn at random, or given in files.

What an instance is, and how one is drawn or read, is known to its domain only (`askwise.domains.registry`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from askwise.domains.registry import studies_of
from askwise.domains.studied import Parameters, StudyWords

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
        studies = studies_of(self.domain)
        contents = json.dumps([studies.contents(instance) for instance in self.instances], sort_keys=True)
        digest = hashlib.sha256(contents.encode()).hexdigest()
        return {**_named(self.domain), "files": list(self.files), "sha256": digest}


def words_of(domain: str = DEFAULT_DOMAIN) -> StudyWords:
    """Return what figures and reports call the things of a domain."""
    return studies_of(domain).words


def _named(domain: str) -> dict[str, str]:
    # Studies of the default domain do not name it: folders that were begun when it was the only one still belong
    # to the same study.
    return {} if domain == DEFAULT_DOMAIN else {"domain": domain}
