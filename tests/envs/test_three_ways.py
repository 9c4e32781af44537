"""Gymnasium, `simulate` and exact enumeration play one game, step for step.

On small problems everything that can happen is played: every goal, and every way that a teammate may take which draws
one of its shortest plans. `simulate` plays each such episode, the environment repeats it with the decisions taken
there, and an exact evaluation must have met the same moments, no more and no fewer, and find the same cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from askwise import evaluate, simulate
from askwise.core.belief import Observation
from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.core.teammates import FixedPlan, Teammate
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import ToolFetching
from askwise.envs.single_agent import GameEnv, ProblemEnv, ToolFetchingEnv
from askwise.methods import Agent, Decision, make_agent
from askwise.seeds import Seed
from tests.envs.plain import PlainEnv
from tests.envs.playing import CORRIDOR
from tests.graphs import random_problem
from tests.tool_fetching import workshop

AGENTS = ("never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-exact", "planner-light")

PROBLEMS: dict[str, tuple[Callable[[], Any], Callable[..., GameEnv]]] = {
    "tool fetching, a corridor": (
        lambda: ToolFetching(CORRIDOR),
        lambda p, **more: ToolFetchingEnv(p.instance, **more),
    ),
    "tool fetching, a workshop": (
        lambda: ToolFetching(workshop(prior={"A": 1, "B": 2, "C": 3}, query_cost={"base": 0.25, "per_station": 0.125})),
        lambda p, **more: ToolFetchingEnv(p.instance, **more),
    ),
    "coverage": (
        lambda: Coverage("A..C\n.W..\n.F..\nB...", prior=[3, 1, 2], query_cost=QueryCost(0.2, 0.05)),
        PlainEnv,
    ),
    "tool fetching as any problem": (lambda: ToolFetching(CORRIDOR), ProblemEnv),
    "coverage as any problem": (
        lambda: Coverage("AB\nW.\nFC", prior=[3, 1, 2], query_cost=QueryCost(0.2, prices=(0.1, 0.0, 0.3))),
        ProblemEnv,
    ),
    "a graph": (lambda: random_problem(1), ProblemEnv),
    "a graph with a price for each goal": (lambda: random_problem(8, n_goals=3, by_goal=True), ProblemEnv),
}
"""Problems by name, and how to make an environment of each."""

History = tuple[Observation, ...]


# -- everything that can happen ----------------------------------------------------------------------------------


class Branching(Teammate):
    """Walks as UROPs do, and takes that one of the possible actions that it is told, at first always the first."""

    name = "branching"

    def __init__(self, chosen: Sequence[int]) -> None:
        self.chosen = list(chosen)
        self.taken: list[int] = []
        self.options: list[list[float]] = []

    def act(self, state: int) -> int:
        shares = self.problem.teammate.policy(state)[self.goal]
        actions = np.flatnonzero(shares)
        step = len(self.taken)
        self.taken.append(self.chosen[step] if step < len(self.chosen) else 0)
        self.options.append(shares[actions].tolist())
        return int(actions[self.taken[-1]])

    @property
    def probability(self) -> float:
        return math.prod(shares[k] for k, shares in zip(self.taken, self.options, strict=True))

    def another(self) -> list[int] | None:
        """Return the choices that lead to a way not taken yet, None if there is none left."""
        chosen = list(self.taken)
        while chosen and chosen[-1] + 1 == len(self.options[len(chosen) - 1]):
            chosen.pop()
        return [*chosen[:-1], chosen[-1] + 1] if chosen else None


def _every_episode(problem: Problem, method: str) -> Iterator[tuple[Episode, float]]:
    """Iterate over all episodes and their probabilities."""
    for goal in np.flatnonzero(problem.prior).tolist():
        chosen: list[int] | None = []
        while chosen is not None:
            teammate = Branching(chosen)
            episode = simulate(problem, make_agent(method), teammate, goal=goal, seed=1)
            yield episode, float(problem.prior[goal]) * teammate.probability
            chosen = teammate.another()


# -- the same in the other two ways ------------------------------------------------------------------------------


def _moments(env: GameEnv, episode: Episode, seed: int) -> Iterator[Observation]:
    """Repeat an episode in an environment, compare everything, and iterate over what was seen before each decision."""
    env.reset(seed=seed, options={"goal": episode.goal})
    game = env.play.game
    for step in episode.steps:
        assert not game.over
        assert game.state == step.state
        yield game.observation
        _, reward, terminated, truncated, info = env.step(_as_action(step.decision, len(game.problem.goals)))
        assert (game.teammate_action, game.answer) == (step.teammate_action, step.answer)
        assert -reward == info["step_cost"] == step.cost
        assert info["illegal"] is False
    assert (terminated, truncated) == (episode.finished, not episode.finished)
    assert game.state == episode.final
    assert (info["goal"], info["cost"], info["known_cost"]) == (
        episode.goal,
        episode.cost,
        episode.known_cost,
    )
    assert not episode.finished or info["marginal_cost"] == episode.marginal_cost


def _as_action(decision: Decision, n_goals: int) -> tuple[int, Any]:
    if decision.ask is None:
        return 0, decision.action
    return 1, np.isin(np.arange(n_goals), list(decision.ask)).astype(np.int8)


class Met(set[History]):
    """What some copy of an agent has met: copies of the agent share it."""

    def __deepcopy__(self, memo: object) -> Met:
        return self


class Watched(Agent):
    """Decides as another agent does, and remembers everything that it has met."""

    markov = False  # so that ways which meet are followed apart

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.met = Met()

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        super().reset(problem, seed)
        self.agent.reset(problem, seed)
        self.history: History = ()

    def decide(self, observation: Observation) -> Decision:
        self.history = (*self.history, observation)
        self.met.add(self.history)
        return self.agent.decide(observation)


@pytest.mark.parametrize("method", AGENTS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_everything_that_can_happen_happens_in_all_three(name: str, method: str) -> None:
    make_problem, make_env = PROBLEMS[name]
    problem = make_problem()
    met: set[History] = set()
    marginal, total = 0.0, 0.0
    for episode, probability in _every_episode(problem, method):
        plan = [problem.teammate.actions.names[step.teammate_action] for step in episode.steps if step.answer is None]
        env = make_env(problem, teammate=FixedPlan(plan))
        moments = list(_moments(env, episode, seed=1))
        met |= {tuple(moments[: k + 1]) for k in range(len(moments))}
        marginal += probability * episode.marginal_cost
        total += probability
    watched = Watched(make_agent(method))
    exact = evaluate(problem, watched, exact=True, seed=1)
    assert total == pytest.approx(1.0, abs=1e-12)
    assert exact.expected_marginal_cost == pytest.approx(marginal, abs=1e-9)
    assert met == watched.met


@pytest.mark.parametrize("teammate", ["urop", "uniform", "noisy:0.3", "via", "boltzmann:1"])
@pytest.mark.parametrize("method", ["never", "baseline", "ezq"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_recorded_episodes_can_be_repeated_with_any_teammate(name: str, method: str, teammate: str) -> None:
    """The same seed gives the environment's teammate the same lots, whatever it does with them."""
    make_problem, make_env = PROBLEMS[name]
    problem = make_problem()
    env = make_env(problem, teammate=teammate, max_steps=30)
    for seed in range(5):
        episode = simulate(problem, method, teammate, seed=seed, belief="robust", max_steps=30)
        assert len(list(_moments(env, episode, seed))) == len(episode.steps)
