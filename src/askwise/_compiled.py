"""The one place where numba is configured.

Kernels are private, loops over plain arrays, each checked in the tests against a plain-Python twin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba

_F = TypeVar("_F", bound=Callable[..., object])


def compiled(function: _F) -> _F:
    """Compile `function` at its first call and keep the machine code on disk.

    ``error_model="numpy"``: divisions are not checked for zero, which lets inner loops vectorise.
    Fast-math stays off: infinity is an exact answer in askwise and must survive.
    """
    kernel: _F = numba.njit(function, cache=True, nogil=True, error_model="numpy")
    return kernel
