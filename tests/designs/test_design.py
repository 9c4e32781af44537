"""`askwise.design`: known results, unchanged parts of the problem, and errors."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askwise
from askwise import Coverage, Drawing, FactoredProblem, GridWorld, InputError, Model, ProblemFile
from askwise.designs.results import as_json, save, to_text
from askwise.domains.registry import read_file
from tests.designs.plain import expected_edp, worst_case
from tests.doc_pages import ROOT
from tests.tool_fetching import workshop

EXAMPLES = ROOT / "examples"
FORK = """
A...B
..#..
..W..
"""
"""Two goals with five shortest paths each along the wall; without a design they diverge immediately."""


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        askwise.design(*arguments, **options)
    return str(refused.value)


# -- known answers -----------------------------------------------------------------------------------------------


def test_the_papers_grid() -> None:
    """Both goals are to the right; if the next cell is a wall, the teammate has to turn up or down at once."""
    found = askwise.design(EXAMPLES / "two-goals.txt", 5)
    assert found.forbidden == ((5, 3),)
    assert (found.before.wcd, found.after.wcd) == (5, 1)
    assert (found.before.value, found.after.value, found.gain) == (5, 1, 4)
    assert found.before.costs == found.after.costs == {"A": 7, "B": 7}
    assert found.verdict.proven
    assert found.changed.grid.walls[3, 5]
    assert str(found).startswith("forbid (5, 3): WCD 5 -> 1 (proven optimal by branch and bound; ")


def test_nothing_to_gain() -> None:
    found = askwise.design(Drawing.parse(FORK), 3)
    assert (found.forbidden, found.after.wcd, found.verdict.proven) == ((), 1, True)
    assert "forbid   nothing: no cell would help\n" in to_text(found)


RING = """
.........
.#######.
.#######A
.######..
W.......B
"""


def test_a_budget_buys_more() -> None:
    """The path to A shares cells with the path to B, unless it may be four steps longer."""
    found = {budget: askwise.design(Drawing.parse(RING), 2, budget=budget) for budget in (0, 3, 4)}
    assert [found[budget].after.wcd for budget in (0, 3, 4)] == [9, 9, 1]
    assert found[4].after.costs == {"A": 14, "B": 8}
    assert found[0].after.costs == found[0].before.costs == {"A": 10, "B": 8}


def test_a_budget_is_not_spent_for_nothing() -> None:
    """Closing (4, 2) instead of (4, 1) has the same value, but makes the path to A longer."""
    drawing = Drawing.parse(".........\n.###.###.\nW.......A\n.###.###.\n........B")
    found = askwise.design(drawing, 2, budget=6)
    assert (found.after.wcd, len(found.forbidden)) == (1, 2)
    assert found.after.costs == found.before.costs


def test_one_goal_is_plain_already() -> None:
    found = askwise.design(Drawing.parse("W..A"), 1, minimise="edp")
    assert (found.before.value, found.after.value, found.forbidden) == (0, 0, ())


def test_a_goal_that_is_impossible_does_not_count() -> None:
    grid = GridWorld(4, 3)
    problem = FactoredProblem(
        {"A": (3, 2), "B": (3, 0), "C": (3, 1)}, [0.5, 0.5, 0.0], teammate_model=grid, start=((0, 1), (0, 0))
    )
    found = askwise.design(problem, 1)
    assert found.before.wcd == worst_case(problem)
    assert found.after.wcd == worst_case(found.changed)


def test_a_design_of_ones_own() -> None:
    found = askwise.design(EXAMPLES / "office.txt", forbid=[(6, 3)], minimise="edp")
    assert found.forbidden == ((6, 3),)
    assert found.after.costs == {"A": 11, "B": 15, "C": 17, "D": 14, "E": 16}
    assert found.after.edp == pytest.approx(expected_edp(found.changed))
    assert str(found.verdict) == "your own design; optimality was not checked"


def test_by_planner_and_by_optimum() -> None:
    file = EXAMPLES / "kitchen.toml"
    planner, optimum = (askwise.design(file, 1, minimise="cost", by=by) for by in ("planner", "optimum"))
    assert optimum.after.value <= planner.after.value + 1e-9
    assert optimum.before.value - optimum.after.value == pytest.approx(0.075)
    assert optimum.after.value == pytest.approx(askwise.solve(optimum.changed).expected_marginal_cost)
    exact = askwise.evaluate(planner.changed, "planner", exact=True)
    assert planner.after.value == pytest.approx(exact.expected_marginal_cost)
    assert planner.verdict.method == "branch and bound, among designs that block a shortest path of the teammate"


# -- what is proven ----------------------------------------------------------------------------------------------


def test_cut_short_nothing_is_claimed_that_is_not_true() -> None:
    whole = askwise.design(EXAMPLES / "office.txt", 2, minimise="edp")
    short = askwise.design(EXAMPLES / "office.txt", 2, minimise="edp", limit=40)
    assert whole.verdict.proven
    assert not short.verdict.proven
    assert short.verdict.looked_at <= 40
    assert short.verdict.bound is not None
    assert short.verdict.bound <= whole.after.value <= short.after.value
    assert str(short.verdict).startswith("best design found; not proven optimal (")


def test_cut_short_the_worst_case_has_a_bound() -> None:
    drawing = Drawing.parse(
        "\n".join(["..........A", *["..........."] * 4, "W.........B", *["..........."] * 4, ".........C."])
    )
    whole, short = (askwise.design(drawing, 3, limit=limit) for limit in (None, 12))
    assert (whole.verdict.proven, short.verdict.proven) == (True, False)
    assert short.verdict.bound is not None
    assert 1 <= short.verdict.bound <= whole.after.value <= short.after.value
    assert short.verdict.looked_at <= 12


def test_progress_is_told() -> None:
    seen: list[int] = []
    found = askwise.design(EXAMPLES / "office.txt", 3, minimise="edp", limit=5000, progress=seen.append)
    assert seen == sorted(seen)
    assert 1000 in seen
    assert found.verdict.looked_at >= seen[-1]


def test_the_result_cannot_be_changed() -> None:
    found = askwise.design(EXAMPLES / "two-goals.txt", 1)
    with pytest.raises(FrozenInstanceError):
        found.forbidden = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.before.edp_matrix[0, 1] = 0.0


# -- both agents -------------------------------------------------------------------------------------------------


def shared_corridor() -> FactoredProblem:
    """Closing the middle would separate the teammate's goals first, but it is the ego agent's only path."""
    grid = GridWorld(5, 3, [(2, 0), (2, 2)])
    return FactoredProblem(
        ["A", "B"],
        teammate_model=grid,
        teammate_goals=[(4, 2), (4, 0)],
        ego_goals=[(4, 1), (3, 1)],
        start=((0, 1), (1, 2)),
    )


def test_a_wall_is_a_wall_for_both() -> None:
    problem = shared_corridor()
    assert refusal(problem, forbid=[(2, 1)]) == (
        "forbid: found (2, 1), which leaves the teammate no path to goal A; "
        "expected cells that leave a path to every goal"
    )
    found = askwise.design(problem, 1)
    assert found.both
    assert found.after.ego_costs == found.before.ego_costs == {"A": 4, "B": 3}


def test_the_ego_agents_ways_are_kept_too() -> None:
    """The same map with and without an ego agent whose shortest path uses the best cell to close."""
    grid = GridWorld(9, 7)
    goals, start = {"A": (8, 6), "B": (8, 0)}, (4, 3)
    free = FactoredProblem(
        goals, teammate_model=grid, ego_model=GridWorld(1, 1), ego_goals=[(0, 0)] * 2, start=(start, 0)
    )
    along = FactoredProblem(goals, teammate_model=grid, ego_goals=[(8, 3)] * 2, start=(start, (4, 3)))
    assert askwise.design(free, 1).forbidden == ((5, 3),)
    found = askwise.design(along, 1)
    assert (5, 3) not in found.forbidden
    assert found.after.ego_costs == {"A": 4, "B": 4}


def test_starts_and_targets_stay_free() -> None:
    from askwise.designs.places import space_of_place as space_of

    problem = shared_corridor()
    assert not {(0, 1), (1, 2), (4, 2), (4, 0), (4, 1), (3, 1), (2, 0)} & set(space_of(problem).names)


# -- files -------------------------------------------------------------------------------------------------------


def written(found: askwise.Design, path: Path) -> Any:
    save(found, path)
    return Drawing.parse(path.read_text()) if path.suffix == ".txt" else read_file(path)


@pytest.mark.parametrize("name", ["office.txt", "kitchen.toml", "coverage.toml", "workshop.json"])
def test_the_changed_file_is_what_was_found(name: str, tmp_path: Path) -> None:
    found = askwise.design(EXAMPLES / name, 2, minimise="edp")
    again = written(found, tmp_path / name)
    fresh = askwise.design(again, 1, minimise="edp")
    assert fresh.before.edp == pytest.approx(found.after.edp)
    assert (fresh.before.wcd, fresh.before.costs) == (found.after.wcd, found.after.costs)
    assert len(fresh.goals) == len(found.goals)


def test_a_file_keeps_everything_else(tmp_path: Path) -> None:
    file = ProblemFile.load(EXAMPLES / "kitchen.toml")
    found = askwise.design(file, forbid=[(1, 2)])
    contents, before = found.changed.to_json(), file.to_json()
    for side in ("teammate", "ego"):
        assert contents[side].pop("map").splitlines()[3][1] == "#"
        assert before[side].pop("map").strip().splitlines()[3][1] == "."
    assert contents == before
    assert written(found, tmp_path / "kitchen.json") == found.changed


def graph_file(**ego: Any) -> ProblemFile:
    edges = [
        ["desk", "on", "hall"],
        ["desk", "up", "stair"],
        ["hall", "left", "one"],
        ["stair", "left", "one"],
        ["hall", "right", "two"],
    ]
    stated = {"start": "s", "edges": [["s", "a", "x"], ["s", "b", "y"]]}
    return ProblemFile.from_json(
        {
            "format": "askwise/problem@1",
            "teammate": {"start": "desk", "edges": edges},
            "ego": ego or stated,
            "goals": {
                "1": {"teammate": "one", "ego": "one" if ego else "x"},
                "2": {"teammate": "two", "ego": "two" if ego else "y"},
            },
        }
    )


def test_edges_of_a_graph() -> None:
    found = askwise.design(graph_file(), 2)
    assert (found.thing, found.both) == ("edge", False)
    assert found.forbidden == (("hall", "left", "one"),)
    assert (found.before.wcd, found.after.wcd) == (2, 1)
    changed = found.changed.to_json()
    assert ["hall", "left", "one"] not in changed["teammate"]["edges"]
    assert changed["teammate"]["states"] == ["desk", "hall", "stair", "one", "two"]
    assert changed["ego"] == graph_file().to_json()["ego"]
    assert "hall --left--> one" in to_text(found)
    assert as_json(found)["forbid"] == [["hall", "left", "one"]]


def test_edges_of_a_graph_that_both_share() -> None:
    shared = dict(graph_file().to_json()["teammate"])
    found = askwise.design(graph_file(**{**shared, "start": "hall"}), 2)
    assert found.both
    assert found.forbidden == ()  # the ego agent goes from the hall to one, and has no other way
    assert found.before.ego_costs == {"1": 1, "2": 1}


def test_tool_fetching_walks_by_way_of_the_toolbox() -> None:
    instance = workshop()
    found = askwise.design(instance, 1, minimise="edp")
    problem = askwise.ToolFetching(instance)
    steps = problem.ego.steps(problem.start.ego).tolist()
    assert list(found.before.ego_costs.values()) == steps
    assert found.after.ego_costs == found.before.ego_costs
    assert set(found.forbidden) == set(found.changed.walls) - set(instance.walls)


def test_problems_made_in_python_come_back_as_such() -> None:
    coverage = Coverage("A....B\n..W...\nF....C", prior=[2, 1, 1])
    found = askwise.design(coverage, 1)
    assert type(found.changed) is Coverage
    assert found.changed.weights == coverage.weights
    stated = graph_file().problem()
    assert type(askwise.design(stated, 1).changed) is type(stated)
    model = Model.from_edges([("h", "a", "x"), ("h", "b", "y"), ("x", "c", "y")])
    plain = FactoredProblem({"X": "x", "Y": "y"}, teammate_model=model, start=("h", "h"), groups={"all": ["X", "Y"]})
    changed = askwise.design(plain, forbid=[("x", "c", "y")]).changed
    assert (changed.goals, changed.groups, changed.start) == (plain.goals, plain.groups, plain.start)
    assert changed.teammate.model is changed.ego.model


# -- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "most, forbid: found neither; expected one of the two"),
        ({"most": 1, "forbid": []}, "most, forbid: found both; expected one of the two"),
        ({"most": 0}, "most: found 0; expected a whole number from 1"),
        ({"most": 1.5}, "most: found 1.5; expected a whole number from 1"),
        ({"most": 62}, "most: found 62 cells; expected at most 59: no more cells may be forbidden"),
        ({"most": 1, "budget": -1}, "budget: found -1; expected a whole number from 0"),
        ({"most": 1, "budget": 0.5}, "budget: found 0.5; expected a whole number from 0"),
        ({"most": 1, "limit": 0}, "limit: found 0; expected a whole number from 1"),
        (
            {"most": 1, "minimise": "edb"},
            "minimise: found 'edb'; expected one of 'wcd', 'edp', 'cost' (did you mean 'edp'?)",
        ),
        ({"most": 1, "minimise": "cost", "by": "me"}, "by: found 'me'; expected one of 'planner', 'optimum'"),
        (
            {"most": 1, "by": "planner"},
            "by: found 'planner'; expected nothing, unless minimise is 'cost' (it is 'wcd')",
        ),
        (
            {"most": 1, "minimise": "cost"},
            "minimise: found 'cost'; expected 'wcd' or 'edp': the ego agent's goals are not defined (a problem "
            "file defines them: askwise new)",
        ),
        (
            {"forbid": [(4, 3)]},
            "forbid: found (4, 3); expected a cell that may be forbidden, one of (0, 0), (1, 0), (2, 0), (3, 0), "
            "(4, 0), ...",
        ),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    assert refusal(EXAMPLES / "two-goals.txt", **given) == message


def test_refused_drawings() -> None:
    assert refusal(Drawing.parse("..A"), 1) == "drawing: found no W (the teammate); expected a drawing with a W"
    assert refusal(Drawing.parse("W.."), 1) == (
        "drawing: found no goals; expected at least one letter or digit other than W and F"
    )
    assert refusal(Drawing.parse("W.#A"), 1) == (
        "goal A: found no way to it from where the teammate starts; expected a goal that can be reached"
    )


def test_refused_teammates() -> None:
    contents = graph_file().to_json()
    contents["teammate"]["policy"] = "uniform"
    assert refusal(ProblemFile.from_json(contents), 1) == (
        "teammate.policy: found a policy; expected None: designs assume that the teammate takes shortest paths"
    )
    problem = askwise.ToolFetching(workshop())
    vars(problem)["policies"] = (None,)
    assert refusal(problem, 1) == (
        "teammate_policies: found your own policies; "
        "expected None: designs assume that the teammate takes shortest paths"
    )


def test_nothing_of_the_kind_is_refused() -> None:
    assert refusal(3, 1) == "instance: found 3; expected an Instance, the path of an instance file, or a Problem"


def test_equal_designs_are_equal() -> None:
    one, two = (askwise.design(EXAMPLES / "two-goals.txt", 1) for _ in range(2))
    assert one == two
    assert one != replace(two, budget=1)
    assert np.array_equal(one.prior, [0.5, 0.5])
