"""The one place where numba is configured.

Kernels are private, loops over plain arrays, each checked in the tests against a plain-Python twin.

Ctrl-C waits while a kernel is compiled: in the middle of it, it would get lost in a callback of the compiler, or end in
an error of the compiler's own. And the time that compiling takes is not held against the agent that needs the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba
from numba.core import event

from askwise.watching import pulse
from askwise.watching.interrupts import HeldBack

_F = TypeVar("_F", bound=Callable[..., object])


class _Compiling(event.Listener):
    """Hears when compiling begins and ends; the compilation of one kernel may need that of another."""

    def __init__(self) -> None:
        self._depth = 0
        self._interrupts = HeldBack()

    def on_start(self, _: object) -> None:
        self._depth += 1
        if self._depth == 1:
            pulse.own.pause()
            self._interrupts.hold()

    def on_end(self, _: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            pulse.own.resume()
            self._interrupts.release()


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]


def compiled(function: _F) -> _F:
    """Compile `function` at its first call and keep the machine code on disk.

    ``error_model="numpy"``: divisions are not checked for zero, which lets inner loops vectorise.
    Fast-math stays off: infinity is an exact answer in askwise and must survive.
    """
    kernel: _F = numba.njit(function, cache=True, nogil=True, error_model="numpy")
    return kernel
