"""What tables take is known before they are made: estimates beside what is really taken, and what is refused."""

from __future__ import annotations

import gc
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from askwise.cli import main
from askwise.divergence import Divergence
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.methods.question_value import QuestionValue
from askwise.model import GridWorld, Pursuit, pursuit
from askwise.planning.exact import Solver
from askwise.planning.tables import tables_of
from askwise.text import reading
from askwise.text.reading import check_size

SIDE = 150
WITHIN = 0.3
"""How far an estimate may be off, as a share."""


def grid(walls: float = 0.0) -> GridWorld:
    found = GridWorld(SIDE, SIDE, np.random.default_rng(1).random((SIDE, SIDE)) < walls)
    _ = found.predecessors
    return found


def some(of: GridWorld, n: int) -> list[int]:
    return [int(k) for k in np.linspace(0, of.n_states - 1, n)]


def steps_to(of: GridWorld, n: int) -> Callable[[], object]:
    found = Pursuit(of, [np.array([state], dtype=np.int32) for state in some(of, n)])
    return lambda: found.distance


def tables_for_planning() -> Callable[[], object]:
    problem = ToolFetching(generate(size=SIDE, stations=70, walls=0.1, seed=1))
    _ = problem.prior, problem.ego.steps(problem.start.ego), problem.grid.predecessors
    return lambda: tables_of(problem)


def exact_search() -> object:
    return Solver(ToolFetching(generate(size=5, stations=3, toolboxes=2, walls=0.0, seed=1)))


def intervals(n: int = 400) -> Callable[[], object]:
    near, far = np.full((n, n), 2.0), np.full((n, n), 9.0)
    return lambda: QuestionValue(np.full(n, 1 / n), near, far, lambda _: 0.0)


def at_a_state() -> Callable[[], object]:
    own = grid(0.01)
    family = Divergence(own, some(own, 70))
    return lambda: family.matrices_at(0)


MADE: dict[str, Callable[[], Callable[[], object]]] = {
    "a grid": lambda: lambda: GridWorld(SIDE, SIDE),
    "steps on an open grid": lambda: steps_to(grid(), 60),
    "steps past walls": lambda: steps_to(grid(0.2), 60),
    "divergence at a state": at_a_state,
    "divergence at all states": lambda: Divergence(grid(0.01), some(grid(0.01), 12)).edp_table,
    "the planner's tables": tables_for_planning,
    "the intervals of questions": intervals,
}


@pytest.mark.parametrize("name", MADE)
def test_estimates_are_what_tables_take(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MADE[name]()()  # loops are compiled
    make = MADE[name]()
    monkeypatch.setattr(reading, "SMALL_TABLE", 2**10)
    gc.collect()
    highest = 0

    def noted(n_bytes: int, *_: str) -> None:
        nonlocal highest
        highest = max(highest, n_bytes)

    for module in CLAIMING:
        monkeypatch.setattr(f"{module}.check_size", noted)
    tracemalloc.start()
    try:
        kept = make()
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kept is not None
    assert highest == pytest.approx(taken, rel=WITHIN)


CLAIMING = [
    "askwise.model.grid",
    "askwise.model.pursuit",
    "askwise.divergence.family",
    "askwise.planning.exact",
    "askwise.planning.tables",
    "askwise.methods.question_value",
]
GRID = grid()


# -- what is refused -----------------------------------------------------------------------------------------------


def test_a_refusal_says_how_much_it_is_and_how_to_allow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as refused:
        GridWorld(20_000, 20_000)
    assert str(refused.value) == (
        "grid: found 20000 x 20000 cells, which take about 23.3 GiB of memory; expected at most 4.0 GiB: "
        "a smaller one, or allow more by ASKWISE_MEMORY=26GB (commands: --memory 26GB)"
    )
    monkeypatch.setenv("ASKWISE_MEMORY", "300MB")
    with pytest.raises(InputError, match=r"^grid: found 1000 x 1000 cells, .* at most 0\.3 GiB"):
        GridWorld(1000, 1000)


LARGE: dict[str, tuple[Callable[[], object], str]] = {
    "a model": (lambda: GridWorld(40, 40), "grid: found 40 x 40 cells"),
    "steps to goals": (lambda: steps_to(GRID, 60)(), "steps to goals: found 22500 states and 60 goals"),
    "divergence": (lambda: Divergence(GRID, some(GRID, 12)).edp_table(), "edp_table: found 22500 states and 12 goals"),
    "questions": (lambda: intervals()(), "question: found 400 possible goals"),
    "the planner": (lambda: tables_for_planning()(), "tables of the planner: found "),
    "the exact search": (exact_search, "tables of the exact search: found 25 states and 3 goals"),
}


@pytest.mark.parametrize("name", LARGE)
def test_each_kind_of_large_table_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, message = LARGE[name]
    monkeypatch.setattr(reading, "RUNNING", 0)

    def small(n_bytes: int, field: str, sizes: str, instead: str = "a smaller one") -> None:
        if field == message.partition(":")[0]:
            monkeypatch.setattr(reading, "SMALL_TABLE", 0)
            monkeypatch.setenv("ASKWISE_MEMORY", str(n_bytes - 1))
            check_size(n_bytes, field, sizes, instead)

    for module in CLAIMING:
        monkeypatch.setattr(f"{module}.check_size", small)
    with pytest.raises(InputError, match=f"^{re.escape(message)}.*, which take about .* GiB of memory; expected"):
        make()


@pytest.mark.parametrize(
    ("text", "n_bytes"), [("16GB", 16 * 10**9), (" 2 gib ", 2**31), ("1.5MB", 1_500_000), ("77", 77), ("1TB", 10**12)]
)
def test_amounts(text: str, n_bytes: int) -> None:
    assert reading.parse_memory(text, "--memory") == n_bytes


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "0", "0.5", "16XB", "1e9", "1 2", "9" * 20, "nan", "16GB!"])
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(InputError) as refused:
        reading.parse_memory(text, "--memory")
    assert str(refused.value) == f"--memory: found {text!r}; expected an amount of memory, such as 16GB or 500MB"


def test_commands_refuse_and_are_allowed_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "SMALL_TABLE", 2**10)
    monkeypatch.setattr(reading, "RUNNING", 0)
    monkeypatch.setenv("ASKWISE_MEMORY", "1KB")
    path = f"{tmp_path}/small.json"
    generate(size=12, stations=4, seed=1).save(path)
    assert main(["show", path]) == 2
    complaint = capsys.readouterr().err
    told = r"grid: found 12 x 12 cells, which take about 0\.0 GiB of memory; expected at most 0\.0 GiB: "
    assert re.search(told, complaint)
    assert main(["show", path, "--memory", "10GB"]) == 0
    assert main(["show", path, "--memory", "much"]) == 2
    assert "--memory: found 'much'" in capsys.readouterr().err
    assert main(["show", path]) == 2, "what an option allows is allowed once"


# -- what needs less than it did -------------------------------------------------------------------------------------


def test_a_large_open_grid_is_played_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate(size=9, stations=6, toolboxes=2, seed=3)
    usual = ToolFetching(instance)
    monkeypatch.setattr(pursuit, "OPEN_BYTES", 0)
    monkeypatch.setattr(pursuit, "POLICY_BYTES", 0)
    bare = ToolFetching(instance)
    assert (usual.prior == bare.prior).all()
    for cell in range(usual.grid.n_states):
        assert (usual.teammate.steps(cell) == bare.teammate.steps(cell)).all()
        assert (usual.teammate.optimal(cell) == bare.teammate.optimal(cell)).all()
        np.testing.assert_allclose(usual.teammate.policy(cell), bare.teammate.policy(cell), rtol=1e-12)
        for tool in range(7):
            ego = cell * 7 + tool
            assert (usual.ego.steps(ego) == bare.ego.steps(ego)).all()
            assert (usual.ego.optimal(ego) == bare.ego.optimal(ego)).all()
            for one, other in zip(usual.ego.divergence(ego), bare.ego.divergence(ego), strict=True):
                np.testing.assert_array_equal(one, other)
    states = np.arange(5, 60, dtype=np.int32)
    assert (usual.teammate.steps(states) == bare.teammate.steps(states)).all()
    assert "distance" not in vars(vars(bare.teammate)["_stations"])
    assert not bare.teammate.steps(3).flags.writeable


def test_moves_of_a_large_map_are_no_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate(size=6, stations=4, toolboxes=2, walls=0.2, seed=3)
    usual = ToolFetching(instance)
    monkeypatch.setattr("askwise.domains.tool_fetching.rules.MOST_LISTED", 0)
    bare = ToolFetching(instance)
    for cell in range(usual.grid.n_states):
        for action in range(5):
            following = bare.teammate.next(cell, action)
            assert type(following) is int
            assert following == usual.teammate.next(cell, action)
            assert bare.ego.next(cell * 5, action) == usual.ego.next(cell * 5, action)
