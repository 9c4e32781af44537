"""Agents of one's own by their place: ``mine.py:Likeliest``, ``package.module:Likeliest``.

What stands before the colon is a Python file (its name ends in ``.py``; relative to the current folder) or a module
that can be imported, from the current folder too. What stands behind it is a subclass of `Agent`, or a function that
returns one; it is called with the options that are given (``belief`` and, in study files, any others).

A method travels to other processes as this text, and each of them loads the file for itself, once. The file is a module
with a name of its own, made from its whole path, so that two files that are called alike do not get in each other's way
and agents from it can be copied and pickled.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.methods.base import Agent
from askwise.methods.error_text import error_to_text
from askwise.text.files import opened, reason
from askwise.workers.heartbeat import loading

LOCATIONS = "FILE.py:CLASS or PACKAGE.MODULE:CLASS"
"""How an agent of one's own is named."""

_LOADED: dict[Path, tuple[object, ModuleType]] = {}
"""Files that were loaded, with what they were like then: a file that was changed since is loaded anew."""


def is_location(name: str) -> bool:
    """Whether a method's name says where to find it."""
    return ":" in name


def load_agent(place: str, **options: Any) -> Agent:
    """Return the agent at a place, made with `options`."""
    field = f"method {place!r}"
    make = _found(place)
    check_options(make, options, field)
    return made_agent(make, options, field)


def made_agent(make: Callable[..., object], options: dict[str, Any], field: str) -> Agent:
    """Return the agent that `make` makes; `field` says in an error which method it is."""
    try:
        with loading:
            agent = make(**options)
    except (AskwiseError, KeyboardInterrupt):
        raise  # a belief of an unknown kind, say
    except BaseException as error:  # `sys.exit` included
        raise InputError(field, error_to_text(error), "an agent that can be made") from error
    if not isinstance(agent, Agent):
        raise InputError(field, f"something of type {type(agent).__name__}", "an askwise Agent")
    return agent


def takes(place: str, option: str) -> bool:
    """Whether the agent at a place can be made with that option."""
    parameters = _signature(_found(place)).parameters.values()
    return any(each.name == option or each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def _found(place: str) -> Callable[..., object]:
    """Return what makes the agent: a class or a function."""
    field = f"method {place!r}"
    home, _, name = place.rpartition(":")
    if not home or not name:
        raise InputError("method", repr(place), LOCATIONS)
    module = _file(home, field) if home.endswith(".py") else _module(home, field)
    if not hasattr(module, name):
        raise InputError(field, f"no {name!r} in {home}", _agents_in(module, name))
    found: Callable[..., object] = getattr(module, name)
    if isinstance(found, type) and issubclass(found, Agent):
        return found
    if isinstance(found, type) or not callable(found):
        kind = f"the class {name}" if isinstance(found, type) else f"something of type {type(found).__name__}"
        raise InputError(
            field, f"{kind}, which is no Agent", "a subclass of askwise.Agent, or a function that makes one"
        )
    return found


def _agents_in(module: ModuleType, name: str) -> str:
    """Return what a refusal of `name` says is there instead."""
    # Those that are written there, not those that it imports to build on.
    agents = [
        each
        for each, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__
    ]
    if not agents:
        return "the name of an agent: a subclass of askwise.Agent (there is none)"
    return f"one of {', '.join(map(repr, agents))}" + did_you_mean(name, agents)


def check_options(make: Callable[..., object], options: dict[str, Any], field: str) -> None:
    """Refuse options that whatever makes an agent does not take."""
    signature = _signature(make)
    try:
        signature.bind(**options)
    except TypeError as error:
        given = ", ".join(options) or "none"
        raise InputError(field, f"{error} (options: {given})", f"options as in {signature}") from None


def _signature(make: Callable[..., object]) -> inspect.Signature:
    try:
        return inspect.signature(make)
    except ValueError:  # functions that are not written in Python need not tell
        return inspect.signature(lambda **_: None)


# -- files and modules -------------------------------------------------------------------------------------------


def _file(name: str, field: str) -> ModuleType:
    """Return a file as a module."""
    try:
        path = Path(name).resolve()
        with opened(path) as file:  # a pipe would be waited for
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
    # Dataclasses and pickle look a class up by the name of its module.
    before = sys.modules.get(unique)
    sys.modules[unique] = module
    try:
        with loading, _importable(path.parent):
            # Not from the cache beside the file: two versions within a second would look alike there.
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
    """Let modules in a folder be imported meanwhile; behind all others, so that they take nobody's place."""
    added = str(folder)
    sys.path.append(added)
    importlib.invalidate_caches()  # a file that was written a moment ago
    try:
        yield
    finally:
        for k in range(len(sys.path) - 1, -1, -1):
            if sys.path[k] == added:
                del sys.path[k]
                break
