"""`askwise.ask` decides like an agent that has watched from the start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import askwise
from askwise.core.belief import ContradictoryObservation, Observation
from askwise.core.problem import JointState, Problem, joint_state
from askwise.core.questions import Answer, QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import AGENTS, make_agent
from askwise.play.ask import likeliest_path
from askwise.seeds import spawn
from tests.graphs import lopsided, random_problem
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import workshop

PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "tool fetching": lambda seed: ToolFetching(
        generate(width=7, stations=6, toolboxes=2, prior="far", query_cost=QueryCost(0.5, 0.1), seed=seed)
    ),
    "walls": lambda seed: ToolFetching(generate(width=6, stations=5, toolboxes=2, walls=0.2, seed=seed)),
    "coverage": lambda _: askwise.Coverage("A..#.B\n..W...\n....F.\nC....A"),
    "graph": lambda seed: random_problem(seed, by_goal=True),
    "a teammate with policies of its own": lambda seed: random_problem(seed, policies=lopsided),
}
METHODS = sorted(set(AGENTS) - {"informed"})
every_problem = pytest.mark.parametrize("name", PROBLEMS)
every_method = pytest.mark.parametrize("method", METHODS)


def plays(name: str, method: str) -> bool:
    """Return whether a method can play a problem: the optimum needs a teammate without its own policies."""
    return not (method == "optimal" and name.startswith("a teammate"))


@every_problem
@every_method
def test_from_a_history_it_decides_as_in_the_episode(name: str, method: str) -> None:
    """At every moment of an episode it makes the same decision for the same reason, random choices included."""
    if not plays(name, method):
        return
    for seed in range(3):
        problem = PROBLEMS[name](seed)
        episode = askwise.simulate(problem, method, seed=seed)
        for t, step in enumerate(episode.steps):
            advice = askwise.ask(problem, method, history=episode.observations[: t + 1], seed=seed)
            assert advice.decision == step.decision
            assert advice.state == step.state
            np.testing.assert_array_equal(advice.belief, step.belief)


@every_problem
@every_method
def test_from_what_was_seen_and_answered_it_decides_as_who_has_watched(name: str, method: str) -> None:
    """At a random moment: after some steps of the teammate and some answers, with the ego agent anywhere."""
    if not plays(name, method):
        return
    for seed in range(4):
        problem, rng = PROBLEMS[name](seed), np.random.default_rng(seed)
        episode = askwise.simulate(problem, "baseline", seed=seed)
        n = int(rng.integers(len(episode.steps)))
        actions = [step.teammate_action for step in episode.steps[:n] if step.teammate_action is not None]
        answers = [step.answer for step in episode.steps[:n] if step.answer is not None]
        ego = episode.steps[n].state.ego
        agent = watched(problem, method, actions, answers, ego, seed)
        named = [problem.teammate.actions.names[action] for action in actions]
        advice = askwise.ask(problem, method, seen=named, answered=answers, ego_at=ego_name(problem, ego), seed=seed)
        assert advice.decision == agent[0]
        np.testing.assert_array_equal(advice.belief, agent[1])


def ego_name(problem: Problem, ego: int) -> object:
    return ego if problem.ego.loads else problem.ego.model.name(ego)


def watched(
    problem: Problem, method: str, actions: list[int], answers: list[Answer], ego: int, seed: int
) -> tuple[askwise.Decision, object]:
    """Return the decision of an agent that has watched from its current state."""
    belief = "robust" if problem.policies is not None else None
    agent = make_agent(method, **({} if belief is None else {"belief": belief}))
    agent.reset(problem, spawn(seed, 3)[2])
    here = problem.start.teammate
    seen = [Observation(JointState(here, ego))]
    for action in actions:
        here = problem.teammate.next(here, action)
        seen.append(Observation(JointState(here, ego), action))
    seen += [Observation(JointState(here, ego), None, answer) for answer in answers]
    for observation in seen[:-1]:
        agent.watch(observation)
    return agent.decide(seen[-1]), agent.probabilities


@every_method
def test_from_where_the_teammate_is_it_infers_with_the_belief_of_the_method(method: str) -> None:
    """Every shortest path leads to the same belief, so it does not matter which one the teammate took."""
    for seed in range(8):
        problem = PROBLEMS["tool fetching"](seed)
        episode = askwise.simulate(problem, "never", seed=seed)
        there = episode.steps[min(4, len(episode.steps) - 1)].state.teammate
        steps = [step.teammate_action for step in episode.steps[:4] if step.teammate_action is not None]
        one = askwise.ask(problem, method, teammate_at=problem.teammate.model.name(there), seed=seed)
        other = askwise.ask(problem, method, seen=steps, seed=seed)
        assert one.state == other.state
        assert (one.decision.action, one.decision.ask) == (other.decision.action, other.decision.ask)
        assert one.belief == pytest.approx(other.belief, abs=1e-12)
        assert one.way is not None
        assert one.way.start == problem.start.teammate


def test_at_the_start_it_is_the_first_decision_of_an_episode() -> None:
    problem = PROBLEMS["tool fetching"](3)
    for method in METHODS:
        first = askwise.simulate(problem, method, seed=11).steps[0].decision
        assert askwise.ask(problem, method, seed=11).decision == first


def test_what_it_says() -> None:
    advice = askwise.ask(workshop(), "ezq-exact", teammate_at=(0, 1), ego_at=((4, 0), "C"), answered=[("A", False)])
    assert joint_state(advice.problem, ego=((4, 0), "C")) == JointState(0, advice.state.ego)
    assert advice.possible is not None
    assert advice.possible.tolist() == [False, True, True]
    assert advice.way is not None
    assert (advice.way.explained, advice.way.of) == (2, 3)
    assert str(advice) == f"ask about {', '.join(advice.ask or ())}\n{advice.why}"
    assert advice.ask == ("B",)
    assert advice.action is None
    assert advice.decision.gate is not None
    assert advice.decision.gate.open


def test_an_agent_of_ones_own_that_keeps_no_belief() -> None:
    class Waits(askwise.Agent):
        def decide(self, observation: Observation) -> askwise.Decision:
            return askwise.Decision(action=self.problem.ego.actions.stay, why="Wait.")

    advice = askwise.ask(workshop(), Waits(), teammate_at=(0, 2))
    assert (advice.action, advice.belief, advice.possible) == ("NOOP", None, None)
    assert str(advice) == "do NOOP\nWait."


def test_a_teammate_on_no_way_to_a_possible_goal() -> None:
    with pytest.raises(ContradictoryObservation):
        askwise.ask(workshop(), "ezq", teammate_at=(0, 4), answered=[("B", False), ("C", False)])
    doubting = askwise.ask(
        workshop(), "ezq", teammate_at=(0, 4), answered=[("B", False), ("C", False)], belief="robust"
    )
    assert doubting.belief == pytest.approx([1.0, 0.0, 0.0])


def test_the_typical_way_is_a_shortest_one() -> None:
    problem = ToolFetching(workshop())
    end = problem.grid.state((3, 4))
    way = likeliest_path(problem, end)
    assert len(way) == 7
    assert problem.teammate.next(*way[-1]) == end


ACTIONS = "one of 'NORTH', 'EAST', 'SOUTH', 'WEST', 'WORK', 'NOOP'"
FAULTS: dict[str, Fault] = {
    "a method that knows the goal": (
        lambda: askwise.ask(workshop(), "informed"),
        "method: found 'informed', which knows the goal and has nothing to find out; expected one of "
        + ", ".join(repr(name) for name in AGENTS if name != "informed"),
    ),
    "two ways to say what happened": (
        lambda: askwise.ask(workshop(), history=[Observation(JointState(0, 8))], teammate_at=(0, 1)),
        "history: found a history together with what was seen or answered; expected one of the two",
    ),
    "an unknown action": (
        lambda: askwise.ask(workshop(), seen=["NORHT"]),
        f"action 1 of those seen: found 'NORHT'; expected {ACTIONS} (did you mean 'NORTH'?)",
    ),
    "an unknown goal": (
        lambda: askwise.ask(workshop(), answered=[("Z", True)]),
        "answers: found 'Z'; expected goals, some of A, B, C",
    ),
    "no answer": (
        lambda: askwise.ask(workshop(), answered=[("A", "maybe")]),  # type: ignore[list-item]
        "answers: found 'maybe'; expected True, False, or None for no answer, after the goals that were asked about",
    ),
    "somewhere else than seen": (
        lambda: askwise.ask(workshop(), seen=["NORTH"], teammate_at=(3, 3)),
        "teammate: found (3, 3); expected (0, 1), where the actions seen lead, or nothing",
    ),
    "off the map": (
        lambda: askwise.ask(workshop(), teammate_at=(9, 9)),
        "teammate: found (9, 9), outside the 6 x 5 grid; expected x from 0 to 5 and y from 0 to 4",
    ),
    "the wrong kind of thing": (
        lambda: askwise.ask(7),
        "instance: found 7; expected an Instance, the path of an instance file, or a Problem",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_earlier_names_of_arguments_work_with_a_warning() -> None:
    now = askwise.ask(workshop(), "ezq", teammate_at=(0, 1), answered=[("B", False)])
    with pytest.warns(DeprecationWarning, match="teammate is now called teammate_at"):
        before = askwise.ask(workshop(), "ezq", teammate=(0, 1), answered=[("B", False)])  # type: ignore[call-arg]
    assert before.why == now.why
    with pytest.warns(DeprecationWarning, match="agent is now called method"):
        assert askwise.simulate(workshop(), agent="never", goal="B", seed=1).method == "never"  # type: ignore[call-arg]


def test_planning_problems_are_recognised_by_the_name_of_an_example() -> None:
    assert askwise.recognise("words-pddl").likeliest() == askwise.recognise("words-pddl", belief="bayes").likeliest()
