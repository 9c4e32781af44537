"""The planner as an agent: options, explanations, teammates that are not what it assumes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from askwise.agents import PlannerAgent, make_agent
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.episode import Episode
from askwise.factored import FactoredProblem
from askwise.model import Model
from askwise.planning.search.settings import FULL, LIGHT
from askwise.problem import JointState, Problem
from askwise.questions import QueryCost
from askwise.simulation import simulate
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import workshop

TEAMMATES = ("uniform", "noisy:0.1", "noisy:0.5", "via", "boltzmann:2", "boltzmann:0.5")


def drawn(seed: int, *, stations: int = 16, walls: float = 0.0, prior: str = "uniform") -> ToolFetching:
    cost = QueryCost(0.5, 0.1)
    return ToolFetching(
        generate(width=9, stations=stations, toolboxes=3, walls=walls, prior=prior, query_cost=cost, seed=seed)
    )


# -- options -----------------------------------------------------------------------------------------------------


FAULTS: dict[str, Fault] = {
    "setting": (
        lambda: PlannerAgent(setting="lihgt"),
        "setting: found 'lihgt'; expected one of 'full', 'light' (did you mean 'light'?)",
    ),
    "no budget": (lambda: PlannerAgent(budget=0), "budget: found 0; expected a whole number from 1"),
    "half a budget": (lambda: make_agent("planner", budget=2.5), "budget: found 2.5; expected a whole number from 1"),
    "no time": (lambda: PlannerAgent(seconds=0.0), "seconds: found 0.0; expected a finite number above 0"),
    "all time": (lambda: PlannerAgent(seconds=math.inf), "seconds: found inf; expected a finite number above 0"),
}


@each(FAULTS)
def test_options_are_checked(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_settings() -> None:
    assert PlannerAgent().settings == FULL
    assert PlannerAgent(setting="light").settings == LIGHT
    assert PlannerAgent(budget=7).settings.budget == 7
    assert make_agent("planner-light").name == "planner-light"


def test_a_clock_instead_of_a_budget() -> None:
    for seed in range(3):
        assert simulate(drawn(seed), PlannerAgent(seconds=0.01), seed=seed).finished


def test_a_budget_of_one_is_enough_to_finish() -> None:
    for seed in range(3):
        assert simulate(drawn(seed), PlannerAgent(budget=1), seed=seed).finished


# -- decisions ---------------------------------------------------------------------------------------------------


def played(problem: Problem, **options: object) -> list[Episode]:
    return [simulate(problem, PlannerAgent(**options), goal=g, seed=3) for g in range(len(problem.goals))]  # type: ignore[arg-type]


def test_it_plays_the_same_whatever_the_seed_of_its_lots() -> None:
    problem = drawn(1)
    path = simulate(problem, "never", goal=3, seed=1)
    plan = "plan:" + ",".join(problem.teammate_actions[s.teammate_action or 0] for s in path.steps)
    one, other = (simulate(problem, "planner", plan, goal=3, seed=seed) for seed in (1, 2))
    assert one.steps == other.steps


def test_it_never_asks_while_something_is_free() -> None:
    """An action is free if it puts off the end for no possible goal: the teammate is no sooner there."""
    asked = 0
    for seed in range(4):
        for step in simulate(drawn(seed), PlannerAgent(setting="light"), seed=seed).steps:
            problem, (teammate, ego) = drawn(seed), (step.state.teammate, step.state.ego)
            if step.decision.ask is None or step.decision.verdict == "optimal":
                continue
            asked += 1
            assert step.belief is not None
            possible, left = step.belief > 0, problem.teammate_steps(teammate)
            now = np.maximum(left + 1, problem.ego_steps(ego))
            for action in range(len(problem.ego_actions)):
                there = problem.ego_next(ego, action)
                if there >= 0:
                    then = 1 + np.maximum(left, problem.ego_steps(there))
                    assert (then > now)[possible].any()
    assert asked > 0


def test_it_says_what_silence_and_asking_later_would_cost() -> None:
    number = r"\d+\.\d\d"
    shapes = [
        rf"^Ask about .*: expected to save {number} for a price of {number}; not knowing costs {number} in silence, "
        rf"{number} asking now, {number} acting now and asking later\.$",
        rf"^Ask about .*: expected to save {number} for a price of {number}; not knowing costs {number} in silence, "
        rf"{number} asking now, less than anything else\.$",
        rf"^(Wait|\w+( \w+)?): the best question, about .*, is expected to save -?{number} for a price of {number}; "
        rf"not knowing costs {number} in silence, {number} asking now, {number} acting now and asking later\.$",
        rf"^(Wait|\w+( \w+)?): loses nothing, whichever of the \d+ possible goals it is; not knowing costs {number} "
        rf"in silence, {number} as planned\.$",
        rf"^(Wait|\w+( \w+)?): no question is worth its price with \d+ possible goals; not knowing costs {number} "
        rf"in silence, {number} as planned\.$",
        r"^\w+( \w+)?: only S\d+ is possible\.$",
    ]
    met = set()
    for seed in range(10):
        for step in simulate(drawn(seed, stations=25), "planner", seed=seed).steps:
            matching = [k for k, shape in enumerate(shapes) if re.match(shape, step.decision.why)]
            assert len(matching) == 1, step.decision.why
            met.update(matching)
    assert met == set(range(len(shapes)))


def test_cheaper_than_silence_and_than_the_method_of_the_paper() -> None:
    costs = {
        method: np.mean([simulate(drawn(seed), method, seed=seed).marginal_cost for seed in range(25)])
        for method in ("never", "ezq-local", "planner", "planner-light")
    }
    assert costs["planner"] < costs["ezq-local"] < costs["never"]
    assert costs["planner-light"] < costs["ezq-local"]


# -- other teammates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("teammate", TEAMMATES)
@pytest.mark.parametrize("belief", ["bayes", "robust"])
def test_other_teammates_are_served_too(teammate: str, belief: str) -> None:
    for seed in range(6):
        problem = drawn(seed, walls=0.15 * (seed % 2), prior=("far", "uniform", "near")[seed % 3])
        assert simulate(problem, "planner-light", teammate, belief=belief, seed=seed).finished


def test_contradictions_make_it_doubt() -> None:
    """It begins as if the teammate made no mistakes; one step that nothing explains ends that."""
    agent = PlannerAgent()
    names = set()
    for seed in range(8):
        assert simulate(workshop(), agent, "noisy:0.4", seed=seed).finished
        names.add(agent.belief.name)
    assert names == {"bayes", "robust"}


def test_goals_that_end_in_one_state_are_told_apart_by_asking() -> None:
    """Watching does not tell A from B; the ego agent has to be on the left for one, on the right for the other."""
    corridor = Model([[1, -1], [2, 0], [3, 1], [4, 2], [-1, 3]], actions=["R", "L"])
    problem = FactoredProblem(
        goals=("A", "B", "C"),
        prior=np.array([0.4, 0.4, 0.2]),
        teammate_model=corridor,
        teammate_goals=[4, 4, 0],
        ego_model=corridor,
        ego_goals=[0, 4, 2],
        start=JointState(2, 2),
        query_cost=QueryCost(0.5, 0.0),
    )
    for episode in played(problem):
        assert episode.finished


def test_more_goals_than_bits_in_a_word() -> None:
    problem = ToolFetching(generate(width=12, stations=70, toolboxes=4, prior="far", seed=2))
    for seed in range(2):
        assert simulate(problem, "planner-light", seed=seed).finished


def test_goals_of_prior_zero_are_left_alone() -> None:
    weights = {"A": 1.0, "B": 1.0, "C": 0.0}
    for seed in range(4):
        episode = simulate(workshop(prior=weights), "planner", seed=seed)
        assert episode.finished
        for step in episode.steps:
            assert 2 not in (step.decision.ask or ())
