"""Problems for tests of drawings other than tool fetching: a graph, a map, two different models."""

from __future__ import annotations

import numpy as np

from askwise import FactoredProblem, GridWorld, Model, simulate
from askwise.core.episode import Episode
from askwise.domains.coverage import Coverage
from tests.methods.asking import AsksHalf

ROOMS = (
    ("desk", "go", "hall", "back"),
    ("hall", "left", "medicine room", "out"),
    ("hall", "right", "room 1", "out"),
    ("hall", "on", "corridor", "back"),
    ("corridor", "left", "room 2", "out"),
    ("corridor", "right", "room 3", "out"),
    ("corridor", "chute", "laundry", ""),
)


def both_ways(*joined: tuple[str, str, str, str]) -> Model:
    """Return the edges of a graph, given as place, action, other place and, optionally, the action back."""
    edges = [(one, there, other) for one, there, other, _ in joined]
    return Model.from_edges([*edges, *((other, back, one) for one, _, other, back in joined if back)])


def ward() -> FactoredProblem:
    """Both agents move on the same graph, which has a one-way edge."""
    goals = {"room 1": "room 1", "rounds": ["room 2", "room 3"], "washing": "laundry"}
    return FactoredProblem(goals, teammate_model=both_ways(*ROOMS), start=("desk", "medicine room"))


def kitchen() -> FactoredProblem:
    """One map with different targets for both agents; goals share the ego agent's targets."""
    grid = GridWorld.from_drawing("......\n.##...\n......\n...#..")
    return FactoredProblem(
        ["soup", "pie", "tea"],
        [0.5, 0.25, 0.25],
        grid,
        teammate_goals=[(0, 3), (5, 3), [(5, 0), (4, 0)]],
        ego_goals=[(0, 0), (0, 0), [(5, 3), (2, 3)]],
        start=((2, 1), (4, 2)),
    )


def two_maps() -> FactoredProblem:
    """Each agent has its own map."""
    return FactoredProblem(
        ["soup", "pie"],
        teammate_model=GridWorld(5, 3, [(2, 1)]),
        teammate_goals=[(0, 2), (4, 2)],
        ego_model=GridWorld(4, 2),
        ego_goals=[(0, 0), [(3, 0), (3, 1)]],
        start=((2, 0), (1, 1)),
    )


def graph_and_map() -> FactoredProblem:
    """The teammate moves on a graph, the ego agent on a map."""
    return FactoredProblem(
        ["to room 1", "to room 3"],
        teammate_model=both_ways(*ROOMS),
        teammate_goals=["room 1", "room 3"],
        ego_model=GridWorld(4, 3, [(1, 1)]),
        ego_goals=[(0, 0), (3, 2)],
        start=("desk", (2, 1)),
    )


def coverage() -> Coverage:
    """The paper's running example, coverage: be at a different goal."""
    return Coverage("A...B\n.#.#.\nW.C.F")


def hostile() -> FactoredProblem:
    """A problem with names that would break a page or a terminal if they were not escaped."""
    names = ["</script><b>", "&amp; \"'", "a\nb\x1b[31m", "日本語 日本語", "x" * 190, "\U0001f600"]
    edges = [("start", f"to <i>{k}</i>", name) for k, name in enumerate(names)]
    back = [(name, "back\u2028", "start") for name in names]
    goals = dict(zip(["<img src=x onerror=alert(1)>", '\\"', *"cdef"], names, strict=True))
    return FactoredProblem(goals, teammate_model=Model.from_edges([*edges, *back]), start=("start", "start"))


def large(n: int) -> FactoredProblem:
    """A graph of `n` states, each with an edge to the next state and one to a random state."""
    anywhere = np.random.default_rng(3).integers(0, n, n)
    table = np.column_stack([(np.arange(n) + 1) % n, anywhere])
    goals = {f"g{k}": int(k * n // 4 + 5) for k in range(4)}
    return FactoredProblem(goals, teammate_model=Model(table), start=(0, 1))


ALL = {
    "ward": ward,
    "kitchen": kitchen,
    "two maps": two_maps,
    "graph and map": graph_and_map,
    "coverage": coverage,
    "hostile": hostile,
}


def played(problem: FactoredProblem, goal: int = 1) -> Episode:
    """Return an episode that contains a question."""
    return simulate(problem, AsksHalf(), "urop", goal, seed=2)
