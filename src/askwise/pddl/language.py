"""PDDL domains and problems as frozen dataclasses, and readers for conditions and effects.

Only the STRIPS fragment of PDDL is covered: conditions list atoms, negated atoms and equalities, effects the atoms that
become true or false. If an effect makes an atom both, it is true afterwards. Anything else raises an error with the
line and a STRIPS alternative (`BEYOND`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from askwise.errors import InputError, did_you_mean
from askwise.pddl.tokens import Form, Word, refusal, shortened

Terms = tuple[str, ...]
"""Names of objects and variables; those of variables start with ``?``."""

OBJECT = "object"
"""The root of all types."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom, such as ``on a ?x``, or the negation of an atom.

    Attributes:
        predicate: the name of the predicate, here ``on``.
        terms: the objects and variables of the atom, here ``a`` and ``?x``.
        positive: False for the negation of an atom.
        at: the predicate with its file and line, for error messages.
    """

    predicate: str
    terms: Terms
    positive: bool
    at: Word

    def __str__(self) -> str:
        text = " ".join((self.predicate, *self.terms))
        return text if self.positive else f"not {text}"


@dataclass(frozen=True, slots=True)
class Equality:
    """A condition that two objects or variables are equal; if `positive` is False, that they differ."""

    one: str
    other: str
    positive: bool


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A condition that is true if all its literals (atoms and negated atoms) and equalities are true."""

    literals: tuple[Literal, ...] = ()
    equalities: tuple[Equality, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable of an action, such as ``?x``; an object in its place must have one of `types`."""

    name: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with variables.

    Attributes:
        name: the name of the action; several schemas may share it.
        parameters: its variables.
        condition: its precondition.
        effects: the atoms that become true; negated atoms become false.
        costs: amounts added to ``total-cost``: numbers, or names of functions with values in the problem.
        at: the name with its file and line, for error messages.
    """

    name: str
    parameters: tuple[Parameter, ...]
    condition: Conjunction
    effects: tuple[Literal, ...]
    costs: tuple[float | str, ...]
    at: Word


@dataclass(frozen=True)
class PddlDomain:
    """A PDDL domain.

    Attributes:
        name: the name of the domain.
        parents: the direct supertypes of each type, by name.
        constants: the types of each object that exists in every problem, by name.
        predicates: the number of terms (arguments) of each predicate, by name.
        schemas: the actions with variables, in the order of the file.
    """

    name: str
    parents: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, int]
    schemas: tuple[Schema, ...]


@dataclass(frozen=True)
class PddlProblem:
    """A PDDL problem, or a template: a problem with a placeholder instead of its goal.

    Attributes:
        name: the name of the problem.
        objects: the types of each object, by name.
        initial: the atoms that are true at the start.
        goal: the goal, None in a template.
        values: the initial values of each numeric function, by name: one for each of its entries in the file.
        minimises_cost: whether plans of least ``total-cost`` are asked for.
    """

    name: str
    objects: Mapping[str, tuple[str, ...]]
    initial: tuple[Literal, ...]
    goal: Conjunction | None
    values: Mapping[str, tuple[float, ...]]
    minimises_cost: bool


# -- conditions and effects ---------------------------------------------------------------------------------------

BEYOND = {
    "or": "one action, or one goal, for each alternative",
    "imply": "one action for each case",
    "forall": "one condition or effect for each object",
    "exists": "one more parameter of the action",
    "when": "one action for each case",
    "oneof": "actions with one outcome",
    "probabilistic": "actions with one outcome",
    "preference": "goals that have to be reached",
    "assign": "actions that cost 1",
    "decrease": "actions that cost 1",
    "scale-up": "actions that cost 1",
    "scale-down": "actions that cost 1",
    ">": "atoms instead of numbers",
    "<": "atoms instead of numbers",
    ">=": "atoms instead of numbers",
    "<=": "atoms instead of numbers",
}
"""Keywords that STRIPS does not have, and how to express the same without them."""

UNIT_COST = "(increase (total-cost) 1): all actions cost the same"


@dataclass(frozen=True)
class KnownNames:
    """The names that may be used in a condition or effect.

    Attributes:
        predicates: a dict from the name of each predicate to the number of its terms (arguments).
        terms: names of objects and variables.
    """

    predicates: Mapping[str, int]
    terms: Collection[str]


def condition(form: Form, known: KnownNames) -> Conjunction:
    """Parse a condition: an atom or an equality, possibly negated, or a conjunction of such conditions.

    Names that are not in `known` raise an InputError.
    """
    literals: list[Literal] = []
    equalities: list[Equality] = []
    for part, positive in _parts(form):
        if part.head == "=":
            equalities.append(_equality(part, positive, known))
        else:
            literals.append(literal(part, positive, known))
    return Conjunction(tuple(literals), tuple(equalities))


def effect(form: Form, known: KnownNames) -> tuple[tuple[Literal, ...], tuple[float | str, ...]]:
    """Parse the effect of an action; raise an InputError for names that are not in `known`.

    Returns:
        The atoms that become true and the negations of the atoms that become false; and the amounts that are added to
        the cost, as numbers or names of functions.
    """
    literals: list[Literal] = []
    costs: list[float | str] = []
    for part, positive in _parts(form):
        if part.head == "increase" and positive:
            costs.append(_cost(part))
        else:
            literals.append(literal(part, positive, known))
    return tuple(literals), tuple(costs)


def _parts(form: Form) -> list[tuple[Form, bool]]:
    """Split a condition or an effect at each ``and``; return its parts, each with False if it is negated, else True.

    A part is an atom, an equality, or an increase of the cost.
    """
    parts: list[tuple[Form, bool]] = []
    waiting: list[tuple[Form | Word, bool]] = [(form, True)]
    while waiting:
        part, positive = waiting.pop()
        if isinstance(part, Word):
            raise part.refuse("an atom in brackets")
        if not part.items:
            if not positive:
                raise part.refuse("an atom after 'not'")
        elif part.head == "and" and (positive or len(part.rest) == 1):
            waiting.extend((inner, positive) for inner in reversed(part.rest))
        elif part.head == "not":
            if len(part.rest) != 1:
                raise part.refuse("one atom after 'not'")
            waiting.append((part.rest[0], not positive))
        else:
            _refuse_beyond(part, positive)
            parts.append((part, positive))
    return parts


def _refuse_beyond(part: Form, positive: bool) -> None:
    if part.head in BEYOND:
        raise part.refuse(f"plain STRIPS, such as {BEYOND[part.head]}", f"'{part.head}'")
    if part.head == "and" and not positive:
        raise part.refuse("plain STRIPS, such as one action for each case", "'not' of several atoms, which is an 'or'")
    if part.head == "=" and any(isinstance(term, Form) for term in part.rest):
        raise part.refuse("plain STRIPS, such as atoms instead of numbers", "'=' of numbers")


def literal(part: Form, positive: bool, known: KnownNames) -> Literal:
    """Parse an atom, such as ``(on a ?x)``; raise an InputError for names that are not in `known`.

    `positive` is False if the atom is negated.
    """
    at = part.items[0]
    if not isinstance(at, Word):
        raise at.refuse("the name of a predicate after '('")
    arity = known.predicates.get(at.text)
    if arity is None:
        raise at.refuse(_one_of("predicate", at.text, known.predicates))
    terms = tuple(_term(term, known) for term in part.rest)
    if len(terms) != arity:
        said = f"{arity} term{'s' if arity != 1 else ''}, as in (:predicates ...)"
        raise part.refuse(said, f"{len(terms)} in {shortened(str(part))!r}")
    return Literal(at.text, terms, positive, at)


def _equality(part: Form, positive: bool, known: KnownNames) -> Equality:
    if len(part.rest) != 2:
        raise part.refuse("two terms after '='")
    one, other = (_term(term, known) for term in part.rest)
    return Equality(one, other, positive)


def _term(term: Form | Word, known: KnownNames) -> str:
    if isinstance(term, Form):
        raise term.refuse("an object or a variable")
    if term.text not in known.terms:
        kind = "parameter of the action" if term.text.startswith("?") else "object"
        raise term.refuse(_one_of(kind, term.text, known.terms))
    return term.text


def _one_of(kind: str, given: str, names: Collection[str]) -> str:
    return f"a known {kind}{did_you_mean(given, names)}"


def _cost(part: Form) -> float | str:
    """Parse ``(increase (total-cost) AMOUNT)``; return AMOUNT as a number or as the name of a function."""
    if len(part.rest) != 2 or not (isinstance(part.rest[0], Form) and part.rest[0].head == "total-cost"):
        raise part.refuse(UNIT_COST)
    amount = part.rest[1]
    if isinstance(amount, Form):
        if not amount.head:
            raise amount.refuse(UNIT_COST)
        return amount.head
    return number(amount, UNIT_COST)


def number(word: Word | Form, expected: str) -> float:
    """Return the decimal number that a word stands for; raise an InputError if it is no number.

    `expected` is a text for the error message: what the word should be.
    """
    try:
        if isinstance(word, Word) and word.text.isascii() and "_" not in word.text and len(word.text) < 40:
            found = float(word.text)
            if math.isfinite(found):
                return found
    except ValueError:
        pass
    raise word.refuse(expected)


def refuse_cost(at: Word, cost: float | str) -> InputError:
    """Return the error for an action that does not cost 1.

    `at` is the name of the action with its file and line. The message says "an action 'NAME' that costs `cost`".
    """
    return refusal(at, f"an action {at.text!r} that costs {cost}", f"1, {UNIT_COST}")
