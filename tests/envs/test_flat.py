"""The wrapper for common reinforcement-learning libraries."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation

from askwise.core.belief import ContradictoryObservation, make_belief
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.envs import FLAT_ID
from askwise.envs.flat import FlatToolFetching
from askwise.envs.questions import TOOL_FETCHING_KINDS, QuestionList, ToolFetchingContext, toolbox_numbers
from askwise.methods import Never
from tests.envs.playing import CORRIDOR, EAST, NOOP, SMALL, WEST, make, observation

N_ONTIC = 7  # of the corridor

CROSS = Instance.from_json(
    {
        "format": "askwise/tool-fetching@1",
        "width": 5,
        "height": 5,
        "toolboxes": {"right": [4, 2], "up": [2, 4]},
        "stations": {
            "a": {"at": [0, 0], "toolbox": "right"},
            "b": {"at": [4, 0], "toolbox": "right"},
            "c": {"at": [0, 4], "toolbox": "up"},
            "d": {"at": [4, 4], "toolbox": "up"},
        },
        "worker": [2, 2],
        "fetcher": [2, 2],
        "prior": {"a": 1, "b": 3, "c": 2, "d": 2},
    }
)


def _flat(**arguments: Any) -> Any:
    return gymnasium.make(FLAT_ID, **arguments)


def test_the_checker_of_gymnasium_is_content_with_the_wrapped_environment_too() -> None:
    env = _flat(**SMALL)
    # It has one complaint: that a wrapper is not the environment itself. Any other warning is an error.
    with pytest.warns(UserWarning, match="different from the unwrapped version"):
        check_env(env)


def test_the_observation_is_the_flattened_dictionary_with_the_belief() -> None:
    env = _flat(**SMALL)
    seen = env.unwrapped.observation_space
    with_belief: Any = spaces.Dict({**seen.spaces, "belief": spaces.Box(0.0, 1.0, (5,), np.float64)})
    flat, info = env.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(60):
        parts: dict[str, Any] = spaces.unflatten(with_belief, flat.astype(np.float64))
        belief = parts.pop("belief")
        expected = env.unwrapped.episodes.observe(env.unwrapped.play)
        assert parts.keys() == expected.keys()
        assert all(np.allclose(parts[key], expected[key]) for key in parts)
        assert belief.sum() == pytest.approx(1.0, abs=1e-6)
        assert flat.dtype == np.float32
        assert flat in env.observation_space
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        flat, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            flat, info = env.reset()


def test_gymnasiums_own_flattening_works_as_well() -> None:
    env = FlattenObservation(make(**SMALL))
    flat, _ = env.reset(seed=1)
    assert flat in env.observation_space
    assert flat.size + 5 == _flat(**SMALL).reset(seed=1)[0].size, "the belief is what it lacks"


def test_numbers_are_ontic_actions_first() -> None:
    env = _flat(instance=CORRIDOR)
    assert env.action_space == spaces.Discrete(N_ONTIC + 2 + 4 + 1 + 1)
    env.reset(seed=0, options={"goal": "S1"})
    _, reward, _, _, info = env.step(EAST)
    assert (reward, info["illegal"]) == (-1.0, False)
    assert env.unwrapped.play.game.teammate_action == EAST


@pytest.mark.parametrize(
    ("kinds", "asked"),
    [
        (["toolbox"], ["ab", "cd"]),
        (["move"], ["cd", "ab", "", ""]),
        (["half"], ["bc"]),
        (["likeliest"], ["b"]),
        (["station"], ["a", "b", "c", "d"]),
        ([], []),
        (["likeliest", lambda _: np.array([True, False, False, True]), "toolbox"], ["b", "ad", "ab", "cd"]),
    ],
)
def test_what_each_kind_asks(kinds: Any, asked: list[str]) -> None:
    assert _asked(kinds, np.array([True] * 4)) == asked


def test_questions_are_about_what_is_possible() -> None:
    # Without b, the others have 1/5, 2/5 and 2/5: of the two likeliest the first comes first.
    possible = np.array([True, False, True, True])
    assert _asked(["toolbox", "likeliest", "half", "station"], possible) == ["a", "cd", "c", "cd", "a", "", "c", "d"]


def test_of_two_equal_stations_one_is_a_half() -> None:
    possible = np.array([False, False, True, True])
    assert _asked(["half"], possible) == ["c"]


def _asked(kinds: Any, possible: Any) -> list[str]:
    problem = ToolFetching(CROSS)
    questions = QuestionList(kinds, problem, TOOL_FETCHING_KINDS)
    weights = np.where(possible, problem.prior, 0.0)
    boxes = toolbox_numbers(CROSS)
    rows = questions(ToolFetchingContext(problem, problem.start.ego, possible, weights / weights.sum(), boxes))
    assert len(rows) == questions.n
    return ["".join(name for name, inside in zip("abcd", row, strict=True) if inside) for row in rows]


def test_the_mask_leaves_out_what_is_not_available_and_what_is_asked_in_vain() -> None:
    env = _flat(instance=CORRIDOR)
    _, info = env.reset(seed=0, options={"goal": "S1"})
    #             N  E  S  W  NOOP picks   T1 T2  N  E  S  W  half likeliest
    assert info["action_mask"].tolist() == [0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1]
    assert info["action_mask"].dtype == np.int8
    assert env.action_masks().dtype == np.bool_
    assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()

    # "Is the tool in T2?" Yes: S1 is left, and there is nothing more to ask.
    _, reward, _, _, info = env.step(N_ONTIC + 1)
    assert (reward, info["action_mask"].tolist()) == (-0.75, [0, 1, 0, 1, 1, 0, 0, *[0] * 8])


def test_masked_actions_may_be_chosen_and_cost_what_they_cost() -> None:
    env = _flat(instance=CORRIDOR)
    env.reset(seed=0)
    _, reward, _, _, info = env.step(0)
    assert (reward, info["illegal"]) == (-1.0, True)
    _, reward, _, _, _ = env.step(N_ONTIC + 2)  # Nothing is to the north: a question about no station.
    assert reward == -0.5


def test_a_user_cannot_change_the_mask_from_outside() -> None:
    env = _flat(instance=CORRIDOR)
    env.reset(seed=0)
    env.action_masks()[:] = False
    assert env.action_masks().any()


@pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
def test_the_belief_is_the_one_that_agents_have(belief: str) -> None:
    """Follow the wrapper with an agent's own bookkeeping."""
    env, agent = _flat(**SMALL, belief=belief), Never(belief=belief)
    _, info = env.reset(seed=6)
    bare = env.unwrapped
    agent.reset(bare.problem, 0)
    rng, asked = np.random.default_rng(6), False
    for _ in range(25):
        agent.decide(observation(bare.problem, bare.episodes.observe(bare.play), asked))
        assert np.allclose(env.tracker.probabilities, agent.probabilities)
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        asked = action >= 10
        _, _, terminated, truncated, info = env.step(action)
        assert env.tracker.possible[bare.play.game.goal]
        if terminated or truncated:
            break


def test_a_belief_that_allows_no_error_says_so_when_it_sees_one() -> None:
    env = _flat(instance=CORRIDOR, teammate="plan:NOOP", belief="elimination")
    env.reset(seed=0)
    with pytest.raises(ContradictoryObservation, match="belief 'robust' allows for that"):
        env.step(NOOP)
    robust = _flat(instance=CORRIDOR, teammate="plan:NOOP")
    robust.reset(seed=0)
    robust.step(NOOP)
    assert np.allclose(robust.tracker.probabilities, make_belief("robust", np.array([0.5, 0.5])).probabilities)


def test_a_masked_random_policy_over_a_vector_environment() -> None:
    envs = gymnasium.make_vec(FLAT_ID, 4, **SMALL, max_steps=60)
    rng = np.random.default_rng(3)
    seen, info = envs.reset(seed=3)
    assert isinstance(envs.single_action_space, spaces.Discrete)
    finished, costs = 0, list[float]()
    for _ in range(400):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        seen, _, terminated, truncated, info = envs.step(actions)
        assert seen.shape == (4, *envs.single_observation_space.shape)  # type: ignore[misc]
        assert not info["illegal"].any(), "the mask allows nothing that is not available"
        over = terminated | truncated
        finished += int(over.sum())
        costs += info["marginal_cost"][terminated].tolist() if terminated.any() else []
    envs.close()
    assert finished >= 20
    assert costs
    assert min(costs) >= -1e-9


def test_the_wrapper_can_be_put_around_any_environment_of_the_id() -> None:
    env = FlatToolFetching(gymnasium.make("askwise/ToolFetching-v0", instance=CORRIDOR), questions=["half"])
    assert env.action_space == spaces.Discrete(N_ONTIC + 1)
    env.reset(seed=0)
    env.step(WEST)
    again = gymnasium.make(env.spec)  # type: ignore[arg-type]
    assert again.action_space == env.action_space
