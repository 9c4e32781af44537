"""Layouts of graphs for drawing: positions of nodes, edges and labels.

Equal graphs get equal layouts. Trees and graphs of mostly one-way edges are drawn in layers, by the distance from the
agent's start. In other drawings, distances resemble those in the graph (stress majorisation). Of a large graph, only a
part is drawn.
"""

from askwise.view.layout.drawing import lay_out
from askwise.view.layout.net import MOST_DRAWN, Net, excerpt

__all__ = ["MOST_DRAWN", "Net", "excerpt", "lay_out"]
