"""The value of a question: by hand, compared with plain Python, and its general properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.core.questions import QueryCost
from askwise.methods.question_value import QuestionValue, as_mask, union_length, union_lengths
from askwise.types import BoolArray, FloatArray
from tests.methods.questions import (
    all_questions,
    conflict_steps,
    free_of_charge,
    plain_value,
    situations,
    union_of,
    values_of,
)
from tests.refused import Fault, assert_refused, each

Situation = tuple[FloatArray, FloatArray, FloatArray]
inf = np.inf


def torn_between(*intervals: tuple[float, float]) -> QuestionValue:
    """Return values with goal 0 as the true goal and one conflict interval for each other goal."""
    n = len(intervals) + 1
    branching, divergence = np.full((n, n), inf), np.ones((n, n))
    for k, (first, last) in enumerate(intervals, start=1):
        branching[0, k], divergence[k, 0] = first, last
    return QuestionValue(np.eye(n)[0], branching, divergence, free_of_charge)


# -- by hand -----------------------------------------------------------------------------------------------------

CASES: dict[str, tuple[list[tuple[float, float]], float]] = {
    "one interval": ([(6, 10)], 5),
    "overlapping": ([(6, 13), (11, 15)], 10),
    "a gap": ([(6, 9), (11, 15)], 9),
    "one after the other without a gap": ([(6, 10), (11, 15)], 10),
    "one inside the other": ([(6, 15), (8, 9)], 10),
    "the same twice": ([(6, 10), (6, 10)], 5),
    "the same beginning": ([(6, 8), (6, 10)], 5),
    "the same end": ([(8, 10), (6, 10)], 5),
    "a single step": ([(6, 6)], 1),
    "a step that seems to end too early": ([(6, 6 - 1e-12)], 1),
    "known before it matters": ([(6, 5.9)], 0),
    "part of a step": ([(6, 6.25)], 1.25),
    "plans that never branch": ([(inf, 5)], 0),
    "nothing": ([(7, 3), (5, 1)], 0),
    "out of order, in three pieces": ([(20, 21), (1, 2), (10, 12.5), (11, 12), (1, 1)], 2 + 3.5 + 2),
}


@pytest.mark.parametrize(("intervals", "expected"), CASES.values(), ids=CASES)
def test_by_hand(intervals: list[tuple[float, float]], expected: float) -> None:
    values = torn_between(*intervals)
    assert values.conflict_steps[0] == expected
    assert union_of(intervals) == expected, "the plain way agrees"
    # Asking about the truth alone settles everything.
    assert values.value([0]) == expected
    assert torn_between(*reversed(intervals)).value([0]) == expected


def test_what_is_left_after_the_answer() -> None:
    # 6 to 13 and 11 to 15 make 10 steps. Without the second goal 8 are left, without the first 5.
    values = torn_between((6, 13), (11, 15))
    assert values.value([0, 1]) == values.value([2]) == 10 - 8
    assert values.value([0, 2]) == values.value([1]) == 10 - 5
    # From {0, 1}, worth 2: goal 0 on the side of 2 leaves 5 (worth 5); alone, nothing (10); with both, all (0).
    assert values.flips([0, 1]).tolist() == [5 - 2, 10 - 2, 0 - 2]


def test_every_truth_counts_by_its_probability() -> None:
    # Truth 0: torn from 1 to 3; truth 1: from 1 to 7.
    values = QuestionValue(
        np.array([0.25, 0.75]), np.array([[inf, 1], [1, inf]]), np.array([[inf, 7.0], [3.0, inf]]), QueryCost(0.5, 0.1)
    )
    assert values.conflict_steps.tolist() == [3, 7]
    assert values.value([0]) == values.value([1]) == 0.25 * 3 + 0.75 * 7
    assert values.net([0]) == 6 - 0.6
    assert values.value([]) == values.value([0, 1]) == 0
    assert values.net([0, 1]) == -0.7


def test_the_diagonal_is_not_looked_at() -> None:
    belief = np.array([0.5, 0.5])
    branching, divergence = np.array([[1.0, 2], [2, 1]]), np.array([[9.0, 4], [5, 9]])
    expected = QuestionValue(belief, branching, divergence, free_of_charge).conflict_steps
    np.fill_diagonal(branching, inf)
    np.fill_diagonal(divergence, inf)
    assert (
        QuestionValue(belief, branching, divergence, free_of_charge).conflict_steps.tolist()
        == expected.tolist()
        == [4, 3]
    )


def test_the_cost_is_any_function_of_the_goals() -> None:
    heard: list[Sequence[int]] = []

    def cost(asked: Sequence[int]) -> float:
        heard.append(asked)
        return 10.0 * sum(asked)

    values = QuestionValue(*_pair(), cost)
    assert values.net([1]) == values.value([1]) - 10
    assert values.net(np.array([True, True])) == -10
    assert heard == [[1], [0, 1]]


def _pair() -> Situation:
    return np.array([0.5, 0.5]), np.array([[inf, 1], [1, inf]]), np.array([[inf, 2.0], [2.0, inf]])


# -- beside plain Python -----------------------------------------------------------------------------------------


@given(situations(), st.data())
def test_value_beside_plain_python(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    mask = data.draw(_masks(values.n))
    assert values.value(mask) == pytest.approx(_plain(mask, drawn), rel=1e-12, abs=1e-12)


@given(situations(max_goals=6))
def test_all_questions_at_once_beside_plain_python(drawn: Situation) -> None:
    values = values_of(drawn)
    batch = np.array(all_questions(values.n))
    expected = [_plain(mask, drawn) for mask in batch]
    np.testing.assert_allclose(values.values(batch), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(values.values(batch), [values.value(mask) for mask in batch], rtol=1e-12, atol=1e-12)


@given(situations(), st.data())
def test_flips_beside_plain_python(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    mask = data.draw(_masks(values.n))
    before = mask.copy()
    changes = values.flips(mask)
    assert mask.tolist() == before.tolist(), "the question itself stays as it was"
    for goal in range(values.n):
        flipped = mask.copy()
        flipped[goal] = not flipped[goal]
        expected = _plain(flipped, drawn) - _plain(mask, drawn)
        assert changes[goal] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(situations(), st.data())
def test_unions_beside_plain_python(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    mask = data.draw(_masks(values.n))
    sides = [{k for k in range(values.n) if mask[k] == side} for side in (False, True)]
    _, branching, divergence = drawn
    expected = [conflict_steps(goal, sides[int(mask[goal])], branching, divergence) for goal in range(values.n)]
    np.testing.assert_allclose(union_lengths(mask, values.intervals), expected, rtol=1e-12, atol=1e-12)
    # Also with the goals on the other side, which the searches ask for.
    across = [conflict_steps(goal, sides[int(not mask[goal])], branching, divergence) for goal in range(values.n)]
    found = [union_length(goal, not mask[goal], mask, values.intervals) for goal in range(values.n)]
    np.testing.assert_allclose(found, across, rtol=1e-12, atol=1e-12)


def _plain(mask: BoolArray, drawn: Situation) -> float:
    return plain_value(set(np.flatnonzero(mask).tolist()), *drawn)


def _masks(n: int) -> st.SearchStrategy[BoolArray]:
    return st.lists(st.booleans(), min_size=n, max_size=n).map(lambda bits: np.array(bits, dtype=np.bool_))


# -- what always holds -------------------------------------------------------------------------------------------


@given(situations(), st.data())
def test_a_question_and_its_complement_tell_the_same(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    mask = data.draw(_masks(values.n))
    assert values.value(mask) == values.value(~mask)
    assert values.value(mask) >= -1e-12


@given(situations())
def test_asking_nothing_or_everything_is_worth_nothing(drawn: Situation) -> None:
    values = values_of(drawn)
    assert values.value([]) == values.value(range(values.n)) == 0


@given(situations(), st.data())
def test_no_question_is_worth_more_than_knowing(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    most = float(values.belief @ values.conflict_steps)
    assert values.value(data.draw(_masks(values.n))) <= most + 1e-12


@given(situations(), st.data())
def test_goals_have_no_order(drawn: Situation, data: st.DataObject) -> None:
    values = values_of(drawn)
    mask = data.draw(_masks(values.n))
    order = np.array(data.draw(st.permutations(range(values.n))))
    belief, branching, divergence = drawn
    shuffled = (belief[order], branching[np.ix_(order, order)], divergence[np.ix_(order, order)])
    assert values_of(shuffled).value(mask[order]) == pytest.approx(values.value(mask), rel=1e-12, abs=1e-12)


@given(situations(max_goals=6))
def test_numbers_and_masks_are_the_same_question(drawn: Situation) -> None:
    values = values_of(drawn, QueryCost(0.5, 0.25))
    for mask in all_questions(values.n):
        numbers = np.flatnonzero(mask)
        assert values.value(mask) == values.value(numbers) == values.value(tuple(numbers.tolist()))
        assert values.net(mask) == values.net(numbers.tolist()) == values.value(mask) - (0.5 + 0.25 * numbers.size)


def test_a_mask_is_recognised_by_its_type() -> None:
    assert as_mask([True, False, True], 3).tolist() == [True, False, True]
    assert as_mask([1, 0, 1], 3).tolist() == [True, True, False]
    assert as_mask([], 2).tolist() == [False, False]
    assert as_mask(range(2), 3).tolist() == [True, True, False]


# -- faults ------------------------------------------------------------------------------------------------------


def _three() -> QuestionValue:
    return QuestionValue(np.full(3, 1 / 3), np.ones((3, 3)), np.ones((3, 3)), free_of_charge)


FAULTS: dict[str, Fault] = {
    "branching steps of other goals": (
        lambda: QuestionValue(np.ones(2) / 2, np.ones((3, 3)), np.ones((2, 2)), free_of_charge),
        "branching: found an array of shape (3, 3); expected (2, 2), as many as beliefs",
    ),
    "divergences of other goals": (
        lambda: QuestionValue(np.ones(2) / 2, np.ones((2, 2)), np.ones((2, 3)), free_of_charge),
        "divergence: found an array of shape (2, 3); expected (2, 2), as many as beliefs",
    ),
    "divergences in a row": (
        lambda: QuestionValue(np.ones(2) / 2, np.ones((2, 2)), np.ones(2), free_of_charge),
        "divergence: found an array of shape (2,); expected (2, 2), as many as beliefs",
    ),
    "a mask too short": (
        lambda: _three().value(np.array([True])),
        "question: found a mask of shape (1,); expected (3,), one entry for each goal",
    ),
    "a mask too many": (
        lambda: _three().flips(np.ones((2, 3), dtype=bool)),
        "question: found a mask of shape (2, 3); expected (3,), one entry for each goal",
    ),
    "a goal that is not there": (
        lambda: _three().value([0, 3]),
        "question: found goals [0, 3]; expected numbers from 0 to 2",
    ),
    "a goal below 0": (lambda: _three().net([-1]), "question: found goals [-1]; expected numbers from 0 to 2"),
}


@each(FAULTS)
def test_faulty_questions_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
