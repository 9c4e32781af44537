"""The 0/1 program of the paper's method `BL:Cost+Prob`, solved exactly.

Two goals *branch* if no action is optimal now for both. ``P_i`` is the probability of goal `i`, ``price_i`` its price.
``x_i`` is 1 if the question contains goal `i`, otherwise 0::

    maximise   sum over pairs that branch (P_i + P_j) (x_i xor x_j)  -  sum of price_i x_i

The first sum is the *gain*. Goals form a *class* if they have the same price and branch with the same other goals. For
a given number of goals from a class, the gain is linear in the sum of their probabilities. The likeliest or the
unlikeliest goals of the class are therefore the best choice.

Branch and bound decides one class after the other. Its bound adds up the largest gain of each undecided class, and the
largest gain between each two undecided classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise._compiled import compiled, inner
from askwise.types import BoolArray, FloatArray

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Cut:
    """The best question of the paper's method `BL:Cost+Prob`, the solution of a 0/1 program.

    Attributes:
        asked: ``bool [n]``, the goals in the question; all false if it is best not to ask.
        objective: the gain of the question (see `best_cut`) minus its price.
        proven: whether the question is proven optimal.
        nodes: number of partial solutions searched.
    """

    asked: BoolArray
    objective: float
    proven: bool
    nodes: int


def best_cut(belief: FloatArray, branches: BoolArray, price: float | FloatArray, *, budget: int = 2_000_000) -> Cut:
    """Return the question with the largest gain minus price; it is empty if no question is worth its price.

    Two goals branch if no action is optimal now for both. Each pair of goals that branch adds its two probabilities to
    the gain if the question contains exactly one of the two goals.

    Args:
        belief: ``float64 [n]``, probabilities of the goals.
        branches: ``bool [n, n]``, symmetric: whether two goals branch.
        price: price of each goal, one number or ``float64 [n]``.
        budget: most partial solutions to search; beyond it, the best question so far is unproven.
    """
    if belief.size == 0:
        return Cut(np.zeros(0, dtype=np.bool_), 0.0, True, 0)
    branches = branches & ~np.eye(belief.size, dtype=bool)
    prices = np.broadcast_to(np.asarray(price, dtype=np.float64), belief.shape)
    # Within a class, the likeliest goals come first.
    classes = [members[np.argsort(-belief[members], kind="stable")] for members in _classes(branches, prices)]
    linked = _links(branches, classes)
    options = [_options(belief[own], bool(linked[k, k]), prices[own[0]]) for k, own in enumerate(classes)]
    starts = np.concatenate(([0], np.cumsum([len(own) for own in options])))
    sizes = np.array([len(members) for members in classes], dtype=np.float64)
    masses = np.array([belief[members].sum() for members in classes])
    choice = np.zeros(len(classes), dtype=np.int64)
    found, nodes, proven = _search(starts, np.concatenate(options), linked, sizes, masses, choice, budget)
    asked = np.zeros(belief.size, dtype=np.bool_)
    for members, picked in zip(classes, choice, strict=True):
        asked[_picked(members, int(picked))] = True
    asked &= branches.any(axis=1)  # a goal in no branching pair has a price and no value
    return Cut(asked, float(found), bool(proven), int(nodes))


def _classes(branches: BoolArray, prices: FloatArray) -> list[Any]:
    """Return the goals in classes of interchangeable goals, each class as an array of indices.

    Goals of a class have equal `prices`, ``float64 [n]``, and branch with the same goals outside the class. Either all
    pairs within a class branch, or none. Goals branch if no action is optimal now for both: `branches`,
    ``bool [n, n]``.
    """
    groups = _equal_rows(range(branches.shape[0]), branches, prices)
    single = [members[0] for members in groups if len(members) == 1]
    classes = [members for members in groups if len(members) > 1]
    with_itself = branches | np.eye(branches.shape[0], dtype=bool)
    return [np.array(members) for members in [*classes, *_equal_rows(single, with_itself, prices)]]


def _equal_rows(goals: Iterable[int], rows: BoolArray, prices: FloatArray) -> list[list[int]]:
    groups: dict[tuple[bytes, float], list[int]] = {}
    for goal in goals:
        groups.setdefault((rows[goal].tobytes(), float(prices[goal])), []).append(goal)
    return list(groups.values())


def _links(branches: BoolArray, classes: list[Any]) -> BoolArray:
    """Return whether the goals of one class branch with those of another class, ``bool [n_classes, n_classes]``.

    The diagonal says whether the goals within a class branch. Goals branch if no action is optimal now for both:
    `branches`, ``bool [n, n]``.
    """
    first = [members[0] for members in classes]
    linked: BoolArray = np.ascontiguousarray(branches[first][:, first])
    for k, members in enumerate(classes):
        linked[k, k] = len(members) > 1 and branches[members[0], members[1]]
    return linked


@compiled
def _options(belief: Any, clique: bool, price: float) -> Any:
    """Return the subsets of a class of goals that an optimal question may contain, as rows of ``float64 [2 n, 3]``.

    Columns are size, probability, and gain within the class minus price. First come the 0 to `n` likeliest goals, then
    the 1 to ``n - 1`` unlikeliest. `belief` is in descending order. `clique`: whether the goals branch with each other.
    """
    n = belief.size
    options = np.zeros((2 * n, 3))
    mass = np.zeros(n + 1)
    for size in range(1, n + 1):
        mass[size] = mass[size - 1] + belief[size - 1]
    for option in range(2 * n):
        size = option if option <= n else option - n
        inside = mass[size] if option <= n else mass[n] - mass[n - size]
        own = (n - size) * inside + size * (mass[n] - inside) if clique else 0.0
        options[option, 0], options[option, 1], options[option, 2] = size, inside, own - price * size
    return options


def _picked(members: Any, option: int) -> Any:
    n = len(members)
    return members[:option] if option <= n else members[n - (option - n) :]


@inner
def _between(a: Any, n_a: float, mass_a: float, b: Any, n_b: float, mass_b: float) -> float:
    """Return the gain between two classes of goals that branch with each other.

    `a` and `b` are the asked goals of each class, as rows of `_options`. `n_a` and `mass_a` are the number and
    probability of all goals of the first class.
    """
    asked = a[1] * (n_b - b[0]) + a[0] * (mass_b - b[1])
    return float(asked + (mass_a - a[1]) * b[0] + (n_a - a[0]) * b[1])


@compiled
def _search(
    starts: Any, table: Any, linked: Any, sizes: Any, masses: Any, best_choice: Any, budget: int
) -> tuple[float, int, bool]:
    """Find the best question, one subset of each class of goals, by branch and bound.

    Args:
        starts: ``int64 [n_classes + 1]``, first row of each class in `table`, then the number of rows.
        table: ``float64 [n_rows, 3]``, the possible subsets (`_options`).
        linked: ``bool [n_classes, n_classes]``, whether two classes branch.
        sizes: ``float64 [n_classes]``, number of goals.
        masses: ``float64 [n_classes]``, sum of the goals' probabilities.
        best_choice: ``int64 [n_classes]``, filled with the chosen row, counted from 0 within each class.
        budget: most partial solutions to search.

    Returns:
        The largest gain minus price, the number of partial solutions searched, and whether this is the proven optimum.
    """
    n = sizes.size
    between = _largest_between(starts, table, linked, sizes, masses)
    choice = np.full(n, -1, dtype=np.int64)
    gained = np.zeros(n + 1)  # by depth: the gain of the classes before it
    best = 0.0  # the objective of asking nothing, the first option of every class
    nodes = 0
    depth = 0
    while depth >= 0:
        choice[depth] += 1
        if starts[depth] + choice[depth] == starts[depth + 1]:
            choice[depth] = -1
            depth -= 1
            continue
        nodes += 1
        if nodes > budget:
            return best, nodes, False
        own = _gain(depth, choice[depth], depth, choice, starts, table, linked, sizes, masses)
        gained[depth + 1] = gained[depth] + own
        hope = _most(depth + 1, choice, starts, table, linked, sizes, masses, between)
        if gained[depth + 1] + hope <= best + ROUNDING:
            continue
        if depth + 1 < n:
            depth += 1
            continue
        best = gained[n]
        best_choice[:] = choice
    return best, nodes, True


@inner
def _gain(
    k: int, option: int, fixed: int, choice: Any, starts: Any, table: Any, linked: Any, sizes: Any, masses: Any
) -> float:
    """Return how much a subset of class `k` adds to the gain minus price, with only the classes before `fixed` decided.

    `option` is the row of the subset within its class, `choice` that of each decided class. The other arrays are those
    of `_search`.
    """
    row = starts[k] + option
    gain = table[row, 2]
    for j in range(fixed):
        if linked[k, j]:
            other = starts[j] + choice[j]
            gain += _between(table[row], sizes[k], masses[k], table[other], sizes[j], masses[j])
    return float(gain)


@inner
def _most(
    fixed: int, choice: Any, starts: Any, table: Any, linked: Any, sizes: Any, masses: Any, between: Any
) -> float:
    """Return an upper bound of what the undecided classes, from `fixed` on, can add to the gain minus price.

    `choice` has the row of each decided class. `between` is the largest gain between two classes. The other arrays are
    those of `_search`.
    """
    n = sizes.size
    total = 0.0
    for k in range(fixed, n):
        best = -np.inf
        for option in range(starts[k + 1] - starts[k]):
            best = max(best, _gain(k, option, fixed, choice, starts, table, linked, sizes, masses))
        total += best
        for j in range(fixed, k):
            total += between[k, j]
    return total


@inner
def _largest_between(starts: Any, table: Any, linked: Any, sizes: Any, masses: Any) -> Any:
    """Return the largest gain between the goals of each pair of classes, ``float64 [n_classes, n_classes]``.

    It is the largest over all subsets of the two classes in `table`. Entries on and above the diagonal are 0. The
    arguments are the arrays of `_search`.
    """
    n = sizes.size
    largest = np.zeros((n, n))
    for k in range(n):
        for j in range(k):
            if linked[k, j]:
                for a in range(starts[k], starts[k + 1]):
                    for b in range(starts[j], starts[j + 1]):
                        weight = _between(table[a], sizes[k], masses[k], table[b], sizes[j], masses[j])
                        largest[k, j] = max(largest[k, j], weight)
    return largest
