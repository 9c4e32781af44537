"""Optimisers that find the best question: the set of goals with the largest value minus price.

==============  ==================================================================================================
``genetic``     the paper's genetic algorithm, with the paper's constants by default
``local``       hill climbing from several starts, which moves or swaps goals; usually finds the optimum
``exact``       branch and bound: proves the optimum, unless its budget runs out
``auto``        ``local``, then ``exact`` with a small budget
==============  ==================================================================================================

A question is never empty and never about all goals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.core.questions import AdditivePrice, additive_price
from askwise.errors import InputError, did_you_mean
from askwise.methods.hill_climbing import GAIN, climb
from askwise.methods.question_value import QuestionValue, union_length
from askwise.types import BoolArray, FloatArray

PROVEN, LOCAL, BUDGET, SEARCHED = "proven optimal", "local optimum", "budget used", "best seen"

AUTO_BUDGET = 20_000
"""Largest number of partial questions that `auto` searches for a proof, which takes a few milliseconds."""


@dataclass(frozen=True, slots=True)
class BestQuestion:
    """The best question that an optimiser found.

    Attributes:
        asked: ``bool [n]``, the goals in the question.
        value: the number of steps that the answer is expected to save.
        cost: the price of the question.
        verdict: "proven optimal", "local optimum", "best seen" or "budget used" (the search was cut off).
        evaluations: number of questions compared.
    """

    asked: BoolArray
    value: float
    cost: float
    verdict: str
    evaluations: int

    @property
    def net(self) -> float:
        """The value of the question minus its price."""
        return self.value - self.cost


def optimise(values: QuestionValue, method: str = "auto", rng: np.random.Generator | None = None) -> BestQuestion:
    """Return the best question found by an optimiser: the one with the largest value minus price.

    Args:
        values: computes the value and the price of any question; at least two goals must be possible.
        method: ``auto``, ``exact``, ``genetic`` or ``local``.
        rng: random generator; None for one with a fixed seed.
    """
    if values.n < 2:
        raise InputError("goals", f"{values.n} possible", "at least two, so that there is something to ask")
    if method not in OPTIMISERS:
        allowed = "one of " + ", ".join(map(repr, OPTIMISERS))
        raise InputError("optimiser", repr(method), allowed + did_you_mean(str(method), OPTIMISERS))
    return OPTIMISERS[method](values, rng or np.random.default_rng(0))


def genetic(
    values: QuestionValue,
    rng: np.random.Generator,
    *,
    population: int = 50,
    generations: int = 100,
    mutation: float = 0.001,
) -> BestQuestion:
    """Return the best question seen by the paper's genetic algorithm.

    Args:
        values: computes the value and the price of any question.
        rng: random generator.
        population: number of questions in each generation.
        generations: number of generations after the first.
        mutation: probability that a goal moves into or out of a new question.
    """
    members = rng.random((population, values.n)) < 0.5
    nets = _Nets(values)
    best, best_net = members[0], -np.inf
    for generation in range(generations + 1):
        fitness = nets(members)
        leader = int(fitness.argmax())
        if fitness[leader] > best_net:
            best, best_net = members[leader].copy(), float(fitness[leader])
        if generation < generations:
            members = _next_generation(members, fitness, mutation, rng)
    if not np.isfinite(best_net):  # on tiny problems a random population may consist of empty and full sets only
        best = np.arange(values.n) == 0
    return _found(values, best, SEARCHED, nets.evaluations)


def _next_generation(members: BoolArray, fitness: FloatArray, mutation: float, rng: np.random.Generator) -> BoolArray:
    size, n = members.shape
    rivals = rng.integers(size, size=(size, 2))
    winners = np.where(fitness[rivals[:, 0]] >= fitness[rivals[:, 1]], rivals[:, 0], rivals[:, 1])
    parents = members[winners]
    # Pairs exchange everything after a random point.
    behind = np.arange(n) >= rng.integers(1, n, size=(size + 1) // 2)[:, None]
    one, two = parents[0::2], parents[1::2]
    behind = behind[: len(two)]
    children = parents.copy()
    children[0::2][: len(two)] = np.where(behind, two, one[: len(two)])
    children[1::2] = np.where(behind, one[: len(two)], two)
    flipped: BoolArray = children ^ (rng.random((size, n)) < mutation)
    return flipped


class _Nets:
    """Computes the net values (value minus price) of questions, and remembers them.

    Call the object with questions as ``bool [m, n]`` to get their net values, ``float64 [m]``. Questions about no goal
    or all goals have the net value -inf.
    """

    def __init__(self, values: QuestionValue) -> None:
        self.values = values
        self.known: dict[bytes, float] = {}

    @property
    def evaluations(self) -> int:
        return len(self.known)

    def __call__(self, members: BoolArray) -> FloatArray:
        keys = [row.tobytes() for row in np.packbits(members, axis=1)]
        new = {key: row for row, key in enumerate(keys) if key not in self.known}
        if new:
            rows = members[list(new.values())]
            for key, row, value in zip(new, rows, self.values.values(rows), strict=True):
                size = int(row.sum())
                empty = size in (0, self.values.n)
                self.known[key] = -np.inf if empty else float(value) - self.values.cost(np.flatnonzero(row).tolist())
        return np.array([self.known[key] for key in keys])


def local_search(values: QuestionValue, rng: np.random.Generator, *, restarts: int | None = None) -> BestQuestion:
    """Return the best question found by hill climbing from questions about the likeliest goals and random questions.

    `rng` draws the random questions. `restarts` is their number; None for 16, or fewer if there are more than 50 goals.
    """
    prices = _price_arrays(values)
    restarts = max(4, min(16, 800 // values.n)) if restarts is None else restarts
    starts = [_likeliest_half(values.belief), *_likeliest_few(values.belief)]
    starts += [rng.random(values.n) < share for share in rng.uniform(0.05, 0.95, size=restarts)]
    best, best_net, evaluations = starts[0], -np.inf, 0
    ended: set[bytes] = set()
    for mask in starts:
        if mask.all() or not mask.any():
            mask = np.arange(values.n) == int(rng.integers(values.n))
        evaluations += climb(mask, False, values.belief, values.conflict_steps, values.intervals, *prices)[1]
        if mask.tobytes() in ended:
            continue  # most climbs end here; swaps take longer and would lead to the same question again
        ended.add(mask.tobytes())
        net, looked_at = climb(mask, True, values.belief, values.conflict_steps, values.intervals, *prices)
        ended.add(mask.tobytes())
        evaluations += looked_at
        if net > best_net:
            best, best_net = mask, net
    return _found(values, _cheaper_side(best, *prices), LOCAL, evaluations)


def exact(values: QuestionValue, rng: np.random.Generator, *, budget: int = 20_000_000) -> BestQuestion:
    """Return the best question, found and proven by branch and bound.

    Beyond `budget` partial questions, the best question so far is returned unproven. `rng` draws the random starts of a
    local search, which finds the first question to improve.
    """
    return _prove(values, local_search(values, rng, restarts=2), budget)


def _prove(values: QuestionValue, start: BestQuestion, budget: int) -> BestQuestion:
    mask = start.asked.copy()
    order = np.argsort(-values.belief * values.conflict_steps, kind="stable")
    _, looked_at, proven = branch_and_bound(
        mask,
        start.net,
        order,
        values.belief,
        values.conflict_steps,
        values.intervals,
        *_price_arrays(values),
        budget,
    )
    return _found(values, mask, PROVEN if proven else BUDGET, start.evaluations + looked_at)


def auto(values: QuestionValue, rng: np.random.Generator) -> BestQuestion:
    """Return the best question found by local search and then by branch and bound with a small budget.

    `rng` draws the random starts of the local search.
    """
    return _prove(values, local_search(values, rng), AUTO_BUDGET)


OPTIMISERS: dict[str, Callable[[QuestionValue, np.random.Generator], BestQuestion]] = {
    "auto": auto,
    "exact": exact,
    "genetic": genetic,
    "local": local_search,
}


def _found(values: QuestionValue, mask: BoolArray, verdict: str, evaluations: int) -> BestQuestion:
    return BestQuestion(mask, values.value(mask), values.cost(np.flatnonzero(mask).tolist()), verdict, int(evaluations))


def _price_arrays(values: QuestionValue) -> tuple[FloatArray, FloatArray]:
    """Return a price for each number of goals, ``float64 [n + 1]``, and the extra price of each goal, ``float64 [n]``.

    The price of a question about k goals is entry k of the first array plus the extra prices of these goals. Raises
    `InputError` if prices of questions are not such sums.
    """
    n = values.n
    goals = list(range(n))
    if not isinstance(values.cost, AdditivePrice):
        by_size: Any = [values.cost(goals[:size]) for size in range(n + 1)]
        last = [values.cost(goals[n - size :]) for size in range(n + 1)]
        if last == by_size and all(values.cost([goal]) == by_size[1] for goal in range(n)):
            return np.array(by_size, dtype=np.float64), np.zeros(n)
    price = additive_price(values.cost, n, "the optimiser 'genetic' takes any price, the others need this")
    return price.base + price.per_goal * np.arange(n + 1, dtype=np.float64), price.extra.copy()


def _cheaper_side(mask: BoolArray, by_size: FloatArray, extra: FloatArray) -> BoolArray:
    """Return a question or its complement, whichever is cheaper: their answers give the same information.

    Both are masks ``bool [n]``. `by_size`, ``float64 [n + 1]``, is the price by number of goals; `extra`,
    ``float64 [n]``, is an extra price of each goal.
    """
    costs = [by_size[side.sum()] + extra[side].sum() for side in (mask, ~mask)]
    return ~mask if costs[1] < costs[0] else mask


def _likeliest_few(belief: FloatArray) -> list[BoolArray]:
    """Return questions about the 1, 2, 4, 8, ... likeliest goals, each as ``bool [n]``."""
    order = np.argsort(-belief, kind="stable")
    masks = []
    size = 1
    while size < belief.size:
        mask = np.zeros(belief.size, dtype=np.bool_)
        mask[order[:size]] = True
        masks.append(mask)
        size *= 2
    return masks


def _likeliest_half(belief: FloatArray) -> BoolArray:
    """Return the question about the likeliest goals that together have about half the probability, as ``bool [n]``."""
    order = np.argsort(-belief, kind="stable")
    size = int(np.searchsorted(np.cumsum(belief[order]), 0.5 * belief.sum())) + 1
    mask = np.zeros(belief.size, dtype=np.bool_)
    mask[order[: min(size, belief.size - 1)]] = True
    return mask


# -- branch and bound, compiled ------------------------------------------------------------------------------------


@compiled
def branch_and_bound(
    best_mask: Any,
    best_net: float,
    order: Any,
    belief: Any,
    conflict_steps: Any,
    intervals: Any,
    by_size: Any,
    extra: Any,
    budget: int,
) -> tuple[float, int, bool]:
    """Search all questions by branch and bound; write the best one to `best_mask` if its net value exceeds `best_net`.

    The net value is the value minus the price. A partial question has undecided goals.

    Args:
        best_mask: ``bool [n]``, the best question known; overwritten by a better one.
        best_net: net value of this question.
        order: ``int64 [n]``, the goals in the order of the search.
        belief: ``float64 [n]``, probabilities of the goals.
        conflict_steps: ``float64 [n]``, by true goal, number of steps with an unclear best action if nothing is asked.
        intervals: the interval of such steps for each true goal and each other goal.
        by_size: ``float64 [n + 1]``, price by number of goals.
        extra: ``float64 [n]``, extra price of each goal.
        budget: most partial questions to search.

    Returns:
        The best net value, the number of partial questions searched, and whether the search was completed.
    """
    n = belief.size
    side = np.full(n, -1, dtype=np.int8)  # by goal: 0, 1, or -1 while it is not assigned
    tried = np.zeros(n, dtype=np.int8)  # by depth: how many sides have been tried
    counts = np.zeros(2, dtype=np.int64)
    cheapest = _cheapest(by_size)
    depth = 0
    looked_at = 0
    while depth >= 0:
        goal = order[depth]
        if side[goal] >= 0:
            counts[side[goal]] -= 1
            side[goal] = -1
        if tried[depth] == (1 if depth == 0 else 2):
            tried[depth] = 0
            depth -= 1
            continue
        side[goal] = tried[depth]
        counts[side[goal]] += 1
        tried[depth] += 1
        looked_at += 1
        if looked_at > budget:
            return best_net, looked_at, False
        value = _bound(side, belief, conflict_steps, intervals)
        price = min(_least(0, side, counts, cheapest, extra), _least(1, side, counts, cheapest, extra))
        if value - price <= best_net + GAIN:
            continue
        if depth + 1 < n:
            depth += 1
            continue
        if counts[0] > 0 and counts[1] > 0:
            best_net = value - price
            one, other = _least(1, side, counts, cheapest, extra), _least(0, side, counts, cheapest, extra)
            asked = 1 if one <= other else 0
            for g in range(n):
                best_mask[g] = side[g] == asked
    return best_net, looked_at, True


@inner
def _cheapest(prices: Any) -> Any:
    """Return the least price of a question with i to j goals as entry ``[i, j]`` of ``float64 [n + 1, n + 1]``.

    Questions about no goal or about all `n` goals are not counted. `prices` is ``float64 [n + 1]``, the price of a
    question by its number of goals.
    """
    n = prices.size - 1
    cheapest = np.full((n + 1, n + 1), np.inf)
    for lowest in range(1, n):
        price = np.inf
        for highest in range(lowest, n):
            price = min(price, prices[highest])
            cheapest[lowest, highest] = price
    return cheapest


@inner
def _least(asked: int, side: Any, counts: Any, cheapest: Any, extra: Any) -> float:
    """Return a lower bound of the prices of all questions that can result from a partial question.

    `side`, ``int8 [n]``, is the side of each goal, 0 or 1, -1 if undecided. Questions have the goals on side `asked`.
    `counts` is the number of goals on each side; `cheapest` is from `_cheapest`.
    """
    n = side.size
    price = cheapest[max(counts[asked], 1), min(n - counts[1 - asked], n - 1)]
    for g in range(n):
        if side[g] == asked or (side[g] < 0 and extra[g] < 0.0):  # an open goal with a discount may be named
            price += extra[g]
    return float(price)


@inner
def _bound(side: Any, belief: Any, conflict_steps: Any, intervals: Any) -> float:
    """Return an upper bound of the values of all questions that can result from a partial question.

    `side`, ``int8 [n]``, is the side of each goal, 0 or 1, -1 if undecided. The bound pretends that the answer rules
    out all undecided goals except the true one.
    """
    value = 0.0
    for g in range(side.size):
        if belief[g] == 0.0:
            continue
        if side[g] >= 0:
            kept = union_length(g, side[g], side, intervals)
        else:
            zero = union_length(g, 0, side, intervals)
            one = union_length(g, 1, side, intervals)
            kept = min(zero, one)
        value += belief[g] * (conflict_steps[g] - kept)
    return value
