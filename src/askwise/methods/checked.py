"""Checked calls of agents, which may be third-party code: start, let decide, read the belief, check what is returned.

Every error of an agent, and every mistake in what it returns, becomes an exception that names the agent. Checked
decisions contain Python integers; checked beliefs are read-only arrays.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from askwise.core.answers import n_answers
from askwise.core.belief import ContradictoryObservation, Observation
from askwise.core.decision import Decision, Situation
from askwise.core.game import InvalidDecision
from askwise.core.problem import Problem
from askwise.core.questions import Choice, Question
from askwise.errors import AskwiseError
from askwise.methods.base import Agent, KnowsGoal
from askwise.methods.third_party import error_message, failing_line, files_of, line_text, source_line, value_to_text
from askwise.model.names import as_int
from askwise.seeds import Seed
from askwise.types import FloatArray
from askwise.workers.heartbeat import deciding


class AgentFailed(AskwiseError):  # noqa: N818 - it names what happened
    """Raised when the code of an agent or a teammate fails; ``__cause__`` is the error that it raised."""


class Interruption(BaseException):
    """An exception that stops an agent from outside, for example at a time limit.

    It does not count as an error of the agent.
    """


def blame(player: object, method: str, error: BaseException, t: int | None = None, kind: str = "agent") -> None:
    """Raise `AgentFailed` if an error is the fault of the agent or teammate whose method raised it; otherwise return.

    Call it in the ``except`` block, and write ``raise`` after it. `method` is the name of the method. `kind` is
    ``agent`` or ``teammate``. `t` is the step, None before the first. Interruptions are nobody's fault. Errors of
    askwise and a lack of memory are blamed only if they arose in user code. A `ContradictoryObservation` is raised
    again with the step.
    """
    if isinstance(error, KeyboardInterrupt | Interruption | AgentFailed | InvalidDecision):
        return
    if isinstance(error, ContradictoryObservation):
        raise ContradictoryObservation(f"{_step(t)}{error}") from error
    own = failing_line(error, files_of(player))
    if own is None and isinstance(error, AskwiseError | MemoryError):
        return
    place = line_text(own or source_line(player, method))
    raise AgentFailed(
        f"{_step(t)}{known_as(player, kind)} failed in {method}: {error_message(error)}{place}"
    ) from error


@contextmanager
def blaming(player: object, method: str, t: int | None = None, kind: str = "agent") -> Iterator[None]:
    """Return a context manager that calls `blame` for every error raised in the ``with`` block.

    The block calls the method named `method` of `player`, an agent or a teammate (`kind`). `t` is the number of the
    step, None before the first step.
    """
    try:
        yield
    except BaseException as error:
        blame(player, method, error, t, kind)
        raise


def refuse(player: object, method: str, what: str, t: int | None = None, kind: str = "agent") -> NoReturn:
    """Raise `InvalidDecision` because a method of an agent or a teammate returned an invalid result.

    `method` is the method's name. `what` says what is wrong, such as "has the name 7". `kind` is ``agent`` or
    ``teammate``. `t` is the step, None before the first.
    """
    raise InvalidDecision(f"{_step(t)}{known_as(player, kind)} {what}{line_text(source_line(player, method))}")


def known_as(player: object, kind: str = "agent") -> str:
    """Return how messages name an agent or a teammate: its kind and its name, such as ``agent 'ezq'``.

    If the attribute ``name`` of `player` is not valid, the name of the class is used.
    """
    try:
        name = player.name  # type: ignore[attr-defined]
    except (Exception, SystemExit):
        name = None
    return f"{kind} {name!r}" if is_name(name) else f"{kind} {type(player).__name__!r}"


def is_name(name: object) -> bool:
    """Return whether `name` is valid for an agent: a nonempty printable text on one line."""
    return isinstance(name, str) and name != "" and name.isprintable()


def _step(t: int | None) -> str:
    return "" if t is None else f"step {t}: "


# -- checked calls -------------------------------------------------------------------------------------------------


SUM_TOLERANCE = 1e-6
"""Largest deviation of the sum of a belief from 1; allows for single precision and many goals."""
COLLECTIONS = (tuple, list, set, frozenset, range, np.ndarray)
"""Types in which goals may be given; other iterables might be infinite."""
REALS = (float, int, np.floating, np.integer)


def start_agent(problem: Problem, player: Agent, seed: Seed, goal: int | None = None) -> str:
    """Call `reset` of an agent for a new episode, and return the agent's checked name.

    `seed` determines the agent's random choices. Agents with a method `set_goal` get the index `goal`, unless it
    is None.
    """
    with blaming(player, "reset"), deciding:
        player.reset(problem, seed)
    if goal is not None and isinstance(player, KnowsGoal):
        with blaming(player, "set_goal"), deciding:
            player.set_goal(goal)
    return checked_name(player)


def checked_name(player: Any, kind: str = "agent") -> str:
    """Return the name of an agent or a teammate; raise `InvalidDecision` unless it is a printable text on one line.

    `kind` is the noun for `player` in the error message, ``agent`` or ``teammate``.
    """
    with blaming(player, "name", kind=kind):
        name = player.name
    if not is_name(name):
        refuse(player, "__init__", f"has the name {value_to_text(name)}; expected a text on one line", kind=kind)
    return str(name)


def checked_decision(problem: Problem, player: Agent, observation: Observation, t: int) -> Decision:
    """Let an agent decide in step `t` and return its decision; raise `InvalidDecision` if the rules do not allow it."""
    try:
        with deciding:  # a supervising process measures the time of the decision
            decision = player.decide(observation)
        return _validated(problem, decision, observation.state.ego)
    except _Wrong as wrong:
        refuse(player, "decide", str(wrong), t)
    except BaseException as error:
        blame(player, "decide", error, t)
        raise


def checked_belief(problem: Problem, player: Agent, t: int, before: FloatArray | None = None) -> FloatArray | None:
    """Return the belief of an agent in step `t` as a read-only array ``float64 [n_goals]``; None if it shows none.

    `before` is the result for the step before; the same array is not checked again. An invalid belief raises
    `InvalidDecision`.
    """
    try:
        belief = player.probabilities
        if belief is None or belief is before:
            return belief
        return _validated_belief(belief, len(problem.goals))
    except _Wrong as wrong:
        refuse(player, "probabilities", str(wrong), t)
    except BaseException as error:
        blame(player, "probabilities", error, t)
        raise


def with_situation(
    problem: Problem, player: Agent, decision: Decision, observation: Observation, belief: FloatArray | None, t: int
) -> Decision:
    """Return a decision with the `Situation` in which it was made: the states of both agents, and the belief.

    A situation that the agent itself has added is checked and kept. If the agent shows no belief (None), no situation
    is added. `belief`, ``float64 [n_goals]``, and the decision are checked already.
    """
    if decision.situation is None:
        return decision if belief is None else decision.made_at(Situation(problem, observation.state, belief))
    if decision.situation.belief is not belief:
        try:
            _validated_belief(decision.situation.belief, len(problem.goals))
        except _Wrong as wrong:
            refuse(player, "decide", f"gave a situation in which it {wrong}", t)
    return decision


def decision_and_belief(
    problem: Problem, player: Agent, observation: Observation, t: int, before: FloatArray | None = None
) -> tuple[Decision, FloatArray | None]:
    """Let an agent decide in step `t`; return its decision and its belief, both checked.

    The belief is ``float64 [n_goals]``, or None if the agent shows none. `before` is the belief in the step before; the
    same array is not checked again.
    """
    decision = checked_decision(problem, player, observation, t)
    belief = checked_belief(problem, player, t, before)
    return with_situation(problem, player, decision, observation, belief, t), belief


class _Wrong(AskwiseError):  # noqa: N818 - it names what happened
    """Raised if a decision or a belief is invalid; the caller adds the agent's name to its message."""


# -- decisions ---------------------------------------------------------------------------------------------------


def _validated(problem: Problem, decision: Any, ego: int) -> Decision:
    """Check a decision and return it with goals, actions and numbers as Python's own types.

    Raises `_Wrong` if the decision is invalid. `ego` is the index of the ego agent's state.
    """
    if not isinstance(decision, Decision):
        raise _Wrong(f"decided {value_to_text(decision)}; expected a Decision")
    if (decision.ask is None) == (decision.action is None):
        both = "neither to act nor to ask" if decision.ask is None else "both to act and to ask"
        raise _Wrong(f"decided {both}")
    action = None if decision.action is None else _action(problem, decision.action, ego)
    ask = None if decision.ask is None else _question(problem, decision.ask, "asked about")
    considered = None if decision.considered is None else _question(problem, decision.considered, "considered")
    runner_up = None if decision.runner_up is None else _runner_up(problem, decision.runner_up)
    value, cost = _number(decision.value, "value"), _number(decision.cost, "cost")
    _check_text(problem, decision.why, "why")
    _check_text(problem, decision.verdict, "verdict")
    if decision.situation is not None and not isinstance(decision.situation, Situation):
        raise _Wrong(f"gave the situation {value_to_text(decision.situation)}; expected a Situation, or None")
    if (
        action is decision.action
        and ask is decision.ask
        and value is decision.value
        and cost is decision.cost
        and considered is decision.considered
        and runner_up is decision.runner_up
    ):
        return decision
    return Decision(action, ask, decision.why, value, cost, considered, runner_up, decision.verdict, decision.situation)


def _action(problem: Problem, given: Any, ego: int) -> int:
    number, names = as_int(given), problem.ego.actions.names
    if number is None or not 0 <= number < len(names):
        raise _Wrong(f"chose action {value_to_text(given)}; expected a number from 0 to {len(names) - 1}")
    if problem.ego.next(ego, number) < 0:
        raise _Wrong(f"chose {names[number]}, which is not available there")
    return number


def _question(problem: Problem, given: Any, what: str) -> Question:
    """Return a question as a tuple of goals or a `Choice` among groups of goals; raise `_Wrong` if it is invalid.

    `what` is the verb of the error message, such as "asked about".
    """
    if not isinstance(given, Choice):
        return _goals(problem, given, what)
    for group in given.groups:
        _goals(problem, group, what)
    if n_answers(given, len(problem.goals)) < 2:
        raise _Wrong(f"{what} one group that contains all goals; expected a choice with at least two answers")
    return given


def _goals(problem: Problem, given: Any, what: str) -> tuple[int, ...]:
    """Return goals as a tuple of indices, sorted if given as a set; raise `_Wrong` if they are invalid or repeated.

    `what` is the verb of the error message, such as "asked about".
    """
    n = len(problem.goals)
    plain = type(given) is tuple and given and all(type(goal) is int and 0 <= goal < n for goal in given)
    if plain and len(set(given)) == len(given):
        return given  # type: ignore[no-any-return]
    expected = f"expected some of 0 to {n - 1}, each once"
    if not isinstance(given, COLLECTIONS) or (isinstance(given, np.ndarray) and given.ndim != 1):
        raise _Wrong(f"{what} {value_to_text(given)}; {expected}")
    numbers = [as_int(goal) for goal in given]
    goals = [goal for goal in numbers if goal is not None and 0 <= goal < n]
    if not goals or len(goals) < len(numbers) or len(set(goals)) < len(goals):
        raise _Wrong(f"{what} goals {value_to_text(list(given))}; {expected}")
    return tuple(sorted(goals) if isinstance(given, set | frozenset) else goals)


def _runner_up(problem: Problem, given: Any) -> tuple[Question, float]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise _Wrong(f"gave the runner-up {value_to_text(given)}; expected goals and a number, or None")
    asked, net = _question(problem, given[0], "gave as the runner-up"), _number(given[1], "net value of the runner-up")
    if net is None:
        raise _Wrong("gave no net value of the runner-up; expected a finite number")
    return given if type(given) is tuple and asked is given[0] and net is given[1] else (asked, net)


def _number(given: Any, what: str) -> float | None:
    if given is None or (type(given) is float and -np.inf < given < np.inf):
        return given
    if isinstance(given, bool) or not isinstance(given, REALS) or not -np.inf < given < np.inf:
        raise _Wrong(f"gave the {what} {value_to_text(given)}; expected a finite number, or None")
    return float(given)


def _check_text(problem: Problem, given: Any, what: str) -> None:
    if not isinstance(given, str):
        raise _Wrong(f"gave as its {what} {value_to_text(given)}; expected a text")
    if given.isprintable():
        return
    # Newlines and tabs are harmless, and characters in the problem's names are not the agent's fault.
    allowed = "\n\t".join((*problem.goals, *problem.ego.actions.names, *problem.groups, ""))
    for letter in given:
        # Surrogates cannot be encoded, and control characters can change the state of a terminal.
        if unicodedata.category(letter) in ("Cs", "Cc") and letter not in allowed:
            raise _Wrong(f"gave as its {what} a text with {value_to_text(letter)} in it; expected printable characters")


# -- beliefs -----------------------------------------------------------------------------------------------------


def _validated_belief(given: Any, n_goals: int) -> FloatArray:
    """Return a belief as a read-only array ``float64 [n_goals]``, copied if the agent could still change its array.

    `given` is what the agent shows. Raises `_Wrong` unless it consists of `n_goals` probabilities that sum to 1.
    """
    belief = _as_floats(given)
    if belief.shape != (n_goals,):
        raise _Wrong(f"has a belief of {_shape(belief)}; expected {n_goals} probabilities, one for each goal")
    total = np.add.reduce(belief)
    if not abs(total - 1) <= SUM_TOLERANCE or np.minimum.reduce(belief) < 0:
        wrong = np.flatnonzero(~(np.isfinite(belief) & (belief >= 0)))
        found = f"the probability {belief[wrong[0]]} of goal {wrong[0]}" if wrong.size else f"a sum of {total:.9g}"
        raise _Wrong(f"has a belief with {found}; expected probabilities from 0 that sum to 1")
    if belief is given and (given.flags.writeable or given.base is not None):
        belief = belief.copy()
    belief.setflags(write=False)
    return belief


def _as_floats(given: Any) -> FloatArray:
    if type(given) is np.ndarray and given.dtype == np.float64:
        return given
    try:
        found = np.array(given)
    except (TypeError, ValueError):  # rows of different lengths
        found = np.array("no numbers")
    if found.dtype.kind not in "fiu":
        raise _Wrong(f"has the belief {value_to_text(given)}; expected an array of numbers, one for each goal, or None")
    return found.astype(np.float64)


def _shape(belief: FloatArray) -> str:
    return f"{belief.size} probabilities" if belief.ndim == 1 else f"an array of shape {belief.shape}"
