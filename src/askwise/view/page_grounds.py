"""The grounds of a page, as data: walls as a picture, graphs as they were laid out, the places of goals on them.

A page whose ground is one map, with one place for each goal, needs none of the scripts that others do, and stays small.
"""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from PIL import Image

from askwise.view.floor import Graph, Ground, Map, Place, Way
from askwise.view.layout.boxes import LABEL_LETTERS, LINE_HEIGHT, NAME_BELOW, NAME_LETTERS
from askwise.view.panels import arrow_head
from askwise.view.scene import Scene, Spot, ego_spots, teammate_spots

LETTERS = {"name": NAME_LETTERS, "label": LABEL_LETTERS, "below": NAME_BELOW, "line": LINE_HEIGHT}
"""How large the letters of a graph are, and where they stand."""


def is_plain(scene: Scene) -> bool:
    """Whether the ground is one map, with one place for each goal."""
    one_map = isinstance(scene.ground, Map) and scene.ego_ground is None
    return one_map and not any(goal.also or goal.ego for goal in scene.goals)


def ground_data(scene: Scene) -> dict[str, Any]:
    """Return what a page has to know of the grounds of an episode."""
    return _map_data(scene.ground) if is_plain(scene) else any_ground_data(scene)


def any_ground_data(scene: Scene) -> dict[str, Any]:
    """Return the same in the form that fits grounds of any kind: one or two of them, and the places of goals."""
    return {
        "grounds": [one_ground_data(ground) for ground in scene.grounds],
        "spots": [_spot(scene, spot) for spot in (*teammate_spots(scene), *ego_spots(scene))],
        "letters": LETTERS,
    }


def one_ground_data(ground: Ground) -> dict[str, Any]:
    """Return what a page has to know of one ground."""
    kind = "map" if isinstance(ground, Map) else "graph"
    return {"kind": kind, **(_map_data(ground) if isinstance(ground, Map) else _graph_data(ground))}


def _map_data(ground: Ground) -> dict[str, Any]:
    assert isinstance(ground, Map)
    return {"width": ground.width, "height": ground.height, "walls": _picture_of_walls(ground)}


def _graph_data(ground: Graph) -> dict[str, Any]:
    return {
        "width": ground.width,
        "height": ground.height,
        "nodes": [
            {"name": node.name, "at": node.at, "lines": node.lines, "above": node.above} for node in ground.nodes
        ],
        "ways": [_way(ground, way) for way in ground.ways],
        "labels": [{"text": label.text, "at": label.at} for label in ground.labels],
    }


def _way(ground: Graph, way: Way) -> dict[str, Any]:
    arrow = [[round(x, 3), round(y, 3)] for x, y in arrow_head(ground, way)] if way.one_way else None
    return {
        "first": way.first,
        "second": way.second,
        "there": way.there,
        "back": way.back,
        "through": way.through,
        "arrow": arrow,
    }


def _spot(scene: Scene, spot: Spot) -> dict[str, Any]:
    ground = scene.grounds[-1] if spot.ego else scene.ground
    return {
        "at": spot.at,
        "goals": spot.goals,
        "ego": spot.ego,
        "shared": spot.shared,
        # A node has the names of its goals above it; there would be no room for them on the mark.
        "label": spot.short_name(scene) if isinstance(ground, Map) else "",
        "place": _name_of(ground, spot.at),
    }


def _name_of(ground: Ground, place: Place) -> str:
    if isinstance(ground, Map):
        return str(place)
    return next(node.name for node in ground.nodes if node.at == place)


def _picture_of_walls(ground: Map) -> str | None:
    """Return the walls as a picture of one pixel for each cell: a million cells would be too many shapes."""
    walls = ground.walls
    if not walls.any():
        return None
    picture = Image.fromarray(np.flipud(walls).astype(np.uint8)).convert("P")
    picture.putpalette([0, 0, 0, 108, 114, 124])
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", transparency=0, bits=1, optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
