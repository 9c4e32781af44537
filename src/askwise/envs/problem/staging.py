"""What any problem hands to its environments."""

from __future__ import annotations

from askwise.domains.registry import find_domain
from askwise.envs.painting import ScenePainter
from askwise.envs.problem.observing import ProblemObserver
from askwise.envs.problem.starting import ProblemSource
from askwise.envs.stage import Staging
from askwise.errors import InputError
from askwise.problem import Problem


def problem_staging(problem: object, render_mode: str | None) -> Staging:
    """Return where problems come from, what is seen of them and how they are drawn.

    Args:
        problem: a problem, an instance of any domain, or the path of its file.
        render_mode: how episodes are drawn; refused now for a problem of which nobody knows how it looks.
    """
    source = ProblemSource(problem)
    if render_mode is not None:
        refuse_without_look(source.example, render_mode)
    # What a question about nothing costs, a price that is any function of the goals asked about need not know.
    return Staging(source, ProblemObserver(source.shape), ScenePainter(), empty_questions=False)


def refuse_without_look(problem: Problem, render_mode: str) -> None:
    """Refuse to draw a problem of no domain, or of one that has no look."""
    if getattr(find_domain(problem), "look", None) is None:
        found = f"{render_mode!r} for a problem of type {type(problem).__name__}, which no domain knows how to draw"
        raise InputError("render_mode", found, "None, or a problem of a domain that has a look")
