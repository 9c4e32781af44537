"""Exact evaluation: by hand, compared with episodes and with the optimum, for agents of every kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

import askwise
from askwise import evaluate, lower_bound, simulate, solve
from askwise.core.game import InvalidDecision
from askwise.core.problem import Problem, optimal_costs
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import AskwiseError
from askwise.methods import AGENTS, Agent, Decision, Never, Observation, make_agent
from askwise.planning.exact import TooLarge
from tests.planning.test_exact import fork
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import instances, workshop

SEVERAL: dict[str, Callable[[], Problem]] = {
    "workshop": lambda: ToolFetching(workshop(prior="far")),
    "open": lambda: ToolFetching(generate(width=6, stations=5, toolboxes=2, seed=4, query_cost=QueryCost(0.5, 0.2))),
    "walls": lambda: ToolFetching(generate(width=6, stations=5, toolboxes=2, walls=0.2, prior="near", seed=8)),
    "coverage": lambda: Coverage("A..#.B\n..W...\n....F.\nC....A", prior=[1, 2, 3], query_cost=QueryCost(0.25, 0.1)),
}
every_map = pytest.mark.parametrize("where", SEVERAL)


# -- by hand -----------------------------------------------------------------------------------------------------


def test_never_asking_costs_one_step_of_watching() -> None:
    """The worker's first step shows its goal; the fetcher has waited one step for it."""
    found = evaluate(fork(), "never", exact=True)
    assert found.expected_marginal_cost == pytest.approx(1.0)
    assert found.expected_cost == pytest.approx(6.0)
    assert (found.stderr, found.ci) == (0.0, (found.expected_marginal_cost,) * 2)
    assert found.verdict.exact


class AsksTwice(Never):
    """An agent that asks about A twice, so that its decisions depend on its past."""

    markov = False

    def reset(self, problem: Problem, seed: askwise.seeds.Seed = None) -> None:
        super().reset(problem, seed)
        self.asked = 0

    def decide(self, observation: Observation) -> Decision:
        decision = super().decide(observation)
        self.asked += 1
        return Decision(ask=(0,), why="Ask.") if self.asked <= 2 else decision


def test_an_agent_that_remembers() -> None:
    found = evaluate(fork(query_cost={"base": 0.2, "per_station": 0.1}), AsksTwice(), exact=True)
    assert found.expected_marginal_cost == pytest.approx(0.6)
    assert str(found.verdict) == "exact, every branch that it can meet"


class Guesses(Agent):
    """An agent without a belief that serves the first goal, then the other one."""

    def decide(self, observation: Observation) -> Decision:
        stays = (
            observation.teammate_action is not None
            and observation.teammate_action == self.problem.teammate.actions.stay
        )
        goals = np.flatnonzero(self.problem.teammate.steps(observation.state.teammate) == 0)
        goal = int(goals[0]) if stays and goals.size else 0
        return Decision(action=int(self.problem.ego.optimal(observation.state.ego)[goal].argmax()), why="Go.")


def test_an_agent_without_a_belief() -> None:
    """The guess is right for A. For B the worker first works in step 4, when the fetcher is one step from (0, 1)."""
    problem = fork()
    found = evaluate(problem, Guesses(), exact=True)
    costs = [simulate(problem, Guesses(), goal=goal, seed=0).marginal_cost for goal in (0, 1)]
    assert costs[0] == 0
    assert found.expected_marginal_cost == pytest.approx(np.mean(costs))
    assert str(found.verdict) == "exact, every branch that it can meet"


# -- against episodes --------------------------------------------------------------------------------------------


@every_map
@pytest.mark.parametrize("method", ["never", "cost-prob", "ezq-exact", "optimal"])
def test_agrees_with_episodes(where: str, method: str) -> None:
    problem = SEVERAL[where]()
    exact = evaluate(problem, method, exact=True)
    sample = evaluate(problem, method, episodes=400, seed=1)
    assert abs(sample.expected_marginal_cost - exact.expected_marginal_cost) <= 4 * sample.stderr + 1e-9
    assert exact.expected_cost - exact.expected_marginal_cost == pytest.approx(
        float(problem.prior @ optimal_costs(problem, problem.start))
    )


@every_map
def test_following_ways_once_or_each_for_itself_is_the_same(where: str) -> None:
    class Apart(Never):
        markov = False

    problem = SEVERAL[where]()
    once, each_way = (evaluate(problem, kind(), exact=True) for kind in (Never, Apart))
    if "random" not in str(once.verdict):
        assert once.expected_marginal_cost == pytest.approx(each_way.expected_marginal_cost, abs=1e-12)
    assert once.states <= each_way.states


# -- the optimum -------------------------------------------------------------------------------------------------


@given(drawn=instances())
@settings(max_examples=25)
def test_the_agent_reaches_the_optimum_of_any_tiny_instance(drawn: Instance) -> None:
    """This includes free questions, where every option may cost nothing."""
    found = evaluate(drawn, "optimal", exact=True)
    assert found.expected_marginal_cost == pytest.approx(solve(drawn).expected_marginal_cost, abs=1e-9)


@every_map
def test_the_agent_reaches_the_optimum(where: str) -> None:
    problem = SEVERAL[where]()
    optimum = solve(problem)
    found = evaluate(problem, "optimal", exact=True)
    assert found.expected_marginal_cost == pytest.approx(optimum.expected_marginal_cost, abs=1e-12)
    assert found.expected_cost == pytest.approx(optimum.expected_cost, abs=1e-12)
    assert str(found.verdict) == "exact, every state that it can meet"


@pytest.mark.parametrize("seed", range(6))
def test_no_method_is_below_the_optimum(seed: int) -> None:
    kind, per_goal = ("uniform", "far", "near")[seed % 3], (0.0, 0.2)[seed % 2]
    problem = ToolFetching(
        generate(
            width=6, stations=6, toolboxes=3, walls=0.2 * (seed > 2), prior=kind, query_cost=QueryCost(0.5, per_goal),
            seed=seed,
        )
    )  # fmt: skip
    optimum = solve(problem).expected_marginal_cost
    for method in AGENTS:
        found = evaluate(problem, method, exact=True)
        assert found.expected_marginal_cost >= optimum - 1e-9 or method == "informed"


def test_who_is_told_the_goal_loses_nothing() -> None:
    found = evaluate(workshop(), "informed", exact=True)
    assert found.expected_marginal_cost == 0.0


def test_a_belief_that_remembers_the_way() -> None:
    found = evaluate(workshop(), "never", belief="robust", exact=True)
    assert str(found.verdict).startswith("exact, every branch")


# -- repeatable, and only so large -------------------------------------------------------------------------------


def test_the_seed_decides_about_lots() -> None:
    problem = ToolFetching(generate(width=6, stations=6, toolboxes=3, seed=2))
    one, same, *others = (evaluate(problem, "baseline", exact=True, seed=seed) for seed in (1, 1, 2, 3, 4, 5))
    assert one == same
    assert str(one.verdict) == "exact, every state that it can meet, random choices by the seed"
    assert any(one.expected_marginal_cost != other.expected_marginal_cost for other in others)


def test_the_agent_that_is_given_is_left_alone() -> None:
    agent = make_agent("never")
    evaluate(workshop(), agent, exact=True)
    assert not hasattr(agent, "problem")


def test_too_large() -> None:
    with pytest.raises(TooLarge) as caught:
        evaluate(workshop(), "never", exact=True, limit=5)
    assert str(caught.value) == (
        "too large to evaluate exactly: agent 'never' is not done after 5 decisions; "
        "go on anyway (go_on, --go-on), or draw episodes (episodes, --episodes)"
    )
    whole = evaluate(workshop(), "never", exact=True)
    assert evaluate(workshop(), "never", exact=True, limit=5, go_on=True) == whole
    assert evaluate(workshop(), "never", limit=5, go_on=True) == whole
    assert evaluate(workshop(), "never", episodes=4, go_on=True) == evaluate(workshop(), "never", episodes=4)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.play.enumeration.DECISIONS_A_TURN", 5)
    told: list[int] = []
    found = evaluate(workshop(), "never", exact=True, progress=told.append)
    assert told == list(range(5, found.states + 1, 5))


class Idle(Agent):
    """An agent that never does anything."""

    markov = True

    def decide(self, observation: Observation) -> Decision:
        return Decision(action=self.problem.ego.actions.stay, why="Wait.")


class Nagging(Agent):
    """An agent that always asks the same question."""

    markov = True

    def decide(self, observation: Observation) -> Decision:
        return Decision(ask=(0,), why="Ask.")


@pytest.mark.parametrize("kind", [Idle, Nagging])
@pytest.mark.parametrize("how", [{"exact": True}, {"episodes": 2}])
def test_an_agent_that_never_ends(kind: type[Agent], how: dict[str, int]) -> None:
    with pytest.raises(AskwiseError) as caught:
        evaluate(fork(), kind(), **how)  # type: ignore[arg-type]
    assert str(caught.value) == f"agent {kind.name!r} is not done after 1,250 steps: it has no cost"


def test_an_impossible_decision_is_told() -> None:
    class Jumps(Agent):
        def decide(self, observation: Observation) -> Decision:
            return Decision(action=2, why="Jump.")

    with pytest.raises(InvalidDecision, match="step 1: agent 'jumps' chose SOUTH, which is not available there"):
        evaluate(fork(), Jumps(), exact=True)


def test_without_a_choice_small_problems_are_exact_and_others_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = evaluate(workshop(), "never")
    assert exact == evaluate(workshop(), "never", exact=True)
    monkeypatch.setattr("askwise.play.evaluate.FEW_DECISIONS", exact.states - 1)
    monkeypatch.setattr("askwise.play.evaluate.EPISODES", 6)
    assert evaluate(workshop(), "never") == evaluate(workshop(), "never", episodes=6)


FAULTS: dict[str, Fault] = {
    "two ways": (
        lambda: evaluate(workshop(), exact=True, paths=3),
        "exact, episodes, paths: found exact and paths; expected at most one of the three",
    ),
    "one episode": (lambda: evaluate(workshop(), episodes=1), "episodes: found 1; expected a whole number from 2"),
    "no episode": (lambda: evaluate(workshop(), episodes=0), "episodes: found 0; expected a whole number from 2"),
    "half a path": (lambda: evaluate(workshop(), paths=2.5), "paths: found 2.5; expected a whole number from 2"),  # type: ignore[arg-type]
    "no decision": (
        lambda: evaluate(workshop(), exact=True, limit=0),
        "limit: found 0; expected a whole number from 1",
    ),
    "no state": (lambda: solve(workshop(), limit=0), "limit: found 0; expected a whole number from 1"),
    "no state for a group": (
        lambda: lower_bound(workshop(), limit=0),
        "limit: found 0; expected a whole number from 1",
    ),
    "no seed": (
        lambda: lower_bound(workshop(), tight=True, seed=-1),
        "seed: found -1; expected a whole number from 0",
    ),
    "an agent with options": (
        lambda: evaluate(workshop(), Never(), exact=True, belief="bayes"),
        "belief: found 'bayes' for an agent object; expected this option only with an agent given by name",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
