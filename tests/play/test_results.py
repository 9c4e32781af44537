"""Results carry a verdict, errors survive a process boundary."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from askwise.errors import AskwiseError, InputError, NotConvergedError
from askwise.types import Result, Verdict

EXACT = Verdict("one backward pass")
PROVEN = Verdict("sweeps", False, 2.5e-10, 17, 1e-10)


def test_verdicts_print_what_is_known() -> None:
    assert str(EXACT) == "exact, one backward pass"
    assert str(PROVEN) == "proven relative error at most 2.5e-10, sweeps, 17 iterations"
    once = Verdict("sparse factorisation", False, 1e-15, 1, 0.0)
    assert str(once) == "proven relative error at most 1.0e-15, sparse factorisation, 1 iteration"
    early = Verdict("sweeps", False, 0.5, 3, 0.5, converged=False)
    assert str(early) == (
        "proven relative error at most 5.0e-01, sweeps, 3 iterations, the tolerance asked for was not reached"
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
