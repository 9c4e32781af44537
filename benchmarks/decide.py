"""`askwise.decide` compared with all plans on thousands of small problems, and its time with simple numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from time import process_time

import numpy as np
from tests.decisions.problems import best_of_all_plans, n_plans, random_problem

from askwise.decisions.problem import DecisionProblem
from askwise.decisions.question import Asking
from askwise.decisions.recommendation import Recommendation, recommend
from askwise.types import FloatArray
from benchmarks.tools.report import Column, Table, progress, seconds

SMALL = (20, 10)
LARGE = (1000, 50)
MOST_PLANS = 3_000_000
"""Problems with more plans are left out."""
SAME = 1e-12


def run(quick: bool) -> list[Table]:
    """Compare losses with the best of all plans, then times with simple numpy."""
    return [_all_plans(300 if quick else 3_000), _timed(quick)]


def _all_plans(n: int) -> Table:
    progress(f"decide: {n} problems compared with all plans")
    columns = [Column("at most"), Column("problems", str), Column("plans", lambda x: f"{x:,}")]
    columns += [Column("exact", str), Column("better than all plans", str), Column("worse", str)]
    table = Table(
        "askwise.decide compared with the best of all plans",
        [*columns, Column("largest difference", lambda x: f"{x:.1e}")],
    )
    found = [_compare_with_all_plans(problem) for problem in islice(_small_problems(), n)]
    for most in (1, 2):
        rows = [each for each in found if each[0] == most]
        asked = "1 question" if most == 1 else f"{most} questions"
        sums = [sum(each[k] for each in rows) for k in range(1, 5)]
        table.rows.append([asked, len(rows), *sums, max(each[5] for each in rows)])
    table.notes.append(f"plans: number of all plans; problems with more than {MOST_PLANS:,} are left out")
    table.notes.append(f"better, worse: by more than {SAME:g}")
    return table


def _small_problems() -> Iterator[DecisionProblem]:
    """Yield small random problems with a question and at most `MOST_PLANS` plans."""
    for seed in count():
        problem = random_problem(seed)
        if problem.most_questions and n_plans(problem) <= MOST_PLANS:
            yield problem


def _compare_with_all_plans(problem: DecisionProblem) -> tuple[int, int, bool, bool, bool, float]:
    advice, best = recommend(problem), best_of_all_plans(problem)
    more = advice.expected_loss - best
    exact = advice.verdict.exact
    return problem.most_questions, n_plans(problem), exact, more < -SAME, exact and more > SAME, abs(more)


def draw_problem(size: tuple[int, int], *, noisy: bool, actions: int | None, price: float) -> DecisionProblem:
    """Return a random problem with yes/no questions, each true for a random half of the intents.

    Args:
        size: numbers of intents and questions.
        noisy: whether a tenth of the answers is wrong.
        actions: number of actions with random losses; None means one right action for each intent.
        price: price of each question.
    """
    rng = np.random.default_rng([7, *size])
    n, n_questions = size
    loss = 1.0 - np.eye(n) if actions is None else 3 * rng.random((actions, n))
    questions = []
    for k in range(n_questions):
        true = np.eye(2)[rng.integers(0, 2, size=n)].T
        likelihood = 0.9 * true + 0.1 * (1 - true) if noisy else true
        questions.append(Asking(f"question {k}", ("yes", "no"), likelihood, price))
    names = tuple(f"intent {g}" for g in range(n))
    return DecisionProblem(
        names, rng.dirichlet(np.ones(n)), tuple(f"action {x}" for x in range(len(loss))), loss, tuple(questions)
    )


def simple_value(problem: DecisionProblem, depth: int) -> float:
    """Return the least expected loss with at most `depth` questions, directly by the recurrence."""

    def value(weights: FloatArray, left: tuple[Asking, ...], most: int) -> float:
        best = float((problem.loss @ weights).min())
        for k, question in enumerate(left if most else ()):
            rest = left[:k] + left[k + 1 :]
            asked = question.price * float(weights.sum())
            best = min(best, asked + sum(value(weights * row, rest, most - 1) for row in question.likelihood))
        return best

    return value(problem.belief, problem.questions, depth)


def _timed(quick: bool) -> Table:
    columns = [Column("problem"), Column("answers"), Column("actions"), Column("horizon"), seconds("askwise")]
    columns += [seconds("simple numpy"), Column("speed-up", lambda x: f"{x:.2g}"), Column("verdict")]
    table = Table("Time for a decision", columns)
    recommend(draw_problem((3, 2), noisy=True, actions=2, price=0.1), depth=2)  # once untimed, to compile
    for size, actions, asked in _cases(quick):
        for noisy in (False, True):
            problem = draw_problem(size, noisy=noisy, actions=actions, price=0.02)
            table.rows.append(_row(problem, noisy, actions, asked))
            progress(f"decide: {table.rows[-1][:4]}")
    table.notes.append("CPU time of this process, the best of 3 runs; of 1 run for simple numpy")
    table.notes.append(
        "simple numpy: the recurrence to the same depth without caching or bounds; the values are the same"
    )
    table.notes.append("1,000 intents and 20 actions: mostly matrix-vector products, for which numpy is as fast")
    table.notes.append("no limit: includes a plan with the most informative questions, and a lower bound")
    return table


def _cases(quick: bool) -> list[tuple[tuple[int, int], int | None, int | None]]:
    cases: list[tuple[tuple[int, int], int | None, int | None]] = [(SMALL, None, 3), (SMALL, 20, 3), (SMALL, 20, None)]
    return cases if quick else [*cases, (LARGE, None, 2), (LARGE, 20, 2), (LARGE, None, None), (LARGE, 20, None)]


def _row(problem: DecisionProblem, noisy: bool, actions: int | None, depth: int | None) -> list[object]:
    ours, advice = _best_of_three(lambda: recommend(problem, depth=depth))
    simple = None
    if depth is not None:
        start = process_time()
        assert abs(simple_value(problem, depth) - advice.expected_loss) < 1e-9
        simple = process_time() - start
    what = f"{len(problem.intents):,} intents, {len(problem.questions)} questions"
    asked = "no limit" if depth is None else f"look-ahead {depth}"
    kinds = "one for each intent" if actions is None else str(actions)
    answers = "10 % wrong" if noisy else "true"
    return [what, answers, kinds, asked, ours, simple, None if simple is None else simple / ours, str(advice.verdict)]


def _best_of_three(call: Callable[[], Recommendation]) -> tuple[float, Recommendation]:
    taken = []
    for _ in range(3):
        start = process_time()
        advice = call()
        taken.append(process_time() - start)
    return min(taken), advice
