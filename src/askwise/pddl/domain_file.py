"""Reader for PDDL domain files and for typed lists: ``a b - t``, ``c - (either t u)``, ``d``.

The reader accepts missing or superfluous requirements, sections in any order, several actions with the same name, and
missing blanks before ``?``. It refuses undeclared names, wrong numbers of terms, and anything beyond STRIPS; the error
names the line. A type without a parent is a subtype of ``object``. An object has its own types and all their
supertypes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from askwise.errors import InputError, did_you_mean
from askwise.pddl.language import OBJECT, Conjunction, KnownNames, Parameter, PddlDomain, Schema, condition, effect
from askwise.pddl.tokens import Form, Word, the_define

Typed = list[tuple[Word, tuple[Word, ...]]]


def typed_list(items: Iterable[Form | Word], what: str) -> Typed:
    """Return each name in a PDDL typed list with its types; in ``a b - t c``, `a` and `b` have type `t`, and `c` none.

    Args:
        items: the list.
        what: what errors call a name, such as "an object".
    """
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
    """Yield the items of a typed list; a word such as ``-type``, without a blank, is split into ``-`` and ``type``."""
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
    """Parse the list of types in a domain; return the direct supertypes of each type, by name.

    Types that occur only as supertypes are included.
    """
    parents: dict[str, tuple[str, ...]] = {OBJECT: ()}
    for name, above in typed_list(items, "a type"):
        stated = tuple(word.text for word in above) or (OBJECT,)
        if name.text != OBJECT:  # the root has no parent, even if a file gives one
            known = parents.get(name.text, ())
            parents[name.text] = known + tuple(parent for parent in stated if parent not in known)
        for parent in stated:
            parents.setdefault(parent, (OBJECT,) if parent != OBJECT else ())
    return parents


def checked_types(stated: tuple[Word, ...], parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the names of the given types, ``object`` if there are none; raise an InputError for an unknown type.

    Args:
        stated: the types as words of the file.
        parents: the direct supertypes of each known type.
    """
    for word in stated:
        if word.text not in parents:
            raise word.refuse(f"a type from (:types ...){did_you_mean(word.text, parents)}")
    return tuple(word.text for word in stated) or (OBJECT,)


def all_types(own: Iterable[str], parents: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return all types of an object: its own, their supertypes, and ``object``.

    Args:
        own: the types that a file gives the object.
        parents: the direct supertypes of each type; cycles are allowed.
    """
    found: set[str] = set()
    waiting = [*own, OBJECT]
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.add(kind)
            waiting.extend(parents.get(kind, ()))
    return found


BEYOND = {
    ":durative-action": "actions without duration",
    ":derived": "predicates that only actions change",
    ":process": "actions",
    ":event": "actions",
    ":constraints": "goals of a last state",
}
SWAPPED = ("domain", "problem")
ORDER = "first the domain, then the problem or template"


def read_domain(text: str, file: str = "domain.pddl") -> PddlDomain:
    """Parse the text of a PDDL domain file; `file` is its name in errors."""
    define = the_define(text, file)
    parts = sections(
        define, "domain", (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
    )
    reader = _Reader()
    for head in (":types", ":constants", ":predicates", ":action"):
        for part in parts.get(head, ()):
            reader.read[head](part)
    if not reader.schemas:
        raise InputError(file, "no (:action ...)", "at least one action")
    return PddlDomain(
        title(define, "domain"), reader.parents, reader.constants, reader.predicates, tuple(reader.schemas)
    )


def sections(define: Form, kind: str, known: tuple[str, ...]) -> dict[str, list[Form]]:
    """Return the sections of a PDDL file, such as ``(:types ...)``, by their first word.

    Unknown sections raise an `InputError`.

    Args:
        define: the whole file, a list ``(define ...)``.
        kind: ``domain`` or ``problem``.
        known: the first words of the sections that are allowed.
    """
    parts: dict[str, list[Form]] = {}
    for part in define.rest:
        if isinstance(part, Word) or not part.head:
            raise part.refuse(f"a part of a {kind}, such as ({known[-1]} ...)")
        if part.head in BEYOND:
            raise part.refuse(f"plain STRIPS, such as {BEYOND[part.head]}", f"'{part.head}'")
        if part.head in SWAPPED and part.head != kind:
            raise part.refuse(f"a {kind}: {ORDER}", f"a {part.head}")
        if part.head not in (*known, kind):
            raise part.refuse(f"one of {', '.join(known)}", f"'{part.head}'")
        parts.setdefault(part.head, []).append(part)
    return parts


def title(define: Form, kind: str) -> str:
    """Return the name of a domain or problem, NAME in ``(domain NAME)`` or ``(problem NAME)``.

    Args:
        define: the whole file, a list ``(define ...)``.
        kind: ``domain`` or ``problem``.
    """
    for part in define.rest:
        if isinstance(part, Form) and part.head == kind:
            return " ".join(str(word) for word in part.rest)
    raise define.refuse(f"({kind} NAME) in it", f"no ({kind} ...)")


class _Reader:
    """Reads the sections of a domain one by one and collects its types, constants, predicates and actions."""

    def __init__(self) -> None:
        self.parents: dict[str, tuple[str, ...]] = read_types(())
        self.constants: dict[str, tuple[str, ...]] = {}
        self.predicates: dict[str, int] = {}
        self.schemas: list[Schema] = []
        self.read: dict[str, Callable[[Form], None]] = {
            ":types": self._types,
            ":constants": self._constants,
            ":predicates": self._predicates,
            ":action": self._action,
        }

    def _types(self, part: Form) -> None:
        for kind, above in read_types(part.rest).items():
            known = self.parents.get(kind, ())
            self.parents[kind] = known + tuple(parent for parent in above if parent not in known)

    def _constants(self, part: Form) -> None:
        read_objects(part, self.parents, self.constants)

    def _predicates(self, part: Form) -> None:
        for form in part.rest:
            name = form.items[0] if isinstance(form, Form) and form.items else form
            if isinstance(form, Word) or isinstance(name, Form):
                raise form.refuse("(PREDICATE ?x ?y - TYPE ...)")
            arity = len(_parameters(form.rest, self.parents))
            if self.predicates.setdefault(name.text, arity) != arity:
                stated = self.predicates[name.text]
                raise form.refuse(f"{stated}, as before", f"{arity} terms of {name.text!r}")

    def _action(self, part: Form) -> None:
        if not part.rest or not isinstance(part.rest[0], Word) or part.rest[0].text.startswith((":", "?")):
            raise part.refuse("(:action NAME :parameters (...) :precondition (...) :effect (...))")
        name, fields = part.rest[0], _fields(part)
        stated = fields.get(":parameters")
        parameters = _parameters(stated.items if stated else (), self.parents)
        known = KnownNames(self.predicates, {*self.constants, *(each.name for each in parameters)})
        needed = condition(fields[":precondition"], known) if ":precondition" in fields else Conjunction()
        done, costs = effect(fields[":effect"], known) if ":effect" in fields else ((), ())
        self.schemas.append(Schema(name.text, parameters, needed, done, costs, name))


def _fields(action: Form) -> dict[str, Form]:
    """Return the bracketed list after each keyword of an action: ``:parameters``, ``:precondition``, ``:effect``."""
    known = (":parameters", ":precondition", ":effect")
    fields: dict[str, Form] = {}
    words = action.rest[1:]
    for key, value in zip(words[::2], words[1::2], strict=False):
        if isinstance(key, Form) or key.text not in known:
            raise key.refuse(f"one of {', '.join(known)}")
        if isinstance(value, Word):
            raise value.refuse(f"brackets after {key.text}")
        if key.text in fields:
            raise key.refuse("it once", f"'{key.text}' twice in one action")
        fields[key.text] = value
    if len(words) % 2:
        raise words[-1].refuse("a keyword with brackets after it")
    return fields


def _parameters(items: tuple[Form | Word, ...], parents: dict[str, tuple[str, ...]]) -> tuple[Parameter, ...]:
    found: dict[str, Parameter] = {}
    for name, stated in typed_list(items, "a variable, ?x"):
        if not name.text.startswith("?") or len(name.text) == 1:
            raise name.refuse("a variable, ?x")
        if name.text in found:
            raise name.refuse("each variable once", f"{name.text!r} twice")
        found[name.text] = Parameter(name.text, checked_types(stated, parents))
    return tuple(found.values())


def read_objects(part: Form, parents: dict[str, tuple[str, ...]], into: dict[str, tuple[str, ...]]) -> None:
    """Add the objects of a section, such as ``(:objects ...)``, with their types to the dict `into`.

    An object that is listed twice gets the types of both entries.

    Args:
        part: the section.
        parents: the direct supertypes of each known type.
        into: the types of each object found so far, by its name.
    """
    for name, stated in typed_list(part.rest, "an object"):
        if name.text.startswith(("?", ":")):
            raise name.refuse("the name of an object")
        known = into.get(name.text, ())
        into[name.text] = known + tuple(kind for kind in checked_types(stated, parents) if kind not in known)
