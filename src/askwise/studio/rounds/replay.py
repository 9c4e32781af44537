"""Rounds from their logs: replayed, reconstructed without the method, or as rows of tables.

A log is a list of pairs: what the person did, and its outcome. `WarmStart` makes the start of a replay quick.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.core.question_json import question_from_json
from askwise.core.teammates import Teammate, teammate_for
from askwise.errors import AskwiseError, InputError
from askwise.methods import Decision, make_agent
from askwise.methods.planner import PlannerAgent
from askwise.play import trace
from askwise.play.simulate import answering, simulate
from askwise.studio.rounds.round import Round, Setup, belief_beside_people
from askwise.text.reading import Field


def replayed(
    problem: Problem,
    setup: Setup,
    log: list[tuple[Any, dict[str, Any]]],
    begin: Callable[[Problem, Setup], Round] | None = None,
) -> Round:
    """Return the round that these deeds led to; each must come to what it came to the first time.

    Args:
        problem: what is played.
        setup: by whom, and how.
        log: the deeds, and what came of each.
        begin: returns a new round in which the robot has decided, if there is a quicker way to that.
    """
    made = (begin or begun_round)(problem, setup)
    for number, (deed, outcome) in enumerate(log, start=1):
        check_same(number, made.do(deed), outcome)
        made.think()
    return made


def check_same(number: int, found: dict[str, Any], outcome: dict[str, Any]) -> None:
    """Refuse a deed that came to something else than the first time."""
    if found != outcome:
        again, before = f"{found} when it was done again", f"{outcome}, as it was (another version of askwise?)"
        raise InputError(f"event {number}", again, before)


def recorded(problem: Problem, setup: Setup, log: list[tuple[Any, dict[str, Any]]]) -> Round:
    """Return the round that these deeds led to, without the method or the teammate: what they did is in the outcomes.

    Beliefs and reasons are not. Where several actions lead to the same place, the first of them stands for what was
    done.

    Args:
        problem: what was played.
        setup: by whom, and how.
        log: the deeds, and what came of each.
    """
    made = Round(problem, replace(setup, method="never", belief=None, teammate=None))
    if made.robot is not None:
        made.method = setup.method
    else:
        made.walker = setup.teammate or made.walker
        made.other = _Walked(problem, [outcome["state"][0] for deed, outcome in log if "move" in deed])
    for number, (deed, outcome) in enumerate(log, start=1):
        if made.robot is not None:
            made.decision = _recorded_decision(made, deed, outcome), None
        check_same(number, made.do(deed), outcome)
    return made


class _Walked(Teammate):
    """A teammate that walks through given states."""

    def __init__(self, problem: Problem, states: list[int]) -> None:
        self._problem, self._states = problem, iter(states)

    def act(self, state: int) -> int:
        """See `Teammate`."""
        following = [self._problem.teammate.next(state, a) for a in range(len(self._problem.teammate.actions.names))]
        return following.index(next(self._states))


def _recorded_decision(made: Round, deed: Any, outcome: dict[str, Any]) -> Decision:
    problem, here = made.problem, made.game.state.ego
    if "stop" in deed:
        return Decision(action=0)  # it was never done
    if "asked" in outcome:
        asked = question_from_json(problem, Field("asked", outcome["asked"]))
        return Decision(ask=asked, considered=asked, cost=problem.query_cost(asked))
    there = outcome["state"][1]
    found = [action for action in made.game.ego_available() if problem.ego.next(here, action) == there]
    if not found:
        raise InputError("outcome", f"the state {there} after {here}", "a state that one action leads to")
    return Decision(action=found[0])


def begun_round(problem: Problem, setup: Setup) -> Round:
    """Return a new round, in which the robot has made its first decision."""
    made = Round(problem, setup)
    made.think()
    return made


# -- warm start ---


MOST_KEPT = 20
PROBLEM = "problem"
"""In place of the problem, which all rounds share."""


class WarmStart:
    """Planners after their first decision, by method and belief and the problem that they are for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str, str | None], tuple[Problem, bytes]] = OrderedDict()

    def begin(self, problem: Problem, setup: Setup) -> Round:
        """Return a new round, in which the robot has made its first decision."""
        made = Round(problem, setup)
        if type(made.robot) is not PlannerAgent or made.problem is not problem:
            made.think()
            return made
        key = (id(problem), setup.method, setup.belief)
        known, data = self._kept.get(key, (None, b""))
        if known is problem:
            rng = made.robot.rng
            made.robot, made.decision = _Reader(io.BytesIO(data), problem).load()
            assert made.robot is not None
            made.robot.rng = rng
        else:
            made.think()
            self._keep(key, problem, (made.robot, made.decision))
        return made

    def _keep(self, key: tuple[int, str, str | None], problem: Problem, opening: Any) -> None:
        stream = io.BytesIO()
        _Writer(stream, problem).dump(opening)
        self._kept[key] = problem, stream.getvalue()
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


class _Writer(pickle.Pickler):
    """Writes all but the problem."""

    def __init__(self, stream: io.BytesIO, problem: Problem) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._problem = problem

    def persistent_id(self, found: Any) -> str | None:
        """See `pickle.Pickler`."""
        return PROBLEM if found is self._problem else None


class _Reader(pickle.Unpickler):
    """Reads what a `_Writer` of this process has written, nothing else."""

    def __init__(self, stream: io.BytesIO, problem: Problem) -> None:
        super().__init__(stream)
        self._problem = problem

    def persistent_load(self, _: Any) -> Problem:
        """See `pickle.Unpickler`."""
        return self._problem


# -- rows of tables ---


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
    from askwise.studies.running.play import episode_row, query_rows  # loads polars, which only exports need

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
