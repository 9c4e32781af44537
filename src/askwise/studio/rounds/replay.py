"""Functions that replay rounds from the database, reconstruct them without the method, or turn them into table rows.

The log of a round is a list of pairs: a person's input and its outcome.

The planner's first decision depends on the problem alone and can take long. `WarmStart` stores the planner after this
decision, and each later round gets a copy. A shared planner would remember other rounds and could search deeper.
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
from askwise.methods.planning_agents import PlannerAgent
from askwise.play import trace
from askwise.play.simulate import answering, simulate
from askwise.studio.rounds.round import Round, Setup, belief_with_people
from askwise.text.reading import Field


def replayed(
    problem: Problem,
    setup: Setup,
    log: list[tuple[Any, dict[str, Any]]],
    begin: Callable[[Problem, Setup], Round] | None = None,
) -> Round:
    """Start a new round and apply all inputs of a log to it; return the resulting round.

    Args:
        problem: the problem.
        setup: the setup of the round.
        log: pairs of an input and its outcome.
        begin: starts the round; by default `start_round`.

    Raises:
        InputError: an outcome differs from the one in the log.
    """
    made = (begin or start_round)(problem, setup)
    for number, (user_input, outcome) in enumerate(log, start=1):
        check_same(number, made.do(user_input), outcome)
        made.think()
    return made


def check_same(number: int, found: dict[str, Any], outcome: dict[str, Any]) -> None:
    """Raise `InputError` if `found`, the result of replaying an input, is not the `outcome` in the log.

    The message states `number`, the number of the input, from 1.
    """
    if found != outcome:
        again, before = f"{found} when it was done again", f"{outcome}, as it was (another version of askwise?)"
        raise InputError(f"event {number}", again, before)


def reconstructed(problem: Problem, setup: Setup, log: list[tuple[Any, dict[str, Any]]]) -> Round:
    """Return the round after all inputs of a log, without running the method or the simulated teammate.

    The log has pairs of an input and its outcome. The simulated agent's actions are inferred from the outcomes; beliefs
    and reasons are missing.
    """
    made = Round(problem, replace(setup, method="never", belief=None, teammate=None))
    if made.robot is not None:
        made.method = setup.method
    else:
        made.walker = setup.teammate or made.walker
        made.other = _Walked(problem, [outcome["state"][0] for user_input, outcome in log if "move" in user_input])
    for number, (user_input, outcome) in enumerate(log, start=1):
        if made.robot is not None:
            made.decision = _recorded_decision(made, user_input, outcome), None
        check_same(number, made.do(user_input), outcome)
    return made


class _Walked(Teammate):
    """A teammate that repeats a recorded walk.

    Args:
        problem: the problem that was played.
        states: the index of the teammate's state after each of its moves; questions do not count as moves.
    """

    def __init__(self, problem: Problem, states: list[int]) -> None:
        self._problem, self._states = problem, iter(states)

    def act(self, state: int) -> int:
        """Return the first action that leads from `state` to the next state of the recorded walk."""
        following = [self._problem.teammate.next(state, a) for a in range(len(self._problem.teammate.actions.names))]
        return following.index(next(self._states))


def _recorded_decision(made: Round, user_input: Any, outcome: dict[str, Any]) -> Decision:
    problem, here = made.problem, made.game.state.ego
    if "stop" in user_input:
        return Decision(action=0)  # it was never executed
    if "asked" in outcome:
        asked = question_from_json(problem, Field("asked", outcome["asked"]))
        return Decision(ask=asked, considered=asked, cost=problem.query_cost(asked))
    there = outcome["state"][1]
    found = [action for action in made.game.ego_available() if problem.ego.next(here, action) == there]
    if not found:
        raise InputError("outcome", f"the state {there} after {here}", "a state to which an action leads")
    return Decision(action=found[0])


def start_round(problem: Problem, setup: Setup) -> Round:
    """Return a new round; if a method plays the ego agent, the method has already made its first decision."""
    made = Round(problem, setup)
    made.think()
    return made


# -- warm start ---


MOST_KEPT = 20
PROBLEM = "problem"
"""The persistent id of the problem, which all copies share."""


class WarmStart:
    """A cache of planners after their first decision, from which later rounds of the same problem start.

    It stores at most `MOST_KEPT` planners, one for each problem, method and belief. Each round gets a copy.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str, str | None], tuple[Problem, bytes]] = OrderedDict()

    def begin(self, problem: Problem, setup: Setup) -> Round:
        """Return a new round in which the method has made its first decision, taken from the cache if possible."""
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
    """Pickles a planner after its first decision, with an id in place of the problem.

    Args:
        stream: the stream to write to.
        problem: the problem that the id stands for.
    """

    def __init__(self, stream: io.BytesIO, problem: Problem) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._problem = problem

    def persistent_id(self, found: Any) -> str | None:
        """Return the id `PROBLEM` for the problem, so that it is not pickled.

        For everything else, return None.
        """
        return PROBLEM if found is self._problem else None


class _Reader(pickle.Unpickler):
    """Restores a planner from data that a `_Writer` of the same process wrote; it must not read any other data.

    Args:
        stream: the stream to read.
        problem: replaces the problem's id in the data.
    """

    def __init__(self, stream: io.BytesIO, problem: Problem) -> None:
        super().__init__(stream)
        self._problem = problem

    def persistent_load(self, _: Any) -> Problem:
        """Return the problem, in place of the id that a `_Writer` wrote for it."""
        return self._problem


# -- rows of tables ---


AGAIN, RECORD, TWIN = "again", "record", "twin"
"""Sources of rows: replay the round, reconstruct it, or simulate it without a person."""


def written(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a round as plain data, which become rows of tables; this runs in a worker process.

    Keys of the result:

    - ``row``: results (columns: `askwise.studies.running.play.episode_row`);
    - ``queries``: a dict per question (columns: `askwise.studies.running.play.query_rows`);
    - ``method``: the ego agent's method, or ``person``;
    - ``teammate``: its kind, such as ``noisy:0.2``, or ``person``;
    - ``prices``: base price of a question, and price per goal;
    - ``trace``: the trace as JSON; None for a simulation;
    - ``beside``: the kind of simulated teammate in the setup or problem, even if a person played.

    Args:
        problem: the problem.
        request: ``setup`` (as JSON), ``log`` (pairs of an input and its outcome) and ``what``: ``again`` replays the
            round with the method, ``record`` reconstructs it from the log, ``twin`` simulates it without a person.
    """
    try:
        return _written(problem, request)
    except AskwiseError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # a damaged database may hold anything
        raise InputError("round", f"{type(error).__name__}: {error}", "data that a studio has stored") from None


def _written(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    setup = Setup.from_json(Field("setup", request["setup"]))
    log = [(user_input, outcome) for user_input, outcome in request["log"]]
    if request["what"] == TWIN:
        episode = twin(problem, setup)
    else:
        episode = (replayed if request["what"] == AGAIN else reconstructed)(problem, setup, log).episode()
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
    """Simulate an episode with the setup of a round, including its goal and seed, but without the person.

    A simulated teammate, or the planner as the ego agent, takes the person's role.
    """
    problem = answering(problem, setup.answers)
    method = setup.method if setup.role == "teammate" else "planner"
    belief = setup.belief or belief_with_people(problem, method)
    agent = make_agent(method, **({} if belief is None else {"belief": belief}))
    return simulate(answering(problem, None), agent, setup.teammate, setup.goal, setup.seed)
