"""The questions that solvers and planner choose from: against the reference, and by hand."""

from __future__ import annotations

from itertools import combinations

import pytest

from askwise.core.answers import n_answers, truth
from askwise.core.factored import FactoredProblem
from askwise.core.questions import Choice, QueryCost, Question
from askwise.model import GridWorld
from askwise.planning.questions import MOST_NAMED, Option, Questions, choices_of, every_choice
from askwise.planning.reference import Reference

PRICE = QueryCost(0.5, 0.25, per_option=0.125)
NAMES = "ABCDEFGHI"


def line(n_goals: int, groups: dict[str, list[str]] | None = None, price: QueryCost = PRICE) -> FactoredProblem:
    """Return a problem with goals A, B, C, ... on a line; by default choices have a price."""
    grid, cells = GridWorld(n_goals, 1), [(k, 0) for k in range(n_goals)]
    return FactoredProblem(
        goals=tuple(NAMES[:n_goals]),
        teammate_model=grid,
        teammate_goals=cells,
        ego_model=grid,
        ego_goals=cells,
        start=((0, 0), (0, 0)),
        query_cost=price,
        groups=groups,
    )


def divided(question: Question, left: list[int], n_goals: int) -> tuple[frozenset[frozenset[int]], int]:
    """Return the parts of the goals left that a question tells apart, and its number of answers."""
    parts: dict[object, set[int]] = {}
    for goal in left:
        parts.setdefault(truth(question, goal), set()).add(goal)
    return frozenset(map(frozenset, parts.values())), n_answers(question, n_goals)


@pytest.mark.parametrize("left", [some for size in (2, 3, 4) for some in combinations(range(4), size)])
def test_questions_and_prices_are_those_of_the_reference(left: tuple[int, ...]) -> None:
    """Of all questions that divide the goals alike, with equally many answers, the cheapest is listed."""
    problem = line(4)
    reference, cheapest = Reference(problem), dict[object, float]()
    weights = tuple(weight if goal in left else weight * 0 for goal, weight in enumerate(reference.state().weights))
    for question in reference.questions_about(reference.state()._replace(weights=weights)):
        key = divided(question, list(left), 4)
        cheapest[key] = min(cheapest.get(key, 99.0), float(reference.price(question)))
    found = Questions(problem, list(range(4))).about(sum(1 << goal for goal in left))
    assert {divided(option.asked, list(left), 4): option.price for option in found} == cheapest
    assert len(found) == len(cheapest)
    assert [option.price for option in found] == sorted(option.price for option in found)
    for option in found:
        assert option.answers == n_answers(option.asked, 4) == len(option.parts)
        for goal in left:
            reply = truth(option.asked, goal)
            answer = 1 - reply if isinstance(reply, bool) else reply
            assert [k for k, part in enumerate(option.parts) if (part >> goal) & 1] == [answer]


def choices(problem: FactoredProblem, left: int) -> set[tuple[tuple[int, ...], ...]]:
    """Return the groups of all choices that are listed for the goals left."""
    listed: list[Option] = Questions(problem, list(range(len(problem.goals)))).listed(left)
    return {option.asked.groups for option in listed if isinstance(option.asked, Choice)}


def test_choices_of_many_goals_name_groups_or_single_goals() -> None:
    """All named, or all but one."""
    problem = line(6, {"one": list("AB"), "two": list("BCD"), "three": list("DE")})
    by_group = ((0, 1), (3, 4), (2, 5))  # the second group overlaps the first
    singly = tuple((goal,) for goal in range(6))
    expected = {by_group, singly}
    for parts in (by_group, singly):
        expected |= {parts[:k] + parts[k + 1 :] for k in range(len(parts))}
    assert choices(problem, 0b111111) == expected
    others = line(6, {"all but the first": list("BCDEF")})
    the_rest, first = (1, 2, 3, 4, 5), (0,)
    assert choices(others, 0b111111) - choices(line(6), 0b111111) == {(first,), (the_rest, first), (the_rest,)}
    whole = line(6, {"all": list("ABCDEF")})
    assert choices(whole, 0b111111) == {singly, *(singly[:k] + singly[k + 1 :] for k in range(6))}


def test_the_planner_names_all_parts_only_if_that_shows_errors() -> None:
    """With all goals left, "none of these" is cheaper than the largest part; with others impossible it shows errors."""
    problem = line(4)
    assert {choice.groups for choice in every_choice(problem, range(4))} == {
        choice.groups for choice in every_choice(problem, range(4)) if sum(map(len, choice.groups)) < 4
    }
    assert len(every_choice(problem, range(4))) == 14  # all partitions but one
    some = [set(choice.groups) for choice in every_choice(problem, (0, 1, 3))]
    assert len(some) == 2 * 4, "four partitions: all parts named, or all but the largest"
    assert {(0,), (1,), (3,)} in some
    for pair, single in (((0, 1), 3), ((0, 3), 1), ((1, 3), 0)):
        assert {pair, (single,)} in some
        assert {(single,)} in some


def test_the_planner_considers_groups_and_single_goals() -> None:
    problem = line(9, {"one": list("ABC"), "two": list("DE")})
    found = [choice.groups for choice in choices_of(problem, range(9))]
    assert found == [((0, 1, 2), (3, 4), (5, 6, 7, 8)), ((0, 1, 2), (3, 4))]
    fewer = [choice.groups for choice in choices_of(problem, range(MOST_NAMED))]
    singly = tuple((goal,) for goal in range(MOST_NAMED))
    assert fewer == [((0, 1, 2), (3, 4), (5, 6, 7)), ((3, 4), (5, 6, 7)), singly, singly[1:]]
    assert choices_of(problem, range(4))[0].names == ("one", "D")
    free = line(4, price=QueryCost(0.5))
    assert choices_of(free, range(4)) == every_choice(free, range(4)) == []


def test_with_up_to_four_of_more_goals_choices_also_name_all_parts() -> None:
    """Then "none of these" is known to be wrong: some errors show."""
    for n_goals in (4, 5):
        problem = line(6)
        named = [sum(map(len, choice.groups)) for choice in every_choice(problem, range(n_goals))]
        assert (named.count(n_goals) > 0) == (n_goals == 4)
