"""Adapters, which add to domains what only studies need.

A domain is a kind of problem, such as tool fetching. Its adapter reads the parameters of random instances,
changes priors and prices, and has words for figures and reports.

The adapter of tool fetching draws random maps and knows the paper's priors. In other domains, instances come from
files, and priors depend on the teammate's distance to each goal.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
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
"""Kinds of priors: the weight of a goal is ``exp(power * distance / temperature)`` with this power."""


@dataclass(frozen=True)
class StudyWords:
    """The words that the figures and reports of a study use for a domain, that is, for a kind of problem.

    Attributes:
        goal: a goal, such as ``station``.
        teammate: the teammate, such as ``worker``.
        priors: a sentence that says which goals each kind of prior favours.
    """

    goal: str
    teammate: str
    priors: str

    @property
    def price(self) -> str:
        """The words for the price of naming one more goal in a question, such as ``per-station cost``."""
        return f"per-{self.goal} cost"


class Parameters(Protocol):
    """The interface for the parameters from which a study draws random problem instances, such as the size of maps.

    `RandomMaps` implements it. Parameters can be pickled. Equal parameters and seeds give equal instances.
    """

    def draw(self, seed: np.random.SeedSequence) -> Any:
        """Return a random instance, that is, the description of one problem; equal seeds give equal instances."""

    def try_one(self, path: str) -> None:
        """Raise `InputError` if no instance can be drawn with these parameters.

        Args:
            path: the name of the section of the study file that states the parameters, for the error message.
        """

    def describe(self) -> dict[str, Any]:
        """Return these parameters as a study file states them: the keys and values of its section ``[instances]``.

        The values are JSON-compatible.
        """


class Studied(Protocol):
    """The interface of an adapter: everything that studies need from a domain, that is, from a kind of problem.

    `ToolFetchingStudies` implements it for tool fetching, `FileStudies` for all other domains.
    """

    @property
    def parameter_keys(self) -> tuple[str, ...]:
        """The keys that state parameters of random instances in the section ``[instances]`` of a study file."""

    @property
    def prior_kinds(self) -> tuple[str, ...]:
        """The kinds of priors that a study of this domain may use, such as ``far``; the first one is the default."""

    @property
    def words(self) -> StudyWords:
        """The words that the figures and reports of a study use for the goals and the teammate of the domain."""

    def parameters(self, given: Field) -> Parameters:
        """Return the parameters of random instances that the section ``[instances]`` of a study file states.

        Missing parameters have defaults.

        Raises:
            InputError: a parameter is wrong, or the domain has no random instances.
        """

    def with_terms(self, problem: Any, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """Return a copy of a problem with another prior and other prices; the copy shares the problem's tables.

        Args:
            problem: the problem.
            kind: the kind of the new prior, one of `prior_kinds`; None to keep the prior.
            temperature: the higher, the more uniform the new prior.
            query_cost: the new prices of questions.
        """


def studies_of(name: str) -> Studied:
    """Return the adapter of the domain called `name`: an object with all that studies need from this domain."""
    return ADAPTERS[name] if name in ADAPTERS else FileStudies(name)


# -- any domain --------------------------------------------------------------------------------------------------


class FileStudies:
    """The adapter that studies use for a domain whose instances come from files, not from random draws.

    It implements `Studied`.

    Args:
        name: the name of the domain.
    """

    parameter_keys: tuple[str, ...] = ()
    prior_kinds = tuple(TOWARDS)

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def words(self) -> StudyWords:
        """The words for goals and teammate, taken from the vocabulary of the domain."""
        words = domain(self._name).vocabulary()
        far, near = f"far favours {words.goals} far from the {words.teammate}", f"near favours {words.goals} near it"
        return StudyWords(words.goal, words.teammate, f"{far}, {near}, uniform favours none.")

    def parameters(self, given: Field) -> Parameters:
        """Raise `InputError`, because random instances of this domain cannot be drawn.

        Args:
            given: the section ``[instances]`` of the study file; the message names it.
        """
        found = f"{self._name!r}, which has no random instances"
        raise InputError(f"{given.path}.domain", found, "instances from files")

    def with_terms(self, problem: Problem, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """Return a copy of `problem` with another prior and other prices; the copy shares the problem's tables.

        Args:
            problem: the problem.
            kind: ``far`` or ``near`` if goals far from or near the teammate's start shall be likelier, or ``uniform``;
                None to keep the prior.
            temperature: the higher, the more uniform the new prior.
            query_cost: the new prices of questions.
        """
        prior = problem.prior if kind is None else by_distance(problem, kind, temperature)
        if isinstance(problem, FactoredProblem):
            return problem.with_terms(prior, query_cost)
        prices = checked_price(query_cost, problem.goals)
        return changed(problem, prior=checked_prior(prior, problem.goals), query_cost=prices)


def by_distance(problem: Problem, kind: str, temperature: float) -> FloatArray:
    """Return a prior, ``float64 [n_goals]``, that depends on the distance from the teammate's start to each goal.

    Args:
        problem: the problem.
        kind: ``far`` or ``near`` if distant or nearby goals shall be likelier; ``uniform`` for equal probabilities.
        temperature: the difference in distance, in steps, that makes one goal e times as probable as another.
    """
    steps = problem.teammate.steps(problem.start.teammate).astype(np.float64)
    scores = TOWARDS[kind] * steps
    with np.errstate(over="ignore"):  # a very low temperature leaves only the goals with the highest score
        return normalised(np.exp((scores - scores.max()) / temperature))


# -- tool fetching -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomMaps:
    """The parameters of random instances of tool fetching; the defaults are those of the paper that askwise implements.

    Attributes:
        width: columns of the map.
        height: rows of the map.
        stations: number of stations, the goals.
        toolboxes: number of toolboxes.
        walls: share of cells that are walls, below 1.
        clustered: whether stations form clusters.
    """

    width: int = 20
    height: int = 20
    stations: int = 50
    toolboxes: int = 5
    walls: float = 0.0
    clustered: bool = False

    def draw(self, seed: np.random.SeedSequence) -> Instance:
        """Return a random instance of tool fetching, made by `askwise.generate`; equal seeds give equal instances."""
        return generate(**asdict(self), seed=seed)

    def try_one(self, path: str) -> None:
        """Draw one random map; raise `InputError` if the stations and toolboxes do not fit on it.

        Args:
            path: the name of the section of the study file that states the parameters, for the error message.
        """
        try:
            check_room(self.width, self.height, self.stations, self.toolboxes, self.walls, np.random.SeedSequence(0))
        except InputError as error:
            raise InputError(f"{path}.{error.field}", error.found, error.expected) from None

    def describe(self) -> dict[str, Any]:
        """Return these parameters as a study file states them: the keys and values of its section ``[instances]``.

        The values are JSON-compatible. The key ``size`` has the list ``[width, height]``.
        """
        return {
            "size": [self.width, self.height],
            "stations": self.stations,
            "toolboxes": self.toolboxes,
            "walls": self.walls,
            "clustered": self.clustered,
        }


class ToolFetchingStudies:
    """The adapter that studies use for tool fetching, with random maps and several kinds of priors.

    A fetcher (the ego agent) brings a worker (the teammate) the tool for a station (the goal).
    """

    parameter_keys = ("size", "stations", "toolboxes", "walls", "clustered")
    prior_kinds = PRIOR_KINDS
    words = StudyWords(
        goal="station",
        teammate="worker",
        priors="far favours goals far from the worker, near favours goals near it, uniform favours none.",
    )

    def parameters(self, given: Field) -> RandomMaps:
        """Return the parameters of random maps that the section ``[instances]`` of a study file states.

        Missing parameters have the defaults of `RandomMaps`.

        Raises:
            InputError: a parameter is wrong.
        """
        default = RandomMaps()
        width, height = _size(given.child("size")) if given.has("size") else (default.width, default.height)
        maps = RandomMaps(
            width=width,
            height=height,
            stations=given.child("stations").whole(1) if given.has("stations") else default.stations,
            toolboxes=given.child("toolboxes").whole(1) if given.has("toolboxes") else default.toolboxes,
            walls=given.child("walls").number() if given.has("walls") else default.walls,
            clustered=given.child("clustered").truth() if given.has("clustered") else default.clustered,
        )
        try:
            check_request(maps.width, maps.height, maps.stations, maps.toolboxes, maps.walls)
        except InputError as error:
            raise InputError(f"{given.path}.{error.field}", error.found, error.expected) from None
        return maps

    def with_terms(
        self, problem: ToolFetching, kind: str | None, temperature: float, query_cost: QueryCost
    ) -> ToolFetching:
        """Return a copy of `problem` with another prior and other prices; the copy shares the computed tables.

        Args:
            problem: the problem.
            kind: ``far`` or ``near`` if stations far from or near the worker shall be likelier; ``fetcher-far`` or
                ``fetcher-near`` if tools far from or near the fetcher shall; or ``uniform``. None to keep the prior.
            temperature: the higher, the more uniform the prior.
            query_cost: the new prices.
        """
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


ADAPTERS: dict[str, Studied] = {"tool-fetching": ToolFetchingStudies()}
"""The adapters of domains that can draw random instances, by name; the others use `FileStudies`."""
