"""Compiled branch and bound over questions.

Finding the best question: the set of goals whose value less its cost is largest.

==============  ==================================================================================================
``genetic``     the paper's genetic algorithm, its constants as defaults; returns the best question it ever saw
``local``       hill climbing by single flips and swaps from several starts; a local optimum, usually the best
``exact``       branch and bound: the proven optimum, if it gets there within its budget
``auto``        ``local``, then ``exact`` with a small budget: proven where that is cheap
==============  ==================================================================================================

A question and its complement tell the same; only their costs differ. A question is never empty and never about
everything.
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
    """Assign the goals of `order` to one side after the other; improve `best_mask` in place.

    What a partial question can still become is bounded from above: the truth keeps at least the goals that are already
    on its side, and the price is at least the cheapest that the sizes still possible allow. Sides are swapped freely,
    because a question and its complement tell the same: the first goal stays on one side, and the price is that of the
    cheaper of the two: ``by_size[number of goals]`` and, for each goal named, ``extra[goal]``.
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
    """``[lowest, highest]``: the cheapest price of a question whose size lies between the two."""
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
    """Return the least that naming the goals on side `asked` can cost once the others have been assigned too."""
    n = side.size
    price = cheapest[max(counts[asked], 1), min(n - counts[1 - asked], n - 1)]
    for g in range(n):
        if side[g] == asked or (side[g] < 0 and extra[g] < 0.0):  # an open goal that is a discount may be named
            price += extra[g]
    return float(price)


@inner
def _bound(side: Any, belief: Any, conflict_steps: Any, intervals: Any) -> float:
    """Return the most that any completion of a partial question is worth."""
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


PROVEN, LOCAL, BUDGET, SEARCHED = "proven optimal", "local optimum", "budget used", "best seen"

AUTO_BUDGET = 20_000
"""Partial questions that `auto` looks at for a proof; a few milliseconds at most."""


@dataclass(frozen=True, slots=True)
class BestQuestion:
    """The best question that was found.

    Attributes:
        asked: ``bool [n]``, the goals in it.
        value: what it is expected to save.
        cost: what it costs.
        verdict: "proven optimal", "local optimum", "best seen" or "budget used" (a search that was cut off).
        evaluations: questions that were looked at.
    """

    asked: BoolArray
    value: float
    cost: float
    verdict: str
    evaluations: int

    @property
    def net(self) -> float:
        """Value less cost."""
        return self.value - self.cost


def optimise(values: QuestionValue, method: str = "auto", rng: np.random.Generator | None = None) -> BestQuestion:
    """Return the best question about at least two possible goals, by the method of that name."""
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
    """Evolve questions: tournaments of two, one-point crossover, each bit flipped with probability `mutation`."""
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
    if not np.isfinite(best_net):  # tiny problems: a random population may hold nothing but empty and full sets
        best = np.arange(values.n) == 0
    return _found(values, best, SEARCHED, nets.evaluations)


def _next_generation(members: BoolArray, fitness: FloatArray, mutation: float, rng: np.random.Generator) -> BoolArray:
    size, n = members.shape
    rivals = rng.integers(size, size=(size, 2))
    winners = np.where(fitness[rivals[:, 0]] >= fitness[rivals[:, 1]], rivals[:, 0], rivals[:, 1])
    parents = members[winners]
    # Pairs swap everything behind a random point.
    behind = np.arange(n) >= rng.integers(1, n, size=(size + 1) // 2)[:, None]
    one, two = parents[0::2], parents[1::2]
    behind = behind[: len(two)]
    children = parents.copy()
    children[0::2][: len(two)] = np.where(behind, two, one[: len(two)])
    children[1::2] = np.where(behind, one[: len(two)], two)
    flipped: BoolArray = children ^ (rng.random((size, n)) < mutation)
    return flipped


class _Nets:
    """Net values of many questions, each computed once; -inf for the empty question and for the full one."""

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
    """Climb by flips and swaps from the likeliest half of the goals and from random questions.

    Args:
        values: the values of all questions.
        rng: draws the random starts.
        restarts: how many, by default 16 and fewer for more than 50 goals, for which each takes longer.
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
            continue  # as most climbs do; swaps take longer and would end at the same question again
        ended.add(mask.tobytes())
        net, looked_at = climb(mask, True, values.belief, values.conflict_steps, values.intervals, *prices)
        ended.add(mask.tobytes())
        evaluations += looked_at
        if net > best_net:
            best, best_net = mask, net
    return _found(values, _cheaper_side(best, *prices), LOCAL, evaluations)


def exact(values: QuestionValue, rng: np.random.Generator, *, budget: int = 20_000_000) -> BestQuestion:
    """Prove the optimum by branch and bound, looking at no more than `budget` partial questions."""
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
    """Search locally, then prove the answer or better it, as far as a small budget goes."""
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
    """Return what questions cost by their size, ``float64 [n + 1]``, and what each goal adds, ``float64 [n]``.

    A price that is neither a function of the size nor a sum over goals is refused: only `genetic` works with it.
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
    """Return the question or its complement, which has the same answers: the one that costs less."""
    costs = [by_size[side.sum()] + extra[side].sum() for side in (mask, ~mask)]
    return ~mask if costs[1] < costs[0] else mask


def _likeliest_few(belief: FloatArray) -> list[BoolArray]:
    """Return the questions about the one, two, four, ... likeliest goals."""
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
    """Return the likeliest goals that together have about half of the probability."""
    order = np.argsort(-belief, kind="stable")
    size = int(np.searchsorted(np.cumsum(belief[order]), 0.5 * belief.sum())) + 1
    mask = np.zeros(belief.size, dtype=np.bool_)
    mask[order[: min(size, belief.size - 1)]] = True
    return mask
