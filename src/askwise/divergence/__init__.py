"""When an observer can tell goals apart by an agent's actions: divergence points and zones (first half of the paper).

A divergence point is the first step at which an agent's actions rule out a goal or a policy. `askwise.divergence.edp`
computes it for two policies or goals, `askwise.divergence.family` for all pairs of goals. `askwise.divergence.zones`
says in which steps a question may be worth its price.
"""

from askwise.divergence.edp import DpDistribution, dp, dp_distribution, ecd, edp, wcd
from askwise.divergence.family import Divergence
from askwise.divergence.zones import Zone, Zones, zones

__all__ = [
    "Divergence",
    "DpDistribution",
    "Zone",
    "Zones",
    "dp",
    "dp_distribution",
    "ecd",
    "edp",
    "wcd",
    "zones",
]
