"""What a domain may be asked for, one protocol for each door: files, moments, new instances.

A `Domain` (`askwise.domains.registry`) hands these out. *An instance* is whatever a domain's files describe, a
`Problem` is what agents play; each domain decides how the two are related.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from askwise.model import Model
    from askwise.problem import JointState, Problem
    from askwise.reading import Field


@runtime_checkable
class Recording(Protocol):
    """Instances and states as JSON: what files of a domain and traces of its episodes hold."""

    @property
    def formats(self) -> tuple[str, ...]:
        """What may stand under ``format`` in a file of this domain, such as ``askwise/tool-fetching@1``."""

    @property
    def state_keys(self) -> tuple[str, ...]:
        """The keys that say in a trace where everybody is."""

    def read(self, given: Field) -> Any:
        """Return the instance that a file, or a field that holds the same, describes; everything is checked."""

    def write(self, given: Any) -> dict[str, Any]:
        """Return the contents of the file of an instance or a problem; refuse what the file cannot hold."""

    def state_to_json(self, problem: Any, state: JointState) -> dict[str, Any]:
        """Return where everybody is, under `state_keys`."""

    def state_from_json(self, problem: Any, given: Field) -> JointState:
        """Read where everybody is from an object that has all `state_keys`."""


@runtime_checkable
class Moments(Protocol):
    """Where the two agents may be, as people say it on the command line."""

    def state(
        self, problem: Any, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """Return where everybody is; whoever is None is at the start. Refuse places from which no goal is in reach.

        Args:
            problem: a problem of this domain.
            teammate: the teammate's place.
            ego: the ego agent's place.
            holding: what the ego agent has in hand, by the name of its goal; None for empty hands.
        """

    def starting_at(self, problem: Any, state: JointState) -> Problem:
        """Return the same problem with another start, and the prior that goes with it."""

    def teammate_side(self, given: Any) -> tuple[Model, Mapping[str, Any], Any]:
        """Return the teammate's model of an instance, its goals by name, and the name of its start."""


@runtime_checkable
class Generator(Protocol):
    """Random instances, as ``askwise generate`` draws them."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options; nothing heavy is imported for that."""

    def draw(self, options: argparse.Namespace, seed: int) -> Any:
        """Return the instance that the options ask for."""
