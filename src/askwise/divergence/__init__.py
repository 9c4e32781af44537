"""How long two goals look alike: DP, EDP, WCD, ECD, families of goals, zones (paper, first half)."""

from askwise.divergence.distribution import DpDistribution, dp_distribution
from askwise.divergence.edp import dp, ecd, edp, wcd
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
