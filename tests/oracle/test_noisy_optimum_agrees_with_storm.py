"""Storm, which shares no code with askwise, must find the same optimum of tiny problems with wrong and refused answers.

Storm is given a POMDP with the rules only, keeps the beliefs itself and unfolds all of them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.graphs import random_problem
from tests.planning.test_exact import fork

from askwise import solve
from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem

pytest.importorskip("stormpy")

from benchmarks.peers import stormpy_pomdp

MODELS = (AnswerModel(0.1), AnswerModel(0.2, 0.3), AnswerModel(0.0, 0.25), AnswerModel())


def assert_same(problem: Problem, most: int) -> float:
    found = solve(problem, questions=most)
    assert found.expected_cost == pytest.approx(stormpy_pomdp.least_cost(problem, most), rel=1e-6)
    return solve(problem, questions=0).expected_cost - found.expected_cost


@pytest.mark.parametrize("answers", MODELS, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_graphs(seed: int, answers: AnswerModel) -> None:
    assert_same(random_problem(seed, by_goal=seed % 2 == 0).with_answers(answers), 1 + seed % 2)


@pytest.mark.parametrize("answers", MODELS, ids=str)
def test_tool_fetching(answers: AnswerModel) -> None:
    """With loads to take up, and something to gain by asking."""
    problem = fork(query_cost={"base": 0.05, "per_station": 0.05}).with_answers(answers)
    assert assert_same(problem, 2) > 0.3


@pytest.mark.parametrize("seed", range(6))
def test_errors_that_persist_where_there_is_one_question(seed: int) -> None:
    """Of two goals there is one question: asked once at most, errors are as good as made anew."""
    problem = random_problem(seed, n_goals=2).with_answers(AnswerModel(0.1, 0.2, "persistent"))
    assert_same(problem, 1)
    assert solve(problem, questions=3).expected_cost == pytest.approx(solve(problem, questions=1).expected_cost)


@pytest.mark.parametrize("seed", range(8))
def test_which_goal_exactly(seed: int) -> None:
    """Storm knows one choice, askwise all of them: it does not do worse; with three goals and one question, as well."""
    problem = random_problem(seed, n_goals=3)
    price = replace(problem.query_cost, base=0.1, per_goal=0.5, prices=None, per_option=0.0)
    problem = problem.with_terms(problem.prior, price).with_answers(AnswerModel((0.0, 0.1)[seed % 2], 0.1))
    found = solve(problem, questions=1)
    by_storm = stormpy_pomdp.least_cost(problem, 1)
    assert found.expected_cost <= by_storm + 1e-6
    if problem.answers.wrong == 0:  # options are free, and nothing tells more than the goal itself
        assert found.expected_cost == pytest.approx(by_storm, rel=1e-6)
