"""Zones of information, branching and querying (paper, section "Expected Zone of Querying").

For a pair of goals and a joint state, in steps from now:

- ``Z_I = {t <= WCD of the teammate}``: asking may still tell something that watching has not;
- ``Z_B = {t >= WCD of the ego agent}``: the ego agent may have to do different things for the two goals;
- ``Z_Q``: both, so that a question may be worth its price.

The expected zones put the expected divergence point in place of the worst case: with `truth` the teammate's
goal and `other` the goal it is confused with,

- ``eZ_I = {t <= EDP_teammate(other | truth)}``,
- ``eZ_B = {t >= EDP_ego(truth | other)}`` (the ego agent does what `other` asks for while `truth` is true),
- ``eZ_Q`` their intersection.

Planning uses ``Z_B`` for the ego agent, whose moves are its own choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from askwise.divergence.family import Divergence
from askwise.errors import InputError
from askwise.types import StateLike

ROUNDING = 1e-9
"""Expected divergence points are rounded numbers: a zone may seem to end this much before the step at which it ends."""


@dataclass(frozen=True, slots=True)
class Zone:
    """The steps from `start` to `end`, both included; steps count from 1, and ends may lie between steps."""

    start: float
    end: float

    @property
    def empty(self) -> bool:
        """Whether no time belongs to the zone."""
        return not self.start <= self.end + ROUNDING or self.start == math.inf

    @property
    def length(self) -> float:
        """``end - start + 1``, 0 if empty: how many steps the zone covers, in expectation."""
        return 0.0 if self.empty else max(self.end, self.start) - self.start + 1

    def contains(self, t: float) -> bool:
        """Whether step `t` lies in the zone."""
        return not self.empty and self.start - ROUNDING <= t <= self.end + ROUNDING

    def __contains__(self, t: float) -> bool:
        return self.contains(t)

    def __and__(self, other: Zone) -> Zone:
        return Zone(max(self.start, other.start), min(self.end, other.end))

    def __str__(self) -> str:
        if self.empty:
            return "empty"
        if math.isinf(self.end):
            return "all t" if self.start <= 1 else f"t >= {self.start:.4g}"
        if self.start <= 1:
            return f"t <= {self.end:.4g}"
        if self.end - self.start <= ROUNDING:
            return f"t = {self.start:.4g}"
        return f"{self.start:.4g} <= t <= {self.end:.4g}"


@dataclass(frozen=True, slots=True)
class Zones:
    """The six zones of a pair of goals at a joint state."""

    truth: str
    other: str
    information: Zone
    branching: Zone
    expected_information: Zone
    expected_branching: Zone

    @property
    def querying(self) -> Zone:
        """Z_Q, the intersection of Z_I and Z_B."""
        return self.information & self.branching

    @property
    def expected_querying(self) -> Zone:
        """eZ_Q, the intersection of eZ_I and eZ_B."""
        return self.expected_information & self.expected_branching

    def named(self) -> dict[str, Zone]:
        """Return the zones by the paper's names."""
        return {
            "Z_I": self.information,
            "Z_B": self.branching,
            "Z_Q": self.querying,
            "eZ_I": self.expected_information,
            "eZ_B": self.expected_branching,
            "eZ_Q": self.expected_querying,
        }

    def __str__(self) -> str:
        rows = "\n".join(f"  {name:<5}{zone}" for name, zone in self.named().items())
        return f"zones for {self.truth} (true) and {self.other}:\n{rows}"


def zones(
    teammate: Divergence,
    ego: Divergence,
    *,
    teammate_at: StateLike,
    ego_at: StateLike,
    truth: int | str,
    other: int | str,
) -> Zones:
    """Return the zones of two goals at a joint state.

    Args:
        teammate: divergences of the goals in the teammate's model.
        ego: divergences of the same goals, in the same order, in the ego agent's model.
        teammate_at: the teammate's state.
        ego_at: the ego agent's state.
        truth: the teammate's goal, by number or name.
        other: the goal it is confused with.
    """
    _check_same_goals(teammate, ego)
    g, h = teammate.goal(truth, "truth"), teammate.goal(other, "other")
    team_edp, team_wcd = teammate.matrices_at(teammate_at)
    ego_edp, ego_wcd = ego.matrices_at(ego_at)
    return Zones(
        truth=teammate.names[g],
        other=teammate.names[h],
        information=Zone(1, float(team_wcd[h, g])),
        branching=Zone(float(ego_wcd[h, g]), math.inf),
        expected_information=Zone(1, float(team_edp[h, g])),
        expected_branching=Zone(float(ego_edp[g, h]), math.inf),
    )


def _check_same_goals(teammate: Divergence, ego: Divergence) -> None:
    # Goals given without names are named after their states, which may well differ between the two models.
    differ = teammate.named and ego.named and teammate.names != ego.names
    if differ or teammate.n_goals != ego.n_goals:
        shown = [f"{family.n_goals} goals ({', '.join(family.names[:5])})" for family in (ego, teammate)]
        raise InputError("ego", shown[0], f"those of the teammate, {shown[1]}")
