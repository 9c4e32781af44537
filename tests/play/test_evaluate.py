"""Evaluation from independent episodes, and from episodes for each goal.

Results carry a verdict, errors survive a process boundary.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from askwise import evaluate
from askwise.errors import AskwiseError, InputError, NotConvergedError
from askwise.methods import Agent, Decision, Observation
from askwise.play.evaluate import interval, standard_error, weighted_mean
from askwise.types import Result, Verdict
from tests.planning.test_exact import fork
from tests.tool_fetching import workshop


def test_episodes_as_they_come() -> None:
    found = evaluate(workshop(), "never", episodes=50, seed=3)
    assert found == evaluate(workshop(), "never", episodes=50, seed=3)
    assert found != evaluate(workshop(), "never", episodes=50, seed=4)
    assert str(found.verdict) == "estimate, 50 episodes"
    assert not found.verdict.exact
    low, high = found.ci
    assert low < found.expected_marginal_cost < high
    assert high - low == pytest.approx(2 * 2.00957524 * found.stderr)  # Student's t, 49 degrees of freedom


def test_some_for_each_goal() -> None:
    found = evaluate(workshop(prior="near"), "never", paths=20, seed=3)
    assert found == evaluate(workshop(prior="near"), "never", paths=20, seed=3)
    assert str(found.verdict) == "estimate, 20 episodes for each goal"
    exact = evaluate(workshop(prior="near"), "never", exact=True)
    assert abs(found.expected_marginal_cost - exact.expected_marginal_cost) <= 4 * found.stderr + 1e-9


class Sure(Agent):
    """An agent that goes to A until the teammate has arrived."""

    def decide(self, observation: Observation) -> Decision:
        arrived = self.problem.teammate.steps(observation.state.teammate) == 0
        goal = int(arrived.argmax()) if arrived.any() else 0
        return Decision(action=int(self.problem.ego.optimal(observation.state.ego)[goal].argmax()), why="Go.")


def test_rare_goals_are_not_missed() -> None:
    """The goal is nearly always A: independent episodes may never meet B, and then estimate a cost of 0."""
    problem = fork(prior={"A": 9_999, "B": 1})
    exact = evaluate(problem, Sure(), exact=True)
    assert exact.expected_marginal_cost > 0
    drawn = evaluate(problem, Sure(), episodes=20, seed=1)
    assert (drawn.expected_marginal_cost, drawn.stderr) == (0.0, 0.0)
    each = evaluate(problem, Sure(), paths=2, seed=1)
    assert each.expected_marginal_cost == pytest.approx(exact.expected_marginal_cost)


def test_progress_is_told() -> None:
    told: list[int] = []
    evaluate(workshop(), "never", episodes=3, progress=told.append)
    assert told == [1, 2, 3]
    told.clear()
    evaluate(workshop(), "never", paths=2, progress=told.append)
    assert told == [1, 2, 3, 4, 5, 6]


def test_standard_errors() -> None:
    assert standard_error(np.array([1.0, 3.0])) == pytest.approx(1.0)
    values = np.array([[1.0, 3.0], [5.0, 5.0]])
    mean, stderr, freedom = weighted_mean(values, np.array([0.5, 0.0, 0.5]))
    assert (mean, stderr) == pytest.approx((3.5, 0.5))
    assert freedom == pytest.approx(1.0)  # only the first goal varies, two paths of it
    assert weighted_mean(np.ones((2, 3)), np.array([0.2, 0.8]))[1] == 0.0


def test_intervals() -> None:
    assert interval(1.0, 0.0, np.inf) == (1.0, 1.0)
    low, high = interval(0.0, 1.0, 1e9)
    assert (low, high) == pytest.approx((-1.959964, 1.959964), abs=1e-5)


EXACT = Verdict("one backward pass")
PROVEN = Verdict("sweeps", False, 2.5e-10, 17, 1e-10)


def test_verdicts_print_what_is_known() -> None:
    assert str(EXACT) == "exact, one backward pass"
    assert str(PROVEN) == "proven relative error at most 2.5e-10, sweeps, 17 iterations"
    once = Verdict("sparse factorisation", False, 1e-15, 1, 0.0)
    assert str(once) == "proven relative error at most 1.0e-15, sparse factorisation, 1 iteration"
    early = Verdict("sweeps", False, 0.5, 3, 0.5, converged=False)
    assert str(early) == (
        "proven relative error at most 5.0e-01, sweeps, 3 iterations, the requested tolerance was not reached"
    )


def test_results_print_their_value_and_verdict() -> None:
    assert str(Result(5 / 3, EXACT)) == "1.66667 (exact, one backward pass)"
    assert str(Result(float("inf"), EXACT)) == "inf (exact, one backward pass)"
    assert str(Result(np.ones(4), PROVEN)) == (
        "4 values (proven relative error at most 2.5e-10, sweeps, 17 iterations)"
    )


def test_results_stand_for_their_numbers() -> None:
    values = np.array([1.0, 2.0])
    assert float(Result(2.5, EXACT)) == 2.5
    assert np.asarray(Result(values, EXACT)).tolist() == [1, 2]
    assert np.asarray(Result(values, EXACT), dtype=np.float32).dtype == np.float32
    assert np.asarray(Result(2.5, EXACT)).shape == ()


def test_results_and_verdicts_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(Result(2.5, PROVEN)))
    assert again == Result(2.5, PROVEN)


def test_input_errors_survive_pickling() -> None:
    error = InputError("prior", -1, "a number from 0")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, InputError)
    assert str(again) == str(error) == "prior: found -1; expected a number from 0"
    assert (again.field, again.found, again.expected) == ("prior", -1, "a number from 0")


@pytest.mark.parametrize("kind", [InputError, NotConvergedError])
def test_every_error_is_one_of_ours(kind: type[Exception]) -> None:
    assert issubclass(kind, AskwiseError)


def test_faulty_input_is_a_value_error_too() -> None:
    assert issubclass(InputError, ValueError)
