"""The rules of tool fetching: legal actions, transitions, costs, and the end of an episode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.core.game import ends
from askwise.core.problem import optimal_costs
from askwise.domains.tool_fetching import Instance, Rules, State, ToolFetching
from askwise.domains.tool_fetching.rules import FETCHER_NOOP, NOTHING, WORK, WORKER_ACTIONS, WORKER_NOOP
from askwise.errors import InputError
from tests.refused import assert_refused
from tests.tool_fetching import (
    Cell,
    Place,
    fetcher_moves,
    fewest_steps,
    free_cells,
    instance,
    instances,
    steps_between,
    worker_moves,
    workshop,
)

NORTH, EAST, SOUTH, WEST = range(4)
A, B, C = range(3)
PICKUP_A, PICKUP_B, PICKUP_C = 5, 6, 7


@pytest.fixture(scope="module")
def rules() -> Rules:
    return Rules(workshop())


def state(rules: Rules, worker: Cell, fetcher: Cell, holding: int = NOTHING) -> State:
    return State(rules.grid.state(worker), rules.grid.state(fetcher), holding)


# -- what there is to do -----------------------------------------------------------------------------------------


def test_names_and_start(rules: Rules) -> None:
    assert WORKER_ACTIONS == ("NORTH", "EAST", "SOUTH", "WEST", "WORK", "NOOP")
    assert rules.fetcher_actions == ("NORTH", "EAST", "SOUTH", "WEST", "NOOP", "PICKUP A", "PICKUP B", "PICKUP C")
    assert rules.stations == ("A", "B", "C")
    assert rules.start == state(rules, (0, 0), (2, 0))
    assert [rules.station_at(cell) for cell in rules.station_cells] == [A, B, C]
    assert rules.station_at(rules.grid.state((0, 0))) is None


@pytest.mark.parametrize(
    ("at", "legal"),
    [
        ((0, 0), {"NORTH", "EAST", "NOOP"}),
        ((1, 1), {"NORTH", "EAST", "SOUTH", "WEST", "NOOP"}),
        ((2, 1), {"NORTH", "SOUTH", "WEST", "NOOP"}),
        ((3, 0), {"EAST", "WEST", "NOOP"}),
        ((5, 0), {"NORTH", "WEST", "WORK", "NOOP"}),
        ((4, 0), {"NORTH", "EAST", "WEST", "NOOP"}),
    ],
    ids=["corner", "middle", "beside a wall", "under a wall", "at a station", "at a toolbox"],
)
def test_what_the_worker_can_do(rules: Rules, at: Cell, legal: set[str]) -> None:
    assert {WORKER_ACTIONS[a] for a in rules.legal_worker_actions(state(rules, at, (0, 0)))} == legal


@pytest.mark.parametrize(
    ("at", "legal"),
    [
        ((5, 4), {"SOUTH", "WEST", "NOOP"}),
        ((0, 2), {"NORTH", "EAST", "SOUTH", "NOOP", "PICKUP A", "PICKUP B"}),
        ((4, 0), {"NORTH", "EAST", "WEST", "NOOP", "PICKUP C"}),
    ],
    ids=["at a station", "at a toolbox of two tools", "at the other toolbox"],
)
@pytest.mark.parametrize("holding", [NOTHING, A, B, C])
def test_what_the_fetcher_can_do(rules: Rules, at: Cell, legal: set[str], holding: int) -> None:
    found = rules.legal_fetcher_actions(state(rules, (0, 0), at, holding))
    assert {rules.fetcher_actions[a] for a in found} == legal


@given(instances(), st.data())
def test_legal_actions_and_steps_as_told_in_plain_words(drawn: Instance, data: st.DataObject) -> None:
    rules = Rules(drawn)
    cells = st.sampled_from(sorted(steps_between(free_cells(drawn), drawn.worker)))
    tools: list[str | None] = [None, *drawn.stations]
    place = Place(data.draw(cells), data.draw(cells), data.draw(st.sampled_from(tools)))
    before = state(rules, place.worker, place.fetcher, tools.index(place.holding) - 1)
    workers = {WORKER_ACTIONS[a]: a for a in rules.legal_worker_actions(before)}
    fetchers = {rules.fetcher_actions[a]: a for a in rules.legal_fetcher_actions(before)}
    assert set(workers) == set(worker_moves(drawn, place))
    assert set(fetchers) == set(fetcher_moves(drawn, place))
    for work, worker in worker_moves(drawn, place).items():
        for fetch, (fetcher, holding) in fetcher_moves(drawn, place).items():
            after = rules.step(before, workers[work], fetchers[fetch])
            assert after == state(rules, worker, fetcher, tools.index(holding) - 1)


@given(instances(max_side=3, max_stations=3))
def test_whatever_is_not_legal_is_refused(drawn: Instance) -> None:
    rules = Rules(drawn)
    here = rules.start
    for action in set(range(len(WORKER_ACTIONS))) - set(rules.legal_worker_actions(here)):
        name = WORKER_ACTIONS[action]
        message = f"worker's action: found {name} in cell {drawn.worker}; expected an action available there"
        assert rules.worker_next(here.worker, action) == -1
        assert_refused(lambda a=action: rules.step(here, a, FETCHER_NOOP), message)  # type: ignore[misc]
    for action in set(range(len(rules.fetcher_actions))) - set(rules.legal_fetcher_actions(here)):
        name = rules.fetcher_actions[action]
        message = f"fetcher's action: found {name} in cell {drawn.fetcher}; expected an action available there"
        assert rules.fetcher_next(here.fetcher, here.holding, action)[0] == -1
        assert_refused(lambda a=action: rules.step(here, WORKER_NOOP, a), message)  # type: ignore[misc]


@pytest.mark.parametrize("number", [-1, -6, 6, 100])
def test_a_number_that_is_no_action_of_the_worker_is_refused(rules: Rules, number: int) -> None:
    # Python would read -1 as the last move. At a station too, where staying is possible.
    for at in [(1, 1), (5, 0)]:
        with pytest.raises(InputError, match=r"^worker's action: "):
            rules.step(state(rules, at, (1, 1)), number, FETCHER_NOOP)


@pytest.mark.parametrize("number", [-1, -4, 8, 100])
def test_a_number_that_is_no_action_of_the_fetcher_is_refused(rules: Rules, number: int) -> None:
    for at in [(1, 1), (0, 2)]:
        with pytest.raises(InputError, match=r"^fetcher's action: "):
            rules.step(state(rules, (1, 1), at), WORKER_NOOP, number)


# -- tools -------------------------------------------------------------------------------------------------------


def test_the_fetcher_holds_one_tool_and_the_first_goes_back_into_its_own_box(rules: Rules) -> None:
    held = rules.step(state(rules, (0, 0), (0, 2)), WORKER_NOOP, PICKUP_A)
    assert held.holding == A
    swapped = rules.step(held, WORKER_NOOP, PICKUP_B)
    assert swapped.holding == B
    # The tool of A was put down here, but it lies in its own box again wherever it is put down: also at the other one.
    at_the_other_box = rules.step(state(rules, (0, 0), (4, 0), A), WORKER_NOOP, PICKUP_C)
    assert at_the_other_box.holding == C
    assert PICKUP_A not in rules.legal_fetcher_actions(at_the_other_box)
    assert PICKUP_A in rules.legal_fetcher_actions(state(rules, (0, 0), (0, 2), C))


def test_picking_up_what_is_already_in_hand_changes_nothing(rules: Rules) -> None:
    holding = state(rules, (0, 0), (0, 2), A)
    assert rules.step(holding, WORKER_NOOP, PICKUP_A) == holding


def test_the_tool_comes_along(rules: Rules) -> None:
    assert rules.step(state(rules, (0, 0), (0, 2), B), EAST, NORTH) == state(rules, (1, 0), (0, 3), B)


def test_agents_may_share_and_swap_cells(rules: Rules) -> None:
    shared = rules.step(state(rules, (0, 0), (2, 0)), EAST, WEST)
    assert shared == state(rules, (1, 0), (1, 0))
    assert rules.step(shared, NORTH, NORTH) == state(rules, (1, 1), (1, 1))
    assert rules.step(state(rules, (1, 0), (2, 0)), EAST, WEST) == state(rules, (2, 0), (1, 0))


def test_nothing_in_the_rules_changes(rules: Rules) -> None:
    before = rules.start
    rules.step(before, EAST, EAST)
    assert rules.start == before
    with pytest.raises(AttributeError):
        before.holding = A  # type: ignore[misc]


# -- costs and the end -------------------------------------------------------------------------------------------


def test_what_a_question_costs() -> None:
    rules = Rules(workshop(query_cost={"base": 0.5, "per_station": 0.1}))
    assert [rules.query_cost(asked) for asked in ([A], [A, C], (A, B, C))] == [0.6, 0.7, 0.5 + 0.1 * 3]
    assert Rules(workshop()).query_cost([A, B]) == 0.5


ENDS = {
    "both there": ((5, 0), (5, 0), A, WORK, FETCHER_NOOP, True),
    "the fetcher arrives": ((5, 0), (4, 0), A, WORK, EAST, True),
    "the fetcher leaves": ((5, 0), (5, 0), A, WORK, WEST, False),
    "the fetcher is elsewhere": ((5, 0), (4, 0), A, WORK, FETCHER_NOOP, False),
    "the wrong tool": ((5, 0), (5, 0), C, WORK, FETCHER_NOOP, False),
    "no tool": ((5, 0), (5, 0), NOTHING, WORK, FETCHER_NOOP, False),
    "the worker waits": ((5, 0), (5, 0), A, WORKER_NOOP, FETCHER_NOOP, False),
    "the worker only arrives": ((4, 0), (4, 0), A, EAST, EAST, False),
    "the worker leaves": ((5, 0), (5, 0), A, WEST, FETCHER_NOOP, False),
    "work at another station, with its tool": ((5, 4), (5, 4), C, WORK, FETCHER_NOOP, False),
    "work at another station, with the goal's tool": ((5, 4), (5, 4), A, WORK, FETCHER_NOOP, False),
    "work at another station, the fetcher at the goal": ((5, 4), (5, 0), A, WORK, FETCHER_NOOP, False),
}


@pytest.mark.parametrize(("worker", "fetcher", "holding", "work", "fetch", "over"), ENDS.values(), ids=ENDS)
def test_when_the_episode_ends(
    worker: Cell, fetcher: Cell, holding: int, work: int, fetch: int, over: bool, rules: Rules
) -> None:
    before = state(rules, worker, fetcher, holding)
    after = rules.step(before, work, fetch)
    assert rules.finished(work, after, A) is over
    problem = ToolFetching(rules.instance)
    assert ends(problem, problem.encode(before), work, problem.encode(after), A) is over


def test_a_tool_picked_up_on_the_station_ends_it_at_once() -> None:
    rules = Rules(
        instance((2, 1), stations={"S": ((1, 0), "T")}, toolboxes={"T": (1, 0)}, worker=(1, 0), fetcher=(1, 0))
    )
    after = rules.step(rules.start, WORK, 5)
    assert rules.finished(WORK, after, 0)
    problem = ToolFetching(rules.instance)
    assert optimal_costs(problem, problem.start).tolist() == [1.0]


@given(instances(max_side=3, max_stations=3), st.data())
def test_rules_and_problem_agree_on_the_end(drawn: Instance, data: st.DataObject) -> None:
    rules, problem = Rules(drawn), ToolFetching(drawn)
    cells = st.sampled_from(sorted(steps_between(free_cells(drawn), drawn.worker)))
    tool = st.integers(-1, len(drawn.stations) - 1)
    before = state(rules, data.draw(cells), data.draw(cells), data.draw(tool))
    for work in rules.legal_worker_actions(before):
        for fetch in rules.legal_fetcher_actions(before):
            after = rules.step(before, work, fetch)
            joint = problem.encode(before), work, problem.encode(after)
            for goal in range(len(drawn.stations)):
                assert rules.finished(work, after, goal) == ends(problem, *joint, goal)


# -- the optimal cost --------------------------------------------------------------------------------------------


@given(instances(max_side=3, max_stations=2))
def test_optimal_cost_is_the_shortest_of_all_episodes(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    costs = optimal_costs(problem, problem.start)
    assert costs.dtype == np.float64
    assert costs.tolist() == [fewest_steps(drawn, goal) for goal in drawn.stations]


@given(instances(max_side=6, max_stations=6))
def test_optimal_cost_by_distances(drawn: Instance) -> None:
    problem = ToolFetching(drawn)
    free = free_cells(drawn)
    worker, fetcher = steps_between(free, drawn.worker), steps_between(free, drawn.fetcher)
    for cost, station in zip(optimal_costs(problem, problem.start), drawn.stations.values(), strict=True):
        box = drawn.toolboxes[station.toolbox]
        assert cost == 1 + max(worker[station.at], fetcher[box] + steps_between(free, box)[station.at])
