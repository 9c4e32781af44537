"""Decisions agree with `solve`: before the first step, asking or acting in tool fetching is one decision.

The worker's first step tells everything here: each station lies in its own direction. So all questions are asked before
anybody moves, and what is decided is the fetcher's first step. What that costs for each station, beyond knowing it from
the start, follows from distances alone.
"""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

import askwise
from askwise.domains.tool_fetching import ToolFetching
from tests.tool_fetching import DIRECTIONS, Cell, instance

SIZE = 9
CENTRE = (4, 4)
MOVES = {**DIRECTIONS, "NOOP": (0, 0)}


def steps(one: Cell, other: Cell) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def drawn(seed: int) -> tuple[ToolFetching, askwise.DecisionProblem]:
    """Return a problem of tool fetching, and its first moment as a decision problem."""
    rng = np.random.default_rng(seed)
    directions = rng.permutation(list(DIRECTIONS.values()))[: int(rng.integers(2, 5))]
    away = rng.integers(1, 4, size=len(directions))
    stations = [(CENTRE[0] + int(k * x), CENTRE[1] + int(k * y)) for k, (x, y) in zip(away, directions, strict=True)]
    free = [(x, y) for x in range(SIZE) for y in range(SIZE) if x != CENTRE[0] and y != CENTRE[1]]
    places = [free[k] for k in rng.permutation(len(free))[:4]]
    boxes, fetcher = places[:3], places[3]
    weights = rng.integers(1, 6, size=len(stations))
    base, per_station = float(rng.choice([0.1, 0.3, 0.6])), float(rng.choice([0.0, 0.1]))
    owner = rng.integers(0, 3, size=len(stations))
    names = [f"S{k}" for k in range(len(stations))]
    made = instance(
        (SIZE, SIZE),
        stations={name: (at, f"T{box}") for name, at, box in zip(names, stations, owner, strict=True)},
        toolboxes={f"T{k}": box for k, box in enumerate(boxes) if k in owner},
        worker=CENTRE,
        fetcher=fetcher,
        prior={name: int(weight) for name, weight in zip(names, weights, strict=True)},
        query_cost={"base": base, "per_station": per_station},
    )
    loss = [
        [_regret(station, boxes[box], fetcher, move) for station, box in zip(stations, owner, strict=True)]
        for move in MOVES.values()
    ]
    every = range(len(stations))
    sets = chain.from_iterable(combinations(every, n) for n in range(1, len(stations)))
    questions = {"is it " + " or ".join(names[k] for k in asked): list(asked) for asked in sets}
    price = askwise.QueryCost(base, per_station)
    belief = weights / weights.sum()
    decision = askwise.decide(belief, loss, questions, price=price, intents=names, actions=list(MOVES)).problem
    return ToolFetching(made), decision


def _regret(station: Cell, box: Cell, fetcher: Cell, move: Cell) -> float:
    """Return the delay of a first step, if the station is known right after it."""
    there = (fetcher[0] + move[0], fetcher[1] + move[1])
    if not (0 <= there[0] < SIZE and 0 <= there[1] < SIZE):
        there = fetcher
    worker = steps(CENTRE, station)
    known = max(worker, steps(fetcher, box) + steps(box, station))
    after = max(worker - 1, steps(there, box) + steps(box, station))
    return float(1 + after - known)


@pytest.mark.parametrize("seed", range(24))
def test_as_the_exact_optimum(seed: int) -> None:
    problem, decision = drawn(seed)
    advice = askwise.decide(decision)
    solved = askwise.solve(problem)
    assert advice.verdict.exact
    assert advice.expected_loss == pytest.approx(solved.expected_marginal_cost, abs=1e-9)
    first = solved.policy.at(problem.start)
    best = advice.expected_loss + 1e-9
    if first.ask is not None:
        name = "is it " + " or ".join(problem.goals[goal] for goal in first.ask)
        assert advice.option("ask", name).loss <= best
    else:
        assert first.action is not None
        assert advice.option("act", problem.ego.actions.names[first.action]).loss <= best


def test_some_ask_and_some_act() -> None:
    kinds = {askwise.decide(drawn(seed)[1]).do.kind for seed in range(24)}
    assert kinds == {"ask", "act"}
