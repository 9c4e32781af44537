"""The reference itself: by hand, by the rules of the game, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from askwise import evaluate
from askwise.core.answers import AnswerModel
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, changed
from askwise.core.questions import Choice, QueryCost
from askwise.model import GridWorld
from askwise.planning.exact import TooLarge
from askwise.planning.reference import Reference
from tests.graphs import lopsided, random_problem
from tests.planning.random_problems import small_problem
from tests.planning.test_exact import fork
from tests.planning.test_graphs import one_way
from tests.refused import Fault, assert_refused, each

CHEAP = {"base": 0.25, "per_station": 0.25}


def test_two_ways_by_hand() -> None:
    """A wrong guess costs two steps, a step of watching one, a question half a step."""
    problem = fork(query_cost=CHEAP)
    reference = Reference(problem)
    state, names = reference.state(), problem.ego.actions.names
    west, wait = names.index("WEST"), names.index("NOOP")
    assert state.weights == (Fraction(1, 2), Fraction(1, 2))
    assert (reference.delay(state, west), reference.delay(state, wait)) == (1, 1)
    assert (reference.act(state, west), reference.act(state, wait)) == (1, 1)
    assert reference.value(state) == reference.ask_until_known(state) == Fraction(1, 2)
    assert (reference.act_only(state), reference.act_then_ask(state)) == (1, Fraction(1, 2))
    assert reference.best_moves(state) == [(0,), (1,)]
    assert reference.best_moves(reference.state(possible=[1])) == []


def test_answers_that_are_wrong_or_missing_by_hand() -> None:
    wrong = fork(query_cost=CHEAP).with_answers(AnswerModel(0.1))
    assert [Reference(wrong, n).cost() for n in (0, 1, 2)] == [1.0, 0.7, 0.7]
    missing = fork(query_cost=CHEAP).with_answers(AnswerModel(0.0, 0.25))
    assert [Reference(missing, n).cost() for n in (1, 2)] == [0.75, 0.6875]
    persistent = missing.with_answers(AnswerModel(0.0, 0.25, "persistent"))
    assert [Reference(persistent, n).cost() for n in (1, 2)] == [0.75, 0.75]
    assert Reference(wrong, 0, truthful_after=True).cost() == 0.5


def test_likelihoods_by_hand() -> None:
    """Of three goals two are named apart; the third is "none of these"."""
    reference = Reference(random_problem(0, n_goals=3).with_answers(AnswerModel(0.2, 0.5)), 1)
    likelihood = {
        answer.reply: shares for answer, shares in reference.replies(Choice(((0,), (2,))), reference.problem.answers)
    }
    true, false = Fraction(4, 10), Fraction(5, 100)
    assert likelihood == {
        None: (Fraction(1, 2),) * 3,
        0: (true, false, false),
        1: (false, false, true),
        2: (false, true, false),
    }


def test_identifying_a_goal_by_hand() -> None:
    """Weights 5, 3, 1, 1 and a price of 1: half against half, then 3 against 2, then 1 against 1."""
    problem = small_problem(43)
    assert len(problem.goals) == 4
    reference = Reference(changed(problem, query_cost=QueryCost(1.0)))
    state = reference.state()._replace(weights=tuple(map(Fraction, (1, 3, 5, 1))))
    assert reference.ask_until_known(state) == 10 + 5 + 2


def test_no_way_back() -> None:
    problem = one_way(1e-12)
    reference = Reference(problem)
    left = problem.ego.actions.names.index("left")
    assert reference.delay(reference.state(), left) == float("inf")
    gone = reference.state(JointState(problem.start.teammate, problem.ego.next(problem.start.ego, left)))
    assert reference.delay(gone, left) == 0, "a goal that is lost no longer matters"


@pytest.mark.parametrize("number", [k for k in range(48) if k % 4 in (0, 3)][::2])
def test_who_plays_by_the_optimum_pays_what_the_reference_says(number: int) -> None:
    problem = small_problem(number)
    played = evaluate(problem, "optimal", exact=True).expected_marginal_cost
    assert played == pytest.approx(Reference(problem).cost(), abs=1e-9)


def long_corridor() -> FactoredProblem:
    grid = GridWorld(102, 1)
    return FactoredProblem(
        goals=("A", "B"),
        teammate_model=grid,
        teammate_goals=[(0, 0), (101, 0)],
        ego_model=grid,
        ego_goals=[(0, 0), (101, 0)],
        start=((0, 0), (0, 0)),
    )


NOISY = AnswerModel(0.1)
FAULTS: dict[str, Fault] = {
    "a teammate that is no UROP": (
        lambda: Reference(random_problem(1, policies=lopsided)),
        "teammate_policies: found policies of the teammate's own; expected none: a teammate that is a UROP",
    ),
    "any number of answers that may be wrong": (
        lambda: Reference(fork().with_answers(NOISY)),
        "questions: found no limit; expected a whole number from 0: answers are wrong:0.1",
    ),
    "less than no question": (
        lambda: Reference(fork(), -1),
        "questions: found -1; expected a whole number from 0, or None for any number",
    ),
    "a teammate on no way": (
        lambda: Reference(fork()).state(JointState(0, 3)),
        "state: found the teammate at (0, 0), on no way to a possible goal; expected one on such a way",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_too_large() -> None:
    with pytest.raises(TooLarge, match=r"^too large for the reference: 2 goals, not solved after 5 actions and "):
        Reference(fork(), most_options=5).cost()
    with pytest.raises(TooLarge, match=r"^too large for the reference: a plan of 101 steps, at most 100 are possible$"):
        Reference(long_corridor())
