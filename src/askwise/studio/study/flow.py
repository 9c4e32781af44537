"""The assignment of people to conditions, and the screens of each person.

A *cell* is an order of conditions and a rotation of the problems. In a within-subjects design, orders are the rows of a
Williams square: each condition occurs in each position equally often, and follows each other condition equally often
(for an odd number of conditions, the square and its mirror image). In a between-subjects design, an order is one
condition. Problems are rotated, so that each condition is played on each problem, and each problem in each position,
equally often over all cells.

A new person gets one of the cells that have the fewest people, counting those who finished and those in progress. Which
of them is drawn at random, from the seed of the study. As long as no person drops out, each cell gets its first person
before any cell gets its second, and so on, so the numbers of people per cell differ by at most one. A person who
dropped out is not counted, so somebody else gets that cell.

The screens of a person are a list that depends only on study and cell. Each screen is left by one entry: consent,
answers, or a played round. A failed comprehension check is an entry that does not leave its screen. A person's progress
is the number of screens left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.errors import AskwiseError, InputError
from askwise.studio.rounds.round import Setup
from askwise.studio.study.file import DEFAULT_TITLE, WHEN, PeopleStudy, Questionnaire, StudyCondition
from askwise.studio.study.questionnaires import Item, Scale
from askwise.studio.study.texts import Texts, filled_text
from askwise.text.reading import Field


@dataclass(frozen=True, slots=True)
class Assignment:
    """A cell of a study's design: in which order a person plays the conditions, and on which problems.

    Attributes:
        order: the indices of the conditions, in the order in which they are played.
        rotation: the number of positions by which the list of problems is rotated before it is divided among the
            conditions.
    """

    order: tuple[int, ...]
    rotation: int


def williams(n: int) -> list[tuple[int, ...]]:
    """Return orders of `n` conditions in which each condition follows every other one equally often.

    Such a list is called a Williams square. Each order is a permutation of ``0 ... n - 1``. There are `n` orders if `n`
    is even (or 1), otherwise ``2 * n``.
    """
    # 0, 1, n - 1, 2, n - 2, ...: the differences of neighbours are all different, which balances the followers.
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
    """Return all cells of a design; a cell is an order of conditions and a rotation of the list of problems.

    Args:
        n_conditions: number of conditions.
        n_problems: number of problems, which is also the number of rotations.
        within: whether each person plays all conditions; otherwise each plays one.
    """
    orders = williams(n_conditions) if within else [(condition,) for condition in range(n_conditions)]
    return [Assignment(order, rotation) for rotation in range(n_problems) for order in orders]


def next_cell(counts: Sequence[int], seed: int) -> int:
    """Return the index of the next person's cell, drawn at random from the cells with the fewest people.

    A cell is an order of conditions and problems.

    Args:
        counts: the number of people in each cell.
        seed: the seed of the study; equal counts and seeds give the same cell.
    """
    block = min(counts)
    order = np.random.default_rng([seed, block]).permutation(len(counts))
    return next(int(cell) for cell in order if counts[cell] == block)


def problems_at_place(cell: Assignment, place: int, rounds: int, n_problems: int) -> list[int]:
    """Return the indices of the problems, one for each round, that a person plays in one condition.

    Args:
        cell: the person's order of conditions and rotation of problems.
        place: the position of the condition in the order, from 0.
        rounds: rounds per condition.
        n_problems: number of problems of the study.
    """
    first = cell.rotation + place * rounds
    return [(first + k) % n_problems for k in range(rounds)]


LONGEST_MS = 10**9
MOST_TIMES = 1000
CONSENT, TEXT, CHECK, ROUND, FORM, END = "consent", "text", "check", "round", "form", "end"


@dataclass(frozen=True, slots=True)
class Screen:
    """One of the pages that a person goes through in a study: a text, a form or a round.

    Attributes:
        kind: ``consent``, ``text``, ``check`` (of comprehension), ``round``, ``form`` (a questionnaire) or ``end``.
        title: the heading.
        text: the text to read.
        condition: the condition of a round, or of the rounds that a form asks about; None for other screens.
        problem: the name of a round's problem; empty for other screens.
        practice: whether the round is for practice.
        form: the questionnaire of a form; None for other screens.
        trial: the number of a round among those that count, from 1; 0 for other screens.
        key: the key of the text in translations: ``consent``, ``instructions.1`` and so on; empty without a text.
    """

    kind: str
    title: str
    text: str = ""
    condition: StudyCondition | None = None
    problem: str = ""
    practice: bool = False
    form: Questionnaire | None = None
    trial: int = 0
    key: str = ""


def screens(study: PeopleStudy, cell: Assignment) -> list[Screen]:
    """Return all screens that a person goes through, in order, from consent to the end.

    Args:
        study: the study.
        cell: the person's order of conditions and rotation of problems.
    """
    found = [Screen(CONSENT, study.name, study.consent, key="consent")]
    pages = enumerate(study.instructions, start=1)
    found += [Screen(TEXT, "How it works", text, key=f"instructions.{k}") for k, text in pages]
    if study.check:
        found.append(Screen(CHECK, "Is everything clear?"))
    n_practice, condition, problem = study.practice
    found += [Screen(ROUND, "Practice", condition=condition, problem=problem, practice=True) for _ in range(n_practice)]
    names, trial = list(study.problems), 0
    for place, number in enumerate(cell.order):
        met = study.conditions[number]
        for chosen in problems_at_place(cell, place, study.rounds, len(names)):
            trial += 1
            found.append(Screen(ROUND, f"Round {trial}", condition=met, problem=names[chosen], trial=trial))
        found += [Screen(FORM, each.title, condition=met, form=each) for each in _asked(study, WHEN[0])]
    found += [Screen(FORM, each.title, form=each) for each in _asked(study, WHEN[1])]
    return [*found, Screen(END, "Thank you", study.debriefing, key="debriefing")]


def _asked(study: PeopleStudy, when: str) -> list[Questionnaire]:
    return [each for each in study.questionnaires if each.when == when]


def setup_of(study: PeopleStudy, screen: Screen, number: int, place: int) -> Setup:
    """Return the setup of the round at a screen; its seed is derived from the study's seed, `number` and `place`.

    Args:
        study: the study.
        screen: a screen of kind ``round``.
        number: the number of the person.
        place: the position of the screen among the person's screens, from 0.
    """
    assert screen.condition is not None
    met = screen.condition
    seed = int(np.random.SeedSequence([study.seed, number, place]).generate_state(1)[0])
    return Setup(study.role, met.method, met.teammate, None, seed, met.belief, met.answers)


def screen_to_json(study: PeopleStudy, screen: Screen, texts: Texts, *, tries_left: int) -> dict[str, Any]:
    """Return a screen as JSON for browsers, without the condition, which people must not know.

    Keys: ``kind``, ``title``, ``text`` and, depending on the kind, ``items`` (the questions), ``tries`` (attempts left
    at the comprehension check), ``practice`` (whether a round is for practice) and ``instructions`` (their pages, to
    read again at a round or the check).

    Args:
        study: the study.
        screen: the screen.
        texts: the texts in the person's language.
        tries_left: number of attempts left at the comprehension check.
    """
    found: dict[str, Any] = {"kind": screen.kind, "title": title_of(study, screen, texts), "text": screen.text}
    if screen.key:
        found["text"] = texts.get(f"study.{screen.key}", screen.text)
    if screen.kind == CHECK:
        found |= {"items": _check_items(study, texts), "tries": tries_left}
    if screen.form is not None:
        found["items"] = _form_items(screen.form, texts)
    if screen.kind == ROUND:
        found["practice"] = screen.practice
    if screen.kind in (CHECK, ROUND):
        found["instructions"] = instructions_in(study, texts)
    return found


def title_of(study: PeopleStudy, screen: Screen, texts: Texts) -> str:
    """Return the heading of a screen in the language of `texts`.

    A round that is no practice has a heading such as "Round 2 of 4".
    """
    if screen.form is not None:
        title = texts["take.form_title"] if screen.title == DEFAULT_TITLE else screen.title
        return texts.get(f"study.questionnaires.{screen.form.name}.title", title)
    if screen.kind == CONSENT:
        return texts.get("study.name", study.name)
    if screen.kind == ROUND and not screen.practice:
        rounds = study.rounds * (len(study.conditions) if study.design == "within" else 1)
        return filled_text(texts["take.round_title"], round=screen.trial, rounds=rounds)
    key = {TEXT: "instructions", CHECK: "check", ROUND: "practice", END: "end"}[screen.kind]
    return texts[f"take.{key}_title"]


def instructions_in(study: PeopleStudy, texts: Texts) -> list[str]:
    """Return the pages of instructions in the language of `texts`."""
    return [texts.get(f"study.instructions.{k}", page) for k, page in enumerate(study.instructions, start=1)]


def _item(item: Item, key: str, texts: Texts, scale: Scale | None = None) -> dict[str, Any]:
    """Return a question as JSON, with its texts in the person's language.

    ``options`` are the options of a choice as they are stored, ``labels`` the same options in the person's language.

    Args:
        item: the question.
        key: the key under which the study's texts have a translation of the question.
        texts: the texts in the person's language.
        scale: the ready-made scale that the question belongs to; None for the study's own questions. If the scale has
            askwise's own wording, askwise's translation is used where the study has none.
    """
    found = item.to_json()
    ours: Texts = {}
    if scale is not None and not scale.cited:
        compared = item.kind == "choice"
        ours["text"] = texts.get("scale.pair" if compared else f"scale.{scale.name}.{item.name}", "")
        ours |= {end: texts.get(f"scale.ends.{found[end]}", "") for end in ("low", "high")}
        for k, name in enumerate(item.name.split(" or ") if compared else (), start=1):
            ours[f"options.{k}"] = texts.get(f"scale.dimensions.{name}", "")
    found |= {name: texts.get(f"{key}.{name}") or ours.get(name) or found[name] for name in ("text", "low", "high")}
    numbered = [(f"options.{k}", option) for k, option in enumerate(item.options, start=1)]
    return {**found, "labels": [texts.get(f"{key}.{name}") or ours.get(name) or option for name, option in numbered]}


def _check_items(study: PeopleStudy, texts: Texts) -> list[dict[str, Any]]:
    return [_item(item, f"study.check.{k}", texts) for k, (item, _) in enumerate(study.check, start=1)]


def _form_items(form: Questionnaire, texts: Texts) -> list[dict[str, Any]]:
    return [_item(item, f"study.questionnaires.{form.name}.{item.name}", texts, form.scale) for item in form.items]


def described(screen: Screen) -> dict[str, Any]:
    """Return the facts about a screen that are stored with a person's entry at the screen.

    Keys: ``kind`` and, if they apply, ``condition``, ``questionnaire`` and ``problem``. A round also has ``practice``
    and ``trial``, its number among the rounds that count.
    """
    found: dict[str, Any] = {"kind": screen.kind}
    if screen.condition is not None:
        found["condition"] = screen.condition.name
    if screen.form is not None:
        found["questionnaire"] = screen.form.name
    if screen.kind == ROUND:
        found |= {"problem": screen.problem, "practice": screen.practice, "trial": screen.trial}
    return found


def description(study: PeopleStudy, assigned: Sequence[Assignment]) -> dict[str, Any]:
    """Return the facts about a study that exports and reports need, as JSON; they are stored with the results.

    Keys: ``name``, ``role``, ``design``, ``language`` (the default), ``conditions`` (their names), ``plan`` (an
    `AnalysisPlan` as JSON), ``questionnaires`` (by name: ``title``, ``when``, ``items`` and ``scale``) and ``screens``:
    for each cell, that is, each order of conditions and problems, the list of its screens, each a dict with ``title``
    and the keys of the function `described`.

    Args:
        study: the study.
        assigned: all cells of its design.
    """
    return {
        "name": study.name,
        "role": study.role,
        "design": study.design,
        "language": next(iter(study.languages)),
        "conditions": [each.name for each in study.conditions],
        "plan": study.plan.to_json(),
        "questionnaires": {
            each.name: {
                "title": each.title,
                "when": each.when,
                "items": [item.to_json() for item in each.items],
                "scale": None if each.scale is None else each.scale.to_json(),
            }
            for each in study.questionnaires
        },
        "screens": [[{"title": each.title, **described(each)} for each in screens(study, cell)] for cell in assigned],
    }


def check_entry(study: PeopleStudy, screen: Screen, given: Field, texts: Texts) -> tuple[dict[str, Any], bool]:
    """Check what a person entered at a screen; return the data to store, and whether the next screen follows.

    It follows unless the person has failed the comprehension check. An incomplete entry raises `NotEntered`.

    Args:
        study: the study.
        screen: the screen.
        given: the entry: ``agreed`` for consent, ``answers`` by item for a check or a form, otherwise an empty object.
        texts: the texts in the person's language, for messages.
    """
    if screen.kind == CONSENT:
        given.object(["agreed"], [])
        if given.value["agreed"] is not True:
            raise NotEntered(texts["take.please_agree"])
        return {"agreed": True}, True
    if screen.kind == CHECK:
        answers = _answers([item for item, _ in study.check], _check_items(study, texts), given, texts)
        right = [answers[item.name] == expected for item, expected in study.check]
        return {"answers": answers, "right": sum(right)}, all(right)
    if screen.kind == FORM:
        assert screen.form is not None
        return {"answers": _answers(screen.form.items, _form_items(screen.form, texts), given, texts)}, True
    given.object([], [])
    return {}, True


class NotEntered(AskwiseError):  # noqa: N818 - it names what happened
    """Raised if a form is incomplete or invalid; the message, in the person's language, says what to do."""


def _answers(items: Sequence[Item], shown: list[dict[str, Any]], given: Field, texts: Texts) -> dict[str, Any]:
    """Return the checked answers of a form, by the names of its questions.

    Args:
        items: the questions.
        shown: the same questions as JSON in the person's language, for messages.
        given: the entry, an object with ``answers``: the answers by the names of the questions.
        texts: the texts in the person's language.

    Raises:
        NotEntered: an answer is missing.
        InputError: an answer has a form that the page cannot send, such as an option that the question does not have.
    """
    names = [item.name for item in items]
    given.object(["answers"], []).child("answers").object([], names)
    answers = given.child("answers").value
    for item, each in zip(items, shown, strict=True):
        value = answers.get(item.name)
        if not item.optional and (value is None or (isinstance(value, str) and not value.strip())):
            raise NotEntered(filled_text(texts["take.unanswered"], question=each["text"]))
    return {item.name: item.checked(Field(item.text, answers.get(item.name))) for item in items}


def read_times(given: Field) -> dict[str, Any]:
    """Check and return the times that a browser measured at a screen, in milliseconds.

    Keys: ``page``, the time at the whole screen, and ``items``, a dict of the time until the last change of each
    answer, by the name of the question.

    Args:
        given: the times as the browser sends them, with the same keys; ``items`` is optional.
    """
    given.object(["page"], ["items"])
    items = dict(given.child("items").items()) if given.has("items") else {}
    if len(items) > MOST_TIMES:
        raise InputError(f"{given.path}.items", f"{len(items)} times", f"at most {MOST_TIMES}")
    page = given.child("page").whole(0, LONGEST_MS)
    return {"page": page, "items": {name: each.whole(0, LONGEST_MS) for name, each in items.items()}}
