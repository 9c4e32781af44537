"""Reading what problem files say of goals, prices and words: a fault is named with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.question_json import answers_from_json
from askwise.domains.stated.names import StateName, as_json
from askwise.domains.stated.sides import Side, reached
from askwise.domains.stated.stated import QuestionPrices, StatedGoal
from askwise.errors import InputError
from askwise.text.limits import check_name, read_name, read_price
from askwise.text.reading import Field, shown

MOST_GOALS = 10_000


# -- goals -------------------------------------------------------------------------------------------------------


def read_goals(given: Field, teammate: Side, ego: Side) -> dict[str, StatedGoal]:
    """Return the goals by name; both agents can get to every one, and no two have a common target of the teammate."""
    goals: dict[str, StatedGoal] = {}
    for name, each in given.items():
        check_name(name, given.path)
        goals[name] = _goal(each, teammate, ego)
    if not goals:
        raise given.refuse("at least one goal")
    if len(goals) > MOST_GOALS:
        raise InputError(given.path, f"{len(goals)} goals", f"at most {MOST_GOALS}")
    if not any(goal.weight for goal in goals.values()):
        raise InputError(given.path, "weights that are all 0", "at least one weight above 0")
    _refuse_shared(given, goals)
    _refuse_unreachable(given, goals, "teammate", teammate)
    _refuse_unreachable(given, goals, "ego", ego)
    return goals


def _goal(given: Field, teammate: Side, ego: Side) -> StatedGoal:
    given.object(["teammate", "ego"], ["weight", "price"])
    return StatedGoal(
        teammate=teammate.targets(given.child("teammate")),
        ego=ego.targets(given.child("ego")),
        weight=given.child("weight").number() if given.has("weight") else 1.0,
        price=read_price(given.child("price")) if given.has("price") else None,
    )


def _refuse_shared(given: Field, goals: Mapping[str, StatedGoal]) -> None:
    """Refuse goals with a common target of the teammate: it would stay there, and nobody could ever see for which."""
    owner: dict[StateName, str] = {}
    for name, goal in goals.items():
        for state in goal.teammate:
            other = owner.setdefault(state, name)
            if other != name:
                place = given.child(name).child("teammate").path
                found = f"{shown(as_json(state))}, a target of goal {shown(other)} already"
                raise InputError(place, found, "targets of its own: nobody could see which goal it stays for")


def _refuse_unreachable(given: Field, goals: Mapping[str, StatedGoal], who: str, side: Side) -> None:
    model = side.model
    there = reached(model, model.state(side.start))
    for name, goal in goals.items():
        states = goal.teammate if who == "teammate" else goal.ego
        if not any(there[model.state(state)] for state in states):
            place = given.child(name).child(who)
            found = f"{shown(place.value)}, with no way to it from {shown(as_json(side.start))}"
            raise InputError(place.path, found, "a target that can be reached")


# -- the rest ----------------------------------------------------------------------------------------------------


def read_prices(root: Field) -> QuestionPrices:
    """Return what ``query_cost`` says."""
    if not root.has("query_cost"):
        return QuestionPrices()
    given = root.child("query_cost").object([], ["base", "per_goal", "per_option"])
    stated = {key: read_price(given.child(key)) for key in given.value}
    return QuestionPrices(**stated)


def read_answers(root: Field) -> AnswerModel:
    """Return what ``answers`` says."""
    return answers_from_json(root.child("answers")) if root.has("answers") else TRUTHFUL


def read_groups(root: Field, goals: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return what ``groups`` says: names of goals by the name of their group."""
    if not root.has("groups"):
        return {}
    given, names, groups = root.child("groups"), list(goals), {}
    for name, each in given.items():
        members = tuple(member.text(names) for member in each.elements())
        if not members:
            raise each.refuse("at least one goal")
        for k, member in enumerate(each.elements()):
            if member.value in members[:k]:
                raise member.refuse("each goal once")
        groups[check_name(name, given.path)] = members
    return groups


def read_words(root: Field) -> dict[str, str]:
    """Return what ``words`` says."""
    if not root.has("words"):
        return {}
    given = root.child("words").object([], ["teammate", "ego", "goal"])
    return {key: read_name(given.child(key)) for key in given.value}
