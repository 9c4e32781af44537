"""The planner with answers that can be wrong or missing and with choices: against the reference, and its rules."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from askwise import Choice, InputError, QueryCost, simulate
from askwise.core.answers import AnswerModel, same_question
from askwise.core.factored import FactoredProblem
from askwise.core.questions import Question
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Observation, PlannerAgent
from askwise.planning.planner import Planner, make_planner
from askwise.planning.questions import choices_of
from askwise.planning.reference import Reference
from askwise.planning.settings import NOISY_FULL, NOISY_LIGHT, PlannerSettings
from askwise.planning.tables import tables_of
from tests.graphs import random_problem
from tests.planning.agent_costs import marginal_cost_of

CELLS = [
    (wrong, refused, errors)
    for wrong in (0.05, 0.1, 0.2)
    for refused in (0.0, 0.3)
    for errors in ("independent", "persistent")
]
K = 3
CHEAP = QueryCost(0.1)


def with_price(problem: FactoredProblem, price: QueryCost) -> FactoredProblem:
    return problem.with_terms(problem.prior, price)


def drawn(seed: int, cost: QueryCost | None = None) -> ToolFetching:
    cost = QueryCost(0.5, 0.2) if cost is None else cost
    return ToolFetching(generate(width=12, stations=12, toolboxes=4, prior="uniform", query_cost=cost, seed=seed))


# -- beside the optimum ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_within_three_percent_of_the_optimum_and_never_below(cell: tuple[float, float, str]) -> None:
    costs, optimum = 0.0, 0.0
    for seed in range(5):
        problem = random_problem(seed, n_goals=2 + seed % 2 + (seed == 2)).with_answers(AnswerModel(*cell))
        least = Reference(problem, K).cost()
        cost = marginal_cost_of(PlannerAgent(questions=K), problem)
        assert cost >= least - 1e-9
        costs, optimum = costs + cost, optimum + least
    assert optimum > 0
    assert costs <= 1.01 * optimum


@pytest.mark.parametrize("setting", ["full", "light"])
@pytest.mark.parametrize("seed", [0, 2, 6])
def test_the_search_that_is_not_complete_is_near_the_optimum_too(setting: str, seed: int) -> None:
    problem = random_problem(seed, n_goals=4).with_answers(AnswerModel(0.1, 0.3))
    agent = PlannerAgent(questions=K, setting=setting)
    agent.setting = replace(NOISY_FULL if setting == "full" else NOISY_LIGHT, endgame=0)
    least = Reference(problem, K).cost()
    assert least - 1e-9 <= marginal_cost_of(agent, problem) <= 1.1 * least + 1e-9


def test_a_choice_costs_no_more_than_the_optimum_with_choices() -> None:
    asked = 0
    for seed in range(5):
        problem = random_problem(seed, n_goals=3).with_answers(AnswerModel(0.05))
        problem = with_price(problem, QueryCost(0.1, 0.3, per_option=0.02))
        least = Reference(problem, 2).cost()
        cost = marginal_cost_of(PlannerAgent(questions=2), problem)
        assert least - 1e-9 <= cost <= 1.01 * least + 1e-9
        asked += least < Reference(with_price(problem, QueryCost(0.1, 0.3)), 2).cost() - 1e-6
    assert asked > 0, "no problem in which a choice is of use: the test would show nothing"


@pytest.mark.parametrize("seed", range(3))
def test_true_answers_and_no_limit_plan_as_ever(seed: int) -> None:
    """With true answers, the settings for noisy answers give the same cost of acting only."""
    problem = drawn(seed)
    tables = tables_of(problem)
    plain = Planner(problem, tables).plan(np.asarray(problem.prior > 0), tables.start, problem.start.ego)
    noisy = make_planner(problem, tables, limited=True).plan(problem.prior, tables.start, problem.start.ego)
    assert noisy.act_only == pytest.approx(plain.act_only, rel=2e-2)  # goals that hardly count are left out of it
    assert noisy.free == plain.free


@pytest.mark.parametrize("seed", [0, 37, 63, 102])
def test_silence_costs_what_the_reference_says(seed: int) -> None:
    """All next states of the teammate count. In the last three problems its state 0 is one, with several goals left."""
    problem = random_problem(seed).with_answers(AnswerModel(0.1))
    planner, reference = (
        Planner(problem, tables_of(problem), replace(NOISY_FULL, negligible=0.0)),
        Reference(problem, 0),
    )
    found = planner.plan(problem.prior, problem.start.teammate, problem.start.ego).act_only
    assert found == pytest.approx(float(reference.act_only(reference.state())), abs=1e-9)


# -- rules -------------------------------------------------------------------------------------------------------


def asked_in(problem: ToolFetching, answers: str, agent: str | PlannerAgent, seed: int) -> list[Question]:
    episode = simulate(problem, agent, seed=seed, answers=answers)
    assert episode.finished
    return [step.decision.ask for step in episode.steps if step.decision.ask is not None]


def test_never_the_same_question_where_errors_persist() -> None:
    several = 0
    for seed in range(6):
        asked = asked_in(drawn(seed, CHEAP), "wrong:0.2,refused:0.3,persistent", "planner-light", seed)
        keys = [same_question(each, 12) for each in asked]
        assert len(set(keys)) == len(keys)
        several += len(keys) > 1
    assert several


def test_asks_again_where_that_pays() -> None:
    """A refusal carries no information, so the same question is as good as before."""
    again = 0
    for seed in range(6):
        asked = asked_in(drawn(seed, CHEAP), "wrong:0.1,refused:0.5", "planner-light", seed)
        again += len(asked) > len({same_question(each, 12) for each in asked})
    assert again


def test_no_more_questions_than_allowed() -> None:
    for most in (0, 1, 2):
        agent = PlannerAgent(questions=most, setting="light")
        assert all(len(asked_in(drawn(seed, CHEAP), "wrong:0.2", agent, seed)) <= most for seed in range(4))


@pytest.mark.parametrize("questions", [-1, 1.5, True, "3"])
def test_a_number_of_questions_that_is_none(questions: object) -> None:
    with pytest.raises(InputError, match=r"questions: found .*; expected a whole number from 0") as error:
        PlannerAgent(questions=questions)  # type: ignore[arg-type]
    assert error.value.field == "questions"


def test_choices_are_considered_only_where_they_have_a_price() -> None:
    assert choices_of(drawn(0), range(12)) == []
    found = choices_of(drawn(0, QueryCost(0.5, 0.2, per_option=0.1)), range(12))
    assert any(len(choice.goals) == 12 for choice in found)
    assert all(set(choice.names) <= {"T1", "T2", "T3", "T4", *choice.names} for choice in found)


def test_a_choice_is_asked_in_words() -> None:
    for seed in range(10):
        problem = drawn(seed, QueryCost(0.5, 1.0, per_option=0.01)).with_answers(AnswerModel(0.05))
        agent = PlannerAgent(setting="light")
        agent.reset(problem)
        decision = agent.decide(Observation(problem.start))
        if isinstance(decision.ask, Choice):
            names = ", ".join(decision.ask.names)
            assert decision.why.startswith(f"Ask which of {names} it is: without asking you lose ")
            assert decision.cost == pytest.approx(problem.query_cost(decision.ask))
            assert decision.considered == decision.ask
            return
    raise AssertionError("no choice was asked")


@pytest.mark.parametrize("settings", [NOISY_FULL, NOISY_LIGHT])
def test_equal_problems_get_equal_plans_and_more_work_no_worse_ones(settings: PlannerSettings) -> None:
    problem = drawn(3).with_answers(AnswerModel(0.1, 0.3))
    tables = tables_of(problem)
    plans = [Planner(problem, tables, settings).plan(problem.prior, tables.start, problem.start.ego) for _ in range(2)]
    assert plans[0] == plans[1]
    hasty = make_planner(problem, tables).plan(problem.prior, tables.start, problem.start.ego, budget=1)
    assert hasty.states_seen < plans[0].states_seen


def test_tables_stay_as_they_are() -> None:
    problem = drawn(1).with_answers(AnswerModel(0.1))
    tables = tables_of(problem)
    before = tables.weight.copy()
    make_planner(problem, tables).plan(problem.prior, tables.start, problem.start.ego)
    assert np.array_equal(before, tables.weight)


def test_an_agent_in_the_middle_of_an_episode_can_be_pickled() -> None:
    problem = drawn(2).with_answers(AnswerModel(0.1, 0.3))
    agent = PlannerAgent(setting="light")
    agent.reset(problem)
    agent.decide(Observation(problem.start))
    copied = pickle.loads(pickle.dumps(agent))
    assert copied.decide(Observation(problem.start)) == agent.decide(Observation(problem.start))
