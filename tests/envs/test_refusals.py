"""Bad arguments, options and actions: the message says what was found and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from askwise.domains.tool_fetching import Prior
from askwise.envs.flat import FlatToolFetching
from askwise.envs.single_agent import ToolFetchingEnv
from askwise.envs.tool_fetching_v0 import parallel_env
from tests.envs.playing import CORRIDOR, NOOP, SMALL, act, make
from tests.refused import Fault, assert_refused, each

KINDS = "uniform, far, near, fetcher-far, fetcher-near"
QUESTIONS = "'toolbox', 'move', 'half', 'likeliest', 'station', or a callable"
TEAMMATES = "'urop', 'uniform', 'noisy', 'via', 'boltzmann', 'policy', 'plan'"
SETTINGS = "size, stations, toolboxes, walls, clustered, prior, query_cost, instance"


def _making(**arguments: Any) -> Callable[[], object]:
    return lambda: ToolFetchingEnv(**arguments)


def _resetting(**options: Any) -> Callable[[], object]:
    return lambda: make(instance=CORRIDOR).reset(options=options)


def _stepping(action: Any) -> Callable[[], object]:
    def step() -> object:
        env = make(instance=CORRIDOR)
        env.reset(seed=0)
        return env.step(action)

    return step


def _flat(**arguments: Any) -> Callable[[], object]:
    return lambda: FlatToolFetching(make(**SMALL), **arguments)


def _both(actions: dict[str, Any]) -> Callable[[], object]:
    def step() -> object:
        env = parallel_env(instance=CORRIDOR)
        env.reset(seed=0)
        return env.step(actions)

    return step


ARGUMENTS: dict[str, Fault] = {
    "unknown": (
        _making(station=5),
        f"argument: found 'station'; expected one of {SETTINGS} (did you mean 'stations'?)",
    ),
    "both": (
        _making(instance=CORRIDOR, size=5, walls=0.1),
        "argument: found size, walls together with an instance; expected settings, or an instance",
    ),
    "not an instance": (
        _making(instance=7),
        "instance: found 7; expected an Instance or the path of an instance file",
    ),
    "no such file": (
        _making(instance="nowhere.json"),
        "file 'nowhere.json': found no such file or directory; expected a file that can be read",
    ),
    "size in words": (_making(size="ten"), "size: found 'ten'; expected a whole number, or two"),
    "three sides": (_making(size=(3, 4, 5)), "size: found (3, 4, 5); expected a whole number, or two"),
    "no cells": (_making(size=0), "width: found 0; expected a whole number from 1 to 10000"),
    "half a station": (_making(stations=2.5), "stations: found 2.5; expected a whole number"),
    "no stations": (_making(stations=0), "stations: found 0; expected a whole number from 1"),
    "too many stations": (
        _making(size=3, stations=8, toolboxes=2),
        "stations and toolboxes: found 8 and 2; expected at most 9 in total, the cells of the largest region on a "
        "3 x 3 grid with 0 walls",
    ),
    "walls only": (_making(walls=1.0), "walls: found 1.0; expected a number from 0 to below 1"),
    "walls in words": (_making(walls="some"), "walls: found 'some'; expected a number from 0 to below 1"),
    "prior": (_making(prior="fare"), f"prior: found 'fare'; expected one of {KINDS} (did you mean 'far'?)"),
    "weights": (
        _making(prior=Prior("weights", weights={"S1": 1.0})),
        "prior: found Prior(kind='weights', temperature=1.0, weights={'S1': 1.0}); expected one of " + KINDS,
    ),
    "teammate": (
        _making(teammate="noise"),
        f"teammate: found 'noise'; expected one of {TEAMMATES} (did you mean 'noisy'?)",
    ),
    "limit": (_making(max_steps=0), "max_steps: found 0; expected a whole number from 1, or None"),
    "render mode": (
        _making(render_mode="text"),
        "render_mode: found 'text'; expected None or one of 'ansi', 'human', 'rgb_array'",
    ),
    "questions as one word": (_flat(questions="half"), "questions: found 'half'; expected a list, such as ['half']"),
    "unknown question": (
        _flat(questions=["toolbox", "halves"]),
        f"questions: found 'halves'; expected one of {QUESTIONS} (did you mean 'half'?)",
    ),
    "belief": (_flat(belief="firm"), "belief: found 'firm'; expected one of 'elimination', 'bayes', 'robust'"),
    "another environment": (
        lambda: FlatToolFetching(gymnasium.make("CartPole-v1")),
        "environment: found CartPoleEnv; expected a ToolFetchingEnv",
    ),
}

OPTIONS: dict[str, Fault] = {
    "unknown": (_resetting(gaol=1), "option: found 'gaol'; expected one of goal, instance (did you mean 'goal'?)"),
    "goal": (_resetting(goal="S3"), "goal: found 'S3'; expected one of S1, S2"),
    "goal by number": (_resetting(goal=2), "goal: found 2; expected one of S1, S2"),
    "another shape": (
        _resetting(instance=type(CORRIDOR).from_json(CORRIDOR.to_json() | {"width": 7})),
        "option 'instance': found 7 x 1 cells, 2 stations and 2 toolboxes; "
        "expected 6 x 1 cells, 2 stations and 2 toolboxes, the shape of the spaces",
    ),
}

ACTIONS: dict[str, Fault] = {
    "a number": (_stepping(3), "action: found 3; expected (0, ontic action) or (1, question)"),
    "a third kind": (_stepping((2, 0)), "action: found (2, 0); expected (0, ontic action) or (1, question)"),
    "too large": (_stepping((0, 7)), "ontic action: found 7; expected a whole number from 0 to 6"),
    "negative": (_stepping((0, -1)), "ontic action: found -1; expected a whole number from 0 to 6"),
    "a word": (_stepping((0, "EAST")), "ontic action: found 'EAST'; expected a whole number from 0 to 6"),
    "too long a question": (
        _stepping((1, [1, 0, 1])),
        "question: found [1, 0, 1]; expected 2 zeros and ones, one for each station",
    ),
    "a question of numbers": (
        _stepping((1, np.array([2, 0]))),
        "question: found array([2, 0]); expected 2 zeros and ones, one for each station",
    ),
    "a question in words": (
        _stepping((1, ["S1", "S2"])),
        "question: found ['S1', 'S2']; expected 2 zeros and ones, one for each station",
    ),
    "a ragged question": (
        _stepping((1, [[1], 0])),
        "question: found [[1], 0]; expected 2 zeros and ones, one for each station",
    ),
    "only one acts": (
        _both({"fetcher": act(NOOP)}),
        "actions: found those of fetcher; expected one of worker and one of fetcher",
    ),
    "nobody acts": (_both({}), "actions: found those of no agent; expected one of worker and one of fetcher"),
    "worker": (
        _both({"worker": 6, "fetcher": act(NOOP)}),
        "worker's action: found 6; expected a whole number from 0 to 5",
    ),
}


@each(ARGUMENTS)
def test_bad_arguments_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@each(OPTIONS)
def test_bad_options_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@each(ACTIONS)
def test_bad_actions_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@pytest.mark.parametrize("make_env", [make, parallel_env])
def test_nothing_can_be_done_before_the_start(make_env: Any) -> None:
    with pytest.raises(ResetNeeded, match=r"^call reset\(\) first$"):
        make_env(instance=CORRIDOR).step(act(NOOP))


@pytest.mark.parametrize(
    ("make_env", "action"),
    [(make, act(NOOP)), (parallel_env, {"worker": 5, "fetcher": act(NOOP)})],
    ids=["Gymnasium", "PettingZoo"],
)
def test_nothing_can_be_done_after_the_end(make_env: Any, action: Any) -> None:
    env = make_env(instance=CORRIDOR, max_steps=1)
    env.reset(seed=0)
    env.step(action)
    with pytest.raises(ResetNeeded, match=r"^the episode is over: call reset\(\) first$"):
        env.step(action)


def test_a_refused_action_changes_nothing() -> None:
    env = make(instance=CORRIDOR)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="whole number"):
        env.step((0, 99))
    assert env.step(act(NOOP))[4]["cost"] == 1.0
