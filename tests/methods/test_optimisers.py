"""Optimisers, compared with trying every question and with each other, and their verdicts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.core.questions import AdditivePrice, Price, QueryCost
from askwise.methods import optimisers
from askwise.methods.optimisers import OPTIMISERS, BestQuestion, auto, exact, genetic, local_search, optimise
from askwise.methods.question_value import QuestionValue
from askwise.types import BoolArray, FloatArray
from tests.methods.decisions import decisions
from tests.methods.questions import all_questions, free_of_charge, situation, situations, values_of
from tests.refused import Fault, assert_refused, each

Situation = tuple[FloatArray, FloatArray, FloatArray]
every_method = pytest.mark.parametrize("method", sorted(OPTIMISERS))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def by_size(prices: Sequence[float]) -> Price:
    return lambda asked: prices[len(asked)]


@st.composite
def costs(draw: st.DrawFn, n: int) -> Price:
    """Return prices: 0, the paper's, or random ones by the number of goals."""
    kind = draw(st.sampled_from(["free", "linear", "any"]))
    if kind == "free":
        return free_of_charge
    if kind == "linear":
        return QueryCost(draw(st.sampled_from([0.0, 0.5])), draw(st.sampled_from([0.1, 0.5, 2.0])))
    return by_size(draw(st.lists(st.integers(0, 40).map(lambda k: k / 8), min_size=n + 1, max_size=n + 1)))


@st.composite
def priced(draw: st.DrawFn, *, max_goals: int = 8) -> QuestionValue:
    drawn = draw(situations(max_goals=max_goals))
    return values_of(drawn, draw(costs(len(drawn[0]))))


def best_of_all(values: QuestionValue) -> float:
    return max(values.net(mask) for mask in all_questions(values.n))


# -- what every method promises ----------------------------------------------------------------------------------


@every_method
@given(values=priced(), seed=st.integers(0, 1000))
def test_a_found_question_is_one_and_its_numbers_are_right(method: str, values: QuestionValue, seed: int) -> None:
    found = optimise(values, method, rng(seed))
    assert 0 < found.asked.sum() < values.n
    assert found.asked.dtype == np.bool_
    assert found.value == values.value(found.asked)
    assert found.cost == values.cost(np.flatnonzero(found.asked).tolist())
    assert found.net == found.value - found.cost
    assert found.net <= best_of_all(values) + 1e-9
    assert found.evaluations > 0


@every_method
@given(values=priced(max_goals=12), seed=st.integers(0, 1000))
def test_the_same_seed_finds_the_same(method: str, values: QuestionValue, seed: int) -> None:
    one, other = (optimise(values, method, rng(seed)) for _ in range(2))
    assert one.asked.tolist() == other.asked.tolist()
    assert (one.value, one.cost, one.verdict, one.evaluations) == (
        other.value,
        other.cost,
        other.verdict,
        other.evaluations,
    )


@every_method
def test_two_goals(method: str) -> None:
    # Both questions tell everything; nothing is left to choose.
    values = values_of((np.array([0.3, 0.7]), np.ones((2, 2)), np.full((2, 2), 4.0)), QueryCost(0.5, 0.1))
    found = optimise(values, method)
    assert found.asked.sum() == 1
    assert found.value == pytest.approx(4)
    assert found.cost == 0.6


@every_method
def test_where_no_question_is_worth_anything_one_is_returned_all_the_same(method: str) -> None:
    values = values_of((np.full(5, 0.2), np.full((5, 5), 9.0), np.ones((5, 5))), QueryCost(0.5, 0.25))
    found = optimise(values, method)
    assert found.value == 0
    assert found.net < 0


# -- exact -------------------------------------------------------------------------------------------------------


@given(values=priced(), seed=st.integers(0, 1000))
def test_exact_beside_trying_everything(values: QuestionValue, seed: int) -> None:
    found = exact(values, rng(seed))
    assert found.verdict == "proven optimal"
    assert found.net == pytest.approx(best_of_all(values), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("per_goal", [0.0, 0.3])
def test_exact_beside_trying_everything_about_ten_goals(seed: int, per_goal: float) -> None:
    values = values_of(situation(rng(seed), 10), QueryCost(0.5, per_goal))
    batch = np.array(all_questions(10))
    nets = values.values(batch) - np.array([values.cost(range(size)) for size in batch.sum(axis=1)])
    assert exact(values, rng()).net == pytest.approx(nets.max(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_exact_proves_sixteen_goals_without_any_structure(seed: int) -> None:
    found = exact(values_of(situation(rng(seed), 16), QueryCost(0.5, 0.1)), rng())
    assert found.verdict == "proven optimal"


def test_exact_takes_the_cheaper_of_a_question_and_its_complement() -> None:
    # Goal 0 against the rest is the question; asking about goal 0 is cheap, or expensive.
    branching, divergence = np.full((5, 5), np.inf), np.ones((5, 5))
    branching[0, 1:] = branching[1:, 0] = 1.0
    divergence[0, 1:] = divergence[1:, 0] = 9.0
    given_ = (np.full(5, 0.2), branching, divergence)
    assert exact(values_of(given_, QueryCost(0.5, 0.1)), rng()).asked.tolist() == [True] + [False] * 4
    assert exact(values_of(given_, by_size([0, 3, 3, 3, 1, 0])), rng()).asked.tolist() == [False] + [True] * 4


@pytest.mark.parametrize("seed", range(5))
def test_exact_says_when_its_budget_was_cut(seed: int) -> None:
    values = values_of(situation(rng(seed), 12), QueryCost(0.5, 0.1))
    whole = exact(values, rng())
    cut = exact(values, rng(), budget=3)
    assert cut.verdict == "budget used"
    # What it began with is kept: two climbs and the likeliest half.
    assert local_search(values, rng(), restarts=2).net <= cut.net <= whole.net + 1e-9
    nodes = whole.evaluations - local_search(values, rng(), restarts=2).evaluations
    assert exact(values, rng(), budget=nodes).verdict == "proven optimal"
    assert exact(values, rng(), budget=nodes - 1).verdict == "budget used"


def test_auto_proves_where_goals_are_few() -> None:
    few = values_of(situation(rng(1), 10), QueryCost(0.5, 0.1))
    many = values_of(situation(rng(1), 60), QueryCost(0.5, 0.1))
    assert auto(few, rng(3)).net == pytest.approx(exact(few, rng(3)).net, abs=1e-12)
    assert auto(few, rng(3)).verdict == "proven optimal"
    assert auto(many, rng(3)).net >= local_search(many, rng(3)).net
    assert _plain(optimise(few, rng=rng(3))) == _plain(auto(few, rng(3))), "auto is the default"


def _plain(found: BestQuestion) -> tuple[object, ...]:
    return found.asked.tolist(), found.value, found.cost, found.verdict, found.evaluations


# -- local -------------------------------------------------------------------------------------------------------


@given(values=priced(), seed=st.integers(0, 1000))
def test_a_local_optimum_is_one(values: QuestionValue, seed: int) -> None:
    found = local_search(values, rng(seed))
    assert found.verdict == "local optimum"
    for mask in neighbours(found.asked):
        assert values.net(mask) <= found.net + 1e-9


def neighbours(asked: BoolArray) -> list[BoolArray]:
    """Return the questions that differ by one goal, or by an exchange of one goal for another."""
    n = asked.size
    flips = [np.arange(n) == k for k in range(n)]
    swaps = [flips[k] | flips[h] for k in np.flatnonzero(asked) for h in np.flatnonzero(~asked)]
    return [mask for mask in (asked ^ change for change in flips + swaps) if 0 < mask.sum() < n]


def test_more_restarts_never_hurt() -> None:
    values = [values_of(situation(rng(seed), 30), QueryCost(0.5, 0.05)) for seed in range(30)]
    few, many = ([local_search(each, rng(), restarts=n).net for each in values] for n in (0, 40))
    # The first start is the same, whatever comes after it.
    assert all(one <= other for one, other in zip(few, many, strict=True))
    assert few != many


# -- genetic -----------------------------------------------------------------------------------------------------


class Recorded(QuestionValue):
    """Records every question that is valued in a batch."""

    def __init__(self, given_: Situation, cost: Price) -> None:
        super().__init__(*given_, cost)
        self.seen: list[BoolArray] = []

    def values(self, questions: BoolArray) -> FloatArray:
        self.seen += list(questions.copy())
        return super().values(questions)


@given(drawn=situations(max_goals=12), seed=st.integers(0, 1000))
def test_genetic_returns_the_best_it_ever_saw(drawn: Situation, seed: int) -> None:
    values = Recorded(drawn, QueryCost(0.5, 0.25))
    found = genetic(values, rng(seed), population=8, generations=5, mutation=0.05)
    assert found.verdict == "best seen"
    proper = [mask for mask in values.seen if 0 < mask.sum() < values.n]
    assert found.evaluations == len({mask.tobytes() for mask in values.seen}) == len(values.seen) <= 8 * 6
    if proper:
        assert found.net == max(values.net(mask) for mask in proper)


def test_the_constants_of_the_paper_are_the_defaults() -> None:
    defaults = {
        name: p.default for name, p in inspect.signature(genetic).parameters.items() if p.default is not p.empty
    }
    assert defaults == {"population": 50, "generations": 100, "mutation": 0.001}
    for parameter in inspect.signature(genetic).parameters.values():
        assert (parameter.kind is parameter.KEYWORD_ONLY) == (parameter.name in defaults)


def test_the_first_generation_is_random_and_a_hundred_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    generations: list[BoolArray] = []
    following = optimisers._next_generation

    def recorded(members: BoolArray, *rest: object) -> BoolArray:
        generations.append(members)
        return following(members, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(optimisers, "_next_generation", recorded)
    genetic(values_of(situation(rng(0), 40)), rng(0))
    assert len(generations) == 100
    assert all(members.shape == (50, 40) for members in generations)
    assert 0.4 < generations[0].mean() < 0.6, "2000 coins"


def test_tournaments_of_two() -> None:
    # Half of the members are good. Two rivals drawn at random are both bad in a quarter of the cases.
    members = np.zeros((4000, 3), dtype=np.bool_)
    members[:2000] = True
    children = optimisers._next_generation(members, members[:, 0].astype(np.float64), 0.0, rng(0))
    assert 0.72 < children.mean() < 0.78


def test_crossover_at_one_point() -> None:
    members = np.zeros((4000, 6), dtype=np.bool_)
    members[:2000] = True
    children = optimisers._next_generation(members, np.zeros(4000), 0.0, rng(0))
    changes = (children[:, 1:] != children[:, :-1]).sum(axis=1)
    assert set(changes.tolist()) == {0, 1}
    # Parents differ in half of the pairs; then the point is anywhere between two neighbours.
    points = (children[:, 1:] != children[:, :-1]).mean(axis=0)
    np.testing.assert_allclose(points, 0.5 / 5, atol=0.03)
    # What one child of a pair lacks the other has.
    together = children[0::2].astype(int) + children[1::2]
    assert (together == together[:, :1]).all()
    assert set(together[:, 0].tolist()) == {0, 1, 2}


def test_single_bits_are_flipped() -> None:
    children = optimisers._next_generation(np.zeros((1000, 500), dtype=np.bool_), np.zeros(1000), 0.001, rng(0))
    assert 350 < children.sum() < 650, "500 expected"


def test_an_odd_population_keeps_its_last() -> None:
    found = genetic(values_of(situation(rng(2), 9)), rng(0), population=7, generations=30)
    assert found.net > 0


def test_a_population_that_holds_no_question_at_all() -> None:
    # With two goals and one member that never changes, seeds exist for which it is empty, or full, for ever.
    values = values_of((np.array([0.3, 0.7]), np.ones((2, 2)), np.full((2, 2), 4.0)))
    seeds = [seed for seed in range(20) if (rng(seed).random((1, 2)) < 0.5).sum() != 1]
    assert seeds
    for seed in seeds:
        assert genetic(values, rng(seed), population=1, generations=3, mutation=0.0).asked.tolist() == [True, False]


# -- at the size of the paper ------------------------------------------------------------------------------------


@cache
def searched() -> list[tuple[QuestionValue, BestQuestion, BestQuestion]]:
    """Return 200 decisions with the results of the genetic algorithm and of local search."""
    drawn = [moment.values for moment in decisions(200)]
    return [(values, genetic(values, rng(k)), local_search(values, rng(k))) for k, values in enumerate(drawn)]


def test_the_decisions_are_of_the_size_of_the_paper() -> None:
    sizes = [values.n for values, _, _ in searched()]
    assert max(sizes) == 50
    assert np.mean(sizes) > 15
    assert len({values.cost([0]) for values, _, _ in searched()}) == 3


def test_local_search_is_never_below_the_genetic_algorithm() -> None:
    pairs = {k: (climbed, evolved) for k, (_, evolved, climbed) in enumerate(searched())}
    below = {k: (climbed.net, evolved.net) for k, (climbed, evolved) in pairs.items() if is_below(climbed, evolved)}
    assert not below, "decision: (local, genetic)"


def is_below(one: BestQuestion, other: BestQuestion) -> bool:
    return one.net < other.net - 1e-9


def test_local_search_is_often_above_it() -> None:
    above = [climbed.net - evolved.net for _, evolved, climbed in searched() if is_below(evolved, climbed)]
    assert 40 < len(above) < 160
    assert np.mean(above) > 0.3, "steps saved"


def test_nothing_is_above_what_is_proven() -> None:
    proven = 0
    for k, (values, evolved, climbed) in enumerate(searched()[:60]):
        found = exact(values, rng(k), budget=100_000)
        assert not is_below(found, local_search(values, rng(k), restarts=2))
        if found.verdict == "proven optimal":
            proven += 1
            assert not is_below(found, evolved)
            assert not is_below(found, climbed)
    assert proven > 50


# -- faults ------------------------------------------------------------------------------------------------------

METHODS = "'auto', 'exact', 'genetic', 'local'"


def _any(cost: Price = free_of_charge, n: int = 4) -> QuestionValue:
    return values_of(situation(rng(0), n), cost)


def by_goal(asked: Sequence[int]) -> float:
    """A price that depends on the goals named."""
    return float(sum(1 + goal for goal in asked))


def dearer_together(asked: Sequence[int]) -> float:
    """A price that is no sum over goals: goals 0 and 2 cost more together."""
    return 0.5 + 0.1 * len(asked) + (0.3 if {0, 2} <= set(asked) else 0.0)


SUM = (
    "QueryCost(base, per_goal), or QueryCost(base, prices=...) with a price for each goal: "
    "the optimiser 'genetic' takes any price, the others need this"
)
NO_SUM = f"query cost: found a price that is no sum over the goals asked about; expected {SUM}"
UNKNOWN = f"query cost: found function, a function that may charge anything for 20 goals; expected {SUM}"

FAULTS: dict[str, Fault] = {
    "an unknown method": (lambda: optimise(_any(), "magic"), f"optimiser: found 'magic'; expected one of {METHODS}"),
    "a slip of the keyboard": (
        lambda: optimise(_any(), "genetics"),
        f"optimiser: found 'genetics'; expected one of {METHODS} (did you mean 'genetic'?)",
    ),
    "one goal": (
        lambda: optimise(values_of((np.ones(1), np.ones((1, 1)), np.ones((1, 1))))),
        "goals: found 1 possible; expected at least two, so that there is something to ask",
    ),
    "local search with a price that is no sum": (lambda: local_search(_any(dearer_together), rng()), NO_SUM),
    "a proof with a price that is no sum": (lambda: exact(_any(dearer_together), rng()), NO_SUM),
    "auto with a price that cannot be proven to be a sum": (lambda: auto(_any(by_goal, 20), rng()), UNKNOWN),
}


@each(FAULTS)
def test_what_cannot_be_searched_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@pytest.mark.parametrize("seed", range(5))
def test_genetic_copes_with_prices_by_goal(seed: int) -> None:
    values = values_of(situation(rng(seed), 6), by_goal)
    found = genetic(values, rng(seed))
    assert found.net == pytest.approx(best_of_all(values), abs=1e-9), "64 questions: it sees the best one"


@pytest.mark.parametrize("method", ["exact", "auto", "local"])
@pytest.mark.parametrize("seed", range(12))
def test_prices_by_goal_are_handled_by_every_optimiser(method: str, seed: int) -> None:
    """Some goals are expensive to name, some nearly free; every optimiser finds the best of all 2^n questions."""
    n = 3 + seed % 6
    prices = rng(seed).choice([0.0, 0.05, 0.4, 3.0], size=n)
    values = values_of(situation(rng(seed), n), AdditivePrice(0.5, 0.0, prices))
    found = optimise(values, method, rng(seed))
    assert found.cost == pytest.approx(0.5 + prices[found.asked].sum())
    assert prices[found.asked].sum() <= prices[~found.asked].sum() + 1e-12, "the complement tells the same for less"
    best = best_of_all(values)
    if found.verdict == "proven optimal":
        assert found.net == pytest.approx(best, abs=1e-9)
    assert found.net <= best + 1e-9
    assert method == "local" or found.verdict == "proven optimal"


@pytest.mark.parametrize("seed", range(20))
def test_climbing_reaches_a_local_optimum_by_real_prices(seed: int) -> None:
    n = 7
    prices = rng(seed).uniform(0.0, 2.0, size=n)
    values = values_of(situation(rng(seed), n), AdditivePrice(0.5, 0.1, prices))
    found = local_search(values, rng(seed))
    for goal in range(n):
        other = found.asked.copy()
        other[goal] = not other[goal]
        if other.any() and not other.all():
            assert values.net(other) <= found.net + 1e-9
