"""The cache on disk for the machine code of kernels (loops that numba compiles).

Each version of a kernel has a folder ``ROOT/MODULE.KERNEL/STAMP``. ``ROOT`` is the result of `root`. ``STAMP`` is a
digest of all that determines the machine code, such as the code of the kernel and of the kernels that it calls.

One process at a time compiles or loads kernels in a folder. Machine code with a wrong checksum is not used. If no
folder can be written, every process compiles its kernels again.
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
from numba import __version__ as numba_version

from askwise.workers import heartbeat

VERSIONS = 5
"""The number of versions of a kernel that are kept: those that were used last."""
PLACES = 20
"""The number of installations of askwise for which a version is kept; the one used longest ago is removed first."""

_config: Any = numba.config


class CacheFolder:
    """The folder on disk that holds the machine code of one version of a kernel, a function that numba compiles.

    The file ``sums`` in the folder has checksums of the machine code, which numba does not check.

    Args:
        kernel: the result of ``numba.njit(cache=True)``.

    Attributes:
        kernel: the argument `kernel`.
        folder: the path of the folder.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.folder = Path(kernel.stats.cache_path)
        self._misses = 0
        self._noting = False

    def intact(self) -> bool:
        """Return whether the folder has files with machine code, all with right checksums.

        If a checksum is wrong or missing, all files with machine code are removed.
        """
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
        """Write the checksums of all files with machine code, if the kernel was compiled since the last call."""
        if not self._noting:  # also if the kernel came from disk: numba may compile it for other types later
            self._noting = True
            atexit.register(self._note_later)
        misses = self._count_misses()
        if misses == self._misses:
            return
        self._misses = misses
        # A line that another process did not finish ends here, and spoils no other.
        with contextlib.suppress(OSError), (self.folder / "sums").open("ab", buffering=0) as file:
            file.write(b"\n" + b"\n".join(map(_line, self._files())) + b"\n")

    def _note_later(self) -> None:
        """Write checksums that are still missing when the process ends; `note` has `atexit` call this method.

        They are missing if numba has compiled the kernel for more types of arguments since the last call of `note`.
        """
        if self._count_misses() != self._misses:
            with contextlib.suppress(OSError), locked(self):
                self.note()

    def _count_misses(self) -> int:
        """Return how often numba compiled the kernel because its machine code was not on disk."""
        return sum(self.kernel.stats.cache_misses.values())

    def _files(self) -> list[Path]:
        return [each for each in self.folder.glob("*") if each.suffix in (".nbi", ".nbc")]


def kernel_at(make: Callable[..., Any], function: Callable[..., Any], way: str) -> tuple[Any, CacheFolder | None]:
    """Return a loop as a numba function, and the folder that keeps its machine code on disk.

    If no folder can be written, nothing is kept, and the second result is None.

    Args:
        make: returns the loop as a numba function, given options such as ``cache=True`` by keyword.
        function: the loop.
        way: the types of the loop's arguments and numba's options, as text.
    """
    # numba raises RuntimeError if it can write nowhere, and Python if there is no home folder.
    with contextlib.suppress(OSError, RuntimeError):
        folder = folder_of(function, way)
        kernel = _made_in(folder, make)
        place = CacheFolder(kernel)
        # numba picks another folder if this one cannot be written or a setting forbids it. Code from there might be
        # out of date: numba checks only the file of the kernel, not the kernels that it calls.
        if place.folder.is_relative_to(folder):
            os.utime(place.folder)
            _remove_oldest(folder, PLACES)
            return kernel, place
    return make(), None


def root() -> Path:
    """Return the path of the folder for all machine code of askwise.

    If the environment variable ``NUMBA_CACHE_DIR`` names a folder, the result is inside that folder; otherwise it is
    inside the user's folder for caches.
    """
    if _config.CACHE_DIR:
        return Path(_config.CACHE_DIR, "askwise").absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local", "askwise", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "askwise"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "askwise").absolute()


def folder_of(function: Any, way: str) -> Path:
    """Make and return the folder for the machine code of one version of a loop.

    Only the `VERSIONS` (5) folders of the loop that were used last are kept; older ones are removed.

    Args:
        function: the loop, a Python function.
        way: the types of the loop's arguments and numba's options, as text.
    """
    digest = hashlib.sha256(f"{numba_version} {way}".encode() + _source(function.__code__.co_filename))
    take_in(function, digest, set())
    versions = root() / _allowed(f"{function.__module__}.{function.__qualname__}")
    folder = versions / digest.hexdigest()[:24]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _remove_oldest(versions, VERSIONS)
    return folder


@functools.cache
def _source(path: str) -> bytes:
    """Return the content of a source file; each file is read once.

    The content becomes part of the digest that names the folder of a loop's machine code. So each version of the source
    file has its own folders.
    """
    return Path(path).read_bytes()


def _made_in(folder: Path, make: Callable[..., Any]) -> Any:
    """Return ``make(cache=True)``, a numba function that keeps its machine code in `folder`."""
    usual, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
    try:
        return make(cache=True)
    finally:
        _config.CACHE_DIR = usual


def _remove_oldest(folder: Path, most: int) -> None:
    """Remove the subfolders of `folder` that were used longest ago, until at most `most` are left.

    A process that still uses a removed subfolder compiles its loop again. Errors of the file system are ignored.
    """
    with contextlib.suppress(OSError):
        found = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
        for each in found[most:]:
            shutil.rmtree(each, ignore_errors=True)


@contextlib.contextmanager
def locked(place: CacheFolder) -> Iterator[None]:
    """Hold the lock of a cache folder during the ``with`` block; other processes that want the lock wait.

    Where files cannot be locked, the block runs without a lock.

    Args:
        place: the cache folder.
    """
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
    """Wait until a file can be locked, and lock it; the waiting time does not count as an agent's decision time."""
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
    """Return a name without ``<`` and ``>``, which Windows forbids in file names."""
    return name.replace("<", "").replace(">", "")


def take_in(function: Any, digest: Any, done: set[Any]) -> None:
    """Update a checksum with all that the machine code of a function depends on.

    That is the code of the function, the functions that it calls, and the global values that it reads.

    Args:
        function: the Python function, a loop that numba compiles.
        digest: the checksum, an object of `hashlib`.
        done: functions that are in the checksum already, and are skipped; those added now are put in.
    """
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
    """Update `digest`, the checksum of a loop's machine code, with a global value that the loop reads.

    For another loop, its code is added, and the loop is put in `done`; for an array, its content; for a function or
    class, its name; for a module of askwise, its attributes in `names`; for other modules, nothing; for any other
    value, its `repr`.
    """
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
