"""How a `BasicDomain` is drawn: as any problem of two models, with its own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from askwise.domains.plain.description import describe
from askwise.domains.plain.look import LOOK
from askwise.factored import FactoredProblem
from askwise.problem import JointState
from askwise.showing.scene import Scene
from askwise.showing.vocabulary import Vocabulary
from askwise.types import FloatArray

ProblemOf: TypeAlias = Callable[[Any], FactoredProblem]
"""Returns the problem of an instance; a problem as it is."""


class BasicLook:
    """Scenes and sentences; fulfils `askwise.domains.parts.Look`."""

    def __init__(self, words: Vocabulary, problem: ProblemOf) -> None:
        self._words, self._problem = words, problem

    def scene(self, problem: FactoredProblem, state: JointState) -> Scene:
        """See `Look`."""
        words, scene = self._words, LOOK.scene(problem, state)
        return replace(
            scene,
            words=words,
            teammate=replace(scene.teammate, name=words.teammate, sign=words.teammate_sign),
            ego=replace(scene.ego, name=words.ego, sign=words.ego_sign),
        )

    def start(self, given: Any) -> Scene:
        """See `Look`."""
        problem = self._problem(given)
        return self.scene(problem, problem.start)

    def prior(self, given: Any) -> FloatArray:
        """See `Look`."""
        return self._problem(given).prior

    def describe(self, given: Any) -> str:
        """See `Look`."""
        problem = self._problem(given)
        return describe(problem, self._words, self.start(problem).size)
