"""Playing an episode: a problem, a teammate and an agent make an `Episode`.

Randomness comes in three independent streams (goal, teammate, agent), so that two agents that are given the same seed
meet the same goal and the same path of the teammate, whatever they ask on the way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.agents import Agent, Answer, Decision, KnowsGoal, Observation, make_agent
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.episode import Episode, Step
from askwise.errors import AskwiseError, InputError
from askwise.model.names import as_int
from askwise.problem import STEP_COST, JointState, Problem, is_finished, optimal_costs
from askwise.query import ContradictoryObservation
from askwise.seeds import Seed, spawn
from askwise.teammates import Teammate, make_teammate


class InvalidDecision(AskwiseError):  # noqa: N818 - it names what happened
    """An agent or a teammate decided something that the rules do not allow."""


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
    belief: str | None = None,
    tie_break: str | None = None,
    max_steps: int | None = None,
) -> Episode:
    """Play one episode.

    Args:
        instance: a tool-fetching instance, or any problem.
        agent: the ego agent, or the name of one.
        teammate: the teammate, or the name of one.
        goal: the teammate's goal, by name or number; by default drawn from the prior.
        seed: makes the episode repeatable.
        belief: the belief of an agent that is given by name, if not its default.
        tie_break: how such an agent chooses among moves that are optimal for all possible goals, if not its default.
        max_steps: cut the episode off after this many steps; by default far beyond what any sensible agent needs.
    """
    problem = as_problem(instance)
    options = {key: value for key, value in (("belief", belief), ("tie_break", tie_break)) if value is not None}
    if options and isinstance(agent, Agent):
        key, value = next(iter(options.items()))
        raise InputError(key, f"{value!r} for an agent that is made already", "it for agents given by name only")
    player, other = make_agent(agent, **options), make_teammate(teammate)
    for_goal, for_teammate, for_agent = spawn(seed, 3)
    truth = chosen_goal(problem, goal, for_goal)
    other.reset(problem, truth, for_teammate)
    player.reset(problem, for_agent)
    if isinstance(player, KnowsGoal):
        player.told(truth)
    best = float(optimal_costs(problem, problem.start)[truth])
    limit = int(50 * best) + 1000 if max_steps is None else max_steps
    if limit < 1:
        raise InputError("max_steps", max_steps, "a whole number from 1")
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
        decision = decided(problem, player, observation, len(steps) + 1)
        step, following = _step(problem, observation.state, decision, player, other, truth, len(steps) + 1)
        steps.append(step)
        action = step.teammate_action
        if action is not None and is_finished(problem, observation.state, action, following, truth):
            return steps, following, True
        observation = Observation(following, action, step.answer)
    return steps, observation.state, False


def decided(problem: Problem, player: Agent, observation: Observation, t: int) -> Decision:
    """Return what an agent decides in step `t`; refuse what the rules do not allow."""
    try:
        decision = player.decide(observation)
    except ContradictoryObservation as error:
        raise ContradictoryObservation(f"step {t}: {error}") from error
    who = f"step {t}: agent {player.name!r}"
    if not isinstance(decision, Decision):
        raise InvalidDecision(f"{who} decided {decision!r}; expected a Decision")
    if (decision.ask is None) == (decision.action is None):
        both = "neither to act nor to ask" if decision.ask is None else "both to act and to ask"
        raise InvalidDecision(f"{who} decided {both}")
    if decision.ask is not None:
        _check_question(problem, decision.ask, who)
    elif _following(problem.ego_actions, problem.ego_next, observation.state.ego, decision.action) < 0:
        raise _impossible(who, problem.ego_actions, decision.action)
    return decision


def _step(
    problem: Problem, state: JointState, decision: Decision, player: Agent, other: Teammate, truth: int, t: int
) -> tuple[Step, JointState]:
    belief = player.probabilities
    if decision.ask is not None:
        answer = Answer(decision.ask, truth in decision.ask)
        return Step(t, state, belief, decision, None, answer, problem.query_cost(decision.ask)), state
    assert decision.action is not None
    ego = problem.ego_next(state.ego, decision.action)
    action = other.act(state.teammate)
    teammate = _following(problem.teammate_actions, problem.teammate_next, state.teammate, action)
    if teammate < 0:
        raise _impossible(f"step {t}: teammate {other.name!r}", problem.teammate_actions, action)
    return Step(t, state, belief, decision, action, None, STEP_COST), JointState(teammate, ego)


def _following(names: tuple[str, ...], following: Callable[[int, int], int], state: int, action: int | None) -> int:
    """Return the state after `action`, -1 if there is no such action or it is not available."""
    if action is None or as_int(action) is None or not 0 <= action < len(names):
        return -1
    return following(state, action)


def _impossible(who: str, names: tuple[str, ...], action: int | None) -> InvalidDecision:
    if action is not None and as_int(action) is not None and 0 <= action < len(names):
        return InvalidDecision(f"{who} chose {names[action]}, which is not available there")
    return InvalidDecision(f"{who} chose action {action!r}; expected a number from 0 to {len(names) - 1}")


def _check_question(problem: Problem, asked: tuple[int, ...], who: str) -> None:
    n = len(problem.goals)
    numbers = all(as_int(goal) is not None and 0 <= goal < n for goal in asked)
    if not asked or not numbers or len(set(asked)) != len(asked):
        raise InvalidDecision(f"{who} asked about goals {list(asked)}; expected some of 0 to {n - 1}, each once")


def chosen_goal(problem: Problem, goal: int | str | None, rng: np.random.Generator) -> int:
    """Return the number of a goal given by name or number, or one drawn from the prior."""
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
