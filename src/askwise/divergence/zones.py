"""Zones of information, branching and querying (paper, section "Expected Zone of Querying").

A zone is an interval of steps from now, for two goals and given states of both agents. WCD is the latest step at which
an agent's actions tell the two goals apart.

- ``Z_I = {t <= WCD of the teammate}``, the zone of information: the teammate's actions may not yet tell the goals
  apart.
- ``Z_B = {t >= WCD of the ego agent}``, the zone of branching: the ego agent may need different actions for the goals.
- ``Z_Q``, the zone of querying: the steps in both. There a question may be worth its price.

EDP(a | b) is the expected step at which goal `a` is ruled out if an agent pursues goal `b`. Let `truth` be the
teammate's goal, and `other` the goal that it is confused with. The expected zones are:

- ``eZ_I = {t <= EDP_teammate(other | truth)}``;
- ``eZ_B = {t >= EDP_ego(truth | other)}``, for an ego agent that wrongly acts for `other`;
- ``eZ_Q``, the steps in both.

Planning uses ``Z_B``, not ``eZ_B``, because the ego agent chooses its own moves. Only the teammate's `Divergence` may
use evidence (`askwise.divergence.evidence`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from askwise.divergence.family import Divergence
from askwise.errors import InputError
from askwise.types import StateLike

ROUNDING = 1e-9
"""Tolerance for the ends of zones, which are rounded numbers."""


@dataclass(frozen=True, slots=True)
class Zone:
    """An interval of steps from `start` to `end`, both included; step 1 is the current step.

    Both ends may be fractions, because an end may be an expected value.
    """

    start: float
    end: float

    @property
    def empty(self) -> bool:
        """Whether the zone contains no step."""
        return not self.start <= self.end + ROUNDING or self.start == math.inf

    @property
    def length(self) -> float:
        """Number of steps in the zone, ``end - start + 1``; 0 if it is empty."""
        return 0.0 if self.empty else max(self.end, self.start) - self.start + 1

    def contains(self, t: float) -> bool:
        """Return whether step `t` lies in the zone."""
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
    """The zones of information, branching and querying of two goals, in steps from now.

    WCD is the latest step, EDP the expected step, at which an agent's actions tell the goals apart.

    Attributes:
        truth: name of the teammate's goal.
        other: name of the goal with which `truth` is confused.
        information: steps up to the teammate's WCD; `other` may not yet be ruled out.
        branching: steps from the ego agent's WCD on; the ego agent may need different actions for the goals.
        expected_information: steps up to the teammate's EDP.
        expected_branching: steps from the ego agent's EDP on.
    """

    truth: str
    other: str
    information: Zone
    branching: Zone
    expected_information: Zone
    expected_branching: Zone

    @property
    def querying(self) -> Zone:
        """Z_Q, the steps in which a question may be worth its price: those in both `information` and `branching`."""
        return self.information & self.branching

    @property
    def expected_querying(self) -> Zone:
        """The expected querying zone (eZ_Q): the steps in both `expected_information` and `expected_branching`."""
        return self.expected_information & self.expected_branching

    def named(self) -> dict[str, Zone]:
        """Return the six zones by the paper's names: ``Z_I``, ``Z_B``, ``Z_Q``, ``eZ_I``, ``eZ_B`` and ``eZ_Q``."""
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
    """Return the zones of information, branching and querying of two goals, for given states of both agents.

    A zone is an interval of steps from now. In the zone of information, the teammate's actions may not yet tell the
    goals apart. In the zone of branching, the ego agent may need different actions for the goals. The zone of querying
    has the steps in both.

    Args:
        teammate: the divergence of all goals in the teammate's model.
        ego: the divergence of the same goals, in the same order, in the ego agent's model, without evidence.
        teammate_at: the teammate's state, by name or index.
        ego_at: the ego agent's state, by name or index.
        truth: the teammate's goal, by index or name.
        other: the goal with which `truth` is confused, by index or name.
    """
    _check_families(teammate, ego)
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


def _check_families(teammate: Divergence, ego: Divergence) -> None:
    # Goals without names are named after their states, which may differ between the two models.
    differ = teammate.named and ego.named and teammate.names != ego.names
    if differ or teammate.n_goals != ego.n_goals:
        shown = [f"{family.n_goals} goals ({', '.join(family.names[:5])})" for family in (ego, teammate)]
        raise InputError("ego", shown[0], f"those of the teammate, {shown[1]}")
    if ego.evidence is not None:
        raise InputError("ego", f"divergence by evidence {ego.evidence:g}", "a Divergence without evidence")
