"""Tool fetching equals the same problem as two plain models with shared goals; its priors."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from askwise.core.belief import make_belief
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, Problem, optimal_costs
from askwise.core.questions import QueryCost
from askwise.core.teammates import Urop
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, Prior, State, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.model import Model, pursuit
from tests.tool_fetching import (
    Cell,
    count_plans,
    free_cells,
    instance,
    instances,
    product_problem,
    steps_between,
    workshop,
)


def reachable(problem: Problem) -> list[int]:
    """Return every ego state that can be reached from the start."""
    found, queue = {problem.start.ego}, [problem.start.ego]
    for ego in queue:
        for action in range(len(problem.ego.actions.names)):
            if (there := problem.ego.next(ego, action)) >= 0 and there not in found:
                found.add(there)
                queue.append(there)
    return sorted(found)


def assert_same_fetcher(structured: ToolFetching, plain: FactoredProblem) -> None:
    egos = reachable(structured)
    assert egos == reachable(plain)
    for ego in egos:
        np.testing.assert_array_equal(structured.ego.steps(ego), plain.ego.steps(ego))
        np.testing.assert_array_equal(structured.ego.optimal(ego), plain.ego.optimal(ego))
        edp, wcd = structured.ego.divergence(ego)
        plain_edp, plain_wcd = plain.ego.divergence(ego)
        np.testing.assert_allclose(edp, plain_edp, rtol=1e-12)
        np.testing.assert_array_equal(wcd, plain_wcd)


def assert_same_worker(structured: ToolFetching, plain: FactoredProblem) -> None:
    n_moves_and_stay = structured.grid.n_actions
    cells = steps_between(free_cells(structured.instance), structured.instance.worker)
    for worker in map(structured.grid.state, cells):
        np.testing.assert_array_equal(structured.teammate.steps(worker), plain.teammate.steps(worker))
        policy = structured.teammate.policy(worker)
        np.testing.assert_allclose(policy[:, :n_moves_and_stay], plain.teammate.policy(worker), rtol=1e-12)
        assert not policy[:, n_moves_and_stay:].any(), "no optimal plan waits"
        for one, two in zip(structured.teammate.divergence(worker), plain.teammate.divergence(worker), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-12)


@given(instances())
def test_fetcher_agrees_with_the_product_model(drawn: Instance) -> None:
    boxes = set(drawn.toolboxes.values())
    event("a station on a toolbox" if any(s.at in boxes for s in drawn.stations.values()) else "stations apart")
    event("walls" if drawn.walls else "no walls")
    assert_same_fetcher(ToolFetching(drawn), product_problem(drawn))


@given(instances())
def test_worker_agrees_with_the_product_model(drawn: Instance) -> None:
    structured, plain = ToolFetching(drawn), product_problem(drawn)
    assert_same_worker(structured, plain)
    np.testing.assert_array_equal(structured.prior, plain.prior)
    np.testing.assert_array_equal(optimal_costs(structured, structured.start), optimal_costs(plain, plain.start))
    for goal in range(len(structured.goals)):
        assert structured.teammate.targets(goal).tolist() == plain.teammate.targets(goal).tolist()


@pytest.mark.parametrize("walls", [[], [(1, 1), (2, 1)]], ids=["open", "walls"])
def test_a_station_on_its_own_and_on_another_toolbox(walls: list[Cell]) -> None:
    stations: dict[str, tuple[Cell, str]] = {
        "own": ((0, 0), "T"),
        "foreign": ((3, 2), "T"),
        "third": ((3, 0), "U"),
        "fourth": ((0, 2), "U"),
    }
    boxes: dict[str, Cell] = {"T": (0, 0), "U": (3, 2)}
    drawn = instance((4, 3), stations=stations, toolboxes=boxes, worker=(3, 0), fetcher=(0, 2), walls=walls)
    structured = ToolFetching(drawn)
    assert {ego % 5 for ego in reachable(structured)} == set(range(5)), "every tool, and none"
    assert_same_fetcher(structured, product_problem(drawn))
    assert_same_worker(structured, product_problem(drawn))


def test_one_cell_is_enough() -> None:
    drawn = instance((1, 1), stations={"S": ((0, 0), "T")}, toolboxes={"T": (0, 0)}, worker=(0, 0), fetcher=(0, 0))
    assert_same_fetcher(ToolFetching(drawn), product_problem(drawn))
    assert_same_worker(ToolFetching(drawn), product_problem(drawn))


def test_where_plans_for_two_tools_of_one_box_part() -> None:
    problem = ToolFetching(workshop())
    _, wcd = problem.ego.divergence(problem.start.ego)
    # A and B lie in the toolbox at (0, 2), four steps away: the fifth action is PICKUP of the one or the other.
    assert wcd[0, 1] == wcd[1, 0] == 5
    # The tool of C lies to the east, the others to the west.
    assert wcd[0, 2] == wcd[1, 2] == 1
    assert np.isinf(np.diag(wcd)).all()


@given(instances())
def test_policy_of_the_worker_is_the_share_of_plans(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    free = free_cells(drawn)
    policy = problem.teammate.policy(problem.start.teammate)
    for row, station in zip(policy, drawn.stations.values(), strict=True):
        for action, share in enumerate(row):
            there = problem.teammate.next(problem.start.teammate, action)
            expected = 0.0
            if drawn.worker == station.at:
                expected = float(action == problem.teammate.actions.stay)
            elif there >= 0 and action < 4:
                x, y = problem.grid.cells[there].tolist()
                closer = steps_between(free, station.at)[x, y] < steps_between(free, station.at)[drawn.worker]
                expected = closer * count_plans(free, (x, y), station.at) / count_plans(free, drawn.worker, station.at)
            assert share == pytest.approx(expected, abs=1e-12)


@given(instances(max_side=6))
def test_policies_worked_out_one_by_one_are_the_same(drawn: Instance) -> None:
    # Large maps do without the table of all policies. Here the table has no room either.
    with pytest.MonkeyPatch.context() as patch:
        table = ToolFetching(drawn)
        expected = table.teammate.policy(table.start.teammate)
        patch.setattr(pursuit, "POLICY_BYTES", 0)
        one_by_one = ToolFetching(drawn)
        np.testing.assert_allclose(one_by_one.teammate.policy(one_by_one.start.teammate), expected, rtol=1e-12)


@given(instances(max_side=3, max_stations=3))
def test_states_of_rules_and_protocol_are_the_same_thing(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    n_cells, n_tools = problem.grid.n_states, len(drawn.stations)
    states = [State(w, f, t) for w in range(n_cells) for f in range(n_cells) for t in range(-1, n_tools)]
    joint = [problem.encode(state) for state in states]
    assert [problem.decode(pair) for pair in joint] == states
    assert len(set(joint)) == len(joint)
    assert {pair.ego for pair in joint} == set(range(n_cells * (n_tools + 1)))


# -- the protocol ------------------------------------------------------------------------------------------------

COVERAGE = "A..\nWF.\n..B"


def test_every_domain_fulfils_the_protocol() -> None:
    for problem in (ToolFetching(workshop()), product_problem(workshop()), Coverage(COVERAGE)):
        assert isinstance(problem, Problem)
        assert problem.prior.sum() == pytest.approx(1)
        assert (
            problem.ego.actions.names[problem.ego.actions.stay] == problem.ego.actions.names[problem.ego.actions.stay]
        )
        assert problem.ego.next(problem.start.ego, problem.ego.actions.stay) == problem.start.ego
        stays = [name for a, name in enumerate(problem.teammate.actions.names) if a == problem.teammate.actions.stay]
        assert stays in (["WORK"], ["STAY"])
        assert problem.query_cost([0, 1]) == problem.query_cost(2) == 0.5
    assert not isinstance(workshop(), Problem)


@pytest.mark.parametrize(
    "make", [lambda: ToolFetching(workshop()), lambda: product_problem(workshop())], ids=["structured", "plain"]
)
def test_what_is_handed_out_can_be_changed_without_harm(make: Callable[[], Problem]) -> None:
    problem, untouched = make(), make()

    def handed_out(given: Problem) -> list[Any]:
        ego, teammate = given.start.ego, given.start.teammate
        ours = [given.ego.steps(ego), given.ego.optimal(ego), *given.ego.divergence(ego)]
        theirs = [given.teammate.steps(teammate), given.teammate.policy(teammate), given.teammate.targets(0)]
        return [*ours, *theirs, *given.teammate.divergence(teammate)]

    for array in handed_out(problem):
        with suppress(ValueError):  # read-only is as good as a copy
            array[:] = 0
    for one, two in zip(handed_out(problem), handed_out(untouched), strict=True):
        np.testing.assert_array_equal(one, two)


def test_what_a_question_costs() -> None:
    assert QueryCost() == QueryCost(base=0.5, per_goal=0.0)
    cost = QueryCost(0.25, 0.5)
    assert [cost(()), cost((3,)), cost([1, 2]), cost(4)] == [0.25, 0.75, 1.25, 2.25]


def two_rooms(names: list[int]) -> FactoredProblem:
    """Return a problem with two goals in a row of three states named by numbers, for both agents."""
    row = Model([[1, -1], [2, 0], [-1, 1]], states=names, actions=["RIGHT", "LEFT"])
    ends = [names[0], names[2]]
    return FactoredProblem(["left", "right"], np.array([0.5, 0.5]), row, ends, row, ends[::-1], JointState(1, 1))


def test_states_may_have_numbers_for_names() -> None:
    plain, renamed = two_rooms([0, 1, 2]), two_rooms([2, 0, 1])
    for state in range(3):
        assert renamed.teammate.steps(state).tolist() == plain.teammate.steps(state).tolist()
        for one, two in zip(renamed.teammate.divergence(state), plain.teammate.divergence(state), strict=True):
            np.testing.assert_array_equal(one, two)
        for one, two in zip(renamed.ego.divergence(state), plain.ego.divergence(state), strict=True):
            np.testing.assert_array_equal(one, two)


def test_a_teammate_walks_among_states_that_have_numbers_for_names() -> None:
    renamed = two_rooms([2, 0, 1])
    walker = Urop()
    walker.reset(renamed, 1, np.random.default_rng(0))
    assert renamed.teammate.actions.names[walker.act(1)] == "RIGHT"
    assert walker.act(2) == renamed.teammate.actions.stay


WORKER_STEPS = [5, 5, 9]
"""Steps from (0, 0) to A, B and C of the workshop."""
TOOL_STEPS = [4, 4, 2]
"""Steps from (2, 0) to the toolboxes of A, B and C."""


def prior(value: dict[str, Any]) -> list[float]:
    found = ToolFetching(workshop(prior=value)).prior
    assert found.dtype == np.float64
    return [float(p) for p in found]


def normalised(weights: list[float]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def test_uniform() -> None:
    assert prior({"kind": "uniform"}) == [1 / 3] * 3
    assert ToolFetching(workshop()).prior.tolist() == [1 / 3] * 3


@pytest.mark.parametrize("temperature", [0.5, 1.0, 7.0])
@pytest.mark.parametrize(
    ("kind", "sign", "steps"),
    [
        ("far", 1, WORKER_STEPS),
        ("near", -1, WORKER_STEPS),
        ("fetcher-far", 1, TOOL_STEPS),
        ("fetcher-near", -1, TOOL_STEPS),
    ],
)
def test_kinds_weigh_by_the_exponential_of_a_distance(
    kind: str, sign: int, steps: list[int], temperature: float
) -> None:
    expected = normalised([math.exp(sign * d / temperature) for d in steps])
    assert prior({"kind": kind, "temperature": temperature}) == pytest.approx(expected, rel=1e-12)


def test_the_temperature_is_1_unless_given() -> None:
    assert prior({"kind": "far"}) == prior({"kind": "far", "temperature": 1})


def test_weights_by_station() -> None:
    assert prior({"C": 1, "A": 2, "B": 1}) == [0.5, 0.25, 0.25]
    assert prior({"A": 0, "B": 0.5, "C": 0}) == [0, 1, 0]


@given(instances(max_side=6, max_stations=6))
def test_distances_go_around_walls(drawn: Instance) -> None:
    free = free_cells(drawn)
    kind, temperature = drawn.prior.kind, drawn.prior.temperature
    worker, fetcher = steps_between(free, drawn.worker), steps_between(free, drawn.fetcher)
    steps = [
        fetcher[drawn.toolboxes[station.toolbox]] if kind.startswith("fetcher") else worker[station.at]
        for station in drawn.stations.values()
    ]
    sign = {"far": 1, "near": -1}.get(kind.removeprefix("fetcher-"), 0)
    expected = normalised([math.exp(sign * d / temperature) for d in steps])
    assert ToolFetching(drawn).prior.tolist() == pytest.approx(expected, rel=1e-12)


@given(st.sampled_from(["far", "near", "fetcher-far", "fetcher-near"]), st.floats(0, 1e308, exclude_min=True))
def test_no_temperature_makes_a_station_impossible(kind: str, temperature: float) -> None:
    found = ToolFetching(workshop(prior={"kind": kind, "temperature": temperature})).prior
    assert np.isfinite(found).all()
    assert (found > 0).all()
    assert found.sum() == pytest.approx(1)
    order = np.argsort(TOOL_STEPS if kind.startswith("fetcher") else WORKER_STEPS, kind="stable")
    along = found[order] if kind.endswith("far") else found[order[::-1]]
    assert (np.diff(along) >= 0).all(), "never against the distance"


@pytest.mark.parametrize("temperature", [5e-324, 1e-308, 1e-307, 1e-300, 1e-3, 1e3, 1e308])
@pytest.mark.parametrize("kind", ["far", "near", "fetcher-far", "fetcher-near"])
def test_extreme_temperatures(kind: str, temperature: float) -> None:
    found = ToolFetching(workshop(prior={"kind": kind, "temperature": temperature})).prior
    assert (found > 0).all()
    assert found.sum() == pytest.approx(1)
    steps = TOOL_STEPS if kind.startswith("fetcher") else WORKER_STEPS
    likeliest = max(steps) if kind.endswith("far") else min(steps)
    if temperature < 1:
        assert found[[d == likeliest for d in steps]].sum() == pytest.approx(1)
    if temperature == 1e308:
        assert found.tolist() == pytest.approx([1 / 3] * 3)


weights = st.floats(0, 1.7e308) | st.sampled_from([0.0, 5e-324, 1e-300, 1.0, 1e308])


@given(st.tuples(weights, weights, weights).filter(any))
def test_weights_of_any_size_keep_what_is_possible(given_weights: tuple[float, float, float]) -> None:
    found = ToolFetching(workshop(prior=dict(zip("ABC", given_weights, strict=True)))).prior
    assert found.sum() == pytest.approx(1)
    assert (found > 0).tolist() == [weight > 0 for weight in given_weights]
    assert make_belief("bayes", found).possible.tolist() == (found > 0).tolist()


def test_far_away_on_a_large_map() -> None:
    # exp(1000) is beyond what a double can hold.
    problem = ToolFetching(generate(width=600, height=2, stations=20, prior=Prior("far", 0.5), seed=1))
    assert problem.prior.argmax() == problem.teammate.steps(problem.start.teammate).argmax()
    assert (problem.prior > 0).all()
    assert problem.prior.sum() == pytest.approx(1)


def test_an_unknown_kind_is_not_taken_for_another_one() -> None:
    with pytest.raises(InputError):
        ToolFetching(generate(stations=3, prior=Prior("farr"), seed=1)).prior  # noqa: B018
