"""Cones, EDP and WCD beside all optimal plans listed one by one, in whole numbers, on random small problems."""

from __future__ import annotations

import math
from dataclasses import replace
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise.model import Model
from askwise.pddl import Limits, cones_of, recognition
from askwise.pddl.layers import backwards
from askwise.pddl.lmcut import NO_WAY
from askwise.pddl.pairs import pairs_at
from askwise.pddl.search import Blind, BoundedSearch, search, search_together
from askwise.pddl.table import Found
from askwise.pddl.task import goal_task, goal_tasks_by_kind
from tests.pddl.brute import Action, Puzzle, apart, holds, optimal_plans

WORDS = tuple("abcdefg")
some_words = st.frozensets(st.sampled_from(WORDS), max_size=2)


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    n = draw(st.integers(3, 9))
    actions = []
    for k in range(n):
        needs = draw(some_words)
        avoids = draw(st.frozensets(st.sampled_from(WORDS), max_size=1)) - needs
        adds = draw(st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=2))
        actions.append(Action(f"act-{k}", needs, avoids, adds, draw(some_words)))
    goals = draw(
        st.lists(
            st.tuples(st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=3), some_words).map(
                lambda pair: (pair[0], pair[1] - pair[0])
            ),
            min_size=2,
            max_size=3,
        )
    )
    return Puzzle(WORDS, tuple(actions), draw(some_words), tuple(goals))


@settings(max_examples=60, deadline=None)
@given(puzzles())
def test_everything_is_as_listing_all_optimal_plans_says(puzzle: Puzzle) -> None:
    problem = recognition(puzzle.pddl())
    cones = cones_of(problem)
    plans = [optimal_plans(puzzle, goal) for goal in puzzle.goals]
    assert cones.exact
    assert cones.lengths.tolist() == [len(plan[0]) if plan else -1 for plan in plans]
    assert cones.unreachable == tuple(goal for goal, plan in enumerate(plans) if not plan)
    pairs = pairs_at(cones)
    assert pairs.goals == tuple(goal for goal, plan in enumerate(plans) if plan)
    for i, ruled_out in enumerate(pairs.goals):
        for j, pursued in enumerate(pairs.goals):
            if i != j:
                truth = apart(plans[ruled_out], plans[pursued])
                wanted = math.inf if truth.edp is None else float(truth.edp)
                assert pairs.edp[i, j] == wanted or math.isclose(pairs.edp[i, j], wanted, rel_tol=1e-13)
                assert math.isclose(pairs.capped[i, j], float(truth.capped), rel_tol=1e-13)
                assert pairs.wcd[i, j] == truth.prefix
                assert pairs.told_apart[i, j] == (math.inf if truth.edp is None else truth.prefix + 1)


@settings(max_examples=40, deadline=None)
@given(puzzles())
def test_the_model_has_all_optimal_plans_and_no_others(puzzle: Puzzle) -> None:
    cones = cones_of(recognition(puzzle.pddl()))
    for goal in cones.reached:
        expected = sorted(optimal_plans(puzzle, puzzle.goals[goal]))
        assert sorted(_ways(cones.model, set(cones.targets[goal].tolist()), 0)) == expected
        for plan in expected:
            ((state, ways),) = cones.after(plan).items()
            assert ways == 1
            assert cones.steps_to(goal)[state] == 0
            words = frozenset(cones.task.describe(cones.states[state]).split(", ")) - {"nothing"}
            always = {atom[0] for atom, bit in cones.task.place.items() if bit == -1}
            assert holds(puzzle.goals[goal], words | always)


def _ways(model: Model, targets: set[int], state: int) -> list[tuple[object, ...]]:
    if state in targets:
        return [()]
    found: list[tuple[object, ...]] = []
    for action in np.flatnonzero(model.available[state]).tolist():
        if action != model.stay:
            rest = _ways(model, targets, int(model.successor[state, action]))
            found += [(model.action_name(state, action), *way) for way in rest]
    return found


@settings(max_examples=50, deadline=None)
@given(puzzles())
def test_blind_and_bounded_search_find_the_same(puzzle: Puzzle) -> None:
    task = recognition(puzzle.pddl()).task
    for goal in recognition(puzzle.pddl()).goals:
        bits = task.bits(goal)
        if bits is None:
            continue
        sought = goal_task(task, bits)
        blind = Blind(sought).run(10**6)
        bounded = BoundedSearch(sought).run(10**6, 10**6)
        assert blind is not None
        assert bounded is not None
        assert (blind.length, blind.exact) == (bounded.length, bounded.exact)
        assert _steps(blind) == _steps(bounded)


@settings(max_examples=40, deadline=None)
@given(puzzles(), st.sampled_from([0, 100, 2**20]))
def test_no_bound_exceeds_the_steps_to_the_goal(puzzle: Puzzle, remembered: int) -> None:
    problem = recognition(puzzle.pddl())
    for goal in problem.goals:
        bits = problem.task.bits(goal)
        if bits is None:
            continue
        bounded = BoundedSearch(goal_task(problem.task, bits), remembered=remembered)
        bounded.run(10**6, 10**6)
        for state in range(bounded.n):
            blind = Blind(replace(bounded.task, initial=bounded.states[state].copy())).run(10**6)
            assert blind is not None
            assert bounded.bound[state] <= (blind.length if blind.length >= 0 else NO_WAY)


@settings(max_examples=40, deadline=None)
@given(puzzles(), st.sampled_from([1, 3, 10, 30]))
def test_searching_for_all_goals_together_finds_what_each_search_alone_finds(puzzle: Puzzle, first: int) -> None:
    task = recognition(puzzle.pddl()).task
    wanted = {k: task.bits(goal) for k, goal in enumerate(recognition(puzzle.pddl()).goals)}
    goals = {k: bits for k, bits in wanted.items() if bits is not None}
    found: dict[int, Found] = {}
    with mock.patch("askwise.pddl.search.FIRST", first):  # so that the searches take turns in small problems, too
        for kind in goal_tasks_by_kind(task, goals):
            found |= search_together(kind)
    for k, bits in goals.items():
        alone = search(goal_task(task, bits))
        assert (found[k].length, found[k].exact, found[k].at_least) == (alone.length, alone.exact, alone.at_least)
    together, apart_ = cones_of(task, list(goals.values())), [cones_of(task, [bits]) for bits in goals.values()]
    for k, own in enumerate(apart_):
        of_goal = together.states[together.inside[:, k]]
        assert sorted(map(tuple, of_goal.tolist())) == sorted(map(tuple, own.states[own.inside[:, 0]].tolist()))


@settings(max_examples=40, deadline=None)
@given(puzzles())
def test_steps_back_are_those_of_walking_through_all_layers(puzzle: Puzzle) -> None:
    problem = recognition(puzzle.pddl())
    for goal in problem.goals:
        bits = problem.task.bits(goal)
        if bits is None:
            continue
        sought = goal_task(problem.task, bits)
        found = Blind(sought).run(10**6)
        with mock.patch("askwise.pddl.table.backwards", return_value=None):
            walked = Blind(sought).run(10**6)
        assert found is not None
        assert walked is not None
        assert _steps(found) == _steps(walked)


def test_operators_that_change_much_unasked_have_their_steps_walked() -> None:
    words = tuple("abcdefgh")
    everything = Action("sweep", frozenset(), frozenset(), frozenset("a"), frozenset("bcdefgh"))
    fill = [Action(f"fill-{word}", frozenset(), frozenset(), frozenset(word), frozenset()) for word in words]
    goals = ((frozenset("ab"), frozenset("cdefgh")), (frozenset("ac"), frozenset("bdefgh")))
    puzzle = Puzzle(words, (everything, *fill), frozenset("defgh"), goals)
    problem = recognition(puzzle.pddl())
    for goal, found in enumerate(cones_of(problem).found):
        bits = problem.task.bits(problem.goals[goal])
        assert bits is not None
        assert backwards(goal_task(problem.task, bits)) is None
        plans = optimal_plans(puzzle, goals[goal])
        assert found.length == len(plans[0])
        assert found.plans is not None
        assert found.plans.operator.size == len({(plan[:k], plan[k]) for plan in plans for k in range(len(plan))})


def _steps(found: Found) -> set[tuple[object, ...]]:
    if found.plans is None:
        return set()
    rows = [tuple(row) for row in found.plans.states.tolist()]
    ends = zip(found.plans.source, found.plans.operator, found.plans.target, strict=True)
    return {(rows[s], int(o), rows[t]) for s, o, t in ends}


@settings(max_examples=40, deadline=None)
@given(puzzles(), st.integers(0, 6))
def test_a_search_that_is_cut_off_states_a_bound_that_holds(puzzle: Puzzle, most: int) -> None:
    cones = cones_of(recognition(puzzle.pddl()), limits=Limits(blind=most, evaluations=most))
    for goal, found in enumerate(cones.found):
        plans = optimal_plans(puzzle, puzzle.goals[goal])
        if plans:
            assert found.at_least <= len(plans[0])
        if found.exact:
            assert found.length == (len(plans[0]) if plans else -1)
        else:
            assert goal in cones.too_large
            assert found.length == -1
