"""Kernels: loops over plain arrays that are worth compiling.

A kernel is written in Python and can run as it is written. Compiled it is much faster, but numba has to be loaded, and
the kernel compiled or found in numba's cache. That takes longer than all the work of most commands on small problems
(`ask` on an example: 0.5 s of CPU time without numba, 1.5 s with it). So a kernel that states the work of a call
(`work`, in steps of its innermost loop) runs as it is written

- while the total work that was run as written in this process is less than that of loading numba (`PATIENCE`);
- once numba is loaded, while the work of this kernel is less than that of finding it in the cache (`EACH`).

Beyond that it is compiled. The searches of the planner do not know their work beforehand: their callers count it
(`Kernel.on`). All other kernels are compiled at their first call. Both ways give the same results, bit for
bit: the same operations on the same types of numbers in the same order. So results never depend on earlier calls.
`askwise._jit` compiles; it is the only place where numba is loaded.
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
    """The number of loop steps that this process may still run in Python before compiling is worth its time.

    Attributes:
        left: number of loop steps that all kernels together may still run in Python; 0 once numba is loaded.
        each: once numba is loaded, the number of loop steps below which a kernel may still run in Python.
    """

    def __init__(self) -> None:
        self.left = PATIENCE
        self.each = EACH

    def allows(self, steps: int, done: int) -> bool:
        """Return whether a kernel may run `steps` more loop steps in Python instead of being compiled.

        If this process has more than `steps` steps left, it may, and the steps are subtracted. Otherwise it may only if
        numba is loaded and ``done + steps`` is below the attribute `each`.

        Args:
            steps: the number of steps of the next call.
            done: the number of steps that the kernel has run in Python so far.
        """
        if steps < self.left:
            self.left -= steps
            return True
        return done + steps < self.each if "askwise._jit" in sys.modules else False


patience = _Patience()
_building = threading.RLock()


class Kernel:
    """A loop in two forms: as it is written in Python, and compiled by numba.

    Args:
        function: the loop.
        work: a function that estimates the number of steps of a call, given an object with the call's arguments as
            attributes. Without it, calls run the compiled loop; only the method `on` can run it in Python.

    Attributes:
        as_written: the loop as a plain Python function.
        inline: numba's option ``inline`` for this loop: ``always`` if it is inlined into the kernels that call it, else
            ``never``.
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
        """Run the loop, in Python if that is little work, otherwise compiled; return its result."""
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
        """Return whether the loop may run in Python; the caller passes the result to the method `on`.

        It may while numba is not loaded and the loop has done less than `most` work in Python, as counted by `count`.
        It always may where the user has turned numba off.
        """
        return NEVER or (self._compiled is None and "askwise._jit" not in sys.modules and self._done < most)

    def count(self, work: int) -> None:
        """Add to the work that the loop has done in Python, which `may_run_as_written` compares with its limit.

        The unit is up to the caller, but must be that of the limit.
        """
        self._done += work

    def on(self, struct: Struct, *given: Any, as_written: bool) -> Any:
        """Run the loop on a struct and other arguments, and return its result.

        It runs in Python if `as_written`, otherwise compiled. In Python, integers are first converted to `int64`:
        products in hashes then overflow 64 bits, as they do in compiled code.
        """
        if as_written or NEVER:
            with np.errstate(all="ignore"):
                return self.as_written(struct, *(int64(each) if type(each) is int else each for each in given))
        reference = struct.compiled
        return self.compiled_for(reference, *given)(reference, *given)

    def compiled_for(self, *given: Any) -> Any:
        """Return the compiled loop; at the first call, compile it for arguments of the types of `given`.

        If the compiled loop is called with arguments of other types later, numba compiles it again for them.
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
        """Make later calls of this kernel run the compiled loop directly, without `__call__`.

        This saves 5 % of the time of an episode.
        """
        calls = {"__call__": staticmethod(self._compiled)}
        self.__class__ = type(type(self).__name__, (type(self),), calls)

    @property
    def within(self) -> Any:
        """The loop as a numba function that other compiled kernels can call; it is made at first use."""
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
    """Decorate a function as a `Kernel`: a loop that numba compiles, and whose machine code is kept on disk.

    Args:
        function: the loop, when it is used as ``@compiled`` without arguments.
        work: a function that estimates the number of loop steps of a call, given an object with the call's arguments as
            attributes. With it, the loop runs in Python while that is little work (see the top of this module), and is
            compiled afterwards. Without it, the loop is compiled at its first call.
    """
    if function is None:
        return lambda function: Kernel(function, work)
    return Kernel(function, work)


class _Inner(Kernel):
    """A loop that is compiled only as a part of the kernels that call it.

    When such a kernel runs in Python, this loop runs in Python, too.
    """

    def __call__(self, *given: Any) -> Any:
        """Run the loop in Python with these arguments, and return its result."""
        with np.errstate(all="ignore"):
            return self.as_written(*given)


def inner(function: _F) -> _F:
    """Decorate a function as a kernel that is compiled only into the kernels that call it.

    Python cannot call its compiled form.
    """
    kernel: Any = _Inner(function)
    return kernel  # type: ignore[no-any-return]


class _Part(_Inner):
    """A loop that numba inlines into the kernel that calls it, before it compiles that kernel."""

    inline = "always"


def part(function: _F) -> _F:
    """Decorate a function as a kernel that numba inlines into its caller before it compiles the caller.

    Use it for loops with one caller: compiling the planner's kernels takes a fifth less time than with `inner`.
    """
    kernel: Any = _Part(function)
    return kernel  # type: ignore[no-any-return]


class Struct:
    """A base class for groups of named arrays and numbers that kernels read as attributes.

    A subclass lists its fields as annotations. Kernels that run in Python take the struct itself. Compiled kernels take
    `compiled`, a reference to the same arrays: passing it costs one pointer, for any number of fields.

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
        """A reference to the arrays and numbers of this struct, to be passed to compiled kernels; made at first use."""
        if self._compiled is None:
            load()
            from askwise._jit import StructReference  # here, for it loads numba

            self._compiled = StructReference(self, self._names)
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        """Return a dict to pickle: the fields and, under ``_fixed``, the names of those that are read-only arrays.

        Pickle forgets that an array is read-only. For numba, read-only arrays are a type of their own, so kernels would
        be compiled again for the unpickled arrays.
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

    Meanwhile Ctrl-C is deferred, and the time does not count as an agent's decision time. Afterwards, only kernels with
    little work run in Python.
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
    """Load numba, and from now on compile every kernel at its first call, however little work it does.

    Processes that measure decision times call this.
    """
    load()
    patience.each = 0
