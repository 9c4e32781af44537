"""Readers for PDDL domain files, problem files and templates, and for lists of goals and actions.

A template is a problem with the goal ``<HYPOTHESIS>``. Readers accept missing or superfluous requirements, sections in
any order, several actions with one name, and missing blanks before ``?``. They refuse undeclared names, wrong numbers
of terms, and anything beyond STRIPS.

Typed lists are ``a b - t``, ``c - (either t u)`` or ``d``. A type without a parent has the parent ``object``. An object
has its own types and all their supertypes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from askwise.errors import InputError, did_you_mean
from askwise.pddl.language import (
    OBJECT,
    Conjunction,
    KnownNames,
    Literal,
    Parameter,
    PddlDomain,
    PddlProblem,
    Schema,
    condition,
    effect,
    literal,
    number,
)
from askwise.pddl.tokens import Form, Word, forms_of, the_define

# -- typed lists -------------------------------------------------------------------------------------------------

Typed = list[tuple[Word, tuple[Word, ...]]]


def typed_list(items: Iterable[Form | Word], what: str) -> Typed:
    """Return each name in a PDDL typed list with its types; in ``a b - t c``, `a` and `b` have type `t`, and `c` none.

    `what` is what error messages call one of the names, such as "an object".
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
    """Yield the items of a typed list, but split a word such as ``-type``, without a blank, into ``-`` and ``type``."""
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
    """Parse the list of types in a domain; return a dict from each type to its direct supertypes.

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


# -- domains -----------------------------------------------------------------------------------------------------

BEYOND = {
    ":durative-action": "actions without duration",
    ":derived": "predicates that only actions change",
    ":process": "actions",
    ":event": "actions",
    ":constraints": "goals of a last state",
}
SWAPPED = ("domain", "problem")
ORDER = "first the domain, then the problem or template"
OPEN_GOAL = "<hypothesis>"
PARTS = (":domain", ":requirements", ":metric", ":objects", ":init", ":goal")
MOST_GOALS = 10_000


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
    """Return the sections of a PDDL file: for each first word, such as ``:types``, all sections that begin with it.

    Args:
        define: the whole file, a list ``(define ...)``.
        kind: ``domain`` or ``problem``.
        known: the first words that are allowed; others raise an `InputError`.
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
    """Return a dict from the keywords of an action, such as ``:effect``, to the bracketed list after each keyword."""
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

    An object that is listed twice gets the types of both places. `parents` has the direct supertypes of each known
    type.
    """
    for name, stated in typed_list(part.rest, "an object"):
        if name.text.startswith(("?", ":")):
            raise name.refuse("the name of an object")
        known = into.get(name.text, ())
        into[name.text] = known + tuple(kind for kind in checked_types(stated, parents) if kind not in known)


# -- problems, goals and actions ---------------------------------------------------------------------------------


def read_problem(text: str, domain: PddlDomain, file: str = "template.pddl") -> PddlProblem:
    """Parse the text of a PDDL problem file; `file` is its name in errors."""
    define = the_define(text, file)
    parts = sections(define, "problem", PARTS)
    objects = dict(domain.constants)
    for part in parts.get(":objects", ()):
        read_objects(part, dict(domain.parents), objects)
    known = KnownNames(domain.predicates, objects)
    initial: list[Literal] = []
    values: dict[str, tuple[float, ...]] = {}
    for part in parts.get(":init", ()):
        for form in part.rest:
            _initial(form, known, initial, values)
    if ":init" not in parts:
        raise InputError(file, "no (:init ...)", "what holds at first")
    goal = _goal(parts.get(":goal", []), known)
    metric = "total-cost" in " ".join(str(part) for part in parts.get(":metric", ()))
    return PddlProblem(title(define, "problem"), objects, tuple(initial), goal, values, metric)


def _initial(form: Form | Word, known: KnownNames, into: list[Literal], values: dict[str, tuple[float, ...]]) -> None:
    if isinstance(form, Word) or not form.items:
        raise form.refuse("an atom in brackets")
    if form.head == "=":
        function = form.rest[0] if form.rest else form
        if not isinstance(function, Form) or not function.head or len(form.rest) != 2:
            raise form.refuse("(= (FUNCTION ...) NUMBER)")
        value = number(form.rest[1], "a number")
        values[function.head] = (*values.get(function.head, ()), value)
    elif form.head == "not":
        if len(form.rest) != 1 or not isinstance(form.rest[0], Form) or not form.rest[0].items:
            raise form.refuse("one atom after 'not'")
        literal(form.rest[0], False, known)  # only to check it: atoms that are not listed are false
    elif form.head == "and":
        for inner in form.rest:
            _initial(inner, known, into, values)
    elif form.head == "at" and len(form.rest) == 2 and isinstance(form.rest[1], Form) and "at" not in known.predicates:
        raise form.refuse("plain STRIPS, such as atoms that hold at first", "an event at a later time")
    else:
        into.append(literal(form, True, known))


def _goal(parts: list[Form], known: KnownNames) -> Conjunction | None:
    """Return the goal of a problem; None if the file states no goal, or only the placeholder ``<HYPOTHESIS>``.

    Args:
        parts: the sections ``(:goal ...)`` of the file.
        known: the predicates and objects that a goal may use.
    """
    for part in parts:
        if len(part.rest) != 1:
            raise part.refuse("one condition after :goal")
        goal = part.rest[0]
        inside = goal.rest if isinstance(goal, Form) and goal.head == "and" else (goal,)
        if all(isinstance(item, Word) for item in inside):
            for item in inside:
                if str(item) != OPEN_GOAL:
                    raise item.refuse("a condition in brackets, or <HYPOTHESIS>")
            return None
        if isinstance(goal, Form):
            return condition(goal, known)
    return None


def vocabulary(domain: PddlDomain, setting: PddlProblem) -> KnownNames:
    """Return the names that a goal may use: the predicates of the domain and the objects of the problem."""
    return KnownNames(domain.predicates, setting.objects)


def read_goals(text: str, domain: PddlDomain, setting: PddlProblem, file: str = "hyps.dat") -> tuple[Conjunction, ...]:
    """Parse a list of goals.

    `text` has a goal in each line: atoms in brackets, with or without commas between them. `file` is the name of the
    file in errors.
    """
    known = vocabulary(domain, setting)
    goals: list[Conjunction] = []
    for k, line in enumerate(text.split("\n"), start=1):
        forms = forms_of(line.replace(",", " "), file, line=k)
        for form in forms:
            if isinstance(form, Word):
                raise form.refuse("atoms in brackets")
        if forms:
            goals.append(condition(Form((Word("and", file, k), *forms), file, k), known))
        if len(goals) > MOST_GOALS:
            raise InputError(f"{file}, line {k}", "one goal more", f"at most {MOST_GOALS}")
    if not goals:
        raise InputError(file, "no goal", "one goal in each line, such as (at robot room1), (open door2)")
    return tuple(goals)


def read_actions(
    text: str, domain: PddlDomain, setting: PddlProblem, file: str = "obs.dat"
) -> tuple[tuple[Word, str], ...]:
    """Parse a list of actions such as ``(MOVE A B)``; unknown actions or objects raise an InputError.

    `text` has one or more actions in each line. `file` is the name of the file in errors. The result has a pair for
    each action: its first word, with file and line, and the text of the whole action, such as ``move a b``.
    """
    names = {schema.name: schema for schema in reversed(domain.schemas)}
    counts = {(schema.name, len(schema.parameters)) for schema in domain.schemas}
    actions: list[tuple[Word, str]] = []
    for k, line in enumerate(text.split("\n"), start=1):
        for form in forms_of(line.replace(",", " "), file, line=k):
            if isinstance(form, Word) or not form.head:
                raise form.refuse("an action in brackets, such as (move a b)")
            at = form.items[0]
            assert isinstance(at, Word)
            if at.text not in names:
                raise at.refuse(f"an action of the domain{did_you_mean(at.text, names)}")
            for term in form.rest:
                if isinstance(term, Form) or term.text not in setting.objects:
                    hint = "" if isinstance(term, Form) else did_you_mean(term.text, setting.objects)
                    raise term.refuse(f"an object of the problem{hint}")
            if (at.text, len(form.rest)) not in counts:
                wanted = " ".join((at.text, *(parameter.name for parameter in names[at.text].parameters)))
                raise form.refuse(f"as many objects as in ({wanted})")
            actions.append((at, " ".join(str(word) for word in form.items)))
    return tuple(actions)
