"""Reading and checking the file of a study with people: a TOML file of the format ``askwise/people-study@1``.

The file states conditions, problems, texts and questions. Its paths of problem files are relative to the study file.
`read_people_study` reads the problem files, too.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.core.question_json import parse_answers
from askwise.core.teammates import make_teammate
from askwise.domains.registry import read, standalone, words_of
from askwise.errors import InputError
from askwise.methods import make_agent
from askwise.studio.rounds.round import ROLES
from askwise.studio.study.hypotheses import BEHAVIOUR, AnalysisPlan, read_plan
from askwise.studio.study.questionnaires import (
    SCALES,
    Item,
    Scale,
    check_wording_allowed,
    pairs,
    read_item,
    read_wording,
    with_partner,
)
from askwise.studio.study.texts import Texts, read_languages
from askwise.text.data import parse_toml
from askwise.text.files import read_text
from askwise.text.reading import Field, read_name
from askwise.text.wording import PLAIN

FORMAT = "askwise/people-study@1"
DEFAULT_TITLE = "A few questions"
"""The title of a questionnaire that states none; shown in the person's language."""
DESIGNS = ("within", "between")
WHEN = ("after each condition", "at the end")
STORED = ("hashed", "plain")
FINISHED, LEFT, FAILED_CHECK, DECLINED = "finished", "left", "check not passed", "declined"
ENDINGS = {FINISHED: "", FAILED_CHECK: "screened_out_", LEFT: "left_", DECLINED: "declined_"}
"""How a participation can end, and how the keys of its code and link in the study file begin."""
SERVICES = {
    "prolific": ("PROLIFIC_PID", "{{%PROLIFIC_PID%}}"),
    "sona": ("id", "%SURVEY_CODE%"),
    "cloudresearch": ("participantId", ""),
    "mturk": ("workerId", "..."),
}
"""The parameter of each service that recruits people, and its placeholder.

The placeholder is empty if the service adds both itself, and three dots if the researcher has to fill it in.
"""
LINKS = {"prolific": "https://app.prolific.com/submissions/complete?cc={code}"}
"""The link back to a service for each code; other services have a different one for each study."""
MOST_CONDITIONS = 12
MOST_PROBLEMS = 50
LONGEST_TEXT = 20_000
PEOPLE_PER_CORE = 50
"""Default number of people who may take part at the same time, for each core.

With two moves a second each, they take a quarter to a third of a core, without the methods' own work
(`benchmarks/studio.py`). The rest is for people who arrive all at once, and for slower methods.
"""
MOST_PEOPLE = 1000
"""Largest number of people at the same time that a study file may allow."""


@dataclass(frozen=True, slots=True)
class StudyCondition:
    """A condition of a study with people: the kind of partner (the agent that people do not play).

    Attributes:
        name: the name of the condition.
        method: the ego agent's method, if people play the teammate.
        belief: the method's belief, ``elimination``, ``bayes`` or ``robust``; None to choose one that suits people.
        teammate: the simulated teammate, such as ``noisy:0.2``, if people play the ego agent; None for the problem's.
        answers: how the teammate answers: ``truthful``, or probabilities such as ``wrong:0.05,refused:0.1``; None for
            the problem's.
    """

    name: str
    method: str = "planner"
    belief: str | None = None
    teammate: str | None = None
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """A form: questions that a person answers on one page.

    Attributes:
        name: its name in tables of results.
        title: the heading of the page.
        items: the questions.
        when: ``after each condition`` or ``at the end``.
        scale: the ready-made questionnaire with these questions and a score; None for the study's own questions.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    when: str
    scale: Scale | None = None


@dataclass(frozen=True, slots=True)
class PeopleStudy:
    """A study with people, as its file describes it.

    A service that recruits people sends them to a link such as
    ``https://lab.example.org/join/TOKEN?PARAMETER=IDENTIFIER``.

    Attributes:
        name: the name of the study.
        seed: the seed of all random numbers.
        role: the role that people play, ``teammate`` or ``ego``.
        design: ``within`` if each person plays all conditions; ``between`` if one.
        rounds: rounds (episodes) per person and condition, without practice.
        most_at_once: most people at the same time.
        gone_after: minutes without activity until a person counts as gone.
        consent: the text that people agree to.
        instructions: pages of instructions.
        check: the comprehension check: multiple-choice questions, each with its right option.
        tries: number of attempts at the check.
        practice: number of practice rounds, their condition, and the name of their problem.
        conditions: the conditions to compare.
        problems: the texts of the problem files, by name.
        questionnaires: the forms to fill in.
        debriefing: the text at the end; may be empty.
        endings: for each key of `ENDINGS`, such as ``finished``, a code for the service and a link back; both may be
            empty.
        parameter: ``PARAMETER`` in the link, such as ``PROLIFIC_PID``; empty without identifiers.
        placeholder: what the service replaces by the identifier; ``...`` if unknown, empty if the service adds the
            parameter itself.
        languages: the texts that people read, as ``languages[language][key]``; the first language is the default.
        stored: how identifiers are stored: ``hashed`` or ``plain``.
        digest: a hash of the study file and all files that it names.
        plan: the hypotheses and how to test them.
    """

    name: str
    seed: int
    role: str
    design: str
    rounds: int
    most_at_once: int
    gone_after: float
    consent: str
    instructions: tuple[str, ...]
    check: tuple[tuple[Item, str], ...]
    tries: int
    practice: tuple[int, StudyCondition, str]
    conditions: tuple[StudyCondition, ...]
    problems: dict[str, str]
    questionnaires: tuple[Questionnaire, ...]
    debriefing: str
    endings: dict[str, tuple[str, str]]
    parameter: str
    placeholder: str
    languages: dict[str, Texts]
    stored: str
    digest: str
    plan: AnalysisPlan


def is_people_study(text: str) -> bool:
    """Return whether `text` is the file of a study with people, that is, contains the name of its format (`FORMAT`)."""
    return FORMAT in text


def default_capacity() -> int:
    """Return the number of people who may take part in a study at the same time if its file does not state a number.

    The result is `PEOPLE_PER_CORE` for each core of this computer, but at most `MOST_PEOPLE`.
    """
    return min(MOST_PEOPLE, PEOPLE_PER_CORE * (os.cpu_count() or 1))


def read_people_study(path: str | Path) -> PeopleStudy:
    """Read and check the file of a study with people and all files that it names, such as problem files.

    Args:
        path: the study file.

    Raises:
        InputError: a file cannot be read, or its contents are invalid.
    """
    text = read_text(path)
    root = Field("", parse_toml(text), Path(path).parent)
    needed = ["format", "name", "seed", "role", "design", "rounds", "problems", "conditions", "consent"]
    optional = [
        "most_at_once",
        "gone_after_minutes",
        "instructions",
        "check",
        "practice",
        "questionnaires",
        "partner",
        "hypotheses",
        "analysis",
    ]
    root.object(needed, [*optional, "debriefing", "completion", "panel", "languages", "texts"])
    root.child("format").text([FORMAT])
    problems = _problems(root)
    role = root.child("role").text(ROLES)
    conditions = tuple(_condition(each, name) for name, each in root.child("conditions").items())
    if not 1 <= len(conditions) <= MOST_CONDITIONS:
        raise InputError("conditions", f"{len(conditions)} conditions", f"1 to {MOST_CONDITIONS}")
    panel = _table(root, "panel", ["service", "parameter", "store"])
    parameter, placeholder = _panel(panel)
    stored = Field("panel.store", panel.get("store", STORED[0])).text(STORED)
    languages = read_languages(root)
    check, tries = _check(root)
    questionnaires = _questionnaires(root, _partner(root, role, problems))
    design = root.child("design").text(DESIGNS)
    plan = read_plan(root, design, [each.name for each in conditions], measures_of(questionnaires))
    # Texts of published wordings count as part of the file; without any, the digest is that of earlier versions.
    worded = [item.text for each in questionnaires if each.scale and each.scale.cited for item in each.items]
    return PeopleStudy(
        name=read_name(root.child("name")),
        seed=root.child("seed").whole(0, 2**63 - 1),
        role=role,
        design=design,
        rounds=root.child("rounds").whole(1, 100),
        most_at_once=root.child("most_at_once").whole(1, MOST_PEOPLE)
        if root.has("most_at_once")
        else default_capacity(),
        gone_after=root.child("gone_after_minutes").number(above=0) if root.has("gone_after_minutes") else 60.0,
        consent=_text(root.child("consent")),
        instructions=tuple(_text(each) for each in root.child("instructions").elements())
        if root.has("instructions")
        else (),
        check=check,
        tries=tries,
        practice=_practice(root, conditions, problems),
        conditions=conditions,
        problems=problems,
        questionnaires=questionnaires,
        debriefing=_text(root.child("debriefing")) if root.has("debriefing") else "",
        endings=_endings(root, stored, LINKS.get(panel.get("service", ""), "")),
        parameter=parameter,
        placeholder=placeholder,
        languages=languages,
        stored=stored,
        digest=_digest(text, *problems.values(), *worded, *_translated(root)),
        plan=plan,
    )


def measures_of(questionnaires: tuple[Questionnaire, ...]) -> list[str]:
    """Return the names of the measures by which a study can compare its conditions.

    Names:

    - those in `BEHAVIOUR`, such as ``cost``;
    - ``NAME``: the score of a ready-made questionnaire;
    - ``NAME, weighted``: the weighted score of such a questionnaire, if people also compare its dimensions;
    - ``NAME: QUESTION``: the numbers chosen in a question of another questionnaire.

    Args:
        questionnaires: all questionnaires; only those after each condition count.
    """
    found = list(BEHAVIOUR)
    for each in questionnaires:
        if each.when == WHEN[0]:
            scores = [each.name] if each.scale else [f"{each.name}: {i.name}" for i in each.items if i.kind == "scale"]
            weighted = [f"{each.name}, weighted"] if each.scale and len(each.items) > len(each.scale.items) else []
            found += scores + weighted
    return found


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def _text(given: Field) -> str:
    text = given.text().strip()
    if not text or len(text) > LONGEST_TEXT:
        raise InputError(given.path, f"{len(text)} letters", f"1 to {LONGEST_TEXT}")
    return text


def _table(root: Field, key: str, keys: list[str]) -> dict[str, str]:
    if not root.has(key):
        return {}
    given = root.child(key).object([], keys)
    return {name: each.text() for name, each in given.items()}


def _panel(given: dict[str, str]) -> tuple[str, str]:
    """Return the parameter and the placeholder of a study's link, which ends with ``?PARAMETER=PLACEHOLDER``.

    The service that recruits people replaces the placeholder by a person's identifier. `given` is the table ``panel``
    of the study file. If it states no ``service``, the placeholder is ``...``, and the parameter may be empty. Raises
    `InputError` if the service is unknown.
    """
    if "service" not in given:
        return given.get("parameter", ""), "..."
    parameter, placeholder = SERVICES[Field("panel.service", given["service"]).text(SERVICES)]
    return given.get("parameter", parameter), placeholder


def _endings(root: Field, stored: str, usual: str) -> dict[str, tuple[str, str]]:
    """Return a code and a link for each key of `ENDINGS`, that is, each way to end a participation; both may be empty.

    Both tell the service that recruits people how a participation ended. In a link, ``{code}`` stands for the code and
    ``{id}`` for the person's identifier. A code without a link gets the link `usual`. Raises `InputError` for equal
    codes and for unusable links.
    """
    keys = [f"{begin}{what}" for begin in ENDINGS.values() for what in ("code", "link")]
    given = _table(root, "completion", keys)
    found = {end: (given.get(f"{begin}code", ""), given.get(f"{begin}link", "")) for end, begin in ENDINGS.items()}
    seen: dict[str, str] = {}
    for end, begin in ENDINGS.items():
        code, link = found[end]
        path = f"completion.{begin}link"
        if link and not link.startswith(("https://", "http://")):
            raise InputError(path, repr(link), "an address that begins with https:// or http://")
        if "{code}" in link and not code:
            raise InputError(path, "{code}", f"completion.{begin}code, which replaces it")
        if "{id}" in link and stored != "plain":
            raise InputError(path, "{id}", 'panel.store = "plain", because a hash cannot be turned back')
        if code and code in seen:
            raise InputError(f"completion.{begin}code", repr(code), f"another code than completion.{seen[code]}code")
        seen[code] = begin
        found[end] = code, link or (usual if code else "")
    return found


def _translated(root: Field) -> list[str]:
    """Return the unparsed texts of the translation files that a study file names, for a hash of the study."""
    tables = root.child("texts").value.values() if root.has("texts") else []
    return [read_text((root.folder or Path()) / each) for each in tables if isinstance(each, str)]


def _problems(root: Field) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in root.child("problems").elements():
        path = (root.folder or Path()) / each.text()
        try:
            text = standalone(path)
        except InputError as error:
            raise InputError(f"{each.path} ({each.value}): {error.field}", error.found, error.expected) from None
        name = path.stem
        if name in found:
            raise each.refuse("files with different names")
        found[name] = text
    if not 1 <= len(found) <= MOST_PROBLEMS:
        raise InputError("problems", f"{len(found)} files", f"1 to {MOST_PROBLEMS}")
    return found


def _condition(given: Field, name: str) -> StudyCondition:
    given.object([], ["method", "belief", "teammate", "answers"])
    texts: dict[str, Any] = {key: each.text() for key, each in given.items()}
    made = StudyCondition(read_name(Field(f"conditions.{name}", name)), **texts)
    options = {} if made.belief is None else {"belief": made.belief}
    for what, check in (
        ("method", lambda: make_agent(made.method, **options)),
        ("teammate", lambda: None if made.teammate is None else make_teammate(made.teammate)),
        ("answers", lambda: None if made.answers is None else parse_answers(made.answers)),
    ):
        try:
            check()
        except InputError as error:
            raise InputError(f"conditions.{name}.{what}", error.found, error.expected) from None
    return made


def _check(root: Field) -> tuple[tuple[tuple[Item, str], ...], int]:
    if not root.has("check"):
        return (), 1
    given = root.child("check").object(["questions"], ["tries"])
    found = []
    for number, each in enumerate(given.child("questions").elements(), start=1):
        each.object(["text", "options", "right"], [])
        item = read_item(
            Field(each.path, {"name": f"check {number}", **{k: each.value[k] for k in ("text", "options")}})
        )
        found.append((item, each.child("right").text(item.options)))
    return tuple(found), given.child("tries").whole(1, 20) if given.has("tries") else 2


def _practice(
    root: Field, conditions: tuple[StudyCondition, ...], problems: dict[str, str]
) -> tuple[int, StudyCondition, str]:
    first = next(iter(problems))
    if not root.has("practice"):
        return 0, conditions[0], first
    given = root.child("practice").object(["rounds"], ["condition", "problem"])
    chosen = conditions[0]
    if given.has("condition"):
        named = {each.name: each for each in conditions}
        chosen = named[given.child("condition").text(named)]
    problem = given.child("problem").text(problems) if given.has("problem") else first
    return given.child("rounds").whole(0, 20), chosen, problem


def _partner(root: Field, role: str, problems: dict[str, str]) -> str:
    """Return the noun for the partner (the agent that people do not play) in questionnaires.

    The study file may state it with the key ``partner``. Otherwise it is the noun of the first problem, such as
    "helper", or the word "partner" if this problem has none.
    """
    if root.has("partner"):
        return read_name(root.child("partner"))
    words = words_of(read(next(iter(problems.values()))))
    word = words.ego if role == "teammate" else words.teammate
    return "partner" if word in (PLAIN.ego, PLAIN.teammate) else word


def _questionnaires(root: Field, partner: str) -> tuple[Questionnaire, ...]:
    if not root.has("questionnaires"):
        return ()
    found = [_questionnaire(each, partner) for each in root.child("questionnaires").elements()]
    names = [each.name for each in found]
    if len(set(names)) < len(names):
        raise InputError("questionnaires", f"names {', '.join(names)}", "a different name for each")
    return tuple(found)


def _questionnaire(given: Field, partner: str) -> Questionnaire:
    given.object([], ["use", "wording", "weights", "name", "title", "items", "when"])
    when = given.child("when").text(WHEN) if given.has("when") else WHEN[1]
    title = given.child("title").text() if given.has("title") else DEFAULT_TITLE
    if given.has("use"):
        scale = _scale(given.object(["use"], ["wording", "weights", "title", "when"]))
        compared = pairs() if given.value.get("weights", False) else ()
        return Questionnaire(scale.name, title, (*with_partner(scale.items, partner), *compared), when, scale)
    given.object(["name", "items"], ["title", "when"])
    items = tuple(read_item(each) for each in given.child("items").elements())
    names = [item.name for item in items]
    if not items or len(set(names)) < len(names):
        raise given.child("items").refuse("at least one item, each with a different name")
    return Questionnaire(read_name(given.child("name")), title, items, when)


def _scale(given: Field) -> Scale:
    scale = SCALES[given.child("use").text(SCALES)]
    if given.has("weights") and (scale.name != "workload" or not isinstance(given.value["weights"], bool)):
        raise given.child("weights").refuse('true or false, with use = "workload"')
    if not given.has("wording"):
        return scale
    named = given.child("wording")
    check_wording_allowed(named, scale)
    try:
        return read_wording((given.folder or Path()) / named.text(), scale)
    except InputError as error:
        raise InputError(f"{named.path} ({named.value}): {error.field}", error.found, error.expected) from None
