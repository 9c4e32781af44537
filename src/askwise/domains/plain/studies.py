"""Plainly stated problems in studies: instances from files, under their own prior or one by distance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from askwise.divergence.ecd import normalised
from askwise.domains.plain.coverage_file import CoverageFile
from askwise.domains.plain.file import ProblemFile
from askwise.domains.plain.recording import PlainRecording
from askwise.domains.registry import read_file
from askwise.domains.studied import Parameters, StudyWords
from askwise.errors import InputError
from askwise.factored import FactoredProblem
from askwise.questions import QueryCost
from askwise.reading import Field
from askwise.types import FloatArray

TOWARDS = {"uniform": 0.0, "far": 1.0, "near": -1.0}
"""Kinds of priors: by which power of ``exp(distance / temperature)`` of the teammate each goal is likelier."""


class PlainStudies:
    """Plainly stated problems in studies; fulfils `askwise.domains.studied.Studied`."""

    parameter_keys: tuple[str, ...] = ()
    prior_kinds = tuple(TOWARDS)
    words = StudyWords(
        goal="goal",
        teammate="teammate",
        priors="far favours goals that are far from the teammate, near those that are near, uniform none.",
    )

    def parameters(self, given: Field) -> Parameters:
        """See `Studied`."""
        raise InputError(f"{given.path}.domain", "'problem', which draws no instances", "files of its instances")

    def read(self, path: Path) -> ProblemFile | CoverageFile:
        """See `Studied`."""
        found: ProblemFile | CoverageFile = read_file(path)
        return found

    def contents(self, instance: ProblemFile | CoverageFile) -> dict[str, Any]:
        """See `Studied`."""
        return PlainRecording().write(instance)

    def with_terms(
        self, problem: FactoredProblem, kind: str | None, temperature: float, query_cost: QueryCost
    ) -> FactoredProblem:
        """See `Studied`."""
        prior = problem.prior if kind is None else by_distance(problem, kind, temperature)
        return problem.with_terms(prior, query_cost)


def by_distance(problem: FactoredProblem, kind: str, temperature: float) -> FloatArray:
    """``float64 [n_goals]``: ``exp(+-d / T)`` of the teammate's steps to each goal, or all the same."""
    steps = problem.teammate.steps(problem.start.teammate).astype(np.float64)
    scores = TOWARDS[kind] * steps / temperature
    return normalised(np.exp(scores - scores.max()))
