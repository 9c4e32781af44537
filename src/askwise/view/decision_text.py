"""Questions and replies in words."""

from __future__ import annotations

from collections.abc import Sequence

from askwise.core.answers import NONE_OF_THESE, n_answers
from askwise.core.questions import Answer, Choice, Question
from askwise.text.wording import either, listed, printable

MOST_NAMES = 12


def question_to_text(goals: Sequence[str], asked: Question, most: int = MOST_NAMES) -> str:
    """Return a question as it would be asked; `goals` are the names of all goals."""
    if isinstance(asked, Choice):
        others = [NONE_OF_THESE] if len(asked) < len(goals) else []
        return f"Which is it: {either([*group_names(goals, asked), *others], most)}?"
    names = [goals[goal] for goal in asked]
    return f"Is it {'one of ' if len(names) > 1 else ''}{listed(names, most)}?"


def reply_to_text(goals: Sequence[str], answer: Answer) -> str:
    """Return a reply as it would be given."""
    if answer.reply is None:
        return "I don't know"
    if not isinstance(answer.asked, Choice):
        return "Yes" if answer.reply else "No"
    if answer.reply == len(answer.asked.groups):
        return NONE_OF_THESE.capitalize()
    return group_names(goals, answer.asked)[answer.reply]


def replies_to(asked: Question, n_goals: int) -> list[Answer]:
    """Return all replies that a question can get, but for none at all."""
    if not isinstance(asked, Choice):
        return [Answer(asked, True), Answer(asked, False)]
    return [Answer(asked, k) for k in range(n_answers(asked, n_goals))]


def group_names(goals: Sequence[str], asked: Choice) -> list[str]:
    """Return what the groups of a choice are called: by their names, or by their goals."""
    if asked.names:
        return [printable(name) for name in asked.names]
    return [listed([goals[goal] for goal in group], 3) for group in asked.groups]
