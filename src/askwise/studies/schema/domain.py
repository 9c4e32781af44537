"""What a study needs of the domain of its instances: which parameters they are drawn with, other priors and prices.

`studies_of` finds the adapter of a domain. Tool fetching has its own, which draws random maps and knows the paper's
priors. Every other domain takes part in studies with its files, and with priors by the teammate's distance to the
goals. A study keeps what the adapter returns and never looks inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from askwise.core.factored import FactoredProblem
from askwise.core.problem import Problem, changed, checked_price, checked_prior
from askwise.core.questions import QueryCost
from askwise.domains.registry import domain
from askwise.domains.tool_fetching.generate import check_request, check_room, generate
from askwise.domains.tool_fetching.instance import LARGEST_SIDE, PRIOR_KINDS, Instance, Prior
from askwise.domains.tool_fetching.problem import ToolFetching
from askwise.errors import InputError
from askwise.model.policy import normalised
from askwise.text.reading import Field
from askwise.types import FloatArray

TOWARDS = {"uniform": 0.0, "far": 1.0, "near": -1.0}
"""Kinds of priors: by which power of ``exp(distance / temperature)`` of the teammate each goal is likelier."""


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

    def try_one(self, path: str) -> None:
        """Refuse parameters with which no instance can be drawn; `path` is where they stand in the study file."""

    def describe(self) -> dict[str, Any]:
        """Return the parameters as they stand in a study file."""


class Studied(Protocol):
    """All that a study needs of a domain."""

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

    def with_terms(self, problem: Any, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """Return a problem of the domain under another prior and other prices; tables are shared.

        Args:
            problem: the problem as the domain made it from an instance.
            kind: one of `prior_kinds`, or None for the instance's own prior.
            temperature: of that kind of prior.
            query_cost: what questions cost.
        """


def studies_of(name: str) -> Studied:
    """Return what studies need of the domain with that name."""
    return ADAPTERS[name] if name in ADAPTERS else FileStudies(name)


# -- any domain --------------------------------------------------------------------------------------------------


class FileStudies:
    """Instances from files, under their own prior or one by distance; fulfils `Studied` for any domain."""

    parameter_keys: tuple[str, ...] = ()
    prior_kinds = tuple(TOWARDS)

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def words(self) -> StudyWords:
        """See `Studied`."""
        words = domain(self._name).vocabulary()
        near = f"{words.goals} that are far from the {words.teammate}, near those that are near, uniform none."
        return StudyWords(words.goal, words.teammate, f"far favours {near}")

    def parameters(self, given: Field) -> Parameters:
        """See `Studied`; there are none."""
        raise InputError(f"{given.path}.domain", f"{self._name!r}, which draws no instances", "files of its instances")

    def with_terms(self, problem: Problem, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """See `Studied`."""
        prior = problem.prior if kind is None else by_distance(problem, kind, temperature)
        if isinstance(problem, FactoredProblem):
            return problem.with_terms(prior, query_cost)
        prices = checked_price(query_cost, problem.goals)
        return changed(problem, prior=checked_prior(prior, problem.goals), query_cost=prices)


def by_distance(problem: Problem, kind: str, temperature: float) -> FloatArray:
    """``float64 [n_goals]``: ``exp(+-d / T)`` of the teammate's steps to each goal, or all the same."""
    steps = problem.teammate.steps(problem.start.teammate).astype(np.float64)
    scores = TOWARDS[kind] * steps / temperature
    return normalised(np.exp(scores - scores.max()))


# -- tool fetching -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomMaps:
    """Random instances of tool fetching, drawn as `askwise.generate` does; by default those of the paper."""

    width: int = 20
    height: int = 20
    stations: int = 50
    toolboxes: int = 5
    walls: float = 0.0
    clustered: bool = False

    def draw(self, seed: np.random.SeedSequence) -> Instance:
        """See `Parameters`."""
        return generate(
            width=self.width,
            height=self.height,
            stations=self.stations,
            toolboxes=self.toolboxes,
            walls=self.walls,
            clustered=self.clustered,
            seed=seed,
        )

    def try_one(self, path: str) -> None:
        """See `Parameters`; what does not fit on the walls of one map is refused."""
        try:
            check_room(self.width, self.height, self.stations, self.toolboxes, self.walls, np.random.SeedSequence(0))
        except InputError as error:
            raise InputError(f"{path}.{error.field}", error.found, error.expected) from None

    def describe(self) -> dict[str, Any]:
        """See `Parameters`."""
        return {
            "size": [self.width, self.height],
            "stations": self.stations,
            "toolboxes": self.toolboxes,
            "walls": self.walls,
            "clustered": self.clustered,
        }


class ToolFetchingStudies:
    """Random maps and the paper's priors on them; fulfils `Studied` for tool fetching."""

    parameter_keys = ("size", "stations", "toolboxes", "walls", "clustered")
    prior_kinds = PRIOR_KINDS
    words = StudyWords(
        goal="station",
        teammate="worker",
        priors="far favours goals that are far from the worker, near those that are near, uniform none.",
    )

    def parameters(self, given: Field) -> RandomMaps:
        """See `Studied`."""
        default = RandomMaps()
        width, height = _size(given.child("size")) if given.has("size") else (default.width, default.height)
        maps = RandomMaps(
            width=width,
            height=height,
            stations=given.child("stations").whole(1) if given.has("stations") else default.stations,
            toolboxes=given.child("toolboxes").whole(1) if given.has("toolboxes") else default.toolboxes,
            walls=given.child("walls").number() if given.has("walls") else default.walls,
            clustered=_yes_or_no(given.child("clustered")) if given.has("clustered") else default.clustered,
        )
        try:
            check_request(maps.width, maps.height, maps.stations, maps.toolboxes, maps.walls)
        except InputError as error:
            raise InputError(f"{given.path}.{error.field}", error.found, error.expected) from None
        return maps

    def with_terms(
        self, problem: ToolFetching, kind: str | None, temperature: float, query_cost: QueryCost
    ) -> ToolFetching:
        """See `Studied`."""
        prior = problem.instance.prior if kind is None else Prior(kind, temperature)
        return problem.with_terms(prior, query_cost)


def _size(field: Field) -> tuple[int, int]:
    if not isinstance(field.value, list):
        side = field.whole(1, LARGEST_SIDE)
        return side, side
    sides = [side.whole(1, LARGEST_SIDE) for side in field.elements()]
    if len(sides) != 2:
        raise field.refuse("one number, or [width, height]")
    return sides[0], sides[1]


def _yes_or_no(field: Field) -> bool:
    if not isinstance(field.value, bool):
        raise field.refuse("true or false")
    return field.value


ADAPTERS: dict[str, Studied] = {"tool-fetching": ToolFetchingStudies()}
"""The domains that need more than `FileStudies`, by name."""
