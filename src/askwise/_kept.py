"""Where machine code is kept on disk, and when it is used again.

Each version of a kernel has a folder: ``ROOT/MODULE.KERNEL/STAMP``. The stamp is a digest of the kernel's code, the
code of all kernels that it calls, and the types of its arguments. So no version ever uses the files of another. numba
keeps its files in that folder because `numba.config.CACHE_DIR` names it while the kernel is made.

In a folder, one process at a time compiles or loads a kernel, and machine code is used only if it is as it was written
(`Place`). Where no folder can be written, kernels are compiled in every process.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
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

from askwise.workers import heartbeat

VERSIONS = 5
"""How many versions of a kernel are kept: those that were used last."""
PLACES = 20
"""In how many places one version may be installed before the code of the one that was used longest ago is removed."""

_config: Any = numba.config


class Place:
    """Where the machine code of one kernel is kept for some types of arguments.

    A file beside the machine code lists the files that were written, each with its checksum. numba trusts what it
    finds: a file that is cut short would be an error in every process, and one wrong bit could be a wrong result.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.folder = Path(kernel.stats.cache_path)
        self._misses = 0

    def intact(self) -> bool:
        """Whether there is machine code that is as it was written; what is damaged is removed."""
        try:
            known = set((self.folder / "sums").read_bytes().split(b"\n"))
        except OSError:
            known = set()
        files = self._files()
        if known.issuperset(map(_line, files)):
            return bool(files)
        for path in files:
            with contextlib.suppress(OSError):
                path.unlink()
        return False

    def note(self) -> None:
        """Write down the checksums if something was compiled since the last time."""
        misses = sum(self.kernel.stats.cache_misses.values())
        if misses == self._misses:
            return
        if not self._misses:
            atexit.register(self._note_later)
        self._misses = misses
        # A line that another process did not finish ends here, and spoils no other.
        with contextlib.suppress(OSError), (self.folder / "sums").open("ab", buffering=0) as file:
            file.write(b"\n" + b"\n".join(map(_line, self._files())) + b"\n")

    def _note_later(self) -> None:
        """Note what was compiled for arguments of other types."""
        with contextlib.suppress(OSError), locked(self):
            self.note()

    def _files(self) -> list[Path]:
        return [each for each in self.folder.glob("*") if each.suffix in (".nbi", ".nbc")]


def kernel_at(make: Callable[..., Any], function: Callable[..., Any], way: str) -> tuple[Any, Place | None]:
    """Make a kernel that keeps its machine code on disk, or one that does not where no folder can be written.

    Args:
        make: makes the kernel, with numba's option ``cache=True`` or without it.
        function: the loop.
        way: the types of its arguments, and how it is compiled.
    """
    # numba raises the second if it can write nowhere, and Python without a home folder.
    with contextlib.suppress(OSError, RuntimeError):
        folder = folder_of(function, way)
        kernel = _made_in(folder, make)
        place = Place(kernel)
        # numba looks for another place when this one cannot be written, and a setting of it forbids this one. Code from
        # there might be out of date: numba looks at the file of the kernel only, not at what the kernel calls.
        if place.folder.is_relative_to(folder):
            os.utime(place.folder)
            _remove_oldest(folder, PLACES)
            return kernel, place
    return make(), None


def root() -> Path:
    """Return the folder for all machine code: in the one that the user set for numba, or in the user's cache folder."""
    if _config.CACHE_DIR:
        return Path(_config.CACHE_DIR, "askwise").absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local", "askwise", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "askwise"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "askwise").absolute()


def folder_of(function: Any, way: str) -> Path:
    """Return the folder of this version of a loop, compiled in this way; it exists then."""
    digest = hashlib.sha256(f"{numba.__version__} {way}".encode() + _source(function.__code__.co_filename))
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


@contextlib.contextmanager
def locked(place: Place) -> Iterator[None]:
    """Let no other process compile, keep or load this kernel meanwhile, where the system can lock files."""
    try:
        import fcntl

        file = (place.folder / "lock").open("ab")
    except (ImportError, OSError):  # Windows, or a folder that was removed
        yield
        return
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            _lock(file, fcntl)
        yield
    finally:
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


def _line(path: Path) -> bytes:
    try:
        return f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode()
    except OSError:
        return b"none"


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
