"""When an observer can tell goals apart by an agent's actions: divergence points and zones (first half of the paper).

A divergence point is the first step at which actions rule out a goal or a policy. `edp` is for two goals or policies,
`family` for all pairs of goals, `zones` for the steps in which asking may pay.
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
