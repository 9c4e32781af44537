"""What was seen and heard becomes a belief, in one place."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from askwise import simulate
from askwise.core.belief import ContradictoryObservation, Observation, Robust, Tracker
from askwise.core.problem import JointState
from askwise.core.questions import Answer
from askwise.domains.tool_fetching import ToolFetching
from askwise.methods import make_agent
from tests.graphs import random_problem
from tests.tool_fetching import workshop


def test_steps_and_answers_change_the_belief() -> None:
    problem = ToolFetching(workshop())
    tracker = Tracker(problem, "bayes")
    north = problem.teammate.actions.names.index("NORTH")
    start, there = problem.start, problem.teammate.next(problem.start.teammate, 0)
    assert north == 0
    tracker.update(Observation(start))
    assert tracker.probabilities == pytest.approx(problem.prior)
    tracker.update(Observation(JointState(there, start.ego), north))
    expected = problem.prior * problem.teammate.policy(start.teammate)[:, north]
    assert tracker.probabilities == pytest.approx(expected / expected.sum())
    tracker.update(Observation(JointState(there, start.ego), None, Answer((1,), False)))
    assert tracker.possible.tolist() == [False, False, True]


@pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
def test_agents_believe_what_a_tracker_does(belief: str) -> None:
    for seed in range(6):
        problem = random_problem(seed)
        episode = simulate(problem, "ezq-local", seed=seed, belief=belief)
        tracker = Tracker(problem, belief)
        for step, observation in zip(episode.steps, episode.observations, strict=True):
            tracker.update(observation)
            np.testing.assert_array_equal(tracker.probabilities, step.belief)


def test_told_one_by_one_or_as_observations() -> None:
    problem = ToolFetching(workshop())
    episode = simulate(problem, "baseline", seed=3)
    one, other = Tracker(problem, "bayes"), Tracker(problem, "bayes")
    before = problem.start
    for observation in episode.observations:
        one.update(observation)
        if observation.answer is not None:
            other.heard(observation.answer)
        elif observation.teammate_action is not None:
            other.saw(before.teammate, observation.teammate_action)
        before = observation.state
        np.testing.assert_array_equal(one.probabilities, other.probabilities)


def test_a_contradiction_is_an_error_unless_there_is_something_to_fall_back_on() -> None:
    problem = ToolFetching(workshop())
    seen = [Observation(problem.start), Observation(problem.start, 5)]  # NOOP: no shortest plan waits
    strict, lenient = Tracker(problem, "bayes"), Tracker(problem, "bayes", fallback="robust")
    for tracker in (strict, lenient):
        tracker.update(seen[0])
    with pytest.raises(ContradictoryObservation):
        strict.update(seen[1])
    lenient.update(seen[1])
    assert lenient.kind == "robust"
    robust = Tracker(problem, "robust")
    for observation in seen:
        robust.update(observation)
    np.testing.assert_array_equal(lenient.probabilities, robust.probabilities)


def test_a_teammate_that_errs_chooses_among_the_actions_it_has() -> None:
    """Six in tool fetching; as many as its model has elsewhere."""
    problem = random_problem(1)
    belief = Tracker(problem, "robust").belief
    assert isinstance(belief, Robust)
    assert belief._slip == pytest.approx(0.1 / len(problem.teammate.actions.names))


def test_copies_go_their_own_way() -> None:
    problem = ToolFetching(workshop())
    tracker = Tracker(problem, "bayes", fallback="robust")
    twin, pickled = copy.deepcopy(tracker), pickle.loads(pickle.dumps(tracker))
    tracker.heard(Answer((0,), True))
    assert tracker.possible.tolist() == [True, False, False]
    assert twin.possible.all()
    assert pickled.possible.all()


def test_watching_is_not_deciding() -> None:
    problem = ToolFetching(workshop(prior="far"))
    episode = simulate(problem, "ezq-exact", seed=5)
    agent = make_agent("ezq-exact")
    agent.reset(problem, 0)
    for observation in episode.observations[:-1]:
        agent.watch(observation)
    assert agent.decide(episode.observations[-1]) == episode.steps[-1].decision
