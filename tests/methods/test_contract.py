"""One contract for all agents: every class below inherits it, and every agent of askwise has such a class."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import ClassVar

import numpy as np
import pytest

from askwise import simulate
from askwise.core.episode import Episode
from askwise.core.problem import Problem, optimal_costs
from askwise.core.questions import QueryCost, Question
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.instance import Prior
from askwise.methods import AGENTS, Agent, BeliefAgent, Decision, KnowsGoal, Observation, make_agent
from askwise.seeds import Seed
from askwise.types import BoolArray, FloatArray
from tests.tool_fetching import workshop

SEEDS = range(6)


def _drawn(prior: str, walls: float, per_goal: float, seed: int) -> ToolFetching:
    cost = QueryCost(0.5, per_goal)
    return ToolFetching(
        generate(width=9, stations=12, toolboxes=3, walls=walls, prior=Prior(prior), query_cost=cost, seed=seed)
    )


TWO_GOALS = """
....A
.....
.W.F.
.....
....B
"""

THREE_GOALS = """
A...#....
.........
..W..F..C
......#..
B........
"""

MAPS: dict[str, Callable[[], Problem]] = {
    "workshop": lambda: ToolFetching(workshop()),
    "open, far": lambda: _drawn("far", 0.0, 0.0, 1),
    "open, near, dear": lambda: _drawn("near", 0.0, 0.5, 2),
    "walls, far": lambda: _drawn("far", 0.25, 0.1, 3),
    "walls, uniform": lambda: _drawn("uniform", 0.25, 0.0, 4),
    "coverage of 2": lambda: Coverage(TWO_GOALS.strip(), query_cost=QueryCost(0.25, 0.0)),
    "coverage of 3": lambda: Coverage(THREE_GOALS.strip(), prior=[1, 2, 3], query_cost=QueryCost(0.25, 0.1)),
}


def problem_of(name: str) -> Problem:
    """Return a new problem, without caches of earlier tests."""
    return MAPS[name]()


every_map = pytest.mark.parametrize("where", MAPS)


@cache
def played(method: str, where: str, seed: int) -> Episode:
    return simulate(problem_of(where), method, seed=seed)


class SentAround(Agent):
    """An agent that is pickled and unpickled before every decision."""

    def __init__(self, inner: Agent) -> None:
        self.inner = inner
        self.name = inner.name

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        self.inner.reset(problem, seed)

    def decide(self, observation: Observation) -> Decision:
        self.inner = pickle.loads(pickle.dumps(self.inner))
        return self.inner.decide(observation)

    @property
    def probabilities(self) -> FloatArray | None:
        return self.inner.probabilities


class ToldSentAround(SentAround):
    """An agent that knows the goal and is pickled and unpickled before every decision."""

    def set_goal(self, goal: int) -> None:
        assert isinstance(self.inner, KnowsGoal)
        self.inner.set_goal(goal)


def same(one: Episode, other: Episode) -> bool:
    return (one.steps, one.goal, one.final) == (other.steps, other.goal, other.final)


class Contract:
    """The contract of every agent."""

    method: ClassVar[str]
    asks: ClassVar[bool] = True
    """Whether it ever asks anything on these maps."""
    gated: ClassVar[bool] = True
    """Whether it acts only where an action is right for all possible goals, and asks only where there is none."""

    def make(self) -> Agent:
        return make_agent(self.method)

    @every_map
    def test_finishes(self, where: str) -> None:
        for seed in SEEDS:
            episode = played(self.method, where, seed)
            assert episode.finished
            assert episode.method == self.method
            # One question for each goal at most, and never idle for longer than the teammate needs to give itself away.
            best = optimal_costs(episode.problem, episode.problem.start)[episode.goal]
            assert len(episode.steps) <= 3 * best + len(episode.problem.goals)

    @every_map
    def test_the_same_seed_plays_the_same_episode(self, where: str) -> None:
        for seed in SEEDS:
            assert same(simulate(problem_of(where), self.make(), seed=seed), played(self.method, where, seed))

    def test_another_seed_plays_another_episode(self) -> None:
        stories = [[step.state for step in played(self.method, "open, far", seed).steps] for seed in SEEDS]
        assert any(story != stories[0] for story in stories)

    @every_map
    def test_can_be_sent_elsewhere_at_any_moment(self, where: str) -> None:
        for seed in list(SEEDS)[:3]:
            fresh = pickle.loads(pickle.dumps(self.make()))
            around = ToldSentAround if isinstance(fresh, KnowsGoal) else SentAround
            assert same(simulate(problem_of(where), around(fresh), seed=seed), played(self.method, where, seed))

    @every_map
    def test_can_be_used_again(self, where: str) -> None:
        agent = self.make()
        simulate(problem_of("walls, far"), agent, seed=9)
        simulate(problem_of(where), agent, seed=8, max_steps=3)  # left in the middle
        assert same(simulate(problem_of(where), agent, seed=1), played(self.method, where, 1))

    @every_map
    def test_leaves_the_problem_as_it_was(self, where: str) -> None:
        used, fresh = problem_of(where), problem_of(where)
        episode = simulate(used, self.make(), seed=2)
        assert used.prior.tolist() == fresh.prior.tolist()
        assert (used.start, used.query_cost, used.goals) == (fresh.start, fresh.query_cost, fresh.goals)
        for step in episode.steps:
            ego, teammate = step.state.ego, step.state.teammate
            np.testing.assert_array_equal(used.ego.divergence(ego), fresh.ego.divergence(ego))
            np.testing.assert_array_equal(used.teammate.divergence(teammate), fresh.teammate.divergence(teammate))
            np.testing.assert_array_equal(used.ego.optimal(ego), fresh.ego.optimal(ego))
            np.testing.assert_array_equal(used.teammate.policy(teammate), fresh.teammate.policy(teammate))

    @every_map
    def test_keeps_to_the_gate(self, where: str) -> None:
        """It asks or waits only if no action is optimal for all possible goals."""
        for seed in SEEDS:
            episode = played(self.method, where, seed)
            problem = episode.problem
            for step in episode.steps:
                assert step.belief is not None
                possible = step.belief > 0
                assert possible[episode.goal], "the true goal is never lost"
                common = np.flatnonzero(problem.ego.optimal(step.state.ego)[possible].all(axis=0))
                gate = step.decision.gate
                assert gate is not None, "every decision tells its gate"
                assert (gate.possible, list(gate.common)) == (possible.sum(), common.tolist())
                assert gate.open == (not common.size)
                if step.decision.ask is not None:
                    assert_proper(step.decision.ask, possible)
                if self.gated and common.size:
                    assert step.decision.action in common
                elif self.gated and step.decision.ask is None:
                    assert step.decision.action == problem.ego.actions.stay

    @every_map
    def test_costs_add_up(self, where: str) -> None:
        for seed in SEEDS:
            episode = played(self.method, where, seed)
            price = episode.problem.query_cost
            asked = [len(step.decision.ask) for step in episode.steps if step.decision.ask is not None]
            moves = len(episode.steps) - len(asked)
            assert episode.cost == pytest.approx(moves + sum(price.base + price.per_goal * n for n in asked), abs=1e-9)
            assert episode.marginal_cost == pytest.approx(episode.cost - episode.known_cost, abs=1e-9)
            assert len(episode.questions) == len(asked)

    @every_map
    def test_decisions_explain_themselves(self, where: str) -> None:
        for seed in SEEDS:
            episode = played(self.method, where, seed)
            for step in episode.steps:
                assert step.belief is not None
                assert_explained(episode.problem, step.decision, step.belief > 0, gated=self.gated)

    def test_asks_or_does_not(self) -> None:
        asked = sum(len(played(self.method, where, seed).questions) for where in MAPS for seed in SEEDS)
        assert (asked > 0) == self.asks

    def test_its_name(self) -> None:
        agent = self.make()
        assert agent.name == self.method
        assert repr(agent) == f"<agent {self.method}>"
        assert make_agent(agent) is agent


def assert_proper(asked: Question, possible: BoolArray) -> None:
    """Check that a question is about some but not all possible goals, each once."""
    assert 0 < len(asked) < possible.sum()
    assert len(set(asked)) == len(asked)
    assert possible[list(asked)].all()


def assert_explained(problem: Problem, decision: Decision, possible: BoolArray, *, gated: bool = True) -> None:
    assert (decision.ask is None) != (decision.action is None)
    assert decision.why.endswith(".")
    assert "\n" not in decision.why
    if decision.ask is not None:
        assert decision.why.startswith("Ask")
        assert decision.considered == decision.ask == tuple(sorted(decision.ask))
    elif decision.action == problem.ego.actions.stay and "Wait" in decision.why:
        assert decision.why.startswith("Wait: ")
    else:
        name = problem.ego.actions.names[decision.action or 0]
        assert decision.why.startswith((f"{name}: ", f"{name} is safe: "))
        if gated:
            assert decision == Decision(action=decision.action, why=decision.why), "no question was considered"
    if decision.considered is not None:
        assert_proper(decision.considered, possible)
        assert decision.cost == problem.query_cost(decision.considered)
    if decision.value is not None:
        assert decision.cost is not None
        assert decision.net == decision.value - decision.cost
        assert (decision.ask is not None) == (decision.net > 0)
        saved = f"save {decision.value:.2f} steps for a price of {decision.cost:.2f}."
        assert decision.why.endswith(saved) or ", its price included" in decision.why
    if decision.runner_up is not None:
        assert_proper(decision.runner_up[0], possible)
        assert decision.runner_up[0] != decision.considered


class BelievingContract(Contract):
    """The contract of every agent with a belief."""

    @pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
    @pytest.mark.parametrize("where", ["workshop", "walls, far", "coverage of 3"])
    def test_any_belief(self, belief: str, where: str) -> None:
        agent = make_agent(self.method, belief=belief)
        assert isinstance(agent, BeliefAgent)
        for seed in SEEDS:
            assert simulate(problem_of(where), agent, seed=seed).finished
            assert agent.belief.name == belief

    def test_a_teammate_that_errs_is_met_with_doubt(self) -> None:
        for seed in SEEDS:
            episode = simulate(workshop(), make_agent(self.method, belief="robust"), "noisy:0.2", seed=seed)
            assert episode.finished

    @every_map
    def test_stops_asking_when_one_goal_is_left(self, where: str) -> None:
        for seed in SEEDS:
            for step in played(self.method, where, seed).steps:
                assert step.belief is not None
                if (step.belief > 0).sum() == 1:
                    assert step.decision.ask is None
                    assert step.decision.why.endswith("is possible.")


class TestNever(BelievingContract):
    method = "never"
    asks = False


class TestBaseline(BelievingContract):
    method = "baseline"


class TestToolbox(BelievingContract):
    method = "toolbox"


class TestCostProb(BelievingContract):
    method = "cost-prob"


class TestEzq(BelievingContract):
    method = "ezq"


class TestEzqLocal(BelievingContract):
    method = "ezq-local"


class TestEzqExact(BelievingContract):
    method = "ezq-exact"


class TestEzqAuto(BelievingContract):
    method = "ezq-auto"


class TestOptimal(BelievingContract):
    method = "optimal"
    gated = False


class TestPlanner(BelievingContract):
    method = "planner"
    gated = False


class TestPlannerLight(BelievingContract):
    method = "planner-light"
    gated = False


class TestInformed(Contract):
    method = "informed"
    asks = False

    @every_map
    def test_loses_nothing(self, where: str) -> None:
        for seed in SEEDS:
            assert played(self.method, where, seed).marginal_cost == 0


def test_every_agent_has_signed() -> None:
    signed = {kind.method for kind in _below(Contract) if "method" in vars(kind)}
    assert signed == set(AGENTS)


def _below(kind: type[Contract]) -> list[type[Contract]]:
    return [each for child in kind.__subclasses__() for each in (child, *_below(child))]
