"""Where machine code is kept on disk, and when it is used again.

Each version of a kernel has a folder: ``ROOT/MODULE.KERNEL/STAMP``. The stamp is a digest of all that the machine code
is made from, so no version ever meets the files of another. That matters because numba writes its list of what is kept
before the code itself: a process that is killed in between, after an upgrade, would leave old code under a new name.

In a folder of a version,

- one process at a time compiles, keeps or loads a kernel. Two that compile it for different types at once would choose
  the same name for their code;
- machine code is used only if it is as it was written. numba trusts what it finds: a file that is cut short would be an
  error in every process, and one wrong bit could be a wrong result.

Where no folder can be written, kernels are compiled in every process.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from askwise.workers import heartbeat

VERSIONS = 5
"""How many versions of a kernel are kept: those that were used last."""
PLACES = 20
"""In how many places one version may be installed before the code of the one that was used longest ago is removed."""

_config: Any = numba.config
_held: set[Path] = set()
"""The locks that this process has; only the thread that compiles looks here."""


def kept(make: Callable[..., Any], function: Callable[..., Any], way: bytes) -> Any:
    """Make a kernel that keeps its machine code on disk, or one that does not where no folder can be written.

    Args:
        make: makes the kernel, with numba's option ``cache=True`` or without it.
        function: the loop.
        way: what changes whenever the way in which kernels are compiled does.
    """
    with contextlib.suppress(
        OSError, RuntimeError
    ):  # numba's error where it can write nowhere; Python's without a home
        folder = _folder(function, way)
        kernel = _made_in(folder, make)
        place = Path(kernel.stats.cache_path)
        # numba looks for another place when this one cannot be written, and a setting of it forbids this one. Code from
        # there might be out of date: numba looks at the file of the kernel only, not at what the kernel calls.
        if place.is_relative_to(folder):
            os.utime(place)
            _remove_oldest(folder, PLACES)
            return _checked(kernel)
    return make()


def root() -> Path:
    """Return the folder for all machine code: in the one that the user set for numba, or in the user's cache folder."""
    if _config.CACHE_DIR:
        return Path(_config.CACHE_DIR, "askwise").absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local", "askwise", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "askwise"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "askwise").absolute()


def _folder(function: Any, way: bytes) -> Path:
    """Return the folder of this version of a loop, which exists then."""
    digest = hashlib.sha256(way + numba.__version__.encode() + _source(function.__code__.co_filename))
    take_in(function, digest, set())
    versions = root() / _allowed(f"{function.__module__}.{function.__qualname__}")
    folder = versions / digest.hexdigest()[:24]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _remove_oldest(versions, VERSIONS)
    return folder


@functools.cache
def _source(path: str) -> bytes:
    """Return the text of the file of a loop: when it changes, numba takes what it has kept for out of date."""
    return Path(path).read_bytes()


def _made_in(folder: Path, make: Callable[..., Any]) -> Any:
    """Make a kernel whose code numba keeps in this folder; functions of the user's stay where they are."""
    usual, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
    try:
        return make(cache=True)
    finally:
        _config.CACHE_DIR = usual


def _remove_oldest(folder: Path, most: int) -> None:
    """Leave so many folders in a folder. A process that uses one that is removed compiles again and keeps nothing."""
    with contextlib.suppress(OSError):
        found = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
        for each in found[most:]:
            shutil.rmtree(each, ignore_errors=True)


def _checked(kernel: Any) -> Any:
    """Let a kernel use kept machine code only if it is as it was written; code that is damaged is made anew.

    A file beside the machine code has a line for each file that was written, with its name and its checksum.
    """
    usual = kernel.compile

    def compile_checked(signature: Any) -> Any:
        if signature in kernel.signatures:
            return usual(signature)
        # numba's lock first, which it takes anyway: a thread that has it may need the other.
        with global_compiler_lock, _alone(kernel):
            misses = sum(kernel.stats.cache_misses.values())
            _remove_if_damaged(kernel)
            try:
                made = usual(signature)
            except OSError:  # the code is there, but cannot be kept: the disk may be full
                return usual(signature)
            if sum(kernel.stats.cache_misses.values()) > misses:
                _note_checksums(kernel)
            return made

    kernel.compile = compile_checked
    return kernel


@contextlib.contextmanager
def _alone(kernel: Any) -> Iterator[None]:
    """Let no other process compile, keep or load a kernel meanwhile, where the system can lock files."""
    path = _path(kernel, "lock")
    if path in _held:  # a kernel that calls itself
        yield
        return
    try:
        import fcntl

        file = path.open("ab")
    except (ImportError, OSError):  # Windows, or a folder that was removed
        yield
        return
    _held.add(path)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            _lock(file, fcntl)
        yield
    finally:
        _held.remove(path)
        with file, contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough where a process was forked meanwhile


def _lock(file: Any, fcntl: Any) -> None:
    """Lock a file. The time that this takes is not held against the agent that needs the kernel."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        heartbeat.own.pause()
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        finally:
            heartbeat.own.resume()


def _remove_if_damaged(kernel: Any) -> None:
    """Remove all that is kept of a kernel if any of it is not as it was written: the files refer to each other."""
    try:
        known = set(_path(kernel, "sums").read_bytes().split(b"\n"))
    except OSError:
        known = set()
    files = _files(kernel)
    if not known.issuperset(map(_line, files)):
        for path in files:
            with contextlib.suppress(OSError):
                path.unlink()


def _note_checksums(kernel: Any) -> None:
    # A line that another process did not finish ends here, and spoils no other.
    with contextlib.suppress(OSError), _path(kernel, "sums").open("ab", buffering=0) as file:
        file.write(b"\n" + b"\n".join(map(_line, _files(kernel))) + b"\n")


def _line(path: Path) -> bytes:
    try:
        return f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode()
    except OSError:
        return b"none"


def _files(kernel: Any) -> list[Path]:
    """Return the files in which numba keeps the code of a kernel."""
    folder, name = Path(kernel.stats.cache_path), _name_on_disk(kernel)
    return [each for each in folder.glob(f"{glob.escape(name)}.*") if each.suffix in (".nbi", ".nbc")]


def _path(kernel: Any, ending: str) -> Path:
    """Return a file of ours beside them."""
    return Path(kernel.stats.cache_path, f"{_name_on_disk(kernel)}.{ending}")


def _name_on_disk(kernel: Any) -> str:
    """Return how the names of these files begin."""
    code = kernel.py_func.__code__
    return _allowed(f"{Path(code.co_filename).stem}.{kernel.py_func.__qualname__}-{code.co_firstlineno}")


def _allowed(name: str) -> str:
    """Return a name without what Windows forbids in names of files."""
    return name.replace("<", "").replace(">", "")


def take_in(function: Any, digest: Any, done: set[Any]) -> None:
    """Add what a loop does to the digest, with all that it calls and all that it gets from outside by name."""
    if function not in done:
        done.add(function)
        digest.update(f"{function.__module__}.{function.__qualname__} {function.__defaults__!r}".encode())
        _take_in_code(function.__code__, function.__globals__, digest, done)


def _take_in_code(code: Any, known: Mapping[str, Any], digest: Any, done: set[Any]) -> None:
    parts = [part for part in code.co_consts if isinstance(part, CodeType)]
    constants = [part for part in code.co_consts if not isinstance(part, CodeType)]
    told = (code.co_varnames[: code.co_argcount], code.co_names, code.co_exceptiontable, constants)
    digest.update(code.co_code + repr(told).encode())
    for name in code.co_names:
        _take_in_value(name, known.get(name), code.co_names, digest, done)
    for part in parts:
        _take_in_code(part, known, digest, done)


def _take_in_value(name: str, value: Any, names: Iterable[str], digest: Any, done: set[Any]) -> None:
    """Add what a name stands for; what cannot be told apart by its text is never the same again."""
    if hasattr(value, "as_written"):  # another kernel
        take_in(value.as_written, digest, done)
    elif isinstance(value, ModuleType) and value.__name__.startswith("askwise."):
        for member in names:
            if hasattr(value, member):
                _take_in_value(member, getattr(value, member), (), digest, done)
    elif isinstance(value, FunctionType | type):  # or an attribute of something else that has the same name
        digest.update(f"{name} {value.__module__}.{value.__qualname__}".encode())
    elif isinstance(value, np.ndarray):
        digest.update(f"{name} {value.dtype} {value.shape}".encode() + value.tobytes())
    elif not isinstance(value, ModuleType):
        digest.update(f"{name} {value!r}".encode())
