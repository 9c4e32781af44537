"""Beliefs: exact sets of possible goals, correct odds, calibrated probabilities, and trackers that update them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest
from benchmarks.calibration import BINS, Job, empty_tally, play
from hypothesis import event, given, settings
from hypothesis import strategies as st

from askwise import simulate
from askwise.core.answers import AnswerModel
from askwise.core.belief import (
    BELIEFS,
    SMALLEST,
    Belief,
    ContradictoryObservation,
    Observation,
    Robust,
    Tracker,
    make_belief,
    rescale,
)
from askwise.core.problem import JointState
from askwise.core.questions import Answer
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.rules import WORK
from askwise.errors import AskwiseError
from askwise.methods import make_agent
from askwise.types import FloatArray
from tests.graphs import random_problem
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import count_plans, free_cells, instances, steps_between, urop_posterior, workshop

ALL = ("elimination", "bayes", "robust")
EXACT = ("elimination", "bayes")


def row(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


def asked(*values: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array(values, dtype=bool)


def contradiction(source: str, name: str) -> str:
    return (
        f"{source} rules out every goal that was still possible under the belief {name!r}: "
        "the teammate does not act as assumed; belief 'robust' allows for that"
    )


# -- making them -------------------------------------------------------------------------------------------------


def test_names() -> None:
    assert tuple(BELIEFS) == ALL
    for name in ALL:
        belief = make_belief(name, row(0.25, 0.75))
        assert belief.name == name
        assert belief.probabilities.tolist() == [0.25, 0.75]
        assert belief.possible.tolist() == [True, True]


OUT_OF_0_TO_1 = "a number above 0 and below 1"

FAULTS: dict[str, Fault] = {
    "a slip of the keyboard": (
        lambda: make_belief("bayse", row(1)),
        "belief: found 'bayse'; expected one of 'elimination', 'bayes', 'robust' (did you mean 'bayes'?)",
    ),
    "something else": (
        lambda: make_belief("faith", row(1)),
        "belief: found 'faith'; expected one of 'elimination', 'bayes', 'robust'",
    ),
    **{
        f"nothing possible under {name}": (
            lambda name=name: make_belief(name, row(0, 0)),  # type: ignore[misc]
            "prior: found no possible goal; expected at least one goal of positive probability",
        )
        for name in ALL
    },
    "no noise": (lambda: Robust(row(1), noise=0), f"noise: found 0; expected {OUT_OF_0_TO_1}"),
    "only noise": (lambda: Robust(row(1), noise=1.0), f"noise: found 1.0; expected {OUT_OF_0_TO_1}"),
    "noise nan": (lambda: Robust(row(1), noise=float("nan")), f"noise: found nan; expected {OUT_OF_0_TO_1}"),
    "no doubt": (lambda: Robust(row(1), doubt=0.0), f"doubt: found 0.0; expected {OUT_OF_0_TO_1}"),
    "only doubt": (lambda: Robust(row(1), doubt=1), f"doubt: found 1; expected {OUT_OF_0_TO_1}"),
}


@each(FAULTS)
def test_faulty_beliefs_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@pytest.mark.parametrize("name", ALL)
def test_a_belief_keeps_to_itself(name: str) -> None:
    prior = row(0.5, 0.5)
    belief = make_belief(name, prior)
    belief.observe(row(0.5, 1.0))
    assert prior.tolist() == [0.5, 0.5]
    for handed_out in (belief.possible, belief.probabilities):
        with suppress(ValueError):  # read-only is as good as a copy
            handed_out[:] = 0
    assert belief.possible.all()
    assert belief.probabilities.sum() == pytest.approx(1)


# -- odds --------------------------------------------------------------------------------------------------------


def test_elimination_keeps_the_prior_odds() -> None:
    belief = make_belief("elimination", row(0.1, 0.2, 0.3, 0.4))
    belief.observe(row(0.01, 0.99, 0.0, 0.5))
    assert belief.possible.tolist() == [True, True, False, True]
    assert belief.probabilities.tolist() == pytest.approx([1 / 7, 2 / 7, 0, 4 / 7], rel=1e-15)
    belief.learn(asked(1, 0, 1, 1), False)
    assert belief.probabilities.tolist() == [0, 1, 0, 0]


def test_bayes_multiplies_the_odds() -> None:
    belief = make_belief("bayes", row(0.1, 0.2, 0.3, 0.4))
    belief.observe(row(0.5, 0.25, 0.0, 1.0))
    assert belief.probabilities.tolist() == pytest.approx([0.1, 0.1, 0, 0.8], rel=1e-15)
    belief.learn(asked(1, 1, 0, 0), True)
    assert belief.probabilities.tolist() == pytest.approx([0.5, 0.5, 0, 0], rel=1e-15)
    belief.observe(row(0.25, 0.75, 1.0, 1.0))
    assert belief.probabilities.tolist() == pytest.approx([0.25, 0.75, 0, 0], rel=1e-15)


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), max_size=8))
def test_robust_mixes_the_likelihood_with_noise(seen: list[list[float]]) -> None:
    prior = row(0.2, 0.3, 0.5)
    belief = Robust(prior, noise=0.2, n_actions=4, doubt=1e-200)
    weights = prior.copy()
    for likelihood in seen:
        belief.observe(row(*likelihood))
        weights *= 0.8 * row(*likelihood) + 0.05
    np.testing.assert_allclose(belief.probabilities, weights / weights.sum(), rtol=1e-12)


def test_robust_sets_aside_and_brings_back() -> None:
    belief = make_belief("robust", row(0.5, 0.5))
    left, right = row(1, 0), row(0, 1)
    belief.observe(left)
    assert belief.possible.all(), "one strange step is no proof"
    belief.observe(left)
    assert belief.possible.tolist() == [True, False]
    assert belief.probabilities.tolist() == [1, 0]
    belief.observe(right)
    assert belief.possible.all()
    belief.observe(right)
    assert belief.probabilities.tolist() == pytest.approx([0.5, 0.5])
    belief.observe(right)
    belief.observe(right)
    assert belief.possible.tolist() == [False, True]


def test_robust_brings_back_after_a_long_time() -> None:
    belief = make_belief("robust", row(0.5, 0.5))
    for _ in range(1000):
        belief.observe(row(1, 0))
    for _ in range(1000):
        belief.observe(row(0, 1))
    assert belief.possible.tolist() == [False, True]


def test_robust_believes_answers_for_good() -> None:
    belief = make_belief("robust", row(0.4, 0.4, 0.2))
    belief.learn(asked(1, 0, 0), False)
    for _ in range(1000):
        belief.observe(row(1, 0, 0))
    assert belief.possible.tolist() == [False, True, True]
    assert belief.probabilities.tolist() == pytest.approx([0, 2 / 3, 1 / 3])
    belief.learn(asked(0, 0, 1), True)
    assert belief.probabilities.tolist() == [0, 0, 1]


# -- exact supports ----------------------------------------------------------------------------------------------


def test_a_goal_does_not_vanish_by_underflow() -> None:
    belief = make_belief("bayes", row(0.5, 0.5))
    for _ in range(300):
        belief.observe(row(1.0, 1e-5))
    assert belief.possible.all()
    assert (belief.probabilities > 0).all()
    belief.observe(row(0.0, 1e-5))
    assert belief.possible.tolist() == [False, True]
    assert belief.probabilities.tolist() == [0, 1]


def test_all_goals_may_become_unlikely_together() -> None:
    belief = make_belief("bayes", row(0.5, 0.5))
    for _ in range(300):
        belief.observe(row(1e-5, 3e-5))
        belief.observe(row(3e-5, 1e-5))
    np.testing.assert_allclose(belief.probabilities, [0.5, 0.5], rtol=1e-9)


def test_the_last_goal_may_be_very_unlikely() -> None:
    # The product of the smallest weight and this likelihood is below the smallest double.
    belief = make_belief("bayes", row(1.0, 1e-300))
    belief.observe(row(0.0, 1e-30))
    assert belief.probabilities.tolist() == [0, 1]


@pytest.mark.parametrize("name", ALL)
def test_what_an_answer_ruled_out_does_not_grow_without_bound(name: str) -> None:
    belief = make_belief(name, row(0.4, 0.4, 0.2))
    belief.learn(asked(1, 0, 0), False)
    for _ in range(500):
        belief.observe(row(1.0, 1e-5, 1e-5))
    belief.observe(row(0.0, 1.0, 1.0))
    assert belief.probabilities.tolist() == pytest.approx([0, 2 / 3, 1 / 3])


@pytest.mark.parametrize("name", ALL)
def test_goals_of_prior_0_never_become_possible(name: str) -> None:
    belief = make_belief(name, row(0.0, 1.0))
    for _ in range(50):
        belief.observe(row(1.0, 0.5))
    assert belief.possible.tolist() == [False, True]
    assert belief.probabilities.tolist() == [0, 1]


SMALL = [0.0, 5e-324, 1e-310, 1e-300, 1e-30, 1e-5, 0.25, 0.5, 1.0]
numbers = st.sampled_from(SMALL)


@dataclass(frozen=True)
class Event:
    """Something seen (likelihoods) or heard (goals asked about, and the answer)."""

    likelihood: tuple[float, ...] | None = None
    asked: tuple[bool, ...] | None = None
    answer: bool = False

    @property
    def keeps(self) -> list[bool]:
        if self.likelihood is not None:
            return [value > 0 for value in self.likelihood]
        return [inside == self.answer for inside in self.asked or ()]


def events(n: int) -> st.SearchStrategy[Event]:
    seen = st.tuples(*[numbers] * n).map(lambda likelihood: Event(likelihood=likelihood))
    heard = st.builds(Event, asked=st.tuples(*[st.booleans()] * n), answer=st.booleans())
    return seen | seen | heard


def tell(belief: Belief, happened: Event) -> None:
    if happened.likelihood is not None:
        belief.observe(row(*happened.likelihood))
    else:
        belief.learn(asked(*(happened.asked or ())), happened.answer)


@settings(max_examples=200)
@given(st.sampled_from(ALL), st.tuples(*[numbers] * 3).filter(any), st.lists(events(3), max_size=30))
def test_whatever_happens_the_belief_is_one(name: str, prior: tuple[float, ...], happening: list[Event]) -> None:
    belief = make_belief(name, row(*prior))
    supported = [weight > 0 for weight in prior]
    for happened in happening:
        rules_out = name in EXACT or happened.likelihood is None
        left = [one and (two or not rules_out) for one, two in zip(supported, happened.keeps, strict=True)]
        before = belief.probabilities
        if not any(left):
            with pytest.raises(ContradictoryObservation):
                tell(belief, happened)
            event("a contradiction")
            np.testing.assert_array_equal(belief.probabilities, before)
            continue
        tell(belief, happened)
        supported = left
        possible, probabilities = belief.possible, belief.probabilities
        assert possible.any()
        assert np.isfinite(probabilities).all()
        assert probabilities.sum() == pytest.approx(1)
        assert not probabilities[~possible].any()
        if name in EXACT:
            assert possible.tolist() == supported, "what is possible is known exactly"
        else:
            assert not possible[~np.array(supported)].any()


@pytest.mark.parametrize("name", EXACT)
def test_contradictions_are_told(name: str) -> None:
    belief = make_belief(name, row(0.5, 0.5, 0.0))
    with pytest.raises(ContradictoryObservation) as caught:
        belief.observe(row(0, 0, 1))
    assert str(caught.value) == contradiction("an action of the teammate", name)
    assert isinstance(caught.value, AskwiseError)
    with pytest.raises(ContradictoryObservation) as caught:
        belief.learn(asked(1, 1, 0), False)
    assert str(caught.value) == contradiction("the answer", name)
    assert belief.probabilities.tolist() == [0.5, 0.5, 0], "and the belief is what it was"


def test_a_robust_belief_refuses_contradictory_answers_without_recommending_itself() -> None:
    belief = make_belief("robust", row(0.5, 0.5))
    belief.observe(row(0, 0))
    assert belief.probabilities.tolist() == [0.5, 0.5]
    with pytest.raises(ContradictoryObservation) as caught:
        belief.learn(asked(0, 0), True)
    assert str(caught.value).startswith("the answer rules out every goal that was still possible")
    assert "'robust' allows for that" not in str(caught.value)


# -- watching a worker -------------------------------------------------------------------------------------------


def optimal_walk(problem: ToolFetching, goal: int, data: st.DataObject) -> Iterator[tuple[int, int]]:
    """States and actions of a random shortest path to the goal, and the first WORK there."""
    worker = problem.start.teammate
    while True:
        actions = np.flatnonzero(problem.teammate.policy(worker)[goal]).tolist()
        action = data.draw(st.sampled_from(actions))
        yield worker, action
        if action == WORK:
            return
        worker = problem.teammate.next(worker, action)


@given(instances(max_side=5, max_stations=5), st.data())
def test_an_optimal_worker_s_goal_is_never_lost(drawn: Instance, data: st.DataObject) -> None:
    problem = ToolFetching(drawn)
    goal = data.draw(st.integers(0, len(problem.goals) - 1))
    beliefs = [make_belief(name, problem.prior) for name in ALL]
    for worker, action in optimal_walk(problem, goal, data):
        for belief in beliefs:
            belief.observe(problem.teammate.policy(worker)[:, action])
        assert all(belief.possible[goal] for belief in beliefs if belief.name in EXACT)
    for belief in beliefs:
        # The one who doubts may have set the goal aside; seeing it worked on for a while settles the matter.
        for _ in range(200 if belief.name == "robust" else 1):
            belief.observe(problem.teammate.policy(problem.rules.station_cells[goal])[:, WORK])
        assert np.flatnonzero(belief.possible).tolist() == [goal]


@given(instances(max_side=6, max_stations=5), st.data())
def test_bayes_depends_on_where_the_worker_is_only(drawn: Instance, data: st.DataObject) -> None:
    problem = ToolFetching(drawn)
    belief = make_belief("bayes", problem.prior)
    goal = data.draw(st.integers(0, len(problem.goals) - 1))
    for worker, action in optimal_walk(problem, goal, data):
        x, y = problem.grid.cells[worker].tolist()
        expected = urop_posterior(drawn, problem.prior.tolist(), (x, y))
        np.testing.assert_allclose(belief.probabilities, [float(p) for p in expected], rtol=1e-9)
        assert belief.possible.tolist() == [p > 0 for p in expected]
        belief.observe(problem.teammate.policy(worker)[:, action])


@given(instances(max_side=6, max_stations=5), st.data())
def test_elimination_keeps_what_lies_ahead_at_prior_odds(drawn: Instance, data: st.DataObject) -> None:
    problem = ToolFetching(drawn)
    belief = make_belief("elimination", problem.prior)
    goal = data.draw(st.integers(0, len(problem.goals) - 1))
    for worker, action in optimal_walk(problem, goal, data):
        x, y = problem.grid.cells[worker].tolist()
        ahead = np.array([p > 0 for p in urop_posterior(drawn, problem.prior.tolist(), (x, y))])
        assert belief.possible.tolist() == ahead.tolist()
        np.testing.assert_allclose(belief.probabilities, ahead * problem.prior / problem.prior[ahead].sum(), rtol=1e-12)
        belief.observe(problem.teammate.policy(worker)[:, action])


def test_counting_plans_by_hand() -> None:
    # The yardstick itself: binomial coefficients on an open grid, one way around a wall.
    open_grid = frozenset((x, y) for x in range(6) for y in range(6))
    assert count_plans(open_grid, (0, 0), (5, 5)) == 252
    assert count_plans(open_grid - {(1, 0), (1, 1)}, (0, 0), (2, 0)) == 1
    assert steps_between(open_grid - {(1, 0), (1, 1)}, (0, 0))[2, 0] == 6
    assert free_cells(Instance(2, 1, {}, {}, (0, 0), (0, 0), walls=((1, 0),))) == {(0, 0)}


# -- weights -----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 1e300), st.booleans()), min_size=1, max_size=8))
def test_rescaling_beside_plain_python(drawn: list[tuple[float, bool]]) -> None:
    weights, allowed = row(*(weight for weight, _ in drawn)), asked(*(ok for _, ok in drawn))
    positive = [max(weight, SMALLEST) if ok else 0.0 for weight, ok in drawn]
    largest = max(positive) or 1.0
    expected = [max(weight / largest, SMALLEST) if ok else 0.0 for weight, (_, ok) in zip(positive, drawn, strict=True)]
    rescale(weights, allowed)
    assert weights.tolist() == expected


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


MODELS = [AnswerModel(0.1), AnswerModel(0.2, 0.3), AnswerModel(0.2, 0.3, "persistent")]


def test_goals_are_true_as_often_as_it_was_said() -> None:
    tally = empty_tally()
    for answers in MODELS:
        tally += play(Job(answers, "toolbox", "uniform", seed=1, episodes=60))
    assert tally.moments > 1_000
    # Moments of one episode have much in common: as if every second one were another.
    spread = np.sqrt(0.25 / np.maximum(tally.total / 2, 1))
    assert (np.abs(tally.difference()) <= np.maximum(0.02, 4 * spread)).all()
    assert (tally.total > 0).sum() == BINS
