"""Exact evaluation with wrong or missing answers, compared with a plain recursion, the optimum and episodes."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from askwise import evaluate, simulate, solve
from askwise.core.answers import AnswerModel, same_question, same_reply
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Choice, QueryCost, Question
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import AskwiseError
from askwise.methods import AGENTS, Agent, Decision, Observation, make_agent
from askwise.methods.base import QuestionLimit
from askwise.methods.planning_agents import Optimal
from askwise.seeds import spawn
from tests.graphs import random_problem
from tests.planning.test_exact import fork
from tests.planning.test_exact_noisy import doubtful

METHODS = [name for name in AGENTS if name not in ("informed", "planner", "planner-light", "ezq")]
MODELS = (AnswerModel(0.1), AnswerModel(0.2, 0.3), AnswerModel(0.1, 0.3, "persistent"))


def small(seed: int, answers: AnswerModel, *, width: int = 5, stations: int = 4) -> Problem:
    """Return a small map on which every move can be undone."""
    drawn = generate(width=width, stations=stations, toolboxes=2, query_cost=QueryCost(0.3, 0.05), seed=seed)
    return ToolFetching(drawn).with_answers(answers)


# -- from the definition -----------------------------------------------------------------------------------------


def answers_to(problem: Problem, asked: Question, goal: int) -> list[tuple[Answer, float]]:
    """Return the possible replies and their probabilities, straight from the rules."""
    e, r = problem.answers.wrong, problem.answers.refused
    if isinstance(asked, Choice):
        true = next((k for k, group in enumerate(asked.groups) if goal in group), len(asked.groups))
        replies: list[int | bool] = list(range(len(asked.groups) + (len(asked.goals) < len(problem.goals))))
    else:
        true, replies = goal in asked, [True, False]
    shares = [(1 - r) * (1 - e if reply == true else e / (len(replies) - 1)) for reply in replies]
    return [
        *((Answer(asked, reply), share) for reply, share in zip(replies, shares, strict=True)),
        (Answer(asked, None), r),
    ]


def plain_cost(
    problem: Problem, agent: Agent, observation: Observation, weights: dict[int, float], given: dict[object, Answer]
) -> float:
    """Return the expected cost of an agent from here on, times the probability of being here, branch by branch."""
    decision = agent.decide(observation)
    if decision.ask is not None:
        return plain_asking(problem, agent, observation.state, weights, given, decision.ask)
    assert decision.action is not None
    return plain_acting(problem, agent, observation.state, weights, given, decision.action)


def plain_asking(
    problem: Problem,
    agent: Agent,
    state: JointState,
    weights: dict[int, float],
    given: dict[object, Answer],
    asked: Question,
) -> float:
    key = same_question(asked, len(problem.goals))
    heard: dict[Answer, dict[int, float]] = {}
    for goal, weight in weights.items():
        if problem.answers.persistent and key in given:
            heard.setdefault(same_reply(given[key], asked), {})[goal] = weight
            continue
        for answer, share in answers_to(problem, asked, goal):
            if share:
                heard.setdefault(answer, {})[goal] = weight * share
    paid = sum(weights.values()) * problem.query_cost(asked)
    for answer, left in heard.items():
        paid += plain_cost(
            problem, copy.deepcopy(agent), Observation(state, None, answer), left, {key: answer, **given}
        )
    return paid


def plain_acting(
    problem: Problem,
    agent: Agent,
    state: JointState,
    weights: dict[int, float],
    given: dict[object, Answer],
    taken: int,
) -> float:
    paid = sum(weights.values())
    ego = problem.ego.next(state.ego, taken)
    for action in range(len(problem.teammate.actions.names)):
        left = {}
        for goal, weight in weights.items():
            share = float(problem.teammate.policy(state.teammate)[goal, action])
            there = state.teammate in problem.teammate.targets(goal)
            over = action == problem.teammate.actions.stay and there and problem.ego.steps(ego)[goal] == 0
            if share > 0 and not over:
                left[goal] = weight * share
        if left:
            seen = Observation(JointState(problem.teammate.next(state.teammate, action), ego), action)
            paid += plain_cost(problem, copy.deepcopy(agent), seen, left, given)
    return paid


def plain_expected_cost(problem: Problem, agent: Agent) -> float:
    own = copy.deepcopy(agent)
    own.reset(problem, spawn(0, 3)[2])
    return plain_cost(problem, own, Observation(problem.start), dict(enumerate(problem.prior.tolist())), {})


class AsksAround(Agent):
    """An agent that repeats two questions, one of them in two forms, then serves its first goal."""

    def reset(self, problem: Problem, seed: object = None) -> None:
        super().reset(problem)
        n = len(problem.goals)
        self.waiting: list[Question] = [(0,), tuple(range(1, n)), Choice(((0,), (1,))), (0,)]

    def decide(self, observation: Observation) -> Decision:
        if self.waiting:
            return Decision(ask=self.waiting.pop(0), why="Ask.")
        stays = (
            observation.teammate_action is not None
            and observation.teammate_action == self.problem.teammate.actions.stay
        )
        goals = np.flatnonzero(self.problem.teammate.steps(observation.state.teammate) == 0)
        goal = int(goals[0]) if stays and goals.size else 0
        return Decision(action=int(self.problem.ego.optimal(observation.state.ego)[goal].argmax()), why="Go.")


@pytest.mark.parametrize("answers", MODELS, ids=str)
@pytest.mark.parametrize("method", ["cost-prob", "ezq-exact", "toolbox", "optimal"])
def test_a_plain_recursion(method: str, answers: AnswerModel) -> None:
    for seed in range(2):
        problem = small(seed, answers, width=4, stations=3)
        apart = QuestionLimit(make_agent(method), 2)
        apart.markov = False
        found = evaluate(problem, apart, exact=True)
        assert str(found.verdict).startswith("exact, every branch")
        assert found.expected_cost == pytest.approx(plain_expected_cost(problem, apart), rel=1e-12)
        together = evaluate(problem, method, exact=True, questions=2)
        if "random" not in str(together.verdict):
            assert together.expected_cost == pytest.approx(found.expected_cost, rel=1e-12)


@pytest.mark.parametrize("answers", [*MODELS, AnswerModel(0.0, 0.2)], ids=str)
def test_an_agent_that_asks_the_same_in_other_words(answers: AnswerModel) -> None:
    problem = small(3, answers, width=3, stations=3)
    assert evaluate(problem, AsksAround(), exact=True).expected_cost == pytest.approx(
        plain_expected_cost(problem, AsksAround()), rel=1e-12
    )


# -- beside the optimum ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_the_agent_reaches_the_optimum(seed: int) -> None:
    problem, most = doubtful(100 + seed)
    found = evaluate(problem, Optimal(questions=most), exact=True)
    assert found.expected_marginal_cost == pytest.approx(
        solve(problem, questions=most).expected_marginal_cost, abs=1e-9
    )


@pytest.mark.parametrize("answers", MODELS, ids=str)
def test_no_method_is_below_the_optimum(answers: AnswerModel) -> None:
    problem = small(1, answers)
    least = solve(problem).expected_marginal_cost
    assert least > 0.1
    assert evaluate(problem, "optimal", exact=True).expected_marginal_cost == pytest.approx(least, abs=1e-9)
    for method in METHODS:
        held = evaluate(problem, method, exact=True, questions=3)
        assert held.expected_marginal_cost >= least - 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_true_answers_and_so_many_questions(seed: int) -> None:
    problem = random_problem(seed)
    for most in range(3):
        least = solve(problem, questions=most).expected_marginal_cost
        found = evaluate(problem, Optimal(questions=most), exact=True)
        assert found.expected_marginal_cost == pytest.approx(least, abs=1e-9)
        assert evaluate(problem, "cost-prob", exact=True, questions=most).expected_marginal_cost >= least - 1e-9


# -- beside episodes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["optimal", "cost-prob", "toolbox"])
@pytest.mark.parametrize("answers", MODELS, ids=str)
def test_agrees_with_episodes(method: str, answers: AnswerModel) -> None:
    problem = small(1, answers)
    exact = evaluate(problem, method, exact=True, go_on=True)
    sample = evaluate(problem, method, episodes=300, seed=5)
    assert abs(sample.expected_marginal_cost - exact.expected_marginal_cost) <= 4 * sample.stderr + 1e-6


def test_what_is_left_out_is_said() -> None:
    problem = small(0, AnswerModel(0.2, 0.3))
    found = evaluate(problem, "toolbox", exact=True, go_on=True)
    assert not found.verdict.exact
    assert 0 < found.verdict.error_bound < 1e-6
    assert str(found.verdict).startswith("all but a probability of ")
    assert evaluate(problem, "toolbox", exact=True, questions=4).verdict.exact


def test_an_agent_that_asks_for_ever() -> None:
    class Nagging(Agent):
        markov = True

        def decide(self, observation: Observation) -> Decision:
            return Decision(ask=(0,), why="Ask.")

    with pytest.raises(AskwiseError, match=r"is not done after 1,250 steps: it has no cost$"):
        evaluate(fork().with_answers(AnswerModel(0.0, 0.2)), Nagging(), exact=True)


def test_held_to_no_question_at_all() -> None:
    problem = small(2, AnswerModel(0.1))
    silent = evaluate(problem, "toolbox", exact=True, questions=0)
    assert silent.expected_cost == pytest.approx(evaluate(problem, "never", exact=True).expected_cost, abs=1e-12)
    episode = simulate(problem, QuestionLimit(make_agent("toolbox"), 1), seed=3)
    assert episode.finished
    assert sum(step.answer is not None for step in episode.steps) <= 1
