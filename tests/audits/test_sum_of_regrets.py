"""Expected regrets add up exactly to the expected cost above the optimum."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import askwise
from askwise import evaluate, solve
from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Agent, make_agent
from tests.audits.paths import Erratic, every_episode
from tests.planning.test_exact import fork

DOUBTFUL = AnswerModel(wrong=0.1, refused=0.2)
PERSISTENT = AnswerModel(wrong=0.1, refused=0.2, errors="persistent")


def small() -> ToolFetching:
    return ToolFetching(generate(width=4, stations=3, toolboxes=2, seed=4, query_cost=QueryCost(0.3, 0.1)))


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "fork": fork,
    "tools": small,
    "coverage": lambda: Coverage("A.#B\n.W..\n.F.C", prior=[1, 2, 3], query_cost=QueryCost(0.25, 0.1)),
    "choices": lambda: Coverage("A.#B\n.W..\n.F.C", prior=[1, 2, 3], query_cost=QueryCost(0.2, 0.1, per_option=0.05)),
    "doubtful": lambda: small().with_answers(DOUBTFUL),
    "persistent": lambda: fork().with_answers(PERSISTENT),
}


def lost(problem: Problem, agent: Agent, questions: int | None = None) -> tuple[float, float]:
    """Return the expected sum of regrets, and the total probability of the enumerated episodes."""
    paths = list(every_episode(problem, agent))
    audit = askwise.audit([episode for _, episode in paths], judge="optimal", questions=questions)
    regrets = (share * audited.regret for (share, _), audited in zip(paths, audit.episodes, strict=True))
    return math.fsum(regrets), math.fsum(share for share, _ in paths)


@pytest.mark.parametrize("where", PROBLEMS)
@pytest.mark.parametrize("odd", [0, 1])
def test_expected_regrets_add_up_to_the_cost_above_the_optimum(where: str, odd: int) -> None:
    problem = PROBLEMS[where]()
    above = evaluate(problem, Erratic(odd), exact=True).expected_cost - solve(problem).expected_cost
    regret, followed = lost(problem, Erratic(odd))
    assert followed == pytest.approx(1.0, abs=1e-12)
    assert above > 0.01
    assert regret == pytest.approx(above, abs=1e-9)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_with_a_limit_regrets_add_up_for_those_who_keep_to_it(most: int) -> None:
    """For agents that exceed the limit, the sum of regrets is at least the cost above the optimum."""
    problem = ToolFetching(
        generate(width=4, stations=3, toolboxes=2, seed=2, query_cost=QueryCost(0.02, 0.0))
    ).with_answers(DOUBTFUL)
    least = solve(problem, questions=most).expected_cost
    for asks in range(3):
        agent = Erratic(1, most=asks)
        above = evaluate(problem, agent, exact=True).expected_cost - least
        regret, _ = lost(problem, agent, questions=most)
        if asks <= most:
            assert regret == pytest.approx(above, abs=1e-9)
        else:
            assert regret >= above - 1e-9


@pytest.mark.parametrize("where", PROBLEMS)
def test_the_optimum_regrets_nothing(where: str) -> None:
    problem = PROBLEMS[where]()
    audit = askwise.audit([askwise.simulate(problem, "optimal", seed=seed) for seed in range(6)], judge="optimal")
    assert audit.regret == pytest.approx(0.0, abs=1e-9)
    assert sum(each.count for each in audit.faults.values()) == 0
    assert audit.precision in (1.0, pytest.approx(math.nan, nan_ok=True))


def test_never_asking_is_found_to_cost_what_it_costs() -> None:
    problem = fork()
    regret, _ = lost(problem, make_agent("never"))
    assert regret == pytest.approx(evaluate(problem, "never", exact=True).expected_cost - solve(problem).expected_cost)
    assert regret == pytest.approx(0.5)
