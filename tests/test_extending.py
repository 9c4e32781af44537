"""A new method, belief or teammate is one class and one line in a list; a new answer model is one class.

Episodes, beliefs, exact evaluation and commands use them. The planners have their own loops for beliefs and answers.
"""

from __future__ import annotations

import json
from pathlib import Path

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


def test_what_is_drawn_forbidden_or_trained_on_touches_no_domain() -> None:
    """Domains use nothing of these folders, so what is added there needs nothing from them."""
    used_by_domains = {used for user, used in _edges() if user == "domains"}
    assert used_by_domains, "or nothing was looked at"
    assert not used_by_domains & {"view", "designs", "envs", "studies", "audits", "studio", "cli"}
