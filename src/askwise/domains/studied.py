"""What a study needs of a domain: instances to play, drawn or read, and other priors and prices for them.

A domain that can be studied has one object of this kind, its ``studies``. A study keeps what the object returns and
hands it back; it never looks inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from askwise.problem import Problem
from askwise.questions import QueryCost
from askwise.reading import Field


@dataclass(frozen=True)
class StudyWords:
    """What figures and reports call the things of a domain.

    Attributes:
        goal: what a question names.
        teammate: who pursues it.
        priors: a sentence about what the domain's priors favour.
    """

    goal: str
    teammate: str
    priors: str

    @property
    def price(self) -> str:
        """What naming one more goal in a question costs."""
        return f"per-{self.goal} cost"


class Parameters(Protocol):
    """How random instances of a domain are drawn. A value: two that are equal draw the same, and it can be pickled."""

    def draw(self, seed: np.random.SeedSequence) -> Any:
        """Return the instance that belongs to a seed."""

    def describe(self) -> dict[str, Any]:
        """Return the parameters as they stand in a study file."""


class Studied(Protocol):
    """All that studies ask a domain for."""

    @property
    def parameter_keys(self) -> tuple[str, ...]:
        """The keys of a study file's ``[instances]`` that say how instances are drawn, beside their number."""

    @property
    def prior_kinds(self) -> tuple[str, ...]:
        """The priors that a study may name, the default first."""

    @property
    def words(self) -> StudyWords:
        """What figures and reports call the things of the domain."""

    def parameters(self, given: Field) -> Parameters:
        """Check the parameters in a study file's ``[instances]``; what is left out has a default.

        What no instance can be drawn with is refused now, not in every row of the study.
        """

    def read(self, path: Path) -> Any:
        """Return the instance in a file, checked."""

    def contents(self, instance: Any) -> dict[str, Any]:
        """Return what stands in an instance's file: all that tells it apart from other instances."""

    def with_terms(self, problem: Any, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """Return a problem of this domain under another prior and other prices; tables are shared.

        Args:
            problem: the problem as the domain made it from an instance.
            kind: one of `prior_kinds`, or None for the instance's own prior.
            temperature: of that kind of prior.
            query_cost: what questions cost.
        """
