"""The public functions `ask`, `evaluate`, `lower_bound`, `simulate` and `solve`, which take a problem in any form.

Their first argument is a `Problem`, an instance (a problem of one domain, such as tool fetching), or the path of an
instance file.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from askwise.core.problem import Problem
from askwise.domains.registry import find_domain, read_file
from askwise.errors import InputError

_Rest = ParamSpec("_Rest")
_Result = TypeVar("_Result")

_HOMES = {
    "ask": "askwise.play.ask",
    "evaluate": "askwise.play.evaluate",
    "lower_bound": "askwise.play.evaluate",
    "simulate": "askwise.play.simulate",
    "solve": "askwise.play.evaluate",
}

RENAMED = {
    "ask": {"teammate": "teammate_at", "ego": "ego_at", "answers": "answered"},
    "evaluate": {"instance": "problem", "agent": "method"},
    "lower_bound": {"instance": "problem"},
    "simulate": {"instance": "problem", "agent": "method"},
    "solve": {"instance": "problem"},
}
"""For each function, the earlier names of its arguments, which still work, with their present names."""


def as_problem(given: object) -> Problem:
    """Return the `Problem` for a problem, an instance (a problem of one domain) or the path of an instance file.

    Raises:
        InputError: `given` is none of these, or the file cannot be read or is invalid.
    """
    if isinstance(given, Problem):
        return given
    instance = read_file(given) if isinstance(given, str | Path) else given
    found = find_domain(instance)
    if found is None:
        raise InputError("instance", repr(given), "an Instance, the path of an instance file, or a Problem")
    return found.problem(instance)


def _for_any_input(
    function: Callable[Concatenate[Problem, _Rest], _Result],
) -> Callable[Concatenate[object, _Rest], _Result]:
    """Return a function like `function` whose first argument, a problem, may also be an instance or a file's path.

    Earlier names of arguments (`RENAMED`) still work, with a `DeprecationWarning`.
    """
    stated = signature(function)
    first, *rest = stated.parameters.values()

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> _Result:
        for old, now in RENAMED[function.__name__].items():
            if old in kwargs:
                warnings.warn(f"{function.__name__}: {old} is now called {now}", DeprecationWarning, stacklevel=2)
                kwargs[now] = kwargs.pop(old)
        problem = as_problem(args[0] if args else kwargs.pop(first.name, None))
        return function(problem, *args[1:], **kwargs)

    call.__signature__ = stated.replace(parameters=[first.replace(annotation="object"), *rest])  # type: ignore[attr-defined]
    return call


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'askwise.api' has no attribute {name!r}")
    found = _for_any_input(getattr(importlib.import_module(_HOMES[name]), name))
    globals()[name] = found
    return found


if TYPE_CHECKING:
    from askwise.play import ask as _ask
    from askwise.play import evaluate as _evaluate
    from askwise.play import simulate as _simulate

    ask = _for_any_input(_ask.ask)
    evaluate = _for_any_input(_evaluate.evaluate)
    lower_bound = _for_any_input(_evaluate.lower_bound)
    simulate = _for_any_input(_simulate.simulate)
    solve = _for_any_input(_evaluate.solve)
