"""When an observer can tell goals apart: dp, EDP, WCD, ECD, families of goals and zones (first half of the paper)."""

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
