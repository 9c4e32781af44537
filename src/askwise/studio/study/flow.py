"""The assignment of people to conditions in a study with people, and the screens that each person goes through.

A *cell* is an order of conditions with a rotation of the problems. A new person gets one of the cells with the fewest
people, at random. Only people who have finished or are in progress count.

In a within-subjects design, each person plays all conditions. The orders form a Williams square: each condition is
equally often in each position, and equally often directly after every other condition. In a between-subjects design, an
order is a single condition. Over all cells, each problem is equally often in each condition and position.

A person's screens depend only on the study and the cell. A person leaves a screen by one *entry*: consent, answers or a
played round. Only a failed comprehension check is an entry after which the person stays.
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
    """A cell of a study's design: an order of conditions, and a rotation of the problems.

    Attributes:
        order: the indices of the conditions, in the order of play.
        rotation: the index of the first problem; the next rounds use the next problems of the list, cyclically.
    """

    order: tuple[int, ...]
    rotation: int


def williams(n: int) -> list[tuple[int, ...]]:
    """Return a Williams square: orders of `n` conditions in which each condition follows every other one equally often.

    Each order is a permutation of ``0 ... n - 1``. There are `n` orders if `n` is even or 1, otherwise ``2 * n``.
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
    """Return all cells of a study's design: each order of conditions with each rotation of the problems.

    An order has all conditions if `within`, otherwise a single one.
    """
    orders = williams(n_conditions) if within else [(condition,) for condition in range(n_conditions)]
    return [Assignment(order, rotation) for rotation in range(n_problems) for order in orders]


def next_cell(counts: Sequence[int], seed: int) -> int:
    """Return the index of the cell for the next person, drawn at random from the cells with the fewest people.

    Args:
        counts: the number of people in each cell (order of conditions and problems).
        seed: the seed of the study.
    """
    block = min(counts)
    order = np.random.default_rng([seed, block]).permutation(len(counts))
    return next(int(cell) for cell in order if counts[cell] == block)


def problems_at_place(cell: Assignment, place: int, rounds: int, n_problems: int) -> list[int]:
    """Return the index of the problem for each round that a person plays in one condition.

    Args:
        cell: the person's cell.
        place: the position of the condition in the person's order, from 0.
        rounds: number of rounds per condition.
        n_problems: number of problems.
    """
    first = cell.rotation + place * rounds
    return [(first + k) % n_problems for k in range(rounds)]


LONGEST_MS = 10**9
MOST_TIMES = 1000
CONSENT, TEXT, CHECK, ROUND, FORM, END = "consent", "text", "check", "round", "form", "end"


@dataclass(frozen=True, slots=True)
class Screen:
    """A page that a person goes through in a study: a text, a form or a round (an episode to play).

    Attributes:
        kind: ``consent``, ``text``, ``check`` (the comprehension check), ``round``, ``form`` or ``end``.
        title: the heading, before translation.
        text: the text, before translation; may be empty.
        condition: the condition of a round or form; otherwise None.
        problem: the name of a round's problem; otherwise empty.
        practice: whether it is a round for practice.
        form: the questionnaire of a form; otherwise None.
        trial: the number of a round, from 1; 0 for practice and other screens.
        key: the key for translating `text`, such as ``instructions.1``; empty without a text.
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
    """Return the setup of the round that a person plays at a screen of kind ``round``.

    The seed of the round is computed from the study's seed, the person's `number`, and the screen's `place`, from 0.
    """
    assert screen.condition is not None
    met = screen.condition
    seed = int(np.random.SeedSequence([study.seed, number, place]).generate_state(1)[0])
    return Setup(study.role, met.method, met.teammate, None, seed, met.belief, met.answers)


def screen_to_json(study: PeopleStudy, screen: Screen, texts: Texts, *, tries_left: int) -> dict[str, Any]:
    """Return a screen as JSON for the browser, without its condition, which people must not know.

    All screens have ``kind``, ``title`` and ``text``. Some kinds have more keys:

    - the comprehension check: ``items`` (questions), ``tries`` (number of attempts left) and ``instructions`` (pages);
    - a round: ``practice`` (whether it is for practice) and ``instructions``;
    - a form: ``items``.
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
    """Return the heading of a screen in the person's language, such as "Round 2 of 4"."""
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
    """Return the pages of a study's instructions in the person's language, each as a text.

    Args:
        study: the study.
        texts: the texts in the person's language, by key.
    """
    return [texts.get(f"study.instructions.{k}", page) for k, page in enumerate(study.instructions, start=1)]


def _item(item: Item, key: str, texts: Texts, scale: Scale | None = None) -> dict[str, Any]:
    """Return a question as JSON in the person's language: the keys of `Item.to_json`, and ``labels`` for ``options``.

    `texts` has all translations by key. The keys of the study's own translations begin with `key`. Where these are
    missing, those of the ready-made questionnaire `scale` are used.
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
    """Return the facts about a screen that are stored with each entry that a person makes at the screen.

    The dict has ``kind`` and, if the screen has them, ``condition`` and ``questionnaire`` (names). For a round, it also
    has ``problem`` (a name), ``practice`` (whether it is for practice) and ``trial`` (the number of the round, from
    1; 0 for practice).
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
    """Return the facts about a study that its export and its report need, as a dict to store with the results.

    Keys: ``name``, ``role``, ``design``, ``plan``, ``language`` (the default), ``conditions`` (names),
    ``questionnaires`` (dicts by name, with ``title``, ``when``, ``items``, ``scale``) and ``screens`` (for each cell in
    `assigned`, dicts with ``title`` and the keys of `described`). A ``scale`` may be None.
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

    Only wrong answers in a comprehension check keep a person at the screen. The data are the entry, with ``right`` (the
    number of right answers) for this check.

    Args:
        study: the study.
        screen: the screen.
        given: ``{"agreed": true}`` for consent, ``{"answers": {QUESTION: ANSWER}}`` for a check or form, ``{}`` for
            other screens.
        texts: the texts in the person's language, by key.

    Raises:
        NotEntered: the person has not agreed or has not answered a question.
        InputError: the page never sends such an entry.
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
    """Raised if a person's entry in a form is incomplete or invalid.

    The message, in the person's language, says what to do.
    """


def _answers(items: Sequence[Item], shown: list[dict[str, Any]], given: Field, texts: Texts) -> dict[str, Any]:
    """Check a person's answers in a form, and return them by the names of the questions.

    `shown` are the questions (`items`) as the browser shows them. `given` has the key ``answers``: the answers by the
    names of the questions.

    Raises:
        NotEntered: a required answer is missing.
        InputError: an answer is one that the page never sends.
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
    """Check the times in milliseconds that a browser measured at a screen, and return them.

    `given` has ``page``, the time on the page, and optionally ``items``: for each question, the time until its answer
    last changed.

    Raises:
        InputError: a key is wrong, a time is no whole number from 0 to `LONGEST_MS`, or there are more than
            `MOST_TIMES`.
    """
    given.object(["page"], ["items"])
    items = dict(given.child("items").items()) if given.has("items") else {}
    if len(items) > MOST_TIMES:
        raise InputError(f"{given.path}.items", f"{len(items)} times", f"at most {MOST_TIMES}")
    page = given.child("page").whole(0, LONGEST_MS)
    return {"page": page, "items": {name: each.whole(0, LONGEST_MS) for name, each in items.items()}}
