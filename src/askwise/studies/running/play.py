"""Playing a task: one instance in all conditions of a study.

Nothing that happens in a condition ends a study. An agent or a teammate that fails becomes a row with its error, and
the other conditions are played as if nothing had happened. For an agent that hangs, or that ends its process, it takes
somebody outside that process: see `askwise.studies.running.supervising`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.core.episode import Episode, Step
from askwise.methods import Agent, Decision, Observation
from askwise.play.simulate import simulate
from askwise.studies.running.expected_costs import expected_units
from askwise.studies.running.problems import Problems
from askwise.studies.running.rows import Played as Played
from askwise.studies.running.rows import PriceColumns, Rows, Unit, gathered
from askwise.studies.schema.study import Condition, Method, Task
from askwise.studies.schema.tables import Row, encodable, in_words
from askwise.workers import heartbeat


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
