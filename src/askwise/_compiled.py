"""Kernels: loops over plain arrays that run in plain Python or compiled by numba, with equal results, bit for bit.

Loading numba and compiling take time, so kernels run in Python while there is little work:

- A kernel may have a function `work`, which estimates the loop steps of a call. Until numba is loaded, all such kernels
  together may run `PATIENCE` (200,000) steps in Python. Once numba is loaded, each of them may run in Python until its
  steps since the start of the process reach `EACH` (10,000). A call beyond the limit compiles the kernel.
- For kernels of the planner's searches, the caller counts the work and chooses (`Kernel.on`).
- All other kernels are compiled at their first call.

Only the module `askwise._jit` loads numba.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, TypeVar, overload

import numpy as np

_F = TypeVar("_F", bound=Callable[..., object])

PATIENCE = 200_000
"""Number of loop steps in Python that take less time than loading numba and some kernels."""
EACH = 10_000
"""Number of loop steps in Python that take as long as finding a kernel in numba's cache; compiling takes far longer."""

NEVER = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether numba is told not to compile: then all kernels run as they are written."""

int64: Any = np.int64
"""Converts a number that a kernel passes to another kernel: numba would compile that kernel again for a literal, or for
another type of number."""


class _Patience:
    """The number of loop steps that kernels (loops that numba can compile) may still run in plain Python.

    Attributes:
        left: steps left for all kernels together; 0 once numba is loaded.
        each: once numba is loaded, limit on one kernel's steps since the process started.
    """

    def __init__(self) -> None:
        self.left = PATIENCE
        self.each = EACH

    def allows(self, steps: int, done: int) -> bool:
        """Return whether a kernel may run a call in plain Python.

        True if `steps` is below `left`, which is then reduced; or, with numba loaded, if ``done + steps`` is below
        `each`.

        Args:
            steps: loop steps of the call.
            done: the kernel's earlier steps in Python.
        """
        if steps < self.left:
            self.left -= steps
            return True
        return done + steps < self.each if "askwise._jit" in sys.modules else False


patience = _Patience()
_building = threading.RLock()


class Kernel:
    """A loop that can run in plain Python or compiled by numba.

    It always runs in Python if ``NUMBA_DISABLE_JIT`` is set to anything but 0 in the environment.

    Args:
        function: the loop.
        work: estimates the loop steps of a call, from an object with the call's arguments as attributes. Calls with few
            steps run in Python. None: calls run compiled.

    Attributes:
        as_written: `function`.
        inline: numba's option ``inline``: ``always`` or ``never``.
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
        """Run the loop with the arguments `given`, and return its result.

        It runs in Python if the call is little work or if the user has turned numba off, otherwise compiled.
        """
        if NEVER:
            with np.errstate(all="ignore"):
                return self.as_written(*given)
        if self._work is not None and self._compiled is None:
            steps = self._work(SimpleNamespace(**dict(zip(self._names, given, strict=True))))
            if patience.allows(steps, self._done):
                self._done += steps
                with np.errstate(all="ignore"):  # as compiled loops do
                    return self.as_written(*given)
        return self.compiled_for(*given)(*given)

    def may_run_as_written(self, most: int) -> bool:
        """Return whether this loop may run in plain Python, as the argument `as_written` of the method `on`.

        True if numba is not loaded and the work of this loop in Python so far, added up by `count`, is below `most`.
        Also True if the user has turned numba off.
        """
        return NEVER or (self._compiled is None and "askwise._jit" not in sys.modules and self._done < most)

    def count(self, work: int) -> None:
        """Add `work` to the amount of work that the loop has done in Python so far.

        `may_run_as_written` compares this amount with a limit. The caller chooses the unit, the same for work and
        limit.
        """
        self._done += work

    def on(self, struct: Struct, *given: Any, as_written: bool) -> Any:
        """Run the loop on a struct and other arguments, and return its result.

        Args:
            struct: named arrays and numbers, the first argument of the loop.
            given: the other arguments.
            as_written: True for plain Python, False for compiled code.
        """
        if as_written or NEVER:
            with np.errstate(all="ignore"):
                return self.as_written(struct, *(int64(each) if type(each) is int else each for each in given))
        reference = struct.compiled
        return self.compiled_for(reference, *given)(reference, *given)

    def compiled_for(self, *given: Any) -> Any:
        """Return the compiled loop, a function with the same arguments as the loop.

        The first call compiles it for the types of `given`, or loads the machine code from disk. Later calls ignore
        `given`.
        """
        if self._compiled is None:
            load()
            from askwise._jit import compiled_for  # here, for it loads numba

            with _building:
                if self._compiled is None:
                    self._compiled = compiled_for(self.as_written, given)
                    self._call_at_once()
        return self._compiled

    def _call_at_once(self) -> None:
        """Make later calls of this kernel run the compiled loop directly, without the code of `Kernel.__call__`.

        This saves 5 % of the time of an episode.
        """
        calls = {"__call__": staticmethod(self._compiled)}
        self.__class__ = type(type(self).__name__, (type(self),), calls)

    @property
    def within(self) -> Any:
        """The loop as a numba function that only other compiled loops can call, not Python; it is made at first use."""
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
    """Decorate a loop as a `Kernel`, which runs in plain Python or compiled by numba.

    Args:
        function: the loop, if the decorator is used without arguments.
        work: estimates the loop steps of a call, from an object with the call's arguments as attributes. Calls with few
            steps run in Python. None: calls run compiled.

    Returns:
        the kernel; without `function`, a decorator.
    """
    if function is None:
        return lambda function: Kernel(function, work)
    return Kernel(function, work)


class _Inner(Kernel):
    """A loop that numba compiles only as a part of the compiled loops that call it.

    It runs in Python if Python code calls it, or another loop that runs in Python.
    """

    def __call__(self, *given: Any) -> Any:
        """Run the loop in Python with the arguments `given`, and return its result."""
        with np.errstate(all="ignore"):
            return self.as_written(*given)


def inner(function: _F) -> _F:
    """Decorate a loop that numba compiles only as a part of the compiled loops (kernels) that call it.

    If Python calls the decorated loop, it runs in Python.
    """
    kernel: Any = _Inner(function)
    return kernel  # type: ignore[no-any-return]


class _Part(_Inner):
    """A loop that numba copies (inlines) into the loop that calls it, before numba compiles the calling loop."""

    inline = "always"


def part(function: _F) -> _F:
    """Decorate a loop with one caller: numba copies it into this caller, before it compiles the caller."""
    kernel: Any = _Part(function)
    return kernel  # type: ignore[no-any-return]


class Struct:
    """A base class for groups of named arrays and numbers that kernels (loops compiled by numba) read as attributes.

    A subclass lists its fields as annotations. Compiled kernels get the property `compiled`, a pointer to the data.

    Args:
        fields: the values of all fields, as keyword arguments.
    """

    _names: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        cls._names = tuple(cls.__annotations__)

    def __init__(self, **fields: Any) -> None:
        vars(self).update({name: fields.pop(name) for name in self._names})
        assert not fields
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        """A reference to the arrays and numbers of this struct, to pass to compiled loops; made at first use."""
        if self._compiled is None:
            load()
            from askwise._jit import StructReference  # here, for it loads numba

            self._compiled = StructReference(self, self._names)
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes as a dict to pickle.

        The key ``_fixed`` has the names of read-only arrays, because pickle forgets that arrays are read-only.
        """
        fixed = [
            name for name, value in vars(self).items() if isinstance(value, np.ndarray) and not value.flags.writeable
        ]
        return {**vars(self), "_compiled": None, "_fixed": fixed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in state.pop("_fixed"):
            state[name].setflags(write=False)
        vars(self).update(state)


def load() -> None:
    """Load numba if it is not loaded yet.

    Meanwhile Ctrl-C is deferred, and the time does not count as an agent's decision time.
    """
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
    """Load numba, and make every loop that can be compiled compile at its next call, however little work the call has.

    Processes that measure decision times call this.
    """
    load()
    patience.each = 0
