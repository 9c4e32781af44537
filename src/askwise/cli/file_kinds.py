"""The kinds of files that askwise reads: a command that gets one of another kind names the command that takes it."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from typing import Any

from askwise.errors import AskwiseError, InputError
from askwise.text.data import looks_like_data, parse_text
from askwise.text.files import find, read_text
from askwise.text.wording import either


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: what error messages call it.
        commands: the commands that take it; error messages recommend the first.
        hint: what else to do with such a file; ``{}`` stands for its name.
    """

    name: str
    commands: tuple[str, ...]
    hint: str = ""


INSTANCE = Kind("an instance file", ("ask", "run", "show", "solve", "evaluate", "edp", "design", "studio"))
DRAWING = Kind("a drawn map", ("edp", "design"), "askwise new --kind map --from {} makes an instance file")
PLANNING = Kind("a planning problem", ("recognise", "grd", "edp", "design"))
DECISION = Kind("a decision file", ("decide",))
EPISODES = Kind("episodes or conversations", ("audit",))
STUDY = Kind("a study file", ("study",))
PEOPLE = Kind("a study with people", ("studio",))
CODE = Kind("Python code", (), "an agent is given as --method FILE.py:CLASS")
KINDS = (INSTANCE, DRAWING, PLANNING, DECISION, EPISODES, STUDY, PEOPLE, CODE)


def explained(error: AskwiseError, options: argparse.Namespace) -> AskwiseError:
    """Return the error to report: `error`, or one that names the right command for a file that is for another one."""
    path = _file(options)
    if path is None or (isinstance(error, InputError) and error.field.startswith("-")):
        return error  # no file, or a wrong option
    kind = kind_of(path)
    taken = [each.name for each in KINDS if options.command in each.commands]
    if kind is None or not taken or options.command in kind.commands:
        return error
    takes = f"askwise {kind.commands[0]} takes this one" if kind.commands else ""
    hints = "; ".join(hint for hint in (takes, kind.hint.format(shlex.quote(path))) if hint)
    return InputError(f"file {path!r}", kind.name, f"{either(taken)} ({hints})")


def _file(options: argparse.Namespace) -> str | None:
    """Return the first file that the command was given as an argument; None if there is none."""
    names = [action.dest for action in options.parser._actions if not action.option_strings]
    given = getattr(options, names[0]) if names else None
    first = given[0] if isinstance(given, list) and given else given
    return first if isinstance(first, str) and first != "-" else None


def kind_of(path: str) -> Kind | None:
    """Return the kind of a file, a folder or an example; None if it is of no known kind or cannot be read."""
    from askwise.pddl.archive import ENDINGS

    try:
        where = find(path)
        name = where.name.lower()
        if where.is_dir():
            return PLANNING if (where / "domain.pddl").is_file() else None
        for endings, kind in (((*ENDINGS, ".pddl"), PLANNING), (".py", CODE), (".jsonl", EPISODES)):
            if name.endswith(endings):
                return kind if where.is_file() else None
        return _kind_of_text(read_text(where), toml=name.endswith(".toml"))
    except (AskwiseError, OSError, ValueError):
        return None


def _kind_of_text(text: str, *, toml: bool) -> Kind | None:
    from askwise.audits.audit import FORMATS
    from askwise.decisions import problem_input
    from askwise.domains.registry import domains
    from askwise.model import Drawing
    from askwise.studio.study import file

    if not toml and not looks_like_data(text):
        return DRAWING if Drawing.parse(text).goals else None
    data: Any = parse_text(text, toml=toml)
    if not isinstance(data, dict):
        return None
    if "format" not in data:
        return STUDY if {"name", "methods"} <= data.keys() else None
    formats = {written: INSTANCE for each in domains() for written in each.formats}
    formats |= dict.fromkeys(FORMATS, EPISODES) | {problem_input.FORMAT: DECISION, file.FORMAT: PEOPLE}
    return formats.get(str(data["format"]))
