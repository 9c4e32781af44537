"""Compiled loops over the shortest plans that are left when a design forbids some things.

A *thing* is a cell, edge or action. A *design* is a set of things to forbid. The *owner* of a move is the thing whose
ban removes it, or -1 (`NO_OWNER`). Moves with owner -1 are never forbidden and have price 0: index -1 is the last entry
of the arrays `closed` and `price`, which is 0.
"""

from __future__ import annotations

from typing import Any

from askwise._compiled import compiled, inner

NO_PLAN = 1 << 29
"""A price that is larger than any plan's, for states without a plan."""


@compiled
def walk(successor: Any, owner: Any, closed: Any, start: int, depth: Any, order: Any) -> int:
    """Search a graph breadth-first without forbidden moves; return the number of states reached.

    Args:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for none.
        owner: ``int32 [n_states, n_ranks]``, thing (cell, edge or action) whose ban removes the move, or -1.
        closed: ``bool [n_things + 1]``, forbidden things; the last entry is False.
        start: the first state.
        depth: ``int32 [n_states]``, filled with steps from `start`, or -1.
        order: ``int32 [n_states]``, filled with the reached states, nearest first.
    """
    depth[:] = -1
    depth[start] = 0
    order[0] = start
    head, filled = 0, 1
    while head < filled:
        s = order[head]
        head += 1
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t >= 0 and depth[t] < 0 and not closed[owner[s, a]]:
                depth[t] = depth[s] + 1
                order[filled] = t
                filled += 1
    return filled


@compiled
def cheapest_plans(
    successor: Any,
    owner: Any,
    closed: Any,
    price: Any,
    order: Any,
    reached: int,
    depth: Any,
    targets: Any,
    starts: Any,
    steps: Any,
    begun: Any,
    towards: Any,
) -> None:
    """For each goal and state, compute the least price of a shortest plan for the goal that leads through the state.

    The price of a plan is the sum of its moves' prices: `begun` up to the state, plus `towards` from there on.

    - Moves, ``int32 [n_states, n_ranks]``: `successor` is the next state, -1 for none; `owner` is the thing (cell, edge
      or action) whose ban removes the move, or -1.
    - Things, ``[n_things + 1]``: `closed`, bool, marks those forbidden; `price`, int32, is the price of each of their
      moves. The last entries are 0.
    - States, ``int32 [n_states]``: `order` begins with the `reached` states, nearest first; `depth` has the steps from
      the start, -1 if not reached.
    - Goals: goal g has the target states ``targets[starts[g]:starts[g + 1]]``, int32.
    - Filled: `steps`, ``int32 [n_goals]``, with the length of a shortest plan, -1 for none; `begun`,
      ``int32 [n_states]``; `towards`, ``int32 [n_states, n_goals]``, with `NO_PLAN` for no plan.
    """
    begun[:] = NO_PLAN
    begun[order[0]] = 0
    for k in range(reached):
        s = order[k]
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t >= 0 and depth[t] == depth[s] + 1 and not closed[owner[s, a]]:
                begun[t] = min(begun[t], begun[s] + price[owner[s, a]])
    _end_at_nearest(depth, targets, starts, steps, towards)
    for k in range(reached - 1, -1, -1):
        s = order[k]
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t >= 0 and depth[t] == depth[s] + 1 and not closed[owner[s, a]]:
                # A plan ends where its goal is first reached, after `steps` moves.
                for goal in range(steps.size):
                    if depth[s] < steps[goal] and towards[t, goal] < NO_PLAN:
                        towards[s, goal] = min(towards[s, goal], towards[t, goal] + price[owner[s, a]])


@inner
def _end_at_nearest(depth: Any, targets: Any, starts: Any, steps: Any, towards: Any) -> None:
    """Compute the steps to each goal, and mark in `towards` the target states in which the goal's shortest plans end.

    Goal g has the target states ``targets[starts[g]:starts[g + 1]]``, at `depth` steps from the start. `steps` is
    filled with the steps to the nearest, -1 if none is reached; `towards` with 0 at the nearest, `NO_PLAN` elsewhere.
    """
    towards[:] = NO_PLAN
    for goal in range(steps.size):
        own = targets[starts[goal] : starts[goal + 1]]
        nearest = -1
        for t in own:
            if depth[t] >= 0 and (nearest < 0 or depth[t] < nearest):
                nearest = depth[t]
        steps[goal] = nearest
        for t in own:
            if nearest >= 0 and depth[t] == nearest:
                towards[t, goal] = 0


@compiled
def cheapest_pair(
    order: Any, reached: int, depth: Any, begun: Any, towards: Any, counted: Any, in_common: int
) -> tuple[int, int, int, int]:
    """Find the cheapest two shortest plans, for different goals, that begin with the same `in_common` steps or more.

    Their price is the sum of their moves' prices. Moves of the common beginning count once. Only goals in `counted`,
    ``bool [n_goals]``, are taken.

    - States, ``int32 [n_states]``: `order` begins with the `reached` states, nearest first; `depth` has the steps from
      the start, -1 if not reached; `begun` is the least price of a shortest path to a state.
    - `towards`, ``int32 [n_states, n_goals]``: least price of a shortest plan from a state, `NO_PLAN` for no plan.

    Returns:
        The price, the last common state, and the two goals; `NO_PLAN`, -1, -1 and -1 if there are no such plans.
    """
    best, state, one, other = NO_PLAN, -1, -1, -1
    for k in range(reached - 1, -1, -1):
        s = order[k]
        if depth[s] < in_common:
            break
        if begun[s] >= best:
            continue
        first, second, i, j = NO_PLAN, NO_PLAN, -1, -1
        for goal in range(counted.size):
            if counted[goal]:
                here = towards[s, goal]
                if here < first:
                    second, j = first, i
                    first, i = here, goal
                elif here < second:
                    second, j = here, goal
        if second < NO_PLAN and begun[s] + first + second < best:
            best, state, one, other = begun[s] + first + second, s, i, j
    return best, state, one, other


@compiled
def owners_before(
    successor: Any,
    owner: Any,
    closed: Any,
    price: Any,
    depth: Any,
    order: Any,
    reached: int,
    begun: Any,
    state: int,
    used: Any,
) -> int:
    """List the things with a price above 0 on a cheapest shortest path from the start to a state; return their number.

    The path ends in `state`. The list, with each thing once, is written to `used`, ``int32 [n_things + 1]``.

    - Moves, ``int32 [n_states, n_ranks]``: `successor` is the next state, -1 for none; `owner` is the thing (cell, edge
      or action) whose ban removes the move, or -1.
    - Things, ``[n_things + 1]``: `closed`, bool, marks those forbidden; `price`, int32, is the price of each of their
      moves. The last entries are 0.
    - States, ``int32 [n_states]``: `order` begins with the `reached` states, nearest first; `depth` has the steps from
      the start, -1 if not reached; `begun` is the least price of a shortest path to a state.
    """
    filled = 0
    # Backwards: states are sorted by depth, so one pass finds all predecessors.
    s, k = state, reached - 1
    while depth[s] > 0:
        u = order[k]
        k -= 1
        if depth[u] == depth[s] - 1:
            for a in range(successor.shape[1]):
                if successor[u, a] == s and not closed[owner[u, a]] and begun[u] + price[owner[u, a]] == begun[s]:
                    if price[owner[u, a]] > 0:
                        filled = _added(used, filled, owner[u, a])
                    s = u
                    break
    return filled


@compiled
def owners_after(
    successor: Any,
    owner: Any,
    closed: Any,
    price: Any,
    depth: Any,
    towards: Any,
    state: int,
    goal: int,
    used: Any,
    filled: int,
) -> int:
    """Add the things with a price above 0 on a cheapest shortest plan from a state to a list; return its new length.

    The plan begins in `state` and is for `goal`. The list is `used`, ``int32 [n_things + 1]``, each thing once;
    `filled` is its length before the call.

    - Moves, ``int32 [n_states, n_ranks]``: `successor` is the next state, -1 for none; `owner` is the thing (cell, edge
      or action) whose ban removes the move, or -1.
    - Things, ``[n_things + 1]``: `closed`, bool, marks those forbidden; `price`, int32, is the price of each of their
      moves. The last entries are 0.
    - `depth`, ``int32 [n_states]``: steps from the start, -1 if not reached.
    - `towards`, ``int32 [n_states, n_goals]``: least price of a shortest plan from a state, `NO_PLAN` for no plan.
    """
    s = state
    left = True
    while left:
        left = False
        for a in range(successor.shape[1]):
            t = successor[s, a]
            if t < 0 or depth[t] != depth[s] + 1 or closed[owner[s, a]] or towards[t, goal] >= NO_PLAN:
                continue
            if towards[t, goal] + price[owner[s, a]] == towards[s, goal]:
                if price[owner[s, a]] > 0:
                    filled = _added(used, filled, owner[s, a])
                s = t
                left = True
                break
    return filled


@inner
def _added(used: Any, filled: int, thing: int) -> int:
    for k in range(filled):
        if used[k] == thing:
            return filled
    used[filled] = thing
    return filled + 1


@compiled
def certain_agreement(
    successor: Any,
    owner: Any,
    closed: Any,
    order: Any,
    reached: int,
    depth: Any,
    begun: Any,
    towards: Any,
    least: Any,
    agreed: Any,
) -> None:
    """Compute lower bounds on the expected divergence point (EDP) of all pairs of goals.

    EDP(i | j) is the expected step at which goal `i` is ruled out while goal `j` is pursued. A state is *certain* for
    `i` if it lies on a shortest plan for `i` in which all moves have price 0. The bound is the least number of such
    states on a shortest plan for `j`. It holds whatever things with a price above 0 are forbidden, as long as plans for
    `j` do not become longer.

    - Moves, ``int32 [n_states, n_ranks]``: `successor` is the next state, -1 for none; `owner` is the thing (cell, edge
      or action) whose ban removes the move, or -1.
    - Things: `closed`, ``bool [n_things + 1]``, marks those forbidden; the last entry is False.
    - States, ``int32 [n_states]``: `order` begins with the `reached` states, nearest first; `depth` has the steps from
      the start, -1 if not reached; `begun` is the least price of a shortest path to a state.
    - `towards`, ``int32 [n_states, n_goals]``: least price of a shortest plan from a state, `NO_PLAN` for no plan.
    - `least`, ``float64 [n_states]``: work space.
    - `agreed`, ``float64 [n_goals, n_goals]``: filled with bounds at ``[i, j]``; 1 if `j` is out of reach.
    """
    n_goals = towards.shape[1]
    for j in range(n_goals):
        for i in range(n_goals):
            for k in range(reached - 1, -1, -1):
                s = order[k]
                if towards[s, j] >= NO_PLAN:
                    continue
                following = -1.0
                for a in range(successor.shape[1]):
                    t = successor[s, a]
                    if t < 0 or depth[t] != depth[s] + 1 or closed[owner[s, a]] or towards[t, j] >= NO_PLAN:
                        continue
                    if following < 0 or least[t] < following:
                        following = least[t]
                certain = 1.0 if begun[s] + towards[s, i] == 0 else 0.0
                least[s] = certain + max(following, 0.0)
            agreed[i, j] = least[order[0]] if towards[order[0], j] < NO_PLAN else 1.0
