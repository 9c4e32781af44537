"""The 0/1 program of `cost-prob`, compared with trying all questions and with a general solver."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse

from askwise.methods.cost_prob_program import Cut, best_cut
from askwise.types import BoolArray, FloatArray

PRICES = (0.0, 0.05, 0.3, 1.0)
Program = tuple[FloatArray, BoolArray, float]


def objective(asked: BoolArray, belief: FloatArray, branches: BoolArray, price: float | FloatArray) -> float:
    """Return the objective of a question by its definition."""
    pairs = np.triu(branches, k=1) & (asked[:, None] != asked)
    return float(((belief[:, None] + belief) * pairs).sum() - (price * asked).sum())


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


# -- at random ---------------------------------------------------------------------------------------------------


def any_graph(random: np.random.Generator, n: int) -> BoolArray:
    """Return random pairs without structure."""
    upper = np.triu(random.random((n, n)) < random.choice([0.1, 0.4, 0.8]), k=1)
    return np.asarray(upper | upper.T)


def graph_of_classes(random: np.random.Generator, n: int) -> BoolArray:
    """Return pairs as in tool fetching: goals of one class branch against the same others; some classes are cliques."""
    n_classes = int(random.integers(1, 5))
    owner = random.integers(n_classes, size=n)
    linked = any_graph(random, n_classes) | np.diag(random.random(n_classes) < 0.4)
    return np.asarray(linked[np.ix_(owner, owner)] & ~np.eye(n, dtype=bool))


def belief_of(random: np.random.Generator, n: int) -> FloatArray:
    """Return random probabilities, some of them equal."""
    weights = random.exponential(size=n) if random.random() < 0.7 else random.integers(1, 3, size=n).astype(float)
    return np.asarray(weights / weights.sum())


@st.composite
def programs(draw: st.DrawFn, *, max_goals: int = 9) -> Program:
    random = rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, max_goals))
    build = draw(st.sampled_from([any_graph, graph_of_classes]))
    return belief_of(random, n), build(random, n), draw(st.sampled_from(PRICES))


# -- the plain ways ----------------------------------------------------------------------------------------------


def worth(asked: tuple[int, ...], program: Program) -> float:
    """Return the objective, pair by pair."""
    belief, branches, price = program
    cut = sum(
        float(belief[i] + belief[j])
        for i, j in combinations(range(len(belief)), 2)
        if branches[i, j] and (i in asked) != (j in asked)
    )
    return cut - price * len(asked)


def best_of_all(program: Program) -> float:
    n = len(program[0])
    picks = product([False, True], repeat=n)
    return max(worth(tuple(k for k in range(n) if pick[k]), program) for pick in picks)


def milp_optimum(program: Program) -> float:
    """Return the optimum found by a general solver; x are the goals asked about, y the pairs that are cut.

    ``y_ij <= x_i + x_j`` and ``y_ij <= 2 - x_i - x_j`` leave room for a cut only between different sides.
    """
    belief, branches, price = program
    n = len(belief)
    pairs = np.argwhere(np.triu(branches, k=1))
    weights = belief[pairs[:, 0]] + belief[pairs[:, 1]]
    m = len(pairs)
    rows = np.repeat(np.arange(m), 2)
    ends = sparse.csr_array((np.ones(2 * m), (rows, pairs.ravel())), shape=(m, n))
    cut = sparse.eye_array(m)
    constraints = optimize.LinearConstraint(
        sparse.vstack([sparse.hstack([-ends, cut]), sparse.hstack([ends, cut])]),
        ub=np.concatenate([np.zeros(m), np.full(m, 2.0)]),
    )
    solved = optimize.milp(
        np.concatenate([np.full(n, price), -weights]),
        constraints=constraints,
        integrality=np.ones(n + m),
        bounds=optimize.Bounds(0, 1),
    )
    assert solved.status == 0, "solved to optimality"
    return float(-solved.fun)


def assert_sound(cut: Cut, program: Program) -> None:
    """Check that the objective belongs to the question, and that the question is valid."""
    belief, branches, price = program
    asked = tuple(np.flatnonzero(cut.asked).tolist())
    assert cut.asked.shape == belief.shape
    assert cut.objective == pytest.approx(worth(asked, program), abs=1e-9)
    assert objective(cut.asked, belief, branches, price) == pytest.approx(worth(asked, program), abs=1e-12)
    assert not (cut.asked & ~branches.any(axis=1)).any(), "a goal in no branching pair stays out"
    assert cut.nodes > 0


# -- beside the plain ways ---------------------------------------------------------------------------------------


@given(programs())
def test_beside_trying_everything(program: Program) -> None:
    cut = best_cut(*program)
    assert_sound(cut, program)
    assert cut.proven
    assert cut.objective == pytest.approx(best_of_all(program), abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("build", [any_graph, graph_of_classes])
def test_beside_a_general_solver(build: object, seed: int) -> None:
    random = rng(seed)
    assert callable(build)
    branches = build(random, 13)
    branches[0, 1] = branches[1, 0] = True  # at least one pair
    program = (belief_of(random, 13), branches, float(random.choice([0.02, 0.1, 0.3])))
    cut = best_cut(*program)
    assert_sound(cut, program)
    assert cut.proven
    assert cut.objective == pytest.approx(milp_optimum(program), abs=1e-6)


def test_the_reference_agrees_with_trying_everything() -> None:
    for seed in range(5):
        branches = any_graph(rng(seed), 7)
        branches[0, 1] = branches[1, 0] = True
        program = (belief_of(rng(seed), 7), branches, 0.1)
        assert milp_optimum(program) == pytest.approx(best_of_all(program), abs=1e-6)


@pytest.mark.parametrize("price", PRICES)
def test_a_clique(price: float) -> None:
    branches = ~np.eye(9, dtype=bool)
    program = (belief_of(rng(4), 9), branches, price)
    assert best_cut(*program).objective == pytest.approx(best_of_all(program), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_fifty_goals_in_five_classes_are_proven(seed: int) -> None:
    # Five toolboxes, each in a direction of its own: what general solvers do not close in many seconds.
    random = rng(seed)
    owner = random.integers(5, size=50)
    branches = owner[:, None] != owner
    program = (belief_of(random, 50), branches, 0.2)
    cut = best_cut(*program)
    assert cut.proven
    assert_sound(cut, program)
    # No goal that changes sides, and no two that swap, make it better.
    for change in [np.arange(50) == k for k in range(50)]:
        assert objective(cut.asked ^ change, *program) <= cut.objective + 1e-9
    for k, h in product(np.flatnonzero(cut.asked), np.flatnonzero(~cut.asked)):
        other = cut.asked.copy()
        other[[k, h]] = other[[h, k]]
        assert objective(other, *program) <= cut.objective + 1e-9


# -- by hand -----------------------------------------------------------------------------------------------------


def test_two_goals_that_branch() -> None:
    belief, branches = np.array([0.3, 0.7]), np.array([[False, True], [True, False]])
    # The pair weighs 1, one goal costs 0.4; which one makes no difference.
    cut = best_cut(belief, branches, 0.4)
    assert cut.asked.sum() == 1
    assert cut.objective == pytest.approx(0.6)
    assert cut.proven


def test_a_star_is_asked_about_by_its_centre() -> None:
    branches = np.zeros((5, 5), dtype=bool)
    branches[2] = branches[:, 2] = True
    branches[2, 2] = False
    cut = best_cut(np.full(5, 0.2), branches, 0.1)
    assert np.flatnonzero(cut.asked).tolist() == [2]
    assert cut.objective == pytest.approx(4 * 0.4 - 0.1)


def test_goals_that_do_not_branch_stay_out_even_if_asking_is_free() -> None:
    branches = np.zeros((4, 4), dtype=bool)
    branches[0, 3] = branches[3, 0] = True
    cut = best_cut(np.full(4, 0.25), branches, 0.0)
    assert cut.asked[[0, 3]].sum() == 1
    assert not cut.asked[[1, 2]].any()


def test_the_diagonal_is_no_pair() -> None:
    assert not best_cut(np.full(3, 1 / 3), np.eye(3, dtype=bool), 0.0).asked.any()


@pytest.mark.parametrize("price", [0.0, 0.2])
def test_where_nothing_branches_nothing_is_asked(price: float) -> None:
    cut = best_cut(np.full(6, 1 / 6), np.zeros((6, 6), dtype=bool), price)
    assert not cut.asked.any()
    assert cut.objective == 0
    assert cut.proven


def test_where_asking_costs_too_much_nothing_is_asked() -> None:
    branches = ~np.eye(4, dtype=bool)
    cut = best_cut(np.full(4, 0.25), branches, 1.6)  # one goal cuts three pairs of weight 1/2
    assert not cut.asked.any()
    assert cut.objective == 0
    assert best_cut(np.full(4, 0.25), branches, 1.4).asked.sum() == 1


# -- the verdict -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_search_that_is_cut_off_says_so(seed: int) -> None:
    upper = np.triu(rng(seed).random((14, 14)) < 0.5, k=1)
    program = (belief_of(rng(seed), 14), upper | upper.T, 0.05)
    whole = best_cut(*program)
    assert whole.proven
    cut = best_cut(*program, budget=40)
    assert not cut.proven
    assert cut.nodes == 41
    assert_sound(cut, program)
    assert cut.objective <= whole.objective + 1e-9
    assert best_cut(*program, budget=whole.nodes).proven
    assert not best_cut(*program, budget=whole.nodes - 1).proven
