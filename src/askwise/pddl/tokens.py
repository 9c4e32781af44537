"""The brackets and words of a PDDL file, each with its line.

Letters are lower case from here on: PDDL does not tell ``MOVE`` from ``move``. A variable begins a word of its own even
where the blank in front of it is missing (``(aircraft?a)``), as it is in public files. Nothing here calls itself, so
that a file of a million brackets is refused like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askwise.errors import InputError
from askwise.text.wording import printable

DEEPEST = 50
"""Brackets inside brackets; plain STRIPS needs six."""
LONGEST_WORD = 200
LONGEST_FILE = 20_000_000
LONGEST_SHOWN = 60

_TOKEN = re.compile(r";[^\n]*|\n|[()]|\?[^\s()?;]*|[^\s()?;]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word and where it stands."""

    text: str
    file: str
    line: int

    def __str__(self) -> str:
        return self.text

    def refuse(self, expected: str, found: str | None = None) -> InputError:
        """Return the error for this place."""
        return refusal(self, found or repr(shortened(self.text)), expected)


@dataclass(frozen=True, slots=True)
class Form:
    """A pair of brackets, what is in them, and where it opens."""

    items: tuple[Form | Word, ...]
    file: str
    line: int

    @property
    def head(self) -> str:
        """The first word in it, or nothing."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Word) else ""

    @property
    def rest(self) -> tuple[Form | Word, ...]:
        """What comes after the first word."""
        return self.items[1:]

    def __str__(self) -> str:
        # Only so much of it as anybody will see: forms may be large.
        text = ""
        waiting: list[Form | Word | str] = [self]
        while waiting and len(text) <= LONGEST_SHOWN:
            item = waiting.pop()
            if isinstance(item, Form):
                waiting += [")", *(part for inner in reversed(item.items) for part in (inner, " "))]
                if item.items:
                    waiting.pop()
                text += "("
            else:
                text += str(item)
        return text

    def refuse(self, expected: str, found: str | None = None) -> InputError:
        """Return the error for this place."""
        return refusal(self, found or repr(shortened(str(self))), expected)


def refusal(place: Word | Form, found: str, expected: str) -> InputError:
    """Return the error for a place in a file."""
    return InputError(f"{place.file}, line {place.line}", printable(found), expected)


def shortened(text: str) -> str:
    """Return a text that fits into a message."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def words_of(text: str, file: str, line: int = 1) -> Iterator[Word]:
    """Yield brackets and words, without comments; the text begins in line `line` of the file."""
    if len(text) > LONGEST_FILE:
        raise InputError(file, f"{len(text)} characters", f"at most {LONGEST_FILE}")
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token == "\n":
            line += 1
        elif token[0] != ";":
            word = Word(token.lower(), file, line)
            if len(token) > LONGEST_WORD:
                raise word.refuse(f"at most {LONGEST_WORD}", f"a word of {len(token)} characters")
            yield word


def forms_of(text: str, file: str, *, line: int = 1, surplus: bool = False) -> list[Form | Word]:
    """Return what a text consists of: words, and brackets with what is in them.

    Args:
        text: the text.
        file: what errors call it.
        line: the line of the file that the text begins in.
        surplus: whether closing brackets too many at the very end are overlooked.
    """
    outermost: list[Form | Word] = []
    opened: list[tuple[Word, list[Form | Word]]] = []
    inside = outermost
    too_many: Word | None = None
    for word in words_of(text, file, line):
        if word.text == ")" and not opened:
            too_many = too_many or word
        if too_many is not None:
            if not surplus or word.text != ")":
                raise too_many.refuse("as many '(' before it", "a ')' too many")
        elif word.text == "(":
            if len(opened) == DEEPEST:
                raise word.refuse(f"at most {DEEPEST} brackets inside each other", "one bracket more")
            inside = []
            opened.append((word, inside))
        elif word.text == ")":
            start, items = opened.pop()
            inside = opened[-1][1] if opened else outermost
            inside.append(Form(tuple(items), file, start.line))
        else:
            inside.append(word)
    if opened:
        raise opened[-1][0].refuse("a ')' for it", "a '(' that is never closed")
    return outermost


def the_define(text: str, file: str) -> Form:
    """Return the one ``(define ...)`` of a file."""
    found = [form for form in forms_of(text, file, surplus=True) if isinstance(form, Form)]
    if not found or found[0].head != "define":
        what = repr(shortened(str(found[0]))) if found else "no '('"
        raise InputError(f"{file}, line {found[0].line if found else 1}", printable(what), "(define ...), a PDDL file")
    return found[0]
