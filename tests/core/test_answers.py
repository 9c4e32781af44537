"""How answers come: likelihoods, draws, replies to the same question, and what cannot be one."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.core.answers import (
    TRUTHFUL,
    AnswerModel,
    agreeing,
    check_reply,
    n_answers,
    same_question,
    same_reply,
    truth,
)
from askwise.core.question_json import parse_answers
from askwise.core.questions import Answer, Choice, Question
from tests.refused import assert_refused

N = 6
QUESTIONS: list[Question] = [
    (0,),
    (1, 4),
    (0, 1, 2, 3, 4),
    Choice(((0, 1), (2, 3, 4, 5))),
    Choice(((3,), (1,), (0, 5))),
    Choice(((2,),)),
]
MODELS = [TRUTHFUL, AnswerModel(0.2), AnswerModel(0.0, 0.3), AnswerModel(0.1, 0.25), AnswerModel(0.45, 0.9)]


def replies(asked: Question) -> list[bool | int | None]:
    """All replies that a question can get."""
    if not isinstance(asked, Choice):
        return [True, False, None]
    return [*range(n_answers(asked, N)), None]


# -- truth -------------------------------------------------------------------------------------------------------


def test_the_truth() -> None:
    assert [truth((1, 4), goal) for goal in range(N)] == [False, True, False, False, True, False]
    assert [truth(QUESTIONS[4], goal) for goal in range(N)] == [2, 1, 3, 0, 3, 2]


def test_how_many_answers_can_be_true() -> None:
    assert [n_answers(asked, N) for asked in QUESTIONS] == [2, 2, 2, 2, 4, 2]
    assert n_answers(tuple(range(N)), N) == n_answers((), N) == n_answers(Choice((tuple(range(N)),)), N) == 1


@pytest.mark.parametrize("asked", QUESTIONS)
def test_each_goal_agrees_with_one_reply(asked: Question) -> None:
    agree = np.array([agreeing(Answer(asked, reply), N) for reply in replies(asked) if reply is not None])
    assert agree.sum(axis=0).tolist() == [1] * N
    for goal in range(N):
        assert agreeing(Answer(asked, truth(asked, goal)), N)[goal]


# -- likelihoods and draws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_likelihoods_of_all_replies_sum_to_one(model: AnswerModel, asked: Question) -> None:
    total = sum(model.likelihood(Answer(asked, reply), N) for reply in replies(asked))
    assert total == pytest.approx(np.ones(N))


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_draws_come_as_likely_as_they_should(model: AnswerModel, asked: Question) -> None:
    rng, draws, goal = np.random.default_rng(5), 4000, 4
    drawn = [model.draw(asked, goal, N, rng) for _ in range(draws)]
    for reply in replies(asked):
        expected = model.likelihood(Answer(asked, reply), N)[goal]
        share = drawn.count(Answer(asked, reply)) / draws
        assert abs(share - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws)


def test_wrong_answers_by_hand() -> None:
    model = AnswerModel(0.1, 0.2)
    assert model.likelihood(Answer((1, 4), True), N) == pytest.approx([0.08, 0.72, 0.08, 0.08, 0.72, 0.08])
    third = 0.8 * 0.1 / 3
    assert model.likelihood(Answer(QUESTIONS[4], 2), N) == pytest.approx([0.72, third, third, third, third, 0.72])
    assert model.likelihood(Answer((1, 4), None), N) == pytest.approx([0.2] * N)
    assert model.telling == pytest.approx(0.8 * 0.8 * np.log(9) / np.log(1000))
    assert (TRUTHFUL.telling, AnswerModel(0.0, 0.25).telling, AnswerModel(1e-9).telling) == (1.0, 0.75, 1.0)


# -- the same question -------------------------------------------------------------------------------------------


def test_what_is_the_same_question() -> None:
    assert same_question((1, 4), N) == same_question((4, 1), N) == same_question((0, 2, 3, 5), N)
    assert same_question((1, 4), N) != same_question((1,), N)
    one, other = Choice(((0, 1), (2,))), Choice(((2,), (1, 0)), ("a", "b"))
    assert same_question(one, N) == same_question(other, N)
    assert same_question(one, N) != same_question(Choice(((0, 1), (3,))), N)


def test_a_reply_to_the_same_question_in_other_words() -> None:
    assert same_reply(Answer((1, 4), True), (4, 1)) == Answer((4, 1), True)
    assert same_reply(Answer((1, 4), True), (0, 2, 3, 5)) == Answer((0, 2, 3, 5), False)
    assert same_reply(Answer((1, 4), None), (0, 2, 3, 5)).reply is None
    one, other = Choice(((0, 1), (2,))), Choice(((2,), (1, 0)))
    assert [same_reply(Answer(one, k), other).reply for k in (0, 1, 2, None)] == [1, 0, 2, None]


# -- what cannot be ----------------------------------------------------------------------------------------------


def test_shares_that_are_none() -> None:
    assert_refused(lambda: AnswerModel(0.5), "answers: wrong: found 0.5; expected a number from 0 and below 0.5")
    assert_refused(lambda: AnswerModel(-0.1), "answers: wrong: found -0.1; expected a number from 0 and below 0.5")
    assert_refused(
        lambda: AnswerModel(0.1, float("nan")), "answers: refused: found nan; expected a number from 0 and below 1"
    )
    assert_refused(lambda: AnswerModel(0.1, True), "answers: refused: found True; expected a number from 0 and below 1")
    assert_refused(
        lambda: AnswerModel(errors="sticky"),
        "answers: errors: found 'sticky'; expected one of 'independent', 'persistent'",
    )


def test_groups_that_are_none() -> None:
    assert_refused(lambda: Choice(()), "groups: found no groups; expected some goals in each group")
    assert_refused(lambda: Choice(((0,), ())), "groups: found an empty group; expected some goals in each group")
    assert_refused(
        lambda: Choice(((0, 1), (1,))), "groups: found goal 1 twice; expected each goal in one group at most"
    )
    assert_refused(lambda: Choice(((0,), (1,)), ("a",)), "names: found 1 names; expected 2, one for each group")


def test_replies_that_were_not_offered() -> None:
    for asked in QUESTIONS:
        for reply in replies(asked):
            check_reply(Answer(asked, reply), N)
    assert_refused(
        lambda: check_reply(Answer((0,), 1), N), "answer: found 1; expected True, False, or None for no answer"
    )
    assert_refused(
        lambda: check_reply(Answer(QUESTIONS[3], 2), N),
        "answer: found 2; expected the number of a group, 0 to 1, or None for no answer",
    )
    assert_refused(
        lambda: check_reply(Answer(QUESTIONS[4], True), N),
        "answer: found True; expected the number of a group, 0 to 3 (3: none of these), or None for no answer",
    )


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("truthful", TRUTHFUL),
        ("wrong:0.05", AnswerModel(0.05)),
        ("refused:0.1, wrong:0.05", AnswerModel(0.05, 0.1)),
        ("wrong:0.05,persistent", AnswerModel(0.05, errors="persistent")),
    ],
)
def test_answers_as_text(text: str, model: AnswerModel) -> None:
    assert parse_answers(text) == model
    assert parse_answers(str(model)) == model


@pytest.mark.parametrize("text", ["", "wrong", "wrong:", "wrong:x", "rude:0.1", "wrong:0.1,wrong:0.2", "0.1"])
def test_texts_that_say_nothing(text: str) -> None:
    with pytest.raises(ValueError, match=r"^--answers: found"):
        parse_answers(text, "--answers")
