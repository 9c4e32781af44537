"""A new method, belief or teammate is one class and one line in a list; a new answer model is one class.

Episodes, beliefs, exact evaluation and commands use them. Planners refuse answer models that their loops do not cover.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import askwise
from askwise.api import as_problem
from askwise.cli import main
from askwise.core.answers import AnswerModel
from askwise.core.belief import BELIEFS, Belief
from askwise.core.decision import Decision
from askwise.core.problem import JointState
from askwise.core.questions import Answer, Question
from askwise.core.teammates import TEAMMATES, Teammate
from askwise.envs import FLAT_ID
from askwise.errors import InputError
from askwise.methods import AGENTS, BeliefAgent, methods
from askwise.types import BoolArray, FloatArray
from tests.test_imports import _edges
from tests.tool_fetching import workshop


class Likeliest(BeliefAgent):
    """Asks about the likeliest goal."""

    name = "likeliest"

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`."""
        return self.ask([int(self.probabilities.argmax())], "It is the likeliest.")


class Stubborn(Belief):
    """Learns nothing from actions."""

    name = "stubborn"
    needs_shares = False

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""


class Straight(Teammate):
    """Takes the first of the optimal actions."""

    def act(self, state: int) -> int:
        """See `Teammate`."""
        return int(np.flatnonzero(self.problem.teammate.optimal(state)[self.goal])[0])


class Denies(AnswerModel):
    """Answers no instead of yes now and then, and never yes instead of no."""

    def likelihood(self, answer: Answer, n_goals: int) -> FloatArray:
        """See `AnswerModel`."""
        named = np.isin(np.arange(n_goals), list(answer.goals))
        yes = named * (1 - self.wrong)
        return np.asarray(yes if answer.reply else 1 - yes)

    def draw(self, asked: Question, goal: int, n_goals: int, rng: np.random.Generator) -> Answer:
        """See `AnswerModel`."""
        return Answer(asked, goal in asked and bool(rng.random() >= self.wrong))


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the one line of each."""
    monkeypatch.setitem(AGENTS, "likeliest", Likeliest)
    monkeypatch.setitem(BELIEFS, "stubborn", Stubborn)
    monkeypatch.setitem(TEAMMATES, "straight", lambda _: Straight())


def test_a_method_a_belief_and_a_teammate_need_one_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop().save(tmp_path / "shop.json")
    chosen = {"method": "likeliest", "belief": "stubborn", "teammate": "straight"}
    options = [text for key, name in chosen.items() for text in (f"--{key}", name)]
    assert main(["run", str(tmp_path / "shop.json"), "--seed", "1", "--goal", "C", "--json", *options]) == 0
    printed = json.loads(capsys.readouterr().out)
    episode = askwise.simulate(workshop(), "likeliest", teammate="straight", belief="stubborn", goal="C", seed=1)
    assert printed["cost"] == episode.cost
    assert [step.answer.goals for step in episode.questions if step.answer is not None] == [(0,), (1,)]
    assert "likeliest" in methods()


def test_an_agent_can_be_evaluated_and_asked_and_a_belief_observed() -> None:
    found = askwise.evaluate(workshop(), "likeliest", exact=True)
    assert found.expected_marginal_cost >= askwise.solve(workshop()).expected_marginal_cost
    assert askwise.ask(workshop(), method="likeliest").decision.ask == (0,)
    env = gymnasium.make(FLAT_ID, instance=workshop(), belief="stubborn")
    env.reset(seed=1)
    assert isinstance(env.get_wrapper_attr("tracker").belief, Stubborn)


def test_an_answer_model_is_one_class() -> None:
    problem = as_problem(workshop()).with_answers(Denies(wrong=0.25))
    tracker = askwise.Tracker(problem, "bayes")
    tracker.heard(Answer((0,), False))
    assert tracker.probabilities.tolist() == pytest.approx([1 / 9, 4 / 9, 4 / 9])
    episodes = [askwise.simulate(problem, "likeliest", goal="A", seed=seed) for seed in range(20)]
    replies = [
        step.answer.reply for each in episodes for step in each.questions if step.answer and 0 in step.answer.goals
    ]
    assert {True, False} == set(replies)
    assert all(each.finished for each in episodes)


PLANNERS: dict[str, Callable[[Any], object]] = {
    "planner": lambda problem: askwise.simulate(problem, "planner", seed=1),
    "planner-light": lambda problem: askwise.ask(problem, method="planner-light"),
    "optimal": lambda problem: askwise.simulate(problem, "optimal", seed=1),
    "solve": askwise.solve,
    "lower_bound": askwise.lower_bound,
    "evaluate": lambda problem: askwise.evaluate(problem, "planner", exact=True),
}


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize("wrong", [0.0, 0.25])
def test_planners_refuse_answers_that_they_cannot_plan_for(name: str, wrong: float) -> None:
    """They used to plan with the shares of wrong and missing answers, whatever the model says."""
    problem = as_problem(workshop()).with_answers(Denies(wrong=wrong))
    message = "answers: found Denies, a model with its own answers; expected an AnswerModel"
    with pytest.raises(InputError, match=message):
        PLANNERS[name](problem)


class Approximated(Denies):
    """The same, planned for as if errors were as frequent in both directions."""

    def for_planning(self, who: str) -> AnswerModel:
        """See `AnswerModel`."""
        return AnswerModel(wrong=self.wrong)


def test_an_answer_model_may_say_how_to_plan_for_it() -> None:
    problem = as_problem(workshop()).with_answers(Approximated(wrong=0.25))
    assert askwise.simulate(problem, "planner", seed=1).finished
    same = as_problem(workshop()).with_answers(AnswerModel(wrong=0.25))
    assert askwise.ask(problem, method="planner").decision == askwise.ask(same, method="planner").decision
    with pytest.raises(InputError, match="answers: found Approximated, which is planned for by an approximation"):
        askwise.solve(problem)


def test_what_is_drawn_forbidden_or_trained_on_touches_no_domain() -> None:
    """Domains use nothing of these folders, so what is added there needs nothing from them."""
    used_by_domains = {used for user, used in _edges() if user == "domains"}
    assert used_by_domains, "or nothing was looked at"
    assert not used_by_domains & {"view", "designs", "envs", "studies", "audits", "studio", "cli"}
