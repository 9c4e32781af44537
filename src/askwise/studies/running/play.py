"""Play a task, which is one instance in all conditions of a study, and return its rows of the study's tables.

A task consists of units: episodes (`EpisodeUnit`) and expected costs (`ExpectedUnit`). Apart from computing times, a
unit gives the same rows in any process and any order. If an agent or teammate raises an exception, only the row of its
unit has the error.

Expected costs are exact; means over episodes are often not precise enough. A lower bound shows how much any method
could still save. Both take seconds, so only the first instances have them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Protocol

import numpy as np
import polars as pl

from askwise._compiled import compile_all
from askwise.api import as_problem
from askwise.core.answers import AnswerModel
from askwise.core.episode import Episode, Step
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.methods import Agent, Decision, Observation
from askwise.play.evaluate import evaluate, lower_bound
from askwise.play.simulate import simulate
from askwise.studies.schema.domain import studies_of
from askwise.studies.schema.study import Condition, Method, StudyPrior, Task
from askwise.studies.schema.tables import BOUND, SCHEMAS, Row, encodable, error_text, table
from askwise.workers import heartbeat

PriceColumns = tuple[float | None, float | None]
"""The columns ``base`` and ``per_goal`` of a row; None stands for the instance's own price."""
UNKNOWN_PRICES: PriceColumns = (None, None)
EXPECTED_TEAMMATE = "urop"
"""The teammate that expected costs and lower bounds assume."""


@dataclass
class TaskResult:
    """The results of one task: the rows of one instance, played in all conditions of a study.

    Attributes:
        index: the number of the instance, from 0.
        tables: the rows in each table, by the table's name: ``episodes``, ``queries``, ``timings`` or ``expected``.
    """

    index: int
    tables: dict[str, pl.DataFrame]


@dataclass
class Rows:
    """Rows for the four tables of a study; a row is a dict from column to value.

    Attributes:
        episodes: one row per episode.
        queries: one row per question.
        timings: computing times, one row per episode.
        expected: one row per expected cost or lower bound.
    """

    episodes: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    timings: list[Row] = field(default_factory=list)
    expected: list[Row] = field(default_factory=list)


class Unit(Protocol):
    """The interface of a unit of work in a task: one episode (`EpisodeUnit`) or one expected cost (`ExpectedUnit`)."""

    @property
    def method(self) -> Method | None:
        """The method whose code the unit runs; None if the unit computes a lower bound of the costs of all methods."""

    def play(self, task: Task, problems: Problems) -> Rows:
        """Simulate the episode or compute the expected cost; return the resulting rows.

        After an exception other than KeyboardInterrupt, the only row has the exception's message.
        """

    def failed(self, task: Task, error: str, prices: PriceColumns = UNKNOWN_PRICES) -> Rows:
        """Return the rows to store if the unit could not be played, for instance because its process died.

        The prices are the base price and the price per goal; a price that is None is taken from the condition.
        """


def units(task: Task) -> Iterator[Unit]:
    """Yield the units of work of a task: its episodes, then its expected costs."""
    for number in range(task.study.episodes):
        for condition in task.conditions():
            yield EpisodeUnit(number, condition)
    yield from _expected_units(task)


def play(task: Task) -> TaskResult:
    """Play a task (one problem instance in all conditions of a study) in this process, and return all its rows."""
    problems = Problems(task)
    return collect_rows(task, [unit.play(task, problems) for unit in units(task)])


def failed_task(task: Task, error: str) -> TaskResult:
    """Return the result of a task that could not be played: all its rows have the message `error`.

    A task is one instance with all conditions of a study.
    """
    return collect_rows(task, [unit.failed(task, error) for unit in units(task)])


def collect_rows(task: Task, parts: Iterable[Rows]) -> TaskResult:
    """Combine the rows of a task's units, in the order of `units`, into the result of the task."""
    rows = Rows()
    for part in parts:
        for each in fields(Rows):
            getattr(rows, each.name).extend(getattr(part, each.name))
    return TaskResult(task.index, {name: table(name, getattr(rows, name)) for name in SCHEMAS})


class Problems:
    """The problems of one instance, made when first needed; call the object with a condition to get its problem.

    All problems share the tables that depend only on the instance.

    Attributes:
        setup_seconds: the seconds that the first problem and its tables took; 0 before the first call.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._own: Problem | None = None
        self.setup_seconds = 0.0
        self._made: dict[tuple[StudyPrior, QueryCost], Problem] = {}
        compile_all()  # loads numba now, so that loading is not measured as part of a decision
        self._answering: dict[tuple[StudyPrior, QueryCost, AnswerModel], Problem] = {}

    def __call__(self, condition: Condition) -> Problem:
        """Return the instance's problem with the prior, prices and answer model of a condition."""
        if self._own is None:
            instance, start = self._task.instance(), time.perf_counter()
            self._own = as_problem(instance)
            self._own.teammate.divergence(self._own.start.teammate)
            self._own.ego.divergence(self._own.start.ego)
            self.setup_seconds = time.perf_counter() - start
        prior, cost = condition.prior, condition.query_cost(self._own.query_cost)
        if (prior, cost) not in self._made:
            self._made[prior, cost] = studies_of(self._task.study.domain).with_terms(
                self._own, prior.chosen_kind, prior.temperature, cost
            )
        made = self._made[prior, cost]
        if condition.answers is None:
            return made
        key = prior, cost, condition.answers
        if key not in self._answering:
            self._answering[key] = made.with_answers(condition.answers)
        return self._answering[key]


def _begin(problem: Problem) -> PriceColumns:
    """Return a problem's base price and price per goal, and record them in shared memory.

    If this process dies, its supervising process writes the recorded prices into the row with the error.
    """
    prices = problem.query_cost.base, problem.query_cost.per_goal
    heartbeat.own.set_prices(*prices)
    return prices


def _condition_columns(task: Task, condition: Condition, prices: PriceColumns) -> Row:
    base, per_station = prices
    return {
        "instance": task.index,
        "prior": condition.prior.label,
        "teammate": condition.teammate_label,
        "method": condition.method.label,
        "base": condition.base if base is None else base,
        "per_goal": condition.per_goal if per_station is None else per_station,
    }


# -- episodes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EpisodeUnit:
    """One episode of an instance in one condition. It implements `Unit`.

    Attributes:
        number: the number of the episode, from 0.
        condition: the condition in which the episode is played: prior, prices, teammate, answers and method.
    """

    number: int
    condition: Condition

    @property
    def method(self) -> Method:
        """The method that plays the episode."""
        return self.condition.method

    def play(self, task: Task, problems: Problems) -> Rows:
        """Simulate the episode; return a row about the episode, a row per question, and a row of computing times.

        After an exception other than KeyboardInterrupt, the only row is about the episode and has the message.
        """
        condition, rows, clock = self.condition, Rows(), Clock()
        key = self._key(task, UNKNOWN_PRICES)
        try:
            problem = problems(condition)
            start = time.perf_counter()
            key = self._key(task, _begin(problem))
            agent = timed(condition.method.make_for(problem, condition.teammate), clock)
            episode = simulate(
                problem, agent, condition.teammate, seed=task.episode_seed(self.number), max_steps=task.study.max_steps
            )
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # even sys.exit() in an agent must not end the study
            rows.episodes.append(failed_row(key, error_text(error)))
            return rows
        taken = {"seconds": time.perf_counter() - start, "decide_seconds": clock.seconds}
        rows.timings.append({**key, **taken, "setup_seconds": problems.setup_seconds})
        rows.episodes.append(episode_row(key, episode))
        rows.queries += query_rows(key, episode)
        return rows

    def failed(self, task: Task, error: str, prices: PriceColumns = UNKNOWN_PRICES) -> Rows:
        """Return the row to store for an episode that could not be played.

        The prices are the base price and the price per goal; a price that is None is taken from the condition.
        """
        return Rows(episodes=[failed_row(self._key(task, prices), error)])

    def _key(self, task: Task, prices: PriceColumns) -> Row:
        return {**_condition_columns(task, self.condition, prices), "episode": self.number}


@dataclass
class Clock:
    """The total time that the decisions of an agent have taken; `timed` makes the agent add to it.

    Attributes:
        seconds: the time in seconds.
    """

    seconds: float = 0.0


def timed(agent: Agent, clock: Clock) -> Agent:
    """Change an agent so that it adds the time of each of its decisions to `clock`; return the same agent."""
    decide: Callable[[Observation], Decision] = agent.decide

    def timed_decide(observation: Observation) -> Decision:
        start = time.perf_counter()
        try:
            return decide(observation)
        finally:
            clock.seconds += time.perf_counter() - start

    vars(agent)["decide"] = timed_decide  # on this object only; a wrapper would hide other methods of the agent
    return agent


def failed_row(key: Row, error: str) -> Row:
    """Return the row of the table of episodes for an episode that could not be played.

    `key` has the columns that identify the episode. The columns with results are None, and ``finished`` is False.
    """
    unknown = ("goal", "known_cost", "cost", "marginal_cost", "steps", "queries", "query_cost", "known_at")
    return {**key, **dict.fromkeys(unknown), "finished": False, "error": error}


def episode_row(key: Row, episode: Episode) -> Row:
    """Return the row of the table of episodes for an episode: goal, costs, numbers of steps and questions.

    `key` has the columns that identify the episode. If the episode was cut off, its marginal cost is None, and the
    column ``error`` says so.
    """
    return {
        **key,
        "goal": encodable(episode.goal_name),
        "known_cost": episode.known_cost,
        "cost": episode.cost,
        "marginal_cost": episode.marginal_cost if episode.finished else None,
        "steps": len(episode.steps),
        "queries": len(episode.questions),
        "query_cost": float(sum(step.cost for step in episode.questions)),
        "known_at": next((step.t for step in episode.steps if _is_certain(step)), None),
        "finished": episode.finished,
        "error": None if episode.finished else f"cut off after {len(episode.steps)} steps",
    }


def _is_certain(step: Step) -> bool:
    return step.belief is not None and np.count_nonzero(step.belief) == 1


def query_rows(key: Row, episode: Episode) -> Iterator[Row]:
    """Yield one row for each question of an episode, for the table of questions.

    Args:
        key: the columns that identify the episode (`askwise.studies.schema.tables.KEY`), with their values.
        episode: the episode.
    """
    names = episode.problem.goals
    for number, step in enumerate(episode.questions, start=1):
        assert step.answer is not None
        value = step.decision.value
        yield {
            **key,
            "number": number,
            "t": step.t,
            "size": len(step.answer.goals),
            "possible": None if step.belief is None else int(np.count_nonzero(step.belief)),
            "goals": [encodable(names[goal]) for goal in step.answer.goals],
            "answer": step.answer.yes,
            "cost": step.cost,
            "value": None if value is None or not np.isfinite(value) else float(value),
        }


# -- expected costs ----------------------------------------------------------------------------------------------


def _expected_units(task: Task) -> Iterator[Unit]:
    """Yield a unit for each lower bound and each exact expected cost that a study wants for one instance."""
    study = task.study
    bounded: set[tuple[object, ...]] = set()
    for condition in task.conditions():
        setting = (condition.prior, condition.answers, condition.base, condition.per_goal)
        if task.index < study.bounds and setting not in bounded:
            bounded.add(setting)
            yield ExpectedUnit(condition, bound=True)
        wanted = task.index < study.exact.instances and condition.prior.label in study.exact.priors
        if wanted and condition.teammate == EXPECTED_TEAMMATE:
            yield ExpectedUnit(condition, bound=False)


@dataclass(frozen=True)
class ExpectedUnit:
    """The computation of one expected marginal cost or of one lower bound; it implements `Unit`.

    The marginal cost is the cost minus the cost with the goal known from the start.

    Attributes:
        condition: the prior, prices, answers and method.
        bound: whether to compute a lower bound on the cost of any method, instead of the cost of this method.
    """

    condition: Condition
    bound: bool

    @property
    def method(self) -> Method | None:
        """The method whose expected cost is computed; None for a lower bound of the costs of all methods."""
        return None if self.bound else self.condition.method

    def play(self, task: Task, problems: Problems) -> Rows:
        """Compute the expected cost or the lower bound; return one row with it.

        After an exception other than KeyboardInterrupt, the row has the exception's message instead.
        """
        prices = UNKNOWN_PRICES
        try:
            problem = problems(self.condition)
            prices = _begin(problem)
            expected, verdict, states = self._compute(task, problem)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # the problem is too large, or the agent raised an exception
            return self.failed(task, error_text(error), prices)
        return self._row(task, prices, expected=expected, verdict=verdict, states=states)

    def failed(self, task: Task, error: str, prices: PriceColumns = UNKNOWN_PRICES) -> Rows:
        """Return the row to store for an expected cost or lower bound that could not be computed.

        The prices are the base price and the price per goal; a price that is None is taken from the condition.
        """
        return self._row(task, prices, error=error)

    def _compute(self, task: Task, problem: Problem) -> tuple[float, str, int]:
        """Return the expected marginal cost or lower bound, a text that says how exact it is, and a count of the work.

        The count is the number of solved states for a lower bound, and of the agent's decisions for an expected cost.
        """
        if self.bound:
            least = lower_bound(problem)
            return least.value, str(least.verdict), least.states
        found = evaluate(problem, self.condition.method.make(), exact=True, seed=task.episode_seed(0))
        return found.expected_marginal_cost, str(found.verdict), found.states

    def _row(self, task: Task, prices: PriceColumns, **known: object) -> Rows:
        condition = replace(self.condition, teammate=EXPECTED_TEAMMATE)
        row = {**_condition_columns(task, condition, prices), **({"method": BOUND} if self.bound else {})}
        return Rows(expected=[{**row, **dict.fromkeys(("expected", "verdict", "states", "error")), **known}])
