"""A round that is over as plain data: the row and the questions of tables, and the trace."""

from __future__ import annotations

from typing import Any

from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.core.teammates import teammate_for
from askwise.errors import AskwiseError, InputError
from askwise.methods import make_agent
from askwise.play import trace
from askwise.play.simulate import answering, simulate
from askwise.studies.running.play import episode_row, query_rows
from askwise.studio.rounds.round import Setup, belief_beside_people, recorded, replayed
from askwise.text.reading import Field

AGAIN, RECORD, TWIN = "again", "record", "twin"
"""Play a round again, take it from the store, or simulate it without a person."""


def written(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """Return a round as plain data; called in a process that is ended if a method hangs."""
    try:
        return _written(problem, request)
    except AskwiseError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # a damaged database holds anything
        raise InputError("round", f"{type(error).__name__}: {error}", "what a studio has kept") from None


def _written(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    setup = Setup.from_json(Field("setup", request["setup"]))
    log = [(deed, outcome) for deed, outcome in request["log"]]
    if request["what"] == TWIN:
        episode = twin(problem, setup)
    else:
        episode = (replayed if request["what"] == AGAIN else recorded)(problem, setup, log).episode()
    price = episode.problem.query_cost
    return {
        "row": episode_row({}, episode),
        "queries": list(query_rows({}, episode)),
        "method": episode.method,
        "teammate": episode.teammate,
        "prices": [price.base, price.per_goal],
        "trace": None if request["what"] == TWIN else trace.to_json(episode),
        "beside": teammate_for(problem, setup.teammate).name,
    }


def twin(problem: Problem, setup: Setup) -> Episode:
    """Return the same round without a person; beside a person who played the ego agent stands the planner."""
    problem = answering(problem, setup.answers)
    method = setup.method if setup.role == "teammate" else "planner"
    belief = setup.belief or belief_beside_people(problem, method)
    agent = make_agent(method, **({} if belief is None else {"belief": belief}))
    return simulate(answering(problem, None), agent, setup.teammate, setup.goal, setup.seed)
