"""Playing a task: one instance in all conditions of a study.

Nothing that happens in a condition ends a study. An agent or a teammate that fails becomes a row with its error, and
the other conditions are played as if nothing had happened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from askwise.agents import Agent, Decision, Observation
from askwise.episode import Episode, Step
from askwise.experiments.running.expecting import expected_rows
from askwise.experiments.running.problems import Problems
from askwise.experiments.schema.study import Condition, Task
from askwise.experiments.schema.tables import SCHEMAS, Row, encodable, in_words, table
from askwise.questions import QueryCost
from askwise.simulation import simulate


@dataclass
class Played:
    """What came of a task: its index and its rows."""

    index: int
    tables: dict[str, pl.DataFrame]


@dataclass
class Rows:
    """The rows of a task as they come in."""

    episodes: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    timings: list[Row] = field(default_factory=list)
    expected: list[Row] = field(default_factory=list)


def play(task: Task) -> Played:
    """Play all conditions of a task."""
    rows = Rows()
    problems = Problems(task)
    for episode in range(task.study.episodes):
        for condition in task.conditions():
            play_condition(task, problems, episode, condition, rows)
    rows.expected += expected_rows(task, problems)
    return _played(task, rows)


def failed(task: Task, error: str) -> Played:
    """Return the rows of a task that could not be played at all, for instance because its process died."""
    rows = Rows()
    for episode in range(task.study.episodes):
        rows.episodes += [failed_row(_key(task, episode, condition, None), error) for condition in task.conditions()]
    return _played(task, rows)


def _played(task: Task, rows: Rows) -> Played:
    return Played(task.index, {name: table(name, getattr(rows, name)) for name in SCHEMAS})


def play_condition(task: Task, problems: Problems, number: int, condition: Condition, rows: Rows) -> None:
    """Play one episode and add its rows."""
    key = _key(task, number, condition, None)
    clock = Clock()
    try:
        problem = problems(condition)
        start = time.perf_counter()
        key = _key(task, number, condition, problem.query_cost)
        agent = timed(condition.method.make_for(problem, condition.teammate), clock)
        episode = simulate(
            problem, agent, condition.teammate, seed=task.episode_seed(number), max_steps=task.study.max_steps
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever an agent does wrong, sys.exit() included, the study goes on
        rows.episodes.append(failed_row(key, in_words(error)))
        return
    taken = {"seconds": time.perf_counter() - start, "decide_seconds": clock.seconds}
    rows.timings.append({**key, **taken, "setup_seconds": problems.setup_seconds})
    rows.episodes.append(_episode_row(key, episode))
    rows.queries += _query_rows(key, episode)


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


def _key(task: Task, episode: int, condition: Condition, cost: QueryCost | None) -> Row:
    return {
        "instance": task.index,
        "episode": episode,
        "prior": condition.prior.label,
        "teammate": condition.teammate_label,
        "method": condition.method.label,
        "base_cost": condition.base_cost if cost is None else cost.base,
        "per_station_cost": condition.per_station_cost if cost is None else cost.per_goal,
    }


def failed_row(key: Row, error: str) -> Row:
    """Return the row of an episode that could not be played."""
    unknown = ("goal", "optimal_cost", "cost", "marginal_cost", "steps", "queries", "query_cost", "known_at")
    return {**key, **dict.fromkeys(unknown), "finished": False, "error": error}


def _episode_row(key: Row, episode: Episode) -> Row:
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


def _query_rows(key: Row, episode: Episode) -> Iterator[Row]:
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
