"""The definitions of askwise written down naively, in exact fractions; slow, and independent of `askwise`.

Nothing here shares code or method with the package: plans and trajectories are enumerated, linear systems are
eliminated in rational numbers, "can get there" is a transitive closure, and a goal's distance is a relaxation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Law = dict[int, Fraction]
Table = list[list[Fraction]]
"""Probabilities of a policy, ``[state][action]``; an all-zero row where it is undefined."""


def floats(values: Sequence[Fraction | float] | Sequence[Sequence[Fraction | float]]) -> NDArray[np.float64]:
    """Exact values as an array, to be compared with what `askwise` computed."""
    return np.array(values, dtype=np.float64)


@dataclass(frozen=True)
class Plain:
    """A model as plain data: ``law[s][a]`` gives each next state its probability, ``{}`` where unavailable.

    The last action is STAY.
    """

    law: tuple[tuple[Law, ...], ...]

    @property
    def n_states(self) -> int:
        return len(self.law)

    @property
    def n_actions(self) -> int:
        return len(self.law[0])

    @property
    def stay(self) -> int:
        return self.n_actions - 1

    def successor(self, s: int, a: int) -> int:
        """The next state of a deterministic model, -1 where the action is not available."""
        return next(iter(self.law[s][a]), -1)

    def available(self, s: int) -> list[int]:
        return [a for a in range(self.n_actions) if self.law[s][a]]


# -- optimal plans ---------------------------------------------------------------------------------------------


def distances(plain: Plain, targets: set[int]) -> list[float]:
    """Fewest steps to the targets, by relaxing all edges until nothing changes."""
    distance = [0.0 if s in targets else math.inf for s in range(plain.n_states)]
    for _ in range(plain.n_states):
        for s, a in itertools.product(range(plain.n_states), range(plain.n_actions)):
            if (t := plain.successor(s, a)) >= 0:
                distance[s] = min(distance[s], distance[t] + 1)
    return distance


def optimal_plans(plain: Plain, start: int, targets: set[int]) -> list[tuple[int, ...]]:
    """All shortest action sequences from `start` into the targets: every sequence is tried, shortest first."""
    if not closure(one_step_rows(plain))[start] & targets:
        return []
    tried: list[tuple[tuple[int, ...], int]] = [((), start)]
    while not (arrived := [plan for plan, s in tried if s in targets]):
        tried = [((*plan, a), plain.successor(s, a)) for plan, s in tried for a in plain.available(s)]
    return arrived


def one_step_rows(plain: Plain) -> list[Law]:
    """A chain with an edge wherever some action leads."""
    return [{t: Fraction(1) for law in plain.law[s] for t in law} for s in range(plain.n_states)]


def urop(plain: Plain, targets: set[int]) -> Table:
    """The share of all optimal plans that begin with each action; STAY at the goal."""
    table = []
    for s in range(plain.n_states):
        plans = optimal_plans(plain, s, targets)
        first = [plan[0] if plan else plain.stay for plan in plans]
        table.append([Fraction(first.count(a), max(len(plans), 1)) for a in range(plain.n_actions)])
    return table


def plan_counts(plain: Plain, targets: set[int]) -> list[int]:
    """The number of optimal plans from each state, as Python integers of any size."""
    distance = distances(plain, targets)
    counts = [0] * plain.n_states
    for s in sorted(range(plain.n_states), key=lambda state: distance[state]):
        if distance[s] == 0:
            counts[s] = 1
        elif distance[s] < math.inf:
            after = [plain.successor(s, a) for a in plain.available(s)]
            counts[s] = sum(counts[t] for t in after if distance[t] == distance[s] - 1)
    return counts


def uniform_over_optimal(plain: Plain, targets: set[int]) -> Table:
    """The policy that chooses uniformly among the first actions of optimal plans."""
    return [_uniform([p > 0 for p in row]) for row in urop(plain, targets)]


def _uniform(chosen: list[bool]) -> list[Fraction]:
    return [Fraction(int(c), max(sum(chosen), 1)) for c in chosen]


def fastest_actions(plain: Plain, targets: set[int]) -> Table:
    """Uniform over the actions of least expected time, by trying every deterministic policy."""
    best: list[Fraction | float] = [math.inf] * plain.n_states
    for choice in itertools.product(*(plain.available(s) for s in range(plain.n_states))):
        rows = [plain.law[s][choice[s]] if s not in targets else {} for s in range(plain.n_states)]
        onwards = [{t: p for t, p in row.items() if t not in targets} for row in rows]
        found = expected_steps(onwards)
        best = [min(b, v) for b, v in zip(best, found, strict=True)]
    for s in targets:
        best[s] = Fraction(0)
    table = []
    for s in range(plain.n_states):
        chosen = [_reaches(plain, s, a, best) for a in range(plain.n_actions)]
        if s in targets:
            chosen = [a == plain.stay for a in range(plain.n_actions)]
        table.append(_uniform(chosen))
    return table


def _reaches(plain: Plain, s: int, a: int, best: Sequence[Fraction | float]) -> bool:
    law = plain.law[s][a]
    if not law or best[s] == math.inf or any(best[t] == math.inf for t in law):
        return False
    return 1 + sum((p * Fraction(best[t]) for t, p in law.items()), Fraction(0)) == best[s]


# -- chains ----------------------------------------------------------------------------------------------------


def closure(rows: Sequence[Law]) -> list[set[int]]:
    """Every state that can be reached from each state, itself included (Warshall)."""
    n = len(rows)
    reach = [{s, *(t for t, p in rows[s].items() if p > 0)} for s in range(n)]
    for k in range(n):
        for s in range(n):
            if k in reach[s]:
                reach[s] |= reach[k]
    return reach


def leaking(rows: Sequence[Law]) -> set[int]:
    """States whose row sums to less than 1: exact, because these are fractions."""
    return {s for s, row in enumerate(rows) if sum(row.values(), Fraction(0)) < 1}


def trapped(rows: Sequence[Law]) -> set[int]:
    """States from which no leak can be reached."""
    leaks = leaking(rows)
    return {s for s, reach in enumerate(closure(rows)) if not reach & leaks}


def infinite(rows: Sequence[Law]) -> set[int]:
    """States from which a trapped state can be reached."""
    traps = trapped(rows)
    return {s for s, reach in enumerate(closure(rows)) if reach & traps}


def expected_steps(rows: Sequence[Law]) -> list[Fraction | float]:
    """Solve ``V = 1 + Q V`` by elimination; ``inf`` where the chain may never end."""
    endless = infinite(rows)
    finite = [s for s in range(len(rows)) if s not in endless]
    solved = solve_chain(rows, finite, [Fraction(1)] * len(finite))
    values: list[Fraction | float] = [math.inf] * len(rows)
    for s, value in zip(finite, solved, strict=True):
        values[s] = value
    return values


def never_ends(rows: Sequence[Law]) -> list[Fraction]:
    """Probability of getting trapped, from each state."""
    traps = trapped(rows)
    others = [s for s in range(len(rows)) if s not in traps]
    into = [sum((p for t, p in rows[s].items() if t in traps), Fraction(0)) for s in others]
    found = dict(zip(others, solve_chain(rows, others, into), strict=True))
    return [found.get(s, Fraction(1)) for s in range(len(rows))]


def solve_chain(rows: Sequence[Law], states: Sequence[int], right: Sequence[Fraction]) -> list[Fraction]:
    """Solve ``(I - Q) x = right`` over `states` by Gauss-Jordan elimination."""
    n = len(states)
    system = [
        [int(s == t) - rows[s].get(t, Fraction(0)) for t in states] + [b] for s, b in zip(states, right, strict=True)
    ]
    for k in range(n):
        pivot = next(r for r in range(k, n) if system[r][k] != 0)
        system[k], system[pivot] = system[pivot], system[k]
        system[k] = [v / system[k][k] for v in system[k]]
        for r in range(n):
            if r != k and system[r][k] != 0:
                factor = system[r][k]
                system[r] = [v - factor * w for v, w in zip(system[r], system[k], strict=True)]
    return [row[n] for row in system]


# -- divergence ------------------------------------------------------------------------------------------------


def agreement(plain: Plain, ruled_out: Table, followed: Table) -> list[Law]:
    """``P'(s, s')``: following one policy and doing what the other one may do too."""
    rows: list[Law] = []
    for s in range(plain.n_states):
        row: Law = {}
        for a, p in enumerate(followed[s]):
            if p > 0 and ruled_out[s][a] > 0:
                for t, q in plain.law[s][a].items():
                    row[t] = row.get(t, Fraction(0)) + p * q
        rows.append(row)
    return rows


def edp(plain: Plain, ruled_out: Table, followed: Table) -> list[Fraction | float]:
    """Expected divergence point at every state, by elimination; ``nan`` where the followed policy is undefined."""
    values = expected_steps(agreement(plain, ruled_out, followed))
    return [v if sum(row) > 0 else math.nan for v, row in zip(values, followed, strict=True)]


def trajectories(
    plain: Plain, ruled_out: Table, followed: Table, start: int, steps: int
) -> Iterator[tuple[Fraction, int | None]]:
    """Every trajectory of `followed`, up to its divergence point or to `steps`: its probability and that point."""
    waiting = [(Fraction(1), start, 1)]
    while waiting:
        probability, s, t = waiting.pop()
        if t > steps:
            yield probability, None
            continue
        for a, p in enumerate(followed[s]):
            if p > 0 and ruled_out[s][a] == 0:
                yield probability * p, t
            elif p > 0:
                waiting += [(probability * p * q, after, t + 1) for after, q in plain.law[s][a].items()]


def dp_probabilities(plain: Plain, ruled_out: Table, followed: Table, start: int, steps: int) -> list[Fraction]:
    """``P(dp = t)`` for ``t = 1 .. steps``, by enumerating trajectories."""
    mass = [Fraction(0)] * steps
    for probability, t in trajectories(plain, ruled_out, followed, start, steps):
        if t is not None:
            mass[t - 1] += probability
    return mass


def wcd_of_plans(plain: Plain, start: int, one: set[int], other: set[int]) -> float:
    """The largest step at which a plan for `one` and a plan for `other` first differ, over all pairs of plans."""
    pairs = itertools.product(optimal_plans(plain, start, one), optimal_plans(plain, start, other))
    return max(_first_difference(p, q) for p, q in pairs)


def _first_difference(p: tuple[int, ...], q: tuple[int, ...]) -> float:
    """Both plans go on with STAY for ever once they have arrived."""
    if p == q:
        return math.inf
    return 1 + next(k for k in range(max(len(p), len(q))) if p[k : k + 1] != q[k : k + 1])


def longest_path(rows: Sequence[Law], start: int) -> float:
    """``1 + max`` over successors; ``inf`` as soon as a path is longer than there are states."""
    front, steps = {start}, 0
    while front and steps <= len(rows):
        front = {t for s in front for t, p in rows[s].items() if p > 0}
        steps += 1
    return math.inf if front else steps


def ecd(
    plain: Plain, supports: Sequence[Sequence[Sequence[bool]]], prior: Sequence[Fraction]
) -> list[Fraction | float]:
    """Expected case distinctiveness: actions weigh the prior mass of the goals that they are optimal for."""
    rows: list[Law] = []
    acts: list[bool] = []
    for s in range(plain.n_states):
        actions = range(plain.n_actions)
        mass = [sum((p for p, may in zip(prior, supports, strict=True) if may[s][a]), Fraction(0)) for a in actions]
        row: Law = {}
        for a in actions:
            if mass[a] == sum(prior):
                for t, q in plain.law[s][a].items():
                    row[t] = row.get(t, Fraction(0)) + mass[a] / sum(mass) * q
        rows.append(row)
        acts.append(sum(mass) > 0)
    return [v if act else math.nan for v, act in zip(expected_steps(rows), acts, strict=True)]
