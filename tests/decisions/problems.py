"""Random decision problems, and the value of the best plan, found by enumerating all plans."""

from __future__ import annotations

import numpy as np

from askwise.decisions.problem import DecisionProblem
from askwise.decisions.question import Asking
from askwise.types import FloatArray

PRICES = (0.0, 0.01, 0.05, 0.1, 0.3)


def random_problem(seed: int, *, intents: int = 5, actions: int = 3, questions: int = 2) -> DecisionProblem:
    """Return a small random decision problem, with impossible intents, noisy or missing answers, and maybe a limit."""
    rng = np.random.default_rng(seed)
    n, n_actions = int(rng.integers(1, intents + 1)), int(rng.integers(1, actions + 1))
    belief = rng.dirichlet(np.ones(n))
    if n > 2 and rng.random() < 0.2:
        belief[rng.integers(n)] = 0.0
        belief /= belief.sum()
    loss = (
        rng.choice([0.0, 1.0, 5.0], size=(n_actions, n)) if rng.random() < 0.3 else 3 * rng.random((n_actions, n)) - 1
    )
    asked = tuple(_question(f"q{k}", n, rng) for k in range(int(rng.integers(0, questions + 1))))
    limit = None if rng.random() < 0.7 else int(rng.integers(0, questions + 1))
    names = tuple(f"intent {g}" for g in range(n))
    return DecisionProblem(names, belief, tuple(f"action {x}" for x in range(n_actions)), loss, asked, limit)


def _question(name: str, n: int, rng: np.random.Generator) -> Asking:
    k = int(rng.integers(2, 4))
    true = np.eye(k)[rng.integers(0, k, size=n)].T
    kind = rng.random()
    if kind < 0.3:
        likelihood = rng.dirichlet(np.ones(k), size=n).T
    elif kind < 0.6:
        likelihood = 0.8 * true + 0.2 / k
    else:
        likelihood = true
    if rng.random() < 0.3:  # a refusal changes nothing
        likelihood = np.concatenate([0.9 * likelihood, np.full((1, n), 0.1)])[: 3 if k == 2 else 4]
    answers = tuple(f"a{a}" for a in range(len(likelihood)))
    return Asking(name, answers, likelihood / likelihood.sum(axis=0), float(rng.choice(PRICES)))


def best_of_all_plans(problem: DecisionProblem) -> float:
    """Return the expected loss of the best plan, by enumerating all plans with their losses for each intent."""
    plans = _all_plans(problem, problem.questions, problem.most_questions)
    return float((plans @ problem.belief).min())


def _all_plans(problem: DecisionProblem, left: tuple[Asking, ...], most: int) -> FloatArray:
    """Return ``float64 [n_plans, n_intents]``: the losses of every plan with at most this many more questions."""
    plans = [problem.loss]
    for k, question in enumerate(left if most else ()):
        after = _all_plans(problem, left[:k] + left[k + 1 :], most - 1)
        # One plan for each answer, in every combination.
        total = np.full((1, len(problem.intents)), question.price)
        for row in question.likelihood:
            total = (total[:, None, :] + (row * after)[None, :, :]).reshape(-1, len(problem.intents))
        plans.append(total)
    return np.concatenate(plans)


def n_plans(problem: DecisionProblem) -> int:
    """Return the number of plans."""
    return _n_plans(problem, problem.questions, problem.most_questions)


def _n_plans(problem: DecisionProblem, left: tuple[Asking, ...], most: int) -> int:
    asked = enumerate(left if most else ())
    after = [_n_plans(problem, left[:k] + left[k + 1 :], most - 1) ** len(question.answers) for k, question in asked]
    return len(problem.actions) + int(sum(after))


def plain_value(problem: DecisionProblem, depth: int | None = None) -> float:
    """Return the value by the recurrence, to a limited depth in questions."""
    most = problem.most_questions if depth is None else min(depth, problem.most_questions)
    return _value(problem.belief, problem.loss, problem.questions, most)


def _value(weights: FloatArray, loss: FloatArray, left: tuple[Asking, ...], most: int) -> float:
    best = float((loss @ weights).min())
    for k, question in enumerate(left if most else ()):
        rest = left[:k] + left[k + 1 :]
        asked = question.price * weights.sum()
        best = min(best, asked + sum(_value(weights * row, loss, rest, most - 1) for row in question.likelihood))
    return best


def larger_problem(seed: int, n: int = 12, questions: int = 6, *, noisy: bool) -> DecisionProblem:
    """Return a decision problem with one action for each intent that is too large to enumerate all plans."""
    rng = np.random.default_rng(seed)
    asked = []
    for k in range(questions):
        true = np.eye(2)[np.concatenate([[0, 1], rng.integers(0, 2, size=n - 2)])].T
        likelihood = 0.9 * true + 0.1 * (1 - true) if noisy else true
        asked.append(Asking(f"q{k}", ("yes", "no"), likelihood, float(rng.choice([0.01, 0.03, 0.1]))))
    names = tuple(f"intent {g}" for g in range(n))
    return DecisionProblem(names, rng.dirichlet(np.ones(n)), names, 1.0 - np.eye(n), tuple(asked))
