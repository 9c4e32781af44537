"""Deterministic layouts of graphs for drawing, with numpy and scipy only.

Trees and graphs of mostly one-way edges are drawn in layers, by the distance from the agent's start. Other graphs are
drawn so that distances in the drawing resemble those in the graph (stress majorisation). Of large graphs, a part is
drawn.
"""

from askwise.view.layout.drawing import lay_out
from askwise.view.layout.net import MOST_DRAWN, Net, excerpt

__all__ = ["MOST_DRAWN", "Net", "excerpt", "lay_out"]
