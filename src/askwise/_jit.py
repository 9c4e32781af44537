"""The one place where numba is configured.

Kernels are private, loops over plain arrays, each checked in the tests against a plain-Python twin.

**First use.** Compiling takes seconds, and whoever waits for it should know: in a terminal a line says what is being
compiled, once for each part of the package. Machine code is kept on disk, so this is seen once on a machine. To keep it
short,

- a kernel is compiled once, and not again for a constant or a narrow integer in the place of a number (`_once`);
- kernels that only other kernels call (`inner`) get no way in from Python, which takes as long to compile as a small
  kernel itself, and are not kept: the code of their callers contains them;
- no kernel can be called from C;
- Python does not look for garbage meanwhile: compiling makes much that is kept, all of which it would go through again
  and again (8 % of the time).

Assigning one array to a slice of another is written as a loop, and arrays are made outside: numba compiles a message
for shapes that do not fit, with all it takes to format it (2 of the 9 seconds that a first question once took).

**Ctrl-C** waits while a kernel is compiled: in the middle of it, it would get lost in a callback of the compiler, or
end in an error of the compiler's own. And the time that compiling takes is not held against the agent that needs the
kernel.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import glob
import hashlib
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import event

from askwise.watching import pulse
from askwise.watching.interrupts import HeldBack

_njit: Any = numba.njit  # takes more options than its types say
_types: Any = numba.types

KNOWN = ("0.68.",)
"""Beginnings of the versions of numba whose insides `askwise._ingredients` was tried with. Others compile as they
always do: with the same results, but longer at first use."""

PARTS = {
    "askwise.planning.noisy": "the planner for wrong answers",
    "askwise.planning.exact": "the search for the optimum",
    "askwise.planning": "the planner",
    "askwise.divergence": "how long goals look alike",
    "askwise.query": "what questions are worth",
    "askwise.decisions": "the search for the best plan of questions",
    "askwise.pddl": "the search for optimal plans",
    "askwise.designing": "the search for designs",
    "askwise.chain": "expected steps",
    "askwise": "models",
}
"""What kernels are for, by the beginning of the name of their module; the first that fits."""


class _Compiling(event.Listener):
    """Hears when compiling begins and ends; the compilation of one kernel may need that of another."""

    def __init__(self) -> None:
        self._depth = 0
        self._interrupts = HeldBack()
        self._told: set[str] = set()
        self._collects = False

    def on_start(self, happening: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            pulse.own.pause()
            self._interrupts.hold()
            self._collects = gc.isenabled()
            gc.disable()
        self._tell(happening.data["dispatcher"].py_func.__module__)

    def on_end(self, _: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            if self._collects:
                gc.enable()
            pulse.own.resume()
            self._interrupts.release()

    def _tell(self, module: str) -> None:
        """Say what is being compiled, to a person at a terminal, once; workers of a pool leave it to the first."""
        part = next((part for start, part in PARTS.items() if module.startswith(start)), None)
        if part is None or part in self._told or multiprocessing.parent_process() is not None:
            return
        self._told.add(part)
        if sys.stderr is not None and sys.stderr.isatty():
            print(f"askwise: compiling {part}; this is kept for later runs", file=sys.stderr, flush=True)


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]


def dispatcher(function: Callable[..., Any], *, alone: bool = True) -> Any:
    """Return what compiles `function` at its first call.

    ``error_model="numpy"``: divisions are not checked for zero, which lets inner loops vectorise.
    Fast-math stays off: infinity is an exact answer in askwise and must survive.

    Args:
        function: a loop.
        alone: it is called from Python, too, and its machine code kept on disk.
    """
    pipeline, handed = _pipeline(alone)
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **pipeline}
    if alone:
        return _kept_while_whole(_kept_while_unchanged(_once(_njit(function, cache=True, **options), handed)))
    return _once(_njit(function, no_cpython_wrapper=True, **options), handed)


def _pipeline(alone: bool) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """Return the option that says how to compile, where there is a quicker way than the usual one, and for what.

    The latter says for each type that another kernel hands over for which type this one is compiled.
    """
    if not numba.__version__.startswith(KNOWN):
        return {}, lambda kind: kind
    # Here, for they take hold of parts that other versions may not have.
    from askwise._ingredients import Alone, Ingredient
    from askwise._references import referred, resolved

    return {"pipeline_class": Alone if alone else Ingredient}, resolved if alone else referred


def _kept_while_unchanged(kernel: Any) -> Any:
    """Let kept machine code be used only as long as nothing has changed that it was made from.

    numba looks only at the file of the kernel itself, but its code contains that of others, and numbers, from other
    files.
    """
    digest = hashlib.sha256(_way_of_compiling())
    _take_in(kernel.py_func, digest, set())
    kernel._cache._cache_file._source_stamp = digest.hexdigest()
    return kernel


@functools.cache
def _way_of_compiling() -> bytes:
    """Return what changes whenever the way in which kernels are compiled does."""
    ours = Path(__file__).parent
    return b"".join((ours / name).read_bytes() for name in ("_jit.py", "_ingredients.py", "_references.py"))


def _kept_while_whole(kernel: Any) -> Any:
    """Let kept machine code be used only if it is as it was written; whatever is damaged is removed and made anew.

    numba trusts what it finds. A file that is cut short would be an error for whoever needs the kernel, in every
    process, and one wrong bit in machine code could be a wrong result. So a file beside them has a line for each file
    that was written, with its name and its checksum. Lines are only added: several processes may compile at once.
    """
    usual = kernel.compile

    def compile_checked(signature: Any) -> Any:
        if signature in kernel.signatures:
            return usual(signature)
        misses = sum(kernel.stats.cache_misses.values())
        _remove_damaged(kernel)
        try:
            made = usual(signature)
        except OSError:  # the code is there, but cannot be kept: the disk may be full
            return usual(signature)
        if sum(kernel.stats.cache_misses.values()) > misses:
            _note_checksums(kernel)
        return made

    kernel.compile = compile_checked
    return kernel


def _remove_damaged(kernel: Any) -> None:
    try:
        known = set(_checksums(kernel).read_bytes().split(b"\n"))
    except OSError:
        known = set()
    for path in _files(kernel):
        if _line(path) not in known:
            with contextlib.suppress(OSError):
                path.unlink()


def _note_checksums(kernel: Any) -> None:
    # A line that another process did not finish ends here, and spoils no other.
    with contextlib.suppress(OSError), _checksums(kernel).open("ab", buffering=0) as file:
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


def _checksums(kernel: Any) -> Path:
    return Path(kernel.stats.cache_path, f"{_name_on_disk(kernel)}.sums")


def _name_on_disk(kernel: Any) -> str:
    """Return how the names of these files begin."""
    code = kernel.py_func.__code__
    name = f"{Path(code.co_filename).stem}.{kernel.py_func.__qualname__}-{code.co_firstlineno}"
    return name.replace("<", "").replace(">", "")


def _take_in(function: Any, digest: Any, done: set[Any]) -> None:
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
        _take_in(value.as_written, digest, done)
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


def _once(kernel: Any, handed: Callable[[Any], Any]) -> Any:
    """Let other kernels always get the version for 64-bit numbers of a kernel, whatever they hand it."""
    usual = kernel.get_call_template

    def as_one(kind: Any) -> Any:
        return handed(_widened(kind))

    def template(given: Iterable[Any], named: Mapping[str, Any]) -> Any:
        return usual(tuple(map(as_one, given)), {name: as_one(kind) for name, kind in named.items()})

    kernel.get_call_template = template
    return kernel


def _widened(kind: Any) -> Any:
    """Return the type that a kernel is compiled for: constants are numbers, signed integers have 64 bits."""
    kind = _types.unliteral(kind)
    return _types.int64 if isinstance(kind, _types.Integer) and kind.signed else kind
