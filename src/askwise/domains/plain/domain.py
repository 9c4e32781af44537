"""Plainly stated problems as a registered domain: every `FactoredProblem` that is of no other domain, and its files."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askwise.domains.parts import Moments, Recording
    from askwise.domains.plain.coverage_file import CoverageFile
    from askwise.domains.plain.file import ProblemFile
    from askwise.domains.studied import Studied
    from askwise.factored import FactoredProblem
    from askwise.showing.vocabulary import Vocabulary


class PlainDomain:
    """Two models and shared goals, whatever they stand for; fulfils `askwise.domains.registry.Domain`."""

    name = "problem"
    generator = None

    def owns(self, given: object) -> bool:
        """See `Domain`."""
        from askwise.domains.plain.coverage_file import CoverageFile
        from askwise.domains.plain.file import ProblemFile
        from askwise.factored import FactoredProblem

        return isinstance(given, ProblemFile | CoverageFile | FactoredProblem)

    def problem(self, given: ProblemFile | CoverageFile | FactoredProblem) -> FactoredProblem:
        """See `Domain`."""
        from askwise.factored import FactoredProblem

        return given if isinstance(given, FactoredProblem) else given.problem()

    def vocabulary(self, given: object = None) -> Vocabulary:
        """See `Domain`; a file may have its own words."""
        from askwise.domains.coverage import Coverage
        from askwise.domains.plain.coverage_file import CoverageFile, CoverageProblem
        from askwise.domains.plain.file import ProblemFile, StatedProblem
        from askwise.domains.plain.vocabulary import COVERAGE, WORDS

        file = given.file if isinstance(given, StatedProblem | CoverageProblem) else given
        if isinstance(file, ProblemFile):
            return file.words
        if isinstance(file, CoverageFile):
            return replace(COVERAGE, title=file.name or COVERAGE.title)
        return COVERAGE if isinstance(given, Coverage) else WORDS

    @cached_property
    def recording(self) -> Recording:
        """See `Domain`."""
        from askwise.domains.plain.recording import PlainRecording

        return PlainRecording()

    @cached_property
    def moments(self) -> Moments:
        """See `Domain`."""
        from askwise.domains.plain.moments import PlainMoments

        return PlainMoments()

    @cached_property
    def studies(self) -> Studied:
        """See `Domain`."""
        from askwise.domains.plain.studies import PlainStudies

        return PlainStudies()


DOMAIN = PlainDomain()
