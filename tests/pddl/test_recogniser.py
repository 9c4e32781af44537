"""Recognition beside an enumeration of all optimal plans, in whole numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise.errors import InputError
from askwise.pddl import Limits, Recognition, cones_of
from askwise.pddl.recogniser import recognise
from askwise.pddl.text import recognised_to_json, recognised_to_text
from tests.pddl.corridors import corridors, go, watched

CORNERS = ((2, 0), (0, 2), (2, 2))


def all_plans(problem: Recognition, goal: int) -> list[tuple[str, ...]]:
    """Return all optimal plans for a goal, by walking every way of every length."""
    task = problem.task
    wanted = task.bits(problem.goals[goal])
    assert wanted is not None
    ways: list[tuple[tuple[str, ...], object]] = [((), task.initial)]
    for _ in range(12):
        there = [way for way, state in ways if all(int(state[b // 64]) >> (b % 64) & 1 for b in wanted)]  # type: ignore[index]
        if there:
            return there
        ways = [
            ((*way, task.labels[o]), task.apply(state, o))  # type: ignore[arg-type]
            for way, state in ways
            for o in task.applicable(state)  # type: ignore[arg-type]
        ]
    return []


def contains(plan: tuple[str, ...], actions: tuple[str, ...]) -> bool:
    rest = iter(plan)
    return all(action in rest for action in actions)


def share(plans: list[tuple[str, ...]], actions: tuple[str, ...], stray: Fraction) -> Fraction:
    """Return the sum over all sets of actions that are not stray, plan by plan."""
    total = Fraction(0)
    for size in range(len(actions) + 1):
        for kept in combinations(range(len(actions)), size):
            weight = (1 - stray) ** size if stray else Fraction(int(size == len(actions)))
            weight *= (stray / N_OPERATORS) ** (len(actions) - size) if stray else 1
            total += weight * sum(contains(plan, tuple(actions[k] for k in kept)) for plan in plans)
    return total / len(plans)


FILES = corridors(3, 3, CORNERS, closed=[(1, 1)])
N_OPERATORS = recognise(watched(FILES, go((0, 0), (1, 0)))).cones.task.n_operators
STEPS = [*go((0, 0), (1, 0), (2, 0), (2, 1), (2, 2)), *go((0, 0), (0, 1), (0, 2), (1, 2), (2, 2)), *go((1, 0), (0, 0))]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=4), st.sampled_from([0, 1, 3]))
def test_equal_to_counting_plans_one_by_one(seen: list[str], tenths: int) -> None:
    problem, stray = watched(FILES, seen), Fraction(tenths, 10)
    found = recognise(problem, belief="robust" if stray else "bayes", stray=float(stray) or 0.5)
    plans = [all_plans(problem, goal) for goal in range(3)]
    for k in range(len(seen) + 1):
        shares = [share(each, tuple(seen[:k]), stray) for each in plans]
        total = sum(shares)
        expected = [float(each / total) if total else 0.0 for each in shares]
        assert found.probabilities[k] == pytest.approx(expected, abs=1e-12)
        assert found.possible[k].tolist() == [bool(stray) or each > 0 for each in shares]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
def test_without_gaps_plans_that_begin_so_count(seen: list[str]) -> None:
    problem = watched(FILES, seen)
    found = recognise(problem, complete=True)
    plans = [all_plans(problem, goal) for goal in range(3)]
    for k in range(len(seen) + 1):
        shares = [Fraction(sum(plan[:k] == tuple(seen[:k]) for plan in each), len(each)) for each in plans]
        total = sum(shares)
        expected = [float(each / total) if total else 0.0 for each in shares]
        assert found.probabilities[k] == pytest.approx(expected, abs=1e-12)


def test_an_open_grid_in_closed_form() -> None:
    """From corner to corner there are comb(8, 4) ways; through one edge, those before it times those after."""
    problem = watched(corridors(5, 5, [(4, 4), (4, 0)]), go((1, 1), (2, 1)))
    found = recognise(problem, prior=[3, 1], belief="bayes")
    share_of_first = comb(2, 1) * comb(5, 2) / comb(8, 4)
    assert found.probabilities[-1].tolist() == [1.0, 0.0]  # no shortest way along the edge of the grid passes there
    robust = recognise(problem, prior=[3, 1], belief="robust", stray=0.2)
    odds = 0.2 / 0.8 / robust.cones.task.n_operators
    first, second = 3 * (share_of_first + odds), 1 * odds
    assert robust.probabilities[-1, 0] == pytest.approx(first / (first + second), rel=1e-12)


def test_more_plans_than_floats_can_count() -> None:
    """On 1,100 steps in layers of two there are 2^1099 plans; half of them pass each room."""
    n = 1100
    rooms = " ".join(f"a{k} b{k}" for k in range(1, n)) + " start end other"
    ways = [f"(way {one}{k} {two}{k + 1})" for k in range(1, n - 1) for one in "ab" for two in "ab"]
    ways += ["(way start a1)", "(way start b1)", *(f"(way {one}{n - 1} {e})" for one in "ab" for e in ("end", "other"))]
    template = (
        f"(define (problem long) (:domain corridors) (:objects {rooms}) (:init (at start) {' '.join(ways)}) "
        "(:goal (and <HYPOTHESIS>)))"
    )
    files = {**corridors(1, 1, []), "template.pddl": template, "hyps.dat": "(at end)\n(at other)"}
    problem = watched(files, ["go a5 a6", "go b900 b901", "go a1099 end"])
    for complete, seen in ((False, problem), (True, watched(files, ["go start a1", "go a1 b2"]))):
        found = recognise(seen, complete=complete, belief="bayes")
        assert np.isfinite(found.probabilities).all()
        assert found.possible[2].all()
        assert found.probabilities[2].tolist() == pytest.approx([0.5, 0.5], rel=1e-9)
    assert recognise(problem, belief="bayes").probabilities[-1].tolist() == [1.0, 0.0]


def test_full_observations_of_an_optimal_plan_never_rule_the_true_goal_out() -> None:
    problem = watched(FILES, [])
    cones = cones_of(problem)
    for goal in range(3):
        for plan in all_plans(problem, goal):
            for complete in (False, True):
                found = recognise(watched(FILES, plan), cones=cones, complete=complete, belief="bayes")
                assert found.possible[:, goal].all()


def test_a_walk_that_no_plan_explains_is_told_and_robust_goes_on() -> None:
    problem = watched(FILES, go((0, 0), (1, 0), (0, 0), (0, 1)), "(at r0-2)")
    found = recognise(problem, belief="bayes")
    assert found.contradiction == 2
    assert found.likeliest() == ()
    assert found.probabilities[2:].tolist() == [[0, 0, 0]] * 2
    assert "After action 2, (go r1-0 r0-0), no goal is possible" in recognised_to_text("walk", found, "so")
    assert "The true goal, goal 2, is ruled out." in recognised_to_text("walk", found, "so")
    robust = recognise(problem, belief="robust")
    assert robust.contradiction is None
    assert robust.possible.all()
    assert 1 in robust.ranking()
    assert recognised_to_json("walk", robust, {"belief": "robust"})["true_goal"] == 2


def test_goals_that_cannot_be_reached_are_left_out() -> None:
    files = corridors(3, 3, [(2, 0), (2, 2)], closed=[(1, 2), (2, 1), (1, 1)])
    found = recognise(watched(files, go((0, 0), (1, 0))), belief="robust")
    assert found.cones.unreachable == (1,)
    assert found.possible.tolist() == [[True, False]] * 2
    assert "No plan leads to goal 2: it is left out." in recognised_to_text("walk", found, "so")


def test_long_strays_leave_the_odds_as_they_are() -> None:
    seen = [*go((0, 0), (1, 0)), *(go((1, 0), (0, 0)) * 150)]
    found = recognise(watched(FILES, seen), belief="robust")
    assert np.isfinite(found.probabilities).all()
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(152))
    assert found.likeliest() == (0,)


@pytest.mark.parametrize("belief", ["bayes", "robust"])
def test_without_any_action_that_is_possible_goals_that_hold_at_first_keep_their_prior(belief: str) -> None:
    domain = (
        "(define (domain still) (:predicates (here) (there) (never))"
        " (:action go :parameters () :precondition (never) :effect (there)))"
    )
    template = "(define (problem p) (:domain still) (:init (here)) (:goal (and <HYPOTHESIS>)))"
    files = {"domain.pddl": domain, "template.pddl": template, "hyps.dat": "(here)\n(there)\n(here)"}
    found = recognise(watched(files, ["go", "go"]), belief=belief, prior=[3, 1, 1])
    assert found.cones.task.n_operators == 0
    after = [0.75, 0, 0.25] if belief == "robust" else [0, 0, 0]
    assert found.probabilities.tolist() == [pytest.approx(row) for row in ([0.75, 0, 0.25], after, after)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"belief": "psychic"}, "belief: found 'psychic'; expected 'bayes' or 'robust'"),
        ({"belief": "robust", "stray": 1.0}, "stray: found 1.0; expected a probability between 0 and 1"),
        (
            {"belief": "robust", "complete": True},
            "complete: found with the belief 'robust'; expected the belief 'bayes': strays and gaps go together",
        ),
        (
            {"prior": [1, -1, 1]},
            "prior: found [1, -1, 1]; expected 3 weights, finite, not negative, one of them positive",
        ),
    ],
)
def test_bad_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        recognise(watched(FILES, go((0, 0), (1, 0))), **{"belief": "bayes", **options})  # type: ignore[arg-type]


def test_too_large_is_refused_with_the_bound_reached() -> None:
    problem = watched(corridors(5, 5, [(4, 4), (4, 0)]), go((0, 0), (1, 0)))
    cones = cones_of(problem, limits=Limits(blind=3, evaluations=3, states=3))
    assert cones.too_large
    with pytest.raises(InputError, match=r"too large: its plans have at least [1-8] steps"):
        recognise(problem, cones=cones, belief="bayes")
