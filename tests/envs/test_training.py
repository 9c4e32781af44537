"""A trained policy plays as an agent and sees the same as in its environment; rewards are marginal costs."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics

import askwise
from askwise.core.game import InvalidDecision
from askwise.domains.tool_fetching.generate import generate
from askwise.envs import FLAT_ID, FLAT_PROBLEM_ID, PolicyAgent, RegretReward
from askwise.errors import AskwiseError, InputError
from tests.envs.playing import CORRIDOR, EAST, NOOP, WEST, make

INSTANCE = generate(width=6, stations=5, toolboxes=2, seed=4)
WARD = str(Path(__file__).parent.parent.parent / "examples" / "ward.toml")
STEPS = 40


def _any_allowed(seen: Any, mask: Any) -> int:
    """Choose by what is seen and nothing else, in a way that tries everything."""
    allowed = np.flatnonzero(mask)
    return int(allowed[zlib.crc32(seen.tobytes()) % allowed.size])


class Noting:
    """A policy that remembers what it was shown; copying it would be a mistake."""

    def __init__(self) -> None:
        self.shown: list[tuple[bytes, tuple[bool, ...]]] = []

    def __call__(self, seen: Any, mask: Any) -> int:
        self.shown.append((seen.tobytes(), tuple(map(bool, mask))))
        return _any_allowed(seen, mask)

    def __deepcopy__(self, memo: object) -> Noting:
        raise AssertionError("a policy may be large")


@pytest.mark.parametrize("teammate", ["urop", "noisy:0.3"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        (FLAT_ID, {"instance": INSTANCE, "scaled": True}),
        (FLAT_ID, {"instance": INSTANCE, "hints": True}),
        (FLAT_PROBLEM_ID, {"problem": WARD, "hints": True, "scaled": True}),
        (FLAT_PROBLEM_ID, {"problem": INSTANCE, "questions": ["goal", "half"]}),
        (FLAT_PROBLEM_ID, {"problem": WARD, "scaled": True, "answers": "wrong:0.1,refused:0.3"}),
    ],
)
def test_a_policy_sees_and_does_the_same_as_in_the_environment(
    name: str, options: dict[str, Any], teammate: str
) -> None:
    env = gymnasium.make(name, teammate=teammate, max_steps=STEPS, **options)
    policy = Noting()
    agent = PolicyAgent(RecordEpisodeStatistics(env), policy)
    for seed in range(3):
        inside = Noting()
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            seen, _, terminated, truncated, info = env.step(inside(seen, info["action_mask"]))
            over = terminated or truncated
        policy.shown.clear()
        episode = askwise.simulate(env.unwrapped.problem, agent, teammate, seed=seed, max_steps=STEPS)  # type: ignore[attr-defined]
        assert policy.shown == inside.shown
        assert (episode.cost, episode.goal) == (info["cost"], info["goal"])


def _asks_first(problem: Any, n_ontic: int) -> Any:
    """Ask until the goal is known, then go there on the first shortest way."""

    def policy(seen: Any, mask: Any) -> int:
        questions = np.flatnonzero(mask[n_ontic:])
        if questions.size:
            return int(n_ontic + questions[0])
        n = len(problem.goals)
        belief, ego = seen[3 + n : 3 + 2 * n], int(seen[3 + 2 * n :].argmax())
        return int(problem.ego.optimal(ego)[belief.argmax()].argmax())

    return policy


def test_what_it_costs_is_exact() -> None:
    env = gymnasium.make(FLAT_PROBLEM_ID, problem=WARD, belief="bayes", questions=["goal"])
    env.reset(seed=0)
    problem = env.unwrapped.problem  # type: ignore[attr-defined]
    agent = PolicyAgent(env, _asks_first(problem, len(problem.ego.actions.names)))
    exact = askwise.evaluate(WARD, agent, exact=True)
    # Whoever asks first has the same cost for a goal on all ways of the teammate, so two ways for each are enough.
    drawn = askwise.evaluate(WARD, agent, paths=2)
    assert exact.verdict.exact
    assert exact.expected_marginal_cost == pytest.approx(drawn.expected_marginal_cost, abs=1e-9)
    # One by one: Ada at 3/9 for 0.4, then Bo at 2/9 for 0.4 more, ... the last one is known after five questions.
    price = [0.4, 0.8, 1.2, 1.6, 2.0, 2.0]
    assert exact.expected_marginal_cost == pytest.approx(np.dot(np.array([3, 2, 1, 1, 1, 1]) / 9, price))


def test_exact_evaluation_does_not_copy_the_policy() -> None:
    env = gymnasium.make(FLAT_PROBLEM_ID, problem=WARD)
    with pytest.raises(AskwiseError, match="decisions"):
        askwise.evaluate(WARD, PolicyAgent(env, Noting()), exact=True, limit=50)


def test_an_environment_is_not_disturbed_by_an_agent_that_uses_it() -> None:
    other = generate(width=6, stations=5, toolboxes=2, seed=5)
    alone, shared = (gymnasium.make(FLAT_ID, instance=INSTANCE) for _ in range(2))
    seen, info = alone.reset(seed=1)
    shared.reset(seed=1)
    for _ in range(5):
        action = _any_allowed(seen, info["action_mask"])
        seen, _, _, _, info = alone.step(action)
        askwise.simulate(other, PolicyAgent(shared, _any_allowed), seed=1, max_steps=3)
        assert np.array_equal(shared.step(action)[0], seen)


def test_it_shows_its_belief_and_why() -> None:
    env = gymnasium.make(FLAT_ID, instance=CORRIDOR, questions=["station"])
    agent = PolicyAgent(env, lambda _, mask: int(np.flatnonzero(mask)[-1]), name="asks")
    episode = askwise.simulate(CORRIDOR, agent, seed=0, max_steps=2)
    asked = episode.steps[0].decision
    assert (agent.name, asked.why, asked.ask is not None) == ("asks", "Ask: the policy's choice.", True)
    assert agent.probabilities.sum() == pytest.approx(1.0)


def test_refusals() -> None:
    with pytest.raises(InputError, match="expected a flat one, such as askwise/ProblemFlat-v0"):
        PolicyAgent(make(instance=CORRIDOR), _any_allowed)
    env = gymnasium.make(FLAT_ID, instance=CORRIDOR)
    with pytest.raises((InputError, InvalidDecision), match="0, which the mask excludes"):
        askwise.simulate(CORRIDOR, PolicyAgent(env, lambda _, __: 0), seed=0)
    with pytest.raises(InputError, match="the shape of the spaces"):
        askwise.simulate(INSTANCE, PolicyAgent(env, _any_allowed), seed=0)
    with pytest.raises(InputError, match="one of tool fetching"):
        askwise.simulate(WARD, PolicyAgent(env, _any_allowed), seed=0)


ASK = 7  # the first question after four moves, NOOP and two pickups

ONE_WAY = """
format = "askwise/problem@1"
name = "One way"
[teammate]
start = "a"
edges = [["a", "north", "b"], ["a", "south", "c"]]
[ego]
start = "x"
edges = [["x", "left", "y"], ["x", "right", "z"]]
[goals.left]
teammate = "b"
ego = "y"
[goals.right]
teammate = "c"
ego = "z"
[query_cost]
base = 0.5
"""


def _played(env: Any, seed: int) -> tuple[list[float], dict[str, Any]]:
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        _, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        rewards.append(reward)
        over = terminated or truncated
    return rewards, {**info, "truncated": truncated}


def test_the_sum_is_what_not_knowing_the_goal_cost() -> None:
    env = RegretReward(gymnasium.make(FLAT_PROBLEM_ID, problem=WARD))
    for seed in range(10):
        rewards, info = _played(env, seed)
        assert not info["truncated"]
        assert sum(rewards) == pytest.approx(-info["marginal_cost"])
        assert max(rewards) <= 0


def test_a_step_the_wrong_way_costs_two_and_a_question_its_price() -> None:
    # The fetcher stands between both toolboxes, and it has the longer way.
    env = RegretReward(gymnasium.make(FLAT_ID, instance=CORRIDOR, questions=["toolbox"]))
    rewards = {}
    for action in (EAST, WEST, NOOP, ASK):
        env.reset(seed=0, options={"goal": "S1"})
        rewards[action] = env.step(action)[1]
    assert rewards == {EAST: 0.0, WEST: -2.0, NOOP: -1.0, ASK: -0.75}


def test_what_is_lost_for_good_is_lost_at_once(tmp_path: Path) -> None:
    file = tmp_path / "one-way.toml"
    file.write_text(ONE_WAY, encoding="utf-8")
    env = RegretReward(gymnasium.make(FLAT_PROBLEM_ID, problem=str(file), max_steps=20, questions=[]))
    env.reset(seed=0, options={"goal": "left"})
    bare: Any = env.unwrapped
    names = bare.problem.ego.actions.names
    _, reward, _, _, _ = env.step(names.index("right"))
    # Two steps would have been enough; now all twenty are spent.
    assert reward == -18.0
    rest = [env.step(names.index("STAY"))[1] for _ in range(19)]
    assert rest == [0.0] * 19


def test_only_for_environments_of_askwise() -> None:
    with pytest.raises(InputError, match="expected one of askwise"):
        RegretReward(gymnasium.make("CartPole-v1"))
