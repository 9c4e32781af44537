"""Episodes with wrong or missing answers: beliefs by Bayes' rule, repeated replies, and their end."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import askwise
from askwise import AnswerModel, Choice, Game, QueryCost, Tracker
from askwise.core.answers import TRUTHFUL, truth
from askwise.core.game import InvalidDecision
from askwise.core.problem import Problem
from askwise.core.questions import Answer
from askwise.core.teammates import Urop
from askwise.domains.tool_fetching import ToolFetching
from askwise.methods import make_agent
from tests.graphs import random_problem
from tests.refused import assert_refused
from tests.tool_fetching import workshop

MODELS = ["wrong:0.05", "wrong:0.2,refused:0.3", "wrong:0.1,persistent", "wrong:0.2,refused:0.3,persistent"]
METHODS = ["ezq", "ezq-local", "toolbox", "baseline", "cost-prob", "never", "informed"]
TEAMMATES = ["urop", "noisy:0.1"]
PROBLEM = ToolFetching(workshop())


# -- beliefs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
def test_answers_multiply_the_odds(belief: str) -> None:
    model = AnswerModel(0.1, 0.2)
    tracker = Tracker(PROBLEM.with_answers(model), belief)
    weights = PROBLEM.prior.copy()
    for answer in (Answer((0,), True), Answer((0, 1), False), Answer((2,), None), Answer((0,), True)):
        tracker.heard(answer)
        weights = weights * model.likelihood(answer, 3)
        assert tracker.probabilities == pytest.approx(weights / weights.sum())
    assert tracker.possible.all(), "all three are credible, nothing is ruled out"


@pytest.mark.parametrize("belief", ["elimination", "bayes", "robust"])
def test_what_is_not_credible_keeps_its_probability_and_can_come_back(belief: str) -> None:
    tracker = Tracker(PROBLEM.with_answers(AnswerModel(0.05)), belief)
    for _ in range(4):
        tracker.heard(Answer((0,), True))
    assert tracker.possible.tolist() == [True, False, False]
    assert (tracker.probabilities > 0).all()
    for _ in range(5):
        tracker.heard(Answer((0,), False))
    assert tracker.possible.tolist() == [True, True, True]


def test_refusals_rule_nothing_out_and_true_answers_do() -> None:
    tracker = Tracker(PROBLEM.with_answers(AnswerModel(0.0, 0.5)), "elimination")
    tracker.heard(Answer((0,), None))
    assert tracker.probabilities == pytest.approx(PROBLEM.prior)
    tracker.heard(Answer((0,), False))
    assert tracker.probabilities[0] == 0


def test_the_same_question_tells_nothing_twice_where_errors_persist() -> None:
    problem = PROBLEM.with_answers(AnswerModel(0.1, errors="persistent"))
    tracker = Tracker(problem, "bayes")
    assert not tracker.tells_nothing((0,))
    tracker.heard(Answer((0,), True))
    once = tracker.probabilities
    for again in (Answer((0,), True), Answer((1, 2), False)):
        assert tracker.tells_nothing(again.asked)
        tracker.heard(again)
        assert tracker.probabilities is once
    assert not tracker.tells_nothing((1,))


def test_a_choice_is_learnt_from() -> None:
    asked = Choice(((0,), (1,)), ("left", "right"))
    for model in (TRUTHFUL, AnswerModel(0.1)):
        tracker = Tracker(PROBLEM.with_answers(model), "bayes")
        tracker.heard(Answer(asked, 2))
        weights = PROBLEM.prior * model.likelihood(Answer(asked, 2), 3)
        assert tracker.probabilities == pytest.approx(weights / weights.sum())


# -- games -------------------------------------------------------------------------------------------------------


def test_a_game_draws_answers_and_repeats_them_where_errors_persist() -> None:
    problem = PROBLEM.with_answers(AnswerModel(0.3, 0.3, "persistent"))
    game = Game(problem, 0, answer_seed=3)
    for asked in ((0,), (1,), (2,), Choice(((0,), (1,)))):
        first = game.ask(asked).answer
        assert first is not None
        for _ in range(5):
            assert game.ask(asked).answer == first
            game = pickle.loads(pickle.dumps(game))
    assert game.allowed.all(), "an answer that may be wrong rules nothing out"
    replies = [Game(problem, 0, answer_seed=seed).ask((0,)).answer for seed in range(200)]
    shares = [sum(answer.reply is reply for answer in replies if answer) / 200 for reply in (True, False, None)]
    assert shares == pytest.approx([0.49, 0.21, 0.3], abs=0.12)


def test_a_choice_is_paid_by_its_options() -> None:
    game = Game(PROBLEM, 1)
    asked = Choice(((0,), (1, 2)), ("left", "right"))
    seen = game.ask(asked)
    assert seen.answer == Answer(asked, 1)
    assert game.cost == PROBLEM.query_cost.base + 2 * PROBLEM.query_cost.per_goal
    assert game.allowed.tolist() == [False, True, True]
    assert QueryCost(0.5, 0.1, per_option=0.3)(asked) == pytest.approx(1.1)


def test_questions_and_answers_that_cannot_be() -> None:
    game = Game(PROBLEM, 1)
    with pytest.raises(
        InvalidDecision, match="one group that contains all goals; expected a choice with at least two answers"
    ):
        game.ask(Choice(((0, 1, 2),)))
    with pytest.raises(InvalidDecision, match="expected goals from 0 to 2"):
        game.ask(Choice(((0,), (7,))))
    with pytest.raises(ValueError, match=r"^answer: found 3; expected the number of a group, 0 to 1, or None"):
        game.hear(Answer(Choice(((0,), (1, 2))), 3))
    assert game.steps == 0, "nothing was paid for them"
    assert_refused(
        lambda: PROBLEM.with_answers(0.1),  # type: ignore[arg-type]
        "answers: found 0.1; expected an AnswerModel, such as AnswerModel(wrong=0.05, refused=0.1)",
    )


# -- episodes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("teammate", TEAMMATES)
@pytest.mark.parametrize("answers", MODELS)
@pytest.mark.parametrize("method", METHODS)
def test_every_episode_ends(method: str, answers: str, teammate: str) -> None:
    for seed in range(3):
        instance = askwise.generate(size=8, stations=6, seed=seed)
        episode = askwise.simulate(instance, method, teammate, seed=seed, answers=answers)
        assert episode.finished
        assert episode.cost == pytest.approx(sum(step.cost for step in episode.steps))


def lied_to(problem: Problem, method: str, belief: str, goal: int, seed: int) -> tuple[Game, list[str]]:
    """Return an episode in which every answer is wrong, and the reasons of the agent.

    With the belief `robust` only the first answers are wrong; more of them would outweigh everything that is seen.
    """
    lies = 4 if belief == "robust" else 10**6
    agent, teammate, game = make_agent(method, belief=belief), Urop(), Game(problem, goal)
    agent.reset(problem, seed)
    teammate.reset(problem, goal, np.random.default_rng(seed))
    reasons = []
    while not game.over:
        decision = agent.decide(game.observation)
        reasons.append(decision.why)
        if decision.ask is not None:
            game.hear(Answer(decision.ask, truth(decision.ask, goal) ^ (lies > 0)))
            lies -= 1
        else:
            assert decision.action is not None
            game.act(decision.action, teammate.act(game.state.teammate))
    return game, reasons


@pytest.mark.parametrize("method", ["ezq-local", "toolbox", "baseline", "cost-prob", "optimal", "planner-light"])
def test_every_episode_ends_on_one_way_streets_whatever_is_answered(method: str) -> None:
    """No agent makes a move that puts a goal out of reach before the teammate has shown that it is not its goal."""
    held_back = 0
    for belief in ("elimination", "bayes", "robust"):
        for seed in range(8):
            problem = random_problem(seed, n_goals=3)
            problem = problem.with_terms(problem.prior, QueryCost(0.1)).with_answers(AnswerModel(0.01))
            for goal in range(3):
                game, reasons = lied_to(problem, method, belief, goal, seed)
                assert game.finished
                held_back += any("no path leads back" in why for why in reasons)
    assert held_back or method in ("optimal", "planner-light"), "no way of no return: the test would show nothing"


def test_the_same_seed_gives_the_same_answers_and_true_ones_change_nothing() -> None:
    instance = askwise.generate(size=8, stations=6, seed=1)
    one, same = (askwise.simulate(instance, "baseline", seed=4, answers="wrong:0.2,refused:0.2") for _ in range(2))
    assert [step.answer for step in one.steps] == [step.answer for step in same.steps]
    assert any(step.answer is not None and step.answer.reply is None for step in one.steps)
    plain, true = (askwise.simulate(instance, "baseline", seed=4, answers=how) for how in (None, "truthful"))
    assert [step.decision for step in plain.steps] == [step.decision for step in true.steps]


def test_other_agents_meet_the_same_goal_and_teammate_whatever_the_answers() -> None:
    problem = random_problem(3)
    seen = set()
    for answers in ("truthful", "wrong:0.3", "wrong:0.3,refused:0.5"):
        episode = askwise.simulate(problem, "never", seed=5, answers=answers)
        seen.add((episode.goal, tuple(step.teammate_action for step in episode.steps)))
    assert len(seen) == 1


def test_a_noisy_answer_is_in_the_record_and_the_belief_follows_it() -> None:
    problem = random_problem(2).with_answers(AnswerModel(0.2))
    episode = askwise.simulate(problem, "baseline", seed=0, belief="bayes")
    tracker = Tracker(problem, "bayes")
    assert episode.questions
    for step, observation in zip(episode.steps, episode.observations, strict=True):
        tracker.update(observation)
        np.testing.assert_array_equal(tracker.probabilities, step.belief)
