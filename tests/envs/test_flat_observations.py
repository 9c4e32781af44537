"""The flat environment: what its numbers ask, scaled observations, and hints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import askwise

WARD = Path(__file__).parent.parent.parent / "examples" / "ward.toml"


def _single(**more: Any) -> Any:
    return gymnasium.make("askwise/ProblemFlat-v0", problem=WARD, **more)


def test_a_number_says_what_it_would_ask() -> None:
    env: Any = _single(questions=["goal", "likeliest"])
    env.reset(seed=1)
    problem: askwise.Problem = env.unwrapped.problem
    n = len(problem.ego.actions.names)
    assert [env.unwrapped.question(k) for k in range(n)] == [None] * n
    assert [env.unwrapped.question(n + k) for k in range(len(problem.goals))] == [(name,) for name in problem.goals]
    assert env.unwrapped.question(np.int64(n + 1)) == (problem.goals[1],)
    with pytest.raises(askwise.InputError):
        env.unwrapped.question(n + len(problem.goals) + 1)
    # Pairs, as without the wrapper.
    assert env.unwrapped.question((0, 1)) is None
    assert env.unwrapped.question((1, [1, 0, 1, 0, 0, 0])) == (problem.goals[0], problem.goals[2])


def test_nothing_is_asked_before_the_first_episode() -> None:
    env = _single()
    for ask in (env.unwrapped.question, lambda _: env.get_wrapper_attr("action_masks")()):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            ask(9)


def test_scaled_observations_lie_between_0_and_1_and_tell_the_same() -> None:
    plain: Any = gymnasium.make("askwise/ToolFetchingFlat-v0", size=6, stations=4, toolboxes=2)
    scaled: Any = gymnasium.make("askwise/ToolFetchingFlat-v0", size=6, stations=4, toolboxes=2, scaled=True)
    assert scaled.observation_space.low.min() == 0
    assert scaled.observation_space.high.max() == 1
    low, high = plain.observation_space.low, plain.observation_space.high
    rng = np.random.default_rng(5)
    one, info = plain.reset(seed=4)
    two, _ = scaled.reset(seed=4)
    for _ in range(20):
        assert scaled.observation_space.contains(two)
        np.testing.assert_allclose(
            two * np.where(high > low, high - low, 1) + np.where(high > low, low, 0), one, rtol=1e-6
        )
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        one, *_, info = plain.step(action)
        two, *_ = scaled.step(action)
        if plain.unwrapped.play.game.over:
            break


def test_hints_say_how_likely_each_action_is_to_be_right() -> None:
    env: Any = _single(hints=True, belief="bayes")
    plain: Any = _single(belief="bayes")
    seen, info = env.reset(seed=2)
    problem: askwise.Problem = env.unwrapped.problem
    n_actions, n_goals = int(env.action_space.n), len(problem.goals)
    less, _ = plain.reset(seed=2)
    # Keys come in alphabetical order: answer, asked, belief, ego, hints, and the rest.
    first = 3 + 2 * n_goals + int(env.unwrapped.observation_space["ego"].n)
    rng = np.random.default_rng(7)
    while not env.unwrapped.play.game.over:
        np.testing.assert_array_equal(np.delete(seen, np.s_[first : first + n_actions]), less)
        found, belief = seen[first : first + n_actions], env.get_wrapper_attr("tracker").probabilities
        for action, hint in enumerate(found.tolist()):
            asked = env.unwrapped.question(action)
            if asked is None:
                right = problem.ego.optimal(env.unwrapped.play.game.state.ego)[:, action]
            else:
                right = np.isin(problem.goals, asked)
            assert hint == pytest.approx(belief[right].sum(), abs=1e-6)
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        seen, *_, info = env.step(action)
        less, *_ = plain.step(action)
    assert env.observation_space.contains(seen)
