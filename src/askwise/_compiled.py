"""Kernels: loops over plain arrays that can run in plain Python or compiled by numba.

Compiled kernels are much faster. But numba has to be loaded, and each kernel has to be compiled or found in numba's
cache. On small problems, loading and compiling take longer than all the work of most commands (`askwise ask` on an
example: 0.5 s of CPU time without numba, 1.5 s with numba). So a kernel runs in Python as long as there is little work,
and is compiled when there is more.

A kernel may have a function `work` that estimates the work of a call, in steps of the kernel's innermost loop. Such a
kernel runs in Python until a limit is reached, and is then compiled:

- Before numba is loaded, all such kernels of this process together may run `PATIENCE` (200,000) steps in Python.
- Once numba is loaded, each such kernel may run `EACH` (10,000) steps in Python, counted from the start of the process.

The kernels of the planner's searches cannot estimate their work. Their callers count it and choose between Python and
compiled code (`Kernel.on`). All other kernels are compiled at their first call.

Python and compiled code do the same operations in the same order on numbers of the same types. So the results are
equal, bit for bit, and never depend on earlier calls. Only the module `askwise._jit` compiles kernels and loads numba.
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
    """The amount of work that kernels (loops that numba can compile) may still do in plain Python.

    For little work, running a loop in Python is quicker than loading numba and compiling the loop.

    Attributes:
        left: number of loop steps that all kernels together may still run in Python; 0 once numba is loaded.
        each: limit that applies once numba is loaded: a kernel may run in Python as long as the number of all loop
            steps that it has run in Python stays below this.
    """

    def __init__(self) -> None:
        self.left = PATIENCE
        self.each = EACH

    def allows(self, steps: int, done: int) -> bool:
        """Return whether a kernel (a loop that numba can compile) may run its next call in plain Python.

        The result is True in two cases:

        - `steps` is below `left`, the number of loop steps that all kernels together may still run in Python. Then
          `steps` is subtracted from `left`.
        - numba is loaded, and ``done + steps`` is below `each`, the limit for a single kernel.

        Args:
            steps: number of loop steps of the next call.
            done: number of loop steps that this kernel has run in Python so far.
        """
        if steps < self.left:
            self.left -= steps
            return True
        return done + steps < self.each if "askwise._jit" in sys.modules else False


patience = _Patience()
_building = threading.RLock()


class Kernel:
    """A loop that can run in plain Python or compiled by numba.

    If the environment variable ``NUMBA_DISABLE_JIT`` is set to anything but 0, it always runs in Python.

    Args:
        function: the loop, a Python function.
        work: a function that estimates the number of loop steps of a call. Its only argument is an object that has the
            arguments of the call as attributes. Calls with few loop steps run in Python. None: calling this object
            always runs the compiled loop, and only the method `on` lets the caller choose.

    Attributes:
        as_written: the loop as a plain Python function.
        inline: numba's option ``inline`` for this loop: ``always`` if numba inlines it into the kernels that call it,
            otherwise ``never``.
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
        """Return whether the loop may run in plain Python, as it is written, instead of being compiled.

        It may if numba is not loaded and the loop has done less than `most` work in Python so far, as counted by
        `count`. It always may if the user has turned numba off. Pass the result to the method `on`.

        Args:
            most: the limit, in the unit that the caller chose for `count`.
        """
        return NEVER or (self._compiled is None and "askwise._jit" not in sys.modules and self._done < most)

    def count(self, work: int) -> None:
        """Add `work` to the amount of work that the loop has done in Python so far.

        `may_run_as_written` compares this amount with a limit. The caller chooses the unit, and uses it for both.
        """
        self._done += work

    def on(self, struct: Struct, *given: Any, as_written: bool) -> Any:
        """Run the loop on a struct and other arguments, and return its result.

        Args:
            struct: named arrays and numbers, the first argument of the loop.
            given: the other arguments of the loop.
            as_written: True to run the loop in plain Python, False to run it compiled. If the user has turned numba
                off, it always runs in Python. In Python, each int in `given` is converted to `int64`, so that large
                numbers overflow as in compiled code.
        """
        if as_written or NEVER:
            with np.errstate(all="ignore"):
                return self.as_written(struct, *(int64(each) if type(each) is int else each for each in given))
        reference = struct.compiled
        return self.compiled_for(reference, *given)(reference, *given)

    def compiled_for(self, *given: Any) -> Any:
        """Return the compiled loop, a function with the same arguments as the loop.

        The first call compiles the loop for arguments of the types of `given`, or loads the machine code from disk.
        Later calls return the same compiled loop, whatever `given` is. When the compiled loop itself is called with
        arguments of other types, numba compiles it for those types, too.
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
    """Decorate a loop as a `Kernel`, which runs in plain Python or compiled by numba; its machine code is kept on disk.

    Use it as ``@compiled`` or as ``@compiled(work=...)``.

    Args:
        function: the loop, if the decorator is used without arguments.
        work: a function that estimates the number of loop steps of a call. Its only argument is an object that has the
            arguments of the call as attributes. Calls with few loop steps run in Python; for more work, the loop is
            compiled. None: the loop is compiled at its first call.

    Returns:
        the kernel, if `function` is given; otherwise a decorator that makes a kernel of a loop.
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
    """Decorate a loop that numba copies (inlines) into the loop that calls it, before numba compiles the calling loop.

    Use it for loops with one caller. It saves a fifth of the time to compile the planner's loops, compared with the
    decorator `inner`.
    """
    kernel: Any = _Part(function)
    return kernel  # type: ignore[no-any-return]


class Struct:
    """A base class for groups of named arrays and numbers that kernels (loops compiled by numba) read as attributes.

    A subclass lists its fields as annotations. A kernel that runs in Python gets the struct itself. A compiled kernel
    gets the property `compiled`, a pointer to the same data. So passing a struct costs the same for any number of
    fields.

    Args:
        fields: the values of all fields of the subclass, as keyword arguments.
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
        """Return the attributes as a dict to pickle, with the names of all read-only arrays under the key ``_fixed``.

        Pickle forgets that an array is read-only; `__setstate__` makes these arrays read-only again. Otherwise numba
        would compile kernels again for the unpickled arrays, because numba treats read-only arrays as a different type.
        The reference for compiled kernels is not pickled.
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

    Meanwhile Ctrl-C is deferred, and the time does not count as an agent's decision time. Afterwards, a kernel that
    estimates its work is compiled before it has run `EACH` (10,000) loop steps in Python, counted from the start of the
    process.
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
    """Load numba, and let each loop that can be compiled be compiled at its next call, however little work it has.

    Processes that measure decision times call this.
    """
    load()
    patience.each = 0
