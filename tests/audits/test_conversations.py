"""Conversations: input, error messages, and judgements compared with a plain recursion over all answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import askwise
from askwise.audits.conversations import ConversationJudge, read_conversation
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.question import Asking
from askwise.errors import AskwiseError
from tests.refused import assert_refused

SCHEMA = json.loads(files("askwise.audits").joinpath("conversation.schema.json").read_text(encoding="utf-8"))
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "conversations"

DECISION = {
    "format": "askwise/decision@1",
    "belief": {"tea": 0.5, "coffee": 0.3, "water": 0.2},
    "questions": {"Tea?": {"about": ["tea"], "price": 0.1}, "Hot?": {"about": ["tea", "coffee"], "price": 0.05}},
}
TALK: dict[str, Any] = {
    "format": "askwise/conversation@1",
    "decision": DECISION,
    "steps": [{"ask": "Tea?", "answer": False}, {"ask": "Hot?", "answer": "yes"}, {"act": "coffee"}],
}


def talk(**other: Any) -> dict[str, Any]:
    return {**TALK, **other}


def steps(*given: dict[str, Any]) -> dict[str, Any]:
    return talk(steps=list(given))


def test_conversations_about_problems_that_cannot_be_compared_are_judged_by_their_own() -> None:
    """JSON has no numbers of numpy, so the keys by which conversations share a problem cannot be computed."""
    drinks = list(DECISION["belief"])
    given = []
    for wrong in np.array([1, 100], dtype=np.int64):
        loss = {drink: {other: wrong * (drink != other) for other in drinks} for drink in drinks}
        given.append({**steps({"act": "coffee"}), "decision": {**DECISION, "loss": loss}})
    alone = [askwise.audit([each]).episodes[0].regret for each in given]
    assert [each.regret for each in askwise.audit(given).episodes] == alone
    assert alone[0] < alone[1]


# -- beside a plain recursion ------------------------------------------------------------------------------------


def drawn(seed: int) -> DecisionProblem:
    rng = np.random.default_rng(seed)
    n, n_questions = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    questions = []
    for k in range(n_questions):
        answers = int(rng.integers(2, 4))
        likelihood = rng.dirichlet(np.ones(answers), size=n).T
        names = tuple(f"a{j}" for j in range(answers))
        questions.append(Asking(f"q{k}", names, likelihood, float(rng.choice([0.0, 0.05, 0.2]))))
    loss = rng.random((int(rng.integers(2, 4)), n))
    actions = tuple(f"x{k}" for k in range(len(loss)))
    belief = rng.dirichlet(np.ones(n))
    return DecisionProblem(tuple(f"g{k}" for k in range(n)), belief, actions, loss, tuple(questions))


def value(problem: DecisionProblem, weights: Any, left: tuple[int, ...]) -> float:
    """Return the least loss times the weight, by trying everything."""
    return min(asking_and_acting(problem, weights, left)[0].values())


def asking_and_acting(
    problem: DecisionProblem, weights: Any, left: tuple[int, ...]
) -> tuple[dict[str, float], dict[str, float]]:
    costs = {name: float(problem.loss[k] @ weights) for k, name in enumerate(problem.actions)}
    asks = {}
    for q in left:
        asked, rest = problem.questions[q], tuple(k for k in left if k != q)
        after = (value(problem, weights * row, rest) for row in asked.likelihood)
        asks[asked.name] = asked.price * float(weights.sum()) + sum(after)
    return {**costs, **asks}, asks


def walks(problem: DecisionProblem, seed: int) -> Iterator[tuple[list[dict[str, Any]], Any, tuple[int, ...]]]:
    """Return all conversations of an assistant that asks questions in a fixed order, then takes the first action."""
    order = np.random.default_rng(seed).permutation(len(problem.questions))[: 1 + seed % 2].tolist()

    def onwards(done: list[dict[str, Any]], weights: Any, left: list[int]) -> Iterator[Any]:
        if not left:
            yield [*done, {"act": problem.actions[0]}], weights, ()
            return
        asked = problem.questions[left[0]]
        for name, row in zip(asked.answers, asked.likelihood, strict=True):
            yield from onwards([*done, {"ask": asked.name, "answer": name}], weights * row, left[1:])

    yield from onwards([], problem.belief, order)


@pytest.mark.parametrize("seed", range(30))
def test_costs_and_regrets_are_those_of_trying_everything(seed: int) -> None:
    """Expected regrets also add up to the expected loss above the least one."""
    problem = drawn(seed)
    bench = ConversationJudge(problem)
    lost, paid = 0.0, 0.0
    for given, weights, _ in walks(problem, seed):
        found = bench.audited(read_conversation(steps(*given)), "here")
        now, left = np.array(problem.belief), tuple(range(len(problem.questions)))
        for turn, step in zip(given, found.steps, strict=True):
            total = float(now.sum())
            costs, asks = asking_and_acting(problem, now, left)
            done = str(turn.get("ask", turn.get("act")))
            assert step.cost == pytest.approx(costs[done] / total, abs=1e-9)
            assert step.best_cost == pytest.approx(min(costs.values()) / total, abs=1e-9)
            acting = min(cost for name, cost in costs.items() if name not in asks)
            assert step.needed == (acting > min(asks.values(), default=math.inf) + 1e-6 * total)
            if "ask" in turn:
                q = int(done[1:])
                paid += problem.questions[q].price * float(weights.sum())
                now = now * problem.questions[q].likelihood[int(turn["answer"][1:])]
                left = tuple(k for k in left if k != q)
        lost += float(weights.sum()) * found.regret
        paid += float(problem.loss[0] @ weights)
    least = value(problem, problem.belief, tuple(range(len(problem.questions))))
    assert lost == pytest.approx(paid - least, abs=1e-9)


# -- by hand -----------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    audit = askwise.audit(TALK)
    (found,) = audit.episodes
    assert (found.source, found.method, found.judge) == ("item 1", "assistant", "optimal, exact")
    assert [step.done for step in found.steps] == ["ask 'Tea?'", "ask 'Hot?'", "coffee"]
    # To ask about tea, and then whether it is hot if it is not tea: 0.1 + 0.5 * 0.05.
    assert [step.cost for step in found.steps] == pytest.approx([0.125, 0.05, 0.0])
    assert [step.fault for step in found.steps] == ["", "", ""]
    assert (audit.precision, audit.recall) == (1.0, 1.0)
    assert audit.regret == pytest.approx(0.0)


def test_a_question_twice_costs_its_price() -> None:
    first = {"ask": "Tea?", "answer": True}
    found = askwise.audit(steps(first, first, {"act": "tea"})).episodes[0]
    assert [step.regret for step in found.steps] == pytest.approx([0.0, 0.1, 0.0])
    assert [step.fault for step in found.steps] == ["", "over-asking", ""]


def test_no_answer_changes_nothing_but_uses_the_question_up() -> None:
    found = askwise.audit(steps({"ask": "Tea?", "answer": None}, {"act": "tea"})).episodes[0]
    assert found.steps[1].knew == "tea 50 %, coffee 30 %, water 20 %"
    # The other question alone: 0.05 + 0.3.
    assert found.steps[1].cost == 0.5
    assert found.steps[1].best_cost == pytest.approx(0.35)
    assert found.steps[1].fault == "under-asking"


def test_what_was_seen_counts() -> None:
    found = askwise.audit(steps({"saw": {"tea": 0, "coffee": 1, "water": 0}}, {"act": "coffee"})).episodes[0]
    assert [(step.t, step.knew, step.regret) for step in found.steps] == [(1, "coffee 100 %", 0.0)]


def test_a_question_beyond_the_limit_is_judged_as_the_last_one() -> None:
    given = talk(decision={**DECISION, "limit": 1})
    found = askwise.audit(given).episodes[0]
    assert found.steps[1].cost == pytest.approx(0.05)
    assert found.steps[1].fault == ""


def test_the_last_question_may_be_open() -> None:
    assert askwise.audit(steps({"ask": "Tea?"})).questions == 1


def test_the_judge_optimal_refuses_what_is_not_exact() -> None:
    rng = np.random.default_rng(1)
    belief = dict(zip((f"g{k}" for k in range(60)), rng.dirichlet(np.ones(60)).tolist(), strict=True))
    questions = {
        f"q{k}": {"about": [g for g in belief if rng.random() < 0.5], "wrong": 0.2, "price": 0.001} for k in range(30)
    }
    given = talk(
        decision={"format": "askwise/decision@1", "belief": belief, "questions": questions}, steps=[{"act": "g1"}]
    )
    with pytest.raises(AskwiseError, match=r"^item 1: too large for an exact solution \(.*\); use the judge 'auto'$"):
        askwise.audit(given, judge="optimal")
    audited = askwise.audit(given).episodes[0]
    assert audited.judge.startswith("decide, searched ")
    assert audited.tolerance > 1e-6


# -- files and faults --------------------------------------------------------------------------------------------


def test_examples_keep_to_the_schema_and_are_audited() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    lines = (EXAMPLES / "returns.jsonl").read_text(encoding="utf-8").splitlines()
    assert [validator.is_valid(json.loads(line)) for line in lines] == [True] * 6
    audit = askwise.audit(EXAMPLES)
    assert {name: each.count for name, each in audit.faults.items()} == {
        "over-asking": 1,
        "under-asking": 3,
        "wrong question": 3,
        "wrong act": 0,
    }


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no decision": (
        {key: TALK[key] for key in ("format", "steps")},
        "decision: found nothing; expected this key, which is required",
    ),
    "a file": (talk(decision="tea.json"), 'decision: found "tea.json"; expected the decision itself, { ... }'),
    "two kinds": (
        steps({"ask": "Tea?", "answer": True, "act": "tea"}),
        'steps[0]: found {"ask": "Tea?", "answer": true, "act": "tea"}; expected one of \'ask\', \'saw\' and \'act\'',
    ),
    "no kind": (steps({}), "steps[0]: found {}; expected one of 'ask', 'saw' and 'act'"),
    "unknown key": (
        steps({"asks": "Tea?"}),
        "steps[0]: found the unknown key \"asks\"; expected only ask, answer, saw, act (did you mean 'ask'?)",
    ),
    "open question": (
        steps({"ask": "Tea?"}, {"act": "tea"}),
        "steps[0].answer: found nothing; expected this key, which is required",
    ),
    "answer to an act": (
        steps({"act": "tea", "answer": True}),
        'steps[0]: found the unknown key "answer"; expected only act',
    ),
    "number": (
        steps({"ask": "Tea?", "answer": 1}),
        "steps[0].answer: found 1; expected an answer, true, false, or null for none",
    ),
    "after an act": (
        steps({"act": "tea"}, {"act": "tea"}),
        "steps[1]: found a step after an act; expected an act in the last step only",
    ),
    "unknown question": (
        steps({"ask": "Tee?"}),
        "steps[0].ask: found 'Tee?'; expected one of 'Tea?', 'Hot?' (did you mean 'Tea?'?)",
    ),
    "unknown answer": (
        steps({"ask": "Tea?", "answer": "maybe"}, {"act": "tea"}),
        "steps[0].answer: found 'maybe'; expected an answer to 'Tea?': 'yes', 'no'",
    ),
    "impossible": (
        steps({"ask": "Tea?", "answer": True}, {"ask": "Hot?", "answer": False}, {"act": "tea"}),
        "steps[1].answer: found 'no' to 'Hot?', which no possible intent explains; "
        "expected an answer that fits what is believed",
    ),
    "unknown action": (
        steps({"act": "Tea"}),
        "steps[0].act: found 'Tea'; expected one of 'tea', 'coffee', 'water' (did you mean 'tea'?)",
    ),
    "unknown intent": (
        steps({"saw": {"tee": 1}}),
        "steps[0].saw: found 'tee'; expected an intent (did you mean 'tea'?)",
    ),
    "missing intent": (
        steps({"saw": {"tea": 1}}),
        "steps[0].saw.coffee: found nothing; expected a number for each intent",
    ),
    "decision": (
        talk(decision={**DECISION, "belief": {"tea": 0.5}}),
        "decision.belief: found probabilities that sum to 0.5; expected probabilities that sum to 1; "
        "samples with weights, [[intent, weight], ...], need not",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named(name: str) -> None:
    given, message = FAULTS[name]
    assert_refused(lambda: askwise.audit([TALK, given]), f"item 2, {message}")


NOT_BY_SHAPE = {
    *("a file", "after an act", "unknown question", "unknown answer", "impossible", "unknown action"),
    *("unknown intent", "missing intent", "decision", "open question"),
}
"""What a schema cannot know."""


@pytest.mark.parametrize("name", FAULTS)
def test_the_schema_refuses_what_has_the_wrong_shape(name: str) -> None:
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(FAULTS[name][0]) == (name in NOT_BY_SHAPE)


def test_a_fault_in_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    good, bad = json.dumps(TALK), json.dumps(steps({"act": "Tea"}))
    path.write_text(f"{good}\n\n{bad}\n", encoding="utf-8")
    where = f"file {str(path)!r}, line 3"
    action = "found 'Tea'; expected one of 'tea', 'coffee', 'water' (did you mean 'tea'?)"
    assert_refused(lambda: askwise.audit(path), f"{where}, steps[0].act: {action}")
    path.write_text(f"{good}\n{{\n", encoding="utf-8")
    expected = (
        "found something that is not JSON (Expecting property name enclosed in double quotes); expected one JSON object"
    )
    assert_refused(lambda: askwise.audit(path), f"file {str(path)!r}, line 2, column 2: {expected}")


def test_a_decision_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "drinks.json").write_text(json.dumps(DECISION), encoding="utf-8")
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps(talk(decision="drinks.json")), encoding="utf-8")
    assert askwise.audit(path).regret == askwise.audit(TALK).regret
    path.write_text(json.dumps(talk(decision="none.json")), encoding="utf-8")
    where = f"file {str(path)!r}, line 1, decision, file {str(tmp_path / 'none.json')!r}"
    assert_refused(
        lambda: askwise.audit(path), f"{where}: found no such file or directory; expected a file that can be read"
    )
