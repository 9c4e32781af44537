"""Divergence by evidence: exact for goals, bounds for any policies, beside simulation and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askwise
import askwise.methods.paper
from askwise.divergence.evidence import matrices_by_evidence
from askwise.errors import InputError
from askwise.model import GridWorld, Model, Policy

OPEN = GridWorld(12, 12)
OTHER, TRUTH = (11, 8), (9, 11)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [(1e-9, 15.75), (0.01, 15.75), (0.05, 15.182281), (0.1, 14.421392), (0.2, 13.298345), (0.5, 8.996708)],
)
def test_the_open_grid_of_the_definition(evidence: float, expected: float) -> None:
    single = askwise.edp(OPEN, OTHER, TRUTH, at=(0, 0), evidence=evidence)
    assert single.verdict.exact
    assert float(single) == pytest.approx(expected, abs=5e-7)
    family = askwise.Divergence(OPEN, [OTHER, TRUTH], evidence=evidence)
    assert family.edp_at((0, 0))[0, 1] == pytest.approx(float(single), rel=1e-12)
    spread = askwise.dp_distribution(OPEN, OTHER, TRUTH, (0, 0), evidence=evidence)
    assert spread.mean == pytest.approx(float(single), rel=1e-12)


def test_simulation_agrees_on_the_open_grid() -> None:
    ours, theirs = askwise.urop(OPEN, TRUTH), askwise.urop(OPEN, OTHER)
    times = simulated(OPEN, theirs, ours, OPEN.state((0, 0)), 0.2, runs=4000, seed=1)
    exact = 13.298345
    assert abs(times.mean() - exact) < 4 * times.std() / math.sqrt(times.size)
    spread = askwise.dp_distribution(OPEN, OTHER, TRUTH, (0, 0), evidence=0.2)
    assert abs(float((times <= 10).mean()) - (1 - spread.tail(10))) < 0.03
    assert spread.quantile(0.5) == float(np.median(times))


def test_stay_at_the_true_goal_rules_out_every_other_goal() -> None:
    assert float(askwise.edp(OPEN, OTHER, TRUTH, at=TRUTH, evidence=0.01)) == 1
    assert askwise.Divergence(OPEN, [OTHER, TRUTH], evidence=0.01).edp_at(TRUTH)[0, 1] == 1


@pytest.mark.parametrize("evidence", [0, 1, -0.1, 1.5, math.nan, "0.05", True])
def test_evidence_lies_between_0_and_1(evidence: object) -> None:
    with pytest.raises(InputError, match="a number above 0 and below 1"):
        askwise.edp(OPEN, OTHER, TRUTH, at=(0, 0), evidence=evidence)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="evidence"):
        askwise.Divergence(OPEN, [OTHER, TRUTH], evidence=evidence)  # type: ignore[arg-type]


@st.composite
def walled(draw: st.DrawFn) -> tuple[GridWorld, list[tuple[int, int]], tuple[int, int]]:
    """A small map with walls, three connected goals and a start."""
    cells = [(x, y) for x in range(6) for y in range(5)]
    walls = draw(st.lists(st.sampled_from(cells), max_size=7, unique=True))
    grid = GridWorld(6, 5, walls=walls)
    free = [cell for cell in cells if cell not in walls]
    chosen = draw(st.lists(st.sampled_from(free), min_size=4, max_size=4, unique=True))
    return grid, chosen[1:], chosen[0]


@settings(max_examples=25, deadline=None)
@given(walled(), st.floats(0.01, 0.9))
def test_families_equal_single_pairs_and_fall_with_evidence(
    case: tuple[GridWorld, list[tuple[int, int]], tuple[int, int]], evidence: float
) -> None:
    grid, goals, start = case
    plain = askwise.Divergence(grid, goals).matrices_at(start, partial=True)[0]
    found = askwise.Divergence(grid, goals, evidence=evidence).matrices_at(start, partial=True)[0]
    easier = askwise.Divergence(grid, goals, evidence=min(0.95, 1.5 * evidence)).matrices_at(start, partial=True)[0]
    strict = askwise.Divergence(grid, goals, evidence=1e-12).matrices_at(start, partial=True)[0]
    known = ~np.isnan(plain)
    assert (known == ~np.isnan(found)).all()
    np.testing.assert_allclose(strict[known], plain[known], rtol=1e-12)
    assert (found[known] <= plain[known] * (1 + 1e-12)).all()
    assert (easier[known] <= found[known] * (1 + 1e-12)).all()
    for i, j in np.argwhere(known & ~np.eye(3, dtype=bool)):
        single = askwise.edp(grid, goals[i], goals[j], at=start, evidence=evidence)
        assert float(single) == pytest.approx(found[i, j], rel=1e-10)


def test_the_table_of_all_states_holds_the_rows_of_single_states() -> None:
    grid = GridWorld(5, 4, walls=[(2, 1), (2, 2)])
    goals = [(4, 0), (4, 3), (0, 3)]
    family = askwise.Divergence(grid, goals, evidence=0.3)
    rows = {cell: family.matrices_at(cell)[0] for cell in [(0, 0), (3, 1), (4, 3)]}
    table = family.edp_table()
    for cell, row in rows.items():
        np.testing.assert_array_equal(table[grid.state(cell)], row)
    np.testing.assert_array_equal(np.asarray(askwise.edp(grid, goals[0], goals[1], evidence=0.3)), table[:, 0, 1])


def test_goals_that_share_a_target_may_still_diverge_by_evidence() -> None:
    # From "a", two of three shortest plans for the wide goal end elsewhere: 1/3 of its plans end in "t".
    successor = [[1, 2, 3], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1]]
    model = Model(successor, states=["a", "t", "u", "v"])
    wide = ["t", "u", "v"]
    assert float(askwise.edp(model, wide, "t", at="a")) == math.inf
    assert float(askwise.edp(model, wide, "t", at="a", evidence=0.3)) == math.inf
    assert float(askwise.edp(model, wide, "t", at="a", evidence=0.4)) == 1
    both = askwise.Divergence(model, {"wide": wide, "t": "t"}, evidence=0.4).edp_at("a")
    assert both[0, 1] == 1
    assert both[1, 0] == math.inf  # one plan in three ends in the shared target, with evidence for the narrow goal


def test_counts_beyond_doubles() -> None:
    grid = GridWorld(530, 530)
    plain = askwise.edp(grid, (529, 500), (500, 529), at=(0, 0))
    targets = np.array([grid.state((529, 500)), grid.state((500, 529))], dtype=np.int32)
    starts = np.array([0, 1, 2], dtype=np.int32)
    strict, _ = matrices_by_evidence(grid, 0, targets, starts, 1e-300)
    loose, _ = matrices_by_evidence(grid, 0, targets, starts, 0.05)
    assert strict[0, 1] == pytest.approx(float(plain), rel=1e-9)
    assert 300 < loose[0, 1] < strict[0, 1]


# -- bounds for any policies -------------------------------------------------------------------------------------------


def simulated(
    model: Model, ruled_out: Policy, followed: Policy, start: int, evidence: float, *, runs: int, seed: int
) -> np.ndarray:
    """Return divergence points by evidence of simulated runs, cut off at 100,000 steps."""
    rng = np.random.default_rng(seed)
    ours, theirs = followed.probabilities, ruled_out.probabilities
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.log(ours) - np.log(theirs)
    choice = np.cumsum(ours, axis=1)
    law = model.transitions.toarray().reshape(model.n_states, model.n_actions, model.n_states).cumsum(axis=2)
    state, level = np.full(runs, start), np.zeros(runs)
    times, left = np.zeros(runs, dtype=int), np.arange(runs)
    for t in range(1, 100_001):
        draw = rng.random(left.size) * choice[state, -1]
        action = (choice[state] <= draw[:, None]).sum(axis=1)
        level = level + gain[state, action]
        after = law[state, action]
        state = (after <= (rng.random(left.size) * after[:, -1])[:, None]).sum(axis=1)
        done = level >= math.log(1 / evidence) - 1e-9
        times[left[done]] = t
        left, state, level = left[~done], state[~done], level[~done]
        if left.size == 0:
            break
    times[left] = 100_000
    return times


def random_case(seed: int) -> tuple[Model, Policy, Policy, float]:
    """Return a random stochastic model, two random policies in it and a random evidence."""
    rng = np.random.default_rng(seed)
    n, actions = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    law = rng.dirichlet(np.full(n, 0.5), size=(actions, n))
    law[law < 1e-3] = 0
    model = Model(transitions=[each / each.sum(axis=1, keepdims=True) for each in law])
    tables = rng.dirichlet(np.full(model.n_actions, 1.0), size=(2, n))
    tables[tables < 0.02] = 0
    tables /= tables.sum(axis=2, keepdims=True)
    return model, Policy(model, tables[0]), Policy(model, tables[1]), float(rng.choice([0.01, 0.05, 0.1, 0.3]))


def check_case(seed: int, runs: int) -> float:
    """Assert that bounds contain simulated means of a random case; return the width of the bounds."""
    model, other, truth, evidence = random_case(seed)
    result = askwise.edp(model, other, truth, at=0, evidence=evidence, within=0.02)
    times = simulated(model, other, truth, 0, evidence, runs=runs, seed=seed)
    error = 5 * max(float(times.std()), 0.05) / math.sqrt(runs)
    low, high = result.bounds
    assert low - error <= times.mean() <= high + error, (seed, low, high, times.mean(), error)
    assert result.verdict.converged, seed
    return float((high - low) / low)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_contain_the_simulated_mean(seed: int) -> None:
    assert check_case(seed, 3000) <= 0.02


def two_armed(p: float, q: float) -> tuple[Model, Policy, Policy]:
    """Return a model of one state, and policies that take its first action with probability `p` and `q`."""
    model = Model([[0, 0]], actions=["left", "STAY"], stay="STAY")
    return model, Policy(model, [[p, 1 - p]]), Policy(model, [[q, 1 - q]])


def test_independent_steps_and_walds_approximation() -> None:
    model, other, truth = two_armed(0.35, 0.6)
    drift = 0.6 * math.log(0.6 / 0.35) + 0.4 * math.log(0.4 / 0.65)
    for evidence in (0.1, 0.01):
        result = askwise.edp(model, other, truth, at=0, evidence=evidence, within=0.005)
        low, high = result.bounds
        wald = math.log(1 / evidence) / drift
        # Wald's identity: the mean is (limit + overshoot) / drift, and the overshoot is at most the largest gain.
        assert wald <= high
        assert low <= wald + math.log(0.6 / 0.35) / drift
        assert high - low <= 0.005 * low


def test_a_random_walk_on_a_lattice_in_closed_form() -> None:
    # Gains are +log 2 and -log 2: the level 3 log 2 is first reached after 3 / (2/3 - 1/3) = 9 steps on average.
    model, other, truth = two_armed(1 / 3, 2 / 3)
    result = askwise.edp(model, other, truth, at=0, evidence=1 / 8, within=1e-4)
    low, high = result.bounds
    assert low <= 9 + 1e-9
    assert high >= 9 - 1e-9
    assert high - low <= 1e-4 * low
    assert "without rounding" in result.verdict.method


def test_the_true_policy_is_rarely_ruled_out() -> None:
    model, one, two = two_armed(0.35, 0.6)
    rng = np.random.default_rng(3)
    left = rng.random((4000, 300)) < 0.35  # the policy to be ruled out is the truth
    gains = np.where(left, math.log(0.6 / 0.35), math.log(0.4 / 0.65))
    for evidence in (0.05, 0.2):
        share = float((gains.cumsum(axis=1).max(axis=1) >= math.log(1 / evidence)).mean())
        assert 0 < share <= evidence
    assert model.n_states == one.model.n_states == two.model.n_states


def test_infinity_is_decided_on_the_graph() -> None:
    model = Model([[1, 2], [1, 1], [2, 2]], states=["start", "a", "b"], actions=["left", "right"])
    one = Policy(model, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]])
    two = Policy(model, [[0.9, 0.1, 0], [0.5, 0.5, 0], [0.2, 0.8, 0]])
    # By left the policies agree forever, with evidence log 1.8 only; by right they differ in every step.
    assert float(askwise.edp(model, one, two, at="start", evidence=0.5)) == math.inf
    assert float(askwise.edp(model, one, two, at="start", evidence=0.6)) < math.inf
    assert float(askwise.edp(model, one, one, at="start", evidence=0.5)) == math.inf
    everywhere = np.asarray(askwise.edp(model, one, two, evidence=0.5))
    assert np.isinf(everywhere).tolist() == [True, True, False]


def test_a_lattice_that_may_not_grow_says_so() -> None:
    model, other, truth = two_armed(0.35, 0.6)
    result = askwise.edp(model, other, truth, at=0, evidence=0.05, within=1e-6, max_lattice=2000)
    low, high = result.bounds
    assert low < high
    assert not result.verdict.converged
    assert "the requested tolerance was not reached" in str(result.verdict)
    assert str(result.verdict).startswith(f"proven between {low:.6g} and {high:.6g}")


def test_families_keep_both_bounds() -> None:
    grid, goals = GridWorld(4, 4), [(3, 2), (2, 3), (3, 0)]
    policies = [askwise.urop(grid, goal).soften(0.1) for goal in goals]
    family = askwise.Divergence(grid, goals, policies=policies, evidence=0.1, within=0.05)
    lower, upper = family.bounds_at((0, 0))
    edp, wcd = family.matrices_at((0, 0))
    off = ~np.eye(3, dtype=bool)
    assert np.isinf(edp[~off]).all()
    assert np.isinf(lower[~off]).all()
    assert np.isinf(wcd).all()
    assert (lower[off] < upper[off]).all()
    assert (upper[off] <= 1.05 * lower[off]).all()
    np.testing.assert_allclose(edp[off], (lower + upper)[off] / 2)
    finer = askwise.edp(grid, policies[0], policies[1], at=(0, 0), evidence=0.1, within=0.01)
    assert lower[0, 1] <= finer.bounds[0] <= finer.bounds[1] <= upper[0, 1]
    with pytest.raises(InputError, match="within: found 0"):
        askwise.Divergence(grid, goals, evidence=0.1, within=0)
    exact = askwise.Divergence(grid, goals, evidence=0.1)
    for bound in exact.bounds_at((0, 0)):
        np.testing.assert_array_equal(bound, exact.edp_at((0, 0)))


def test_softened_boltzmann_and_learned_teammates_on_a_map() -> None:
    grid = GridWorld(4, 4)
    goals = [(3, 2), (2, 3)]
    walks = [[((0, 0), "EAST"), ((1, 0), "EAST"), ((2, 0), "NORTH")], [((0, 0), "NORTH"), ((0, 1), "EAST")]]
    pairs = {
        "boltzmann": [askwise.boltzmann(grid, goal) for goal in goals],
        "softened": [askwise.urop(grid, goal).soften(0.1) for goal in goals],
        "learned": [
            Policy.from_trajectories(grid, [walk], base=askwise.urop(grid, goal).soften(0.1))
            for walk, goal in zip(walks, goals, strict=True)
        ],
    }
    for one, two in pairs.values():
        result = askwise.edp(grid, one, two, at=(0, 0), evidence=0.1, within=0.05)
        low, high = result.bounds
        times = simulated(grid, one, two, 0, 0.1, runs=2000, seed=4)
        assert low - 0.4 < times.mean() < high + 0.4
        assert result.verdict.converged


def test_ezq_expects_evidence_where_it_is_asked_to() -> None:
    agent = askwise.methods.paper.Ezq(belief="bayes", evidence=0.3)
    plain = askwise.methods.paper.Ezq(belief="bayes")
    for each in (agent, plain):
        askwise.simulate(askwise.generate(seed=1), each, seed=0)
    start = agent.problem.start.teammate
    off = ~np.eye(len(agent.problem.goals), dtype=bool)
    assert (agent._divergence(start)[off] <= plain._divergence(start)[off] + 1e-9).all()
    assert (agent._divergence(start)[off] < plain._divergence(start)[off] - 0.1).any()
