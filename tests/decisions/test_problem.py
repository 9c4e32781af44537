"""The input of `askwise.decide`: accepted forms, and complete error messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import askwise
from askwise.core.questions import Choice, QueryCost
from askwise.decisions.problem import LARGEST_FILE, parse, read_decision_file
from tests.refused import Fault, assert_refused, each

TWO = {"a": 0.6, "b": 0.4}
ASK = {"Is it a?": {"about": ["a"], "price": 0.1}}


def test_without_losses_there_is_one_action_for_each_intent() -> None:
    advice = askwise.decide(TWO)
    assert advice.problem.actions == ("a", "b")
    np.testing.assert_array_equal(advice.problem.loss, [[0, 1], [1, 0]])
    assert (advice.act, advice.ask) == ("a", None)
    assert advice.expected_loss == advice.never_asking == pytest.approx(0.4)
    assert advice.why == "Acting now is expected to cost 0.4, and there is nothing to ask."


def test_tables_arrays_and_samples_say_the_same() -> None:
    loss = {"do a": {"a": 0, "else": 5}, "do b": {"b": 0, "a": 4}, "call": 1}
    by_name = askwise.decide(TWO, loss, ASK)
    array = np.array([[0, 5], [4, 0], [1, 1]])
    actions = ["do a", "do b", "call"]
    ways: list[askwise.Recommendation] = [
        askwise.decide([0.6, 0.4], array, ASK, intents=["a", "b"], actions=actions),
        askwise.decide(np.array([0.6, 0.4]), array.tolist(), ASK, intents=("a", "b"), actions=actions),
        askwise.decide(["a", "b", "a", "b", "a"], loss, ASK),
        askwise.decide([("a", 1.5), ("b", 1)], loss, ASK),
        askwise.decide([{"intent": "a", "weight": 3}, {"intent": "b", "weight": 2}], loss, ASK),
        askwise.decide(TWO, utility={"do a": {"a": 0, "b": -5}, "do b": {"b": 0, "a": -4}, "call": -1}, questions=ASK),
        askwise.decide(TWO, loss, [{"name": "Is it a?", "about": ["a"], "price": 0.1}]),
        askwise.decide(TWO, loss, {"Is it a?": ["a"]}, price=0.1),
        askwise.decide(TWO, loss, {"Is it a?": ["a"]}, price=QueryCost(0.0, 0.1)),
        askwise.decide(TWO, loss, {"Is it a?": ["a"]}, price={"per_goal": 0.1}),
        askwise.decide(TWO, loss, {"Is it a?": {"a"}}, price=lambda asked: 0.1 * len(asked)),
        askwise.decide(by_name.problem),
    ]
    for advice in ways:
        assert advice.ask == "Is it a?"
        assert advice.expected_loss == pytest.approx(0.1)
        assert str(advice) == str(by_name)


def test_groups_likelihoods_and_how_answers_come() -> None:
    belief = {"a": 0.5, "b": 0.3, "c": 0.2}
    questions = {
        "which": {"groups": {"A": ["a"], "B": ["b"]}, "price": 1, "wrong": 0.1, "refused": 0.2},
        "choice": Choice(((0,), (1, 2)), ("first", "others")),
        "any": {"likelihood": {"x": {"a": 0.9, "else": 0.2}, "y": [0.1, 0.8, 0.8]}, "price": 0},
    }
    problem = askwise.decide(belief, questions=questions, price=2, answers={"refused": 0.5}).problem
    which, choice, any_likelihood = problem.questions
    assert which.answers == ("A", "B", "none of these", "no answer")
    np.testing.assert_allclose(which.likelihood[0], [0.8 * 0.9, 0.8 * 0.05, 0.8 * 0.05])
    np.testing.assert_allclose(which.likelihood[3], 0.2)
    assert choice.answers == ("first", "others", "no answer")
    assert (which.price, choice.price, any_likelihood.price) == (1.0, 2.0, 0.0)
    np.testing.assert_allclose(any_likelihood.likelihood, [[0.9, 0.2, 0.2], [0.1, 0.8, 0.8]])
    for each_question in problem.questions:
        np.testing.assert_allclose(each_question.likelihood.sum(axis=0), 1.0)


def test_of_three_answers_more_than_half_may_be_wrong() -> None:
    belief = {"a": 0.5, "b": 0.3, "c": 0.2}
    (asked,) = askwise.decide(
        belief, questions={"which": {"groups": [["a"], ["b"], ["c"]], "price": 0, "wrong": 0.6}}
    ).problem.questions
    np.testing.assert_allclose(asked.likelihood, [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]])


def test_why() -> None:
    asked = askwise.decide(TWO, questions=ASK)
    assert asked.why == "Acting now (a) is expected to cost 0.4; asking first brings that down to 0.1, prices included."
    dear = askwise.decide(TWO, questions={"q": ["a"]}, price=0.5)
    assert dear.why == (
        "Acting now is expected to cost 0.4; knowing the intent would save 0.4, and the cheapest question costs 0.5."
    )
    vague = {"q": {"likelihood": {"x": [0.5, 0.6], "y": [0.5, 0.4]}, "price": 0.01}}
    assert askwise.decide(TWO, questions=vague).why == (
        "Acting now is expected to cost 0.4; with the best question, 'q', it would be 0.41, price included."
    )
    assert askwise.decide(TWO, questions=ASK, limit=0).why == (
        "Acting now is expected to cost 0.4, and no more questions may be asked."
    )
    assert askwise.decide(TWO, questions=ASK, depth=0).why == (
        "Acting now is expected to cost 0.4, and no question was considered."
    )


def test_ties_go_to_acting() -> None:
    """A question that gains exactly its price is not asked, however the sums are rounded."""
    for p in (0.1, 0.3, 1 / 3, 0.123):
        advice = askwise.decide({"a": 1 - p, "b": p}, questions={"q": ["b"]}, price=p)
        assert advice.act == "a"


def test_a_larger_file(tmp_path: Any) -> None:
    """Ten megabytes of losses are read; more than the limit is refused before it is read."""
    path = tmp_path / "large.json"
    n = 700
    row = ", ".join(f'"intent number {k}": {k % 7}.25' for k in range(n))
    rows = ", ".join(f'"action {x}": {{{row}}}' for x in range(600))
    belief = ", ".join(f'["intent number {k}", 1]' for k in range(n))
    path.write_text(f'{{"format": "askwise/decision@1", "belief": [{belief}], "loss": {{{rows}}}}}')
    assert path.stat().st_size > 10 * 10**6
    assert len(read_decision_file(path).actions) == 600
    path.write_text("x" * (LARGEST_FILE + 1))
    assert_refused(
        lambda: read_decision_file(path),
        f"file {str(path)!r}: found {LARGEST_FILE + 1:,} bytes; expected at most {LARGEST_FILE:,}",
    )


def decide(*given: Any, **more: Any) -> Any:
    return lambda: askwise.decide(*given, **more)


def text(content: str) -> Any:
    return lambda: parse('{"format": "askwise/decision@1", ' + content + "}")


SUM = "; samples with weights, [[intent, weight], ...], need not"
FAULTS: dict[str, Fault] = {
    "probabilities above 1": (
        decide({"a": 0.6, "b": 0.6}),
        f"belief: found probabilities that sum to 1.2; expected probabilities that sum to 1{SUM}",
    ),
    "an array below 1": (
        decide([0.5, 0.2]),
        f"belief: found probabilities that sum to 0.7; expected probabilities that sum to 1{SUM}",
    ),
    "a negative probability": (
        decide({"a": 1.5, "b": -0.5}),
        "belief.b: found -0.5; expected a finite number from 0",
    ),
    "no probability": (decide({"a": "high"}), 'belief.a: found "high"; expected a finite number from 0'),
    "no intents": (decide({}), "belief: found 0 intents; expected 1 to 5,000"),
    "no samples": (decide([]), "belief: found 0 intents; expected 1 to 5,000"),
    "samples without weight": (
        decide([["a", 0]]),
        "belief: found weights that sum to 0; expected a finite sum above 0",
    ),
    "an odd sample": (
        decide(["a", 3]),
        "belief[1]: found 3; expected an intent by name, [intent, weight], or {intent, weight}",
    ),
    "an empty name": (decide([""]), "belief[0]: found an empty name; expected names with at least one character"),
    "else as an intent": (
        decide({"else": 1.0}),
        "belief: found an intent called 'else'; expected another name: 'else' stands for all the others",
    ),
    "a loss missing": (
        decide(TWO, {"x": {"a": 1}}),
        "loss.x.b: found nothing; expected a number for each intent, or 'else' for all others",
    ),
    "a loss of an unknown intent": (
        decide({"alpha": 0.5, "beta": 0.5}, {"x": {"alpa": 1, "else": 0}}),
        "loss.x: found the unknown intent \"alpa\"; expected intents of the belief (did you mean 'alpha'?)",
    ),
    "a row too short": (decide(TWO, [[1]]), "loss[0]: found a list of 1; expected 2 numbers, one for each intent"),
    "an infinite loss": (decide(TWO, {"x": float("inf")}), "loss.x: found Infinity; expected a finite number"),
    "a huge utility": (
        decide(TWO, utility={"x": -1e13}),
        "utility.x: found -10000000000000.0; expected a number from -1e+12 to 1e+12",
    ),
    "no actions": (decide(TWO, {}), "loss: found 0 actions; expected 1 to 5,000"),
    "losses and utilities": (
        decide(TWO, {"x": 1}, utility={"x": 1}),
        "utility: found it together with 'loss'; expected one of them",
    ),
    "an infinite price": (
        decide(TWO, questions={"q": {"about": ["a"], "price": float("inf")}}),
        "questions.q.price: found Infinity; expected a finite number from 0",
    ),
    "a negative price": (
        decide(TWO, questions={"q": ["a"]}, price=-1),
        "price: found -1; expected a finite number from 0",
    ),
    "a price that is none": (
        decide(TWO, questions={"q": ["a"]}, price=lambda _: float("nan")),
        "questions.q.price: found nan; expected a number from 0 to 1e+12",
    ),
    "no price": (
        decide(TWO, questions={"q": ["a"]}),
        "questions.q.price: found nothing; expected a price, here or for all questions ('price')",
    ),
    "a question about everything": (
        decide(TWO, questions={"q": ["a", "b"]}, price=1),
        "questions.q: found a question with one possible answer; expected one whose answer depends on the intent",
    ),
    "a question about nothing": (
        decide(TWO, questions={"q": []}, price=1),
        "questions.q: found no intents; expected some of them",
    ),
    "a question that tells nothing": (
        decide(TWO, questions={"q": {"likelihood": {"x": 0.3, "y": 0.7}, "price": 1}}),
        "questions.q.likelihood: found the same likelihoods for every intent; expected a question that is informative",
    ),
    "likelihoods that do not sum": (
        decide(TWO, questions={"q": {"likelihood": {"x": [0.5, 0.5], "y": [0.5, 0.6]}, "price": 1}}),
        'questions.q.likelihood: found likelihoods that sum to 1.1 for "b"; expected likelihoods of all answers that'
        " sum to 1 for each intent",
    ),
    "groups that overlap": (
        decide(TWO, questions={"q": {"groups": {"x": ["a"], "y": ["b", "a"]}, "price": 1}}),
        'questions.q.groups.y: found "a", which is in questions.q.groups.x as well;'
        " expected groups that do not overlap",
    ),
    "an intent twice": (
        decide(TWO, questions={"q": ["a", "a"]}, price=1),
        'questions.q[1]: found "a" twice; expected each intent once',
    ),
    "an unknown intent": (
        decide(TWO, questions={"q": ["z"]}, price=1),
        'questions.q[0]: found "z"; expected an intent of the belief',
    ),
    "two kinds at once": (
        decide(TWO, questions={"q": {"about": ["a"], "groups": [["a"]], "price": 1}}),
        "questions.q: found 'about' and 'groups'; expected one of 'about', 'groups', 'likelihood'",
    ),
    "wrong beside likelihoods": (
        decide(TWO, questions={"q": {"likelihood": [[1, 0], [0, 1]], "wrong": 0.1, "price": 1}}),
        "questions.q.wrong: found it together with 'likelihood'; expected likelihoods that include it",
    ),
    "too often wrong": (
        decide(TWO, questions={"q": {"about": ["a"], "wrong": 0.5, "price": 1}}),
        "questions.q.wrong: found 0.5; expected a number from 0 and below 0.5",
    ),
    "too often wrong, of three answers": (
        decide({"a": 0.5, "b": 0.3, "c": 0.2}, questions={"q": {"groups": [["a"], ["b"]], "wrong": 0.7, "price": 1}}),
        "questions.q.wrong: found 0.7; expected a number from 0 and below 2/3, since it has 3 answers",
    ),
    "the same question twice, with persistent errors": (
        decide(TWO, questions={"q": ["a"], "r": ["b"]}, price=1, answers={"wrong": 0.1, "errors": "persistent"}),
        "questions: found 'r', the same question as 'q'; expected each question once, since errors are persistent",
    ),
    "two questions of one name": (
        decide(TWO, questions=[{"name": "q", "about": ["a"]}, {"name": "q", "about": ["b"]}], price=1),
        "questions: found two questions called 'q'; expected a different name for each",
    ),
    "a negative limit": (decide(TWO, limit=-1), "limit: found -1; expected a whole number from 0"),
    "a depth that is none": (decide(TWO, depth=1.5), "depth: found 1.5; expected a whole number from 0, or None"),
    "a budget that is none": (decide(TWO, budget=float("nan")), "budget: found nan; expected a number from 0"),
    "names that do not fit": (decide([0.5, 0.5], intents=["a"]), "intents: found 1 names; expected 2, one for each"),
    "a key nobody knows": (
        text('"belief": {"a": 1}, "qestions": {}'),
        'file: found the unknown key "qestions"; expected only format, belief, name, loss, utility, questions, price,'
        " answers, limit (did you mean 'questions'?)",
    ),
    "a key twice": (
        text('"belief": {"a": 0.5, "a": 0.5}'),
        'key "a": found it twice in one object; expected each key once',
    ),
    "no belief": (text('"loss": {}'), "belief: found nothing; expected this key, which is required"),
    "another format": (
        lambda: parse('{"format": "askwise/decision@2", "belief": {"a": 1}}'),
        'format: found "askwise/decision@2"; expected one of '
        "'askwise/decision@1' (did you mean 'askwise/decision@1'?)",
    ),
}  # fmt: skip


@each(FAULTS)
def test_refused(attempt: Any, message: str) -> None:
    assert_refused(attempt, message)
