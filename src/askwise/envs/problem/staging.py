"""What any problem hands to its environments."""

from __future__ import annotations

from askwise.envs.painting import ScenePainter
from askwise.envs.problem.observing import ProblemObserver
from askwise.envs.problem.starting import ProblemSource
from askwise.envs.stage import Staging


def problem_staging(problem: object) -> Staging:
    """Return where problems come from, what is seen of them and how they are drawn.

    Args:
        problem: a problem, an instance of any domain, or the path of its file.
    """
    source = ProblemSource(problem)
    # What a question about nothing costs, a price that is any function of the goals asked about need not know.
    return Staging(source, ProblemObserver(source.shape), ScenePainter(), empty_questions=False)
