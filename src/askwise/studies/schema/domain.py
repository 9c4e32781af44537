"""The adapter between studies and a domain: parameters of random instances, priors, prices and words.

`studies_of` returns the adapter of a domain. Tool fetching has its own adapter, which draws random maps and knows the
paper's priors. Every other domain can be studied with instances from files, and with priors that depend on the distance
of the teammate to the goals.
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
    """The words that figures and reports use for a domain.

    Attributes:
        goal: the word for a goal.
        teammate: the word for the teammate.
        priors: a sentence about which goals the domain's priors favour.
    """

    goal: str
    teammate: str
    priors: str

    @property
    def price(self) -> str:
        """The word for the price of naming one more goal in a question, such as ``per-station cost``."""
        return f"per-{self.goal} cost"


class Parameters(Protocol):
    """The interface of the parameters with which random instances of a domain are drawn; `RandomMaps` implements it.

    Parameters can be pickled. Equal parameters and seeds give equal instances.
    """

    def draw(self, seed: np.random.SeedSequence) -> Any:
        """Return a random instance of the domain; equal seeds give equal instances."""

    def try_one(self, path: str) -> None:
        """Raise `InputError` if no instance can be drawn with these parameters.

        Args:
            path: the section of the study file that states them, for the message.
        """

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON-compatible keys and values of a study file's section ``[instances]``."""


class Studied(Protocol):
    """The interface of a domain's adapter: everything that studies need from the domain.

    `ToolFetchingStudies` implements it for tool fetching, `FileStudies` for all other domains.
    """

    @property
    def parameter_keys(self) -> tuple[str, ...]:
        """The keys in the section ``[instances]`` of a study file that are parameters of random instances."""

    @property
    def prior_kinds(self) -> tuple[str, ...]:
        """The kinds of priors that a study may name, the default first."""

    @property
    def words(self) -> StudyWords:
        """The words that figures and reports use for the domain."""

    def parameters(self, given: Field) -> Parameters:
        """Return the parameters of random instances that a study file states; missing ones have defaults.

        Wrong parameters raise `InputError` here, not in every row of the study.

        Args:
            given: the section ``[instances]`` of the study file.
        """

    def with_terms(self, problem: Any, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """Return a problem with another prior and other prices; it shares the tables of `problem`.

        Args:
            problem: the problem that the domain made from an instance.
            kind: one of `prior_kinds`, or None for the instance's own prior.
            temperature: the temperature of the prior; the higher it is, the more uniform the prior.
            query_cost: the price of questions.
        """


def studies_of(name: str) -> Studied:
    """Return the adapter of the domain called `name`: an object with all that studies need from the domain."""
    return ADAPTERS[name] if name in ADAPTERS else FileStudies(name)


# -- any domain --------------------------------------------------------------------------------------------------


class FileStudies:
    """The adapter with which studies use a domain whose instances come from files. It implements `Studied`.

    Args:
        name: the name of the domain.
    """

    parameter_keys: tuple[str, ...] = ()
    prior_kinds = tuple(TOWARDS)

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def words(self) -> StudyWords:
        """The words for goals and teammate, which are those of the domain."""
        words = domain(self._name).vocabulary()
        far, near = f"far favours {words.goals} far from the {words.teammate}", f"near favours {words.goals} near it"
        return StudyWords(words.goal, words.teammate, f"{far}, {near}, uniform favours none.")

    def parameters(self, given: Field) -> Parameters:
        """Raise `InputError`: random instances of this domain cannot be drawn."""
        found = f"{self._name!r}, which has no random instances"
        raise InputError(f"{given.path}.domain", found, "instances from files")

    def with_terms(self, problem: Problem, kind: str | None, temperature: float, query_cost: QueryCost) -> Problem:
        """Return `problem` with other prices, and with a prior that depends on the teammate's distance to each goal.

        Args:
            problem: the problem.
            kind: ``uniform``, ``far`` or ``near``; None keeps the prior of the problem.
            temperature: the temperature of the prior; the higher it is, the more uniform the prior.
            query_cost: the price of questions.
        """
        prior = problem.prior if kind is None else by_distance(problem, kind, temperature)
        if isinstance(problem, FactoredProblem):
            return problem.with_terms(prior, query_cost)
        prices = checked_price(query_cost, problem.goals)
        return changed(problem, prior=checked_prior(prior, problem.goals), query_cost=prices)


def by_distance(problem: Problem, kind: str, temperature: float) -> FloatArray:
    """Return a prior (``float64 [n_goals]``) that depends on the teammate's distance to each goal at the start.

    Args:
        problem: the problem.
        kind: ``far`` makes distant goals more probable, ``near`` those nearby, ``uniform`` all goals equally probable.
        temperature: the difference in distance, in steps, that makes one goal e times as probable as another.
    """
    steps = problem.teammate.steps(problem.start.teammate).astype(np.float64)
    scores = TOWARDS[kind] * steps / temperature
    return normalised(np.exp(scores - scores.max()))


# -- tool fetching -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomMaps:
    """The parameters of random instances of tool fetching, by default those of the paper.

    It implements `Parameters`.

    Attributes:
        width: the number of columns of the map.
        height: the number of rows of the map.
        stations: the number of stations (goals).
        toolboxes: the number of toolboxes.
        walls: the share of cells that are walls.
        clustered: whether stations are drawn in clusters instead of uniformly.
    """

    width: int = 20
    height: int = 20
    stations: int = 50
    toolboxes: int = 5
    walls: float = 0.0
    clustered: bool = False

    def draw(self, seed: np.random.SeedSequence) -> Instance:
        """Return a random instance, drawn with `askwise.generate`; equal seeds give equal instances."""
        return generate(**asdict(self), seed=seed)

    def try_one(self, path: str) -> None:
        """Raise `InputError` if stations and toolboxes do not fit on a map.

        Args:
            path: the section of the study file that states the parameters, for the message.
        """
        try:
            check_room(self.width, self.height, self.stations, self.toolboxes, self.walls, np.random.SeedSequence(0))
        except InputError as error:
            raise InputError(f"{path}.{error.field}", error.found, error.expected) from None

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON-compatible keys and values of a study file's section ``[instances]``."""
        return {
            "size": [self.width, self.height],
            "stations": self.stations,
            "toolboxes": self.toolboxes,
            "walls": self.walls,
            "clustered": self.clustered,
        }


class ToolFetchingStudies:
    """The adapter with which studies use tool fetching, with random maps and the paper's priors.

    It implements `Studied`.
    """

    parameter_keys = ("size", "stations", "toolboxes", "walls", "clustered")
    prior_kinds = PRIOR_KINDS
    words = StudyWords(
        goal="station",
        teammate="worker",
        priors="far favours goals far from the worker, near favours goals near it, uniform favours none.",
    )

    def parameters(self, given: Field) -> RandomMaps:
        """Return the parameters of random maps that a study file states; missing ones are those of the paper.

        Args:
            given: the section ``[instances]`` of the study file. Impossible parameters raise `InputError`.
        """
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
        """Return `problem` with another prior and other prices.

        Args:
            problem: the problem.
            kind: the kind of prior, such as ``far``; None keeps the prior of the instance.
            temperature: the temperature of the prior; the higher it is, the more uniform the prior.
            query_cost: the price of questions.
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


def _yes_or_no(field: Field) -> bool:
    if not isinstance(field.value, bool):
        raise field.refuse("true or false")
    return field.value


ADAPTERS: dict[str, Studied] = {"tool-fetching": ToolFetchingStudies()}
"""The adapters of domains that can draw random instances, by name; the others use `FileStudies`."""
