"""Goal-recognition problems as files: read and written as an archive, a folder or single files.

=================  ==================================================================
``domain.pddl``    the actions
``template.pddl``  objects and initial state, without a goal
``hyps.dat``       the candidate goals, one per line
``obs.dat``        the observed actions, one per line (optional)
``real_hyp.dat``   the true goal (optional)
=================  ==================================================================

Archives are read in memory, not unpacked to disk. The files may be in any folder of an archive. Files that are too
large are refused. Written files lack comments, requirements and the types of predicates.
"""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from askwise.errors import InputError
from askwise.pddl.grounding import Limits, ground
from askwise.pddl.language import OBJECT, Conjunction, Equality, Literal, PddlDomain, PddlProblem, Schema
from askwise.pddl.readers import read_actions, read_domain, read_goals, read_problem
from askwise.pddl.task import Task, make_task
from askwise.pddl.tokens import LONGEST_FILE, Word
from askwise.text.files import decode, find, make_folder, opened, read_text, reason, whole_file
from askwise.text.wording import printable

DOMAIN, TEMPLATE, GOALS, SEEN, TRUE_GOAL = NAMES = (
    "domain.pddl",
    "template.pddl",
    "hyps.dat",
    "obs.dat",
    "real_hyp.dat",
)
ENDINGS = (".tar.bz2", ".tar.gz", ".tar.xz", ".tgz", ".tbz", ".tbz2", ".tar")
MOST_MEMBERS = 1000
LARGEST_ARCHIVE = 200_000_000
"""Maximal size of all members together, unpacked, in bytes."""


@dataclass(frozen=True)
class Recognition:
    """A goal-recognition problem: find out which of several goals an actor pursues, from some of its actions.

    Attributes:
        name: name of the archive, folder or file, without extensions.
        domain: the PDDL domain.
        setting: the PDDL problem: objects and initial state.
        goals: the candidate goals.
        seen: a pair for each observed action: its first word, with file and line, and the text of the whole action.
        true_goal: index of the true goal; None if unknown.
        limits: limits on grounding and search.
    """

    name: str
    domain: PddlDomain
    setting: PddlProblem
    goals: tuple[Conjunction, ...]
    seen: tuple[tuple[Word, str], ...] = ()
    true_goal: int | None = None
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def task(self) -> Task:
        """The grounded problem: its states as bits, and its actions with objects instead of variables.

        It is computed once, at first use.
        """
        return make_task(ground(self.domain, self.setting, self.limits), self.goals)

    @cached_property
    def goal_names(self) -> tuple[str, ...]:
        """The goals as text, such as ``on a b, clear a``."""
        return tuple(goal_text(goal) for goal in self.goals)


def goal_text(goal: Conjunction) -> str:
    """Return a goal as text, such as ``on a b, clear a``."""
    return ", ".join(str(atom) for atom in goal.literals) or "nothing"


def load(
    source: str | Path,
    template: str | Path | None = None,
    *,
    goals: str | Path | None = None,
    seen: str | Path | None = None,
    limits: Limits | None = None,
) -> Recognition:
    """Read a goal-recognition problem.

    Args:
        source: an archive or folder (see `askwise.pddl.archive`); with `template`, a PDDL domain file.
        template: a PDDL problem file.
        goals: a file with the candidate goals; None for those in `source`, or the goal of the PDDL problem.
        seen: a file with the observed actions; None for those in `source`, if any.
        limits: limits on grounding and search; None for the defaults.
    """
    path = find(source)
    if template is not None:
        texts = {DOMAIN: read_text(path), TEMPLATE: read_text(template)}
        called = {DOMAIN: str(path), TEMPLATE: str(template)}
        name = Path(template).stem
    else:
        texts = read_texts(path)
        called = {}
        name = _without_ending(path)
    for role, given in ((GOALS, goals), (SEEN, seen)):
        if given is not None:
            texts[role], called[role] = read_text(given), str(given)
    return recognition(texts, name=name, files=called, limits=limits)


def recognition(
    texts: Mapping[str, str],
    *,
    name: str = "problem",
    files: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> Recognition:
    """Make a goal-recognition problem from the texts of the files that describe it.

    Args:
        texts: by file name: ``domain.pddl``, ``template.pddl``; optionally ``hyps.dat`` (goals), ``obs.dat`` (observed
            actions) and ``real_hyp.dat`` (true goal).
        name: name of the problem.
        files: names for error messages, by file name; None for the file names.
        limits: limits on grounding and search; None for the defaults.
    """
    called = {role: role for role in NAMES} | dict(files or {})
    domain = read_domain(texts[DOMAIN], called[DOMAIN])
    setting = read_problem(texts[TEMPLATE], domain, called[TEMPLATE])
    if GOALS in texts:
        goals = read_goals(texts[GOALS], domain, setting, called[GOALS])
    elif setting.goal is not None:
        goals = (setting.goal,)
    else:
        raise InputError(
            "goals", f"none: {called[TEMPLATE]} leaves its goal open", "a list of goals, hyps.dat (--goals)"
        )
    seen = read_actions(texts[SEEN], domain, setting, called[SEEN]) if SEEN in texts else ()
    true_goal = None
    if texts.get(TRUE_GOAL, "").strip():
        true_goal = _same(read_goals(texts[TRUE_GOAL], domain, setting, called[TRUE_GOAL])[0], goals)
    return Recognition(name, domain, setting, goals, seen, true_goal, limits or Limits())


def _same(goal: Conjunction, goals: tuple[Conjunction, ...]) -> int | None:
    """Return the index in `goals` of the goal with the same atoms as `goal`, in any order; None if there is none."""
    wanted = {str(atom) for atom in goal.literals}
    return next((k for k, other in enumerate(goals) if {str(atom) for atom in other.literals} == wanted), None)


def _without_ending(path: Path) -> str:
    name = path.name or path.resolve().name
    return next((name[: -len(ending)] for ending in ENDINGS if name.lower().endswith(ending)), name)


def read_texts(path: Path) -> dict[str, str]:
    """Return the texts of a problem's files, such as ``domain.pddl``, in an archive or a folder, by file name.

    Other files are ignored; raises an InputError if a required file is missing.
    """
    return _folder(path) if path.is_dir() else _archive(path)


def _folder(path: Path) -> dict[str, str]:
    try:
        there = {each.name for each in path.iterdir()}
    except OSError as error:
        raise InputError(f"folder {str(path)!r}", reason(error), "a folder that can be read") from None
    return _complete({name: read_text(path / name) for name in NAMES if name in there}, str(path))


def _archive(path: Path) -> dict[str, str]:
    field = f"file {str(path)!r}"
    if path.suffix.lower() == ".pddl":
        raise InputError(field, "a PDDL file alone", "DOMAIN.pddl TEMPLATE.pddl --goals HYPS.dat, or an archive")
    with _unpacking(field), opened(path) as file, tarfile.open(fileobj=file) as archive:
        texts = _members(archive, field)
    return _complete(texts, str(path))


@contextmanager
def _unpacking(field: str) -> Iterator[None]:
    """Return a context manager: while its ``with`` block runs, errors of Python's archive modules become `InputError`.

    `field` is the name of the archive in the error message.
    """
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        # If the file is not an archive, tarfile gives one line for each kind of archive that it tried.
        why = printable(str(error)) if "\n" not in str(error) else "damaged, or neither tar nor tar in bz2, gz or xz"
        raise InputError(field, f"no archive that can be unpacked ({why})", _EXPECTED) from None
    except OSError as error:
        if error.strerror is None:  # bz2 raises a bare OSError for a wrong checksum
            raise InputError(field, "no archive that can be unpacked (damaged data)", _EXPECTED) from None
        raise InputError(field, reason(error), "a file that can be read") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(field, "no archive that can be unpacked (damaged data)", _EXPECTED) from None


_EXPECTED = "a .tar.bz2 (or .tar.gz, .tar.xz, .tar) with domain.pddl, template.pddl and hyps.dat"


def _members(archive: tarfile.TarFile, field: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    total = 0
    for count, member in enumerate(archive, start=1):
        total += member.size
        if count > MOST_MEMBERS:
            raise InputError(field, f"more than {MOST_MEMBERS} files", "an archive of five small files")
        if total > LARGEST_ARCHIVE:
            raise InputError(field, f"more than {LARGEST_ARCHIVE} bytes, unpacked", "an archive of five small files")
        name = member.name.replace("\\", "/").rsplit("/", 1)[-1]
        if name not in NAMES or not member.isreg():
            continue
        if member.size > LONGEST_FILE:
            raise InputError(f"{field}, {name}", f"{member.size} bytes", f"at most {LONGEST_FILE}")
        if name in texts:
            raise InputError(field, f"several files of the name {name}", "one problem in each archive")
        unpacked = archive.extractfile(member)
        assert unpacked is not None  # it is a regular file
        texts[name] = decode(unpacked.read(), f"{field}, {name}")
    return texts


def _complete(texts: dict[str, str], source: str) -> dict[str, str]:
    for name in (DOMAIN, TEMPLATE):
        if name not in texts:
            raise InputError(source, f"no {name}", f"{', '.join(NAMES[:3])}, and perhaps {' and '.join(NAMES[3:])}")
    return texts


PACKED = {".bz2": "w:bz2", ".tbz": "w:bz2", ".tbz2": "w:bz2", ".gz": "w:gz", ".tgz": "w:gz", ".xz": "w:xz"}
"""The mode of tarfile for each extension."""


def save(given: Recognition, path: str | Path) -> None:
    """Write a problem to an archive or a folder.

    It is an archive if `path` ends in ``.tar.bz2``, ``.tar.gz`` or another extension of tar archives, otherwise a
    folder.
    """
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
    """Return the texts of the files that describe a problem, by file name.

    The files are ``domain.pddl``, ``template.pddl``, ``hyps.dat`` (the goals), ``obs.dat`` (the observed actions, if
    any) and ``real_hyp.dat`` (the true goal, if known).
    """
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
    """Return a domain (predicates, types and actions) as the text of a PDDL file."""
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
    """Return a problem as the text of a PDDL file, with the placeholder ``<HYPOTHESIS>`` instead of its goal."""
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
