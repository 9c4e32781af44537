"""Episodes as text."""

from __future__ import annotations

import re

import pytest

from askwise import simulate
from askwise.domains.coverage import Coverage
from askwise.methods import Decision
from askwise.view.summary import episode_to_text
from tests.domains.elsewhere import Elsewhere
from tests.methods.asking import Scripted
from tests.tool_fetching import workshop
from tests.view.episodes import asking, golden, never, row_of


def accounts() -> str:
    return "\n".join(episode_to_text(episode) for episode in (asking(), never()))


def lines_of(story: str) -> list[str]:
    """Return the lines between the header and the closing line."""
    return story.split("\n\n")[1].splitlines()[2:]


def test_golden_accounts() -> None:
    assert accounts() == golden("showing-account.txt", accounts())


@pytest.mark.parametrize("method", ["never", "informed"])
def test_every_step_is_told_once(method: str) -> None:
    episode = simulate(workshop(), method, "noisy:0.2", "A", seed=5, belief="robust")
    told: list[int] = []
    for line in lines_of(episode_to_text(episode)):
        first, _, last = line.split()[0].partition("-")
        told += range(int(first), int(last or first) + 1)
    assert told == [step.t for step in episode.steps]


def test_steps_in_which_something_is_learnt_begin_a_line() -> None:
    episode = never()
    starts = {int(line.split()[0].partition("-")[0]) for line in lines_of(episode_to_text(episode))}
    possible = [(step.belief > 0).sum() for step in episode.steps if step.belief is not None]
    changes = {k + 1 for k in range(1, len(possible)) if possible[k] != possible[k - 1]}
    assert changes
    assert changes <= starts


def test_an_agent_without_a_belief() -> None:
    episode = simulate(workshop(), Scripted(Decision(ask=(0, 1))), goal="A", seed=1, max_steps=3)
    story = episode_to_text(episode)
    assert "ASKS: is it A or B?" in story
    assert "YES  (2 of all possible, cost 0.5)" in story
    assert lines_of(story)[-1].rstrip().endswith(")")
    assert story.endswith("Not finished: cut off after 3 steps, with 1 question.\nCost 2.5, with the goal known 12.\n")


def test_questions_that_were_not_worth_their_price() -> None:
    dear = simulate(workshop(query_cost={"base": 9}), "ezq-exact", goal="C", seed=1)
    best = dear.steps[0].decision
    assert best.considered is not None
    names = ", ".join(dear.problem.goals[goal] for goal in best.considered)
    line = f"         asks nothing: the best question ({names}) would save 5.33 and cost 9"
    assert episode_to_text(dear).splitlines()[7] == line
    assert "asks nothing" not in episode_to_text(never())


def test_over_several_steps_the_question_that_came_nearest_is_told() -> None:
    made = [Decision(action=4, value=value, cost=2.0, considered=(k,)) for k, value in enumerate((0.5, 1.5, 1.0))]
    story = episode_to_text(simulate(workshop(), Scripted(*made), "noisy:0", goal="C", seed=1, max_steps=3))
    assert story.count("asks nothing") == 1
    assert "asks nothing: the best question (B) would save 1.5 and cost 2\n" in story


def test_long_questions_are_shortened() -> None:
    names = [f"S{k}" for k in range(1, 31)]
    episode = simulate(row_of(*names), Scripted(Decision(ask=tuple(range(20)))), goal="S1", seed=1, max_steps=1)
    asked = "ASKS: is it one of S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15 or 5 more?"
    assert asked in " ".join(episode_to_text(episode).split())


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\ud800"])
def test_names_cannot_break_an_account(name: str) -> None:
    story = episode_to_text(simulate(row_of(name, "other"), "informed", goal=name, seed=1))
    assert all(line.isprintable() for line in story.splitlines())


def test_colours_only_on_questions() -> None:
    plain, colourful = episode_to_text(asking()), episode_to_text(asking(), colour=True)
    marked = re.findall("\x1b\\[1;38;5;133m(.*?)\x1b\\[0m", colourful)
    assert [text.split()[0] for text in marked] == ["ASKS:", "NO", "ASKS:", "NO"]
    assert re.sub("\x1b\\[[0-9;]*m", "", colourful) == plain


def test_a_problem_of_no_domain_has_the_plainest_words() -> None:
    story = episode_to_text(simulate(Elsewhere(Coverage("A.W.B\n..F..\n")), seed=1))
    assert story.startswith("Two agents: 5 x 2 cells, no walls, 2 goals\n")
    assert "\nteammate starts at (2, 1), ego agent at (2, 0)\n" in story
