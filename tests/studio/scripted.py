"""Episodes of `simulate` as the inputs with which a person gets the same episode."""

from __future__ import annotations

from typing import Any

from askwise import simulate, trace
from askwise.api import as_problem
from askwise.core.episode import Episode
from askwise.core.question_json import question_to_json
from askwise.methods import make_agent
from askwise.studio.rounds.round import belief_with_people
from tests.studio.live import EXAMPLES

FILES = {"kitchen": "kitchen.toml", "ward": "ward.toml", "workshop": "workshop.json", "coverage": "coverage.toml"}


def as_teammate(problem: str, method: str, seed: int, teammate: str = "urop", **options: Any) -> Episode:
    """Return the episode of a person who walks like this teammate."""
    stated = as_problem(EXAMPLES / FILES[problem])
    belief = belief_with_people(stated, method)
    # An agent, not a name: with a name, `simulate` would choose the belief by what it knows of the teammate.
    agent = make_agent(method, **({} if belief is None else {"belief": belief}))
    return simulate(stated, agent, teammate, None, seed, **options)


def as_ego(problem: str, method: str, seed: int) -> Episode:
    """Return the episode of a person who decides like this method."""
    return simulate(as_problem(EXAMPLES / FILES[problem]), method, None, None, seed)


def inputs(episode: Episode, role: str) -> list[Any]:
    """Return the person's inputs in an episode."""
    problem, found = episode.problem, []
    for step in episode.steps:
        if step.answer is not None:
            asked = question_to_json(problem, step.answer.asked)
            found.append({"answer": step.answer.reply} if role == "teammate" else {"ask": asked})
        elif role == "teammate":
            assert step.teammate_action is not None
            found.append({"move": problem.teammate.actions.names[step.teammate_action]})
        else:
            assert step.decision.action is not None
            found.append({"move": problem.ego.actions.names[step.decision.action]})
    return found


def trace_of(episode: Episode) -> dict[str, Any]:
    """Return the trace of an episode without the teammate's name."""
    return {**trace.to_json(episode), "teammate": "person"}
