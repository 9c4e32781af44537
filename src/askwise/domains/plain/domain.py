"""Plainly stated problems as a registered domain: every `FactoredProblem` that is of no other domain, and its files."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askwise.domains.parts import Look, Moments, Recording
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

    @cached_property
    def words(self) -> Vocabulary:
        """See `Domain`."""
        from askwise.domains.plain.vocabulary import WORDS

        return WORDS

    def words_of(self, given: object) -> Vocabulary:
        """Return what a problem or an instance calls things; a file may say so."""
        from askwise.domains.coverage import Coverage
        from askwise.domains.plain.coverage_file import CoverageFile
        from askwise.domains.plain.file import ProblemFile
        from askwise.domains.plain.vocabulary import COVERAGE

        file = getattr(given, "file", given)
        if isinstance(file, ProblemFile):
            return file.words
        if not isinstance(given, Coverage | CoverageFile):
            return self.words
        name = file.name if isinstance(file, CoverageFile) else ""
        return replace(COVERAGE, title=name or COVERAGE.title)

    @cached_property
    def recording(self) -> Recording:
        """See `Domain`."""
        from askwise.domains.plain.recording import PlainRecording

        return PlainRecording()

    @cached_property
    def look(self) -> Look:
        """See `Domain`."""
        from askwise.domains.plain.look import LOOK

        return LOOK

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
