"""Actions of one name that lead from one state to several, beside all optimal plans listed one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise.errors import InputError
from askwise.pddl import cones_of, recognition
from askwise.pddl.pairs import after_seen, pairs_at
from askwise.pddl.recogniser import recognise
from tests.pddl.brute import Action, Puzzle, apart, optimal_plans
from tests.pddl.corridors import watched

NOTHING: frozenset[str] = frozenset()


def _move(name: str, one: str, other: str) -> Action:
    return Action(name, frozenset({one}), NOTHING, frozenset({other}), frozenset({one}))


def _goals(*words: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    return tuple((frozenset({word}), NOTHING) for word in words)


FORK = Puzzle(
    tuple("sabxy"),
    (_move("go", "s", "a"), _move("go", "s", "b"), _move("fa", "a", "x"), _move("fb", "b", "y")),
    frozenset("s"),
    _goals("x", "y"),
)
"""``go`` leads to a or to b; the only plan for goal 2 is ``go, fb``."""

TWINS = Puzzle(
    tuple("sabxy"),
    (_move("go", "s", "a"), _move("go", "s", "b"), _move("on", "a", "x"), _move("on", "b", "y")),
    frozenset("s"),
    _goals("x", "y"),
)
"""Both goals have the plan ``go, on``: nobody who sees actions can tell them apart."""


def test_what_was_seen_is_followed_along_every_action_of_that_name() -> None:
    found = recognise(watched(FORK.pddl(), ["go", "fb"]), complete=True)
    assert found.probabilities.tolist() == [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]
    assert found.possible.tolist() == [[True, True], [True, True], [False, True]]
    assert found.contradiction is None


def test_divergence_after_what_was_seen_knows_both_states() -> None:
    problem = watched(FORK.pddl(), ["go"])
    cones = cones_of(problem)
    pairs = pairs_at(cones, after_seen(cones, problem.seen))
    assert pairs.goals == (0, 1)
    assert (pairs.edp[0, 1], pairs.edp[1, 0]) == (1.0, 1.0)  # the next action tells
    assert pairs.wcd[0, 1] == 0
    assert pairs.steps.tolist() == [1, 1]
    at_start = pairs_at(cones)
    assert (at_start.edp[0, 1], at_start.wcd[0, 1], at_start.told_apart[0, 1]) == (2.0, 1, 2.0)


def test_goals_whose_plans_have_the_same_names_are_never_told_apart() -> None:
    pairs = pairs_at(cones_of(recognition(TWINS.pddl())))
    assert (pairs.edp[0, 1], pairs.capped[0, 1], pairs.wcd[0, 1], pairs.told_apart[0, 1]) == (math.inf, 3, 2, math.inf)


def test_an_action_with_which_no_plan_goes_on_is_refused_with_those_of_all_states() -> None:
    problem = watched(FORK.pddl(), ["go", "go"])
    with pytest.raises(InputError) as refused:
        after_seen(cones_of(problem), problem.seen)
    assert str(refused.value) == (
        "obs.dat, line 2: found (go); expected an action that continues an optimal plan for some goal, such as "
        "(fa), (fb) (actions may not be missing here)"
    )


NAMES = tuple("pqr")
WORDS = tuple("abcde")
few = st.frozensets(st.sampled_from(WORDS), max_size=2)


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    """Draw up to eight actions that share three names."""
    actions = []
    for _ in range(draw(st.integers(4, 8))):
        needs, name = draw(st.frozensets(st.sampled_from(WORDS), max_size=1)), draw(st.sampled_from(NAMES))
        adds = draw(st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=2))
        actions.append(Action(name, needs, NOTHING, adds, draw(few)))
    # Each name is there, so that it may be seen.
    actions += [Action(name, frozenset("a"), NOTHING, frozenset("b"), frozenset("c")) for name in NAMES]
    wanted = st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=3)
    goals = draw(st.lists(wanted.map(lambda words: (words, NOTHING)), min_size=2, max_size=3))
    return Puzzle(WORDS, tuple(actions), draw(few), tuple(goals))


Plans = list[tuple[str, ...]]


def _in_order(plan: tuple[str, ...], seen: tuple[str, ...]) -> bool:
    rest = iter(plan)
    return all(action in rest for action in seen)


def _strays(plans: Plans, seen: tuple[str, ...], n_operators: int) -> Fraction:
    """Add up over all sets of actions that are not stray ones, at one in ten."""
    total = Fraction(0)
    for size in range(len(seen) + 1):
        for kept in combinations(seen, size):
            weight = Fraction(9, 10) ** size * Fraction(1, 10 * n_operators) ** (len(seen) - size)
            total += weight * sum(_in_order(plan, kept) for plan in plans)
    return total / len(plans)


@settings(max_examples=30, deadline=None)
@given(puzzles(), st.data())
def test_beliefs_are_as_listing_all_optimal_plans_says(puzzle: Puzzle, data: st.DataObject) -> None:
    plans = [optimal_plans(puzzle, goal) for goal in puzzle.goals]
    likely = [plan for each in plans for plan in each if plan] or [NAMES]
    seen = data.draw(st.sampled_from(likely)) + data.draw(st.sampled_from([(), ("p",), ("q", "r")]))
    problem = watched(puzzle.pddl(), seen)
    cones = cones_of(problem)
    n_operators = max(1, cones.task.n_operators)
    beliefs: dict[str, Callable[[Plans, int], Fraction]] = {
        "complete": lambda each, k: Fraction(sum(plan[:k] == seen[:k] for plan in each), len(each)),
        "bayes": lambda each, k: Fraction(sum(_in_order(plan, seen[:k]) for plan in each), len(each)),
        "robust": lambda each, k: _strays(each, seen[:k], n_operators),
    }
    for name, share in beliefs.items():
        belief = "robust" if name == "robust" else "bayes"
        found = recognise(problem, cones=cones, belief=belief, complete=name == "complete")
        for k in range(len(seen) + 1):
            shares = [share(each, k) if each else Fraction(0) for each in plans]
            total = sum(shares)
            expected = [float(each / total) if total else 0.0 for each in shares]
            assert found.probabilities[k] == pytest.approx(expected, abs=1e-12)
            assert found.possible[k].tolist() == [each > 0 for each in shares]  # elimination


@settings(max_examples=30, deadline=None)
@given(puzzles(), st.data())
def test_divergence_is_as_listing_all_optimal_plans_says(puzzle: Puzzle, data: st.DataObject) -> None:
    plans = [optimal_plans(puzzle, goal) for goal in puzzle.goals]
    likely = [plan for each in plans for plan in each if plan] or [()]
    plan = data.draw(st.sampled_from(likely))
    seen = plan[: data.draw(st.integers(0, len(plan)))]
    left = [[plan[len(seen) :] for plan in each if plan[: len(seen)] == seen] for each in plans]
    problem = watched(puzzle.pddl(), seen)
    cones = cones_of(problem)
    pairs = pairs_at(cones, after_seen(cones, problem.seen))
    assert pairs.goals == tuple(goal for goal, each in enumerate(left) if each)
    assert pairs.steps.tolist() == [len(left[goal][0]) for goal in pairs.goals]
    for i, ruled_out in enumerate(pairs.goals):
        for j, pursued in enumerate(pairs.goals):
            if i != j:
                truth = apart(left[ruled_out], left[pursued])
                assert pairs.edp[i, j] == pytest.approx(math.inf if truth.edp is None else float(truth.edp))
                assert pairs.capped[i, j] == pytest.approx(float(truth.capped))
                assert pairs.wcd[i, j] == truth.prefix
                assert pairs.told_apart[i, j] == (math.inf if truth.edp is None else truth.prefix + 1)
