"""What a search for a design found, and what is proven about it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from askwise.frozen import freeze_fields
from askwise.types import FloatArray

OBJECTIVES = {"wcd": "WCD", "edp": "expected EDP", "cost": "cost of not knowing"}
"""What may be minimised, and what it is called."""
OWN = "a design of your own, nothing is proven about it"


@dataclass(frozen=True)
class State:
    """A place before or after a design.

    Attributes:
        value: what is minimised.
        wcd: the worst case of any two goals: the step that tells them apart at the latest; for planning problems, as in
            the literature, the longest common prefix of plans, one less.
        edp: the expected EDP: the true goal and another one are drawn from the prior.
        told_apart: the step that tells any two goals apart at the latest; infinite if nothing does.
        never_apart: how many ordered pairs of goals have a plan in common, so that nothing tells them apart; in `wcd`
            and `edp` they count up to the end of the plan.
        costs: steps of the teammate's shortest plan for each goal.
        ego_costs: the ego agent's steps to each goal, empty where designs do not change them.
        wcd_matrix: ``float64 [n_goals, n_goals]``, WCD of all pairs, counted as in `wcd`.
        edp_matrix: ``float64 [n_goals, n_goals]``, ``[i, j]`` is EDP(i | j).
    """

    value: float
    wcd: float
    edp: float
    told_apart: float
    never_apart: int
    costs: Mapping[str, int]
    ego_costs: Mapping[str, int]
    wcd_matrix: FloatArray = field(repr=False, compare=False)
    edp_matrix: FloatArray = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "costs", "ego_costs", "wcd_matrix", "edp_matrix")


@dataclass(frozen=True)
class DesignVerdict:
    """What is proven about a design.

    Attributes:
        proven: no design that is allowed has a smaller value, and none of that value forbids less.
        method: how it was found.
        bound: no design that is allowed has a value below; the value itself if that is proven, None if nothing is.
        looked_at: how many designs were looked at.
        estimated: whether values are averages over episodes.
    """

    proven: bool
    method: str
    bound: float | None
    looked_at: int
    estimated: bool = False

    def __str__(self) -> str:
        if self.method == OWN:
            return OWN
        looked_at = f"{self.looked_at:,} design{'s' if self.looked_at != 1 else ''} looked at"
        if self.proven:
            return f"proven to be the least, {self.method}; {looked_at}"
        bound = "" if self.bound is None else f"; none is below {self.bound:.6g}"
        values = ", values estimated from episodes" if self.estimated else ""
        return f"not proven to be the least, {self.method}{values}; {looked_at}{bound}"


@dataclass(frozen=True)
class Design:
    """What to forbid so that goals become plain, and what that changes.

    Attributes:
        thing: what is forbidden, ``cell``, ``edge`` or ``action``.
        forbidden: what to forbid, by name.
        minimise: what was minimised, ``wcd``, ``edp`` or ``cost``.
        by: for ``cost``, whose cost: ``planner`` or ``optimum``; None else.
        most: how many things might be forbidden.
        budget: by how many steps the cost of each goal might grow.
        goals: the goals.
        prior: ``float64 [n_goals]``, how likely each is.
        left_out: goals that nothing leads to, and that were left out.
        before: the place as it was.
        after: the place with all of that forbidden.
        verdict: what is proven.
        both: whether what is forbidden is forbidden to both agents.
        prefix: whether WCD is the longest common prefix, as for planning problems; else the step after it.
        changed: the changed problem or instance, to be played or written to a file.
        given: the one before.
        seconds: time taken.
    """

    thing: str
    forbidden: tuple[Hashable, ...]
    minimise: str
    by: str | None
    most: int
    budget: int
    goals: tuple[str, ...]
    prior: FloatArray = field(repr=False, compare=False)
    left_out: tuple[str, ...]
    before: State
    after: State
    verdict: DesignVerdict
    both: bool
    prefix: bool
    changed: Any = field(repr=False, compare=False)
    given: Any = field(repr=False, compare=False)
    seconds: float = field(compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "prior")

    @property
    def gain(self) -> float:
        """By how much the value falls."""
        return self.before.value - self.after.value

    def __str__(self) -> str:
        what = ", ".join(map(str, self.forbidden)) or "nothing"
        name = OBJECTIVES[self.minimise]
        return f"forbid {what}: {name} {self.before.value:.6g} -> {self.after.value:.6g} ({self.verdict})"
