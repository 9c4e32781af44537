"""Random instances of tool fetching, always solvable.

Stations, toolboxes and the agents' starts are drawn uniformly, as in the paper behind askwise. Cells may also be walls,
and stations may lie in clusters. Everything is placed in the largest connected region of free cells.
"""

from __future__ import annotations

import numpy as np

from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching.instance import LARGEST_SIDE, MOST_CELLS, PRIOR_KINDS, Cell, Instance, Prior, Station
from askwise.errors import InputError, did_you_mean
from askwise.model.names import as_int
from askwise.seeds import Seed, generator
from askwise.types import BoolArray, IntArray

CLUSTER_SIZE = 8
"""Average number of stations per cluster."""


def generate(
    *,
    size: int | tuple[int, int] | None = None,
    width: int | None = None,
    height: int | None = None,
    stations: int = 50,
    toolboxes: int = 5,
    walls: float = 0.0,
    clustered: bool = False,
    prior: Prior | str | None = None,
    query_cost: QueryCost | None = None,
    seed: Seed = None,
) -> Instance:
    """Return a random instance of tool fetching in which all stations and toolboxes can be reached.

    Raises InputError if an argument is not valid, or if there is not enough room on the map.

    Args:
        size: numbers of columns and rows, or one number for both; None to use `width` and `height`.
        width: number of columns; None for 20.
        height: number of rows; None for the same as `width`.
        stations: number of stations.
        toolboxes: number of toolboxes.
        walls: share of cells that are walls, from 0 to below 1.
        clustered: whether stations lie in clusters.
        prior: a `Prior`, or ``uniform``, ``far``, ``near``, ``fetcher-far`` or ``fetcher-near`` (see `Prior.kind`);
            None for ``uniform``.
        query_cost: the price of questions; None for 0.5 each.
        seed: random seed; None for an unpredictable instance.
    """
    prior = _as_prior(prior)
    if not isinstance(query_cost, QueryCost | None):
        raise InputError("query_cost", repr(query_cost), "a QueryCost(base, per_goal)")
    width, height = _sides(size, width, height)
    check_request(width, height, stations, toolboxes, walls)
    rng = generator(seed)
    mask = _walled(width, height, walls, rng)
    region = _largest_region(mask)
    _refuse_crowded(len(region), width, height, stations, toolboxes, walls)
    station_cells = _clustered(region, stations, rng) if clustered else _drawn(region, stations, rng)
    box_cells = _drawn(_without(region, station_cells), toolboxes, rng)
    owners = rng.integers(toolboxes, size=stations)
    worker, fetcher = _as_cells(region[rng.integers(len(region), size=2)])
    return Instance(
        width=width,
        height=height,
        walls=tuple(_as_cells(_cells_of(mask))),
        toolboxes={f"T{k + 1}": cell for k, cell in enumerate(box_cells)},
        stations={f"S{k + 1}": Station(cell, f"T{owners[k] + 1}") for k, cell in enumerate(station_cells)},
        worker=worker,
        fetcher=fetcher,
        prior=prior,
        query_cost=query_cost or QueryCost(),
    )


def _sides(size: int | tuple[int, int] | None, width: int | None, height: int | None) -> tuple[int, int]:
    """Return the numbers of columns and rows of a map from the arguments `size`, `width` and `height` of `generate`.

    Raises InputError if `size` is not valid, or if it is given together with `width` or `height`.
    """
    if size is None:
        width = 20 if width is None else width
        return width, width if height is None else height
    if width is not None or height is not None:
        raise InputError("size", "width or height in addition", "either size, or width and height")
    sides = size if isinstance(size, tuple | list) else (size, size)
    if len(sides) != 2 or not all(1 <= (as_int(side) or 0) <= LARGEST_SIDE for side in sides):
        raise InputError("size", repr(size), f"a whole number from 1 to {LARGEST_SIDE}, or two for columns and rows")
    return sides[0], sides[1]


def _as_prior(given: Prior | str | None) -> Prior:
    if given is None or isinstance(given, Prior):
        return given or Prior()
    if given not in PRIOR_KINDS:
        allowed = "a Prior, or one of " + ", ".join(map(repr, PRIOR_KINDS))
        raise InputError("prior", repr(given), allowed + did_you_mean(str(given), PRIOR_KINDS))
    return Prior(given)


def check_room(width: int, height: int, stations: int, toolboxes: int, walls: float, seed: Seed) -> None:
    """Raise InputError if the stations and toolboxes of a random instance do not fit on its map.

    `walls` is the share of the cells that are walls, which are drawn with `seed`.
    """
    room = width * height
    if walls:
        room = len(_largest_region(_walled(width, height, walls, generator(seed))))
    _refuse_crowded(room, width, height, stations, toolboxes, walls)


def _walled(width: int, height: int, walls: float, rng: np.random.Generator) -> BoolArray:
    """Return a map with walls in random cells, ``bool [height, width]``, True for walls.

    `walls` is the share of the cells that are walls.
    """
    mask = np.zeros((height, width), dtype=np.bool_)
    mask.ravel()[rng.permutation(width * height)[: round(walls * width * height)]] = True
    return mask


def _refuse_crowded(room: int, width: int, height: int, stations: int, toolboxes: int, walls: float) -> None:
    if room < max(stations + toolboxes, 2):
        raise InputError(
            "stations and toolboxes",
            f"{stations} and {toolboxes}",
            f"at most {room} in total, the cells of the largest region on a {width} x {height} grid "
            f"with {walls:g} walls",
        )


def _largest_region(mask: BoolArray) -> IntArray:
    """Return x and y of the cells in the largest connected region of free cells, row by row, ``int32 [n_cells, 2]``.

    `mask` is ``bool [height, width]``, True for walls.
    """
    from scipy import ndimage

    region_of = ndimage.label(~mask)[0]
    sizes = np.bincount(region_of.ravel())
    sizes[0] = 0  # the walls
    largest = region_of.flat[int(sizes[region_of].argmax())]
    return _cells_of((region_of == largest) & ~mask)


def _cells_of(mask: BoolArray) -> IntArray:
    """Return x and y of the cells at which `mask` is True, row by row, ``int32 [n_cells, 2]``.

    Args:
        mask: ``bool [height, width]``; row y, column x.
    """
    y, x = np.nonzero(mask)
    return np.column_stack([x.astype(np.int32), y.astype(np.int32)])


def _drawn(cells: IntArray, n: int, rng: np.random.Generator) -> list[Cell]:
    return _as_cells(cells[rng.choice(len(cells), size=n, replace=False)])


def _clustered(cells: IntArray, n: int, rng: np.random.Generator) -> list[Cell]:
    """Return `n` different random cells that lie in clusters.

    Cells near the centre of a cluster are likelier. `cells` is ``int32 [n_cells, 2]``, x and y of the cells to draw
    from.
    """
    centres = np.array(_drawn(cells, max(1, round(n / CLUSTER_SIZE)), rng))
    nearest = np.full(len(cells), np.inf)
    for centre in centres:
        nearest = np.minimum(nearest, ((cells - centre) ** 2).sum(axis=1))
    weights = 1.0 / (1.0 + nearest) ** 2
    return _as_cells(cells[rng.choice(len(cells), size=n, replace=False, p=weights / weights.sum())])


def _without(cells: IntArray, taken: list[Cell]) -> IntArray:
    """Return the cells that are not in `taken`, in the same order.

    Args:
        cells: ``int32 [n_cells, 2]``, x and y of each cell.
        taken: the cells to leave out, all of which are in `cells`; at least one.
    """
    x, y = np.array(taken).T
    used = np.zeros(cells.max(axis=0) + 1, dtype=np.bool_)
    used[x, y] = True
    return cells[~used[cells[:, 0], cells[:, 1]]]


def _as_cells(cells: IntArray) -> list[Cell]:
    # One integer object per number, however often it occurs: a large map may have millions of walls.
    numbers = np.arange(cells.max(initial=0) + 1).astype(object)
    return list(zip(numbers[cells[:, 0]].tolist(), numbers[cells[:, 1]].tolist(), strict=True))


def check_request(width: int, height: int, stations: int, toolboxes: int, walls: float) -> None:
    """Raise InputError if a size or number for a random instance is not valid or too large.

    `walls` is the share of the cells that are walls, from 0 to below 1.
    """
    for field, value in (("width", width), ("height", height)):
        if not 1 <= (as_int(value) or 0) <= LARGEST_SIDE:
            raise InputError(field, value, f"a whole number from 1 to {LARGEST_SIDE}")
    for field, value in (("stations", stations), ("toolboxes", toolboxes)):
        if (as_int(value) or 0) < 1:
            raise InputError(field, value, "a whole number from 1")
    if width * height > MOST_CELLS:
        raise InputError("width, height", f"{width} x {height} cells", f"at most {MOST_CELLS} cells")
    if isinstance(walls, bool) or not isinstance(walls, int | float) or not 0 <= walls < 1:
        raise InputError("walls", walls, "a number from 0 to below 1")
