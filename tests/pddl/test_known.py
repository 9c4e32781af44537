"""Answers that are known from elsewhere, or by hand, on problems written for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from askwise.pddl import Cones, cones_of, recognition
from askwise.pddl.pairs import pairs_at
from tests.pddl.problems import INTRUSION, KEYS, LOGISTICS, TWO_EXITS, Files, blocks, grid


def cones(files: Files) -> Cones:
    found = cones_of(recognition(files))
    assert found.exact
    return found


def test_a_room_with_two_exits_has_the_worst_case_of_the_paper_that_introduced_it() -> None:
    """Keren, Gal and Karpas (2014): four steps straight on keep both exits possible; the expectation is (6 + 1) / 3."""
    pairs = pairs_at(cones(TWO_EXITS))
    assert pairs.wcd[0, 1] == pairs.wcd[1, 0] == 4
    assert pairs.told_apart[0, 1] == 5
    assert pairs.edp[0, 1] == pytest.approx(7 / 3, rel=1e-15)
    assert pairs.edp[1, 0] == pytest.approx(7 / 3, rel=1e-15)


def test_on_an_open_floor_it_is_the_map_that_askwise_knows() -> None:
    from askwise import Divergence, GridWorld

    rows = ["1....2", "......", "..S...", "3....."]
    pairs = pairs_at(cones(grid(rows)))
    expected = Divergence(GridWorld(6, 4), [(0, 3), (5, 3), (0, 0)])
    np.testing.assert_allclose(pairs.edp, expected.edp_at((2, 1)), rtol=1e-14)
    np.testing.assert_array_equal(pairs.told_apart, expected.wcd_at((2, 1)))


def test_keys_and_doors_by_hand() -> None:
    """The way through the door: up, up, take the key, unlock, two steps; then up to 2, or take a second key for 3."""
    found = cones(KEYS)
    assert found.lengths.tolist() == [4, 8, 9]
    pairs = pairs_at(found)
    assert pairs.wcd[1, 2] == 7
    assert pairs.edp[2, 1] == 7.5
    assert pairs.edp[1, 2] == 8.0


def test_parcels_and_hosts() -> None:
    assert cones(LOGISTICS).lengths.tolist() == [10, 6, 7, 9]
    found = cones(INTRUSION)
    assert found.lengths.tolist() == [4, 8, 8, 8]
    # Two hosts, four steps each in order: 8! / (4! 4!) plans, and two goals part with the last step on a host.
    pairs = pairs_at(found)
    assert pairs.wcd[1, 2] == 6
    assert pairs.edp[1, 2] == pytest.approx(6.4, rel=1e-14)


def test_goals_that_can_be_told_from_the_first_step() -> None:
    pairs = pairs_at(cones(blocks("arcst", ["star", "cats", "cast"])))
    assert (pairs.edp[~np.eye(3, dtype=bool)] == 1).all()
    assert (pairs.wcd[~np.eye(3, dtype=bool)] == 0).all()


def test_goals_with_a_nearest_state_in_common_never_part_but_their_plans_end() -> None:
    files = blocks("abc", ["abc", "ab"])
    files["hyps.dat"] = "(on a b), (on b c)\n(on a b), (on b c), (clear a)\n(on b c)\n"
    pairs = pairs_at(cones(files))
    assert pairs.edp[0, 1] == pairs.edp[1, 0] == pairs.told_apart[0, 1] == math.inf
    assert pairs.capped[0, 1] == 5.0  # four steps, and staying
    assert pairs.wcd[0, 1] == 4
    assert pairs.edp[0, 2] == 3.0  # on b c is there after two steps; staying rules the tower out
    assert pairs.longest(2) == [(0, 1), (1, 0)]


def test_a_goal_that_holds_at_first_has_a_plan_of_no_steps() -> None:
    files = blocks("ab", ["ab"])
    files["hyps.dat"] = "(handempty)\n(on a b)\n"
    found = cones(files)
    assert found.lengths.tolist() == [0, 2]
    assert pairs_at(found).edp[0, 1] == 1.0
    assert pairs_at(found).edp[1, 0] == 1.0


def test_goals_that_nobody_can_reach_are_reported_and_the_others_are_answered() -> None:
    files = blocks("abc", ["abc"])
    files["hyps.dat"] = (
        "(on a b)\n(on a a)\n(on a b), (on b a)\n(on b c)\n(not (handempty)), (ontable a), (ontable b), (ontable c)"
    )
    found = cones(files)
    assert found.lengths.tolist() == [2, -1, -1, 2, -1]
    assert found.unreachable == (1, 2, 4)
    assert found.reached == (0, 3)
    assert pairs_at(found).goals == (0, 3)


def test_a_problem_none_of_whose_goals_can_be_reached() -> None:
    files = blocks("ab", ["ab"])
    files["hyps.dat"] = "(on a a)\n"
    found = cones(files)
    assert found.model.n_states == 1
    assert pairs_at(found).goals == ()


def test_counts_of_plans_beyond_whole_numbers_of_64_bits() -> None:
    """A larger room with two exits: 70! / (35! 35!) plans to each, 1.1e20; the expectation is (70 + 1) / 36."""
    rows = ["1" + 69 * "." + "2", *(34 * [71 * "."]), 35 * "." + "S" + 35 * "."]
    pairs = pairs_at(cones(grid(rows)))
    assert pairs.edp[0, 1] == pytest.approx(71 / 36, rel=1e-13)
    assert pairs.wcd[0, 1] == 35


def test_orders_of_many_things() -> None:
    """Twelve hosts in any order, 12! plans; the place of the one that the first goal leaves out is uniform."""
    names = " ".join(f"h{k}" for k in range(12))
    files = {**INTRUSION, "template.pddl": INTRUSION["template.pddl"].replace("web mail base", names)}
    all_hosts = ", ".join(f"(looked h{k})" for k in range(11))
    files["hyps.dat"] = f"{all_hosts}\n{all_hosts}, (looked h11)\n"
    pairs = pairs_at(cones(files))
    assert pairs.edp[0, 1] == pytest.approx(6.5, rel=1e-13)
    assert pairs.edp[1, 0] == pytest.approx(12, rel=1e-13)
