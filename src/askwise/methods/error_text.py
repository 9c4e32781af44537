"""Errors of other people's programs on one line, with the file and the line that is to be mended.

Nothing here trusts what it is told about: an error may fail to say what it is, a value may fail to be shown.
"""

from __future__ import annotations

import inspect
import sysconfig
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from functools import cache
from os import sep
from pathlib import Path
from types import FunctionType
from typing import Any

from askwise.errors import AskwiseError
from askwise.text.wording import printable

LONGEST = 200
"""Letters of somebody else's message that are shown: the line in the file has to fit beside it."""
READ_ONLY = "problems are read-only: work on a copy"

SourceLine = tuple[str, int]
"""A file and a line."""


def error_to_text(error: BaseException) -> str:
    """Return an error on one line, with the file and the line at which it happened."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} ({error.filename}, line {error.lineno})"
    return error_message(error) + line_text(failing_line(error))


def error_message(error: BaseException) -> str:
    """Return the kind of an error and what it says, without its place."""
    try:
        text = " ".join(str(error).split())
    except (Exception, SystemExit):
        text = "an error that cannot be shown"
    kind = "" if isinstance(error, AskwiseError) else type(error).__name__
    if isinstance(error, FrozenInstanceError) or (isinstance(error, ValueError) and "read-only" in text):
        text = f"{text} ({READ_ONLY})"
    return _short(": ".join(part for part in (kind, text) if part) or type(error).__name__)


def value_to_text(value: object) -> str:
    """Return a value as a message shows it."""
    try:
        return _short(repr(value))
    except (Exception, SystemExit):
        return f"something of type {type(value).__name__} that cannot be shown"


def _short(text: str) -> str:
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


# -- places ------------------------------------------------------------------------------------------------------


def line_text(place: SourceLine | None) -> str:
    """Return a place as the end of a message, nothing if there is none."""
    return "" if place is None else f" ({place[0]}, line {place[1]})"


def failing_line(error: BaseException, files: frozenset[str] = frozenset()) -> SourceLine | None:
    """Return the line that is to be mended, not the one deep in a library that it led to.

    Args:
        error: an error that was raised.
        files: files that count as somebody's own even if they are installed.
    """
    own = [place for place in _frames(error) if place[0] in files or not place[0].startswith(_libraries())]
    written_down = [place for place in own if not place[0].startswith("<")]  # dataclasses write code that is in no file
    known = written_down or own
    return known[-1] if known else None


def files_of(thing: object) -> frozenset[str]:
    """Return the files that the classes of an object are written in, askwise's own left out."""
    codes = (_code(each) for kind in type(thing).__mro__ for each in vars(kind).values())
    return frozenset(code.co_filename for code in codes if code is not None and not _is_ours(code.co_filename))


def source_line(thing: object, method: str) -> SourceLine | None:
    """Return where a method of an object is written; where its class is, if the method is one of askwise's."""
    code = _code(getattr(type(thing), method, None))
    if code is not None and not _is_ours(code.co_filename):
        return code.co_filename, code.co_firstlineno
    for kind in type(thing).__mro__:
        try:
            place = inspect.getsourcefile(kind) or "", inspect.getsourcelines(kind)[1]
        except (OSError, TypeError):  # typed at a prompt, or not written in Python
            continue
        return None if _is_ours(place[0]) else place
    return None


def _code(found: Any) -> Any:
    """Return the code of a function, or of what a property calls; None of anything else."""
    found = found.fget if isinstance(found, property) else found
    found = found.__func__ if isinstance(found, staticmethod | classmethod) else found
    return inspect.unwrap(found).__code__ if isinstance(found, FunctionType) else None


def _frames(error: BaseException) -> Iterator[SourceLine]:
    """Iterate over the places that led to an error, the outermost first."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _is_ours(file: str) -> bool:
    return file.startswith(_libraries()[:2])


@cache
def _libraries() -> tuple[str, ...]:
    """Return how the names of files begin that no user has written, askwise's own first."""
    installed = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    return (str(Path(__file__).parents[1]) + sep, "<frozen ", *(path + sep for path in sorted(installed)))
