"""What a PDDL domain and a PDDL problem say, as frozen records: no file, no number, no search.

Only the STRIPS fragment has a place here: actions whose conditions are lists of atoms, some of them negated, and whose
effects are lists of atoms that become true or false. An effect that does both to one atom leaves it true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from askwise.pddl.tokens import Word

Terms = tuple[str, ...]
"""Names of objects and variables; variables begin with ``?``."""

OBJECT = "object"
"""The type of everything."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom ``predicate(terms)`` that is to hold, or not to hold; `at` is where it was written."""

    predicate: str
    terms: Terms
    positive: bool
    at: Word

    def __str__(self) -> str:
        text = " ".join((self.predicate, *self.terms))
        return text if self.positive else f"not {text}"


@dataclass(frozen=True, slots=True)
class Equality:
    """Two terms that are to be the same, or to differ."""

    one: str
    other: str
    positive: bool


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All of these together."""

    literals: tuple[Literal, ...] = ()
    equalities: tuple[Equality, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable and the types that its object may have, one of them."""

    name: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with variables.

    Attributes:
        name: its name; several actions may have the same.
        parameters: its variables.
        condition: what has to hold before.
        effects: what holds, or no longer holds, afterwards.
        costs: what it adds to ``total-cost``: numbers, and names of functions whose values the problem gives.
        at: where it was written.
    """

    name: str
    parameters: tuple[Parameter, ...]
    condition: Conjunction
    effects: tuple[Literal, ...]
    costs: tuple[float | str, ...]
    at: Word


@dataclass(frozen=True)
class PddlDomain:
    """A domain.

    Attributes:
        name: its name.
        parents: for each type those that it is directly a kind of.
        constants: objects that every problem has, with their types.
        predicates: number of terms of each predicate.
        schemas: the actions, as written.
    """

    name: str
    parents: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, int]
    schemas: tuple[Schema, ...]


@dataclass(frozen=True)
class PddlProblem:
    """A problem, or a template of one: objects, what holds at first, and perhaps a goal.

    Attributes:
        name: its name.
        objects: objects with their types.
        initial: atoms that hold at first.
        goal: the goal, None in a template.
        values: values of numeric functions, by name of the function.
        minimises_cost: whether it says that ``total-cost`` is what counts.
    """

    name: str
    objects: Mapping[str, tuple[str, ...]]
    initial: tuple[Literal, ...]
    goal: Conjunction | None
    values: Mapping[str, tuple[float, ...]]
    minimises_cost: bool
