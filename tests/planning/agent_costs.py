"""The expected cost of an agent on a small problem, by playing every move of the teammate and every answer."""

from __future__ import annotations

import copy

from askwise.core.problem import JointState, Problem
from askwise.methods import Agent, Observation
from askwise.planning.reference import Cost, PlanningState, Reference

MANY = 10**6
"""More questions than any agent asks."""


def marginal_cost_of(agent: Agent, problem: Problem) -> float:
    """Return the expected marginal cost of an agent; errors are independent."""
    reference = Reference(problem, MANY)
    state = reference.state()
    agent.reset(problem, 0)
    return float(_played(reference, agent, state, Observation(problem.start)) / state.weight)


def _played(reference: Reference, agent: Agent, state: PlanningState, seen: Observation) -> Cost:
    """Return the marginal cost from a state, times its weight; 0 once the agent is certain."""
    decision, following = agent.decide(seen), list[tuple[Observation, PlanningState]]()
    if decision.ask is not None:
        cost: Cost = state.weight * reference.price(decision.ask)
        for answer, after in reference.after_question(state, decision.ask):
            following.append((Observation(seen.state, None, answer), after))
    else:
        assert decision.action is not None
        cost = reference.delay(state, decision.action)
        ego = reference.problem.ego.next(seen.state.ego, decision.action)
        for move, after in reference.after_action(state, decision.action):
            following.append((Observation(JointState(after.teammate, ego), move), after))
    for observation, after in following:
        another = copy.deepcopy(agent, {id(reference.problem): reference.problem})
        cost += _played(reference, another, after, observation)
    return cost
