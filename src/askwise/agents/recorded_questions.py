"""Questions and replies as JSON, goals by name.

- A yes/no question is a list of goals, its reply ``true`` or ``false``.
- A choice is an object with ``groups``, lists of goals, and ``names``, one for each group, empty if they have none; its
  reply is the number of a group from 0, one more than the last for "none of these".
- A reply that was refused ("I don't know") is null.
"""

from __future__ import annotations

from typing import Any

from askwise.answers import n_answers
from askwise.problem import Problem
from askwise.questions import Answer, Choice, Question
from askwise.reading import Field


def question_to_json(problem: Problem, asked: Question) -> Any:
    """Return a question as JSON."""
    if not isinstance(asked, Choice):
        return [problem.goals[goal] for goal in asked]
    groups = [[problem.goals[goal] for goal in group] for group in asked.groups]
    return {"groups": groups, "names": list(asked.names)}


def question_from_json(problem: Problem, given: Field) -> Question:
    """Read a question."""
    if not isinstance(given.value, dict):
        return _goals(problem, given)
    given.object(["groups", "names"], [])
    groups = tuple(_goals(problem, group) for group in given.child("groups").elements())
    names = tuple(name.text() for name in given.child("names").elements())
    listed = [goal for group in groups for goal in group]
    if not groups or not all(groups) or len(set(listed)) != len(listed):
        raise given.child("groups").refuse("lists of goals, none empty and no goal in two of them")
    if names and len(names) != len(groups):
        raise given.child("names").refuse(f"{len(groups)} names, one for each group, or none")
    asked = Choice(groups, names)
    if n_answers(asked, len(problem.goals)) < 2:
        raise given.child("groups").refuse("a choice of two at least")
    return asked


def reply_from_json(problem: Problem, asked: Question, given: Field) -> Answer:
    """Read the reply to a question."""
    if given.value is None:
        return Answer(asked, None)
    if isinstance(asked, Choice):
        return Answer(asked, given.whole(0, n_answers(asked, len(problem.goals)) - 1))
    if not isinstance(given.value, bool):
        raise given.refuse("true, false, or null for no answer")
    return Answer(asked, given.value)


def _goals(problem: Problem, given: Field) -> tuple[int, ...]:
    return tuple(problem.goals.index(name.text(problem.goals)) for name in given.elements())
