"""Compute an agent's expected cost on a problem, the least cost of all methods, and lower bounds of this least cost.

If only rare goals cost much, the mean over independent episodes and its standard error may be too small. The option
``paths`` of `evaluate` avoids this: it plays the same number of episodes for every goal.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from askwise.core.problem import Problem, optimal_costs
from askwise.errors import AskwiseError, InputError
from askwise.methods import Agent, agent_for
from askwise.methods.base import check_count, limit_questions
from askwise.planning.bounds import GROUP_STATES, Bound, bound_problem, bound_with_true_answers_after
from askwise.planning.exact import MOST_STATES, TooLarge
from askwise.planning.exact import Progress as SearchProgress
from askwise.planning.groups import TIGHT_STATES, bound_with_groups
from askwise.planning.optimum import Solution, solve_problem
from askwise.play.enumeration import MOST_DECISIONS, Enumeration, follows_once
from askwise.play.simulate import simulate
from askwise.play.situation_chain import SituationChain, may_circle
from askwise.seeds import Seed, spawn
from askwise.types import FloatArray, LazyModule, Verdict

special = LazyModule("scipy.special")

CONFIDENCE = 0.95

FEW_DECISIONS = 2_000
"""Problems with at most this many decisions are evaluated exactly, unless you choose otherwise."""

EPISODES = 200
"""Number of episodes for larger problems, unless you choose otherwise."""

Progress = Callable[[int], None]
"""Called with the number of decisions taken or episodes played so far."""


@dataclass(frozen=True)
class Evaluation:
    """The expected cost of a method on one problem.

    Attributes:
        method: name of the agent.
        expected_cost: expected cost of an episode.
        expected_marginal_cost: expected cost minus that of an agent that knows the goal.
        verdict: whether the costs are exact, have a proven error bound, or are estimated.
        states: number of decisions.
        stderr: standard error of `expected_marginal_cost`; 0 unless estimated.
        ci: 95 % confidence interval of `expected_marginal_cost`.
        seconds: duration of the evaluation.
        questions: limit of questions per episode, None for none.
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


def evaluate(
    problem: Problem,
    method: str | Agent = "planner",
    *,
    exact: bool = False,
    episodes: int | None = None,
    paths: int | None = None,
    seed: Seed = 0,
    belief: str | None = None,
    questions: int | None = None,
    go_on: bool = False,
    limit: int = MOST_DECISIONS,
    progress: Progress | None = None,
) -> Evaluation:
    """Return the expected cost of an agent, for a goal drawn from the prior.

    Choose at most one of `exact`, `episodes` and `paths`. By default, small problems are evaluated exactly, larger ones
    from `EPISODES` (200) episodes. The teammate follows the policies of the problem, if any, or draws a shortest plan
    uniformly.

    Args:
        problem: the problem; `askwise.evaluate` also takes an instance of any domain, or the path of its file.
        method: the ego agent, or the name of its method (`askwise.methods.methods` lists them).
        exact: compute the exact cost by following all that the agent can observe. If the teammate may walk in circles,
            `TooLarge` is raised, except with the belief ``elimination`` or the method ``informed``.
        episodes: number of episodes.
        paths: number of episodes for each goal; better if rare goals cost much.
        seed: seed of all random choices.
        belief: ``elimination``, ``bayes`` or ``robust``, if `method` is a name. By default ``robust`` if the problem
            states policies, otherwise that of the method.
        questions: limit of questions per episode, after which the agent waits; None for none.
        go_on: ignore `limit`; implies `exact`, unless `episodes` or `paths` is given.
        limit: the most decisions in an exact evaluation; with `exact`, `TooLarge` is raised beyond it.
        progress: called with the number of decisions or episodes so far.
    """
    began = time.perf_counter()
    _check(exact, episodes, paths, limit)
    exact = exact or (go_on and episodes is None and paths is None)
    check_count("questions", questions, 0)
    player = agent_for(problem, method, belief=belief)
    limited = ""
    if questions is not None:
        player = limit_questions(player, questions)
        limited = f", at most {questions} question{'' if questions == 1 else 's'}"
    if exact:
        found = _enumerated(problem, player, seed, None if go_on else limit, progress, limited)
    elif episodes is not None:
        found = _from_episodes(problem, player, episodes, seed, progress, limited)
    elif paths is not None:
        found = _from_paths(problem, player, paths, seed, progress, limited)
    else:
        try:
            found = _enumerated(problem, player, seed, min(limit, FEW_DECISIONS), None, limited)
        except TooLarge:
            found = _from_episodes(problem, player, EPISODES, seed, progress, limited)
    return Evaluation(player.name, *found, seconds=time.perf_counter() - began, questions=questions)


def _check(exact: bool, episodes: int | None, paths: int | None, limit: int) -> None:
    chosen = [name for name, given in (("exact", exact), ("episodes", episodes), ("paths", paths)) if given]
    if len(chosen) > 1:
        raise InputError("exact, episodes, paths", " and ".join(chosen), "at most one of the three")
    check_count("episodes", episodes, 2)  # one episode would have no standard error
    check_count("paths", paths, 2)
    check_count("limit", limit, 1, optional=False)


Measured = tuple[float, float, Verdict, int, float, tuple[float, float]]
"""The fields of an `Evaluation` from `expected_cost` to `ci`."""


# -- exact ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Incomplete(Verdict):
    """The verdict on an exact evaluation that left out the least probable courses of an episode.

    `error_bound` is the total probability of these courses.
    """

    def __str__(self) -> str:
        return f"all but a probability of {self.error_bound:.1e}, {self.method}"


@dataclass(frozen=True, slots=True)
class ErrorBounded(Verdict):
    """The verdict on expected costs with a proven error; `error_bound` is the largest possible error, a cost."""

    def __str__(self) -> str:
        return f"proven error at most {self.error_bound:.1e}, {self.method}"


def _enumerated(
    problem: Problem, player: Agent, seed: Seed, limit: int | None, progress: Progress | None, limited: str
) -> Measured:
    circles, once = may_circle(problem), follows_once(player, problem)
    if circles and not once:
        raise TooLarge(
            f"too large to evaluate exactly: the teammate may walk in circles, and agent {player.name!r} remembers "
            "every path; draw episodes (episodes, --episodes)"
        )
    branches = (SituationChain if circles else Enumeration)(problem, player, seed, limit, progress)
    marginal = branches.expected_marginal_cost()
    prior = problem.prior / problem.prior.sum()
    cost = marginal + float((prior * optimal_costs(problem, problem.start))[prior > 0].sum())
    method = "every state that it can meet" if once else "every branch that it can meet"
    method += ", random choices by the seed" if branches.chose_at_random else ""
    method += limited
    verdict = Verdict(method)
    if isinstance(branches, SituationChain):
        verdict = ErrorBounded(method, exact=False, error_bound=branches.error)
    elif branches.left_out > 0:
        verdict = Incomplete(method, exact=False, error_bound=branches.left_out)
    return cost, marginal, verdict, branches.decisions, 0.0, (marginal, marginal)


# -- from episodes -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sampled(Verdict):
    """The verdict on a mean over episodes: its accuracy is not proven, but measured by its standard error."""

    def __str__(self) -> str:
        return f"estimate, {self.method}"


def _sampled(method: str, n: int) -> Verdict:
    return Sampled(method, exact=False, error_bound=math.inf, iterations=n, converged=False)


def _from_episodes(
    problem: Problem, player: Agent, episodes: int, seed: Seed, progress: Progress | None, limited: str
) -> Measured:
    """Estimate the expected costs of an agent from independent episodes; return the fields of an `Evaluation`.

    The verdict ends with the text `limited`, which states the limit of questions, if any.
    """
    runs: list[tuple[int | None, Seed]] = [(None, rng) for rng in spawn(seed, episodes)]
    costs, marginal, decisions = _played(problem, player, runs, progress)
    mean, stderr = float(marginal.mean()), standard_error(marginal)
    verdict = _sampled(f"{episodes:,} episodes{limited}", episodes)
    return float(costs.mean()), mean, verdict, decisions, stderr, interval(mean, stderr, episodes - 1)


def _from_paths(
    problem: Problem, player: Agent, paths: int, seed: Seed, progress: Progress | None, limited: str
) -> Measured:
    """Estimate the expected costs of an agent from `paths` episodes for each goal of positive prior.

    The result has the fields of an `Evaluation`. The verdict ends with `limited`, which states the limit of questions.
    """
    goals = np.flatnonzero(problem.prior > 0).tolist()
    streams = zip(goals, spawn(seed, len(goals)), strict=True)
    runs: list[tuple[int | None, Seed]] = [(goal, child) for goal, rng in streams for child in rng.spawn(paths)]
    costs, marginal, decisions = _played(problem, player, runs, progress)
    costs, marginal = costs.reshape(len(goals), paths), marginal.reshape(len(goals), paths)
    mean, stderr, freedom = weighted_mean(marginal, problem.prior)
    verdict = _sampled(f"{paths:,} episodes for each goal{limited}", costs.size)
    return weighted_mean(costs, problem.prior)[0], mean, verdict, decisions, stderr, interval(mean, stderr, freedom)


def _played(
    problem: Problem, player: Agent, runs: Sequence[tuple[int | None, Seed]], progress: Progress | None
) -> tuple[FloatArray, FloatArray, int]:
    """Play episodes; return their costs and marginal costs, ``float64 [n_runs]``, and the total number of decisions.

    Marginal cost is the cost beyond that of an agent that knows the goal. `runs` has the goal (None to draw it from the
    prior) and the seed of each episode.
    """
    costs, marginal, decisions = np.empty(len(runs)), np.empty(len(runs)), 0
    for k, (goal, seed) in enumerate(runs):
        episode = simulate(problem, player, goal=goal, seed=seed)
        if not episode.finished:
            steps = f"{len(episode.steps):,} steps"
            raise AskwiseError(f"agent {episode.method!r} is not done after {steps}: it has no cost")
        costs[k], marginal[k] = episode.cost, episode.marginal_cost
        decisions += len(episode.steps)
        if progress is not None:
            progress(k + 1)
    return costs, marginal, decisions


def standard_error(values: FloatArray) -> float:
    """Return the standard error of the mean of independent values."""
    return float(values.std(ddof=1)) / math.sqrt(values.size)


def weighted_mean(values: FloatArray, prior: FloatArray) -> tuple[float, float, float]:
    """Return the mean over goals, weighted by the prior, with its standard error and its degrees of freedom (Welch's).

    Args:
        values: ``float64 [n, paths]``, values to average for each of the `n` goals of positive prior.
        prior: ``float64 [n_goals]``, may contain zeros.
    """
    shares = prior[prior > 0] / prior[prior > 0].sum()
    paths = values.shape[1]
    parts = shares**2 * values.var(axis=1, ddof=1) / paths
    total = float(parts.sum())
    freedom = total**2 / float((parts**2).sum() / (paths - 1)) if total > 0 else math.inf
    return float((shares * values.mean(axis=1)).sum()), math.sqrt(total), freedom


def interval(mean: float, stderr: float, freedom: float) -> tuple[float, float]:
    """Return the 95 % confidence interval of a mean by Student's t-distribution.

    Args:
        mean: the estimate, which is the middle of the interval.
        stderr: its standard error.
        freedom: its degrees of freedom.
    """
    half = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) * stderr
    return mean - half, mean + half


# -- the optimum, and bounds of it ---------------------------------------------------------------------------------


def solve(
    problem: Problem,
    *,
    questions: int | None = None,
    go_on: bool = False,
    limit: int = MOST_STATES,
    progress: SearchProgress | None = None,
) -> Solution:
    """Return the least expected cost that any policy of acting and asking can reach, and a policy that reaches it.

    Args:
        problem: the problem; `askwise.solve` also takes an instance of any domain, or the path of its file.
        questions: limit of questions per episode, unanswered ones included; by default 3, or none if all answers are
            true.
        go_on: ignore `limit`.
        limit: the most states to solve; beyond it `TooLarge` is raised.
        progress: called with the numbers of states solved and of questions searched.
    """
    check_count("limit", limit, 1, optional=False)
    check_count("questions", questions, 0)
    return solve_problem(problem, questions=questions, go_on=go_on, limit=limit, progress=progress)


def lower_bound(
    problem: Problem,
    *,
    limit: int = GROUP_STATES,
    questions: int | None = None,
    tight: bool = False,
    seed: int = 0,
    progress: SearchProgress | None = None,
) -> Bound:
    """Return a lower bound of the expected marginal cost of every method, however many questions it asks.

    It is computed from groups of goals that are small enough to be solved exactly.

    Args:
        problem: the problem; `askwise.lower_bound` also takes an instance of any domain, or the path of its file.
        limit: the most states to solve for each group; more give a better bound.
        questions: by default, the bound takes all answers to be true. If answers may be wrong or missing, take only
            those from this question on (from 1) to be true, for a better bound.
        tight: allow 1,000,000 states for each group; if the bound is still not exact, also try random groups. A bound
            from random groups holds with 95 % confidence.
        seed: seed of the random groups.
        progress: called with the number of random groups solved and their total number.
    """
    check_count("limit", limit, 1, optional=False)
    check_count("questions", questions, 0)
    check_count("seed", seed, 0, optional=False)
    quick = bound_problem(problem, limit=max(limit, TIGHT_STATES) if tight else limit)
    bounds: list[Bound | None] = [quick]
    if questions is not None:
        bounds.append(bound_with_true_answers_after(problem, questions - 1, limit=limit))
    if tight and not quick.verdict.exact:
        bounds.append(bound_with_groups(problem, seed=seed, progress=progress))
    # `max` returns the first of equal bounds, so proven ones come before those that hold with some confidence.
    return max((bound for bound in bounds if bound is not None), key=lambda bound: bound.value)
