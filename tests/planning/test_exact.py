"""The exact optimum: against the reference, against hand-made cases, and what it refuses."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import evaluate
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, Problem, changed, optimal_costs
from askwise.core.questions import QueryCost
from askwise.core.side import place_and_load
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.model import GridWorld, Model
from askwise.planning.bounds import bound_problem
from askwise.planning.exact import Endgame, Solver, TooLarge
from askwise.planning.exact_search import DONE, PAUSED, where_of
from askwise.planning.optimum import solve_problem
from askwise.planning.reference import Reference
from askwise.planning.tables import tables_of
from tests.graphs import lopsided, random_problem
from tests.planning.random_problems import expected_cost
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import instance, instances, product_problem, workshop

KINDS = ("uniform", "far", "near")


def fork(**more: Any) -> ToolFetching:
    """Two stations, equally far to both sides; the tools lie left and right of the fetcher, one step away.

    ::

        A . . W . . B
        . . T F U . .
    """
    return ToolFetching(
        instance(
            (7, 2),
            stations={"A": ((0, 1), "T"), "B": ((6, 1), "U")},
            toolboxes={"T": (2, 0), "U": (4, 0)},
            worker=(3, 1),
            fetcher=(3, 0),
            **more,
        )
    )


# -- against the reference ---------------------------------------------------------------------------------------


def assert_same_optimum(problem: Problem) -> None:
    found = solve_problem(problem)
    reference = Reference(problem)
    assert found.expected_cost == pytest.approx(expected_cost(reference), abs=1e-9)
    assert found.expected_marginal_cost == pytest.approx(reference.cost(), abs=1e-9)


def test_a_question_names_the_side_with_fewer_goals_if_both_cost_the_same() -> None:
    smaller = 0
    for seed in range(20):
        problem = random_problem(seed, n_goals=3)
        ask = Solver(changed(problem, query_cost=QueryCost(0.1))).at(problem.start).ask
        assert ask is None or len(ask) == 1
        smaller += ask is not None
    assert smaller > 0


@given(instances())
@settings(max_examples=40)
def test_any_tiny_instance(given_instance: Instance) -> None:
    assert_same_optimum(ToolFetching(given_instance))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("walls", [0.0, 0.25])
@pytest.mark.parametrize("per_goal", [0.0, 0.2, 0.5])
def test_small_instances(kind: str, walls: float, per_goal: float) -> None:
    for seed in range(3):
        cost = QueryCost(0.5, per_goal)
        drawn = generate(width=5, stations=4, toolboxes=2, walls=walls, prior=kind, query_cost=cost, seed=seed)
        assert_same_optimum(ToolFetching(drawn))


def test_the_cases_are_not_trivial() -> None:
    """Most of the instances above have a positive marginal cost, so the tests above are not vacuous."""
    losses = [
        solve_problem(ToolFetching(generate(width=5, stations=4, toolboxes=2, seed=seed))).expected_marginal_cost
        for seed in range(3)
    ]
    assert sum(loss > 0.1 for loss in losses) >= 2


@given(st.integers(0, 10_000), st.lists(st.sampled_from([0.0, 1.0, 2.0, 9.0]), min_size=3, max_size=3))
@settings(max_examples=25)
def test_coverage(seed: int, prior: list[float]) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.permutation(20)[:8]
    letters = dict(zip(cells.tolist(), "WFABC##B", strict=True))
    drawing = "\n".join("".join(letters.get(5 * y + x, ".") for x in range(5)) for y in range(4))
    try:
        problem = Coverage(drawing, prior=prior if any(prior) else None, query_cost=QueryCost(0.2, 0.05))
    except ValueError:
        return  # walled in
    assert_same_optimum(problem)


def test_a_problem_stated_as_two_models() -> None:
    for given_instance in (workshop(), workshop(prior="far", query_cost={"base": 0.25, "per_station": 0.25})):
        whole, plain = product_problem(given_instance), ToolFetching(given_instance)
        assert solve_problem(whole).expected_cost == pytest.approx(solve_problem(plain).expected_cost, abs=1e-12)
        assert_same_optimum(whole)


def test_several_actions_that_lead_to_one_state() -> None:
    """Two ways to do the same step are two plans: the teammate takes that turn twice as often."""
    edges = [("s", "a", "l"), ("s", "b", "l"), ("s", "c", "r"), ("l", "a", "g1"), ("r", "a", "g1"), ("r", "b", "g2")]
    walk = Model.from_edges(edges)
    ego = Model.from_edges([("0", "left", "1"), ("0", "right", "2"), ("1", "right", "0"), ("2", "left", "0")])
    problem = FactoredProblem(
        goals=("g1", "g2"),
        prior=np.array([0.5, 0.5]),
        teammate_model=walk,
        teammate_goals=["g1", "g2"],
        ego_model=ego,
        ego_goals=["1", "2"],
        start=JointState(walk.state("s"), ego.state("0")),
        query_cost=QueryCost(5.0),
    )
    assert_same_optimum(problem)


# -- by hand -----------------------------------------------------------------------------------------------------


def test_a_free_question_costs_nothing() -> None:
    problem = fork(query_cost={"base": 0})
    found = solve_problem(problem)
    assert found.expected_marginal_cost == 0
    # There is no time to wait: it has to be asked now, and about one of the two.
    assert found.policy.at(problem.start).ask in ((0,), (1,))


def test_a_cheap_question_is_asked_at_once() -> None:
    """With the tools a step away on either side the fetcher needs 1 + 1 + 3 steps, the worker 3 + 1: none to wait."""
    problem = fork(query_cost={"base": 0.2, "per_station": 0.1})
    found = solve_problem(problem)
    assert found.expected_marginal_cost == pytest.approx(0.3)
    assert found.expected_cost == pytest.approx(5.3)
    choice = found.policy(problem.start)
    assert (choice.action, len(choice.ask or ())) == (None, 1)


def test_a_dear_question_is_not_asked() -> None:
    """Waiting a step to watch costs one step for either goal; a wrong guess costs two."""
    problem = fork(query_cost={"base": 3})
    assert solve_problem(problem).expected_marginal_cost == pytest.approx(1.0)
    likely = fork(query_cost={"base": 3}, prior={"A": 3, "B": 1})
    found = solve_problem(likely)
    assert found.expected_marginal_cost == pytest.approx(2 * 0.25)
    west = likely.ego.actions.names.index("WEST")
    assert found.policy(likely.start).action == west


def test_the_cheaper_side_is_asked_about() -> None:
    """One station lies apart: asking about it costs one station, asking about the others would tell the same."""
    problem = ToolFetching(
        instance(
            (9, 3),
            stations={"A": ((0, 0), "T"), "B": ((0, 1), "T"), "C": ((0, 2), "T"), "D": ((8, 1), "U")},
            toolboxes={"T": (3, 1), "U": (5, 1)},
            worker=(4, 1),
            fetcher=(4, 1),
            query_cost={"base": 0.1, "per_station": 0.1},
        )
    )
    choice = solve_problem(problem).policy(problem.start)
    assert choice.ask == (3,)


# -- the policy --------------------------------------------------------------------------------------------------


def test_one_goal_is_no_riddle() -> None:
    problem = fork()
    found = Solver(problem).at(problem.start, [1])
    assert (problem.ego.actions.names[found.action or 0], found.ask, found.expected_marginal_cost) == (
        "EAST",
        None,
        0.0,
    )


def test_goals_as_numbers_or_as_marks() -> None:
    problem = ToolFetching(generate(width=6, stations=5, toolboxes=2, seed=2))
    solver = Solver(problem)
    marks = np.array([True, False, True, True, False])
    assert solver.at(problem.start, marks) == solver.at(problem.start, [0, 2, 3])
    assert solver.at(problem.start) == solver.at(problem.start, range(5))


@pytest.mark.parametrize("seed", range(4))
def test_every_choice_is_consistent_with_what_follows(seed: int) -> None:
    """Follow the policy everywhere it leads: each value is the price of the choice and the mean of what comes after."""
    problem = ToolFetching(generate(width=6, stations=5, toolboxes=2, query_cost=QueryCost(1.0, 0.1), seed=seed))
    solver = Solver(problem)
    waiting = [(problem.start, frozenset(range(5)))]
    seen = set()
    while waiting:
        state, goals = waiting.pop()
        if (state, goals) in seen or len(goals) < 2:
            continue
        seen.add((state, goals))
        choice = solver.at(state, sorted(goals))
        here = {g: solver.tables.weight[state.teammate, g] for g in goals}
        value, mass = 0.0, sum(here.values())
        if choice.ask is not None:
            value = mass * problem.query_cost(choice.ask)
            following = [(state, goals & set(choice.ask)), (state, goals - set(choice.ask))]
        else:
            assert choice.action is not None
            ego = problem.ego.next(state.ego, choice.action)
            before, steps = optimal_costs(problem, state), problem.teammate.steps(state.teammate)
            value = sum(w * (1 + max(steps[g], problem.ego.steps(ego)[g]) - before[g]) for g, w in here.items())
            onwards = [t for t in solver.tables.following[state.teammate].tolist() if t >= 0]
            alive = solver.tables.weight > 0
            following = [(JointState(t, ego), frozenset(g for g in goals if alive[t, g])) for t in onwards]
        for there, left in following:
            if len(left) > 1:
                weight = sum(solver.tables.weight[there.teammate, g] for g in left)
                value += weight * solver.at(there, sorted(left)).expected_marginal_cost
                waiting.append((there, left))
        assert choice.expected_marginal_cost * mass == pytest.approx(value, abs=1e-12)
    assert len(seen) > 3


def test_results_are_equal_whatever_the_time_taken() -> None:
    one, other = (solve_problem(ToolFetching(workshop())) for _ in range(2))
    assert one == other
    assert one.verdict.exact
    assert str(one.verdict) == "exact, optimal over all questions and actions"
    assert one.states > 0


def test_a_load_counts_only_while_its_goal_is_possible() -> None:
    """So situations that differ in nothing else share a value."""
    solver = Solver(random_problem(2, n_goals=4))
    for goals, load in product(range(1, 16), range(4)):
        needed = bool(goals >> load & 1)
        numbers = {int(where_of(solver.search, goals, 0, 0, carried)) for carried in (load, -1)}
        assert len(numbers) == 1 + needed


def test_can_be_sent_elsewhere() -> None:
    solver = Solver(ToolFetching(workshop()))
    here = solver.at(solver.problem.start)
    assert pickle.loads(pickle.dumps(solver)).at(solver.problem.start) == here


# -- sizes -------------------------------------------------------------------------------------------------------


def test_twelve_stations_are_solved() -> None:
    problem = ToolFetching(generate(width=10, stations=12, toolboxes=3, seed=1))
    found = solve_problem(problem)
    assert found.expected_marginal_cost > 0


def test_the_papers_size() -> None:
    price = QueryCost(0.5, 0.5)
    problem = ToolFetching(generate(seed=5, prior="far", query_cost=price))
    found = solve_problem(problem)
    assert found.verdict.exact
    played = evaluate(problem, "planner", exact=True).expected_marginal_cost
    assert bound_problem(problem, limit=5_000).value <= found.expected_marginal_cost <= played + 1e-12
    assert played <= 1.01 * found.expected_marginal_cost


def test_given_up() -> None:
    with pytest.raises(TooLarge) as caught:
        solve_problem(ToolFetching(generate(width=12, stations=30, toolboxes=3, seed=1)), limit=1_000)
    assert re.fullmatch(
        r"too large for an exact answer: 30 goals, 5\.4e\+08 questions at the start alone, up to 5\.1e\+12 states; "
        r"not solved after [\d,]+ states and [\d,]+ questions, all that is tried unless you ask to go on",
        str(caught.value),
    )


def test_too_large_even_to_go_on() -> None:
    with pytest.raises(TooLarge, match=r" states; more than this search can number$"):
        solve_problem(ToolFetching(generate(stations=63, seed=1)), go_on=True)


def test_too_large_on_the_way() -> None:
    problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, seed=1))
    whole = solve_problem(problem)
    assert whole.states > 200
    with pytest.raises(TooLarge) as caught:
        solve_problem(problem, limit=200)
    assert str(caught.value).startswith(
        "too large for an exact answer: 8 goals, 127 questions at the start alone, up to "
    )
    assert str(caught.value).split("; ")[1].startswith("not solved after ")
    assert solve_problem(problem, limit=200, go_on=True) == whole


@pytest.mark.parametrize(("states", "splits"), [(50, 40), (2_000, 0.1)])
def test_the_end_of_a_game_gives_up_after_either_kind_of_work(
    states: int, splits: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askwise.planning.exact.ENDGAME_SPLITS", splits)
    problem = ToolFetching(
        generate(width=9, stations=9, toolboxes=3, prior="uniform", query_cost=QueryCost(0.5, 0.2), seed=2)
    )
    endgame = Endgame(problem, tables_of(problem), range(9), states=states)
    assert endgame.best(problem.start, range(9)) is None
    assert endgame.gave_up
    assert endgame.states <= states
    assert endgame.splits <= splits * states + 2**9, "no state has more questions"


@pytest.mark.parametrize(("price", "undecided"), [(0.1, 1), (100.0, 25)])
def test_questions_that_were_compared_are_counted(price: float, undecided: int) -> None:
    """In each state, two goals are divided in two ways: both on one side, which is no question, or each alone."""
    drawn = generate(width=12, stations=2, toolboxes=2, prior="uniform", query_cost=QueryCost(price, 0.0), seed=5)
    solver = Solver(ToolFetching(drawn))
    solver.at(solver.problem.start)
    assert np.count_nonzero(solver._table["value"] > 0) == undecided
    assert solver.splits == 2 * undecided


def test_a_search_pauses_each_time_when_it_has_compared_enough() -> None:
    problem = ToolFetching(generate(width=8, stations=6, toolboxes=3, prior="uniform", seed=2))
    whole, solver, turn = Solver(problem), Solver(problem), 50
    whole.at(problem.start)
    start = (2**6 - 1, problem.start.teammate, *place_and_load(problem.ego, problem.start.ego))
    end, depth, calls = PAUSED, -1, 0
    while end != DONE:
        before = solver.splits
        end, depth, _ = solver._continue(depth, 10**6, turn, start)
        calls += 1
        assert solver.splits - before <= turn + 2**6, "no state has more questions"
    assert calls > 3
    assert (solver.states, solver.splits) == (whole.states, whole.splits)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwise.planning.exact.STATES_A_TURN", 100)
    problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, seed=1))
    told: list[tuple[int, int]] = []
    found = solve_problem(problem, progress=lambda states, splits: told.append((states, splits)))
    assert len(told) > 2
    assert told == sorted(told)
    assert told[-1][0] <= found.states
    assert found == solve_problem(problem)


@pytest.mark.parametrize("seed", range(4))
def test_states_are_the_entries_of_the_table(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after the table has grown: nothing is forgotten, and nothing is solved twice."""
    problem = ToolFetching(generate(width=6, stations=6, toolboxes=2, seed=seed))
    found = []
    for size in (1 << 12, 1 << 3):
        monkeypatch.setattr("askwise.planning.exact.FIRST_SIZE", size)
        solver = Solver(problem)
        move = solver.at(problem.start)
        assert solver.states == np.count_nonzero(solver._table["goals"])
        found.append((move, solver.states, solver.splits))
    assert found[0] == found[1]
    assert found[0][1] > 12, "the small table has grown"


def test_a_solver_for_all_states_solves_the_start_within_its_limit() -> None:
    problem = ToolFetching(generate(width=8, stations=8, toolboxes=3, seed=1))
    with pytest.raises(TooLarge, match=r"; at most 126 are allowed for$"):
        Solver(problem, limit=126).solve_everywhere()
    with pytest.raises(TooLarge, match=r"; not solved after "):
        Solver(problem, limit=200).solve_everywhere()
    solver = Solver(problem)
    solver.solve_everywhere()
    assert solver.states > 200
    assert solver.limit is None, "whether other states are solved does not depend on earlier calls"


# -- refused -----------------------------------------------------------------------------------------------------


def line(teammate_goals: list[Any], ego_goals: list[Any], ego: Model | None = None) -> Callable[[], object]:
    grid = GridWorld(4, 1)
    return lambda: FactoredProblem(
        goals=("A", "B"),
        teammate_model=grid,
        teammate_goals=teammate_goals,
        ego_model=ego or grid,
        ego_goals=ego_goals,
        start=JointState(0, 0),
    )


ONE_WAY = Model.from_edges([("0", "on", "1"), ("2", "on", "1")])

FAULTS: dict[str, Fault] = {
    "a teammate that is no UROP": (
        lambda: Solver(random_problem(1, policies=lopsided)),
        "teammate_policies: found policies of the teammate's own; expected none: the optimum holds for a teammate that "
        "draws one of its shortest plans uniformly; for others use the method 'planner', or evaluate methods",
    ),
    "goals that end in one place": (
        line([(3, 0), (3, 0)], [(1, 0), (2, 0)]),
        "teammate_goals: goal 'B': found (3, 0), a target of goal 'A' already; "
        "expected a target that no other goal has: the place where the teammate stays reveals its goal",
    ),
    "no way for the ego agent": (
        line([(2, 0), (3, 0)], ["1", "2"], ONE_WAY),
        "ego_goals: goal 'B': found no way to it from '0'; expected a goal that can be reached",
    ),
    "a teammate that is on no way": (
        lambda: Solver(fork()).at(JointState(0, 3)),
        "state: found the teammate at (0, 0), on no way to a possible goal; expected a state on such a way",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)
