"""Episodes: costs add up, random streams are independent, and agents must follow the rules."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import simulate, trace
from askwise.api import as_problem
from askwise.core.belief import ContradictoryObservation
from askwise.core.episode import Episode
from askwise.core.game import InvalidDecision, ends
from askwise.core.problem import JointState
from askwise.core.teammates import Teammate
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import AskwiseError, InputError
from askwise.methods import Agent, Answer, BeliefAgent, Decision, Never, Observation
from tests.methods.asking import AsksHalf, Scripted
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import instance, instances, product_problem, workshop

BELIEFS = ("elimination", "bayes", "robust")
TEAMMATES = ("urop", "uniform", "noisy:0.2", "via", "boltzmann:1.5", "plan:NORTH,SOUTH,EAST,NOOP")

agents: st.SearchStrategy[str | Agent] = st.sampled_from(["never", "informed"]) | st.builds(
    AsksHalf, at_random=st.booleans(), belief=st.sampled_from(BELIEFS)
)


def assert_sound(episode: Episode) -> None:
    """Check an episode against the rules: successive states, no moves during questions, sums of costs, one end."""
    problem = episode.problem
    state, total = problem.start, 0.0
    for number, step in enumerate(episode.steps, start=1):
        assert step.t == number
        assert step.state == state
        total += step.cost
        if step.answer is not None:
            assert step.teammate_action is None
            assert step.decision.ask == step.answer.asked
            assert step.answer.yes == (episode.goal in step.answer.asked)
            assert step.cost == problem.query_cost.base + problem.query_cost.per_goal * len(step.answer.asked)
            continue
        assert step.cost == 1
        assert step.decision.action is not None
        assert step.teammate_action is not None
        before = state
        state = JointState(
            problem.teammate.next(before.teammate, step.teammate_action),
            problem.ego.next(before.ego, step.decision.action),
        )
        assert min(state.teammate, state.ego) >= 0
        last = number == len(episode.steps) and episode.finished
        assert ends(problem, before, step.teammate_action, state, episode.goal) == last
    assert state == episode.final
    assert episode.cost == total
    if episode.finished:
        assert episode.marginal_cost == episode.cost - episode.known_cost
    else:
        assert math.isnan(episode.marginal_cost), "what is missing cannot be compared"
    assert episode.questions == tuple(step for step in episode.steps if step.decision.ask is not None)


def worker_path(episode: Episode) -> list[int]:
    return [step.teammate_action for step in episode.steps if step.teammate_action is not None]


# -- episodes ----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(instances(max_side=5, max_stations=5), agents, st.sampled_from(["urop", "uniform"]), st.integers(0, 2**40))
def test_episodes_are_sound(drawn: Instance, agent: str | Agent, teammate: str, seed: int) -> None:
    episode = simulate(drawn, agent, teammate, seed=seed)
    assert_sound(episode)
    assert episode.finished
    assert episode.cost >= episode.known_cost or episode.questions, "only free questions could be cheaper"
    assert episode.teammate == teammate
    assert episode.seed == seed
    assert episode.goal_name == list(drawn.stations)[episode.goal]


@settings(max_examples=60)
@given(instances(max_side=7, max_stations=6), st.sampled_from(["urop", "uniform"]), st.integers(0, 2**40), st.data())
def test_knowing_the_goal_costs_nothing_more(drawn: Instance, teammate: str, seed: int, data: st.DataObject) -> None:
    goal = data.draw(st.none() | st.sampled_from(list(drawn.stations)))
    assert simulate(drawn, "informed", teammate, goal, seed).marginal_cost == 0


@pytest.mark.parametrize("teammate", ["noisy:0.3", "via", "boltzmann:2"])
def test_detours_of_the_teammate_are_what_the_informed_pay(teammate: str) -> None:
    """Other agents with the same teammate pay as much, plus the cost of not knowing the goal."""
    paid = []
    for seed in range(8):
        drawn = generate(size=7, stations=5, toolboxes=2, seed=seed)
        costs = {
            method: simulate(drawn, method, teammate, seed=seed).marginal_cost
            for method in ("informed", "never", "ezq-local")
        }
        assert costs["informed"] == min(costs.values())
        paid.append(costs["informed"])
    assert max(paid) > 0


@pytest.mark.parametrize("walls", [0.0, 0.25])
def test_knowing_the_goal_costs_nothing_more_on_the_paper_s_instances(walls: float) -> None:
    for seed in range(30):
        drawn = generate(walls=walls, stations=30, seed=seed)
        assert simulate(drawn, "informed", seed=seed).marginal_cost == 0


def test_never_on_the_paper_s_instances_costs_about_what_others_found() -> None:
    problems = [generate(prior=Prior("far"), seed=seed) for seed in range(60)]
    mean = np.mean([simulate(drawn, "never", seed=seed).marginal_cost for seed, drawn in enumerate(problems)])
    # Two independent implementations found 15.9 to 16.7; sixty episodes tell it to about 1.
    assert 12.5 < mean < 20


@pytest.mark.parametrize("teammate", TEAMMATES)
@pytest.mark.parametrize("belief", BELIEFS)
def test_every_teammate_with_every_belief(teammate: str, belief: str) -> None:
    ends = []
    for seed in range(15):
        try:
            episode = simulate(workshop(), "never", teammate, seed=seed, belief=belief)
        except ContradictoryObservation as error:
            step, _, message = str(error).partition(": ")
            assert step.startswith("step ")
            ends.append(message)
        else:
            assert_sound(episode)
            assert episode.finished
            ends.append("finished")
    if belief == "robust" or teammate in ("urop", "uniform"):
        assert set(ends) == {"finished"}
    else:
        contradiction = (
            f"an action of the teammate rules out every goal that was still possible under the belief {belief!r}: "
            "the teammate does not act as assumed; belief 'robust' allows for that"
        )
        assert set(ends) <= {"finished", contradiction}
        assert contradiction in ends


@given(instances(max_side=4, max_stations=4), st.sampled_from(TEAMMATES[2:5]), st.integers(0, 1000))
def test_a_doubting_agent_copes_with_every_teammate(drawn: Instance, teammate: str, seed: int) -> None:
    for agent in (Never(belief="robust"), AsksHalf(belief="robust", at_random=True)):
        episode = simulate(drawn, agent, teammate, seed=seed)
        assert_sound(episode)
        assert episode.finished


@given(
    instances(max_side=4, max_stations=4), st.sampled_from(TEAMMATES[2:5]), st.sampled_from(["elimination", "bayes"])
)
def test_a_contradiction_is_never_passed_over(drawn: Instance, teammate: str, belief: str) -> None:
    # A belief that has lost the true goal must not wait for something else until the episode is cut off.
    for seed in range(5):
        with suppress(ContradictoryObservation):
            assert simulate(drawn, "never", teammate, seed=seed, belief=belief).finished


# -- goals -------------------------------------------------------------------------------------------------------


def test_goals_by_name_and_number() -> None:
    assert [simulate(workshop(), goal=name, seed=1).goal for name in "ABC"] == [0, 1, 2]
    assert simulate(workshop(), goal=2, seed=1).goal_name == "C"
    assert simulate(workshop(), goal=np.int64(2), seed=1).goal == 2  # type: ignore[arg-type]


def test_goals_drawn_from_the_prior() -> None:
    drawn = workshop(prior={"A": 1, "B": 0, "C": 3})
    goals = [simulate(drawn, "informed", seed=seed).goal_name for seed in range(400)]
    assert goals.count("B") == 0
    assert abs(goals.count("C") - 300) < 6 * math.sqrt(400 * 3 / 16)


def test_a_name_goes_before_a_number() -> None:
    drawn = instance(
        (3, 1),
        stations={"1": ((0, 0), "T"), "0": ((2, 0), "T")},
        toolboxes={"T": (1, 0)},
        worker=(1, 0),
        fetcher=(1, 0),
    )
    assert simulate(drawn, goal="1", seed=0).goal == 0
    assert simulate(drawn, goal=1, seed=0).goal == 1


MANY = generate(stations=7, seed=0)

FAULTS: dict[str, Fault] = {
    "an unknown goal": (lambda: simulate(workshop(), goal="D"), "goal: found 'D'; expected one of A, B, C"),
    "a goal of many": (
        lambda: simulate(MANY, goal="A"),
        "goal: found 'A'; expected one of S1, S2, S3, S4, S5, ...",
    ),
    "a number too large": (lambda: simulate(workshop(), goal=3), "goal: found 3; expected one of A, B, C"),
    "a negative number": (lambda: simulate(workshop(), goal=-1), "goal: found -1; expected one of A, B, C"),
    "a truth value": (lambda: simulate(workshop(), goal=True), "goal: found True; expected one of A, B, C"),
    "a fraction": (
        lambda: simulate(workshop(), goal=1.0),  # type: ignore[arg-type]
        "goal: found 1.0; expected one of A, B, C",
    ),
    "an impossible goal": (
        lambda: simulate(workshop(prior={"A": 1, "B": 0, "C": 3}), goal="B"),
        "goal: found B, whose prior is 0; expected a goal that the prior allows",
    ),
    "an impossible goal by number": (
        lambda: simulate(workshop(prior={"A": 1, "B": 0, "C": 3}), goal=1),
        "goal: found B, whose prior is 0; expected a goal that the prior allows",
    ),
    "an unknown belief": (
        lambda: simulate(workshop(), belief="robst"),
        "belief: found 'robst'; expected one of 'elimination', 'bayes', 'robust' (did you mean 'robust'?)",
    ),
    "an unknown teammate": (
        lambda: simulate(workshop(), teammate="me"),
        "teammate: found 'me'; expected one of 'urop', 'uniform', 'noisy', 'via', 'boltzmann', 'policy', 'plan'",
    ),
}


@each(FAULTS)
def test_faulty_arguments_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


# -- randomness --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(instances(max_side=5, max_stations=5), agents, agents, st.integers(0, 2**40), st.data())
def test_two_agents_meet_the_same_worker(
    drawn: Instance, one: str | Agent, two: str | Agent, seed: int, data: st.DataObject
) -> None:
    teammate = data.draw(st.sampled_from(["urop", "uniform", "noisy:0.3", "via", "boltzmann:1"]))
    try:
        first, second = (simulate(drawn, agent, teammate, seed=seed) for agent in (one, two))
    except ContradictoryObservation:
        return
    assert first.goal == second.goal
    shorter, longer = sorted((worker_path(first), worker_path(second)), key=len)
    assert longer[: len(shorter)] == shorter, "whatever is asked on the way"


def test_questions_do_not_use_up_the_worker_s_luck() -> None:
    questions = [Decision(ask=(0,)), Decision(action=4), Decision(ask=(1, 2)), Decision(ask=(2,))]
    for teammate in TEAMMATES[:5]:
        asking = simulate(workshop(), Scripted(*questions * 4), teammate, seed=9, max_steps=60)
        silent = simulate(workshop(), Scripted(), teammate, seed=9, max_steps=60)
        assert len(asking.questions) == 12
        assert worker_path(silent)[:48] == worker_path(asking)


def test_seeds_of_all_kinds() -> None:
    def run(seed: Any) -> dict[str, Any]:
        agent = AsksHalf(at_random=True, belief="robust")
        return {**trace.to_json(simulate(workshop(), agent, "noisy", seed=seed)), "seed": None}

    assert run(5) == run(np.int64(5)) == run(np.random.SeedSequence(5))
    sequence = np.random.SeedSequence(5)
    assert run(sequence) == run(sequence), "a sequence is not used up"
    assert run(np.random.default_rng(5)) == run(np.random.default_rng(5))
    assert len({str(run(seed)) for seed in range(20)}) > 10
    assert simulate(workshop(), seed=np.random.SeedSequence(5)).seed is None
    assert simulate(workshop(), seed=np.int64(5)).seed == 5  # type: ignore[arg-type]


def test_an_agent_s_own_luck_is_seeded() -> None:
    runs = [trace.to_json(simulate(workshop(), AsksHalf(at_random=True), seed=3)) for _ in range(2)]
    assert runs[0] == runs[1]


# -- the length of an episode ------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_an_episode_is_cut_off(limit: int) -> None:
    episode = simulate(workshop(), "never", goal="A", seed=1, max_steps=limit)
    assert len(episode.steps) == limit
    assert not episode.finished
    assert_sound(episode)


def test_an_episode_that_ends_with_the_last_step_allowed_is_finished() -> None:
    whole = simulate(workshop(), "informed", goal="A", seed=1)
    assert simulate(workshop(), "informed", goal="A", seed=1, max_steps=len(whole.steps)).finished
    assert not simulate(workshop(), "informed", goal="A", seed=1, max_steps=len(whole.steps) - 1).finished


def test_an_agent_that_never_comes_is_cut_off_in_the_end() -> None:
    episode = simulate(workshop(), Scripted(), goal="A", seed=1)
    assert not episode.finished
    assert len(episode.steps) > 500
    assert_sound(episode)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_1_is_refused(limit: int) -> None:
    # Not taken for "no limit".
    with pytest.raises(InputError, match=r"^max_steps: "):
        simulate(workshop(), max_steps=limit)


# -- agents of one's own -----------------------------------------------------------------------------------------


class Pointer(BeliefAgent):
    """An agent that first asks about the likeliest goal."""

    name = "pointer"

    def ask_or_wait(self, state: JointState, possible: Any) -> Decision:
        return Decision(ask=(int(self.probabilities.argmax()),), why="Is it this one?")


def test_an_agent_of_one_s_own() -> None:
    drawn = workshop(prior={"A": 1, "B": 2, "C": 4}, query_cost={"base": 0.5, "per_station": 0.25})
    episode = simulate(drawn, Pointer(), goal="A", seed=1)
    assert episode.method == "pointer"
    assert [step.answer for step in episode.questions] == [Answer((2,), False)]
    assert episode.finished
    # One question settles that the toolbox at (0, 2) is the one; the worker shows by then which of its tools.
    assert episode.cost == episode.known_cost + 0.75
    first, second = episode.steps[0], episode.steps[1]
    assert (first.belief is None, second.belief is None) == (False, False)
    np.testing.assert_allclose(first.belief, [1 / 7, 2 / 7, 4 / 7])  # type: ignore[arg-type]
    np.testing.assert_allclose(second.belief, [1 / 3, 2 / 3, 0])  # type: ignore[arg-type]


def test_what_an_agent_gets_to_see() -> None:
    agent = Scripted(Decision(action=1), Decision(ask=(0, 1)), Decision(action=4))
    episode = simulate(workshop(), agent, "plan:NORTH,EAST", goal="C", seed=1, max_steps=4)
    problem = episode.problem
    assert isinstance(problem, ToolFetching)
    places = [problem.decode(seen.state) for seen in agent.seen]
    cells = [(problem.grid.name(place.worker), problem.grid.name(place.fetcher)) for place in places]
    assert cells == [((0, 0), (2, 0)), ((0, 1), (3, 0)), ((0, 1), (3, 0)), ((1, 1), (3, 0))]
    assert agent.seen[0] == Observation(problem.start)
    assert agent.seen[1].teammate_action == 0
    assert agent.seen[1].answer is None
    assert agent.seen[2] == Observation(agent.seen[1].state, None, Answer((0, 1), False))
    assert agent.seen[3].teammate_action == 1
    assert all(step.belief is None for step in episode.steps)


def test_an_agent_may_play_any_problem() -> None:
    for problem in (product_problem(workshop()), Coverage("A..\nWF.\n..B"), ToolFetching(workshop())):
        episode = simulate(problem, AsksHalf(), seed=2)
        assert episode.problem is problem
        assert episode.finished
        assert_sound(episode)
    assert isinstance(as_problem(workshop()), ToolFetching)


def test_the_structured_problem_and_the_product_model_give_the_same_episode() -> None:
    for seed in range(10):
        one, two = (simulate(problem, "never", seed=seed) for problem in (workshop(), product_problem(workshop())))
        assert (one.final, one.cost, one.goal) == (two.final, two.cost, two.goal)
        assert [step.decision for step in one.steps] == [step.decision for step in two.steps]


N_TO_2 = "expected some of 0 to 2, each once"
DECIDES = Scripted.decide.__code__
PLACE = f" ({DECIDES.co_filename}, line {DECIDES.co_firstlineno})"

INVALID: dict[str, tuple[Decision, str]] = {
    "neither": (Decision(), "step 1: agent 'scripted' decided neither to act nor to ask"),
    "a wall": (Decision(action=2), "step 1: agent 'scripted' chose SOUTH, which is not available there"),
    "a tool out of reach": (
        Decision(action=5),
        "step 1: agent 'scripted' chose PICKUP A, which is not available there",
    ),
    "nothing asked": (Decision(ask=()), f"asked about goals []; {N_TO_2}"),
    "asked twice": (Decision(ask=(1, 1)), f"asked about goals [1, 1]; {N_TO_2}"),
    "no such goal": (Decision(ask=(0, 3)), f"asked about goals [0, 3]; {N_TO_2}"),
    "a negative goal": (Decision(ask=(-1,)), f"asked about goals [-1]; {N_TO_2}"),
}


@pytest.mark.parametrize(("decision", "message"), INVALID.values(), ids=INVALID)
def test_invalid_decisions_are_told(decision: Decision, message: str) -> None:
    with pytest.raises(InvalidDecision) as caught:
        simulate(workshop(), Scripted(decision), seed=1)
    assert str(caught.value).endswith(message + PLACE)
    assert isinstance(caught.value, AskwiseError)


def test_the_step_of_an_invalid_decision_is_told() -> None:
    script = [Decision(action=4), Decision(ask=(0,)), Decision(action=2)]
    with pytest.raises(InvalidDecision) as caught:
        simulate(workshop(), Scripted(*script), seed=1)
    assert str(caught.value) == f"step 3: agent 'scripted' chose SOUTH, which is not available there{PLACE}"


@pytest.mark.parametrize("action", [8, 99, -1, -4])
def test_a_number_that_is_no_action_is_an_invalid_decision(action: int) -> None:
    with pytest.raises(InvalidDecision):
        simulate(workshop(), Scripted(Decision(action=action)), seed=1)


def test_acting_and_asking_at_once_is_an_invalid_decision() -> None:
    with pytest.raises(InvalidDecision):
        simulate(workshop(), Scripted(Decision(action=4, ask=(0,))), seed=1)


class Jumper(Teammate):
    """A teammate that breaks the rules."""

    name = "jumper"

    def act(self, state: int) -> int:
        return 3


def test_a_teammate_that_does_the_impossible_is_told() -> None:
    # At (0, 0) there is no way west; the episode must not go on from a state that does not exist.
    with pytest.raises(AskwiseError, match="jumper"):
        simulate(workshop(), "informed", Jumper(), seed=1)


# -- afterwards --------------------------------------------------------------------------------------------------


def test_equal_episodes_are_equal() -> None:
    problem = ToolFetching(workshop())
    one, two, other = (simulate(problem, AsksHalf(), goal="C", seed=seed) for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_an_episode_can_be_sent_elsewhere() -> None:
    episode = simulate(workshop(), AsksHalf(), seed=1)
    assert trace.to_json(pickle.loads(pickle.dumps(episode))) == trace.to_json(episode)


def test_an_episode_cannot_be_changed() -> None:
    episode = simulate(workshop(), seed=1)
    with pytest.raises(AttributeError):
        episode.goal = 0  # type: ignore[misc]


# -- what is played, and how it is shown -------------------------------------------------------------------------


def test_a_file_is_played_as_the_instance_in_it(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    workshop().save(path)
    expected = simulate(workshop(), seed=1)
    assert simulate(path, seed=1) == simulate(str(path), seed=1) == expected
    assert as_problem(path) == as_problem(str(path)) == expected.problem


def test_files_are_refused_as_by_the_command(tmp_path: Path) -> None:
    missing, drawn = tmp_path / "none.json", tmp_path / "map.txt"
    drawn.write_text("W..A")
    assert_refused(
        lambda: simulate(missing),
        f"file '{missing}': found no such file or directory; expected a file that can be read",
    )
    assert_refused(
        lambda: simulate(drawn),
        f"file '{drawn}': found text that is neither JSON nor TOML; expected an instance file, "
        "askwise/tool-fetching@1, askwise/problem@1 (askwise new writes one); a drawn map becomes one with "
        "askwise new --kind map --from FILE",
    )
    assert_refused(
        lambda: Instance.load(drawn),
        f"file '{drawn}': found text that is not JSON; expected an instance file, askwise/tool-fetching@1 "
        "(askwise generate makes one)",
    )


def test_what_cannot_be_played_is_refused() -> None:
    assert_refused(
        lambda: simulate(7),
        "instance: found 7; expected an Instance, the path of an instance file, or a Problem",
    )
    assert_refused(
        lambda: ToolFetching(None),  # type: ignore[arg-type]
        "instance: found None; expected an Instance (Instance.load reads one from a file)",
    )


def test_an_episode_is_shown_in_one_line() -> None:
    asked = simulate(workshop(query_cost={"base": 0.5, "per_station": 0.1}), AsksHalf(), goal="C", seed=3)
    assert repr(asked) == str(asked)
    assert repr(asked) == "<Episode: asks the first half, goal C: cost 11.2, marginal cost 1.2, 12 steps, 2 questions>"
    short = simulate(workshop(), "never", goal="C", seed=3, max_steps=1)
    assert repr(short) == "<Episode: never, goal C: cost 1, cut off, 1 step, 0 questions>"
