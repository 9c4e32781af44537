"""Random graphs: every method plays them to the end, and exact evaluation equals a plain recursion."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askwise
from askwise import evaluate, solve
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer
from askwise.errors import AskwiseError
from askwise.methods import AGENTS, Agent, KnowsGoal, Observation, make_agent
from askwise.methods.base import limit_questions
from askwise.model import Model, Policy, boltzmann, urop
from askwise.planning.exact import TooLarge
from askwise.seeds import spawn
from tests.graphs import lopsided, random_problem

seeds = st.integers(0, 10**6)


def plain_cost(problem: Problem, agent: Agent, observation: Observation, weights: dict[int, float]) -> float:
    """Return the expected cost of an agent from here on, times the probability of being here, by its definition.

    Branches are not joined, and each path of the teammate has the probability that its policy gives it.
    """
    decision = agent.decide(observation)
    state = observation.state
    if decision.ask is not None:
        paid = sum(weights.values()) * problem.query_cost(decision.ask)
        for yes in (True, False):
            left = {goal: weight for goal, weight in weights.items() if (goal in decision.ask) is yes}
            if left:
                seen = Observation(state, None, Answer(decision.ask, yes))
                paid += plain_cost(problem, copy.deepcopy(agent), seen, left)
        return paid
    assert decision.action is not None
    paid = sum(weights.values())
    ego = problem.ego.next(state.ego, decision.action)
    for action in range(len(problem.teammate.actions.names)):
        left = {}
        for goal, weight in weights.items():
            share = float(problem.teammate.policy(state.teammate)[goal, action])
            there = state.teammate in problem.teammate.targets(goal)
            over = action == problem.teammate.actions.stay and there and problem.ego.steps(ego)[goal] == 0
            if share > 0 and not over:
                left[goal] = weight * share
        if left:
            seen = Observation(JointState(problem.teammate.next(state.teammate, action), ego), action)
            paid += plain_cost(problem, copy.deepcopy(agent), seen, left)
    return paid


def plain_expected_cost(problem: Problem, agent: Agent) -> float:
    prior = {goal: float(p) for goal, p in enumerate(problem.prior) if p > 0}
    roots = [{goal: p} for goal, p in prior.items()] if isinstance(agent, KnowsGoal) else [prior]
    total = 0.0
    for weights in roots:
        own = copy.deepcopy(agent)
        own.reset(problem, spawn(0, 3)[2])
        if isinstance(own, KnowsGoal):
            own.set_goal(min(weights))
        total += plain_cost(problem, own, Observation(problem.start), weights)
    return total


def each_way_for_itself(method: str) -> Agent:
    """Return an agent whose branches are never joined, so that it chooses at random in each of them."""
    agent = make_agent(method)
    agent.markov = False
    return agent


@pytest.mark.parametrize("method", AGENTS)
@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_exact_evaluation_equals_a_plain_recursion(method: str, seed: int) -> None:
    problem = random_problem(seed, by_goal=seed % 2 == 0)
    found = evaluate(problem, each_way_for_itself(method), exact=True)
    assert found.expected_cost == pytest.approx(plain_expected_cost(problem, each_way_for_itself(method)), rel=1e-12)


@pytest.mark.parametrize("method", ["planner", "planner-light", "optimal", "cost-prob"])
@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_putting_ways_together_changes_nothing(method: str, seed: int) -> None:
    problem = random_problem(seed)
    found = evaluate(problem, method, exact=True)
    if "random" not in str(found.verdict):
        assert found.expected_cost == pytest.approx(plain_expected_cost(problem, make_agent(method)), rel=1e-12)


@pytest.mark.parametrize("method", AGENTS)
@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_every_method_plays_every_graph_to_the_end(method: str, seed: int) -> None:
    problem = random_problem(seed)
    for goal in range(len(problem.goals)):
        episode = askwise.simulate(problem, method, goal=goal, seed=seed)
        assert episode.finished
        assert method != "informed" or episode.marginal_cost == 0


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_no_method_is_below_the_optimum(seed: int) -> None:
    problem = random_problem(seed, by_goal=seed % 2 == 1)
    best = solve(problem).expected_marginal_cost
    assert evaluate(problem, "optimal", exact=True).expected_marginal_cost == pytest.approx(best, abs=1e-12)
    for method in sorted(set(AGENTS) - {"informed"}):
        assert evaluate(problem, method, exact=True).expected_marginal_cost >= best - 1e-12


# -- teammates with policies of their own ------------------------------------------------------------------------

PAPER = ("never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-local", "ezq-exact", "ezq-auto")


@pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_policies_of_their_own_are_evaluated_exactly(belief: str, seed: int) -> None:
    problem = random_problem(seed, policies=lopsided)
    for method in ("never", "cost-prob", "planner"):
        agents = [make_agent(method, belief=belief) for _ in range(2)]
        for agent in agents:
            agent.markov = False
        found = evaluate(problem, agents[0], exact=True)
        assert found.verdict.exact
        assert found.expected_cost == pytest.approx(plain_expected_cost(problem, agents[1]), rel=1e-12)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_ways_that_meet_are_put_together_only_where_the_belief_is_the_same(seed: int) -> None:
    problem = random_problem(seed, policies=lopsided)
    for belief in ("elimination", "bayes"):
        found = evaluate(problem, "cost-prob", belief=belief, exact=True)
        if "random" not in str(found.verdict):
            plain = plain_expected_cost(problem, make_agent("cost-prob", belief=belief))
            assert found.expected_cost == pytest.approx(plain, rel=1e-12)


def careless(model: Model, targets: list[int], rng: np.random.Generator) -> Policy:
    return boltzmann(model, targets, float(rng.uniform(1.0, 3.0)))


@pytest.mark.parametrize("method", [*PAPER, "planner", "planner-light", "informed"])
@given(seed=seeds)
@settings(max_examples=6, deadline=None)
def test_every_method_plays_with_teammates_that_take_detours(method: str, seed: int) -> None:
    problem = random_problem(seed, policies=careless)
    for goal in range(len(problem.goals)):
        assert askwise.simulate(problem, method, goal=goal, seed=seed).finished


def known_cost(problem: askwise.FactoredProblem, goal: int) -> float:
    """Return the expected cost with the goal known, from the arrival times of a teammate that follows its policy."""
    needed = int(problem.ego.steps(problem.start.ego)[goal])
    targets = set(problem.teammate.targets(goal).tolist())
    walking, total, t = {problem.start.teammate: 1.0}, 0.0, 0
    while sum(walking.values()) > 1e-16:
        total += max(t + 1, needed) * sum(mass for state, mass in walking.items() if state in targets)
        following: dict[int, float] = {}
        for state, mass in walking.items():
            if state not in targets:
                for action, share in enumerate(problem.teammate.policy(state)[goal].tolist()):
                    if share > 0:
                        there = problem.teammate.next(state, action)
                        following[there] = following.get(there, 0.0) + mass * share
        walking, t = following, t + 1
    return total


@given(seed=seeds)
@settings(max_examples=6, deadline=None)
def test_a_teammate_that_may_walk_for_ever_is_evaluated_with_a_proven_error(seed: int) -> None:
    problem = random_problem(seed, policies=careless)
    found = evaluate(problem, "informed", exact=True)
    costs = [known_cost(problem, goal) for goal in range(len(problem.goals))]
    assert found.expected_cost == pytest.approx(float(problem.prior @ costs), rel=1e-9)
    assert found.verdict.error_bound < 1e-9


@pytest.mark.parametrize("method", ["never", "planner"])
def test_ways_without_end_are_refused_at_once(method: str) -> None:
    """The belief depends on the path, and there are infinitely many paths."""
    with pytest.raises(TooLarge) as caught:
        evaluate(room(2.0), method, exact=True, go_on=True)
    assert str(caught.value) == (
        f"too large to evaluate exactly: the teammate may walk in circles, and agent {method!r} remembers every path; "
        "draw episodes (episodes, --episodes)"
    )


def room(beta: float) -> askwise.FactoredProblem:
    """Return two goals on a grid of 3 x 3 with a teammate that takes detours."""
    grid = askwise.GridWorld(3, 3)
    goals = {"left": (0, 2), "right": (2, 2)}
    policies = [boltzmann(grid, cell, beta) for cell in goals.values()]
    return askwise.FactoredProblem(
        goals, None, grid, start=((1, 0), (1, 0)), query_cost=askwise.QueryCost(0.5), teammate_policies=policies
    )


def test_a_teammate_that_walks_to_and_fro_by_hand() -> None:
    """Both agents start in the middle of three states; the teammate moves towards its goal with probability q.

    It needs x steps, x = 1 + (1 - q) (1 + x), and stays. An agent that watches knows the goal when the teammate stays,
    or when it leaves the wrong end.
    """
    line = Model.from_edges([("L", "right", "M"), ("M", "left", "L"), ("M", "right", "R"), ("R", "left", "M")])
    policies = [boltzmann(line, place, 0.5) for place in ("L", "R")]
    goals = {"L": "L", "R": "R"}
    problem = askwise.FactoredProblem(goals, None, line, start=("M", "M"), teammate_policies=policies)
    q = 1 / (1 + np.exp(-2 * 0.5))
    watching = evaluate(problem, "never", belief="elimination", exact=True)
    x = (2 - q) / q
    assert watching.expected_cost == pytest.approx(3 * q + (1 - q) * (2 + x + 1), rel=1e-12)
    assert watching.expected_marginal_cost == pytest.approx(watching.expected_cost - 2, rel=1e-12)
    assert 0 < watching.verdict.error_bound < 1e-12
    assert str(watching.verdict) == (
        f"proven error at most {watching.verdict.error_bound:.1e}, every state that it can meet"
    )
    asking = evaluate(problem, "cost-prob", belief="elimination", exact=True)
    assert asking.expected_cost == pytest.approx(x + 1 + 0.5, rel=1e-12)


def test_who_may_never_learn_the_goal_has_no_cost() -> None:
    """Every action is possible for every goal, and the belief `elimination` can only rule goals out."""
    line = Model.from_edges([("L", "right", "M"), ("M", "left", "L"), ("M", "right", "R"), ("R", "left", "M")])
    policies = [urop(line, place).soften(0.1) for place in ("L", "R")]
    problem = askwise.FactoredProblem({"L": "L", "R": "R"}, None, line, start=("M", "M"), teammate_policies=policies)
    with pytest.raises(AskwiseError) as caught:
        evaluate(problem, "never", belief="elimination", exact=True)
    assert str(caught.value) == "agent 'never' may never be done: it has no cost"


def test_an_agent_that_was_not_told_why_it_goes_on_does_not_know_the_goal() -> None:
    """Towards h the teammate may jump, or walk and wait at g's target, as it would if its goal were g.

    With g it is over after 2 steps. With h the teammate leaves g's target after T steps, 2 on average: who saw the jump
    is done after T + 2, who saw it walk begins to go to h when it leaves, and is done after T + 3.
    """
    ways = Model.from_edges([("S", "walk", "G"), ("S", "jump", "G"), ("G", "go", "H")])
    ego = Model.from_edges([("A", "on", "G"), ("G", "on", "B"), ("B", "on", "H")])
    numbers = {name: ways.action(name) for name in ("walk", "jump", "go", "STAY")}
    to_g, to_h = np.zeros((2, ways.n_states, ways.n_actions))
    for table, place, does, share in (
        (to_g, "S", "walk", 1.0),
        (to_g, "G", "STAY", 1.0),
        (to_g, "H", "STAY", 1.0),
        (to_h, "S", "walk", 0.5),
        (to_h, "S", "jump", 0.5),
        (to_h, "G", "STAY", 0.5),
        (to_h, "G", "go", 0.5),
        (to_h, "H", "STAY", 1.0),
    ):
        table[ways.state(place), numbers[does]] = share
    problem = askwise.FactoredProblem(
        {"g": "G", "h": "H"}, None, ways, None, ego, None, ("S", "A"), teammate_policies=[to_g, to_h]
    )
    found = evaluate(problem, "never", belief="elimination", exact=True)
    assert found.expected_cost == pytest.approx(0.5 * 2 + 0.5 * (0.5 * 4 + 0.5 * 5), rel=1e-12)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_ways_with_different_numbers_of_questions_are_kept_apart(seed: int) -> None:
    problem = random_problem(seed, n_goals=4)
    found = evaluate(problem, "cost-prob", exact=True, questions=1)
    if "random" not in str(found.verdict):
        plain = plain_expected_cost(problem, limit_questions(make_agent("cost-prob"), 1))
        assert found.expected_cost == pytest.approx(plain, rel=1e-12)
