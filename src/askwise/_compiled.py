"""Loops over plain arrays that are worth compiling: kernels.

A kernel is written in Python and can run as it is written. Compiled it is much faster, but numba has to be loaded for
it, and the kernel compiled or found in numba's cache, which takes longer than most commands need for all their work on
small problems (`ask` on an example: 0.5 s on a core without numba, 1.5 s with it). So a kernel that can tell how much
work a call is (`work`, in steps of its innermost loop) runs as it is written

- while all that was run so in this process is less work than loading numba (`PATIENCE`),
- and once numba is there, while all that this kernel has done so is less work than finding it in the cache (`EACH`).

Whatever goes beyond that is compiled; all other kernels are at their first call. Both ways give the same results, bit
for bit: the same operations on the same kinds of numbers in the same order. So what was done before never matters.
`askwise._jit` compiles, the one place where numba is loaded.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, TypeVar, overload

import numpy as np

_F = TypeVar("_F", bound=Callable[..., object])

PATIENCE = 200_000
"""Steps in Python that take less time than loading numba and some kernels."""
EACH = 10_000
"""Steps in Python that take about as long as finding a kernel in numba's cache; to compile it takes far longer."""

int64: Any = np.int64
"""``int64(0)`` in place of a 0 that is handed on to another kernel, which would be compiled once more for a literal, or
for another kind of number."""


class _Patience:
    """How many more steps may be run in Python, in this process."""

    def __init__(self) -> None:
        self.left = PATIENCE
        self.each = EACH

    def allows(self, steps: int, done: int) -> bool:
        """Whether a kernel that has done so many steps in Python may do these; if so, they are taken off."""
        if steps < self.left:
            self.left -= steps
            return True
        return done + steps < self.each if "askwise._jit" in sys.modules else False


patience = _Patience()
_building = threading.RLock()


class Kernel:
    """A loop, as it is written and compiled.

    Args:
        function: the loop.
        work: given the arguments by name, returns about how many steps they take; without it, it is always compiled.
    """

    inline = "never"

    def __init__(self, function: Callable[..., Any], work: Callable[[Any], int] | None = None) -> None:
        functools.update_wrapper(self, function)
        self.as_written = function
        self._work = work
        self._names = function.__code__.co_varnames[: function.__code__.co_argcount]
        self._done = 0
        self._compiled: Any = None
        self._within: Any = None

    def __call__(self, *given: Any) -> Any:
        """Run the loop."""
        if self._work is not None and self._compiled is None:
            steps = self._work(SimpleNamespace(**dict(zip(self._names, given, strict=True))))
            if patience.allows(steps, self._done):
                self._done += steps
                with np.errstate(all="ignore"):  # as compiled loops do
                    return self.as_written(*given)
        return self.compiled_for(*given)(*given)

    def compiled_for(self, *given: Any) -> Any:
        """Return the loop, compiled for arguments of these types; for other types numba compiles it again."""
        if self._compiled is None:
            load()
            from askwise._jit import compiled_for  # here, for it loads numba

            with _building:
                if self._compiled is None:
                    self._compiled = compiled_for(self.as_written, given)
                    self._call_at_once()
        return self._compiled

    def _call_at_once(self) -> None:
        """From now on, calling this calls what is compiled, with no function of ours between (5 % of an episode)."""
        calls = {"__call__": staticmethod(self._compiled)}
        self.__class__ = type(type(self).__name__, (type(self),), calls)

    @property
    def within(self) -> Any:
        """What other kernels call in place of this one."""
        if self._within is None:
            load()
            from askwise._jit import within

            self._within = within(self.as_written, self.inline)
        return self._within

    def __reduce__(self) -> str:
        return str(vars(self)["__qualname__"])


@overload
def compiled(function: _F) -> _F: ...


@overload
def compiled(*, work: Callable[[Any], int]) -> Callable[[_F], _F]: ...


def compiled(function: Any = None, *, work: Callable[[Any], int] | None = None) -> Any:
    """Compile a loop at its first call, or at its first call with much work, and keep the machine code on disk."""
    if function is None:
        return lambda function: Kernel(function, work)
    return Kernel(function, work)


class _Inner(Kernel):
    """A loop that only other kernels call; called from Python, it is called by one that runs as it is written."""

    def __call__(self, *given: Any) -> Any:
        """Run the loop."""
        with np.errstate(all="ignore"):
            return self.as_written(*given)


def inner(function: _F) -> _F:
    """Compile a loop as a part of the kernels that call it: from Python, only loops as they are written can call it."""
    kernel: Any = _Inner(function)
    return kernel  # type: ignore[no-any-return]


class _Part(_Inner):
    """See `part`."""

    inline = "always"


def part(function: _F) -> _F:
    """Let a loop be a part of the one kernel that calls it, written as a function of its own.

    numba puts it into that kernel before it compiles it, which takes less time.
    """
    kernel: Any = _Part(function)
    return kernel  # type: ignore[no-any-return]


class Struct:
    """Named arrays and numbers that kernels read as attributes.

    A subclass lists its fields as annotations. Kernels that run as they are written take the struct itself. Compiled
    ones take `compiled`, a reference to the same arrays: to pass it on costs one pointer, however many fields it has.

    A subclass has a kernel `make` that makes it from a tuple of all fields.
    """

    make: ClassVar[Any]
    _names: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        cls._names = tuple(name for name in cls.__annotations__ if name != "make")

    def __init__(self, **fields: Any) -> None:
        vars(self).update({name: fields.pop(name) for name in self._names})
        assert not fields
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        """The same struct for compiled kernels."""
        if self._compiled is None:
            load()
            from askwise._jit import register_struct

            if "_registered" not in vars(type(self)):
                register_struct(type(self), self._names)
                type(self)._registered = True  # type: ignore[attr-defined]
            values = (getattr(self, name) for name in self._names)
            fields = tuple(value.compiled if isinstance(value, Struct) else value for value in values)
            self._compiled = type(self).make(fields)
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        """Note which arrays are read only: pickling forgets it, and kernels would be compiled again for others."""
        fixed = [
            name for name, value in vars(self).items() if isinstance(value, np.ndarray) and not value.flags.writeable
        ]
        return {**vars(self), "_compiled": None, "_fixed": fixed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in state.pop("_fixed"):
            state[name].setflags(write=False)
        vars(self).update(state)


def load() -> None:
    """Load numba. Ctrl-C waits for it, and its time is not held against the agent that decides."""
    if "askwise._jit" not in sys.modules:
        from askwise.workers import heartbeat
        from askwise.workers.heartbeat import DeferredInterrupt

        interrupts = DeferredInterrupt()
        heartbeat.own.pause()
        interrupts.hold()
        try:
            importlib.import_module("askwise._jit")
        finally:
            heartbeat.own.resume()
            interrupts.release()
    patience.left = 0


def compile_all() -> None:
    """Compile every kernel at its first call from now on: for processes whose decisions are timed."""
    load()
    patience.each = 0
