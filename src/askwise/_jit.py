"""The one place where numba is configured.

Kernels are private, loops over plain arrays, each checked in the tests against a plain-Python twin.

**First use.** Compiling takes seconds, and whoever waits for it should know: in a terminal a line says what is being
compiled, once for each part of the package. Machine code is kept on disk (`askwise._kept`), so this is seen once on a
machine. To keep it short,

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

import functools
import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from askwise._kept import kept
from askwise.workers import heartbeat
from askwise.workers.interrupts import DeferredInterrupt

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
    "askwise.methods": "what questions are worth",
    "askwise.decisions": "the search for the best plan of questions",
    "askwise.pddl": "the search for optimal plans",
    "askwise.designs": "the search for designs",
    "askwise.model.chain": "expected steps",
    "askwise": "models",
}
"""What kernels are for, by the beginning of the name of their module; the first that fits."""

NOT_KEPT = "not kept, because no cache folder can be written (NUMBA_CACHE_DIR sets one)"


class _Compiling(event.Listener):
    """Hears when compiling begins and ends; the compilation of one kernel may need that of another."""

    def __init__(self) -> None:
        self._depth = 0
        self._interrupts = DeferredInterrupt()
        self._told: set[str] = set()
        self._collects = False
        self._keeps = True

    def on_start(self, happening: Any) -> None:
        self._depth += 1
        dispatcher = happening.data["dispatcher"]
        if self._depth == 1:
            self._keeps = dispatcher.stats.cache_path is not None
            heartbeat.own.pause()
            self._interrupts.hold()
            self._collects = gc.isenabled()
            gc.disable()
        self._tell(dispatcher.py_func.__module__)

    def on_end(self, _: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            if self._collects:
                gc.enable()
            heartbeat.own.resume()
            self._interrupts.release()

    def _tell(self, module: str) -> None:
        """Say what is being compiled, to a person at a terminal, once; workers of a pool leave it to the first."""
        part = next((part for start, part in PARTS.items() if module.startswith(start)), None)
        if part is None or part in self._told or multiprocessing.parent_process() is not None:
            return
        self._told.add(part)
        if sys.stderr is not None and sys.stderr.isatty():
            then = "kept for later runs" if self._keeps else NOT_KEPT
            print(f"askwise: compiling {part}; this is {then}", file=sys.stderr, flush=True)


_compiling = _Compiling()
event.register("numba:compile", _compiling)  # type: ignore[no-untyped-call]


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
        make = functools.partial(_njit, function, **options)
        return _once(kept(make, function, _way_of_compiling()), handed)
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


@functools.cache
def _way_of_compiling() -> bytes:
    """Return what changes whenever the way in which kernels are compiled does."""
    ours = Path(__file__).parent
    return b"".join((ours / name).read_bytes() for name in ("_jit.py", "_ingredients.py", "_references.py"))


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
