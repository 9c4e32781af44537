"""Questionnaires: the questions of a study, and ready-made scales with their scoring.

Numbers that people choose give points. If an item is *reversed*, its highest number gives the fewest points. A score is
the mean of the points, unless stated.

=============  ======================================================================================================
``workload``   after the NASA Task Load Index: six dimensions from 0 to 100, the last one (performance) reversed.
               With ``weights = true`` people also compare all 15 pairs of dimensions. In the weighted score, a
               dimension counts as often as it was chosen.
``usability``  after the System Usability Scale: ten statements from 1 to 5, every second one reversed. The score is
               from 0 (smallest possible sum of the points) to 100 (largest).
``fluency``    after Hoffman's measures of team fluency: six statements from 1 to 7.
``trust``      after the scale of Jian, Bisantz and Drury: twelve statements from 1 to 7, the first five reversed.
=============  ======================================================================================================

The wording is askwise's own, so results must not be cited as those of the published scales. They may be cited if the
study file names a file with the published wording (``askwise/wording@1``), which it cannot do for ``fluency``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from askwise.errors import AskwiseError, InputError
from askwise.text.data import parse_toml
from askwise.text.files import read_text
from askwise.text.reading import Field, check_name

LONGEST_ANSWER = 2000
KINDS = ("scale", "choice", "text")


@dataclass(frozen=True, slots=True)
class Item:
    """A question of a questionnaire.

    Attributes:
        name: the name of the question in tables.
        text: the question.
        kind: ``scale`` (a number), ``choice`` (an option) or ``text``.
        lowest: the lowest number of a scale.
        highest: the highest number.
        step: the distance between numbers.
        low: the label of the lowest number.
        high: the label of the highest number.
        options: the options of a choice.
        optional: whether an answer may be missing.
    """

    name: str
    text: str
    kind: str = "scale"
    lowest: int = 1
    highest: int = 7
    step: int = 1
    low: str = ""
    high: str = ""
    options: tuple[str, ...] = ()
    optional: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the question as JSON for browsers, with the attributes as keys."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def checked(self, given: Field) -> Any:
        """Return a person's answer: a number, an option or a text; None if an optional question was left out.

        Raises an `AskwiseError` if the answer is not valid.

        Args:
            given: the answer in the data that the browser sent.
        """
        if given.value is None and self.optional:
            return None
        if self.kind == "choice":
            return given.text(self.options)
        if self.kind == "text":
            text = given.text()
            if len(text) > LONGEST_ANSWER:
                raise InputError(given.path, f"{len(text)} letters", f"at most {LONGEST_ANSWER}")
            if not text.strip() and not self.optional:
                raise AskwiseError(f"Please answer this question: {given.path}")
            return text
        number = given.whole(self.lowest, self.highest)
        if (number - self.lowest) % self.step:
            raise given.refuse(f"a point of the scale, from {self.lowest} in steps of {self.step}")
        return number


def read_item(given: Field) -> Item:
    """Read a question of a questionnaire from a study file.

    The table `given` has ``name`` and ``text``. Optional keys are ``kind`` (by default ``choice`` if there are
    ``options``, otherwise ``scale``), ``optional``, ``options`` (of a choice), and, for a scale, ``from``, ``to``,
    ``step``, ``low`` and ``high`` (the labels of its ends).
    """
    keys = ["kind", "from", "to", "step", "low", "high", "options", "optional"]
    given.object(["name", "text"], keys)
    name, text = check_name(given.child("name").text(), given.child("name").path), given.child("text").text()
    kind = given.child("kind").text(KINDS) if given.has("kind") else "choice" if given.has("options") else "scale"
    low, high = (given.child(key).text() if given.has(key) else "" for key in ("low", "high"))
    optional = given.has("optional") and given.child("optional").truth()
    if kind == "text":
        return Item(name, text, kind, optional=optional)
    if kind == "choice":
        return Item(name, text, kind, options=_options(given), optional=optional)
    lowest = given.child("from").whole(-1000, 1000) if given.has("from") else 1
    highest = given.child("to").whole(lowest + 1, 1000) if given.has("to") else max(7, lowest + 1)
    step = given.child("step").whole(1, highest - lowest) if given.has("step") else 1
    return Item(name, text, kind, lowest, highest, step, low, high, optional=optional)


def _options(given: Field) -> tuple[str, ...]:
    if not given.has("options"):
        raise InputError(f"{given.path}.options", "nothing", "a list of at least two texts")
    found = tuple(each.text() for each in given.child("options").elements())
    if len(found) < 2 or len(set(found)) < len(found):
        raise given.child("options").refuse("at least two texts, all different")
    return found


# -- ready-made scales -----------------------------------------------------------------------------------------------


FORMAT = "askwise/wording@1"
OWN = "own wording; do not cite as"
PARTNER = "{partner}"
"""The place in a text where the study's word for the partner is put, such as "helper"."""
PAIR = "Which of these two mattered more for how demanding it was?"


@dataclass(frozen=True, slots=True)
class Scale:
    """A ready-made questionnaire with a score.

    Attributes:
        name: the name, such as ``usability``.
        published: the published scale, such as ``SUS``.
        citation: its publication, such as ``Brooke, 1996``.
        items: the questions.
        reverse: items whose highest number gives the fewest points.
        unit: the range of the score, such as ``0 to 100 (most usable)``.
        as_percent: whether the score is from 0 (smallest possible sum of the points) to 100 (largest); if not, the
            score is the mean of the points.
        cited: whether the wording is the published one.
    """

    name: str
    published: str
    citation: str
    items: tuple[Item, ...]
    reverse: frozenset[str] = frozenset()
    unit: str = ""
    as_percent: bool = False
    cited: bool = False

    @property
    def label(self) -> str:
        """The name under which results may be reported, for instance "SUS (Brooke, 1996)".

        If the wording is askwise's own, a warning comes first: "own wording; do not cite as SUS (Brooke, 1996)".
        """
        return f"{self.published} ({self.citation})" if self.cited else f"{OWN} {self.published} ({self.citation})"

    def to_json(self) -> dict[str, Any]:
        """Return what scoring and reports need to know about the scale, as a JSON-compatible dict.

        Keys: ``name``, ``label``, ``unit``, ``as_percent``, ``ranges`` (the lowest and highest points of each item) and
        ``reverse`` (a list of the reversed items).
        """
        kept = {"name": self.name, "label": self.label, "unit": self.unit, "as_percent": self.as_percent}
        ranges = {item.name: [item.lowest, item.highest] for item in self.items}
        return {**kept, "ranges": ranges, "reverse": sorted(self.reverse)}


def _load(name: str, text: str, low: str, high: str) -> Item:
    return Item(name, text, "scale", 0, 100, 5, low, high)


def _agree(name: str, text: str, highest: int = 7) -> Item:
    return Item(name, text, "scale", 1, highest, 1, "not at all", "completely")


SCALES = {
    each.name: each
    for each in (
        Scale(
            "workload",
            "NASA-TLX",
            "Hart and Staveland, 1988",
            (
                _load("mental", "How much mental effort did it take?", "very little", "very much"),
                _load("physical", "How much physical effort did it take?", "very little", "very much"),
                _load("pace", "How rushed did you feel?", "not at all", "very much"),
                _load("effort", "How hard did you have to try to do as well as you did?", "not at all", "very hard"),
                _load("frustration", "How annoyed, tense or discouraged did you feel?", "not at all", "very much"),
                _load("performance", "How well did you do what you were asked to do?", "badly", "perfectly"),
            ),
            frozenset({"performance"}),
            "0 (no load) to 100",
        ),
        Scale(
            "usability",
            "SUS",
            "Brooke, 1996",
            (
                _agree("often", "I would be happy to have this {partner} around regularly.", 5),
                _agree("complicated", "Working with the {partner} was more complicated than it had to be.", 5),
                _agree("easy", "It was easy to work with the {partner}.", 5),
                _agree("support", "I would need someone to help me with this {partner}.", 5),
                _agree("integrated", "What the {partner} did fitted together well.", 5),
                _agree("inconsistent", "The {partner} behaved differently in similar situations.", 5),
                _agree("quickly", "Most people would soon know how to work with the {partner}.", 5),
                _agree("awkward", "Working with the {partner} was awkward.", 5),
                _agree("confident", "I felt sure of what I was doing with the {partner}.", 5),
                _agree("learning", "I had to learn a lot before I could work with the {partner}.", 5),
            ),
            frozenset({"complicated", "support", "inconsistent", "awkward", "learning"}),
            "0 to 100 (most usable)",
            as_percent=True,
        ),
        Scale(
            "fluency",
            "the fluency measures",
            "Hoffman, 2019",
            (
                _agree("smooth", "The two of us worked together smoothly."),
                _agree("timing", "The {partner} did things at the right moment."),
                _agree("understood", "The {partner} understood what I wanted to do."),
                _agree("questions", "Questions were asked only when they were useful."),
                _agree("share", "The {partner} did its share of the work."),
                _agree("again", "I would like to work with this {partner} again."),
            ),
            unit="1 to 7 (most fluent)",
        ),
        Scale(
            "trust",
            "the checklist for trust",
            "Jian, Bisantz and Drury, 2000",
            (
                _agree("deceptive", "The {partner} misled me."),
                _agree("underhand", "The {partner} hid what it was doing."),
                _agree("suspicious", "I doubted what the {partner} was up to."),
                _agree("wary", "I had to be careful with the {partner}."),
                _agree("harmful", "What the {partner} did could do damage."),
                _agree("confident", "I felt confident with the {partner}."),
                _agree("security", "The {partner} made me feel safe."),
                _agree("integrity", "The {partner} was honest."),
                _agree("dependable", "I could count on the {partner}."),
                _agree("reliable", "The {partner} worked the same way every time."),
                _agree("trust", "I trusted the {partner}."),
                _agree("familiar", "I knew the {partner} well."),
            ),
            frozenset({"deceptive", "underhand", "suspicious", "wary", "harmful"}),
            "1 to 7 (most trust)",
        ),
    )
}
DIMENSIONS = {
    "mental": "Mental effort",
    "physical": "Physical effort",
    "pace": "Being rushed",
    "effort": "Trying hard",
    "frustration": "Annoyance or stress",
    "performance": "Doing it well",
}


def pairs() -> tuple[Item, ...]:
    """Return 15 questions, each of which asks which of two dimensions of workload mattered more to a person.

    The weight of a dimension is the number of questions in which the person chose it.
    """
    return tuple(
        Item(f"{a} or {b}", PAIR, "choice", options=(DIMENSIONS[a], DIMENSIONS[b]))
        for a, b in combinations(DIMENSIONS, 2)
    )


def with_partner(items: tuple[Item, ...], partner: str) -> tuple[Item, ...]:
    """Return the questions with the word `partner` in place of the placeholder ``{partner}`` in their texts."""
    return tuple(replace(item, text=item.text.replace(PARTNER, partner)) for item in items)


def read_wording(path: Path, scale: Scale) -> Scale:
    """Return the scale with the published wording, which the researcher supplies as a TOML file.

    The file has ``format`` (``askwise/wording@1``), ``scale`` (the name), and exactly one table ``items.NAME`` for each
    item. A table has ``text``. It may have ``low`` and ``high`` (labels of the lowest and highest number) and
    ``reverse`` (true if the highest number gives the fewest points), whose values are otherwise taken from `scale`.
    """
    root = Field("", parse_toml(read_text(path))).object(["format", "scale", "items"], [])
    root.child("format").text([FORMAT])
    root.child("scale").text([scale.name])
    names = [item.name for item in scale.items]
    given = root.child("items").object(names, [])
    worded, reverse = [], set(scale.reverse)
    for item in scale.items:
        each = given.child(item.name).object(["text"], ["low", "high", "reverse"])
        low, high = (each.child(key).text() if each.has(key) else getattr(item, key) for key in ("low", "high"))
        worded.append(replace(item, text=each.child("text").text(), low=low, high=high))
        if each.has("reverse"):
            (reverse.add if each.child("reverse").truth() else reverse.discard)(item.name)
    return replace(scale, items=tuple(worded), reverse=frozenset(reverse), cited=True)


def score(scale: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, float]:
    """Return a person's scores in a ready-made questionnaire; an empty dict if the answer to an item is missing.

    Keys: ``score`` and, if all questions of `pairs` were answered, ``weighted score``.

    Args:
        scale: the questionnaire, as `Scale.to_json` returns it.
        answers: the person's answers, by the names of the questions.
    """
    ranges = scale["ranges"]
    if any(not isinstance(answers.get(name), int | float) for name in ranges):
        return {}
    points = {
        name: float(low + high - answers[name] if name in scale["reverse"] else answers[name])
        for name, (low, high) in ranges.items()
    }
    found = {"score": sum(points.values()) / len(points)}
    if scale["as_percent"]:
        most = sum(high - low for low, high in ranges.values())
        found["score"] = 100 * sum(points[name] - ranges[name][0] for name in points) / most
    compared = [answers.get(item.name) for item in pairs()] if scale["name"] == "workload" else []
    if compared and all(compared):
        weights = {name: compared.count(label) for name, label in DIMENSIONS.items()}
        found["weighted score"] = sum(weights[name] * points[name] for name in points) / len(compared)
    return found


def check_wording_allowed(given: Field, scale: Scale) -> None:
    """Raise an `InputError` if a study file names a published wording for ``fluency``, whose items are askwise's own.

    Args:
        given: the field that names the file with the wording.
        scale: the scale.
    """
    if scale.name == "fluency":
        raise InputError(given.path, given.value, "no wording for fluency: it is askwise's selection; list own items")
