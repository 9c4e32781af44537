"""Third-party code: agents from files and modules, and the errors and values of such code as text.

An agent's location is ``mine.py``, ``mine.py:Likeliest`` or ``package.module:Likeliest``. First comes a Python file
(ending in ``.py``) or a module, which may be in the current folder. After the colon comes a subclass of `Agent`, or a
function that returns an agent. A file with only one agent needs no colon. Options can follow:
``mine.py:Likeliest,enough=0.5``.

A file is loaded again only if it has changed. The file's module has a unique name, made from the full path, so that
agents can be copied and pickled. Errors become text on one line, with the file and line of the code to fix.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from os import sep
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.methods.base import Agent
from askwise.text.files import opened, reason
from askwise.text.wording import printable
from askwise.workers.heartbeat import loading

LOCATIONS = "FILE.py, FILE.py:CLASS or PACKAGE.MODULE:CLASS"
"""The forms of an agent's location, for messages."""

LONGEST = 200
"""Largest number of characters of a third-party message that are shown."""
READ_ONLY = "problems are read-only: work on a copy"

SourceLine = tuple[str, int]
"""The name of a file and the number of a line in it."""

_LOADED: dict[Path, tuple[object, ModuleType]] = {}
"""Modules by the path of their file, with the file's time and size when it was loaded; a changed file is reloaded."""


def is_location(name: str) -> bool:
    """Return whether a method's name is the location of an agent, such as ``mine.py`` or ``mine.py:Likeliest``."""
    return ":" in name or name.endswith(".py")


def named_options(given: str) -> tuple[str, dict[str, Any]]:
    """Split a text into the name of a method and a dict of the options that follow the name.

    For example, ``ezq,belief=robust`` becomes ``ezq`` and ``{"belief": "robust"}``. Numbers, ``true`` and ``false``
    become Python values; all other values stay text.
    """
    name, *stated = re.split(r",\s*(?=[A-Za-z_]\w*=)", given)
    options: dict[str, Any] = {}
    for text in stated:
        key, _, value = text.partition("=")
        if key in options:
            raise InputError(f"method {name!r}", f"{key} twice", "each option once")
        options[key] = _value(value.strip())
    return name.strip(), options


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def load_agent(location: str, **options: Any) -> Agent:
    """Return a new agent: the result of calling the class or function at a location with `options`.

    `location` is ``FILE.py``, ``FILE.py:CLASS`` or ``PACKAGE.MODULE:CLASS``. `InputError` is raised if no agent can be
    made from it.
    """
    field = f"method {location!r}"
    make = _found(location)
    check_options(make, options, field)
    return made_agent(make, options, field)


def made_agent(make: Callable[..., object], options: dict[str, Any], field: str) -> Agent:
    """Call ``make(**options)`` and return the agent that the call returns.

    `InputError` is raised if the call fails, or if it returns anything but an `Agent`. `field` is the name of the
    method in the error message.
    """
    try:
        with loading:
            agent = make(**options)
    except (AskwiseError, KeyboardInterrupt):
        raise  # such as a belief of an unknown kind
    except BaseException as error:  # `sys.exit` included
        raise InputError(field, error_to_text(error), "an agent that can be made") from error
    if not isinstance(agent, Agent):
        raise InputError(field, f"something of type {type(agent).__name__}", "an askwise Agent")
    return agent


def takes(location: str, option: str) -> bool:
    """Return whether the class or function at a location accepts a keyword argument called `option`.

    `location` is ``FILE.py``, ``FILE.py:CLASS`` or ``PACKAGE.MODULE:CLASS``.
    """
    parameters = _signature(_found(location)).parameters.values()
    return any(each.name == option or each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def _found(location: str) -> Callable[..., object]:
    """Return the subclass of `Agent`, or the function that makes an agent, at a location.

    `location` is ``FILE.py``, ``FILE.py:CLASS`` or ``PACKAGE.MODULE:CLASS``. Raises `InputError` if there is no such
    class or function.
    """
    field = f"method {location!r}"
    home, _, name = (location, "", "") if location.endswith(".py") else location.rpartition(":")
    if not home or (not name and home != location):
        raise InputError("method", repr(location), LOCATIONS)
    module = _file(home, field) if home.endswith(".py") else _module(home, field)
    if not name:
        agents = _defined_in(module)
        if len(agents) != 1:
            raise InputError(field, f"{len(agents) or 'no'} agents in {home}", _agents_in(module, name))
        name = agents[0]
    if not hasattr(module, name):
        raise InputError(field, f"no {name!r} in {home}", _agents_in(module, name))
    found: Callable[..., object] = getattr(module, name)
    if isinstance(found, type) and issubclass(found, Agent):
        return found
    if isinstance(found, type) or not callable(found):
        kind = f"the class {name}" if isinstance(found, type) else f"something of type {type(found).__name__}"
        raise InputError(
            field, f"{kind}, which is not an Agent", "a subclass of askwise.Agent, or a function that makes one"
        )
    return found


def _agents_in(module: ModuleType, name: str) -> str:
    """Return the end of an error message about an unknown agent: a text that lists the agents of a module.

    `name` is the unknown name. If an agent has a similar name, the text suggests it.
    """
    agents = _defined_in(module)
    if not agents:
        return "the name of an agent: a subclass of askwise.Agent (the file has none)"
    return f"one of {', '.join(map(repr, agents))}" + did_you_mean(name, agents)


def _defined_in(module: ModuleType) -> list[str]:
    """Return the names of the subclasses of `Agent` that a module defines, without those that it imports."""
    return [
        each
        for each, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__
    ]


def check_options(make: Callable[..., object], options: dict[str, Any], field: str) -> None:
    """Raise `InputError` unless a class or function accepts the given options as keyword arguments.

    Args:
        make: the class or function.
        options: the value of each option, by name.
        field: the name of the method in the error message.
    """
    signature = _signature(make)
    try:
        signature.bind(**options)
    except TypeError as error:
        given = ", ".join(options) or "none"
        raise InputError(field, f"{error} (options: {given})", f"options as in {signature}") from None


def _signature(make: Callable[..., object]) -> inspect.Signature:
    try:
        return inspect.signature(make)
    except ValueError:  # functions that are not written in Python may have no signature
        return inspect.signature(lambda **_: None)


# -- files and modules -------------------------------------------------------------------------------------------


def _file(name: str, field: str) -> ModuleType:
    """Return the Python file `name` as a module, loaded again if the file has changed since it was last loaded.

    `field` is the name of the method in error messages.
    """
    try:
        path = Path(name).resolve()
        with opened(path) as file:  # refuses pipes, which could block
            status = os.fstat(file.fileno())
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "a name that no file can have"
        raise InputError(field, f"no file {name!r} in {str(Path.cwd())!r} ({why})", "a Python file") from None
    state = (status.st_mtime_ns, status.st_size)
    if path not in _LOADED or _LOADED[path][0] != state:
        _LOADED[path] = state, _run(path, name, field)
    return _LOADED[path][1]


def _run(path: Path, name: str, field: str) -> ModuleType:
    unique = f"{path.stem}_{hashlib.sha256(str(path).encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    loader = SourceFileLoader(unique, str(path))
    spec = spec_from_loader(unique, loader)
    assert spec is not None
    module = module_from_spec(spec)
    # Dataclasses and pickle look up a class by the name of its module.
    before = sys.modules.get(unique)
    sys.modules[unique] = module
    try:
        with loading, _importable(path.parent):
            # Compiled here, because the bytecode cache cannot tell apart two versions within one second.
            exec(compile(loader.get_data(str(path)), str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        sys.modules.pop(unique)
        if before is not None:
            sys.modules[unique] = before
        raise InputError(field, error_to_text(error), f"a file that Python can run, {name}") from error
    return module


def _module(name: str, field: str) -> ModuleType:
    try:
        with loading, _importable(Path.cwd()):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            found = f"no module {name!r}"
            raise InputError(field, found, f"{LOCATIONS}, of a module that is installed or here") from None
        raise InputError(field, error_to_text(error), "a module that can be imported") from error
    except (Exception, SystemExit) as error:
        raise InputError(field, error_to_text(error), "a module that can be imported") from error


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Return a context manager: while its ``with`` block runs, Python can import the modules in `folder`.

    The folder comes last in Python's path, so that modules in the folder hide no others.
    """
    added = str(folder)
    sys.path.append(added)
    importlib.invalidate_caches()  # finds files written a moment ago
    try:
        yield
    finally:
        for k in range(len(sys.path) - 1, -1, -1):
            if sys.path[k] == added:
                del sys.path[k]
                break


# -- errors and values as text -----------------------------------------------------------------------------------


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


# -- lines of user code -----------------------------------------------------------------------------------------


def line_text(place: SourceLine | None) -> str:
    """Return a file and a line as the end of a message, such as " (mine.py, line 3)"; an empty text for None."""
    return "" if place is None else f" ({place[0]}, line {place[1]})"


def failing_line(error: BaseException, files: frozenset[str] = frozenset()) -> SourceLine | None:
    """Return the innermost line of user code in the traceback of an error; None if there is none.

    User code is all code except askwise and installed packages. `files` also count as user code.
    """
    own = [place for place in _frames(error) if place[0] in files or not place[0].startswith(_libraries())]
    written_down = [place for place in own if not place[0].startswith("<")]  # dataclasses generate code without a file
    known = written_down or own
    return known[-1] if known else None


def files_of(thing: object) -> frozenset[str]:
    """Return the names of the files that define the class of `thing` and its base classes, without files of askwise."""
    codes = (_code(each) for kind in type(thing).__mro__ for each in vars(kind).values())
    return frozenset(code.co_filename for code in codes if code is not None and not _is_ours(code.co_filename))


def source_line(thing: object, method: str) -> SourceLine | None:
    """Return the file and line at which user code defines a method of an object; None if there is no such line.

    If askwise defines the method, the result is the line at which user code defines the object's class; None if askwise
    defines the class, too.
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
    """Return the code object of a function, a property, or a static or class method; None for other objects."""
    found = found.fget if isinstance(found, property) else found
    found = found.__func__ if isinstance(found, staticmethod | classmethod) else found
    return inspect.unwrap(found).__code__ if isinstance(found, FunctionType) else None


def _frames(error: BaseException) -> Iterator[SourceLine]:
    """Yield the file and line of each call in the traceback of an error, the outermost call first."""
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
