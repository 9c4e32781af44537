"""Graphs laid out for drawing: deterministic, readable, with nothing but numpy and scipy.

Trees and graphs of one-way steps are drawn in layers, by their distance from where the agent starts; everything else so
that distances in the drawing are like those in the graph (stress majorisation). Large graphs are drawn in part.
"""

from askwise.view.layout.drawing import lay_out
from askwise.view.layout.net import MOST_DRAWN, Net, excerpt

__all__ = ["MOST_DRAWN", "Net", "excerpt", "lay_out"]
