"""The teammate's paths under a design, and the things that can matter.

A *thing* is what a design may forbid: a cell, an edge or an action. Its moves are those that forbidding it removes.

Let `c_g(D)` be the number of steps of a shortest plan for goal `g` if the things `D` are forbidden, and `b` the budget.
A design is *allowed* if ``c_g(D) <= c_g() + b`` for every goal. Plans under a design are also plans without it, so
forbidding more never lowers a cost: if `D` is not allowed, no extension of `D` is.

**Things that cannot matter.** Call a move *useful* after `D` if it lies on a walk of at most ``c_g() + b`` steps for
some goal `g` that avoids `D`. If no move of a thing `x` is useful after `D`, then for every design `E` that contains
`D`: `E` with `x` is allowed if and only if `E` is, and both have the same shortest plans. To see this, let `E` with `x`
be allowed. Its shortest plans have at most ``c_g() + b`` steps and avoid `E`, hence `D`, so all their moves are useful.
So are all moves of the shortest plans of `E`, which are not longer. None of them uses `x`, so the two sets of plans are
equal. If `E` is allowed, the same argument applies to its own shortest plans. Therefore `x` can be left out of `E` and
of all its extensions, for every value that depends on the shortest plans only (WCD, EDP).

With a budget of 0, the useful moves are those on shortest plans, and the set of shortest plans can only shrink. With a
larger budget, other plans may become the shortest; all of them consist of useful moves. So states and moves that are
not useful at the start are removed before the search: a large map shrinks to the paths across it.

The expected cost of not knowing the goal also depends on the ego agent's paths (see `askwise.designs.measures`).
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
    """The teammate's paths that can be shortest ones under some design, and how a design changes them.

    A design is a set of things (cells, edges or actions) to forbid, given by their indices.

    Args:
        space: the design space, that is, what may be forbidden, and the teammate's moves, start and targets.
        budget: the number of steps by which the shortest path to each goal may grow.

    Attributes:
        n_things: the number of things that may be forbidden.
        n_goals: the number of goals.
        counted: ``bool [n_goals]``, the goals with a prior above 0.
        costs: ``int32 [n_goals]``, the steps of a shortest path to each goal without a design.
        most: ``int32 [n_goals]``, the largest allowed number of steps to each goal, that is, `costs` plus `budget`.
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
        """Number of states on paths that can be shortest ones under some design."""
        return int(self._walker.successor.shape[0])

    def goals_by(self, design: Sequence[int]) -> IntArray:
        """Return ``int32 [n_things]``: for how many goals each thing is on a shortest plan, if `design` is forbidden.

        A thing is a cell, edge or action that may be forbidden; `design` holds the indices of forbidden ones.
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
        """Return ``int32 [n_goals]``: the steps of a shortest plan for each goal under a design, -1 if none is found.

        Plans within the budget (`most`) are always found. A shortest plan that exceeds the budget may be missed;
        whether it is found or not, `allowed` returns False. `design` holds the indices of the forbidden things.
        """
        return self._walker.steps(design)

    def allowed(self, steps: IntArray) -> bool:
        """Return whether every goal has a plan within the budget, that is, of at most `most` steps.

        `steps` is ``int32 [n_goals]``, the length of a shortest plan for each goal, -1 if there is none.
        """
        return bool(((steps >= 0) & (steps <= self.most)).all())

    def useful(self, design: Sequence[int]) -> BoolArray:
        """Return the things that are worth forbidding in addition to `design`, ``bool [n_things]``.

        Forbidding any other thing changes no path within the budget, that is, with at most `most` steps to its goal. A
        thing is a cell, edge or action that may be forbidden; `design` holds the indices of forbidden ones.
        """
        walker = self._walker
        found = np.zeros(self.n_things + 1, dtype=np.bool_)
        found[walker.owner[walker.useful(design, self.most)]] = True
        return found[:-1]

    def divergence(self, design: Sequence[int]) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return EDP and WCD of all pairs of goals at the start, and the steps to each goal, under a design.

        `design` holds the indices of the forbidden things.

        Returns:
            edp: ``float64 [n_goals (ruled out), n_goals (pursued)]``, the expected divergence point: the expected step
                at which the first goal is ruled out. If shortest plans for both goals can end in the same state, such a
                plan counts as ruling out the first goal in the step after its end. The diagonal has no meaning.
            wcd: ``float64 [n_goals (ruled out), n_goals (pursued)]``, worst-case distinctiveness: the latest step at
                which the first goal is ruled out.
            steps: ``int32 [n_goals]``, the steps to each goal, -1 if it cannot be reached.
        """
        return self._walker.divergence(design)

    def shared(self, design: Sequence[int]) -> tuple[float, IntArray]:
        """Return the latest step at which two goals can be told apart under a design, and the steps to each goal.

        `design` holds the indices of the forbidden things.

        Returns:
            The largest worst-case distinctiveness (WCD) of two goals with a prior above 0, that is, one more than the
            largest number of first steps that shortest plans for two of these goals share; 0 if there is only one such
            goal. And ``int32 [n_goals]``, the steps to each goal, -1 if it cannot be reached.
        """
        walker = self._walker
        plans = walker.plans(self.closed(design), walker.free)
        possible = (plans.towards[:, self.counted] < _kernels.NO_PLAN).sum(axis=1)
        deepest = plans.depth[possible >= 2]
        return 1.0 + float(deepest.max(initial=-1)), plans.steps

    def plans(self, closed: BoolArray, price: IntArray) -> ShortestPlans:
        """Return the plans with the fewest moves under a design, and their least prices, for given prices of moves.

        Args:
            closed: ``bool [n_things + 1]``, whether each thing (cell, edge or action) is forbidden, as returned by the
                method `closed`.
            price: ``int32 [n_things + 1]``, the price of a move, by the thing whose prohibition removes it; the last
                entry, for moves that no design removes, is 0.
        """
        return self._walker.plans(closed, price)


class ShortestPlans:
    """The shortest plans of all goals under a design, and the least prices of these plans.

    A plan pays the price of each of its moves. With price 1 for the moves of some things and 0 for all others, the
    price of a plan counts how often it uses these things.

    Args:
        walker: the graph with start and targets.
        closed: ``bool [n_things + 1]``, whether each thing (cell, edge or action) is forbidden; the last entry, for
            moves that no design removes, is False.
        price: ``int32 [n_things + 1]``, the price of a move, by the thing whose prohibition removes it; the last entry
            is 0.

    Attributes:
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that cannot be reached.
        order: ``int32 [n_states]``, its first `reached` entries are the reachable states, nearest first.
        reached: the number of states that can be reached.
        steps: ``int32 [n_goals]``, the length of a shortest plan, -1 if the goal cannot be reached.
        begun: ``int32 [n_states]``, the least price of a shortest path from the start to each state.
        towards: ``int32 [n_states, n_goals]``, the least price from each state to the end of a shortest plan for each
            goal; `NO_PLAN` if no shortest plan for the goal leads through the state.
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
        """Find two shortest plans, for different goals, that begin with the same steps; return their price and things.

        Of all such pairs, one with the least total price is taken. The price of a move of the common beginning counts
        once.

        Args:
            counted: ``bool [n_goals]``, the goals that may be taken.
            deepest: the smallest allowed number of first steps that the plans share.

        Returns:
            The total price, and the indices of those things (cells, edges or actions) with a price above 0 whose
            prohibition removes a move of at least one of the plans. None if there are no such plans.
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

        Entry ``[i, j]`` of the result, ``float64 [n_goals, n_goals]``, is a bound on the expected step at which goal
        `i` is ruled out if the teammate pursues goal `j`. A plan's price is the sum of the prices of its moves. A state
        is certain for `i` if a shortest plan for `i` that leads through it has price 0. The bound is the smallest
        number of certain states on any shortest plan for `j`. It stays valid if things with a price above 0 are
        forbidden, because plans with price 0 remain, as long as the number of steps to `j` stays the same.
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
    """A graph with a start and targets; computes the shortest plans of all goals on it under any design.

    Args:
        graph: the moves, and for each of them the thing (cell, edge or action) whose prohibition removes it.
        start: the index of the first state.
        targets: for each goal the indices of its target states, in which it is reached.
        n_things: the number of things that may be forbidden.

    Attributes:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move.
        owner: ``int32 [n_states, n_ranks]``, the thing whose prohibition removes each move, -1 for none.
        targets: ``int32``, the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, where the targets of each goal begin in `targets`.
        free: ``int32 [n_things + 1]``, all 0: a price for each thing, and one for moves that no design removes.
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
        """Return the graph that is left if the things of a design, given by their indices, are forbidden.

        Returns:
            Three arrays. The first is ``int32 [n_states, n_ranks]``, the next state of each move, -1 for no move. The
            other two, `indptr` and `indices`, have the states before each state:
            ``indices[indptr[s] : indptr[s + 1]]`` for state `s`.
        """
        successor = read_only(np.where(self.closed(design)[self.owner], np.int32(-1), self.successor))
        indptr, indices = reverse_edges(successor)
        return successor, read_only(indptr), read_only(indices)

    def divergence(self, design: Sequence[int]) -> tuple[FloatArray, FloatArray, IntArray]:
        return capped_matrices(*self.left(design), self.start, self.targets, self.starts)

    def useful(self, design: Sequence[int], most: IntArray) -> BoolArray:
        """Return ``bool [n_states, n_ranks]``: which moves are on a walk from the start to a goal within the budget.

        Args:
            design: indices of the forbidden things, which the walk avoids.
            most: ``int32 [n_goals]``, the largest number of steps of a walk to each goal, that is, the budget.
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
        """Return the same graph without some moves, and without states to which no other move leads.

        ``dropped [n_states, n_ranks]``, a column for each move of a state, says which moves are removed. The start and
        the targets are kept.
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
    """Return ``int32 [n_goals]``: the ego agent's steps to each goal under a design, -1 if there is no way.

    Args:
        trips: the ego agent's trip for each goal; it may have several parts, each with its own end.
        design: indices of the forbidden things (cells or edges).
        n_things: the number of things that may be forbidden.
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
