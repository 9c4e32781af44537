"""Environments with answers that are wrong or missing: the same luck as in `simulate`, and room for every reply."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import askwise
from askwise import AnswerModel, Game
from askwise.domains.tool_fetching import ToolFetching
from askwise.envs import problem_v0
from askwise.envs.single_agent import ProblemEnv
from askwise.seeds import spawn
from tests.refused import assert_refused
from tests.tool_fetching import workshop

HOW = "wrong:0.3,refused:0.3"
ASKED = np.array([1, 0, 0], dtype=np.int8)


def told(env: Any, n: int = 12) -> list[int]:
    """What the first questions are answered."""
    return [env.step((1, ASKED))[0]["answer"] for _ in range(n)]


def test_questions_are_answered_as_in_simulate() -> None:
    env = ProblemEnv(workshop(), answers=HOW)
    env.reset(seed=7, options={"goal": "A"})
    problem = ToolFetching(workshop()).with_answers(askwise.AnswerModel(0.3, 0.3))
    game = Game(problem, "A", answer_seed=spawn(7, 4)[3])
    replies = [game.ask((0,)).answer for _ in range(12)]
    codes = {None: 3, False: 1, True: 2}
    assert told(env) == [codes[answer.yes] for answer in replies if answer is not None]
    env.reset(seed=7, options={"goal": "A"})
    assert set(told(env, 40)) == {1, 2, 3}


@pytest.mark.parametrize("make", [lambda how: ProblemEnv(workshop(), answers=how), lambda how: _made(how)])
def test_the_space_has_room_for_every_reply(make: Any) -> None:
    cases: list[tuple[str | AnswerModel, int, bool]] = [
        ("truthful", 3, True),
        ("wrong:0.1", 3, False),
        (HOW, 4, False),
        (AnswerModel(0.0, 0.5), 4, True),
    ]
    for how, n, rules_out in cases:
        env = make(how)
        assert env.observation_space["answer"] == spaces.Discrete(n)
        env.reset(seed=1)
        for _ in range(20):
            seen = env.step((1, ASKED))[0]
            assert env.observation_space.contains(seen)
        assert seen["possible"].all() != rules_out, "only what cannot be wrong rules goals out"


def _made(how: Any) -> Any:
    return gymnasium.make("askwise/ToolFetching-v0", instance=workshop(), answers=how).unwrapped


def test_both_players_and_learners_hear_the_same() -> None:
    env = problem_v0.parallel_env(workshop(), answers=HOW)
    seen, _ = env.reset(seed=3)
    assert env.observation_spaces["ego"]["answer"] == spaces.Discrete(4)
    for _ in range(10):
        seen, *_ = env.step({"teammate": 5, "ego": (1, ASKED)})
        assert seen["teammate"]["answer"] == seen["ego"]["answer"] != 0
    flat = gymnasium.make("askwise/ProblemFlat-v0", problem=workshop(), answers=HOW)
    flat.reset(seed=1)
    for action in range(flat.action_space.n):  # type: ignore[attr-defined]
        observation = flat.step(action)[0]
        assert flat.observation_space.contains(observation)


def test_answers_that_cannot_be() -> None:
    expected = "truthful, or some of wrong:E, refused:R and persistent, with commas between"
    assert_refused(lambda: ProblemEnv(workshop(), answers="rude"), f"answers: found 'rude'; expected {expected}")
    assert_refused(
        lambda: ProblemEnv(workshop(), answers="wrong:1.5"),
        "answers: wrong: found 1.5; expected a number from 0 and below 0.5",
    )
    assert_refused(
        lambda: gymnasium.make("askwise/ToolFetching-v0", instance=workshop(), answers="refused:-0.1"),
        "answers: refused: found -0.1; expected a number from 0 and below 1",
    )
    assert_refused(
        lambda: ProblemEnv(workshop(), answers=0.1),  # type: ignore[arg-type]
        "answers: found 0.1; expected an AnswerModel, such as AnswerModel(wrong=0.05, refused=0.1)",
    )


@pytest.mark.parametrize(("name", "option"), [("Problem", "problem"), ("ToolFetching", "instance")])
def test_a_problem_whose_answers_may_be_refused_needs_a_space_for_that(name: str, option: str) -> None:
    refusing = workshop(answers={"refused": 0.3})
    env = gymnasium.make(f"askwise/{name}-v0", **{option: workshop()})  # type: ignore[arg-type]
    assert_refused(
        lambda: env.reset(options={option: refusing}),
        f"{option}: found answers that may be refused ({refusing.answers}); "
        "expected answers as in the observation space, never refused",
    )
    told = gymnasium.make(f"askwise/{name}-v0", answers="wrong:0.1", **{option: workshop()})  # type: ignore[arg-type]
    told.reset(options={option: refusing})  # the environment's own answers count
