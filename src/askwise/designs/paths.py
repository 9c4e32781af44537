"""The teammate's paths when a design forbids some things, and which further things can matter.

A *thing* is a cell, edge or action. Its moves are those that forbidding it removes. A design is a set of things to
forbid.

Let `c_g(D)` be the number of steps of a shortest plan for goal `g` if the things `D` are forbidden, and `c_g()` if
nothing is. The budget `b` is the number of steps by which plans may grow. A design is *allowed* if
``c_g(D) <= c_g() + b`` for every goal. Forbidding more never shortens a plan: if `D` is not allowed, no larger design
is.

**Things that cannot matter.** A move is *useful* after `D` if, for some goal `g`, it lies on a walk from the start to
`g` that avoids `D` and has at most ``c_g() + b`` steps. Let no move of thing `x` be useful after `D`, and let design
`E` contain `D`. Then `E` with `x` is allowed if and only if `E` is, and if so, both have the same shortest plans. For
if either is allowed, `E` is. Its shortest plans avoid `D` and have at most ``c_g() + b`` steps: all their moves are
useful, none is a move of `x`. So `x` can be left out for values that depend on shortest plans alone: worst-case
distinctiveness (WCD) and the expected divergence point (EDP).

Moves that are not useful at the start are removed before the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askwise.designs import _kernels
from askwise.designs.space import NO_OWNER, EgoTrips, MoveGraph, Space
from askwise.divergence.pairs import capped_matrices
from askwise.errors import InputError
from askwise.frozen import read_only
from askwise.model.graph import reverse_edges
from askwise.model.pursuit import fill_distances
from askwise.types import BoolArray, FloatArray, IntArray

Removals = tuple[int, ...]
"""Indices of the forbidden things, in ascending order."""


class TeammatePaths:
    """The teammate's paths that may matter to a search for designs, and how a design changes them.

    A design has the indices of the things (cells, edges or actions) to forbid.

    Args:
        space: what may be forbidden, and the teammate's moves, start and targets.
        budget: steps by which the shortest path to each goal may grow.

    Attributes:
        n_things: number of things that may be forbidden.
        n_goals: number of goals.
        counted: ``bool [n_goals]``, goals with a prior above 0.
        costs: ``int32 [n_goals]``, steps to each goal without a design.
        most: ``int32 [n_goals]``, most steps allowed to each goal.
    """

    def __init__(self, space: Space, budget: int) -> None:
        self.n_things = len(space.names)
        self.n_goals = len(space.goals)
        self.counted = np.asarray(space.prior > 0)
        whole = _Walker(space.graph, space.start, space.targets, self.n_things)
        self.costs = whole.steps(())
        missing = np.flatnonzero(self.costs < 0)
        if missing.size:
            goal = space.goals[int(missing[0])]
            raise InputError(
                f"goal {goal}", "no way to it from where the teammate starts", "a goal that can be reached"
            )
        self.most = self.costs + budget
        self._walker = whole.without(~whole.useful((), self.most))

    @property
    def n_states(self) -> int:
        """Number of states on the teammate's paths to a goal that are no longer than the budget allows."""
        return int(self._walker.successor.shape[0])

    def goals_by(self, design: Sequence[int]) -> IntArray:
        """Return ``int32 [n_things]``: an estimate of the number of goals for which each thing matters.

        It is the largest number of goals with a shortest plan through a state to which a move of the thing leads, if
        the things in `design` are forbidden.
        """
        walker = self._walker
        plans = walker.plans(self.closed(design), walker.free)
        there = walker.successor >= 0
        goals = (plans.towards < _kernels.NO_PLAN).sum(axis=1).astype(np.int32)
        found = np.zeros(self.n_things + 1, dtype=np.int32)
        np.maximum.at(found, walker.owner[there], goals[walker.successor[there]])
        return found[:-1]

    def closed(self, design: Sequence[int]) -> BoolArray:
        """Return ``bool [n_things + 1]``: whether each thing is forbidden by a design, given by indices of things.

        The last entry is False. It is for index -1, which stands for moves that no design removes.
        """
        return self._walker.closed(design)

    def steps(self, design: Sequence[int]) -> IntArray:
        """Return the steps of a shortest plan for each goal under a design, ``int32 [n_goals]``, -1 if none is found.

        Plans that are longer than the budget allows may be missed. `design` has the indices of the forbidden things.
        """
        return self._walker.steps(design)

    def allowed(self, steps: IntArray) -> bool:
        """Return whether the shortest plan for each goal has at most as many steps as the budget allows.

        `steps` is ``int32 [n_goals]``, the length of a shortest plan for each goal, -1 if there is none.
        """
        return bool(((steps >= 0) & (steps <= self.most)).all())

    def useful(self, design: Sequence[int]) -> BoolArray:
        """Return the things that are worth forbidding in addition to `design`, ``bool [n_things]``.

        Forbidding any other thing changes no path that is short enough for the budget. `design` has indices of things.
        """
        walker = self._walker
        found = np.zeros(self.n_things + 1, dtype=np.bool_)
        found[walker.owner[walker.useful(design, self.most)]] = True
        return found[:-1]

    def divergence(self, design: Sequence[int]) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return EDP and WCD of all pairs of goals at the start, and the steps to each goal, under a design.

        EDP is the expected and WCD the latest step at which one goal is ruled out while another is pursued. Goals with
        a common plan count as told apart in the step after its end. `design` has indices of things.

        Returns:
            EDP and WCD, each ``float64 [n_goals (ruled out), n_goals (pursued)]``, meaningless on the diagonals; and
            the steps, ``int32 [n_goals]``, -1 for goals out of reach.
        """
        return self._walker.divergence(design)

    def shared(self, design: Sequence[int]) -> tuple[float, IntArray]:
        """Return, under a design, the latest step at which two goals can be told apart, and the steps to each goal.

        Only goals with a prior above 0 count; if there is only one, the first value is 0. The second is
        ``int32 [n_goals]``, -1 for goals that cannot be reached. `design` has the indices of the forbidden things.
        """
        walker = self._walker
        plans = walker.plans(self.closed(design), walker.free)
        possible = (plans.towards[:, self.counted] < _kernels.NO_PLAN).sum(axis=1)
        deepest = plans.depth[possible >= 2]
        return 1.0 + float(deepest.max(initial=-1)), plans.steps

    def plans(self, closed: BoolArray, price: IntArray) -> ShortestPlans:
        """Return the shortest plans of all goals under a design, and the least prices of these plans.

        The price of a plan is the sum of its moves' prices.

        Args:
            closed: ``bool [n_things + 1]``, forbidden things, from the method `closed`.
            price: ``int32 [n_things + 1]``, price of the moves of each thing; the last entry is 0.
        """
        return self._walker.plans(closed, price)


class ShortestPlans:
    """The shortest plans of all goals under a design, and the least prices of these plans.

    The price of a plan is the sum of its moves' prices.

    Args:
        walker: the graph with start and targets.
        closed: ``bool [n_things + 1]``, forbidden things (cells, edges or actions); the last entry is False.
        price: ``int32 [n_things + 1]``, price of the moves of each thing; the last entry is 0.

    Attributes:
        depth: ``int32 [n_states]``, steps from the start, -1 if not reached.
        order: ``int32 [n_states]``, begins with the reached states, nearest first.
        reached: number of reached states.
        steps: ``int32 [n_goals]``, length of a shortest plan, -1 for none.
        begun: ``int32 [n_states]``, least price of a shortest path to each state.
        towards: ``int32 [n_states, n_goals]``, least price of a shortest plan from each state; the large number
            `NO_PLAN` for no plan.
    """

    def __init__(self, walker: _Walker, closed: BoolArray, price: IntArray) -> None:
        n, n_goals = walker.successor.shape[0], len(walker.starts) - 1
        self.walker, self.closed, self.price = walker, closed, price
        self.depth = np.empty(n, dtype=np.int32)
        self.order = np.empty(n, dtype=np.int32)
        self.steps = np.empty(n_goals, dtype=np.int32)
        self.begun = np.empty(n, dtype=np.int32)
        self.towards = np.empty((n, n_goals), dtype=np.int32)
        moves = (walker.successor, walker.owner, closed)
        self.reached = _kernels.walk(*moves, walker.start, self.depth, self.order)
        _kernels.cheapest_plans(
            *moves,
            price,
            self.order,
            self.reached,
            self.depth,
            walker.targets,
            walker.starts,
            self.steps,
            self.begun,
            self.towards,
        )

    def cheapest_pair(self, counted: BoolArray, deepest: int) -> tuple[int, IntArray] | None:
        """Find the cheapest two shortest plans, for different goals, that begin with the same `deepest` steps or more.

        Their price is the sum of the prices of their moves. Moves of the common beginning count once. `counted`,
        ``bool [n_goals]``, marks the goals whose plans may be chosen.

        Returns:
            The price, and the indices of the things with a price above 0 on the plans; None if there are no such plans.
        """
        price, state, one, other = _kernels.cheapest_pair(
            self.order, self.reached, self.depth, self.begun, self.towards, counted, deepest
        )
        if price >= _kernels.NO_PLAN:
            return None
        walker = self.walker
        used = np.empty(self.price.size, dtype=np.int32)
        moves = (walker.successor, walker.owner, self.closed, self.price, self.depth)
        filled = _kernels.owners_before(*moves, self.order, self.reached, self.begun, state, used)
        for goal in (one, other):
            filled = _kernels.owners_after(*moves, self.towards, state, goal, used, filled)
        return price, used[:filled]

    def certain_agreement(self) -> FloatArray:
        """Return lower bounds on the expected divergence point (EDP) of all pairs of goals.

        Entry ``[i, j]`` of the result, ``float64 [n_goals, n_goals]``, is for goal `i` ruled out while goal `j` is
        pursued. The bound stays valid if things with a price above 0 are forbidden, as long as plans for `j` do not
        become longer.
        """
        walker = self.walker
        agreed = np.empty((self.steps.size, self.steps.size))
        _kernels.certain_agreement(
            walker.successor,
            walker.owner,
            self.closed,
            self.order,
            self.reached,
            self.depth,
            self.begun,
            self.towards,
            np.empty(self.depth.size),
            agreed,
        )
        return agreed


class _Walker:
    """A graph with a start and target states, which computes the shortest plans of all goals for any design.

    A design is a set of things (cells, edges or actions) to forbid.

    Args:
        graph: the moves, and the thing that owns each.
        start: index of the first state.
        targets: target states of each goal.
        n_things: number of things that may be forbidden.

    Attributes:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for none.
        owner: ``int32 [n_states, n_ranks]``, thing whose ban removes each move, or -1.
        targets: ``int32``, target states, goal after goal.
        starts: ``int32 [n_goals + 1]``; goal g has ``targets[starts[g]:starts[g + 1]]``.
        free: ``int32 [n_things + 1]``, prices of 0 for all things.
    """

    def __init__(self, graph: MoveGraph, start: int, targets: Sequence[IntArray], n_things: int) -> None:
        self.successor, self.owner = graph.successor, graph.owner
        self.start = start
        self.targets = np.concatenate(targets).astype(np.int32)
        self.starts = np.concatenate(([0], np.cumsum([each.size for each in targets]))).astype(np.int32)
        self.free = np.zeros(n_things + 1, dtype=np.int32)

    def closed(self, design: Sequence[int]) -> BoolArray:
        closed = np.zeros(self.free.size, dtype=np.bool_)
        closed[list(design)] = True
        return closed

    def plans(self, closed: BoolArray, price: IntArray) -> ShortestPlans:
        return ShortestPlans(self, closed, price)

    def steps(self, design: Sequence[int]) -> IntArray:
        return self.plans(self.closed(design), self.free).steps

    def left(self, design: Sequence[int]) -> tuple[IntArray, Any, IntArray]:
        """Return the graph without the moves that a design (indices of things) removes.

        Returns:
            The next state of each move, ``int32 [n_states, n_ranks]``, -1 for no move; and two arrays `indptr` and
            `indices`: moves to state s begin in the states ``indices[indptr[s]:indptr[s + 1]]``.
        """
        successor = read_only(np.where(self.closed(design)[self.owner], np.int32(-1), self.successor))
        indptr, indices = reverse_edges(successor)
        return successor, read_only(indptr), read_only(indices)

    def divergence(self, design: Sequence[int]) -> tuple[FloatArray, FloatArray, IntArray]:
        return capped_matrices(*self.left(design), self.start, self.targets, self.starts)

    def useful(self, design: Sequence[int], most: IntArray) -> BoolArray:
        """Return whether each move is on a short enough walk from the start to a goal, ``bool [n_states, n_ranks]``.

        The walk avoids the things in `design`. `most`, ``int32 [n_goals]``, is the largest number of steps allowed to
        each goal.
        """
        successor, indptr, indices = self.left(design)
        depth = np.empty(successor.shape[0], dtype=np.int32)
        order = np.empty_like(depth)
        _kernels.walk(successor, self.owner, self.closed(()), self.start, depth, order)
        distance = np.empty((successor.shape[0], most.size), dtype=np.int32)
        fill_distances(indptr, indices, self.targets, self.starts, distance)
        # Moves that do not change the state are on no shortest path, and no walk needs them.
        found = np.zeros(successor.shape, dtype=np.bool_)
        for goal in range(most.size):
            rest = distance[:, goal][successor]
            total = depth[:, None] + 1 + rest
            found |= (rest >= 0) & (total <= most[goal])
        found &= (successor >= 0) & (depth >= 0)[:, None] & (successor != np.arange(depth.size)[:, None])
        return found

    def without(self, dropped: BoolArray) -> _Walker:
        """Return a copy without some moves, and without the states to which no remaining move leads.

        `dropped`, ``bool [n_states, n_ranks]``, says which moves are removed. The start and the targets are kept.
        """
        successor = np.where(dropped, np.int32(-1), self.successor)
        kept = np.zeros(successor.shape[0], dtype=np.bool_)
        kept[successor[successor >= 0]] = True
        kept[self.start] = True
        kept[self.targets] = True
        number = np.full(kept.size + 1, -1, dtype=np.int32)  # the last entry keeps -1
        number[:-1][kept] = np.arange(int(kept.sum()), dtype=np.int32)
        graph = MoveGraph(number[successor[kept]], np.where(dropped, np.int32(NO_OWNER), self.owner)[kept])
        parts = [number[self.targets[a:b]] for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]
        return _Walker(graph, int(number[self.start]), parts, self.free.size - 1)


def trip_steps(trips: EgoTrips, design: Sequence[int], n_things: int) -> IntArray:
    """Return the ego agent's steps to each goal under a design, ``int32 [n_goals]``, -1 if there is no way.

    Args:
        trips: the ego agent's trip for each goal.
        design: indices of the forbidden things.
        n_things: number of things that may be forbidden.
    """
    graph = trips.graph
    closed = np.zeros(n_things + 1, dtype=np.bool_)
    closed[list(design)] = True
    depths: dict[int, IntArray] = {}
    order = np.empty(graph.successor.shape[0], dtype=np.int32)
    found = trips.extra.astype(np.int32)
    for goal, legs in enumerate(trips.legs):
        for source, ends in legs:
            if source not in depths:
                depths[source] = np.empty_like(order)
                _kernels.walk(graph.successor, graph.owner, closed, source, depths[source], order)
            there = depths[source][ends]
            there = there[there >= 0]
            found[goal] = -1 if found[goal] < 0 or not there.size else found[goal] + int(there.min())
    return found
