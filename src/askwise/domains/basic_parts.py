"""The parts of a `BasicDomain`: those of plainly stated problems, for its instances and with its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askwise.domains.basic import BasicDomain, BasicProblem
from askwise.domains.plain.description import describe
from askwise.domains.plain.look import LOOK
from askwise.domains.plain.moments import PlainMoments
from askwise.domains.plain.recording import PlainRecording
from askwise.model import Model
from askwise.problem import JointState, Problem
from askwise.reading import Field
from askwise.showing.scene import Scene
from askwise.types import FloatArray

PLAIN_MOMENTS = PlainMoments()
PLAIN_RECORDING = PlainRecording()


class BasicRecording:
    """Files and states as JSON; fulfils `askwise.domains.parts.Recording`."""

    state_keys = PlainRecording.state_keys

    def __init__(self, domain: BasicDomain) -> None:
        self.formats = (domain.format,)
        self._domain = domain

    def read(self, given: Field) -> Any:
        """See `Recording`."""
        return self._domain.read(given)

    def write(self, given: Any) -> dict[str, Any]:
        """See `Recording`."""
        return self._domain.write(given)

    def state_to_json(self, problem: BasicProblem, state: JointState) -> dict[str, Any]:
        """See `Recording`."""
        return PLAIN_RECORDING.state_to_json(problem, state)

    def state_from_json(self, problem: BasicProblem, given: Field) -> JointState:
        """See `Recording`."""
        return PLAIN_RECORDING.state_from_json(problem, given)


class BasicLook:
    """Scenes and sentences; fulfils `askwise.domains.parts.Look`."""

    def __init__(self, domain: BasicDomain) -> None:
        self._domain = domain

    def scene(self, problem: BasicProblem, state: JointState) -> Scene:
        """See `Look`."""
        words, scene = self._domain.words, LOOK.scene(problem, state)
        return replace(
            scene,
            words=words,
            teammate=replace(scene.teammate, name=words.teammate, sign=words.teammate_sign),
            ego=replace(scene.ego, name=words.ego, sign=words.ego_sign),
        )

    def start(self, given: Any) -> Scene:
        """See `Look`."""
        problem = self._domain.problem(given)
        return self.scene(problem, problem.start)

    def prior(self, given: Any) -> FloatArray:
        """See `Look`."""
        return self._domain.problem(given).prior

    def describe(self, given: Any) -> str:
        """See `Look`."""
        problem = self._domain.problem(given)
        return describe(problem, self._domain.words, self.start(problem).size)


class BasicMoments:
    """Where the two agents may be; fulfils `askwise.domains.parts.Moments`."""

    def __init__(self, domain: BasicDomain) -> None:
        self._domain = domain

    def state(
        self, problem: BasicProblem, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """See `Moments`."""
        return PLAIN_MOMENTS.state(problem, teammate, ego, holding)

    def starting_at(self, problem: BasicProblem, state: JointState) -> Problem:
        """See `Moments`."""
        return PLAIN_MOMENTS.starting_at(problem, state)

    def teammate_side(self, given: Any) -> tuple[Model, Mapping[str, Any], Any]:
        """See `Moments`."""
        return PLAIN_MOMENTS.teammate_side(self._domain.problem(given))
