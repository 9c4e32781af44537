"""Small models: random ones for hypothesis, and a library of tiny problems with known answers.

Probabilities are multiples of a quarter, so that they are the same numbers as fractions and as floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from askwise.model import GridWorld, Model, Policy
from askwise.model.chain import AbsorbingChain
from tests.exact import Law, Plain, Table, leaking

Cell = tuple[int, int]
Draw = st.DrawFn

MOVES: tuple[Cell, ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""North, east, south, west: the order of the actions of a grid."""

ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)


# -- from plain data to askwise ----------------------------------------------------------------------------------


def successor_table(plain: Plain) -> list[list[int]]:
    """``[n_states][n_actions - 1]``: the next states, without STAY, which a model adds by itself."""
    return [[plain.successor(s, a) for a in range(plain.stay)] for s in range(plain.n_states)]


def deterministic_model(plain: Plain) -> Model:
    return Model(np.array(successor_table(plain), dtype=np.int64).reshape(plain.n_states, plain.stay))


def stochastic_model(plain: Plain) -> Model:
    matrices = []
    for a in range(plain.stay):
        matrix = np.zeros((plain.n_states, plain.n_states))
        for s in range(plain.n_states):
            for t, p in plain.law[s][a].items():
                matrix[s, t] = float(p)
        matrices.append(matrix)
    return Model(transitions=matrices)


def policy(model: Model, table: Table) -> Policy:
    return Policy(model, [[float(p) for p in row] for row in table], partial=True)


def absorbing_chain(rows: Sequence[Law]) -> AbsorbingChain:
    n = len(rows)
    entries = [(s, t, float(p)) for s, row in enumerate(rows) for t, p in row.items()]
    source, target, data = zip(*entries, strict=True) if entries else ((), (), ())
    matrix = sparse.csr_array((np.array(data, dtype=np.float64), (source, target)), shape=(n, n))
    leaks = np.zeros(n, dtype=np.bool_)
    leaks[list(leaking(rows))] = True
    return AbsorbingChain(matrix, leaks)


# -- from plain descriptions to plain data -----------------------------------------------------------------------


def plain_graph(successor: Sequence[Sequence[int]]) -> Plain:
    """A deterministic model from a table of next states (-1: not available), with STAY added."""
    return Plain(
        tuple((*({t: ONE} if t >= 0 else {} for t in row), {s: ONE}) for s, row in enumerate(successor)),
    )


def plain_grid(width: int, height: int, walls: Sequence[Cell] = ()) -> Plain:
    """A grid cell by cell: free cells numbered row by row from the bottom left."""
    cells = [(x, y) for y in range(height) for x in range(width) if (x, y) not in walls]
    number = {cell: s for s, cell in enumerate(cells)}
    return plain_graph([[number.get((x + dx, y + dy), -1) for dx, dy in MOVES] for x, y in cells])


def corridor_beside_area(length: int) -> Plain:
    """Two ways of `length` steps and one more from state 0 to the last state.

    Action 0 leads into a corridor, states ``1 .. length``, with one plan; action 1 into stages with two actions
    each, the next `length` states, with ``2 ** length`` plans.
    """
    goal = 2 * length + 1
    corridor = [[s + 1 if s < length else goal, -1] for s in range(1, length + 1)]
    area = [[s + 1, s + 1] for s in range(length + 1, goal)]
    return plain_graph([[1, length + 1], *corridor, *area, [-1, -1]])


# -- random models -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomGrid:
    """A grid, as `askwise` sees it and as plain data."""

    grid: GridWorld
    plain: Plain


@st.composite
def grids(draw: Draw, max_side: int = 4, walls: bool = True) -> RandomGrid:
    """Grids with up to a third of walls, pockets included, or open ones."""
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    cells = [(x, y) for y in range(height) for x in range(width)]
    drawn = draw(st.lists(st.sampled_from(cells), unique=True, max_size=len(cells) // 3)) if walls else []
    return RandomGrid(GridWorld(width, height, drawn), plain_grid(width, height, drawn))


@st.composite
def graphs(draw: Draw, max_states: int = 6, max_actions: int = 3) -> Plain:
    """Deterministic graphs: parallel actions, self-loops, dead ends and unreachable parts included."""
    n, k = draw(st.integers(1, max_states)), draw(st.integers(1, max_actions))
    row = st.lists(st.integers(-1, n - 1), min_size=k, max_size=k)
    return plain_graph(draw(st.lists(row, min_size=n, max_size=n)))


@st.composite
def stochastic_models(draw: Draw, max_states: int = 5, max_actions: int = 2) -> Plain:
    """Stochastic models with up to three next states for each action."""
    n, k = draw(st.integers(1, max_states)), draw(st.integers(1, max_actions))
    return Plain(
        tuple(
            (*(draw(st.just({}) | quarters(range(n))) if a else draw(quarters(range(n))) for a in range(k)), {s: ONE})
            for s in range(n)
        )
    )


def quarters(things: Sequence[int]) -> st.SearchStrategy[Law]:
    """A random law over `things` with sparse support: four quarters, each given to one of them."""
    four = st.lists(st.sampled_from(list(things)), min_size=4, max_size=4)
    return four.map(lambda given: {t: Fraction(given.count(t), 4) for t in sorted(set(given))})


@st.composite
def policies(draw: Draw, plain: Plain) -> Table:
    """Random policies over the available actions."""
    table = []
    for s in range(plain.n_states):
        law = draw(quarters(plain.available(s)))
        table.append([law.get(a, Fraction(0)) for a in range(plain.n_actions)])
    return table


@st.composite
def chains(draw: Draw, max_states: int = 6) -> list[Law]:
    """Random absorbing chains: in each row up to four quarters go somewhere, the rest leaks."""
    n = draw(st.integers(1, max_states))
    rows = []
    for _ in range(n):
        law = draw(quarters(range(-1, n)))
        rows.append({t: p for t, p in law.items() if t >= 0})
    return rows


def goal_sets(plain: Plain, most: int = 3) -> st.SearchStrategy[set[int]]:
    """Goals of one or several target states."""
    return st.sets(st.integers(0, plain.n_states - 1), min_size=1, max_size=most)


def goal_lists(plain: Plain, most: int = 4) -> st.SearchStrategy[list[set[int]]]:
    """Several goals; they may overlap, and one may occur twice."""
    return st.lists(goal_sets(plain), min_size=1, max_size=most)


# -- tiny problems with known answers ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """Two policies and the expected divergence point at every state, from pencil and paper.

    `acyclic`: the states with a finite answer cannot return to themselves, so that one backward pass is enough.
    """

    name: str
    plain: Plain
    ruled_out: Table
    followed: Table
    edp: tuple[Fraction | float, ...]
    acyclic: bool = False

    def __str__(self) -> str:
        return self.name


def doing(plain: Plain, choose: Callable[[int], dict[int, Fraction]]) -> Table:
    """A policy from a function: state to law over actions."""
    return [[choose(s).get(a, Fraction(0)) for a in range(plain.n_actions)] for s in range(plain.n_states)]


def _corridor_with_fork(length: int) -> Known:
    """One way for `length` steps, then left for one goal and right for the other."""
    end = length
    plain = plain_graph([[s + 1, -1] for s in range(length)] + [[end + 1, end + 2], [-1, -1], [-1, -1]])

    def to(side: int) -> Callable[[int], Law]:
        return lambda s: {0: ONE} if s < end else {side if s == end else plain.stay: ONE}

    # Past the fork: left of it `followed` does not go, but if put there, STAY is what both do.
    edp: tuple[Fraction | float, ...] = (*(Fraction(length - s + 1) for s in range(length + 1)), math.inf, math.inf)
    return Known("corridor with a fork", plain, doing(plain, to(0)), doing(plain, to(1)), edp, acyclic=True)


def _biased_coin() -> Known:
    """Going round with probability 3/4: a geometric waiting time of mean 4."""
    plain = plain_graph([[0, 0]])
    always: Table = [[ONE, Fraction(0), Fraction(0)]]
    mostly: Table = [[3 * QUARTER, QUARTER, Fraction(0)]]
    return Known("biased coin", plain, always, mostly, (Fraction(4),))


def _random_walk(n: int) -> Known:
    """Gambler's ruin: a fair walk on 0..n that tells itself apart at both ends, ``1 + k (n - k)`` steps."""
    plain = plain_graph([[max(k - 1, 0), min(k + 1, n)] for k in range(n + 1)])
    inside = {0: HALF, 1: HALF}
    return Known(
        "random walk",
        plain,
        doing(plain, lambda k: inside if 0 < k < n else {0: ONE}),
        doing(plain, lambda k: inside if 0 < k < n else {1: ONE}),
        tuple(Fraction(1 + k * (n - k)) for k in range(n + 1)),
    )


def _trap_on_one_side() -> Known:
    """From 0 half of the time into 1, where both go round for ever; from 2 straight to a difference."""
    plain = plain_graph([[1, 3], [1, -1], [3, -1], [3, 3]])

    def followed(s: int) -> Law:
        return ({0: HALF, 1: HALF}, {0: ONE}, {0: ONE}, {1: ONE})[s]

    def ruled_out(s: int) -> Law:
        return ({0: HALF, 1: HALF}, {0: ONE}, {0: ONE}, {0: ONE})[s]

    return Known(
        "trap on one side",
        plain,
        doing(plain, ruled_out),
        doing(plain, followed),
        (math.inf, math.inf, Fraction(2), Fraction(1)),
        acyclic=True,
    )


def _two_coins_in_a_row() -> Known:
    """Acyclic: a difference with probability 1/2 at once, else 1/4 in the next step, else for certain."""
    plain = plain_graph([[1, 1], [2, 2], [2, 2]])
    laws: tuple[Law, ...] = ({0: HALF, 1: HALF}, {0: 3 * QUARTER, 1: QUARTER}, {1: ONE})
    return Known(
        "two coins in a row",
        plain,
        doing(plain, {s: {0: ONE} for s in range(3)}.__getitem__),
        doing(plain, laws.__getitem__),
        (Fraction(15, 8), Fraction(7, 4), Fraction(1)),
        acyclic=True,
    )


KNOWN = (_corridor_with_fork(3), _biased_coin(), _random_walk(5), _trap_on_one_side(), _two_coins_in_a_row())
