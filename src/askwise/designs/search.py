"""The search for a design: first a greedy search, then an exact search that improves or confirms the result.

A design is a set of things (cells, edges or actions) to forbid. The greedy search adds one thing after the other, then
exchanges single things while that helps. Of designs with equal values, it takes the one with the least expected EDP
(the expected step at which a goal is ruled out).

For the expected EDP and the cost, the exact search starts with the greedy design. If the exact search reaches its
limit, the better of the two designs is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from askwise.designs.branch_and_bound import EQUAL, BestSoFar, Branching, BudgetSpent, Measure, Progress, WorstCase
from askwise.designs.measures import Cost, ExpectedEdp, WorstCaseValue
from askwise.designs.paths import Removals, TeammatePaths, trip_steps
from askwise.designs.results import DesignVerdict
from askwise.designs.space import Space

Options = Callable[[Removals], Iterable[int]]
"""A function that returns the things worth adding to a design."""
LIMITS = {"wcd": 100_000, "edp": 100_000, "cost": 1_500}
"""Default limits of designs to evaluate on graphs of up to `USUAL` states; smaller on larger graphs."""
USUAL = 500
FEWEST, FEWEST_PLAYED = 500, 40
MANY_GOALS = 8
TURNS = {"wcd": 1000, "edp": 1000, "cost": 1}
OF_PLANNER = "among designs that block a shortest path of the teammate"


# -- greedy search ------------------------------------------------------------------------------------------------


class Greedy:
    """A greedy search for a good design: it adds the best thing again and again, then exchanges single things.

    A design has the indices of the things (cells, edges or actions) to forbid.

    Args:
        paths: the teammate's paths.
        measures: the value to minimise, then values that break ties.
        found: the best design so far, which is updated.
        most: largest number of things to forbid.
        also_allowed: whether a design keeps the ego agent's paths short enough.
        options: takes a design; returns the things that the search tries to add.
    """

    def __init__(
        self,
        paths: TeammatePaths,
        measures: tuple[Measure, ...],
        found: BestSoFar,
        most: int,
        also_allowed: Callable[[Removals], bool],
        options: Options,
    ) -> None:
        self.paths, self.measures, self.found, self.most = paths, measures, found, most
        self._also_allowed, self._options = also_allowed, options

    def run(self) -> None:
        """Search until no exchange of things improves the design, and store the best design in ``self.found``.

        Raises `BudgetSpent` if the limit of designs to evaluate is reached.
        """
        design: Removals = ()
        while len(design) < self.most:
            better = self._best_with(design)
            if better is None:
                break
            design = better
        if design:
            self._exchange(design)
        self._drop()

    def _values(self, design: Removals) -> tuple[float, ...] | None:
        """Return the values of a design, or None if it makes paths longer than allowed.

        The values are in the order of ``self.measures``. The design is stored in ``self.found`` if it is the best so
        far.
        """
        self.found.look()
        if not self.paths.allowed(self.paths.steps(design)) or not self._also_allowed(design):
            return None
        values = tuple(measure.value(design) for measure in self.measures)
        self.found.keep(values[0], design)
        return values

    def _best_with(self, design: Removals) -> Removals | None:
        """Return the best design that forbids one thing more than `design`.

        The result is None if all such designs make paths longer than allowed. Designs are given by the indices of the
        forbidden things (cells, edges or actions).
        """
        best: tuple[tuple[float, ...], Removals] | None = None
        for thing in self._options(design):
            values = self._values((*design, thing))
            if values is not None and (best is None or _less(values, best[0])):
                best = values, (*design, thing)
        return None if best is None else best[1]

    def _exchange(self, design: Removals) -> None:
        """Replace single things (cells, edges or actions) of `design` by others as long as that improves the design.

        The best design is stored in ``self.found``.
        """
        now = self._values(design)
        improved = now is not None
        while improved:
            improved = False
            for out in design:
                rest = tuple(thing for thing in design if thing != out)
                other = self._best_with(rest)
                values = None if other is None else self._values(other)
                if other is not None and values is not None and now is not None and _less(values, now):
                    design, now, improved = other, values, True
                    break

    def _drop(self) -> None:
        """Remove from the best design so far, ``self.found``, every thing without which the design is no worse."""
        for thing in self.found.design:
            if thing in self.found.design:
                self._values(tuple(each for each in self.found.design if each != thing))


def _less(values: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Return whether `values` is lexicographically smaller than `others`; differences up to `EQUAL` count as equal."""
    for value, other in zip(values, others, strict=True):
        if abs(value - other) > EQUAL:
            return value < other
    return False


# -- the whole search ---------------------------------------------------------------------------------------------


class DesignSearch:
    """A search for the best design in a design space: first a greedy search, then an exact one.

    Args:
        space: what may be forbidden.
        paths: the teammate's paths.
        minimise: ``wcd``, ``edp`` (expected EDP) or ``cost`` (expected cost of not knowing the goal).
        by: for ``cost``, the ego agent: ``planner`` or ``optimum``; None for other values.
        budget: steps by which the shortest path to each goal may grow.
        limit: largest number of designs to evaluate; None for a default.
        progress: called with the number of designs so far, or None.
    """

    def __init__(
        self,
        space: Space,
        paths: TeammatePaths,
        *,
        minimise: str,
        by: str | None,
        budget: int,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.space, self.paths, self.minimise, self.by = space, paths, minimise, by
        self.edp = ExpectedEdp(paths, space.prior, budget)
        self.measure: Measure = self.edp
        if minimise == "wcd":
            self.measure = WorstCaseValue(paths)
        elif minimise == "cost":
            self.measure = Cost(space, by or "planner")
        self.limit = self._usual() if limit is None else limit
        self._progress = progress
        self._most_ego = None if space.trips is None else self.ego_steps(()) + budget

    def _usual(self) -> int:
        """Return the default limit of designs to evaluate, which is smaller for larger problems."""
        usual = LIMITS[self.minimise] * USUAL // max(USUAL, self.paths.n_states)
        if self.minimise != "cost":
            return max(FEWEST, usual)
        # Playing takes longer with more goals.
        return max(FEWEST_PLAYED, usual * MANY_GOALS**2 // max(MANY_GOALS, self.paths.n_goals) ** 2)

    def ego_steps(self, design: Sequence[int]) -> np.ndarray:
        """Return the ego agent's steps to each goal under a design, ``int32 [n_goals]``, -1 if there is no way.

        `design` has the indices of the forbidden things. ``self.space.trips`` must not be None.
        """
        assert self.space.trips is not None
        return trip_steps(self.space.trips, design, self.paths.n_things)

    def also_allowed(self, design: Sequence[int]) -> bool:
        """Return whether a design lengthens the ego agent's shortest paths by no more steps than the budget.

        The result is True if designs cannot change these paths. `design` holds the indices of the forbidden things.
        """
        if self._most_ego is None:
            return True
        steps = self.ego_steps(design)
        return bool(((steps >= 0) & (steps <= self._most_ego)).all())

    def value_of(self, design: Removals) -> float:
        """Return the value of a design of your own, given by the indices of the forbidden things.

        Unlike in a search, it is computed even if a bound shows that it is large.
        """
        if isinstance(self.measure, Cost):
            self.measure.found = None
        return self.measure.value(design)

    def best(self, most: int) -> tuple[Removals, DesignVerdict]:
        """Return the best design found that forbids at most `most` things, and whether it is proven to be the best.

        The design is given by the indices of the forbidden things (cells, edges or actions).
        """
        value = self.measure.value(())
        useful = np.flatnonzero(self.paths.useful(())).tolist()
        good = BestSoFar(value, max(self.limit // 2, 2), self._progress, TURNS[self.minimise])
        self._watch(good)
        ended = self._greedily(good, most)
        if self.minimise == "wcd":
            found = BestSoFar(value, self.limit - good.looked_at, self._progress, TURNS["wcd"])
            search: WorstCase | Branching = WorstCase(self.paths, found, most, self.also_allowed, useful)
        else:
            found = good.with_limit(self.limit)
            self._watch(found)
            search = Branching(self.paths, self.measure, found, most, self.also_allowed, self._ordered(useful))
        bound, proven = search.run()
        looked_at = found.looked_at + (good.looked_at if self.minimise == "wcd" else 0)
        if not proven and good.better_than(found):
            found = good
        return found.design, self._verdict(proven, bound, looked_at, ended)

    def _greedily(self, found: BestSoFar, most: int) -> bool:
        """Search greedily for designs with at most `most` things, and update `found`.

        Returns whether the search ended before the limit of designs to evaluate was reached.
        """
        second: tuple[Measure, ...] = () if self.minimise == "edp" else (self.edp,)
        options = self._on_a_pair if self.minimise == "wcd" else self._promising
        try:
            Greedy(self.paths, (self.measure, *second), found, most, self.also_allowed, options).run()
        except BudgetSpent:
            return False
        return True

    def _watch(self, found: BestSoFar) -> None:
        if isinstance(self.measure, Cost):
            self.measure.found = found

    def _on_a_pair(self, design: Removals) -> Iterable[int]:
        """Return the indices of things of which one must be forbidden, in addition to `design`, to lower its WCD.

        WCD (worst-case distinctiveness) is the latest step at which two goals can be told apart. The things are on two
        shortest plans, for different goals, with the longest common beginning.
        """
        price = np.ones(self.paths.n_things + 1, dtype=np.int32)
        price[-1] = 0
        plans = self.paths.plans(self.paths.closed(design), price)
        pair = plans.cheapest_pair(self.paths.counted, int(self.paths.shared(design)[0]) - 1)
        return [] if pair is None else sorted(pair[1].tolist())

    def _promising(self, design: Removals) -> Iterable[int]:
        """Return the things that are worth forbidding in addition to `design`, by their indices.

        If too many things (cells, edges or actions) can matter, only the most promising are returned.
        """
        useful = np.flatnonzero(self.paths.useful(design))
        most = max(8, self.limit // 16 if self.minimise == "edp" else self.limit // 40)
        if useful.size <= most:
            return list(useful.tolist())
        if self.minimise == "cost":
            return self._ordered(useful.tolist(), design)[:most]
        busy = self.paths.goals_by(design)[useful]
        return sorted(useful[np.argsort(-busy, kind="stable")[:most]].tolist())

    def _ordered(self, things: Sequence[int], design: Removals = ()) -> list[int]:
        """Sort things by the expected EDP that results from forbidding each in addition to `design`, smallest first.

        The expected EDP is the expected step at which a wrong goal is ruled out. Things that make paths too long come
        last. If there are more than ``self.limit`` things, all keep their order.
        """
        if len(things) > self.limit:
            return list(things)
        ranked = []
        for thing in things:
            with_it = (*design, thing)
            allowed = self.paths.allowed(self.paths.steps(with_it)) and self.also_allowed(with_it)
            ranked.append((not allowed, self.edp.value(with_it) if allowed else 0.0, thing))
        return [thing for _, _, thing in sorted(ranked)]

    def _verdict(self, proven: bool, bound: float, looked_at: int, ended: bool) -> DesignVerdict:
        estimated = isinstance(self.measure, Cost) and self.measure.estimated
        planner = self.minimise == "cost" and self.by == "planner"
        if proven and not estimated:
            method = f"branch and bound{', ' + OF_PLANNER if planner else ''}"
            return DesignVerdict(True, method, None if planner else bound, looked_at)
        method = "branch and bound stopped at the limit" if ended else "greedy search stopped at the limit"
        if proven:
            method = "branch and bound"
        return DesignVerdict(False, method, None if planner else bound, looked_at, estimated)
