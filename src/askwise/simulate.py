"""Playing an episode: a problem, a teammate and an agent make an `Episode`.

Randomness comes in three independent streams (goal, teammate, agent), so that two agents that are given the same seed
meet the same goal and the same path of the teammate, whatever they ask on the way.
"""

from __future__ import annotations

import numpy as np

from askwise.agents import Agent, Answer, Decision, KnowsGoal, Observation, make_agent
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.episode import Episode, Step
from askwise.errors import AskwiseError, InputError
from askwise.model.names import as_int
from askwise.problem import JointState, Problem, is_finished, optimal_costs
from askwise.seeds import Seed, spawn
from askwise.teammates import Teammate, make_teammate


class InvalidDecision(AskwiseError):  # noqa: N818 - it names what happened
    """An agent decided something that the rules do not allow."""


def as_problem(given: Instance | Problem) -> Problem:
    """Return an instance as the problem it describes; a problem is returned as it is."""
    return ToolFetching(given) if isinstance(given, Instance) else given


def simulate(
    instance: Instance | Problem,
    agent: str | Agent = "never",
    teammate: str | Teammate = "urop",
    goal: int | str | None = None,
    seed: Seed = None,
    *,
    belief: str = "elimination",
    max_steps: int | None = None,
) -> Episode:
    """Play one episode.

    Args:
        instance: a tool-fetching instance, or any problem.
        agent: the ego agent, or the name of one.
        teammate: the teammate, or the name of one.
        goal: the teammate's goal, by name or number; by default drawn from the prior.
        seed: makes the episode repeatable.
        belief: the belief of an agent that is given by name.
        max_steps: cut the episode off after this many steps; by default far beyond what any sensible agent needs.
    """
    problem = as_problem(instance)
    player, other = make_agent(agent, belief=belief), make_teammate(teammate)
    for_goal, for_teammate, for_agent = spawn(seed, 3)
    truth = _goal(problem, goal, for_goal)
    other.reset(problem, truth, for_teammate)
    player.reset(problem, for_agent)
    if isinstance(player, KnowsGoal):
        player.told(truth)
    best = float(optimal_costs(problem, problem.start)[truth])
    limit = max_steps or int(50 * best) + 1000
    steps, final, finished = _play(problem, player, other, truth, limit)
    return Episode(
        problem=problem,
        method=player.name,
        teammate=other.name,
        goal=truth,
        seed=as_int(seed),
        steps=tuple(steps),
        final=final,
        optimal_cost=best,
        finished=finished,
    )


def _play(
    problem: Problem, player: Agent, other: Teammate, truth: int, limit: int
) -> tuple[list[Step], JointState, bool]:
    observation = Observation(problem.start)
    steps: list[Step] = []
    while len(steps) < limit:
        decision = player.decide(observation)
        step, following = _step(problem, observation.state, decision, player, other, truth, len(steps) + 1)
        steps.append(step)
        action = step.teammate_action
        if action is not None and is_finished(problem, observation.state, action, following, truth):
            return steps, following, True
        observation = Observation(following, action, step.answer)
    return steps, observation.state, False


def _step(
    problem: Problem, state: JointState, decision: Decision, player: Agent, other: Teammate, truth: int, t: int
) -> tuple[Step, JointState]:
    belief = player.probabilities
    if decision.ask is not None:
        asked = _checked_question(problem, decision)
        answer = Answer(asked, truth in asked)
        return Step(t, state, belief, decision, None, answer, problem.query_cost(asked)), state
    if decision.action is None:
        raise InvalidDecision(f"step {t}: agent {player.name!r} decided neither to act nor to ask")
    ego = problem.ego_next(state.ego, decision.action)
    if ego < 0:
        name = problem.describe_ego_action(decision.action)
        raise InvalidDecision(f"step {t}: agent {player.name!r} chose {name}, which is not available there")
    action = other.act(state.teammate)
    following = JointState(problem.teammate_next(state.teammate, action), ego)
    return Step(t, state, belief, decision, action, None, 1.0), following


def _checked_question(problem: Problem, decision: Decision) -> tuple[int, ...]:
    asked = decision.ask or ()
    n = len(problem.goals)
    if not asked or len(set(asked)) != len(asked) or not all(0 <= goal < n for goal in asked):
        raise InvalidDecision(f"a question about goals {list(asked)}: expected some of 0 to {n - 1}, each once")
    return asked


def _goal(problem: Problem, goal: int | str | None, rng: np.random.Generator) -> int:
    if goal is None:
        return int(rng.choice(len(problem.goals), p=problem.prior))
    names = {name: k for k, name in enumerate(problem.goals)}
    index = names.get(goal) if isinstance(goal, str) else as_int(goal)
    if index is None or not 0 <= index < len(problem.goals):
        shown = ", ".join(problem.goals[:5]) + (", ..." if len(problem.goals) > 5 else "")
        raise InputError("goal", repr(goal), f"one of {shown}")
    if problem.prior[index] == 0:
        raise InputError("goal", f"{problem.goals[index]}, whose prior is 0", "a goal that the prior allows")
    return index
