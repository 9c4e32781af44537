"""Reference implementation of designs: all sets of things, each evaluated on the changed problem."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from askwise import Divergence, Drawing, FactoredProblem, GridWorld, Model, solve
from askwise.core.problem import optimal_costs
from askwise.designs.space import Space

EQUAL = 1e-9
Value = Callable[[Any], float]


@dataclass(frozen=True)
class Least:
    """The least value and the size of the smallest design with this value."""

    value: float
    size: int
    allowed: int


def least(space: Space, value: Value, most: int, budget: int) -> Least:
    """Return the least value of all allowed designs with at most `most` things."""
    before = steps_of(space.changed(()))
    best = Least(value(space.changed(())), 0, 1)
    for design in _designs(space, most):
        try:
            changed = space.changed(design)
            after = steps_of(changed)
        except ValueError:  # a goal is cut off
            continue
        if any(new < 0 or new > old + budget for new, old in zip(after, before, strict=True)):
            continue
        found = value(changed)
        better = found < best.value - EQUAL
        best = Least(found if better else best.value, len(design) if better else best.size, best.allowed + 1)
    return best


def _designs(space: Space, most: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, most + 1):
        yield from combinations(range(len(space.names)), size)


# -- values ------------------------------------------------------------------------------------------------------


def worst_case(given: Any) -> float:
    """Return the largest WCD of two possible goals."""
    _, wcd, prior = matrices(given)
    possible = [goal for goal in range(len(prior)) if prior[goal] > 0]
    return max((wcd[i, j] for i in possible for j in possible if i != j), default=0.0)


def expected_edp(given: Any) -> float:
    """Return the expected EDP, pair by pair."""
    edp, _, prior = matrices(given)
    total = 0.0
    for j, truth in enumerate(prior):
        others = sum(weight for i, weight in enumerate(prior) if i != j)
        for i, weight in enumerate(prior):
            if i != j and truth > 0 and weight > 0:
                total += truth * weight / others * edp[i, j]
    return total


def cost_of_not_knowing(before: FactoredProblem) -> Value:
    """Return the optimal expected cost minus the expected cost before the design with a known goal."""
    known = float((before.prior * optimal_costs(before, before.start)).sum())
    return lambda changed: solve(changed).expected_cost - known


def matrices(given: Any) -> tuple[Any, Any, list[float]]:
    """Return EDP, WCD and the prior of a drawing or a problem."""
    if isinstance(given, Drawing):
        found = Divergence(given.grid, given.goals).matrices_at(given.teammate)
        return *found, [1 / len(given.goals)] * len(given.goals)
    edp, wcd = given.teammate.divergence(given.start.teammate)
    return edp, wcd, given.prior.tolist()


# -- costs -------------------------------------------------------------------------------------------------------


def steps_of(given: Any) -> list[int]:
    """Return the steps to each goal for the teammate, and for the ego agent if designs affect it."""
    if isinstance(given, Drawing):
        model = given.grid
        assert given.teammate is not None
        goals = [[model.state(cell) for cell in cells] for cells in given.goals.values()]
        return _steps(model, model.state(given.teammate), goals)
    goals = [given.teammate.targets(goal).tolist() for goal in range(len(given.goals))]
    found = _steps(given.teammate.model, given.start.teammate, goals)
    if given.teammate.model is not given.ego.model:
        return found
    ends = [given.ego.targets(goal).tolist() for goal in range(len(given.goals))]
    return found + _steps(given.ego.model, given.start.ego, ends)


def _steps(model: Model, start: int, goals: list[list[int]]) -> list[int]:
    depth = {start: 0}
    waiting = deque([start])
    while waiting:
        s = waiting.popleft()
        for t in model.successor[s].tolist():
            if t >= 0 and t not in depth:
                depth[t] = depth[s] + 1
                waiting.append(t)
    return [min((depth[t] for t in targets if t in depth), default=-1) for targets in goals]


# -- problems ----------------------------------------------------------------------------------------------------


def random_drawing(rng: np.random.Generator, largest: int = 5) -> Drawing | None:
    """Return a small map with two or three goals, None if a goal is unreachable."""
    width, height = rng.integers(3, largest + 1, size=2).tolist()
    cells = [(x, y) for x in range(width) for y in range(height)]
    cells = [cells[k] for k in rng.permutation(len(cells))]
    goals, walls = int(rng.integers(2, 4)), int(rng.integers(0, 4))
    targets = {chr(65 + k): [cells[k]] for k in range(goals)}
    if rng.random() < 0.3 and len(cells) > goals + walls + 3:
        targets["A"].append(cells[-1])
    drawing = Drawing(GridWorld(width, height, cells[goals + 1 : goals + 1 + walls]), targets, cells[goals], None)
    return drawing if min(steps_of(drawing)) >= 0 else None


def random_map_problem(rng: np.random.Generator) -> FactoredProblem | None:
    """Return a small map with different targets for both agents, None if a target is unreachable."""
    drawing = random_drawing(rng, 4)
    if drawing is None:
        return None
    free = [tuple(cell) for cell in drawing.grid.cells.tolist()]
    ends = [free[k] for k in rng.permutation(len(free))[: len(drawing.goals)]]
    weights = rng.integers(1, 5, size=len(drawing.goals))
    return _problem(
        goals=list(drawing.goals),
        prior=weights / weights.sum(),
        teammate_model=drawing.grid,
        teammate_goals=list(drawing.goals.values()),
        ego_goals=[[end] for end in ends],
        start=(drawing.teammate, free[int(rng.integers(len(free)))]),
    )


def random_graph_problem(rng: np.random.Generator, *, shared: bool) -> FactoredProblem | None:
    """Return a small graph for the teammate or for both agents, None if a goal is unreachable."""
    n, goals = int(rng.integers(4, 7)), int(rng.integers(2, 4))
    successor = np.where(rng.random((n, 3)) < 0.6, rng.integers(0, n, size=(n, 3)), -1).astype(np.int32)
    model = Model(successor, states=[f"s{k}" for k in range(n)])
    ends = [f"s{k}" for k in rng.permutation(n)[:goals]]
    other = Model(np.array([[1, 2, 3], [0, 0, 0], [0, 0, 0], [0, 0, 0]]), states=list("hxyz"))
    return _problem(
        goals=[f"to {end}" for end in ends],
        teammate_model=model,
        teammate_goals=ends,
        ego_model=model if shared else other,
        ego_goals=[f"s{k}" for k in rng.permutation(n)[:goals]] if shared else list("xyz"[:goals]),
        start=("s0", f"s{rng.integers(n)}" if shared else "h"),
    )


def _problem(**stated: Any) -> FactoredProblem | None:
    try:
        return FactoredProblem(**stated)
    except ValueError:  # out of reach
        return None
