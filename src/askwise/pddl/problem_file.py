"""Readers for PDDL problem files and templates (with the goal ``<HYPOTHESIS>``), and for lists of goals and actions."""

from __future__ import annotations

from askwise.errors import InputError, did_you_mean
from askwise.pddl.domain_file import read_objects, sections, title
from askwise.pddl.language import Conjunction, KnownNames, Literal, PddlDomain, PddlProblem, condition, literal, number
from askwise.pddl.tokens import Form, Word, forms_of, the_define

OPEN_GOAL = "<hypothesis>"
PARTS = (":domain", ":requirements", ":metric", ":objects", ":init", ":goal")
MOST_GOALS = 10_000


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
    """Return the goal of a problem.

    None if the file states no goal, or only the placeholder ``<HYPOTHESIS>``.

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

    Args:
        text: a goal in each line: atoms in brackets, with or without commas between them.
        domain: the domain with the predicates.
        setting: the problem with the objects.
        file: the name of the file in errors.
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
    """Parse a list of actions such as ``(MOVE A B)``; unknown actions and objects are refused with an InputError.

    Args:
        text: the actions, one or more in each line.
        domain: the domain with the actions.
        setting: the problem with the objects.
        file: the name of the file in errors.

    Returns:
        pairs: the position in the file, and the action as a text such as ``move a b``.
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


def goal_text(goal: Conjunction) -> str:
    """Return a goal as text, such as ``on a b, clear a``."""
    return ", ".join(str(atom) for atom in goal.literals) or "nothing"
