"""Types and typed lists: ``a b - t``, ``c - (either t u)``, ``d``.

A type that is written without a parent is a kind of ``object``. An object has its own types and all that these are
kinds of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from askwise.errors import did_you_mean
from askwise.pddl.language import OBJECT
from askwise.pddl.tokens import Form, Word

Typed = list[tuple[Word, tuple[Word, ...]]]


def typed_list(items: Iterable[Form | Word], what: str) -> Typed:
    """Return the names in a typed list, each with its types; none are stated for the last ones without ``-``."""
    names: Typed = []
    waiting: list[Word] = []
    dash: Word | None = None
    for item in _with_dashes_apart(items):
        if dash is not None:
            names += [(name, _types(item)) for name in waiting]
            waiting, dash = [], None
        elif isinstance(item, Form):
            raise item.refuse(f"the name of {what}")
        elif item.text == "-":
            if not waiting:
                raise item.refuse(f"the name of {what} before '-'")
            dash = item
        else:
            waiting.append(item)
    if dash is not None:
        raise dash.refuse("a type after '-'")
    return names + [(name, ()) for name in waiting]


def _with_dashes_apart(items: Iterable[Form | Word]) -> Iterable[Form | Word]:
    """Yield the items; ``-type`` without a blank is two of them."""
    for item in items:
        if isinstance(item, Word) and item.text.startswith("-") and len(item.text) > 1:
            yield Word("-", item.file, item.line)
            yield Word(item.text[1:], item.file, item.line)
        else:
            yield item


def _types(item: Form | Word) -> tuple[Word, ...]:
    if isinstance(item, Word):
        return (item,)
    inside = tuple(word for word in item.rest if isinstance(word, Word))
    if item.head != "either" or not inside or len(inside) != len(item.rest):
        raise item.refuse("a type, or (either TYPE TYPE ...)")
    return inside


def read_types(items: Iterable[Form | Word]) -> dict[str, tuple[str, ...]]:
    """Return the parents of each type; types that are only named as parents are types too."""
    parents: dict[str, tuple[str, ...]] = {OBJECT: ()}
    for name, above in typed_list(items, "a type"):
        stated = tuple(word.text for word in above) or (OBJECT,)
        if name.text != OBJECT:  # the root of all has no parent, whatever a file says
            known = parents.get(name.text, ())
            parents[name.text] = known + tuple(parent for parent in stated if parent not in known)
        for parent in stated:
            parents.setdefault(parent, (OBJECT,) if parent != OBJECT else ())
    return parents


def checked_types(stated: tuple[Word, ...], parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the names of known types; none stated means ``object``."""
    for word in stated:
        if word.text not in parents:
            raise word.refuse(f"a type from (:types ...){did_you_mean(word.text, parents)}")
    return tuple(word.text for word in stated) or (OBJECT,)


def all_types(own: Iterable[str], parents: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return the types of an object: its own, and all that these are kinds of (circles do no harm)."""
    found: set[str] = set()
    waiting = [*own, OBJECT]
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.add(kind)
            waiting.extend(parents.get(kind, ()))
    return found
