"""The expected cost of any agent on one problem, exactly or from samples."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from askwise.core.problem import Problem, optimal_costs
from askwise.errors import InputError
from askwise.methods import Agent, agent_for
from askwise.methods.base import held_to
from askwise.model.names import as_int
from askwise.planning.exact import TooLarge
from askwise.play.enumeration import MOST_DECISIONS, Enumeration, follows_once
from askwise.play.evaluation.results import Evaluation, but_for, interval, sampled, within
from askwise.play.evaluation.sampling import drawn, for_each_goal, spread, weighted
from askwise.play.situation_chain import Circling, may_circle
from askwise.seeds import Seed
from askwise.types import Verdict


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
        player = held_to(player, questions)
        held = f", at most {questions} question{'' if questions == 1 else 's'}"
    if exact:
        found = _enumerated(problem, player, seed, None if go_on else limit, progress, held)
    elif episodes is not None:
        found = _drawn(problem, player, episodes, seed, progress, held)
    else:
        assert paths is not None
        found = _for_each_goal(problem, player, paths, seed, progress, held)
    return Evaluation(player.name, *found, seconds=time.perf_counter() - began, questions=questions)


Found = tuple[float, float, Verdict, int, float, tuple[float, float]]
"""All of an `Evaluation` but its method and its time."""


def _enumerated(problem: Problem, player: Agent, seed: Seed, limit: int | None, progress: Any, held: str) -> Found:
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


def _drawn(problem: Problem, player: Agent, episodes: int, seed: Seed, progress: Any, held: str) -> Found:
    costs, marginal, decisions = drawn(problem, player, episodes, seed, progress)
    mean, stderr = float(marginal.mean()), spread(marginal)
    verdict = sampled(f"{episodes:,} episodes{held}", episodes)
    return float(costs.mean()), mean, verdict, decisions, stderr, interval(mean, stderr, episodes - 1)


def _for_each_goal(problem: Problem, player: Agent, paths: int, seed: Seed, progress: Any, held: str) -> Found:
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
