"""Compiled loops over the shortest plans that are left when a design forbids some things.

A *thing* is a cell, edge or action. A *design* is a set of things to forbid. The *owner* of a move is the thing that
has to be forbidden to remove the move; it is -1 (`NO_OWNER`) for moves that no design removes. Index -1 reads the last
entry of `closed` and `price`: these moves are never forbidden and cost nothing.
"""

from __future__ import annotations

from typing import Any

from askwise._compiled import compiled, inner

NO_PLAN = 1 << 29
"""A price that is larger than any plan's, for states without a plan."""


@compiled
def walk(successor: Any, owner: Any, closed: Any, start: int, depth: Any, order: Any) -> int:
    """Search a graph breadth-first without the moves that are forbidden; return the number of states reached.

    Args:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for no move.
        owner: ``int32 [n_states, n_ranks]``, thing (cell, edge or action) whose ban removes each move, -1 for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry is False.
        start: the first state.
        depth: ``int32 [n_states]``, filled with the steps from `start`, -1 if not reached.
        order: ``int32 [n_states]``, its first entries are filled with the reached states, nearest first.
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

    The price of a plan is the sum of the prices of its moves: `begun` for the moves up to the state, plus `towards`.

    Args:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for no move.
        owner: ``int32 [n_states, n_ranks]``, thing (cell, edge or action) whose ban removes each move, -1 for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry is False.
        price: ``int32 [n_things + 1]``, price of each move that a thing owns; the last entry is 0.
        order: ``int32 [n_states]``, reached states, nearest first.
        reached: number of reached states.
        depth: ``int32 [n_states]``, steps from the start, -1 if not reached.
        targets: ``int32``, target states of goal 0, then of goal 1, and so on.
        starts: ``int32 [n_goals + 1]``; goal g has the target states ``targets[starts[g]:starts[g + 1]]``.
        steps: ``int32 [n_goals]``, filled with the moves of a shortest plan, -1 for none.
        begun: ``int32 [n_states]``, filled with the least price of a shortest path to each state.
        towards: ``int32 [n_states, n_goals]``, filled with the least price from each state on, `NO_PLAN` for no plan.
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

    `steps` is filled with the steps to the nearest target state of each goal, -1 if there is none; `towards` with 0 at
    these target states and `NO_PLAN` elsewhere.
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
    """Find the cheapest pair of shortest plans, for different goals, with the same first `in_common` steps or more.

    The price of a pair is the sum of the prices of the moves in both plans. Moves of the common beginning count once.

    Args:
        order: ``int32 [n_states]``, reached states, nearest first.
        reached: number of reached states.
        depth: ``int32 [n_states]``, steps from the start, -1 if not reached.
        begun: ``int32 [n_states]``, least price of a shortest path to each state.
        towards: ``int32 [n_states, n_goals]``, least price of a shortest plan from each state on, `NO_PLAN` for no
            plan.
        counted: ``bool [n_goals]``, goals whose plans may be chosen.
        in_common: least number of common steps.

    Returns:
        The price of the pair, the last common state, and the two goals; `NO_PLAN`, -1, -1 and -1 if there is no pair.
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

    Args:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for no move.
        owner: ``int32 [n_states, n_ranks]``, thing (cell, edge or action) whose ban removes each move, -1 for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry is False.
        price: ``int32 [n_things + 1]``, price of each move that a thing owns; the last entry is 0.
        depth: ``int32 [n_states]``, steps from the start, -1 if not reached.
        order: ``int32 [n_states]``, reached states, nearest first.
        reached: number of reached states.
        begun: ``int32 [n_states]``, least price of a shortest path to each state.
        state: the end of the path.
        used: ``int32 [n_things + 1]``, its first entries are filled with the things, each once.
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
    """Follow a cheapest shortest plan from a state to its end, and list the things with a price above 0 in `used`.

    Returns the new length of the list.

    Args:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for no move.
        owner: ``int32 [n_states, n_ranks]``, thing (cell, edge or action) whose ban removes each move, -1 for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry is False.
        price: ``int32 [n_things + 1]``, price of each move that a thing owns; the last entry is 0.
        depth: ``int32 [n_states]``, steps from the start, -1 if not reached.
        towards: ``int32 [n_states, n_goals]``, least price of a shortest plan from each state on, `NO_PLAN` for no
            plan.
        state: the state in which to begin.
        goal: the goal of the plan.
        used: ``int32 [n_things + 1]``, begins with the list of things, each once.
        filled: length of the list before the call.
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
    `i` if it lies on a shortest plan for `i` in which every move has price 0. The bound is the least number of such
    states on a shortest plan for `j`. If things with a price above 0 are forbidden, the bound holds as long as the
    number of steps to `j` stays the same.

    Args:
        successor: ``int32 [n_states, n_ranks]``, next state of each move, -1 for no move.
        owner: ``int32 [n_states, n_ranks]``, thing (cell, edge or action) whose ban removes each move, -1 for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry is False.
        order: ``int32 [n_states]``, reached states, nearest first.
        reached: number of reached states.
        depth: ``int32 [n_states]``, steps from the start, -1 if not reached.
        begun: ``int32 [n_states]``, least price of a shortest path to each state.
        towards: ``int32 [n_states, n_goals]``, least price of a shortest plan from each state on, `NO_PLAN` for no
            plan.
        least: ``float64 [n_states]``, work space.
        agreed: ``float64 [n_goals, n_goals]``, filled with the bound on EDP(i | j) at ``[i, j]``; 1 if `j` cannot be
            reached.
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
