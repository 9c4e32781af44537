"""Items of questionnaires; ready-made questionnaires are in `askwise.studio.study.scales`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askwise.errors import AskwiseError, InputError
from askwise.text.reading import Field, check_name

LONGEST_ANSWER = 2000
KINDS = ("scale", "choice", "text")


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a questionnaire.

    Attributes:
        name: its column in tables.
        text: the text that people read.
        kind: ``scale``, ``choice`` or ``text``.
        lowest: the lowest point of a scale.
        highest: the highest point of a scale.
        step: the distance between neighbouring points of a scale.
        low: the label of the lowest point.
        high: the label of the highest point.
        options: the options of a choice.
        optional: whether people may leave the question out.
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
        """Return the answer in a field (a number, an option or a text); raise `InputError` if it does not fit."""
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
    """Read a question of a questionnaire from a study file."""
    keys = ["kind", "from", "to", "step", "low", "high", "options", "optional"]
    given.object(["name", "text"], keys)
    name, text = check_name(given.child("name").text(), given.child("name").path), given.child("text").text()
    kind = given.child("kind").text(KINDS) if given.has("kind") else "choice" if given.has("options") else "scale"
    low, high = (given.child(key).text() if given.has(key) else "" for key in ("low", "high"))
    optional = bool(given.value.get("optional", False))
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
