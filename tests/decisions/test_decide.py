"""Sessions: answers and observations change the belief and the next recommendation."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.decisions.problem import DecisionProblem
from tests.decisions.problems import random_problem
from tests.refused import assert_refused

BELIEF = {"Paris": 0.5, "Lyon": 0.3, "Nice": 0.2}
QUESTIONS = {"Paris?": ["Paris"], "Which?": {"groups": {"north": ["Paris"], "south": ["Lyon", "Nice"]}, "refused": 0.1}}


def talk() -> askwise.Session:
    return askwise.Session(askwise.decide(BELIEF, questions=QUESTIONS, price=0.05).problem)


def test_from_question_to_action() -> None:
    session = talk()
    assert session.next().ask == "Paris?"
    assert session.heard(False).belief == pytest.approx({"Paris": 0, "Lyon": 0.6, "Nice": 0.4})
    advice = session.next()
    assert advice.act == "Lyon", "the other question tells nothing any more"
    assert advice.expected_loss == pytest.approx(0.4)
    assert advice.never_asking is None, "after a question, never asking is no option any more"
    assert (session.paid, [(each.question, each.answer) for each in session.history]) == (0.05, [("Paris?", "no")])


def test_what_is_seen_counts_as_what_is_heard() -> None:
    one = talk().saw({"Paris": 0.0, "Lyon": 0.5, "Nice": 0.5})
    two = talk().saw(np.array([0, 3, 3]))
    assert one.belief == two.belief == pytest.approx(talk().heard("no", "Paris?").belief)
    assert len(one.problem.questions) == 2
    assert one.next().never_asking == pytest.approx(0.4), "nothing was asked yet"


def test_no_answer_uses_the_question_up_and_changes_nothing() -> None:
    for question in ("Paris?", "Which?"):
        session = talk().heard(None, question)
        assert session.belief == pytest.approx(BELIEF)
        assert question not in [each.name for each in session.problem.questions]
        assert session.history[0].answer == "no answer"


def test_the_limit_counts() -> None:
    session = askwise.Session(askwise.decide(BELIEF, questions=QUESTIONS, price=0.0, limit=1).problem)
    session.heard(None, "Paris?")
    advice = session.next()
    assert (advice.act, advice.best_question) == ("Paris", None)


def test_going_on_as_planned_costs_what_was_said() -> None:
    """After each answer the expected loss and the next question are those of the plan."""
    for seed in range(60):
        problem = random_problem(seed, questions=3)
        _follow(problem, askwise.decide(problem).plan)


def _follow(problem: DecisionProblem, plan: object) -> None:
    advice = askwise.decide(problem)
    assert advice.expected_loss == pytest.approx(plan.loss, abs=1e-12)  # type: ignore[attr-defined]
    for answer, below in plan.answers:  # type: ignore[attr-defined]
        _follow(askwise.Session(problem).heard(answer, plan.name).problem, below)  # type: ignore[attr-defined]


def test_what_is_refused() -> None:
    assert_refused(
        lambda: talk().heard("maybe"),
        "answer: found 'maybe'; expected an answer to 'Paris?': 'yes', 'no'",
    )
    assert_refused(
        lambda: talk().heard("yes", "Lion?"),
        "question: found 'Lion?'; expected one of 'Paris?', 'Which?'",
    )
    assert_refused(
        lambda: talk().heard(False).heard(True),
        "question: found nothing; expected the name of the question that was asked; the recommendation was to act",
    )
    assert_refused(
        lambda: talk().heard(False).heard("north", "Which?"),
        "answer: found 'north' to 'Which?', which no possible intent explains;"
        " expected an answer that fits what is believed",
    )
    assert_refused(
        lambda: talk().saw({"Paris": 0, "Lyon": 0, "Nice": 0}),
        "likelihood: found 0 for every intent that is possible; expected a number above 0 for one of them",
    )
    assert_refused(
        lambda: talk().saw({"Paris": 1}), "likelihood.Lyon: found nothing; expected a number for each intent"
    )
    assert_refused(lambda: talk().saw([1, 2]), "likelihood: found an array of shape (2,); expected (3,)")
    assert_refused(
        lambda: talk().saw([1, -2, 0]),
        "likelihood: found a number that is negative or not finite; expected finite numbers from 0",
    )
    assert_refused(
        lambda: talk().saw({"Pariss": 1}),
        "likelihood: found 'Pariss'; expected an intent (did you mean 'Paris'?)",
    )
