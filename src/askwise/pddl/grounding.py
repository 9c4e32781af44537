"""Grounding, which turns actions with variables into operators (actions with objects), and its limits.

An atom is *reached* if it is true initially, or if an operator whose positive conditions are all reached makes it true.
Deletes are ignored. A newly reached atom is matched with a condition of an action. The other conditions are then
matched with reached atoms, the condition with the fewest candidates first. A variable in no condition stands for every
object of its types. Negative conditions are checked here if no action changes their predicate. The search for plans
checks the other negative conditions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from askwise.errors import InputError
from askwise.pddl.language import OBJECT, Literal, Parameter, PddlDomain, PddlProblem, Schema, refuse_cost

# -- limits ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on reading planning problems and searching plans; beyond a limit, results are missing, but never wrong.

    Attributes:
        atoms: atoms that can become true.
        operators: actions with objects instead of variables.
        tries: substitutions of objects for variables.
        blind: states in a breadth-first search, shared by goals with the same relevant operators.
        states: states in the bounded search of each goal, without states too far from the goal.
        evaluations: states, for each goal, whose lower bound on the steps left (LM-cut) is computed.
        edges: transitions on optimal plans, of all goals together.
    """

    atoms: int = 200_000
    operators: int = 200_000
    tries: int = 20_000_000
    blind: int = 1_000_000
    states: int = 2_000_000
    evaluations: int = 500_000
    edges: int = 20_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"limit on {field.name}", repr(value), "a whole number from 0")


def too_many(what: str, found: str, limit: int, name: str) -> InputError:
    """Return the error for a problem that exceeds a limit; its message says how to raise the limit.

    Args:
        what: what the limit stopped, such as "grounding".
        found: what exceeded the limit, such as "one atom more that can become true".
        limit: the limit.
        name: the field of this limit in `Limits`.
    """
    return InputError(
        what, found, f"at most {limit} (raise it by Limits({name}=...), commands: --search-limit {name}=N)"
    )


# -- grounding ---------------------------------------------------------------------------------------------------

Atom = tuple[str, ...]
"""A predicate followed by its objects."""
Binding = dict[str, str]


@dataclass(frozen=True, slots=True)
class Operator:
    """An action with objects instead of variables; its tuples of atoms are sorted.

    Attributes:
        label: name and objects, such as ``stack a b``.
        positive: atoms that must be true before.
        negative: atoms that must be false before.
        adds: atoms that become true.
        deletes: atoms that become false, none of them in `adds`.
    """

    label: str
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]


@dataclass(frozen=True)
class Grounded:
    """A planning problem without variables.

    Attributes:
        atoms: the atoms that may become true, in the order in which they were found.
        initial: the atoms that are true in the initial state.
        operators: the actions with objects instead of variables.
    """

    atoms: tuple[Atom, ...]
    initial: frozenset[Atom]
    operators: tuple[Operator, ...]


def ground(domain: PddlDomain, setting: PddlProblem, limits: Limits | None = None) -> Grounded:
    """Return a planning problem without variables: each action is copied for every useful choice of objects.

    A copy is useful if it could become applicable in case that atoms never became false. Raises `InputError` if a limit
    is exceeded, or if an action does not cost 1.

    Args:
        domain: the actions with variables.
        setting: objects and initial state.
        limits: limits on atoms, operators and substitutions; None for the defaults.
    """
    for schema in domain.schemas:
        _check_cost(schema, domain, setting)
    return _Grounding(domain, setting, limits or Limits()).run()


def _check_cost(schema: Schema, domain: PddlDomain, setting: PddlProblem) -> None:
    """Raise an InputError if the action `schema` may cost something other than 1.

    An action that states no cost costs 1. But it costs 0 if the problem asks for plans of least cost and another action
    states a cost.
    """
    for cost in schema.costs:
        values = setting.values.get(cost, ()) if isinstance(cost, str) else (cost,)
        for value in values:
            if value != 1:
                raise refuse_cost(schema.at, value)
        if not values:
            raise refuse_cost(schema.at, f"'{cost}', which has no value")
    if len(schema.costs) > 1:
        raise refuse_cost(schema.at, len(schema.costs))
    if setting.minimises_cost and not schema.costs and any(other.costs for other in domain.schemas):
        raise refuse_cost(schema.at, 0)


class _Plan:
    """One action with variables, prepared for grounding: the atoms in its precondition are split into three lists.

    `changing` has the predicates that some action changes.

    Attributes:
        positive: atoms that must be true.
        never: atoms that must be false and that no action changes.
        negative: atoms that must be false and that actions change.
        types: the `Parameter` of each variable.
    """

    def __init__(self, schema: Schema, changing: set[str]) -> None:
        self.schema = schema
        self.positive = [atom for atom in schema.condition.literals if atom.positive]
        negative = [atom for atom in schema.condition.literals if not atom.positive]
        self.never = [atom for atom in negative if atom.predicate not in changing]
        self.negative = [atom for atom in negative if atom.predicate in changing]
        self.types = {parameter.name: parameter for parameter in schema.parameters}


def _all_types(own: Iterable[str], parents: Mapping[str, tuple[str, ...]]) -> set[str]:
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


class _Grounding:
    def __init__(self, domain: PddlDomain, setting: PddlProblem, limits: Limits) -> None:
        self.limits = limits
        self.tries = 0
        changing = {atom.predicate for schema in domain.schemas for atom in schema.effects}
        self.plans = [_Plan(schema, changing) for schema in domain.schemas]
        self.by_type: dict[str, list[str]] = {}
        self.has_type: set[tuple[str, str]] = set()
        for name, own in setting.objects.items():
            for kind in sorted(_all_types(own, domain.parents)):
                self.by_type.setdefault(kind, []).append(name)
                self.has_type.add((name, kind))
        self.initial = dict.fromkeys((atom.predicate, *atom.terms) for atom in setting.initial)
        self.atoms: dict[Atom, int] = {}
        self.fitting: dict[tuple[str, int, str], list[Atom]] = {}
        self.of_predicate: dict[str, list[Atom]] = {}
        self.found: dict[tuple[int, tuple[str, ...]], Operator] = {}
        self.users: dict[str, list[tuple[int, int]]] = {}
        for number, plan in enumerate(self.plans):
            for place, condition in enumerate(plan.positive):
                self.users.setdefault(condition.predicate, []).append((number, place))

    def run(self) -> Grounded:
        waiting: deque[Atom] = deque(self.initial)
        seen = set(self.initial)
        for number, plan in enumerate(self.plans):
            if not plan.positive:
                self._take(number, {}, [], waiting, seen)
        while waiting:
            atom = waiting.popleft()
            self._reach(atom)
            for number, place in self.users.get(atom[0], ()):
                plan = self.plans[number]
                binding = self._bound(plan, plan.positive[place], atom, {})
                if binding is not None:
                    others = [condition for k, condition in enumerate(plan.positive) if k != place]
                    self._take(number, binding, others, waiting, seen)
        # In the order of the file, so that printed labels do not depend on the search.
        operators = [self.found[key] for key in sorted(self.found)]
        return Grounded(tuple(self.atoms), frozenset(self.initial), tuple(operators))

    def _reach(self, atom: Atom) -> None:
        self.atoms[atom] = len(self.atoms)
        if len(self.atoms) > self.limits.atoms:
            raise too_many("grounding", "one atom more that can become true", self.limits.atoms, "atoms")
        self.of_predicate.setdefault(atom[0], []).append(atom)
        for place, name in enumerate(atom[1:]):
            self.fitting.setdefault((atom[0], place, name), []).append(atom)

    def _take(self, number: int, start: Binding, others: list[Literal], waiting: deque[Atom], seen: set[Atom]) -> None:
        """Find all operators of the action with index `number` in which some variables have given objects.

        The operators are added to `self.found`, and the new atoms that they make true to `waiting` and `seen`. `start`
        has the given objects. `others` are the positive conditions not matched yet.
        """
        plan = self.plans[number]
        for binding in self._joined(plan, start, others):
            key = (number, tuple(binding[parameter.name] for parameter in plan.schema.parameters))
            if key in self.found:
                continue
            self.found[key] = made = _operator(plan, binding)
            if len(self.found) > self.limits.operators:
                raise too_many("grounding", f"one operator more, {made.label!r}", self.limits.operators, "operators")
            for atom in made.adds:
                if atom not in seen:
                    seen.add(atom)
                    waiting.append(atom)

    def _joined(self, plan: _Plan, binding: Binding, others: list[Literal]) -> Iterator[Binding]:
        """Yield all complete bindings of an action that satisfy its conditions: dicts from each variable to an object.

        `binding` has the variables that are bound already. `others` are the conditions that are not matched with atoms
        yet.
        """
        stack = [(binding, others)]
        while stack:
            binding, others = stack.pop()
            if not self._allowed(plan, binding):
                continue
            if others:
                place = min(range(len(others)), key=lambda k: len(self._candidates(others[k], binding)))
                rest = others[:place] + others[place + 1 :]
                for atom in self._candidates(others[place], binding):
                    extended = self._bound(plan, others[place], atom, binding)
                    if extended is not None:
                        stack.append((extended, rest))
                continue
            free = [parameter for parameter in plan.schema.parameters if parameter.name not in binding]
            if free:
                stack += [({**binding, free[0].name: name}, others) for name in self._of_types(free[0])]
            else:
                yield binding

    def _candidates(self, condition: Literal, binding: Binding) -> list[Atom]:
        """Return the atoms found so far that may match a condition: all that match it, and possibly others.

        `binding` has the objects of the variables that are bound already.
        """
        best = self.of_predicate.get(condition.predicate, [])
        for place, term in enumerate(condition.terms):
            name = binding.get(term) if term.startswith("?") else term
            if name is not None:
                fitting = self.fitting.get((condition.predicate, place, name), [])
                if len(fitting) < len(best):
                    best = fitting
        return best

    def _bound(self, plan: _Plan, condition: Literal, atom: Atom, binding: Binding) -> Binding | None:
        """Match a condition with an atom; return a copy of `binding` with the condition's variables added.

        The result is None if the atom does not match. `plan` has the types of the variables.
        """
        self._try()
        extended = dict(binding)
        for term, name in zip(condition.terms, atom[1:], strict=True):
            if not term.startswith("?"):
                if term != name:
                    return None
            elif extended.setdefault(term, name) != name or not self._has_types(name, plan.types[term]):
                return None
        return extended

    def _has_types(self, name: str, parameter: Parameter) -> bool:
        return any((name, kind) in self.has_type for kind in parameter.types)

    def _of_types(self, parameter: Parameter) -> list[str]:
        names = dict.fromkeys(name for kind in parameter.types for name in self.by_type.get(kind, ()))
        self._try(len(names))
        return list(names)

    def _try(self, times: int = 1) -> None:
        self.tries += times
        if self.tries > self.limits.tries:
            raise too_many("grounding", "one object more to try in place of a variable", self.limits.tries, "tries")

    def _allowed(self, plan: _Plan, binding: Binding) -> bool:
        """Return whether the objects in `binding` satisfy the equalities and negative conditions of the action `plan`.

        Negative conditions on predicates that some action changes are not checked. Conditions with unbound variables
        are skipped.
        """
        for equality in plan.schema.condition.equalities:
            one, other = binding.get(equality.one, equality.one), binding.get(equality.other, equality.other)
            if "?" not in (one[0], other[0]) and (one == other) != equality.positive:
                return False
        for atom in plan.never:
            terms = [binding.get(term, term) for term in atom.terms]
            if not any(term.startswith("?") for term in terms) and (atom.predicate, *terms) in self.initial:
                return False
        return True


def _operator(plan: _Plan, binding: Binding) -> Operator:
    label = " ".join((plan.schema.name, *(binding[parameter.name] for parameter in plan.schema.parameters)))
    adds = {_filled(atom, binding) for atom in plan.schema.effects if atom.positive}
    deletes = {_filled(atom, binding) for atom in plan.schema.effects if not atom.positive} - adds
    positive = {_filled(atom, binding) for atom in plan.positive}
    negative = {_filled(atom, binding) for atom in plan.negative}
    return Operator(label, *(tuple(sorted(atoms)) for atoms in (positive, negative, adds, deletes)))


def _filled(atom: Literal, binding: Binding) -> Atom:
    return (atom.predicate, *(binding.get(term, term) for term in atom.terms))
