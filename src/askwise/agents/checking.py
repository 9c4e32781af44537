"""Letting an agent decide, and refusing what the rules do not allow."""

from __future__ import annotations

from askwise.agents.base import Agent, Decision
from askwise.game import InvalidDecision, check_ego_action, check_question
from askwise.problem import Problem
from askwise.query import ContradictoryObservation
from askwise.tracking import Observation
from askwise.watching.pulse import deciding


def decided(problem: Problem, player: Agent, observation: Observation, t: int) -> Decision:
    """Return what an agent decides in step `t`; refuse what the rules do not allow."""
    try:
        with deciding:  # whoever watches this process sees how long it takes
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
        check_question(problem, decision.ask, who)
    else:
        check_ego_action(problem, observation.state.ego, decision.action, who)
    return decision
