"""The choices that are worth considering: "which of the groups that belong together?", and "which goal exactly?".

One part may be left out: goals in it are then "none of these", and there is an option less to pay for. Of few goals
every way to part them is considered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwise.core.answers import n_answers
from askwise.core.problem import Problem
from askwise.core.questions import Choice
from askwise.planning.settings import MOST_ANSWERS

MOST_NAMED = 8
"""Goals up to which it is worth asking which of them it is."""
MOST_BOTH = 4
"""Goals up to which a choice is considered with all parts named and with one left out."""

Part = tuple[int, ...]


def choices_of(problem: Problem, goals: Sequence[int]) -> list[Choice]:
    """Return the choices worth considering with these goals left; none where the price of choices is not given."""
    if problem.query_cost.per_option is None:
        return []
    partings = [_by_group(problem, goals)]
    if len(goals) <= MOST_NAMED:
        partings.append([(goal,) for goal in goals])
    found: list[Choice] = []
    for parts in partings:
        found += [choice for choice in _asked_by(problem, parts) if choice not in found]
    return found


def every_choice(problem: Problem, goals: Sequence[int]) -> list[Choice]:
    """Return the choices worth asking of every way to part the goals; none where the price of choices is not given.

    With one part left out a choice tells the same for less; unless there are other goals that are not possible: if all
    parts are named, "none of these" is known to be wrong, and some errors give themselves away.
    """
    if problem.query_cost.per_option is None:
        return []
    cheapest = slice(-1, None) if len(goals) == len(problem.goals) or len(goals) > MOST_BOTH else slice(None)
    return [choice for parts in _partings(list(goals)) for choice in _asked_by(problem, parts)[cheapest]]


def _asked_by(problem: Problem, parts: Sequence[Part]) -> list[Choice]:
    """Return the choices that tell some parts from each other: all of them named, or all but the largest."""
    largest = max(range(len(parts)), key=lambda k: len(parts[k]), default=0)
    all_but_one = [part for k, part in enumerate(parts) if k != largest]
    choices = [_named(problem, named) for named in (parts, all_but_one) if named and len(parts) > 1]
    return [choice for choice in choices if 2 <= n_answers(choice, len(problem.goals)) <= MOST_ANSWERS]


def _named(problem: Problem, parts: Sequence[Part]) -> Choice:
    """Return the choice among some parts, each by the name of a group that has it, or by those of its goals."""
    return Choice(tuple(parts), tuple(_name(problem, part) for part in parts))


def _name(problem: Problem, part: Part) -> str:
    if len(part) > 1:
        for name, group in problem.groups.items():
            if set(part) <= set(group):
                return name
    return " or ".join(problem.goals[goal] for goal in part)


def _by_group(problem: Problem, goals: Sequence[int]) -> list[Part]:
    """Return the goals as the problem groups them; a group that shares goals with one before it is left out."""
    left, parts = list(goals), list[Part]()
    for group in problem.groups.values():
        inside = tuple(goal for goal in group if goal in left)
        if inside and len(inside) == len(set(group) & set(goals)):
            parts.append(inside)
            left = [goal for goal in left if goal not in inside]
    return [*parts, tuple(left)] if left and parts else parts


def _partings(goals: list[int]) -> Iterator[list[Part]]:
    """Yield every way to part some goals."""
    if not goals:
        yield []
        return
    first, rest = goals[0], goals[1:]
    for parts in _partings(rest):
        yield [(first,), *parts]
        for k, part in enumerate(parts):
            yield [*parts[:k], (first, *part), *parts[k + 1 :]]
