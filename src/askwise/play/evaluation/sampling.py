"""The expected cost of an agent from samples: episodes as they come, or so many for each goal.

Episodes as they come (`drawn`) are independent: their mean is unbiased, and its standard error tells how far off it may
be. If costs are large for rare goals only, few or none of these may be among the episodes, and both are too small. Then
take some episodes for every goal and weight their means by the prior (`for_each_goal`): all that is left to chance is
the way the teammate takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.errors import AskwiseError
from askwise.methods import Agent
from askwise.play.simulate import simulate
from askwise.seeds import Seed, spawn
from askwise.types import FloatArray

Progress = Callable[[int], None]
"""Is told the episodes played so far."""


def drawn(
    problem: Problem, agent: Agent, episodes: int, seed: Seed, progress: Progress | None
) -> tuple[FloatArray, FloatArray, int]:
    """Play episodes as they come; return cost and marginal cost of each, and the number of decisions."""
    costs, marginal, decisions = np.empty(episodes), np.empty(episodes), 0
    for k, rng in enumerate(spawn(seed, episodes)):
        episode = _finished(simulate(problem, agent, seed=rng))
        costs[k], marginal[k] = episode.cost, episode.marginal_cost
        decisions += len(episode.steps)
        if progress is not None:
            progress(k + 1)
    return costs, marginal, decisions


def for_each_goal(
    problem: Problem, agent: Agent, paths: int, seed: Seed, progress: Progress | None
) -> tuple[FloatArray, FloatArray, int]:
    """Play `paths` episodes for each goal of positive prior; return costs and marginal costs ``[n_goals, paths]``."""
    goals = np.flatnonzero(problem.prior > 0).tolist()
    costs, marginal = np.empty((len(goals), paths)), np.empty((len(goals), paths))
    decisions, played = 0, 0
    for row, (goal, rng) in enumerate(zip(goals, spawn(seed, len(goals)), strict=True)):
        for column, child in enumerate(rng.spawn(paths)):
            episode = _finished(simulate(problem, agent, goal=goal, seed=child))
            costs[row, column], marginal[row, column] = episode.cost, episode.marginal_cost
            decisions += len(episode.steps)
            played += 1
            if progress is not None:
                progress(played)
    return costs, marginal, decisions


def spread(values: FloatArray) -> float:
    """Return the standard error of the mean."""
    return float(values.std(ddof=1)) / math.sqrt(values.size)


def weighted(values: FloatArray, prior: FloatArray) -> tuple[float, float, float]:
    """Return the mean weighted by goal, its standard error, and the degrees of freedom of that (Welch)."""
    shares = prior[prior > 0] / prior[prior > 0].sum()
    paths = values.shape[1]
    parts = shares**2 * values.var(axis=1, ddof=1) / paths
    total = float(parts.sum())
    freedom = total**2 / float((parts**2).sum() / (paths - 1)) if total > 0 else math.inf
    return float((shares * values.mean(axis=1)).sum()), math.sqrt(total), freedom


def _finished(episode: Episode) -> Episode:
    if not episode.finished:
        raise AskwiseError(f"agent {episode.method!r} is not done after {len(episode.steps):,} steps: it has no cost")
    return episode
