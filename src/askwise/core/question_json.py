"""Questions, answers and answer models as JSON and as text; goals are written by name.

- A yes/no question ("is your goal one of these?") is a list of goals. Its reply is ``true`` or ``false``.
- A `Choice` ("which of these groups contains your goal?") is an object. Its key ``groups`` has a list of goals for each
  group; its key ``names`` has a name for each group, or an empty list. Its reply is the index of a group, from 0. The
  number of groups stands for "none of these".
- A missing reply ("I don't know") is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askwise.core.answers import ERRORS, MOST_WRONG, TRUTHFUL, AnswerModel, n_answers
from askwise.core.questions import Answer, Choice, Question
from askwise.errors import InputError
from askwise.text.reading import Field

if TYPE_CHECKING:
    from askwise.core.problem import Problem


def question_to_json(problem: Problem, asked: Question) -> Any:
    """Return a question as JSON data: a list of the names of its goals, or a dict for a `Choice` among groups of goals.

    The dict has ``groups``, a list of goal names for each group, and ``names``, a name for each group or empty.
    """
    if not isinstance(asked, Choice):
        return [problem.goals[goal] for goal in asked]
    groups = [[problem.goals[goal] for goal in group] for group in asked.groups]
    return {"groups": groups, "names": list(asked.names)}


def question_from_json(problem: Problem, given: Field) -> Question:
    """Return the question that parsed JSON describes; raise an `InputError` if it is invalid.

    Args:
        problem: the problem.
        given: a list of goal names for a yes/no question; for a `Choice`, a dict with ``groups``, a list of goal names
            for each group, and ``names``, a name for each group or empty.
    """
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
        raise given.child("groups").refuse("a choice with at least two answers")
    return asked


def reply_from_json(problem: Problem, asked: Question, given: Field) -> Answer:
    """Return an answer that is read from parsed JSON; raise an `InputError` if the JSON is no valid answer.

    Args:
        problem: the problem.
        asked: the question that was answered.
        given: true or false; for a `Choice`, the index of a group from 0, or the number of groups for "none of these";
            null for no reply.
    """
    if given.value is None:
        return Answer(asked, None)
    if isinstance(asked, Choice):
        return Answer(asked, given.whole(0, n_answers(asked, len(problem.goals)) - 1))
    if not isinstance(given.value, bool):
        raise given.refuse("true, false, or null for no answer")
    return Answer(asked, given.value)


def _goals(problem: Problem, given: Field) -> tuple[int, ...]:
    return tuple(problem.goals.index(name.text(problem.goals)) for name in given.elements())


# -- answer models -------------------------------------------------------------------------------------------------


def parse_answers(text: str, field: str = "answers") -> AnswerModel:
    """Return the answer model that a text describes: how often answers are wrong or missing.

    Args:
        text: ``truthful`` if all answers are true; otherwise parts such as ``wrong:0.05,refused:0.1,persistent``: the
            probability that a given answer is wrong, the probability of no answer, and that the same question always
            gets the same answer.
        field: name of the input in error messages.

    Raises:
        InputError: the text is invalid.
    """
    found: dict[str, float] = {}
    errors = ERRORS[0]
    expected = "truthful, or some of wrong:E, refused:R and persistent, with commas between"
    if text.strip() == "truthful":
        return TRUTHFUL
    for part in (each.strip() for each in text.split(",")):
        name, colon, value = part.partition(":")
        if not colon and name in ERRORS:
            errors = name
        elif name not in ("wrong", "refused") or name in found:
            raise InputError(field, repr(text), expected)
        else:
            found[name] = _number(value, field, part, expected)
    try:
        return AnswerModel(found.get("wrong", 0.0), found.get("refused", 0.0), errors)
    except InputError as error:
        raise InputError(error.field.replace("answers", field, 1), error.found, error.expected) from None


def _number(text: str, field: str, part: str, expected: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(field, repr(part), expected) from None


def answers_to_json(model: AnswerModel) -> dict[str, Any]:
    """Return an answer model as JSON data, a dict with the keys ``wrong``, ``refused`` and ``errors``.

    Raises:
        InputError: the model is of a subclass of `AnswerModel`, which has no JSON form.
    """
    if type(model) is not AnswerModel:
        expected = "an AnswerModel with errors and refusals only: files hold no other answers"
        raise InputError("answers", type(model).__name__, expected)
    return {"wrong": model.wrong, "refused": model.refused, "errors": model.errors}


def answers_from_json(given: Field) -> AnswerModel:
    """Return the answer model that a parsed JSON object describes; raise an `InputError` if the object is invalid.

    Its optional keys are ``refused``, the probability of no answer; ``wrong``, the probability that an answer is wrong
    if there is one; and ``errors``, ``independent`` or ``persistent``.
    """
    given.object([], ["wrong", "refused", "errors"])
    shares = {"wrong": 0.0, "refused": 0.0}
    for key, below in (("wrong", MOST_WRONG), ("refused", 1.0)):
        if given.has(key):
            shares[key] = given.child(key).number()
            if shares[key] >= below:
                raise given.child(key).refuse(f"a number from 0 and below {below:g}")
    return AnswerModel(**shares, errors=given.child("errors").text(ERRORS) if given.has("errors") else ERRORS[0])
