"""The search finds the best of all plans; if it stops early, its bounds hold."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from askwise.decisions.arrays import problem_arrays
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.question import Asking
from askwise.decisions.recommendation import Plan, recommend
from askwise.decisions.search import DecisionSolver, capacity, information_bound, search
from tests.decisions.problems import best_of_all_plans, larger_problem, plain_value, random_problem

CLOSE = 1e-12


@pytest.mark.parametrize("block", range(5))
def test_equal_to_all_plans(block: int) -> None:
    for seed in range(120 * block, 120 * (block + 1)):
        problem = random_problem(seed)
        advice = recommend(problem)
        best = best_of_all_plans(problem)
        assert advice.verdict.exact
        assert abs(advice.expected_loss - best) <= CLOSE, seed
        assert abs(advice.verdict.lower_bound - best) <= CLOSE, seed


def test_the_twins_agree() -> None:
    for seed in range(60):
        problem = random_problem(seed)
        assert abs(plain_value(problem) - best_of_all_plans(problem)) <= CLOSE


def test_three_questions() -> None:
    """Problems with too many plans to enumerate are compared with the plain recurrence."""
    for seed in range(120):
        problem = random_problem(seed, intents=6, actions=4, questions=4)
        advice = recommend(problem)
        assert advice.verdict.exact
        assert abs(advice.expected_loss - plain_value(problem)) <= CLOSE, seed


@pytest.mark.parametrize("noisy", [False, True])
def test_one_action_for_each_intent(noisy: bool) -> None:
    for seed in range(4):
        problem = larger_problem(seed, n=10, questions=4, noisy=noisy)
        assert abs(recommend(problem).expected_loss - plain_value(problem)) <= CLOSE


def test_sparse_losses_are_the_same_losses() -> None:
    """With more than 64 intents losses are stored as sparse, which does not change the result."""
    for seed in range(3):
        problem = larger_problem(seed, n=70, questions=3, noisy=bool(seed % 2))
        assert problem_arrays(problem).loss.shape[0] == 0
        assert abs(recommend(problem).expected_loss - plain_value(problem)) <= CLOSE


# -- looking less far ----------------------------------------------------------------------------------------------


def test_a_search_that_used_up_its_budget_continues_without_one() -> None:
    problem = larger_problem(1, n=10, questions=4, noisy=True)
    world, n = problem_arrays(problem), len(problem.questions)
    fresh = DecisionSolver(problem, world, n, n)
    trying = DecisionSolver(problem, world, n, n, budget=1e4)
    trying.values()
    assert not trying.complete
    trying.lift_budget()
    assert [trying.asking(q) for q in range(n)] == [fresh.asking(q) for q in range(n)]
    assert trying.complete


def test_to_a_depth_it_is_the_recurrence_to_that_depth_and_bounds_hold() -> None:
    stopped = 0
    for seed in range(150):
        problem = random_problem(seed, intents=6, actions=4, questions=4)
        best = plain_value(problem)
        for depth in range(3):
            advice = recommend(problem, depth=depth)
            assert abs(advice.expected_loss - plain_value(problem, depth)) <= CLOSE
            assert advice.verdict.lower_bound - CLOSE <= best <= advice.expected_loss + CLOSE
            assert advice.verdict.gap >= 0
            if advice.verdict.exact:
                assert abs(advice.expected_loss - best) <= CLOSE
            stopped += not advice.verdict.exact
    assert stopped > 30, "or nothing was tried"


def test_information_bound() -> None:
    better = 0
    for seed in range(300):
        problem = random_problem(seed, questions=3)
        bound = information_bound(problem)
        assert bound <= plain_value(problem) + CLOSE
        better += bound > float(problem.loss.min(axis=0) @ problem.belief) + 1e-6
    assert better > 50, "or it says no more than knowing the intent"


def test_capacity_of_known_channels() -> None:
    flipped = np.array([[0.9, 0.1], [0.1, 0.9]])
    entropy = -(0.9 * math.log(0.9) + 0.1 * math.log(0.1))
    assert capacity(flipped) == pytest.approx(math.log(2) - entropy, rel=1e-3)
    assert capacity(np.eye(3)) == pytest.approx(math.log(3), rel=1e-3)
    assert capacity(np.array([[0.8, 0.8], [0.2, 0.2]])) == 0.0


@pytest.mark.parametrize("noisy", [False, True])
def test_with_hardly_any_budget_a_narrow_plan_and_bounds(noisy: bool) -> None:
    narrow = 0
    for seed in range(4):
        problem = larger_problem(seed, n=16, questions=7, noisy=noisy)
        best = recommend(problem).expected_loss
        advice = recommend(problem, budget=2e4)
        assert not advice.verdict.exact
        assert advice.verdict.lower_bound - CLOSE <= best <= advice.expected_loss + CLOSE
        assert advice.verdict.gap == pytest.approx(advice.expected_loss - advice.verdict.lower_bound)
        assert abs(executed(problem, advice.plan) - advice.expected_loss) <= CLOSE
        narrow += advice.verdict.narrow
    assert narrow


def test_ten_questions_that_are_needed_together() -> None:
    """1,024 intents and ten questions about halves: a search of depth 3 sees no use in the first one."""
    n = 1024
    bits = (np.arange(n)[None, :] >> np.arange(10)[:, None]) & 1
    asked = tuple(
        Asking(f"bit {k}", ("1", "0"), np.array([row, 1 - row], dtype=float), 0.01) for k, row in enumerate(bits)
    )
    names = tuple(map(str, range(n)))
    problem = DecisionProblem(names, np.full(n, 1 / n), names, 1.0 - np.eye(n), asked)
    assert recommend(problem, depth=3).ask is None
    advice = recommend(problem)
    assert advice.ask is not None
    assert advice.expected_loss == pytest.approx(0.1)
    assert advice.verdict.gap < 1e-3, "what information costs is what ten questions cost"


def test_a_narrow_plan_begins_with_a_question_that_tells_much_for_its_price() -> None:
    """256 intents, eight questions about halves that are needed together, and five questions about one intent each."""
    n = 256
    singles = np.eye(n)[:5]
    bits = (np.arange(n)[None, :] >> np.arange(8)[:, None]) & 1
    asked = tuple(
        Asking(f"q{k}", ("yes", "no"), np.array([row, 1 - row]), 0.01) for k, row in enumerate([*singles, *bits])
    )
    names = tuple(map(str, range(n)))
    problem = DecisionProblem(names, np.full(n, 1 / n), names, 1.0 - np.eye(n), asked)
    advice = recommend(problem, budget=1e6)
    assert not advice.verdict.exact
    assert advice.ask is not None
    assert advice.expected_loss == pytest.approx(0.08)


@pytest.mark.parametrize("n", [8, 128])
def test_of_equally_good_actions_the_first_is_taken(n: int) -> None:
    """This holds for dense and sparse losses, and for any order of actions and intents."""
    names = tuple(map(str, range(n)))
    for loss in (1.0 - np.eye(n), 1.0 - np.eye(n)[::-1]):
        problem = DecisionProblem(names, np.full(n, 1 / n), names, loss, ())
        world = problem_arrays(problem)
        assert (world.loss.shape[0] == 0) == (n == 128)
        _, _, move, _ = DecisionSolver(problem, world, 0, 0).follow([])
        assert move == -1, "minus one less the action"


def test_the_search_is_compiled_once_for_all_problems() -> None:
    """Whatever the layout of the problem's arrays, the kernels get writable arrays in C order."""
    rng = np.random.default_rng(0)
    for n_actions, n_intents in ((1, 3), (3, 1), (3, 4), (3, 100)):
        loss = rng.random((n_actions, n_intents))
        likelihood = np.array([np.full(n_intents, 0.25), np.full(n_intents, 0.75)])
        names = tuple(map(str, range(max(n_actions, n_intents))))
        for order in ("C", "F"):
            asked = Asking("q", ("yes", "no"), np.array(likelihood, order=order), 0.1)
            for questions in ((), (asked,), (asked, asked)):
                belief = np.full(n_intents, 1 / n_intents)
                given = np.array(loss, order=order)
                problem = DecisionProblem(names[:n_intents], belief, names[:n_actions], given, questions)
                arrays = [each for each in problem_arrays(problem) if isinstance(each, np.ndarray)]
                assert all(each.flags.c_contiguous and each.flags.writeable for each in arrays)


# -- the plan ------------------------------------------------------------------------------------------------------


def executed(problem: DecisionProblem, plan: Plan) -> float:
    """Return the expected loss of a plan, by following it for each intent and each answer."""
    if plan.kind == "act":
        return float(problem.loss[problem.action(plan.name)] @ problem.belief)
    asked = problem.question(plan.name)
    total = asked.price
    below = dict(plan.answers)
    for answer, row in zip(asked.answers, asked.likelihood, strict=True):
        heard = float(row @ problem.belief)
        if heard > 0:
            assert below[answer].loss == pytest.approx(executed(problem.heard(plan.name, answer), below[answer]))
            total += heard * executed(problem.heard(plan.name, answer), below[answer])
    return total


def test_the_plan_costs_what_is_said() -> None:
    for seed in range(120):
        problem = random_problem(seed, questions=3)
        advice = recommend(problem)
        assert abs(executed(problem, advice.plan) - advice.expected_loss) <= CLOSE
        assert (advice.plan.kind, advice.plan.name) == (advice.do.kind, advice.do.name)


def test_every_option_costs_what_is_said() -> None:
    for seed in range(80):
        problem = random_problem(seed, questions=3)
        advice = recommend(problem)
        assert advice.settled
        for option in advice.options:
            if option.kind == "act":
                expected = float(problem.loss[problem.action(option.name)] @ problem.belief)
            else:
                asked = problem.question(option.name)
                expected = asked.price + sum(
                    float(row @ problem.belief) * plain_value(problem.heard(option.name, answer))
                    for answer, row in zip(asked.answers, asked.likelihood, strict=True)
                    if float(row @ problem.belief) > 0
                )
            assert abs(option.loss - expected) <= CLOSE
            assert advice.regret(option.kind, option.name) == pytest.approx(option.loss - advice.do.loss)
        losses = [option.loss for option in advice.options]
        assert losses == sorted(losses) or losses[0] <= min(losses) + CLOSE


def test_the_order_of_questions_and_actions_does_not_matter() -> None:
    problem = larger_problem(3, n=6, questions=3, noisy=True)
    values = set()
    for order in permutations(range(3)):
        turned = DecisionProblem(
            problem.intents, problem.belief, problem.actions, problem.loss, tuple(problem.questions[k] for k in order)
        )
        values.add(round(recommend(turned).expected_loss, 12))
    assert len(values) == 1


def test_a_state_is_looked_at_once() -> None:
    """Three truthful questions have 27 combinations of answers, and far fewer sets of possible intents."""
    problem = larger_problem(0, n=8, questions=6, noisy=False)
    solver = DecisionSolver(problem, problem_arrays(problem), 6, 6)
    solver.values()
    assert solver.remembered < 2**8
    assert search(problem).values.exact
