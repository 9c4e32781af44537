"""An episode, step by step before its judge."""

from __future__ import annotations

import numpy as np

from askwise.audits.judging import Bench, Taken
from askwise.audits.moments import moments
from askwise.audits.results import AuditedEpisode, AuditedStep
from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.text.wording import percent, printable
from askwise.types import FloatArray
from askwise.view.asking import question_in_words

MOST_GOALS = 3
"""Goals that are named of what was believed."""


def audit_episode(episode: Episode, bench: Bench, source: str) -> AuditedEpisode:
    """Return what is to be said of an episode."""
    problem, steps = episode.problem, []
    for step, moment in moments(episode):
        taken: Taken | None = step.decision.action if step.decision.ask is None else step.decision.ask
        assert taken is not None
        judged = bench.judged(moment, taken)
        steps.append(
            AuditedStep(
                t=step.t,
                knew=knew(problem.goals, moment.belief),
                done=_in_words(problem, taken),
                asked=step.decision.ask is not None,
                cost=judged.cost,
                best=_in_words(problem, judged.best),
                best_asks=not isinstance(judged.best, int),
                best_cost=judged.best_cost,
                regret=judged.regret,
                needed=judged.needed,
                fitted=judged.fitted,
                fault=judged.fault,
            )
        )
    return AuditedEpisode(source, printable(episode.method), bench.judge.verdict, bench.tolerance, tuple(steps))


def knew(names: tuple[str, ...], belief: FloatArray) -> str:
    """Return a belief in words, the likeliest first."""
    order = np.argsort(-belief, kind="stable")
    order = order[belief[order] > 0]
    shown = [f"{printable(names[k])} {percent(float(belief[k]))}" for k in order[:MOST_GOALS]]
    more = order.size - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _in_words(problem: Problem, taken: Taken) -> str:
    if isinstance(taken, int):
        return printable(problem.ego.actions.names[taken])
    return question_in_words(problem.goals, taken) if len(taken) else "a question about nothing"
