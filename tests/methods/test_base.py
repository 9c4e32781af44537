"""The base classes of agents, and some decisions of each method."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import simulate, trace
from askwise.core.episode import Episode
from askwise.core.problem import JointState, optimal_costs
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.errors import InputError
from askwise.methods import AGENTS, Agent, BeliefAgent, Decision, Informed, KnowsGoal, Never, Observation, make_agent
from askwise.methods.base import QuestionLimit, limit_questions
from tests.methods.asking import AsksHalf, Scripted
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import instances, workshop

BELIEFS = ("elimination", "bayes", "robust")
every_agent = pytest.mark.parametrize("name", sorted(AGENTS))

MAKERS: dict[str, Callable[[], Agent]] = {
    **{name: lambda name=name: make_agent(name) for name in sorted(AGENTS)},  # type: ignore[misc]
    "asks the first half": AsksHalf,
    "asks a random half": lambda: AsksHalf(at_random=True),
}
UNGATED = ("optimal", "planner", "planner-light")
"""Agents that may act before they are certain, and ask before they have to."""
every_kind = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


# -- the contract ------------------------------------------------------------------------------------------------


@every_kind
@given(drawn=instances(max_side=5, max_stations=4), seed=st.integers(0, 1000))
def test_contract(make: Callable[[], Agent], drawn: Instance, seed: int) -> None:
    episode = simulate(drawn, make(), seed=seed)
    assert episode.finished
    assert episode.method == make().name
    assert_asks_properly(episode)
    if episode.method not in UNGATED:
        assert_acts_by_the_gate(episode)
    assert trace.to_json(simulate(drawn, make(), seed=seed)) == trace.to_json(episode), (
        "the same seed, the same episode"
    )


def assert_asks_properly(episode: Episode) -> None:
    """Check that questions are about some of the possible goals, and that the true goal is always possible."""
    for step in episode.steps:
        assert step.belief is not None
        assert step.decision.why
        possible = step.belief > 0
        assert possible[episode.goal], "the true goal is never lost"
        if step.decision.ask is not None:
            asked = np.array(step.decision.ask)
            assert possible[asked].all(), "never about what is impossible"
            assert 0 < asked.size < possible.sum()


def assert_acts_by_the_gate(episode: Episode) -> None:
    """Check that an agent asks or waits only if no action is optimal for all possible goals."""
    problem = episode.problem
    for step in episode.steps:
        assert step.belief is not None
        possible = step.belief > 0
        common = np.flatnonzero(problem.ego.optimal(step.state.ego)[possible].all(axis=0))
        if common.size:
            assert step.decision.action in common
        elif step.decision.ask is None:
            assert step.decision.action == problem.ego.actions.stay


@every_kind
def test_an_agent_can_be_sent_elsewhere_and_used_again(make: Callable[[], Agent]) -> None:
    first = trace.to_json(simulate(workshop(), make(), seed=4))
    assert trace.to_json(simulate(workshop(), pickle.loads(pickle.dumps(make())), seed=4)) == first
    used = make()
    simulate(workshop(prior={"kind": "far"}), used, goal="B", seed=5)
    assert trace.to_json(simulate(workshop(), used, seed=4)) == first


@every_agent
def test_names(name: str) -> None:
    agent = make_agent(name)
    assert agent.name == name
    assert repr(agent) == f"<agent {name}>"
    assert make_agent(agent) is agent


# -- one by one --------------------------------------------------------------------------------------------------


def test_never_says_why() -> None:
    problem = ToolFetching(workshop())
    agent = Never()
    agent.reset(problem, 0)
    # The toolboxes lie in opposite directions: nothing is right for all three goals.
    torn = agent.decide(Observation(problem.start))
    assert torn == Decision(
        action=problem.ego.actions.stay, why="Wait: 3 goals are possible and no action is optimal for all of them."
    )
    # The worker goes north: B or C. Then east, along the row of B: still both. At last past B: only C.
    path = [("NORTH", (0, 1)), ("NORTH", (0, 2)), ("NORTH", (0, 3)), ("NORTH", (0, 4)), ("EAST", (1, 4))]
    worker = problem.start.teammate
    for name, cell in path:
        agent.decide(Observation(JointState(problem.grid.state(cell), problem.start.ego), action_of(problem, name)))
        worker = problem.grid.state(cell)
    assert agent.belief.possible.tolist() == [False, True, True]
    last = JointState(problem.teammate.next(worker, action_of(problem, "EAST")), problem.start.ego)
    known = agent.decide(Observation(last, action_of(problem, "EAST")))
    assert known == Decision(action=problem.ego.actions.names.index("EAST"), why="EAST: only C is possible.")


def action_of(problem: ToolFetching, name: str) -> int:
    return problem.teammate.actions.names.index(name)


def test_never_acts_on_what_is_common() -> None:
    problem = ToolFetching(workshop(prior={"A": 1, "B": 1, "C": 0}))
    agent = Never()
    agent.reset(problem, 0)
    decided = agent.decide(Observation(problem.start))
    assert decided.action is not None
    name = problem.ego.actions.names[decided.action]
    assert name in ("NORTH", "WEST")
    assert decided.why == f"{name}: optimal for all 2 possible goals."


@pytest.mark.parametrize("agent", ["never", "informed"])
def test_ties_are_broken_at_random(agent: str) -> None:
    drawn = workshop(prior={"A": 1, "B": 1, "C": 0})
    first = [simulate(drawn, agent, goal="A", seed=seed, max_steps=1).steps[0].decision.action for seed in range(200)]
    # NORTH or WEST to the toolbox at (0, 2), each with probability 1/2: 7 standard deviations either way.
    assert 50 < first.count(0) < 150
    assert first.count(0) + first.count(3) == 200


@pytest.mark.parametrize("kind", BELIEFS)
def test_the_belief_is_the_one_asked_for(kind: str) -> None:
    agent = make_agent("never", belief=kind)
    assert isinstance(agent, BeliefAgent)
    agent.reset(ToolFetching(workshop()))
    assert agent.belief.name == kind


def test_a_new_episode_starts_from_the_prior() -> None:
    problem = ToolFetching(workshop(prior={"kind": "far"}))
    agent = Never(belief="bayes")
    for _ in range(2):
        agent.reset(problem, 0)
        np.testing.assert_allclose(agent.probabilities, problem.prior, rtol=1e-15)
        agent.decide(Observation(problem.start))
        there = problem.teammate.next(problem.start.teammate, action_of(problem, "EAST"))
        agent.decide(Observation(JointState(there, problem.start.ego), action_of(problem, "EAST")))
        assert agent.probabilities.tolist() != problem.prior.tolist()


@pytest.mark.parametrize("limits", [(5, 2), (2, 5)])
def test_of_two_limits_on_questions_the_lower_one_counts(limits: tuple[int, int]) -> None:
    agent = make_agent("planner")
    for questions in limits:
        agent = limit_questions(agent, questions)
    assert isinstance(agent, QuestionLimit)
    assert (agent.questions, vars(agent.agent)["questions"]) == (2, 2)


def test_options_that_informed_does_not_have_are_refused() -> None:
    assert make_agent("informed", belief="robust").name == "informed"
    with pytest.raises(InputError, match=r"^method 'informed': found .*; expected options of this method$"):
        make_agent("informed,enough=3")


def test_informed_is_told_and_goes() -> None:
    problem = ToolFetching(workshop())
    agent = Informed()
    assert isinstance(agent, KnowsGoal)
    assert not isinstance(Never(), KnowsGoal)
    agent.reset(problem, 0)
    agent.set_goal(2)
    assert agent.probabilities.tolist() == [0, 0, 1]
    decided = agent.decide(Observation(problem.start))
    assert decided == Decision(action=problem.ego.actions.names.index("EAST"), why="EAST: the goal is known to be C.")


@given(instances(max_side=6, max_stations=5), st.integers(0, 1000))
def test_informed_walks_straight_to_the_end(drawn: Instance, seed: int) -> None:
    episode = simulate(drawn, "informed", seed=seed)
    problem = episode.problem
    steps = [int(problem.ego.steps(step.state.ego)[episode.goal]) for step in episode.steps]
    assert steps == [max(steps[0] - k, 0) for k in range(len(steps))]
    assert episode.cost == optimal_costs(problem, problem.start)[episode.goal]


def test_an_agent_may_have_no_belief() -> None:
    agent = Scripted()
    agent.reset(ToolFetching(workshop()))
    assert agent.probabilities is None
    assert agent.decide(Observation(ToolFetching(workshop()).start)).action == 4


# -- faults ------------------------------------------------------------------------------------------------------

METHODS = ", ".join(map(repr, AGENTS))

FAULTS: dict[str, Fault] = {
    "a slip of the keyboard": (
        lambda: make_agent("nevr"),
        f"method: found 'nevr'; expected one of {METHODS} (did you mean 'never'?)",
    ),
    "something else": (lambda: make_agent("42"), f"method: found '42'; expected one of {METHODS}"),
    "an unknown belief": (
        lambda: make_agent("never", belief="hope").reset(ToolFetching(workshop())),
        "belief: found 'hope'; expected one of 'elimination', 'bayes', 'robust'",
    ),
}


@each(FAULTS)
def test_faulty_agents_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@pytest.mark.parametrize(
    "given_agent", [Never, object(), None, 3], ids=["a class", "a stranger", "nothing", "a number"]
)
def test_what_is_neither_a_name_nor_an_agent_is_refused(given_agent: object) -> None:
    expected = f"method: found {given_agent!r}; expected one of {METHODS}"
    with pytest.raises(InputError) as caught:
        make_agent(given_agent)  # type: ignore[arg-type]
    assert str(caught.value).startswith(expected)
