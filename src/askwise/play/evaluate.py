"""What an evaluation says.

The expected cost of an agent from samples: episodes as they come, or so many for each goal.

Episodes as they come (`drawn`) are independent: their mean is unbiased, and its standard error tells how far off it may
be. If costs are large for rare goals only, few or none of these may be among the episodes, and both are too small. Then
take some episodes for every goal and weight their means by the prior (`for_each_goal`): all that is left to chance is
the way the teammate takes.

The expected cost of any agent on one problem, exactly or from samples.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askwise.core.episode import Episode
from askwise.core.problem import Problem, optimal_costs
from askwise.errors import AskwiseError, InputError
from askwise.lazy_module import LazyModule
from askwise.methods import Agent, agent_for
from askwise.methods.base import limit_questions
from askwise.model.names import as_int
from askwise.planning.exact import TooLarge
from askwise.play.enumeration import MOST_DECISIONS, Enumeration, follows_once
from askwise.play.simulate import simulate
from askwise.play.situation_chain import Circling, may_circle
from askwise.seeds import Seed, spawn
from askwise.types import FloatArray, Verdict

special = LazyModule("scipy.special")

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Sampled(Verdict):
    """The verdict on an average over samples: nothing is proven, the standard error tells how far off it may be."""

    def __str__(self) -> str:
        return f"estimate, {self.method}"


def sampled(method: str, n: int) -> Verdict:
    """Return the verdict on an average over `n` episodes."""
    return Sampled(method, exact=False, error_bound=math.inf, iterations=n, converged=False)


@dataclass(frozen=True, slots=True)
class Incomplete(Verdict):
    """The verdict on a sum over all that can happen but for what is next to impossible: its probability is said."""

    def __str__(self) -> str:
        return f"all but a probability of {self.error_bound:.1e}, {self.method}"


def but_for(method: str, left_out: float) -> Verdict:
    """Return the verdict where experiences of that probability were left out."""
    return Incomplete(method, exact=False, error_bound=left_out)


@dataclass(frozen=True, slots=True)
class ErrorBounded(Verdict):
    """The verdict on costs with a proven bound on their error, in the unit of the costs."""

    def __str__(self) -> str:
        return f"proven error at most {self.error_bound:.1e}, {self.method}"


def within(method: str, error: float) -> Verdict:
    """Return the verdict on costs that are off by at most `error`."""
    return ErrorBounded(method, exact=False, error_bound=error)


@dataclass(frozen=True)
class Evaluation:
    """The expected cost of a method on one problem.

    Attributes:
        method: name of the agent.
        expected_cost: its expected cost.
        expected_marginal_cost: the same less what it would cost if the goal were known.
        verdict: exact, with a proven error, or an estimate from how many episodes.
        states: decisions that were taken to find out.
        stderr: standard error of both costs, 0 if they are exact.
        ci: interval that holds the marginal cost with 95 % confidence.
        seconds: time taken.
        questions: how many questions it was held to in an episode, None for any number.
    """

    method: str
    expected_cost: float
    expected_marginal_cost: float
    verdict: Verdict
    states: int
    stderr: float
    ci: tuple[float, float]
    seconds: float = field(compare=False)
    questions: int | None = None


def interval(mean: float, stderr: float, freedom: float) -> tuple[float, float]:
    """Return the interval of Student's t around a mean."""
    half = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) * stderr
    return mean - half, mean + half


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


def evaluate(
    instance: Problem,
    agent: str | Agent = "ezq",
    *,
    exact: bool = False,
    episodes: int | None = None,
    paths: int | None = None,
    seed: Seed = 0,
    belief: str | None = None,
    questions: int | None = None,
    go_on: bool = False,
    limit: int = MOST_DECISIONS,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Return the expected cost of an agent, for a goal drawn from the prior.

    The teammate does as the problem says: it follows the UROP of its goal, or the policy that the problem gives it.

    Choose one of three ways. `exact` meets everything that the agent can see: no chance is left but what the agent
    itself chooses at random, which follows from `seed`. `episodes` plays that many episodes. `paths` plays that many
    for each goal and weights them by the prior: better where rare goals cost much.

    Args:
        instance: what is played; `askwise.evaluate` also takes an instance of any domain, or the path of its file.
        agent: the ego agent, or the name of one.
        exact: enumerate; small problems only. Beside a teammate that may walk in circles (`Problem.policies`)
            this needs an agent that does not remember its ways: one with the belief ``elimination``, or ``informed``.
            The verdict then has a proven bound on the error. Other agents are refused at once; draw episodes.
        episodes: number of episodes.
        paths: number of episodes for each goal.
        seed: makes the result repeatable.
        belief: the belief of an agent that is given by name, if not its default.
        questions: hold the agent to so many questions in an episode; where it would ask one more, it waits instead.
            Those that can plan with such a number are told. The verdict says how many; `lower_bound` says what no
            number of them is below.
        go_on: do not stop at `limit`.
        limit: give up an exact evaluation after so many decisions of the agent.
        progress: called now and then with the decisions taken (if exact) or the episodes played so far.
    """
    began = time.perf_counter()
    _check(exact, episodes, paths, limit)
    if questions is not None and (as_int(questions) is None or questions < 0):
        raise InputError("questions", repr(questions), "a whole number from 0")
    problem = instance
    player = agent_for(problem, agent, belief=belief)
    held = ""
    if questions is not None:
        player = limit_questions(player, questions)
        held = f", at most {questions} question{'' if questions == 1 else 's'}"
    if exact:
        found = _enumerated(problem, player, seed, None if go_on else limit, progress, held)
    elif episodes is not None:
        found = _drawn(problem, player, episodes, seed, progress, held)
    else:
        assert paths is not None
        found = _for_each_goal(problem, player, paths, seed, progress, held)
    return Evaluation(player.name, *found, seconds=time.perf_counter() - began, questions=questions)


Measured = tuple[float, float, Verdict, int, float, tuple[float, float]]
"""All of an `Evaluation` but its method and its time."""


def _enumerated(problem: Problem, player: Agent, seed: Seed, limit: int | None, progress: Any, held: str) -> Measured:
    circles = may_circle(problem)
    if circles and not follows_once(player, problem):
        raise TooLarge(
            f"too large to evaluate exactly: the teammate may walk in circles, and agent {player.name!r} remembers "
            "every way; draw episodes (episodes, --episodes)"
        )
    branches = (Circling if circles else Enumeration)(problem, player, seed, limit, progress)
    marginal = branches.expected_marginal_cost()
    prior = problem.prior / problem.prior.sum()
    cost = marginal + float((prior * optimal_costs(problem, problem.start))[prior > 0].sum())
    way = "every state that it can meet" if follows_once(player, problem) else "every branch that it can meet"
    way += ", random choices by the seed" if branches.chose_at_random else ""
    way += held
    verdict = Verdict(way)
    if isinstance(branches, Circling):
        verdict = within(way, branches.error)
    elif branches.left_out > 0:
        verdict = but_for(way, branches.left_out)
    return cost, marginal, verdict, branches.decisions, 0.0, (marginal, marginal)


def _drawn(problem: Problem, player: Agent, episodes: int, seed: Seed, progress: Any, held: str) -> Measured:
    costs, marginal, decisions = drawn(problem, player, episodes, seed, progress)
    mean, stderr = float(marginal.mean()), spread(marginal)
    verdict = sampled(f"{episodes:,} episodes{held}", episodes)
    return float(costs.mean()), mean, verdict, decisions, stderr, interval(mean, stderr, episodes - 1)


def _for_each_goal(problem: Problem, player: Agent, paths: int, seed: Seed, progress: Any, held: str) -> Measured:
    costs, marginal, decisions = for_each_goal(problem, player, paths, seed, progress)
    mean, stderr, freedom = weighted(marginal, problem.prior)
    verdict = sampled(f"{paths:,} episodes for each goal{held}", costs.size)
    return weighted(costs, problem.prior)[0], mean, verdict, decisions, stderr, interval(mean, stderr, freedom)


def _check(exact: bool, episodes: int | None, paths: int | None, limit: int) -> None:
    chosen = [name for name, given in (("exact", exact), ("episodes", episodes), ("paths", paths)) if given]
    if len(chosen) != 1 and not (episodes == 0 or paths == 0):
        raise InputError("exact, episodes, paths", " and ".join(chosen) or "none of them", "one of the three")
    for name, number in (("episodes", episodes), ("paths", paths)):
        # One episode would have no standard error.
        if number is not None and (as_int(number) or 0) < 2:
            raise InputError(name, repr(number), "a whole number from 2")
    if (as_int(limit) or 0) < 1:
        raise InputError("limit", repr(limit), "a whole number from 1")
