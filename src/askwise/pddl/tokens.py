"""Read PDDL files (descriptions of planning problems) as words and nested lists, with line numbers.

All letters become lower case. A ``?`` starts a new word even without a blank before it, because some public files leave
the blank out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askwise.errors import InputError
from askwise.text.wording import printable

DEEPEST = 50
"""Maximal nesting of brackets; STRIPS needs six levels."""
LONGEST_WORD = 200
LONGEST_FILE = 20_000_000
LONGEST_SHOWN = 60

_TOKEN = re.compile(r";[^\n]*|\n|[()]|\?[^\s()?;]*|[^\s()?;]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or bracket of a PDDL file, with its place in the file.

    Attributes:
        text: the word, in lower case.
        file: the name of the file, for error messages.
        line: the line in the file, counted from 1.
    """

    text: str
    file: str
    line: int

    def __str__(self) -> str:
        return self.text

    def refuse(self, expected: str, found: str | None = None) -> InputError:
        """Return (without raising it) an `InputError` that names the file and line of this word.

        Args:
            expected: what should be there.
            found: what is there instead; None for the word itself.
        """
        return refusal(self, found or repr(shortened(self.text)), expected)


@dataclass(frozen=True, slots=True)
class Form:
    """A bracketed list of a PDDL file, with its place in the file.

    Attributes:
        items: the words and lists in it.
        file: name of the file.
        line: line of the opening bracket, from 1.
    """

    items: tuple[Form | Word, ...]
    file: str
    line: int

    @property
    def head(self) -> str:
        """The first item of the list as text if it is a word; empty if it is a list, or if there are no items."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Word) else ""

    @property
    def rest(self) -> tuple[Form | Word, ...]:
        """All items of the list after the first."""
        return self.items[1:]

    def __str__(self) -> str:
        # Only as much as a message shows: forms may be large.
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
        """Return (without raising it) an `InputError` that names the file and line of this list.

        Args:
            expected: what should be there.
            found: what is there instead; None for the text of the list, shortened.
        """
        return refusal(self, found or repr(shortened(str(self))), expected)


def refusal(place: Word | Form, found: str, expected: str) -> InputError:
    """Return (without raising it) an `InputError` about a place in a PDDL file.

    Args:
        place: the word or list whose file and line the error names.
        found: what is there.
        expected: what should be there instead.
    """
    return InputError(f"{place.file}, line {place.line}", printable(found), expected)


def shortened(text: str) -> str:
    """Return `text`, cut to `LONGEST_SHOWN` (60) characters; the last three of a cut text are dots."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def words_of(text: str, file: str, line: int = 1) -> Iterator[Word]:
    """Yield the brackets and words of a PDDL text, in lower case; skip comments.

    The text begins at the given line of the file. Raises `InputError` if the text or a word is too long.
    """
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
    """Parse a PDDL text; return its words and bracketed lists in order.

    Args:
        text: the PDDL text.
        file: name of its file, for error messages.
        line: the text's first line in the file.
        surplus: whether to ignore surplus closing brackets at the end.

    Raises:
        InputError: brackets do not match or are too deep, or the text or a word is too long.
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
    """Return the list ``(define ...)``, which holds the contents of a PDDL file.

    `file` is its name. Raises `InputError` if the text cannot be parsed, or its first list is not ``(define ...)``.
    """
    found = [form for form in forms_of(text, file, surplus=True) if isinstance(form, Form)]
    if not found or found[0].head != "define":
        what = repr(shortened(str(found[0]))) if found else "no '('"
        raise InputError(f"{file}, line {found[0].line if found else 1}", printable(what), "(define ...), a PDDL file")
    return found[0]
