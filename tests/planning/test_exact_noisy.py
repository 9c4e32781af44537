"""The optimum with wrong and refused answers and with choices: against the reference, by hand, its bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from askwise import lower_bound, solve
from askwise.core.answers import AnswerModel
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Choice, QueryCost, Question
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.exact import TooLarge
from askwise.planning.exact_noisy import LimitedSolver
from askwise.planning.reference import PlanningState, Reference
from tests.graphs import random_problem
from tests.planning.test_exact import fork
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import workshop

WRONG, REFUSED, OPTIONS = (0.0, 0.05, 0.1, 0.25), (0.0, 0.1, 0.3), (None, None, 0.0, 0.05, 0.2)


def doubtful(seed: int, *, most_goals: int = 4) -> tuple[FactoredProblem, int]:
    """A problem on random graphs with any kind of answers, and a number of questions."""
    rng = np.random.default_rng([14, seed])
    option = OPTIONS[rng.integers(len(OPTIONS))]
    n_goals = int(rng.integers(2, most_goals if option is not None else most_goals + 1))
    problem = random_problem(seed, n_goals=n_goals, by_goal=seed % 2 == 0)
    problem = problem.with_terms(problem.prior, replace(problem.query_cost, per_option=option))
    errors = ("independent", "persistent")[rng.integers(2)]
    return problem.with_answers(AnswerModel(rng.choice(WRONG), rng.choice(REFUSED), errors)), int(rng.integers(3))


def marginal(problem: Problem, most: int, **more: Any) -> float:
    return LimitedSolver(problem, most, **more).at(problem.start).expected_marginal_cost


# -- against the reference ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", ["independent", "persistent"])
@pytest.mark.parametrize("option", [None, 0.1])
def test_tool_fetching(errors: str, option: float | None) -> None:
    """Loads, groups with names, and goals that cannot be told apart for some steps."""
    most = 2 if option is None else 1  # the reference tries every choice, in every order
    gains = []
    for seed in range(2):
        price = QueryCost(0.2, 0.1, per_option=option)
        drawn = generate(width=4, stations=3, toolboxes=2, walls=0.1, query_cost=price, seed=seed)
        problem = ToolFetching(drawn).with_answers(AnswerModel(0.1, 0.2, errors))
        found = marginal(problem, most)
        assert found == pytest.approx(Reference(problem, most).cost(), abs=1e-9)
        gains.append(marginal(problem, 0) - found)
    assert max(gains) > 0.01  # else questions would play no part


@pytest.mark.parametrize("seed", range(12))
def test_choices_with_true_answers(seed: int) -> None:
    problem = random_problem(seed, n_goals=3 + seed % 2)
    problem = problem.with_terms(problem.prior, replace(problem.query_cost, per_option=(0.0, 0.05)[seed % 2]))
    found = solve(problem)
    assert found.questions is None
    assert found.expected_marginal_cost == pytest.approx(Reference(problem).cost(), abs=1e-9)


@pytest.mark.parametrize("seed", range(15))
def test_true_answers_are_solved_alike_by_both_searches(seed: int) -> None:
    problem = random_problem(seed, by_goal=seed % 2 == 0)
    assert marginal(problem, 0, truthful=True) == pytest.approx(solve(problem).expected_marginal_cost, abs=1e-9)
    # No more questions than goals but one are ever of use.
    enough = len(problem.goals) - 1
    assert marginal(problem, enough) == pytest.approx(solve(problem).expected_marginal_cost, abs=1e-9)


# -- by hand -----------------------------------------------------------------------------------------------------


def test_one_question_that_may_be_wrong() -> None:
    """Two paths are equally likely: a wrong guess costs two steps, a step of watching one.

    After an answer that is wrong with probability 0.1 to go where it says costs 0.1 * 2; the question costs 0.3.
    """
    problem = fork(query_cost={"base": 0.2, "per_station": 0.1}).with_answers(AnswerModel(0.1))
    assert marginal(problem, 0) == pytest.approx(1.0)
    assert marginal(problem, 1) == pytest.approx(0.3 + 0.1 * 2)
    # A second question may settle what the first left open, but 0.3 is more than the 0.2 that is at stake.
    assert marginal(problem, 2) == pytest.approx(0.5)


def test_one_question_that_may_be_refused() -> None:
    """Without an answer a step of watching costs 1, a second question 0.3 and the same again."""
    problem = fork(query_cost={"base": 0.2, "per_station": 0.1}).with_answers(AnswerModel(0.0, 0.25))
    assert marginal(problem, 1) == pytest.approx(0.3 + 0.25 * 1.0)
    assert marginal(problem, 2) == pytest.approx(0.3 + 0.25 * (0.3 + 0.25 * 1.0))
    persistent = problem.with_answers(AnswerModel(0.0, 0.25, "persistent"))
    # A and B are all goals there are: to ask about B is to ask about A again.
    assert marginal(persistent, 2) == marginal(persistent, 1) == marginal(problem, 1)


def test_asks_again_only_where_that_may_help() -> None:
    model = AnswerModel(0.2)
    problem = fork(query_cost={"base": 0.05}).with_answers(model)
    solver = LimitedSolver(problem, 3)
    first = solver.at(problem.start)
    assert first.ask in ((0,), (1,))
    again = solver.at(problem.start, [Answer(first.ask, True)])
    assert again.ask is not None
    persistent = problem.with_answers(replace(model, errors="persistent"))
    solver = LimitedSolver(persistent, 3)
    assert solver.at(problem.start, [Answer(solver.at(problem.start).ask or (0,), True)]).ask is None


def test_which_tool_box_is_asked_for() -> None:
    problem = ToolFetching(
        generate(width=6, stations=6, toolboxes=3, query_cost=QueryCost(0.3, 0.3, per_option=0.0), seed=0)
    )
    asked = solve(problem).policy.at(problem.start).ask
    assert isinstance(asked, Choice)
    assert set(asked.names) <= set(problem.groups)


# -- what more questions could gain ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_more_questions_never_cost_more_and_bounds_close_in(seed: int) -> None:
    problem, _ = doubtful(seed)
    values = [marginal(problem, most) for most in range(4)]
    bounds = [marginal(problem, most, truthful=True) for most in range(3)]
    assert all(after <= before + 1e-9 for before, after in pairwise(values))
    assert all(after >= before - 1e-9 for before, after in pairwise(bounds))
    assert bounds[-1] <= values[-1] + 1e-9
    found = solve(problem, questions=3)
    assert found.lower_bound is not None
    assert found.lower_bound == pytest.approx(min(bounds[-1], values[-1]), abs=1e-9)
    assert lower_bound(problem).value <= bounds[0] + 1e-9


def test_a_bound_that_takes_too_many_states_is_0() -> None:
    problem = random_problem(3, n_goals=4).with_answers(AnswerModel(0.1))
    found, unknown = solve(problem, questions=1), solve(problem, questions=1, limit=1, go_on=True)
    assert unknown.expected_cost == found.expected_cost
    assert found.lower_bound == pytest.approx(0.1)
    assert unknown.lower_bound == 0


class ChoicesOnly(Reference):
    """Questions of yes and no are not allowed."""

    def questions_about(self, state: PlanningState) -> Iterator[Question]:
        return (question for question in super().questions_about(state) if isinstance(question, Choice))


@pytest.mark.parametrize("seed", range(15))
def test_a_choice_is_never_worse_than_yes_or_no_at_the_same_price(seed: int) -> None:
    """Even with choices only, an agent that may ask one question loses nothing."""
    problem = random_problem(seed, n_goals=3).with_answers(AnswerModel((0.0, 0.1, 0.2)[seed % 3], 0.1))
    sets = problem.with_terms(problem.prior, QueryCost(0.2))
    choices = problem.with_terms(problem.prior, QueryCost(0.2, per_option=0.0))
    for most in range(3):
        assert marginal(choices, most) <= marginal(sets, most) + 1e-12
    assert ChoicesOnly(choices, 1).cost() <= marginal(sets, 1) + 1e-9


def test_the_verdict_says_how_many_questions() -> None:
    problem = fork(query_cost={"base": 0.2, "per_station": 0.1}).with_answers(AnswerModel(0.1))
    found = solve(problem)
    assert (found.questions, str(found.verdict)) == (
        3,
        "exact, optimal over all actions and at most 3 questions; more would not help",
    )
    one = solve(problem, questions=1)
    assert one.lower_bound == pytest.approx(0.3)
    assert str(one.verdict) == "exact, optimal over all actions and at most 1 question; more could save at most 0.2"
    true = solve(fork())
    assert (true.questions, true.lower_bound) == (None, true.expected_marginal_cost)


def test_the_bound_says_that_it_takes_answers_for_true() -> None:
    problem = ToolFetching(workshop()).with_answers(AnswerModel(0.1))
    bound = lower_bound(problem)
    assert bound.value == lower_bound(workshop()).value
    assert str(bound.verdict).startswith("proven lower bound, 1 group of up to ")
    assert str(bound.verdict).endswith(" goals, each solved exactly as if all answers were true")


# -- sizes, and what is refused ----------------------------------------------------------------------------------


def test_too_large() -> None:
    problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, seed=1)).with_answers(AnswerModel(0.1))
    with pytest.raises(TooLarge, match=r"^too large for an exact answer: 8 goals and at most 3 questions, not solved "):
        solve(problem, limit=10_000)


def test_states_are_counted_up_to_the_limit() -> None:
    """Without questions there is one belief in each situation, and nothing else to count."""
    problem = random_problem(2, n_goals=4).with_answers(AnswerModel(0.1))
    states = solve(problem, questions=0).states
    assert states > 0
    assert solve(problem, questions=0, limit=states).states == states
    with pytest.raises(TooLarge, match=f"not solved after {states:,} states and 0 replies"):
        solve(problem, questions=0, limit=states - 1)


FAULTS: dict[str, Fault] = {
    "less than no question": (
        lambda: solve(workshop(), questions=-1),
        "questions: found -1; expected a whole number from 0",
    ),
    "half a question": (
        lambda: solve(workshop(), questions=0.5),  # type: ignore[arg-type]
        "questions: found 0.5; expected a whole number from 0",
    ),
    "where the teammate cannot be": (
        lambda: LimitedSolver(fork().with_answers(AnswerModel(0.1)), 1).at(JointState(0, 3)),
        "state: found the teammate at (0, 0), with answers or places that nothing considered leads to; expected a "
        "situation that can come about",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_a_true_answer_that_leaves_one_goal_is_followed() -> None:
    """Whichever goal it leaves: the ego agent goes there, whatever was best before."""
    problem = random_problem(3, n_goals=4)
    solver = LimitedSolver(problem, 1)
    for goal in range(4):
        best = solver.at(problem.start, [Answer((goal,), True)])
        assert best.expected_marginal_cost == 0
        assert best.action is not None
        assert problem.ego.optimal(problem.start.ego)[goal, best.action]
