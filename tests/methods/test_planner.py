"""The planner as an agent: options, explanations, and teammates that break its assumptions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from askwise import lower_bound, simulate, solve
from askwise.core.episode import Episode
from askwise.core.factored import FactoredProblem
from askwise.core.game import Game
from askwise.core.problem import JointState, Problem
from askwise.core.questions import QueryCost
from askwise.core.side import ModelSide
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Observation, PlannerAgent, make_agent
from askwise.model import GridWorld, Model, Policy, goal_states
from askwise.planning.planner import make_planner
from askwise.planning.settings import FULL, LIGHT, NOISY_FULL
from askwise.planning.tables import tables_of
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
    problem = drawn(0)
    tables = tables_of(problem)
    assert make_planner(problem, tables).settings == FULL
    assert make_planner(problem, tables, setting="light").settings == LIGHT
    assert make_planner(problem, tables, limited=True).settings == NOISY_FULL
    assert make_planner(problem, tables, budget=7).settings.budget == 7
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
    plan = "plan:" + ",".join(problem.teammate.actions.names[s.teammate_action or 0] for s in path.steps)
    one, other = (simulate(problem, "planner", plan, goal=3, seed=seed) for seed in (1, 2))
    assert one.steps == other.steps


def test_it_never_asks_while_something_is_free() -> None:
    """An action is free if it delays the end for no possible goal."""
    asked = 0
    for seed in range(4):
        for step in simulate(drawn(seed), PlannerAgent(setting="light"), seed=seed).steps:
            problem, (teammate, ego) = drawn(seed), (step.state.teammate, step.state.ego)
            if step.decision.ask is None or step.decision.verdict == "optimal":
                continue
            asked += 1
            assert step.belief is not None
            possible, left = step.belief > 0, problem.teammate.steps(teammate)
            now = np.maximum(left + 1, problem.ego.steps(ego))
            for action in range(len(problem.ego.actions.names)):
                there = problem.ego.next(ego, action)
                if there >= 0:
                    then = 1 + np.maximum(left, problem.ego.steps(there))
                    assert (then > now)[possible].any()
    assert asked > 0


def test_it_says_what_not_asking_and_asking_later_would_cost() -> None:
    number = r"\d+\.\d\d"
    without = rf"without asking you lose {number} steps on average"
    shapes = [
        rf"^Ask about .*: {without}; with this question {number}, its price included; "
        rf"if you act now and ask later, {number}\.$",
        rf"^Ask about .*: {without}; with this question {number}, its price included\.$",
        rf"^(Wait|\w+( \w+)?): you lose {number} steps on average; if you ask about .* now, {number}, "
        rf"its price included; if you never ask, {number}\.$",
        rf"^(Wait|\w+( \w+)? is safe): it costs nothing extra for any of the \d+ remaining goals(; {without}, "
        rf"with this plan {number})?\.$",
        rf"^(Wait|\w+( \w+)?): no question is worth its price with \d+ possible goals; {without}, "
        rf"with this plan {number}\.$",
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
    """It starts with a belief without errors; one step that no goal explains makes it switch to ``robust``."""
    agent = PlannerAgent()
    names = set()
    for seed in range(8):
        assert simulate(workshop(), agent, "noisy:0.4", seed=seed).finished
        names.add(agent.belief.name)
    assert names == {"bayes", "robust"}


# -- policies of the teammate's own ------------------------------------------------------------------------------


class Softened(FactoredProblem):
    """A teammate that takes an optimal action most of the time, and a random one otherwise."""

    slips = 0.3

    def __init__(self, size: int = 5) -> None:
        grid = GridWorld(size, size)
        corners = [(0, 0), (size - 1, 0), (0, size - 1), (size - 1, size - 1)]
        middle = grid.state((size // 2, size // 2))
        side = ModelSide(grid, [goal_states(grid, corner, "corner") for corner in corners])
        best = np.array([side.policy(state) for state in range(grid.n_states)])  # [n_states, n_goals, n_actions]
        can = grid.successor >= 0
        shares = (1 - self.slips) * best + (self.slips * can / can.sum(axis=1, keepdims=True))[:, None]
        super().__init__(
            goals=("A", "B", "C", "D"),
            prior=np.array([0.4, 0.3, 0.2, 0.1]),
            teammate_model=grid,
            teammate_goals=corners,
            ego_model=grid,
            ego_goals=corners,
            start=JointState(middle, middle),
            query_cost=QueryCost(0.5, 0.1),
            teammate_policies=[Policy(grid, shares[:, goal]) for goal in range(4)],
        )


def softened_walk(problem: Softened, goal: int, seed: int) -> list[int]:
    """Return the actions of such a teammate until it stays at its goal."""
    rng, here, actions = np.random.default_rng(seed), problem.start.teammate, []
    while True:
        share = problem.teammate.policy(here)[goal]
        actions.append(int(rng.choice(share.size, p=share)))
        if problem.teammate.steps(here)[goal] == 0 and actions[-1] == problem.teammate.actions.stay:
            return actions
        here = problem.teammate.next(here, actions[-1])


ASSUMES = "; assumes that the teammate takes a shortest path from here on"


@pytest.mark.parametrize("belief", ["bayes", "elimination", "robust"])
def test_a_teammate_with_policies_of_its_own(belief: str) -> None:
    """Its belief follows the policies, and its verdict states what it assumes about later steps."""
    problem, planned = Softened(), 0
    for seed in range(3):
        goal, agent = seed, PlannerAgent(setting="light", belief=belief)
        agent.reset(problem)
        game = Game(problem, goal)
        for action in softened_walk(problem, goal, seed) + [problem.teammate.model.stay] * 20:
            decision = agent.decide(game.observation)
            while decision.ask is not None:
                assert decision.verdict.endswith(ASSUMES)
                planned += 1
                game.ask(decision.ask)
                decision = agent.decide(game.observation)
            assert decision.action is not None
            if (agent.probabilities > 0).sum() > 1:
                assert decision.verdict.endswith(ASSUMES)
                planned += 1
            game.act(decision.action, action)
            if game.finished:
                break
        assert game.finished
    assert planned > 5


def test_with_policies_the_belief_is_theirs() -> None:
    """For a teammate that slips, a step off all shortest plans rules out no goal."""
    problem, agent = Softened(), PlannerAgent()
    agent.reset(problem)
    game, stay = Game(problem, 0), problem.teammate.model.stay
    agent.decide(game.observation)
    game.act(problem.ego.actions.stay, stay)
    agent.decide(game.observation)
    np.testing.assert_allclose(agent.probabilities, problem.prior, rtol=1e-12)


@pytest.mark.parametrize("belief", ["robust", "elimination"])
def test_other_beliefs_say_what_is_assumed_too(belief: str) -> None:
    problem = drawn(2)
    agent = PlannerAgent(belief=belief)
    agent.reset(problem)
    assert agent.decide(Observation(problem.start)).verdict.endswith(ASSUMES)


def test_goals_that_the_teammate_cannot_reach_any_more_are_left_out() -> None:
    """From `end` no path leads to A; B is left, and C if there is one."""
    for more in ([], ["C"]):
        names = ["A", "B", *more]
        edges = [("s", "left", "A"), ("s", "right", "end"), ("end", "on", "B"), ("end", "down", "C"), ("A", "b", "s")]
        walk = Model.from_edges(edges)
        ego = Model.from_edges([("0", name, name * 2) for name in names] + [(name * 2, "on", name) for name in names])
        problem = FactoredProblem(
            goals=names,
            prior=np.full(len(names), 1 / len(names)),
            teammate_model=walk,
            teammate_goals=names,
            ego_model=ego,
            ego_goals=names,
            start=JointState(walk.state("s"), ego.state("0")),
            query_cost=QueryCost(0.1),
        )
        agent = PlannerAgent(belief="robust")
        agent.reset(problem)
        stopped = JointState(walk.state("end"), problem.start.ego)
        decision = agent.decide(Observation(stopped))
        assert agent.belief.possible.all()
        if more:
            assert decision.ask in ((1,), (2,)), "nothing is asked about A"
        else:
            assert decision.action == problem.ego.actions.names.index("B")


def test_where_nothing_can_be_reached_it_waits() -> None:
    walk = Model.from_edges([("s", "left", "A"), ("s", "right", "B"), ("s", "down", "end")])
    for method in ("planner", "optimal"):
        problem = FactoredProblem(
            goals=("A", "B"),
            prior=np.array([0.5, 0.5]),
            teammate_model=walk,
            teammate_goals=["A", "B"],
            ego_model=walk,
            ego_goals=["A", "B"],
            start=JointState(walk.state("s"), walk.state("s")),
        )
        agent = make_agent(method, belief="robust")
        agent.reset(problem)
        decision = agent.decide(Observation(JointState(walk.state("end"), problem.start.ego)))
        assert (decision.action, decision.why) == (
            problem.ego.actions.stay,
            "Wait: no possible goal can be reached any more.",
        )


def refused_as(what: str) -> str:
    return (
        f"teammate_policies: found policies of the teammate's own; expected none: {what} holds for a teammate that "
        "draws one of its shortest plans uniformly; for others use the method 'planner', or evaluate methods"
    )


NEED_UROPS: dict[str, Fault] = {
    "solve": (lambda: solve(Softened()), refused_as("the optimum")),
    "optimal": (lambda: make_agent("optimal").reset(Softened()), refused_as("the optimum")),
    "lower_bound": (lambda: lower_bound(Softened()), refused_as("the bound")),
}


@each(NEED_UROPS)
def test_what_needs_urops_refuses_other_teammates(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


# -- sizes -------------------------------------------------------------------------------------------------------


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
