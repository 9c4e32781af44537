"""The contents of PDDL domains and problems, as frozen dataclasses.

They cover the STRIPS fragment: conditions are lists of atoms, some of them negated, and effects are lists of atoms that
become true or false. If an effect makes the same atom true and false, it is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from askwise.pddl.tokens import Word

Terms = tuple[str, ...]
"""Names of objects and variables; those of variables start with ``?``."""

OBJECT = "object"
"""The root of all types."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom, a predicate with its terms (objects or variables), or the negation of an atom.

    Attributes:
        predicate: the name of the predicate.
        terms: names of objects and variables.
        positive: False for a negation.
        at: the predicate in the file, for the position in errors.
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
    """An action schema: an action with variables.

    Attributes:
        name: its name; several schemas may share it.
        parameters: its variables.
        condition: the precondition.
        effects: atoms that become true, and negated atoms that become false.
        costs: the amounts it adds to ``total-cost``: numbers, or names of functions whose values the problem gives.
        at: its position in the file.
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
        name: its name.
        parents: the direct supertypes of each type.
        constants: objects that exist in every problem, with their types.
        predicates: the number of terms (arguments) of each predicate.
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
        name: its name.
        objects: the types of each object, by its name.
        initial: atoms that are true in the initial state.
        goal: the goal, None in a template.
        values: values of numeric functions, by the name of the function.
        minimises_cost: whether its metric is ``total-cost``.
    """

    name: str
    objects: Mapping[str, tuple[str, ...]]
    initial: tuple[Literal, ...]
    goal: Conjunction | None
    values: Mapping[str, tuple[float, ...]]
    minimises_cost: bool
