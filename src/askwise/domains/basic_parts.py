"""The parts of a `BasicDomain`: those of plainly stated problems, for its instances and with its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from askwise.domains.plain.moments import PlainMoments
from askwise.domains.plain.recording import PlainRecording
from askwise.domains.plain.studies import PlainStudies
from askwise.domains.studied import Parameters, StudyWords
from askwise.errors import InputError
from askwise.factored import FactoredProblem
from askwise.model import Model
from askwise.problem import JointState, Problem
from askwise.reading import Field
from askwise.showing.vocabulary import Vocabulary

ProblemOf: TypeAlias = Callable[[Any], FactoredProblem]
"""Returns the problem of an instance; a problem as it is."""

PLAIN_MOMENTS = PlainMoments()
PLAIN_RECORDING = PlainRecording()


class BasicRecording:
    """Files and states as JSON; fulfils `askwise.domains.parts.Recording`."""

    state_keys = PlainRecording.state_keys

    def __init__(self, format: str, read: Callable[[Field], Any], write: Callable[[Any], dict[str, Any]]) -> None:  # noqa: A002
        self.formats = (format,)
        self._read, self._write = read, write

    def read(self, given: Field) -> Any:
        """See `Recording`."""
        return self._read(given)

    def write(self, given: Any) -> dict[str, Any]:
        """See `Recording`."""
        return self._write(given)

    def state_to_json(self, problem: FactoredProblem, state: JointState) -> dict[str, Any]:
        """See `Recording`."""
        return PLAIN_RECORDING.state_to_json(problem, state)

    def state_from_json(self, problem: FactoredProblem, given: Field) -> JointState:
        """See `Recording`."""
        return PLAIN_RECORDING.state_from_json(problem, given)


class BasicMoments:
    """Where the two agents may be; fulfils `askwise.domains.parts.Moments`."""

    def __init__(self, problem: ProblemOf) -> None:
        self._problem = problem

    def state(
        self, problem: FactoredProblem, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """See `Moments`."""
        return PLAIN_MOMENTS.state(problem, teammate, ego, holding)

    def starting_at(self, problem: FactoredProblem, state: JointState) -> Problem:
        """See `Moments`."""
        return PLAIN_MOMENTS.starting_at(problem, state)

    def teammate_side(self, given: Any) -> tuple[Model, Mapping[str, Any], Any]:
        """See `Moments`."""
        return PLAIN_MOMENTS.teammate_side(self._problem(given))


class BasicStudies(PlainStudies):
    """Studies of files; fulfils `askwise.domains.studied.Studied`."""

    def __init__(self, name: str, words: Vocabulary, write: Callable[[Any], dict[str, Any]]) -> None:
        self.words = StudyWords(words.goal, words.teammate, _PRIORS.format(goals=words.goals, teammate=words.teammate))
        self._name, self._write = name, write

    def parameters(self, given: Field) -> Parameters:
        """See `Studied`."""
        raise InputError(f"{given.path}.domain", f"{self._name!r}, which draws no instances", "files of its instances")

    def contents(self, instance: Any) -> dict[str, Any]:
        """See `Studied`."""
        return self._write(instance)


_PRIORS = "far favours {goals} that are far from the {teammate}, near those that are near, uniform none."
