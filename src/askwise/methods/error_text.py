"""Errors and values of third-party code as text on one line, with the file and line to fix.

Nothing here trusts the objects that it describes: an error may fail to return its message, and a value its `repr`.
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
"""Largest number of characters of a third-party message that are shown."""
READ_ONLY = "problems are read-only: work on a copy"

SourceLine = tuple[str, int]
"""The name of a file and the number of a line in it."""


def error_to_text(error: BaseException) -> str:
    """Return an error as text on one line, with the file and the line of user code at which it happened."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} ({error.filename}, line {error.lineno})"
    return error_message(error) + line_text(failing_line(error))


def error_message(error: BaseException) -> str:
    """Return the type and the message of an error, without its file and line."""
    try:
        text = " ".join(str(error).split())
    except (Exception, SystemExit):
        text = "an error that cannot be shown"
    kind = "" if isinstance(error, AskwiseError) else type(error).__name__
    if isinstance(error, FrozenInstanceError) or (isinstance(error, ValueError) and "read-only" in text):
        text = f"{text} ({READ_ONLY})"
    return _short(": ".join(part for part in (kind, text) if part) or type(error).__name__)


def value_to_text(value: object) -> str:
    """Return the `repr` of a value, cut to 200 characters.

    If `repr` fails, return a text with the type of the value.
    """
    try:
        return _short(repr(value))
    except (Exception, SystemExit):
        return f"something of type {type(value).__name__} that cannot be shown"


def _short(text: str) -> str:
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


# -- files and lines -----------------------------------------------------------------------------------------------


def line_text(place: SourceLine | None) -> str:
    """Return a file and a line as the end of a message, such as " (mine.py, line 3)".

    For None, return an empty text.
    """
    return "" if place is None else f" ({place[0]}, line {place[1]})"


def failing_line(error: BaseException, files: frozenset[str] = frozenset()) -> SourceLine | None:
    """Return the innermost line of user code in the traceback of an error; None if there is none.

    Args:
        error: an error that was raised.
        files: files that count as user code even if they are installed.
    """
    own = [place for place in _frames(error) if place[0] in files or not place[0].startswith(_libraries())]
    written_down = [place for place in own if not place[0].startswith("<")]  # dataclasses generate code without a file
    known = written_down or own
    return known[-1] if known else None


def files_of(thing: object) -> frozenset[str]:
    """Return the files in which an object's class and base classes are defined, without files of askwise."""
    codes = (_code(each) for kind in type(thing).__mro__ for each in vars(kind).values())
    return frozenset(code.co_filename for code in codes if code is not None and not _is_ours(code.co_filename))


def source_line(thing: object, method: str) -> SourceLine | None:
    """Return the file and line at which user code defines a method of an object.

    If askwise defines the method, return the line of the object's class; None if that is not user code either, or if
    the source is not available.
    """
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
    """Return the code object of a function, a property, or a static or class method.

    For other objects, return None.
    """
    found = found.fget if isinstance(found, property) else found
    found = found.__func__ if isinstance(found, staticmethod | classmethod) else found
    return inspect.unwrap(found).__code__ if isinstance(found, FunctionType) else None


def _frames(error: BaseException) -> Iterator[SourceLine]:
    """Yield the file and line of each call in the traceback of an error, the outermost first."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _is_ours(file: str) -> bool:
    return file.startswith(_libraries()[:2])


@cache
def _libraries() -> tuple[str, ...]:
    """Return the path prefixes of files that are not user code: askwise, frozen modules, and installed packages."""
    installed = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    return (str(Path(__file__).parents[1]) + sep, "<frozen ", *(path + sep for path in sorted(installed)))
