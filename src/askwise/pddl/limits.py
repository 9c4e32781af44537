"""How large planning problems may be: stated, counted the same on every machine, raised by whoever wants to wait."""

from __future__ import annotations

from dataclasses import dataclass, fields

from askwise.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on reading and searching; none of them changes an answer, only whether there is one.

    Attributes:
        atoms: atoms that can become true.
        operators: actions with their objects filled in.
        tries: objects that are tried in places of variables while actions are filled in.
        blind: states of the search without a bound, which goals of one kind share.
        states: states of the search under a bound, for each goal.
        evaluations: states whose bound is worked out, for each goal.
        edges: steps on optimal plans, of all goals together.
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
    """Return the refusal of something too large, with the way to allow it."""
    return InputError(what, found, f"at most {limit} (raise it by Limits({name}=...), commands: --limit {name}=N)")
