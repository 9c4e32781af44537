"""Types that many modules use.

A `Result` is one or more numbers with a `Verdict`, which says how accurate they are. A `LazyModule` is imported at
first use. `FloatArray`, `IntArray` and `BoolArray` are arrays; docstrings give their dtype and axes, such as
``float64 [n_goals, n_states]``. `StateLike` and `GoalLike` are states and goals as users give them.
"""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]

StateLike: TypeAlias = Hashable
"""A state, given by index or by name; the name of a grid cell is ``(x, y)``."""

GoalLike: TypeAlias = StateLike | Iterable[StateLike]
"""A goal: one state, or a list or set of states. A tuple is always the name of *one* state."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a number, or an array of numbers, was computed and how accurate it is.

    Attributes:
        method: the name of the algorithm.
        exact: whether the number is exact up to rounding.
        error_bound: proven bound on the relative error of finite numbers, 0 if `exact`; in results of
            `askwise.dp_distribution`, the total probability of steps not computed.
        iterations: number of repetitions; 1 for a direct method.
        residual: largest residual of the equations, 0 if `exact`.
        converged: whether `error_bound` is within the requested tolerance.
        bounds: proven lower and upper bound (numbers or arrays); None if unknown.
    """

    method: str
    exact: bool = True
    error_bound: float = 0.0
    iterations: int = 1
    residual: float = 0.0
    converged: bool = True
    bounds: tuple[Any, Any] | None = None

    def __str__(self) -> str:
        if self.exact:
            return f"exact, {self.method}"
        target = "" if self.converged else ", the requested tolerance was not reached"
        steps = f"{self.iterations} iteration{'s' if self.iterations != 1 else ''}"
        if self.bounds is not None and isinstance(self.bounds[0], float):
            low, high = self.bounds
            between = f"between {low:.6g} and {high:.6g}" if high < np.inf else f"at least {low:.6g}"
            return f"proven {between}, {self.method}, {steps}{target}"
        return f"proven relative error at most {self.error_bound:.1e}, {self.method}, {steps}{target}"


@dataclass(frozen=True, slots=True)
class Result:
    """A value, or one value for each state, with a verdict on its accuracy.

    ``float(result)`` and ``numpy.asarray(result)`` return the numbers alone.

    Attributes:
        value: a number, or ``float64 [n_states]``.
        verdict: how `value` was computed and how accurate it is.
    """

    value: float | FloatArray
    verdict: Verdict

    @property
    def bounds(self) -> tuple[Any, Any]:
        """A proven lower and a proven upper bound on `value`.

        The bounds are two numbers if `value` is a number, otherwise two arrays. Where `value` is exact, both bounds are
        equal to it.
        """
        if self.verdict.bounds is not None:
            return self.verdict.bounds
        error = self.verdict.error_bound
        return self.value / (1 + error), self.value / (1 - error) if error < 1 else self.value * np.inf

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype=dtype, copy=copy)

    def __str__(self) -> str:
        if isinstance(self.value, np.ndarray):
            return f"{self.value.size} values ({self.verdict})"
        return f"{self.value:.6g} ({self.verdict})"


class LazyModule:
    """A stand-in for a module of another package, which is imported when one of its attributes is first used.

    Commands start faster this way: importing scipy takes longer than the whole work of most commands.

    Args:
        name: the full name of the module, such as ``scipy.sparse``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)
