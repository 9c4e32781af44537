"""Goal recognition design: what to forbid so that an agent's actions reveal its goal earlier.

A design forbids cells of a map, edges of a graph, or actions.
"""
