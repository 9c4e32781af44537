"""Teammates: what each kind does, that all of them get there, and golden episodes to read."""

from __future__ import annotations

import math
import os
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import simulate
from askwise.core.problem import Problem
from askwise.core.teammates import TEAMMATES, Boltzmann, FixedPlan, Noisy, Teammate, Uniform, Urop, Via, make_teammate
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.domains.tool_fetching.rules import WORK
from askwise.errors import InputError
from tests.graphs import random_problem
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import Cell, instance, instances, told, workshop

KINDS = ("urop", "uniform", "noisy:0.3", "via", "boltzmann:1", "plan")


def walk(problem: Problem, teammate: Teammate, goal: int, seed: int, limit: int = 20_000) -> list[tuple[int, int]]:
    """States and actions until the teammate stays at its goal; fails if it does something impossible."""
    teammate.reset(problem, goal, np.random.default_rng(seed))
    state = problem.start.teammate
    path: list[tuple[int, int]] = []
    while len(path) < limit:
        action = teammate.act(state)
        path.append((state, action))
        if action == problem.teammate.actions.stay and problem.teammate.steps(state)[goal] == 0:
            return path
        state = problem.teammate.next(state, action)
        assert state >= 0, f"{teammate.name} did {problem.teammate.actions.names[action]}, which was not available"
    raise AssertionError(f"{teammate.name} never arrived")


def first_actions(problem: Problem, teammate: Teammate, goal: int, n: int) -> Counter[str]:
    rng = np.random.default_rng(12345)
    teammate.reset(problem, goal, rng)
    state = problem.start.teammate
    return Counter(problem.teammate.actions.names[teammate.act(state)] for _ in range(n))


def assert_shares(counts: Counter[str], shares: dict[str, float]) -> None:
    """Six standard deviations around what is expected, and nothing that is not."""
    n = counts.total()
    assert set(counts) <= {name for name, share in shares.items() if share > 0}
    for name, share in shares.items():
        assert abs(counts[name] - n * share) <= 6 * math.sqrt(n * share * (1 - share)), (name, counts)


def open_room(worker: Cell, station: Cell, size: Cell = (3, 2)) -> ToolFetching:
    return ToolFetching(
        instance(size, stations={"S": (station, "T")}, toolboxes={"T": (0, 0)}, worker=worker, fetcher=(0, 0))
    )


# -- all of them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_teammate_gets_there_where_moves_cannot_be_taken_back(kind: str) -> None:
    for seed in range(60):
        problem = random_problem(seed)
        for goal in range(len(problem.goals)):
            assert walk(problem, make_teammate(kind), goal, seed)


@pytest.mark.parametrize("kind", KINDS)
@given(drawn=instances(max_side=5, max_stations=4), data=st.data())
def test_every_teammate_gets_there_by_what_is_available(kind: str, drawn: Instance, data: st.DataObject) -> None:
    problem = ToolFetching(drawn)
    goal = data.draw(st.integers(0, len(problem.goals) - 1))
    teammate = FixedPlan(some_plan(problem, data)) if kind == "plan" else make_teammate(kind)
    walk(problem, teammate, goal, data.draw(st.integers(0, 1000)))


def some_plan(problem: ToolFetching, data: st.DataObject) -> list[str]:
    state, plan = problem.start.teammate, []
    for _ in range(data.draw(st.integers(0, 6))):
        available = [a for a in range(len(problem.teammate.actions.names)) if problem.teammate.next(state, a) >= 0]
        action = data.draw(st.sampled_from(available))
        plan.append(problem.teammate.actions.names[action])
        state = problem.teammate.next(state, action)
    return plan


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("goal", [0, 1, 2])
def test_every_teammate_plays_coverage_too(kind: str, goal: int) -> None:
    problem = Coverage("A....\n.#W#.\nBF..C")
    path = walk(problem, make_teammate(kind), goal, seed=5)
    assert problem.teammate.model.name(path[-1][0]) == [(0, 2), (0, 0), (4, 0)][goal]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_seeds_give_equal_paths(kind: str) -> None:
    problem = ToolFetching(workshop())
    teammate = make_teammate(kind)
    first = walk(problem, teammate, 2, seed=3)
    assert walk(problem, teammate, 2, seed=3) == first, "whatever it did before"
    assert walk(problem, pickle.loads(pickle.dumps(make_teammate(kind))), 2, seed=3) == first
    assert any(walk(problem, teammate, 2, seed=seed) != first for seed in range(4, 30))


def test_the_largest_random_number_is_no_way_out() -> None:
    class Largest:
        def random(self) -> float:
            return math.nextafter(1.0, 0.0)

    teammate = Urop()
    teammate.rng = cast(np.random.Generator, Largest())
    rng = np.random.default_rng(0)
    short = [
        row for row in (w / w.sum() for w in rng.random((200, 4))) if np.cumsum(row)[-1] < math.nextafter(1.0, 0.0)
    ]
    assert short, "rounding makes the sum of some probabilities a little less than 1"
    for row in short:
        assert teammate.draw(row) == 3
        assert teammate.draw(np.array([*row, 0.0, 0.0])) == 3, "not what has probability 0"


# -- one by one --------------------------------------------------------------------------------------------------


def test_urop_draws_plans_uniformly() -> None:
    problem = open_room((0, 0), (2, 1))
    assert_shares(first_actions(problem, Urop(), 0, 3000), {"EAST": 2 / 3, "NORTH": 1 / 3})
    teammate = Urop()
    plans = Counter(",".join(str(a) for _, a in walk(problem, teammate, 0, seed)) for seed in range(900))
    assert_shares(plans, {"0,1,1,4": 1 / 3, "1,0,1,4": 1 / 3, "1,1,0,4": 1 / 3})


def test_uniform_draws_actions_uniformly() -> None:
    problem = open_room((0, 0), (2, 1))
    assert_shares(first_actions(problem, Uniform(), 0, 3000), {"EAST": 1 / 2, "NORTH": 1 / 2})
    teammate = Uniform()
    plans = Counter(",".join(str(a) for _, a in walk(problem, teammate, 0, seed)) for seed in range(900))
    assert_shares(plans, {"0,1,1,4": 1 / 2, "1,0,1,4": 1 / 4, "1,1,0,4": 1 / 4})


@given(instances(max_side=4, max_stations=3), st.integers(0, 100))
def test_urop_and_uniform_take_shortest_ways(drawn: Instance, seed: int) -> None:
    problem = ToolFetching(drawn)
    for goal, steps in enumerate(problem.teammate.steps(problem.start.teammate)):
        for teammate in (Urop(), Uniform()):
            path = walk(problem, teammate, goal, seed)
            assert len(path) == steps + 1
            assert path[-1][1] == WORK


def test_noisy_does_anything_now_and_then() -> None:
    # At (1, 0) of a 3 x 2 room: NORTH, EAST, WEST and NOOP are available, EAST is optimal.
    problem = open_room((1, 0), (2, 0))
    shares = {"NORTH": 0.1, "EAST": 0.7, "WEST": 0.1, "NOOP": 0.1}
    assert_shares(first_actions(problem, Noisy(0.4), 0, 3000), shares)
    assert_shares(first_actions(problem, Noisy(0.0), 0, 200), {"EAST": 1.0})
    default = dict.fromkeys(("NORTH", "WEST", "NOOP"), 0.1 / 4)
    assert_shares(first_actions(problem, Noisy(), 0, 3000), {**default, "EAST": 0.925})


def test_noisy_at_its_goal_mostly_works() -> None:
    problem = open_room((2, 0), (2, 0))
    shares = {"NORTH": 0.1, "WEST": 0.1, "WORK": 0.7, "NOOP": 0.1}
    assert_shares(first_actions(problem, Noisy(0.4), 0, 3000), shares)


def test_noise_on_top_of_another_teammate() -> None:
    problem = open_room((0, 0), (2, 1))
    assert_shares(first_actions(problem, Noisy(0.3, Uniform()), 0, 3000), {"NORTH": 0.45, "EAST": 0.45, "NOOP": 0.1})
    for seed in range(30):
        # Noise leads away from where the plan was made; what is not available there cannot be done.
        walk(ToolFetching(workshop()), Noisy(0.5, FixedPlan(["NORTH", "NORTH", "EAST", "EAST"])), 0, seed)
        walk(ToolFetching(workshop()), Noisy(0.5, Via((5, 4))), 0, seed)


@given(instances(max_side=5, max_stations=3), st.data())
def test_via_passes_its_point_and_wastes_nothing_else(drawn: Instance, data: st.DataObject) -> None:
    problem = ToolFetching(drawn)
    goal = data.draw(st.integers(0, len(problem.goals) - 1))
    region = [s for s in range(problem.grid.n_states) if problem.teammate.steps(s)[goal] >= 0]
    detour = data.draw(st.sampled_from(region))
    there = ToolFetching(instance_to(drawn, problem.grid.cells[detour].tolist()))
    path = walk(problem, Via(tuple(problem.grid.cells[detour].tolist())), goal, seed=0)
    assert detour in [state for state, _ in path]
    expected = there.teammate.steps(problem.start.teammate)[0] + problem.teammate.steps(detour)[goal] + 1
    assert len(path) == expected


def instance_to(drawn: Instance, cell: list[int]) -> Instance:
    """The same map with one station, on `cell`."""
    box = next(iter(drawn.toolboxes.values()))
    return instance(
        (drawn.width, drawn.height),
        stations={"S": ((cell[0], cell[1]), "T")},
        toolboxes={"T": box},
        worker=drawn.worker,
        fetcher=drawn.fetcher,
        walls=drawn.walls,
    )


def test_via_draws_a_point_anywhere_it_can_get_to() -> None:
    # (2, 0) and (2, 1) are behind a wall.
    drawn = instance(
        (3, 2),
        stations={"S": ((0, 1), "T")},
        toolboxes={"T": (0, 0)},
        worker=(0, 0),
        fetcher=(0, 0),
        walls=[(1, 0), (1, 1)],
    )
    problem = ToolFetching(drawn)
    teammate = Via()
    detours: Counter[object] = Counter()
    for seed in range(60):
        teammate.reset(problem, 0, np.random.default_rng(seed))
        detours[problem.grid.name(teammate.detour)] += 1
    assert set(detours) == {(0, 0), (0, 1)}
    assert min(detours.values()) > 10


def test_via_may_turn_back_at_the_goal() -> None:
    problem = open_room((0, 0), (1, 0), size=(3, 1))
    actions = [problem.teammate.actions.names[a] for _, a in walk(problem, Via((2, 0)), 0, seed=0)]
    assert actions == ["EAST", "EAST", "WEST", "WORK"]


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_boltzmann_prefers_what_leads_closer(beta: float) -> None:
    # At (1, 0): EAST leaves 0 steps, NOOP 1, NORTH and WEST 2.
    problem = open_room((1, 0), (2, 0))
    weights = {"EAST": 1.0, "NOOP": math.exp(-beta), "NORTH": math.exp(-2 * beta), "WEST": math.exp(-2 * beta)}
    total = sum(weights.values())
    shares = {name: weight / total for name, weight in weights.items()}
    assert_shares(first_actions(problem, Boltzmann(beta), 0, 4000), shares)


def test_boltzmann_at_its_goal_mostly_works_and_nowhere_else() -> None:
    problem = open_room((2, 0), (2, 0))
    # WORK leaves nothing; NOOP puts it off by a step, a move by two.
    weights = {"WORK": 1.0, "NOOP": math.exp(-1), "NORTH": math.exp(-2), "WEST": math.exp(-2)}
    shares = {name: weight / sum(weights.values()) for name, weight in weights.items()}
    assert_shares(first_actions(problem, Boltzmann(1.0), 0, 4000), shares)
    elsewhere = ToolFetching(
        instance(
            (3, 2),
            stations={"here": ((1, 0), "T"), "there": ((2, 0), "T")},
            toolboxes={"T": (0, 0)},
            worker=(1, 0),
            fetcher=(0, 0),
        )
    )
    assert elsewhere.teammate.next(elsewhere.start.teammate, WORK) >= 0, "it could"
    weights = {"EAST": 1.0, "NOOP": math.exp(-1), "NORTH": math.exp(-2), "WEST": math.exp(-2)}
    shares = {name: weight / sum(weights.values()) for name, weight in weights.items()}
    assert_shares(first_actions(elsewhere, Boltzmann(1.0), 1, 4000), shares)


@pytest.mark.parametrize("beta", [50.0, 1e6, 1e308])
def test_a_boltzmann_teammate_of_great_rationality_is_optimal(beta: float) -> None:
    problem = open_room((0, 0), (2, 1))
    assert len(walk(problem, Boltzmann(beta), 0, seed=1)) == 4


def test_a_boltzmann_teammate_of_no_rationality_does_anything() -> None:
    counts = first_actions(open_room((1, 0), (2, 0)), Boltzmann(5e-324), 0, 4000)
    assert_shares(counts, dict.fromkeys(["NORTH", "EAST", "WEST", "NOOP"], 1 / 4))


def test_a_plan_is_done_then_it_goes_on() -> None:
    problem = ToolFetching(workshop())
    plan = ["NORTH", "NOOP", "SOUTH", "EAST", "EAST"]
    path = walk(problem, make_teammate("plan: NORTH, NOOP,SOUTH,EAST,EAST"), 0, seed=0)
    actions = [problem.teammate.actions.names[a] for _, a in path]
    assert actions == [*plan, "EAST", "EAST", "EAST", "WORK"]
    assert [problem.teammate.actions.names[a] for _, a in walk(problem, FixedPlan([]), 0, seed=0)] == ["EAST"] * 5 + [
        "WORK"
    ]


def test_a_plan_may_work_elsewhere_and_at_the_goal() -> None:
    problem = open_room((0, 0), (1, 0), size=(2, 1))
    path = walk(problem, make_teammate("plan:EAST,WORK"), 0, seed=0)
    assert [problem.teammate.actions.names[a] for _, a in path] == ["EAST", "WORK"]


# -- names and faults --------------------------------------------------------------------------------------------

NAMES: dict[str, tuple[type[Teammate], str]] = {
    "urop": (Urop, "urop"),
    "uniform": (Uniform, "uniform"),
    "noisy": (Noisy, "noisy:0.1"),
    "noisy:0.25": (Noisy, "noisy:0.25"),
    "via": (Via, "via"),
    "via:3,4": (Via, "via:3,4"),
    "via: 3, 4": (Via, "via:3,4"),
    "boltzmann": (Boltzmann, "boltzmann:2"),
    "boltzmann:0.5": (Boltzmann, "boltzmann:0.5"),
    "plan:EAST,NORTH": (FixedPlan, "plan:EAST,NORTH"),
    "plan": (FixedPlan, "plan:"),
}


@pytest.mark.parametrize("given_name", NAMES)
def test_teammates_by_name(given_name: str) -> None:
    kind, name = NAMES[given_name]
    teammate = make_teammate(given_name)
    assert type(teammate) is kind
    assert teammate.name == name
    assert repr(teammate) == f"<teammate {name}>"
    assert make_teammate(teammate) is teammate
    assert make_teammate(name).name == name, "a name leads to the same teammate again"


def reset(teammate: str) -> Callable[[], None]:
    return lambda: make_teammate(teammate).reset(ToolFetching(workshop()), 0, np.random.default_rng(0))


ONE_OF = "expected one of 'urop', 'uniform', 'noisy', 'via', 'boltzmann', 'policy', 'plan'"
NOISE = "expected a number from 0 and below 1"
RATIONALITY = "expected a finite number above 0"
CELL = "expected a cell X,Y, two whole numbers"

FAULTS: dict[str, Fault] = {
    "a slip of the keyboard": (
        lambda: make_teammate("boltzman:2"),
        f"teammate: found 'boltzman:2'; {ONE_OF} (did you mean 'boltzmann'?)",
    ),
    "something else": (lambda: make_teammate("x"), f"teammate: found 'x'; {ONE_OF}"),
    "nothing": (lambda: make_teammate(""), f"teammate: found ''; {ONE_OF}"),
    "a parameter too many": (lambda: make_teammate("urop:3"), f"teammate: found 'urop:3'; {ONE_OF}"),
    "noise in words": (
        lambda: make_teammate("noisy:much"),
        "noise of the teammate: found 'much'; expected a number",
    ),
    "noise of 1": (lambda: make_teammate("noisy:1"), f"noise of the teammate: found 1.0; {NOISE}"),
    "noise below 0": (lambda: make_teammate("noisy:-0.1"), f"noise of the teammate: found -0.1; {NOISE}"),
    "noise nan": (lambda: make_teammate("noisy:nan"), f"noise of the teammate: found nan; {NOISE}"),
    "rationality in words": (
        lambda: make_teammate("boltzmann:high"),
        "rationality of the teammate: found 'high'; expected a number",
    ),
    "no rationality": (
        lambda: make_teammate("boltzmann:0"),
        f"rationality of the teammate: found 0.0; {RATIONALITY}",
    ),
    "too much rationality": (
        lambda: make_teammate("boltzmann:inf"),
        f"rationality of the teammate: found inf; {RATIONALITY}",
    ),
    "a detour in words": (lambda: make_teammate("via:home"), f"detour: found 'home'; {CELL}"),
    "a detour of fractions": (lambda: make_teammate("via:1.5,2"), f"detour: found '1.5,2'; {CELL}"),
    "a detour of one number": (lambda: make_teammate("via:3"), f"detour: found '3'; {CELL}"),
    "a detour of three numbers": (lambda: make_teammate("via:1,2,3"), f"detour: found '1,2,3'; {CELL}"),
    "a detour outside": (
        reset("via:6,0"),
        "detour: found (6, 0), outside the 6 x 5 grid; expected x from 0 to 5 and y from 0 to 4",
    ),
    "a detour in a wall": (reset("via:3,1"), "detour: found (3, 1), a wall; expected a free cell"),
    "an unknown action": (
        reset("plan:EAST,JUMP"),
        "action 2 of the plan: found 'JUMP'; expected an action available in (1, 0)",
    ),
    "an action that is not available": (
        reset("plan:NORTH,WEST"),
        "action 2 of the plan: found 'WEST'; expected an action available in (0, 1)",
    ),
    "work away from stations": (
        reset("plan:WORK"),
        "action 1 of the plan: found 'WORK'; expected an action available in (0, 0)",
    ),
}


@each(FAULTS)
def test_faulty_teammates_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_a_detour_that_leads_nowhere_is_refused() -> None:
    drawn = instance(
        (3, 1), stations={"S": ((0, 0), "T")}, toolboxes={"T": (0, 0)}, worker=(0, 0), fetcher=(0, 0), walls=[(1, 0)]
    )
    assert_refused(
        lambda: Via((2, 0)).reset(ToolFetching(drawn), 0, np.random.default_rng(0)),
        "detour: found (2, 0); expected a state on some way from the start to the goal",
    )


@pytest.mark.parametrize("stranger", [None, 3, Urop], ids=["nothing", "a number", "a class"])
def test_what_is_neither_a_name_nor_a_teammate_is_refused(stranger: object) -> None:
    with pytest.raises(InputError) as caught:
        make_teammate(stranger)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"teammate: found {stranger!r}; {ONE_OF}")


# -- golden episodes ---------------------------------------------------------------------------------------------

GOLDEN = Path(__file__).parents[1] / "golden"
REWRITE = "ASKWISE_REWRITE_GOLDEN"
"""Set this variable to write the episodes anew; then read the difference before keeping it."""

EPISODES: dict[str, tuple[str, str, str, int]] = {
    "urop": ("urop", "C", "elimination", 1),
    "uniform": ("uniform", "C", "bayes", 2),
    "noisy": ("noisy:0.3", "C", "robust", 3),
    "via": ("via:4,1", "B", "robust", 4),
    "boltzmann": ("boltzmann:1", "C", "robust", 5),
    "plan": ("plan:EAST,EAST,WEST,NORTH,NOOP", "A", "robust", 6),
    "policy": ("policy", "B", "bayes", 7),
}
"""Teammate, goal, belief of the fetcher, seed."""


def golden_episode(name: str) -> str:
    teammate, goal, belief, seed = EPISODES[name]
    return told(simulate(workshop(), "never", teammate, goal, seed, belief=belief))


def test_there_is_a_golden_episode_for_each_teammate() -> None:
    assert set(EPISODES) == set(TEAMMATES)


@pytest.mark.parametrize("name", EPISODES)
def test_golden_episode(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    episode = golden_episode(name)
    if REWRITE in os.environ:
        path.write_text(episode, encoding="utf-8")
    assert episode == path.read_text(encoding="utf-8")
