"""Agents: each a small class that sees a `Problem` and decides to act or to ask."""

from __future__ import annotations

from collections.abc import Callable

from askwise.agents.base import Agent, Answer, BeliefAgent, Decision, KnowsGoal, Observation
from askwise.agents.informed import Informed
from askwise.agents.never import Never
from askwise.errors import InputError, did_you_mean

__all__ = [
    "AGENTS",
    "Agent",
    "Answer",
    "BeliefAgent",
    "Decision",
    "Informed",
    "KnowsGoal",
    "Never",
    "Observation",
    "make_agent",
]

AGENTS: dict[str, Callable[[str], Agent]] = {
    "never": lambda belief: Never(belief=belief),
    "informed": lambda _: Informed(),
}


def make_agent(given: str | Agent, *, belief: str = "elimination") -> Agent:
    """Return an agent by name; an `Agent` is returned as it is."""
    if isinstance(given, Agent):
        return given
    if not isinstance(given, str) or given not in AGENTS:
        allowed = "one of " + ", ".join(map(repr, AGENTS))
        raise InputError("method", repr(given), allowed + did_you_mean(str(given), AGENTS))
    return AGENTS[given](belief)
