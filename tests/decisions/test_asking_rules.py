"""Rules for asking: none is better than looking ahead, and each follows its definition."""

from __future__ import annotations

import pytest
from benchmarks.asking_rules import RULES, confident, cost_of, information_gains, one_step, plausible, variants

import askwise
from askwise.decisions.problem import read_decision_file
from askwise.decisions.recommendation import recommend
from tests.decisions.problems import random_problem
from tests.decisions.test_fuzz import FILES

CLOSE = 1e-12


def test_none_is_better_than_looking_ahead() -> None:
    worse = dict.fromkeys(RULES, 0)
    for seed in range(60):
        problem = random_problem(seed, intents=5, actions=4, questions=3)
        best = recommend(problem).expected_loss
        for name, rule in RULES.items():
            cost = cost_of(rule, problem)
            assert cost >= best - CLOSE, (seed, name)
            worse[name] += cost > best + 1e-9
    assert worse.pop("look ahead") == 0, "followed to its end it costs what was said"
    assert all(worse.values()), "or the others are as good, and nothing is compared"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples(path: object) -> None:
    problem = read_decision_file(str(path))
    best = recommend(problem).expected_loss
    for name in ("plausible", "confident", "informative"):
        for rule in (RULES[name], *variants(name)):
            assert cost_of(rule, problem) >= best - CLOSE
    assert cost_of(RULES["one step"], problem) >= best - CLOSE


def test_what_each_rule_looks_at() -> None:
    even = askwise.decide({"a": 0.5, "b": 0.5}, questions={"q": ["a"]}, price=10).problem
    assert information_gains(even) == pytest.approx([1.0])
    assert (plausible(even), confident(even), one_step(even)) == (0, 0, None)
    sure = askwise.decide({"a": 0.95, "b": 0.05}, questions={"q": ["a"]}, price=0.0).problem
    assert (plausible(sure), confident(sure), one_step(sure)) == (None, None, 0)
    none = askwise.decide({"a": 0.5, "b": 0.5}, questions={"q": ["a"]}, price=0.1, limit=0).problem
    assert [rule(none) for rule in RULES.values()] == [None] * len(RULES)


def test_one_step_is_looking_one_question_ahead() -> None:
    for seed in range(60):
        problem = random_problem(seed, questions=3)
        advice = recommend(problem, depth=1)
        asked = one_step(problem)
        assert (asked is None) == (advice.ask is None)
        if asked is not None:
            assert advice.option("ask", problem.questions[asked].name).loss == pytest.approx(advice.expected_loss)
