"""When an observer can tell goals apart by an agent's actions: divergence points and zones (first half of the paper).

`askwise.divergence.edp` compares two policies or goals, `askwise.divergence.family` all pairs of goals, and
`askwise.divergence.zones` says in which steps a question may be worth its price.
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
