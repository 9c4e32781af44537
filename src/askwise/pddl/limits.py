"""Limits on the size of planning problems; they count objects and states, not time, so all machines agree."""

from __future__ import annotations

from dataclasses import dataclass, fields

from askwise.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on reading planning problems and searching plans; beyond a limit, results are missing, but never wrong.

    Attributes:
        atoms: number of atoms that can become true.
        operators: number of grounded actions, with objects instead of variables.
        tries: number of substitutions of objects for variables that are tried during grounding.
        blind: states of the breadth-first search, which goals with the same relevant operators share.
        states: states of the bounded search (which omits states too far from the goal), for each goal.
        evaluations: states whose lower bound (LM-cut) on the steps to the goal is computed, for each goal.
        edges: transitions on optimal plans, of all goals together.
    """

    atoms: int = 200_000
    operators: int = 200_000
    tries: int = 20_000_000
    blind: int = 1_000_000
    states: int = 2_000_000
    evaluations: int = 500_000
    edges: int = 20_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"limit on {field.name}", repr(value), "a whole number from 0")


def too_many(what: str, found: str, limit: int, name: str) -> InputError:
    """Return the error for a problem that exceeds a limit; its message says how to raise the limit.

    Args:
        what: what exceeds the limit, such as "grounding".
        found: what is beyond the limit, such as "one atom more".
        limit: the value of the limit.
        name: the name of the limit, a field of `Limits`.
    """
    return InputError(
        what, found, f"at most {limit} (raise it by Limits({name}=...), commands: --search-limit {name}=N)"
    )
