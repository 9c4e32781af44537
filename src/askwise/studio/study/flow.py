"""Who meets what in which order: Latin squares for orders, permuted blocks for people.

A *cell* is an order of conditions and a rotation of the problems. Within people, orders are the rows of a Williams
square: each condition stands in each place equally often, and follows each other one equally often (for an odd number
of conditions, the square and its mirror image). Between people, an order is one condition. Problems are rotated, so
that each condition is played on each problem, and each problem in each place, equally often over all cells.

A new person gets a cell that the fewest people have, counting those who finished and those who are still there; among
these, the first in the permutation of the present block, which is drawn from the seed. While nobody leaves, the cells
of any two people of one block differ, and numbers never differ by more than one; a cell that somebody left is the next.

The way of one person through a study: a list of screens, the same whenever it is worked out.

Each screen is left by one entry: what the person agreed to, answered, or played. How far somebody is, is the number of
screens that were left; a comprehension check that was failed is an entry that does not leave its screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.studio.rounds.round import Setup
from askwise.studio.study.file import WHEN, PeopleStudy, Questionnaire, StudyCondition
from askwise.text.reading import Field


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a person meets.

    Attributes:
        order: conditions by number.
        rotation: by how many problems the list of problems is turned.
    """

    order: tuple[int, ...]
    rotation: int


def williams(n: int) -> list[tuple[int, ...]]:
    """Return the rows of a Williams square for `n` conditions: `n` of them if that is even, else twice as many."""
    # 0, 1, n - 1, 2, n - 2, ...: neighbours differ by every number once, which is what makes followers balanced.
    first = [0]
    low, high = 1, n - 1
    while low <= high:
        first.append(low)
        if low < high:
            first.append(high)
        low, high = low + 1, high - 1
    rows = [tuple((each + shift) % n for each in first) for shift in range(n)]
    return rows if n % 2 == 0 or n == 1 else [*rows, *(row[::-1] for row in rows)]


def cells(n_conditions: int, n_problems: int, *, within: bool) -> list[Assignment]:
    """Return all cells of a design."""
    orders = williams(n_conditions) if within else [(condition,) for condition in range(n_conditions)]
    return [Assignment(order, rotation) for rotation in range(n_problems) for order in orders]


def next_cell(counts: Sequence[int], seed: int) -> int:
    """Return the cell of the next person, where `counts` ``[n_cells]`` people are counted in each."""
    block = min(counts)
    order = np.random.default_rng([seed, block]).permutation(len(counts))
    return next(int(cell) for cell in order if counts[cell] == block)


def problems_of(cell: Assignment, place: int, rounds: int, n_problems: int) -> list[int]:
    """Return the problems of the rounds in the condition at a place of the order."""
    first = cell.rotation + place * rounds
    return [(first + k) % n_problems for k in range(rounds)]


CONSENT, TEXT, CHECK, ROUND, FORM, END = "consent", "text", "check", "round", "form", "end"


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen.

    Attributes:
        kind: consent, text, check, round, form or end.
        title: its heading.
        text: what is read.
        condition: of a round, or of the rounds that a form asks about.
        problem: of a round, by name.
        practice: whether a round does not count.
        form: what is asked.
        trial: which of the rounds that count it is, from 1; 0 if it is none.
    """

    kind: str
    title: str
    text: str = ""
    condition: StudyCondition | None = None
    problem: str = ""
    practice: bool = False
    form: Questionnaire | None = None
    trial: int = 0


def screens(study: PeopleStudy, cell: Assignment) -> list[Screen]:
    """Return all screens of somebody who is in that cell."""
    found = [Screen(CONSENT, study.name, study.consent)]
    found += [Screen(TEXT, "How it works", text) for text in study.instructions]
    if study.check:
        found.append(Screen(CHECK, "Is everything clear?"))
    n_practice, condition, problem = study.practice
    found += [Screen(ROUND, "Practice", condition=condition, problem=problem, practice=True) for _ in range(n_practice)]
    names, trial = list(study.problems), 0
    for place, number in enumerate(cell.order):
        met = study.conditions[number]
        for chosen in problems_of(cell, place, study.rounds, len(names)):
            trial += 1
            found.append(Screen(ROUND, f"Round {trial}", condition=met, problem=names[chosen], trial=trial))
        found += [Screen(FORM, each.title, condition=met, form=each) for each in _asked(study, WHEN[0])]
    found += [Screen(FORM, each.title, form=each) for each in _asked(study, WHEN[1])]
    return [*found, Screen(END, "Thank you", study.debriefing)]


def _asked(study: PeopleStudy, when: str) -> list[Questionnaire]:
    return [each for each in study.questionnaires if each.when == when]


def setup_of(study: PeopleStudy, screen: Screen, number: int, place: int) -> Setup:
    """Return the round of a screen, for the person of that number; its seed depends on nothing else."""
    assert screen.condition is not None
    met = screen.condition
    seed = int(np.random.SeedSequence([study.seed, number, place]).generate_state(1)[0])
    return Setup(study.role, met.method, met.teammate, None, seed, met.belief, met.answers)


def shown(study: PeopleStudy, screen: Screen, *, tries_left: int) -> dict[str, Any]:
    """Return a screen as a browser gets it; a condition is not part of it, or people would know what is compared."""
    found: dict[str, Any] = {"kind": screen.kind, "title": screen.title, "text": screen.text}
    if screen.kind == CHECK:
        found |= {"items": [item.to_json() for item, _ in study.check], "tries": tries_left}
    if screen.form is not None:
        found["items"] = [item.to_json() for item in screen.form.items]
    if screen.kind == ROUND:
        found["practice"] = screen.practice
    if screen.kind == END:
        found |= {"code": study.code, "link": study.link.replace("{code}", study.code)}
    return found


def described(screen: Screen) -> dict[str, Any]:
    """Return what tables have to know of a screen, to be kept with what was entered there."""
    found: dict[str, Any] = {"kind": screen.kind}
    if screen.condition is not None:
        found["condition"] = screen.condition.name
    if screen.form is not None:
        found["questionnaire"] = screen.form.name
    if screen.kind == ROUND:
        found |= {"problem": screen.problem, "practice": screen.practice, "trial": screen.trial}
    return found


def taken_in(study: PeopleStudy, screen: Screen, given: Field) -> tuple[dict[str, Any], bool]:
    """Return what a person's answer to a screen comes to, and whether it leaves the screen."""
    if screen.kind == CONSENT:
        given.object(["agreed"], [])
        if given.value["agreed"] is not True:
            raise InputError("agreed", "no", "consent, or leave the study")
        return {"agreed": True}, True
    if screen.kind == CHECK:
        answers = _answers([item for item, _ in study.check], given)
        right = [answers[item.name] == expected for item, expected in study.check]
        return {"answers": answers, "right": sum(right)}, all(right)
    if screen.kind == FORM:
        assert screen.form is not None
        return {"answers": _answers(list(screen.form.items), given)}, True
    given.object([], [])
    return {}, True


def _answers(items: list[Any], given: Field) -> dict[str, Any]:
    names = [item.name for item in items]
    given.object(["answers"], []).child("answers").object([], names)
    answers = given.child("answers")
    return {item.name: item.checked(_answer(answers, item)) for item in items}


def _answer(answers: Field, item: Any) -> Field:
    """Return the answer to one item; the message names what is asked, which people can see."""
    value = answers.value.get(item.name)
    if value is None and not item.optional:
        raise InputError(item.text, "no answer", "an answer")
    return Field(item.text, value)
