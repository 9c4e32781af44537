"""Designs of planning problems: forbidden actions, and the changed planning problem."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import askwise
from askwise.designs.actions import forbid_actions
from askwise.designs.results import save, to_text
from askwise.errors import InputError
from askwise.pddl import Cones, Recognition, cones_of, load, recognition
from askwise.pddl.archive import texts_of
from tests.pddl.test_same_names import FORK as SAME_NAMES

DOMAIN = """
(define (domain rooms)
  (:requirements :strips :typing)
  (:types room robot - thing door)
  (:constants lobby - room)
  (:predicates (at ?r - robot ?x - room) (joined ?x ?y - room) (lit ?x - (either room door)))
  (:action move
    :parameters (?r - robot ?x ?y - room)
    :precondition (and (at ?r ?x) (joined ?x ?y) (not (= ?x ?y)))
    :effect (and (at ?r ?y) (not (at ?r ?x))))
  (:action light
    :parameters (?r - robot ?x - room)
    :precondition (and (at ?r ?x) (not (lit ?x)))
    :effect (and (lit ?x)))
)
"""


def rooms(joined: list[tuple[str, str]], goals: list[str], seen: str = "") -> Recognition:
    places = sorted({place for pair in joined for place in pair} - {"lobby"})
    facts = " ".join(f"(joined {one} {other})" for one, other in joined)
    template = (
        f"(define (problem house) (:domain rooms) (:objects {' '.join(places)} - room k - robot d - door)"
        f" (:init (at k lobby) {facts}) (:goal (and <HYPOTHESIS>)))"
    )
    texts = {"domain.pddl": DOMAIN, "template.pddl": template, "hyps.dat": "\n".join(goals)}
    return recognition({**texts, **({"obs.dat": seen, "real_hyp.dat": goals[0]} if seen else {})})


FORK = [("lobby", "hall"), ("hall", "one"), ("hall", "two"), ("lobby", "stair"), ("stair", "one")]


def _random(rng: np.random.Generator) -> Recognition:
    places = ["lobby", *"abcd"]
    pairs = [(one, other) for one in places for other in places if one != other and rng.random() < 0.4]
    pairs.append(("lobby", "a"))
    wanted = [f"(at k {place})" for place in "abcd" if any(place == other for _, other in pairs)]
    return rooms(pairs, [*wanted[:3], "(at k a), (lit lobby)"])


def _with_detours(rng: np.random.Generator) -> Recognition:
    """Two goal rooms behind three other rooms, with paths of several lengths to each."""
    inner, ends = ["lobby", *"abc"], ["x", "y"]
    pairs = [(one, other) for one in inner for other in inner[1:] if one != other and rng.random() < 0.6]
    pairs += [(one, end) for one in inner[1:] for end in ends if rng.random() < 0.6]
    pairs = sorted({*pairs, ("lobby", "a"), *(("a", end) for end in ends)})
    return rooms(pairs, [f"(at k {end})" for end in ends])


def _least(given: Recognition, most: int, budget: int = 0) -> dict[str, tuple[float, int]]:
    """Evaluate every set of actions by searching for plans again."""
    before = cones_of(given)
    best = {minimise: (value, 0) for minimise, value in _values(before).items()}
    for n in range(1, most + 1):
        for labels in combinations(given.task.labels, n):
            cones = cones_of(forbid_actions(given, labels))
            grown = cones.lengths - before.lengths
            if (cones.lengths >= 0).all() and (grown <= budget).all():
                for minimise, value in _values(cones).items():
                    if value < best[minimise][0] - 1e-9:
                        best[minimise] = value, n
    return best


def _values(cones: Cones) -> dict[str, float]:
    """Return the values from the matrices of the whole problem; goals are equally likely.

    WCD is the longest common prefix; the matrices of models count the step that tells apart as well.
    """
    edp, told_apart = cones.divergence.matrices_at(0)
    pairs = ~np.eye(len(edp), dtype=np.bool_)
    return {"wcd": float(told_apart[pairs].max()) - 1, "edp": float(edp[pairs].mean())}


def test_equal_to_trying_everything() -> None:
    for seed in range(3):
        given = _random(np.random.default_rng(seed))
        truth = _least(given, 2)
        for minimise, (value, size) in truth.items():
            found = askwise.design(given, 2, minimise=minimise)
            assert found.after.value == pytest.approx(value)
            assert (len(found.forbidden), found.verdict.proven) == (size, True)


@pytest.mark.parametrize("budget", [1, 3])
def test_with_a_budget_equal_to_trying_everything(budget: int) -> None:
    for seed in (5, 19, 31):  # there the budget is of use
        given = _with_detours(np.random.default_rng(seed))
        truth = _least(given, 2, budget)
        for minimise, (value, size) in truth.items():
            found = askwise.design(given, 2, minimise=minimise, budget=budget)
            assert found.after.value == pytest.approx(value)
            assert (len(found.forbidden), found.verdict.proven) == (size, True)
            after = cones_of(found.changed)
            assert found.after.costs == dict(zip(after.goals, after.lengths.tolist(), strict=True))
            assert _values(after)[minimise] == pytest.approx(value)


def test_a_detour_tells_goals_apart() -> None:
    """Both goals are behind the hall; with one action forbidden, one path uses the stairs and is one step longer."""
    house = [
        ("lobby", "hall"),
        ("hall", "one"),
        ("hall", "two"),
        ("lobby", "stair"),
        ("stair", "loft"),
        ("loft", "one"),
    ]
    given = rooms(house, ["(at k one)", "(at k two)"])
    assert askwise.design(given, 1).forbidden == ()
    found = askwise.design(given, 1, budget=1)
    assert found.forbidden == ("move k hall one",)
    assert (found.before.wcd, found.after.wcd, found.after.told_apart) == (1, 0, 1)
    assert found.after.costs == {"at k one": 3, "at k two": 2}
    own = askwise.design(given, forbid=["move k hall one"], budget=1)
    assert own.after.costs == found.after.costs


def test_plans_beyond_the_limits_are_refused() -> None:
    given = rooms(FORK, ["(at k one)", "(at k two)"])
    limits = replace(given.limits, evaluations=1)
    with pytest.raises(InputError) as refused:
        askwise.design(replace(given, limits=limits), 1, budget=3)
    assert str(refused.value) == (
        "budget: found 3: plans of up to 5 steps for goal at k one are more than the limits reach; "
        "expected a smaller budget, or higher limits (--search-limit evaluations=N --search-limit states=N)"
    )


def test_goals_that_look_alike_are_told_apart() -> None:
    given = rooms(FORK, ["(at k one)", "(at k two)"])
    found = askwise.design(given, 1)
    assert (found.thing, found.forbidden) == ("action", ("move k hall one",))
    assert (found.before.wcd, found.after.wcd, found.after.told_apart) == (1, 0, 1)
    assert found.after.costs == {"at k one": 2, "at k two": 2}
    assert "forbid   move k hall one\n         forbidden action for the teammate only\n" in to_text(found)


def test_what_is_proven_of_wcd_is_about_the_common_prefix() -> None:
    given = rooms(FORK, ["(at k one)", "(at k two)"])
    found = askwise.design(given, 1)
    assert str(found).startswith("forbid move k hall one: WCD 1 -> 0 (proven optimal by ")
    assert (found.after.value, found.verdict.bound) == (0, 0)
    one = askwise.design(rooms(FORK, ["(at k one)"]), 1)
    assert (one.before.wcd, one.before.value, one.before.told_apart) == (0, 0, 0)


def test_actions_of_one_name_that_lead_to_different_states_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        askwise.design(recognition(SAME_NAMES.pddl()), 1)
    assert str(refused.value) == (
        "action 'go': found actions with this name that lead from one state to different states; "
        "expected a name that determines where the action leads (rename one of the actions)"
    )


def test_the_changed_problem_is_one() -> None:
    """Only the forbidden action is no longer applicable in the changed problem."""
    given = rooms(FORK, ["(at k one)", "(at k two)"])
    changed = askwise.design(given, 1).changed
    assert set(given.task.labels) - set(changed.task.labels) == {"move k hall one"}
    assert cones_of(changed).lengths.tolist() == [2, 2]


@pytest.mark.parametrize("name", ["changed.tar.bz2", "changed.tgz", "changed.tar", "folder"])
def test_written_and_read_again(name: str, tmp_path: Path) -> None:
    given = rooms(FORK, ["(at k one), (lit hall)", "(at k two)"], seen="(MOVE K LOBBY HALL)")
    found = askwise.design(given, 1, minimise="edp")
    save(found, tmp_path / name)
    again = load(tmp_path / name)
    assert sorted(again.task.labels) == sorted(found.changed.task.labels)
    assert (again.goal_names, again.true_goal) == (given.goal_names, 0)
    assert [label for _, label in again.seen] == ["move k lobby hall"]
    fresh = askwise.design(tmp_path / name, 1, minimise="edp")
    assert fresh.before.edp == pytest.approx(found.after.edp)
    assert texts_of(again) == texts_of(found.changed)


def test_a_goal_that_nothing_leads_to_is_left_out() -> None:
    found = askwise.design(rooms(FORK, ["(at k one)", "(at k two)", "(at k lobby), (at k one)"]), 1)
    assert found.goals == ("at k one", "at k two")
    assert found.left_out == ("at k lobby, at k one",)
    assert "left out, unreachable: at k lobby, at k one\n" in to_text(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"forbid": ["move k hall two"], "budget": 1},
            "forbid: found move k hall two, which leaves the teammate no plan within the budget to goal at k two; "
            "expected actions that leave a plan within the budget to every goal",
        ),
        (
            {"most": 9},
            "most: found 9 actions; expected at most 5: no more actions may be forbidden",
        ),
        (
            {"forbid": ["move k hall two"]},
            "forbid: found move k hall two, which leaves the teammate no shortest plan to goal at k two; "
            "expected actions that leave a shortest plan to every goal",
        ),
        (
            {"forbid": ["fly"]},
            "forbid: found 'fly'; expected an action that may be forbidden, one of 'move k hall one', "
            "'move k hall two', 'move k lobby hall', 'move k lobby stair', 'move k stair one'",
        ),
    ],
)
def test_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        askwise.design(rooms(FORK, ["(at k one)", "(at k two)"]), **options)  # type: ignore[arg-type]
    assert str(refused.value) == message
