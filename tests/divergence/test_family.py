"""What `Divergence` keeps, says and refuses."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from askwise.divergence import Divergence
from askwise.model import GridWorld, Model, urop
from tests.refused import Fault, assert_refused, each

GRID = GridWorld(9, 7)
WALLED = GridWorld(9, 7, walls=[(4, 4), (4, 5)])
FLOOR = GridWorld(3, 2).slippery(0.25)
DIVIDED = GridWorld(5, 1, walls=[(2, 0)])


def _families() -> list[Divergence]:
    """One for each way to compute."""
    own = [urop(GRID, (8, 0)), urop(GRID, (8, 6)).soften(0.1)]
    return [
        Divergence(GRID, {"A": (8, 0), "B": (8, 6)}),
        Divergence(WALLED, {"A": (8, 0), "B": [(8, 6), (0, 6)]}),
        Divergence(FLOOR, {"A": (2, 0), "B": (2, 1)}),
        Divergence(GRID, {"A": (8, 0), "B": (8, 6)}, policies=own),
    ]


@pytest.mark.parametrize("family", _families(), ids=lambda family: family.method)
def test_table_is_built_once_and_read_only(family: Divergence) -> None:
    before = family.edp_at(0).copy()
    table = family.edp_table()
    assert table is family.edp_table()
    assert table.shape == (family.model.n_states, 2, 2)
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0, 0] = 0
    np.testing.assert_allclose(family.edp_at(0), before, rtol=1e-12)
    assert before[0, 0] == math.inf


@pytest.mark.parametrize("family", _families(), ids=lambda family: family.method)
def test_pickling_keeps_a_family(family: Divergence) -> None:
    again = pickle.loads(pickle.dumps(family))
    assert (again.names, again.method, again.goal("B")) == (("A", "B"), family.method, 1)
    np.testing.assert_array_equal(again.edp_at(1), family.edp_at(1))
    np.testing.assert_array_equal(again.wcd_at(1), family.wcd_at(1))
    family.edp_table()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(family)).edp_table(), family.edp_table())


@pytest.mark.parametrize("family", _families(), ids=lambda family: family.method)
def test_states_are_given_by_name_or_index(family: Divergence) -> None:
    np.testing.assert_array_equal(family.edp_at((1, 0)), family.edp_at(1))
    np.testing.assert_array_equal(family.wcd_at((1, 0)), family.wcd_at(1))


def test_goals_are_given_by_name_or_number() -> None:
    named, listed = Divergence(GRID, {"B": (8, 6), "A": (8, 0)}), Divergence(GRID, [(8, 6), (8, 0)])
    assert [named.goal("A"), named.goal(0), listed.goal(1)] == [1, 0, 1]
    assert listed.names == ("(8, 6)", "(8, 0)")
    np.testing.assert_array_equal(named.edp_at((4, 3)), listed.edp_at((4, 3)))


def test_goals_of_integer_named_states() -> None:
    model = Model.from_edges([(30, "left", 10), (30, "right", 20)])
    found = Divergence(model, [20, 10], policies=[urop(model, 20), urop(model, 10)])
    assert found.names == ("20", "10")
    assert found.edp_at(30).tolist() == [[math.inf, 1], [1, math.inf]]


def test_row_of_the_followed_goal_and_column_of_the_ruled_out_one() -> None:
    """``[i, j]``: goal j is pursued. From (0, 0) the near goal is on some plans to the far one."""
    edps = Divergence(GRID, {"near": (1, 1), "far": (6, 1)}).edp_at((0, 0))
    assert edps[1, 0] == 3
    assert edps[0, 1] == pytest.approx(1 + 6 / 7 * (1 + 1 / 6) + 1 / 7 * 2, rel=1e-15)


def test_repr_says_how_it_computes() -> None:
    assert repr(_families()[0]) == (
        "<Divergence: 2 goals in <GridWorld: 63 states, 5 actions, deterministic>, closed form of the open grid>"
    )


def test_a_table_of_exactly_the_allowed_size_is_built() -> None:
    family = Divergence(GRID, [(8, 0), (8, 6)])
    assert family.edp_table(max_bytes=63 * 4 * 8).nbytes == 63 * 4 * 8


ALLOWED = "at most 0.0 GiB; ask for single states with edp_at, or allow more with max_bytes=..."

FAULTS: dict[str, Fault] = {
    "no goals": (lambda: Divergence(GRID, []), "goals: found an empty list; expected at least one goal"),
    "goal without states": (
        lambda: Divergence(GRID, [(0, 0), []]),
        "goal 1: found no states; expected at least one target state",
    ),
    "goal in a wall": (
        lambda: Divergence(WALLED, [(0, 0), (4, 4)]),
        "goal 1: found (4, 4), a wall; expected a free cell",
    ),
    "named goal out of range": (
        lambda: Divergence(GRID, {"A": (9, 0)}),
        "goal 'A': found (9, 0), outside the 9 x 7 grid; expected x from 0 to 8 and y from 0 to 6",
    ),
    "two goals of one name": (
        lambda: Divergence(GRID, {1: (0, 0), "1": (1, 1)}),  # type: ignore[dict-item]
        "name of goal 1: found '1', already the name of 0; expected a new name",
    ),
    "too few policies": (
        lambda: Divergence(GRID, [(0, 0), (1, 1)], policies=[urop(GRID, (0, 0))]),
        "policies: found 1 policies; expected 2, one for each goal",
    ),
    "policy of another model": (
        lambda: Divergence(GRID, [(0, 0)], policies=[urop(WALLED, (0, 0))]),
        "policy: found a table of shape (61, 5); expected (63, 5), one row for each state",
    ),
    "table too large": (
        lambda: Divergence(GRID, [(0, 0), (1, 1)]).edp_table(max_bytes=2015),
        f"edp_table: found 63 states and 2 goals, 0.0 GiB; expected {ALLOWED}",
    ),
    "table of the default size": (
        lambda: Divergence(GridWorld(1000, 1000), [(0, 0)] * 40).edp_table(),
        "edp_table: found 1000000 states and 40 goals, which take about 12.7 GiB of memory; expected at most 4.0 GiB: "
        "ask for single states with edp_at, or allow more by ASKWISE_MEMORY=14GB (commands: --memory 14GB)",
    ),
    "unknown state": (
        lambda: Divergence(GRID, [(0, 0)]).edp_at((9, 0)),
        "state: found (9, 0), outside the 9 x 7 grid; expected x from 0 to 8 and y from 0 to 6",
    ),
    "state in a wall": (
        lambda: Divergence(WALLED, [(0, 0)]).wcd_at((4, 4)),
        "state: found (4, 4), a wall; expected a free cell",
    ),
    "unknown goal": (
        lambda: Divergence(GRID, {"A": (0, 0), "B": (1, 1)}).goal("C"),
        "goal: found 'C'; expected one of 'A', 'B', or an index from 0 to 1",
    ),
    "unknown goal number": (
        lambda: Divergence(GRID, [(0, 0)]).goal(1),
        "goal: found 1; expected an index from 0 to 0",
    ),
    "unreachable goal": (
        lambda: Divergence(DIVIDED, {"left": (0, 0), "right": (4, 0)}).edp_at((1, 0)),
        "goal right: found no way to it from state (1, 0); expected a goal that can be reached",
    ),
    "unreachable goal of a policy": (
        lambda: Divergence(DIVIDED, [(0, 0), (4, 0)], policies=[urop(DIVIDED, (0, 0)), urop(DIVIDED, (4, 0))]).wcd_at(
            (4, 0)
        ),
        "goal (0, 0): found no way to it from state (4, 0); expected a goal that can be reached",
    ),
}


@each(FAULTS)
def test_faulty_family_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_a_goal_out_of_reach_is_refused_from_the_table_too() -> None:
    family = Divergence(DIVIDED, {"left": (0, 0), "right": (4, 0)})
    family.edp_table()
    assert_refused(
        lambda: family.edp_at((1, 0)),
        "goal right: found no way to it from state (1, 0); expected a goal that can be reached",
    )
