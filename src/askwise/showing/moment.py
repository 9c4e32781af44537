"""A moment of an instance: everybody where they are now, and what is believed then.

The prior is that of the instance's own start (``far`` and ``near`` mean far from and near to where the worker began),
less the stations that are ruled out by name. A worker that is no longer at its start has told something by walking.
Which way it took is not known, but for a worker that walks optimally it does not matter: every shortest way there
leaves the same belief,

- `elimination`: the goals with ``d(start, now) + d(now, g) = d(start, g)``, at their prior odds;
- `bayes`: ``P(g) ~ P0(g) N_g(now) / N_g(start)``, with `N_g` the number of shortest ways to `g`.

So one shortest way is taken and the belief watches it. For `robust`, which allows for detours, the way does matter: it
watches the one that goes where most shortest ways go. The goals that explain it badly are set aside, and no way
contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from askwise._graph import breadth_first
from askwise.domains.tool_fetching import Instance, Prior, State, ToolFetching
from askwise.domains.tool_fetching.instance import Cell
from askwise.domains.tool_fetching.rules import NOTHING
from askwise.errors import InputError, did_you_mean
from askwise.model import GridWorld, urop
from askwise.problem import JointState
from askwise.query.beliefs import ContradictoryObservation, make_belief
from askwise.showing.description import prior
from askwise.showing.words import listed
from askwise.types import FloatArray


@dataclass(frozen=True)
class Way:
    """What the worker has told by walking: where it came from, and how many of the possible stations explain that."""

    start: Cell
    explained: int
    of: int


@dataclass(frozen=True)
class Moment:
    """Where everybody is now, in a problem whose prior is what is believed now."""

    problem: ToolFetching
    state: JointState
    way: Way | None = None


def moment(
    instance: Instance,
    *,
    worker: Cell | None = None,
    fetcher: Cell | None = None,
    holding: str | None = None,
    ruled_out: Iterable[str] = (),
    belief: str = "elimination",
    fresh: bool = False,
) -> Moment:
    """Return a moment of an instance.

    Args:
        instance: what is played.
        worker: the worker's cell, by default where it starts.
        fetcher: the fetcher's cell, by default where it starts.
        holding: the station whose tool is in hand, None for empty hands.
        ruled_out: stations that are known not to be the goal.
        belief: what is made of the worker's having moved: ``elimination``, ``bayes`` or ``robust``.
        fresh: the cells that are given are the start: the prior is that of these cells, and nothing is inferred.
    """
    held = NOTHING if holding is None else _station(instance, "holding", holding)
    moved = replace(
        instance, worker=_reachable(instance, "worker", worker), fetcher=_reachable(instance, "fetcher", fetcher)
    )
    now = replace(moved, prior=Prior(weights=_weights(moved if fresh else instance, ruled_out)))
    way = None
    if not fresh and now.worker != instance.worker:
        now, way = _inferred(now, instance.worker, belief)
    problem = ToolFetching(now)
    start = problem.rules.start
    return Moment(problem, problem.encode(State(start.worker, start.fetcher, held)), way)


def _inferred(now: Instance, start: Cell, belief: str) -> tuple[Instance, Way]:
    """Return the instance with the belief of somebody who saw the worker come from `start`."""
    problem = ToolFetching(now)
    try:
        believed = _watched(problem, problem.grid.state(start), belief)
    except ContradictoryObservation:
        raise ContradictoryObservation(
            f"worker at {now.worker}: on no shortest way from {start} to a station that is possible"
        ) from None
    weights = dict(zip(problem.goals, believed.tolist(), strict=True))
    way = Way(start, int((believed > 0).sum()), int((problem.prior > 0).sum()))
    return replace(now, prior=Prior(weights=weights)), way


def _watched(problem: ToolFetching, start: int, kind: str) -> FloatArray:
    belief = make_belief(kind, problem.prior)
    for state, action in typical_way(problem.grid, start, problem.rules.start.worker):
        if belief.needs_shares:
            belief.observe(problem.teammate_policy(state)[:, action])
        else:
            belief.observe(problem.teammate_optimal(state)[:, action].astype(np.float64))
    return belief.probabilities


def typical_way(grid: GridWorld, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Iterate over the states and actions of the shortest way that always goes on as most of them do."""
    shares = urop(grid, grid.name(end)).probabilities
    state = start
    while state != end:
        action = int(shares[state].argmax())
        yield state, action
        state = int(grid.successor[state, action])


def _weights(instance: Instance, ruled_out: Iterable[str]) -> dict[str, float]:
    weights = dict(zip(instance.stations, prior(instance).tolist(), strict=True))
    names = list(instance.stations)
    for name in ruled_out:
        weights[names[_station(instance, "ruled out", name)]] = 0.0
    if not any(weights.values()):
        raise InputError("ruled out", "every station that the prior allows", "at least one that is still possible")
    return weights


def _station(instance: Instance, field: str, name: str) -> int:
    names = list(instance.stations)
    if name not in names:
        raise InputError(field, f"the unknown station {name!r}", f"some of {listed(names)}" + did_you_mean(name, names))
    return names.index(name)


def _reachable(instance: Instance, who: str, cell: Cell | None) -> Cell:
    """Return where somebody is, a cell from which the stations can be reached."""
    if cell is None:
        return instance.worker if who == "worker" else instance.fetcher
    grid = instance.grid
    state = grid.state(cell, who)
    steps = breadth_first([grid.state(instance.worker)], *grid.predecessors)[0]
    if steps[state] < 0:  # moves can be undone: the stations are where the worker is from
        raise InputError(who, f"{cell}, with no way to the stations", "a cell with a way to them")
    return cell
