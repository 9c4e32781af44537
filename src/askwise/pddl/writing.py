"""Goal-recognition problems as files: what `askwise.pddl.load` reads, written from what it has read.

Types of predicates and texts that mean nothing (comments, requirements) are not kept; all else is.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from askwise.pddl.archive import DOMAIN, ENDINGS, GOALS, SEEN, TEMPLATE, TRUE_GOAL, Recognition
from askwise.pddl.language import OBJECT, Conjunction, Equality, Literal, PddlDomain, PddlProblem, Schema
from askwise.text.files import make_folder, whole_file

PACKED = {".bz2": "w:bz2", ".tbz": "w:bz2", ".tbz2": "w:bz2", ".gz": "w:gz", ".tgz": "w:gz", ".xz": "w:xz"}
"""How an archive is packed, by its ending."""


def save(given: Recognition, path: str | Path) -> None:
    """Write a problem: an archive if the name ends so (``.tar.bz2``), else a folder of its files."""
    texts = texts_of(given)
    where = Path(path)
    if where.name.lower().endswith(ENDINGS):
        mode: Any = PACKED.get(where.suffix.lower(), "w")
        with whole_file(where) as temporary, tarfile.open(temporary, mode) as archive:
            for name, text in texts.items():
                data = text.encode()
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        return
    folder = make_folder(where)
    for name, text in texts.items():
        with whole_file(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")


def texts_of(given: Recognition) -> dict[str, str]:
    """Return the texts of all files by their names."""
    texts = {
        DOMAIN: domain_text(given.domain),
        TEMPLATE: problem_text(given.setting, given.domain),
        GOALS: "".join(f"{_goal(goal)}\n" for goal in given.goals),
    }
    if given.seen:
        texts[SEEN] = "".join(f"({label})\n" for _, label in given.seen)
    if given.true_goal is not None:
        texts[TRUE_GOAL] = f"{_goal(given.goals[given.true_goal])}\n"
    return texts


def domain_text(domain: PddlDomain) -> str:
    """Return a domain as PDDL."""
    lines = [f"(define (domain {domain.name})", "  (:requirements :strips :typing :equality :negative-preconditions)"]
    kinds = {kind: above for kind, above in domain.parents.items() if kind != OBJECT}
    if kinds:
        lines.append(f"  (:types {' '.join(_kind(kind, above) for kind, above in kinds.items())})")
    if domain.constants:
        lines.append(f"  (:constants {_typed(domain.constants)})")
    lines.append("  (:predicates")
    for name, arity in domain.predicates.items():
        lines.append(f"    ({' '.join((name, *(f'?x{k + 1}' for k in range(arity))))})")
    lines.append("  )")
    if any(schema.costs for schema in domain.schemas):
        lines.append("  (:functions (total-cost))")
    for schema in domain.schemas:
        lines += _action(schema)
    return "\n".join(lines) + "\n)\n"


def _kind(kind: str, above: tuple[str, ...]) -> str:
    return " ".join(f"{kind} - {parent}" for parent in above or (OBJECT,))


def _typed(objects: Mapping[str, tuple[str, ...]]) -> str:
    return " ".join(f"{name}{_types(types)}" for name, types in objects.items())


def _types(types: tuple[str, ...]) -> str:
    if not types:
        return f" - {OBJECT}"
    return f" - {types[0]}" if len(types) == 1 else f" - (either {' '.join(types)})"


def _action(schema: Schema) -> list[str]:
    parameters = " ".join(f"{each.name}{_types(each.types)}" for each in schema.parameters)
    effects = [_literal(each) for each in schema.effects]
    effects += [f"(increase (total-cost) {cost:g})" for cost in schema.costs if not isinstance(cost, str)]
    effects += [f"(increase (total-cost) ({cost}))" for cost in schema.costs if isinstance(cost, str)]
    return [
        f"  (:action {schema.name}",
        f"    :parameters ({parameters})",
        f"    :precondition {_condition(schema.condition)}",
        f"    :effect (and {' '.join(effects)})",
        "  )",
    ]


def problem_text(setting: PddlProblem, domain: PddlDomain) -> str:
    """Return a problem as PDDL, its goal left open."""
    objects = {name: types for name, types in setting.objects.items() if domain.constants.get(name) != types}
    facts = [_literal(each) for each in setting.initial]
    facts += [f"(= ({name}) {value:g})" for name, values in setting.values.items() for value in values]
    lines = [f"(define (problem {setting.name})", f"  (:domain {domain.name})"]
    lines += [f"  (:objects {_typed(objects)})", "  (:init"]
    lines += [f"    {fact}" for fact in facts]
    lines += ["  )", "  (:goal (and <HYPOTHESIS>))"]
    if setting.minimises_cost:
        lines.append("  (:metric minimize (total-cost))")
    return "\n".join(lines) + "\n)\n"


def _goal(goal: Conjunction) -> str:
    return ", ".join([*map(_literal, goal.literals), *map(_equality, goal.equalities)])


def _condition(condition: Conjunction) -> str:
    parts: Iterable[str] = [*map(_literal, condition.literals), *map(_equality, condition.equalities)]
    return f"(and {' '.join(parts)})"


def _literal(literal: Literal) -> str:
    atom = f"({' '.join((literal.predicate, *literal.terms))})"
    return atom if literal.positive else f"(not {atom})"


def _equality(equality: Equality) -> str:
    same = f"(= {equality.one} {equality.other})"
    return same if equality.positive else f"(not {same})"
