"""The one place where numba is configured.

Kernels are private loops over plain arrays. Tests compare each of them with plain Python.

**First use.** Compiling takes seconds. In a terminal, one line says what is being compiled, once for each part of the
package. Machine code is kept on disk (`askwise._kept`), so you wait once on each machine.

- Only kernels that Python calls are kept. Their machine code contains the kernels that they call (`inner`).
- A kernel is compiled once for each combination of types, so callers pass 64-bit numbers and no literals.
- Garbage collection is off meanwhile: compiling makes many objects that stay (8 % of the time).

**Ctrl-C** is deferred while a kernel is compiled, because it could get lost in a callback of the compiler. The time is
not charged to the agent that needs the kernel.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numba
from numba.experimental import structref

from askwise._kept import kernel_at, locked
from askwise.workers import heartbeat
from askwise.workers.heartbeat import DeferredInterrupt

_njit: Any = numba.njit
_types: Any = numba.types
_structref: Any = structref

OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of all kernels. Divisions are not checked for zero, so inner loops vectorise. Fast-math stays off: infinity
is an exact answer. Nothing calls kernels from C, so there is no wrapper for that."""
INNER = {**OPTIONS, "no_cpython_wrapper": True}
"""Options of kernels that only other kernels call: no wrapper for Python, which takes as long as a small kernel."""

PARTS = {
    "askwise.planning.exact": "the search for the optimum",
    "askwise.planning": "the planner",
    "askwise.divergence": "how long goals look alike",
    "askwise.methods": "what questions are worth",
    "askwise.decisions": "the search for the best plan of questions",
    "askwise.pddl": "the search for optimal plans",
    "askwise.designs": "the search for designs",
    "askwise.model.chain": "expected steps",
    "askwise": "models",
}
"""The purpose of kernels, by the beginning of their module's name; the first match counts."""

NOT_KEPT = "not kept, because no cache folder can be written (NUMBA_CACHE_DIR sets one)"

_announced: set[str] = set()
_compiling = threading.RLock()


def within(function: Callable[..., Any], inline: str) -> Any:
    """Return a loop in the form that numba compiles into the kernels that call it.

    Args:
        function: the loop.
        inline: numba's option: ``always`` to inline the loop before compiling, or ``never``.
    """
    loop = _calling_loops(function)
    kernel = _njit(loop, inline=inline, **INNER)
    if function.__name__ in loop.__globals__:
        loop.__globals__[function.__name__] = kernel  # it may call itself
    return kernel


def compiled_for(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """Return a loop compiled for arguments of the types of `given`; load it from disk if it was compiled before."""
    kinds = tuple(map(numba.typeof, given))
    with _compiling, _undisturbed():
        loop = _calling_loops(function)
        kernel, place = kernel_at(functools.partial(_njit, loop, **OPTIONS), function, f"{kinds} {OPTIONS} {INNER}")
        if function.__name__ in loop.__globals__:
            loop.__globals__[function.__name__] = kernel
        if place is None:
            _announce(function.__module__, NOT_KEPT)
            kernel.compile(kinds)
            return kernel
        with locked(place):
            if not place.intact():
                _announce(function.__module__, "kept for later runs")
            try:
                kernel.compile(kinds)
            except OSError:  # compiled, but not kept: the disk may be full
                kernel.compile(kinds)
            place.note()
    return kernel


def _calling_loops(function: Any) -> Any:
    """Return a copy of a function that calls the compiled forms of the kernels that it calls."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    known = {
        name: value.within if hasattr(type(value), "within") and value.as_written is not function else value
        for name, value in function.__globals__.items()
        if name in names or name.startswith("__")
    }
    copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _codes(code: Any) -> Iterator[Any]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """While the ``with`` block runs, defer Ctrl-C and turn garbage collection off.

    The time does not count as an agent's decision time.
    """
    interrupts, collects = DeferredInterrupt(), gc.isenabled()
    heartbeat.own.pause()
    interrupts.hold()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        heartbeat.own.resume()
        interrupts.release()


def _announce(module: str, then: str) -> None:
    """Print, once for each part of the package, that it is being compiled.

    Nothing is printed if standard error is no terminal, or in a worker process.

    Args:
        module: the name of the module that is compiled.
        then: the end of the message: what becomes of the machine code.
    """
    part = next((part for start, part in PARTS.items() if module.startswith(start)), None)
    if part is None or part in _announced or multiprocessing.parent_process() is not None:
        return
    _announced.add(part)
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"askwise: compiling {part}; this is {then}", file=sys.stderr, flush=True)


# -- structs -------------------------------------------------------------------------------------------------------


class _StructType(_types.StructRef):  # type: ignore[misc]
    """The numba type of a struct. It has a short name, because names of compiled functions contain it.

    Long names make compiling three times slower.
    """

    def __init__(self, fields: Any) -> None:
        super().__init__(fields)
        long: str = self.name  # type: ignore[has-type]
        self.name = f"{type(self).__name__}_{hashlib.sha256(long.encode()).hexdigest()[:12]}"

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, _types.unliteral(kind)) for name, kind in fields)


def register_struct(kind: Any, fields: tuple[str, ...]) -> None:
    """Register a `Struct` subclass with numba: kernels can make it, read its fields, and return it to Python."""
    names = {"__module__": kind.__module__}
    as_type = type(f"{kind.__name__}Type", (_StructType,), names)
    as_object = type(f"{kind.__name__}Object", (structref.StructRefProxy,), names)
    for each in (as_type, as_object):
        setattr(sys.modules[kind.__module__], each.__name__, each)  # where the cache finds them by name
    _structref.register(as_type)
    _structref.define_attributes(as_type)
    _structref.define_constructor(kind, as_type, list(fields))
    _structref.define_boxing(as_type, as_object)
