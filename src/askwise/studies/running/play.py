"""The problems of a task: its instance under every prior and price that the study plays.

The rows that playing a task gives, and what plays them: units, each of which can fail alone.

A unit is one episode in one condition, or one expected cost that the study asks for. Each can be played without the
others, gives the same rows whoever plays it and after whatever else, and has a row to show if it cannot be played.

Expected costs beside the episodes of a task: of methods, exactly, and bounds that no method can beat.

Episodes are samples. Under priors that favour goals near the worker, most episodes cost nothing and a few cost a lot,
and a mean over hundreds of them says little. What a method costs on one instance can be enumerated instead, and a
lower bound says how much is left to gain. Both take seconds, so a study does it for its first instances only.

Playing a task: one instance in all conditions of a study.

Nothing that happens in a condition ends a study. An agent or a teammate that fails becomes a row with its error, and
the other conditions are played as if nothing had happened. For an agent that hangs, or that ends its process, it takes
somebody outside that process: see `askwise.studies.running.isolation`.
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
from askwise.play.evaluate import evaluate
from askwise.play.simulate import simulate
from askwise.play.solve import lower_bound
from askwise.studies.schema.domain import studies_of
from askwise.studies.schema.study import Condition, Method, StudyPrior, Task
from askwise.studies.schema.tables import BOUND, SCHEMAS, Row, encodable, in_words, table
from askwise.workers import heartbeat


class Problems:
    """The problems of a task: one for each prior and price, all on the tables of one instance."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._plain: Problem | None = None
        self.setup_seconds = 0.0
        self._made: dict[tuple[StudyPrior, QueryCost], Problem] = {}
        compile_all()  # numba is loaded now: what that takes belongs to no decision that is timed
        self._answering: dict[tuple[StudyPrior, QueryCost, AnswerModel], Problem] = {}

    def __call__(self, condition: Condition) -> Problem:
        """Return the problem that is played in a condition."""
        if self._plain is None:
            instance, start = self._task.instance(), time.perf_counter()
            self._plain = as_problem(instance)
            self._plain.teammate.divergence(self._plain.start.teammate)
            self._plain.ego.divergence(self._plain.start.ego)
            self.setup_seconds = time.perf_counter() - start
        prior, cost = condition.prior, condition.query_cost(self._plain.query_cost)
        if (prior, cost) not in self._made:
            self._made[prior, cost] = studies_of(self._task.study.domain).with_terms(
                self._plain, prior.chosen_kind, prior.temperature, cost
            )
        made = self._made[prior, cost]
        if condition.answers is None:
            return made
        key = prior, cost, condition.answers
        if key not in self._answering:
            self._answering[key] = made.with_answers(condition.answers)
        return self._answering[key]


PriceColumns = tuple[float | None, float | None]
"""The columns ``base_cost`` and ``per_station_cost`` of a row; None where only the instance knows."""


@dataclass
class Played:
    """What came of a task: its index and its rows."""

    index: int
    tables: dict[str, pl.DataFrame]


@dataclass
class Rows:
    """Rows for each of the tables."""

    episodes: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    timings: list[Row] = field(default_factory=list)
    expected: list[Row] = field(default_factory=list)


class Unit(Protocol):
    """One thing to play."""

    @property
    def method(self) -> Method | None:
        """The method whose code it runs, None if it runs none."""

    def play(self, task: Task, problems: Problems) -> Rows:
        """Play it; whatever goes wrong with it becomes its rows."""

    def failed(self, task: Task, error: str, prices: PriceColumns = (None, None)) -> Rows:
        """Return its rows if it could not be played at all, for instance because its process died."""


def gathered(task: Task, parts: Iterable[Rows]) -> Played:
    """Return the rows of all units of a task, in their order, as tables."""
    rows = Rows()
    for part in parts:
        for each in fields(Rows):
            getattr(rows, each.name).extend(getattr(part, each.name))
    return Played(task.index, {name: table(name, getattr(rows, name)) for name in SCHEMAS})


TEAMMATE = "urop"
"""Whom expectations and bounds assume."""
Computed = tuple[float, str, int]
"""Expected marginal cost, verdict, states."""


def expected_units(task: Task) -> Iterator[Unit]:
    """Iterate over all expected costs that the study asks for on this instance."""
    study = task.study
    bounded: set[tuple[object, ...]] = set()
    for condition in task.conditions():
        setting = (condition.prior, condition.answers, condition.base_cost, condition.per_station_cost)
        if task.index < study.bounds and setting not in bounded:
            bounded.add(setting)
            yield Expected(condition, bound=True)
        wanted = task.index < study.exact.instances and condition.prior.label in study.exact.priors
        if wanted and condition.teammate == TEAMMATE:
            yield Expected(condition, bound=False)


@dataclass(frozen=True)
class Expected:
    """One expected cost: that of a condition's method, or the bound for all methods."""

    condition: Condition
    bound: bool

    @property
    def method(self) -> Method | None:
        """See `Unit`."""
        return None if self.bound else self.condition.method

    def play(self, task: Task, problems: Problems) -> Rows:
        """See `Unit`."""
        prices: PriceColumns = (None, None)
        try:
            problem = problems(self.condition)
            prices = problem.query_cost.base, problem.query_cost.per_goal
            heartbeat.own.set_prices(problem.query_cost.base, problem.query_cost.per_goal)
            found = self._compute(task, problem)
        except KeyboardInterrupt:
            raise
        except BaseException as failure:  # too large, or an agent at fault: the study goes on
            return self.failed(task, in_words(failure), prices)
        values = dict(zip(("expected", "verdict", "states"), found, strict=True))
        return Rows(expected=[{**self._key(task, prices), **values, "error": None}])

    def failed(self, task: Task, error: str, prices: PriceColumns = (None, None)) -> Rows:
        """See `Unit`."""
        nothing = dict.fromkeys(("expected", "verdict", "states"))
        return Rows(expected=[{**self._key(task, prices), **nothing, "error": error}])

    def _compute(self, task: Task, problem: Problem) -> Computed:
        if self.bound:
            least = lower_bound(problem)
            return least.value, str(least.verdict), least.states
        found = evaluate(problem, self.condition.method.make(), exact=True, seed=task.episode_seed(0))
        return found.expected_marginal_cost, str(found.verdict), found.states

    def _key(self, task: Task, prices: PriceColumns) -> Row:
        condition, (base, per_station) = self.condition, prices
        return {
            "instance": task.index,
            "prior": condition.prior.label,
            "teammate": replace(condition, teammate=TEAMMATE).teammate_label,
            "method": BOUND if self.bound else condition.method.label,
            "base_cost": condition.base_cost if base is None else base,
            "per_station_cost": condition.per_station_cost if per_station is None else per_station,
        }


def units(task: Task) -> Iterator[Unit]:
    """Iterate over all that is to be played in a task, in the order of its rows."""
    for number in range(task.study.episodes):
        for condition in task.conditions():
            yield PlayedEpisode(number, condition)
    yield from expected_units(task)


def play(task: Task) -> Played:
    """Play all of a task in this process."""
    problems = Problems(task)
    return gathered(task, [unit.play(task, problems) for unit in units(task)])


def failed(task: Task, error: str) -> Played:
    """Return the rows of a task that could not be played at all, for instance because its machine is gone."""
    return gathered(task, [unit.failed(task, error) for unit in units(task)])


@dataclass(frozen=True)
class PlayedEpisode:
    """One episode in one condition.

    Attributes:
        number: which of the episodes.
        condition: in which condition.
    """

    number: int
    condition: Condition

    @property
    def method(self) -> Method:
        """See `Unit`."""
        return self.condition.method

    def play(self, task: Task, problems: Problems) -> Rows:
        """See `Unit`."""
        condition, rows, clock = self.condition, Rows(), Clock()
        key = self._key(task, (None, None))
        try:
            problem = problems(condition)
            start = time.perf_counter()
            prices = problem.query_cost.base, problem.query_cost.per_goal
            heartbeat.own.set_prices(*prices)
            key = self._key(task, prices)
            agent = timed(condition.method.make_for(problem, condition.teammate), clock)
            episode = simulate(
                problem, agent, condition.teammate, seed=task.episode_seed(self.number), max_steps=task.study.max_steps
            )
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever an agent does wrong, sys.exit() included, the study goes on
            rows.episodes.append(failed_row(key, in_words(error)))
            return rows
        taken = {"seconds": time.perf_counter() - start, "decide_seconds": clock.seconds}
        rows.timings.append({**key, **taken, "setup_seconds": problems.setup_seconds})
        rows.episodes.append(episode_row(key, episode))
        rows.queries += query_rows(key, episode)
        return rows

    def failed(self, task: Task, error: str, prices: PriceColumns = (None, None)) -> Rows:
        """See `Unit`."""
        return Rows(episodes=[failed_row(self._key(task, prices), error)])

    def _key(self, task: Task, prices: PriceColumns) -> Row:
        condition, (base, per_station) = self.condition, prices
        return {
            "instance": task.index,
            "episode": self.number,
            "prior": condition.prior.label,
            "teammate": condition.teammate_label,
            "method": condition.method.label,
            "base_cost": condition.base_cost if base is None else base,
            "per_station_cost": condition.per_station_cost if per_station is None else per_station,
        }


@dataclass
class Clock:
    """Adds up time."""

    seconds: float = 0.0


def timed(agent: Agent, clock: Clock) -> Agent:
    """Return the agent with a clock that runs while it decides."""
    decide: Callable[[Observation], Decision] = agent.decide

    def timed_decide(observation: Observation) -> Decision:
        start = time.perf_counter()
        try:
            return decide(observation)
        finally:
            clock.seconds += time.perf_counter() - start

    vars(agent)["decide"] = timed_decide  # on this object only; a wrapper would hide what else the agent can do
    return agent


def failed_row(key: Row, error: str) -> Row:
    """Return the row of an episode that could not be played."""
    unknown = ("goal", "optimal_cost", "cost", "marginal_cost", "steps", "queries", "query_cost", "known_at")
    return {**key, **dict.fromkeys(unknown), "finished": False, "error": error}


def episode_row(key: Row, episode: Episode) -> Row:
    """Return the row of an episode that was played."""
    return {
        **key,
        "goal": encodable(episode.goal_name),
        "optimal_cost": episode.optimal_cost,
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
    """Iterate over the rows of its questions."""
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
