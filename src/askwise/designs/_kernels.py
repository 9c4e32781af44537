"""Compiled loops over the shortest plans that are left when a design forbids some things.

A *design* is a set of things to forbid. A *thing* is a cell, edge or action. The *owner* of a move is the thing that
has to be forbidden to remove the move; it is -1 (`NO_OWNER`) for moves that no design removes. The theory is in
`askwise.designs.paths` and `askwise.designs.branch_and_bound`.

Two arrays occur in most loops: ``closed [n_things + 1]`` says which things are forbidden, and ``price [n_things + 1]``
has for each thing the price of each single move that it owns. The last entry of both arrays is for moves without
owner, because index -1 reads the last entry. These moves are never forbidden and cost nothing.
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
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move; each column is
            one move of a state.
        owner: ``int32 [n_states, n_ranks]``, the index of the thing (cell, edge or action) that has to be forbidden to
            remove each move; -1 for moves that no design removes.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves that no design
            removes, is False.
        start: the first state.
        depth: ``int32 [n_states]``, filled with the steps from `start`, -1 for states that are not reached.
        order: ``int32 [n_states]``, its first entries are filled with the reached states in breadth-first order.
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
    """For each goal and state, compute the least price among the shortest plans that lead through the state.

    A shortest plan for a goal has the fewest moves. The price of a plan is the sum of the prices of its moves. The
    least price is stored in two parts: `begun` for the moves up to the state, and `towards` for the moves after the
    state.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move; each column is
            one move of a state.
        owner: ``int32 [n_states, n_ranks]``, the index of the thing (cell, edge or action) that has to be forbidden to
            remove each move; -1 for moves that no design removes.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves that no design
            removes, is False.
        price: ``int32 [n_things + 1]``, for each thing the price of every move that forbidding the thing removes; the
            last entry, for moves that no design removes, is 0.
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        targets: ``int32``, the states in which goal 0 is reached, then those in which goal 1 is reached, and so on.
        starts: ``int32 [n_goals + 1]``; the target states of goal g are ``targets[starts[g]:starts[g + 1]]``.
        steps: ``int32 [n_goals]``, filled with the number of moves of a shortest plan for each goal, -1 if the goal
            cannot be reached.
        begun: ``int32 [n_states]``, filled with the least price among the shortest paths from the start to each state.
        towards: ``int32 [n_states, n_goals]``, filled with the least price of the moves after each state, among the
            shortest plans for each goal that lead through the state; `NO_PLAN`, a very large number, if there is no
            such plan.
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

    Args:
        depth: ``int32 [n_states]``, the steps from the start, -1 if unreachable.
        targets: ``int32``, the states in which goal 0 is reached, then those in which goal 1 is reached, and so on.
        starts: ``int32 [n_goals + 1]``; the target states of goal g are ``targets[starts[g]:starts[g + 1]]``.
        steps: ``int32 [n_goals]``, filled with the steps to the nearest target state of each goal, -1 if none can be
            reached.
        towards: ``int32 [n_states, n_goals]``, filled with 0 at the nearest target states of each goal, and with
            `NO_PLAN`, a very large number, elsewhere.
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
    """Find the cheapest pair of two shortest plans, for different goals, that begin with the same steps.

    At least the first `in_common` steps must be the same in both plans. The price of a pair is the sum of the prices of
    the moves in the two plans, where moves of the common beginning count once.

    Args:
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        begun: ``int32 [n_states]``, the least price among the shortest paths from the start to each state.
        towards: ``int32 [n_states, n_goals]``, the least price of the moves after each state, among the shortest plans
            for each goal that lead through the state; `NO_PLAN`, a very large number, if there is no such plan.
        counted: ``bool [n_goals]``, whether plans for each goal may be chosen.
        in_common: the least number of steps that both plans must have in common at their beginning.

    Returns:
        Four numbers. They are the price of the pair, the state in which the common beginning ends, the index of the
        goal of one plan, and the index of the goal of the other plan. If there is no such pair, the first number is
        `NO_PLAN`, which is very large, and the other three are -1.
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
    """List the things with a price above 0 on a shortest path from the start to a state; return the number of things.

    Of all paths with the fewest moves, one with the least sum of prices of its moves is taken. A thing is a cell, edge
    or action that may be forbidden. A thing is on a path if forbidding it removes a move of the path.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move; each column is
            one move of a state.
        owner: ``int32 [n_states, n_ranks]``, the index of the thing (cell, edge or action) that has to be forbidden to
            remove each move; -1 for moves that no design removes.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves that no design
            removes, is False.
        price: ``int32 [n_things + 1]``, for each thing the price of every move that forbidding the thing removes; the
            last entry, for moves that no design removes, is 0.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        begun: ``int32 [n_states]``, the least price among the shortest paths from the start to each state.
        state: the state to which the path leads.
        used: ``int32 [n_things + 1]``, whose first entries are filled with the indices of the things found, each once.
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
    """Follow a shortest plan from a state to its end, and add the things with a price above 0 to the list `used`.

    Of the shortest plans for `goal` that lead through `state`, one is followed whose moves after the state have the
    least price. A thing is a cell, edge or action that may be forbidden. A thing is on a plan if forbidding it removes
    a move of the plan. Returns the new length of the list.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move; each column is
            one move of a state.
        owner: ``int32 [n_states, n_ranks]``, the index of the thing (cell, edge or action) that has to be forbidden to
            remove each move; -1 for moves that no design removes.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves that no design
            removes, is False.
        price: ``int32 [n_things + 1]``, for each thing the price of every move that forbidding the thing removes; the
            last entry, for moves that no design removes, is 0.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        towards: ``int32 [n_states, n_goals]``, the least price of the moves after each state, among the shortest plans
            for each goal that lead through the state; `NO_PLAN`, a very large number, if there is no such plan.
        state: the state from which the plan is followed to its end.
        goal: the index of the plan's goal.
        used: ``int32 [n_things + 1]``, whose first entries are the list: indices of things, each once.
        filled: the length of the list before the call.
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

    EDP(i | j) is the expected step at which the agent's moves rule out goal `i` while the agent pursues goal `j`. Goal
    `i` is still possible in the states that lie on a shortest plan for `i`. EDP(i | j) is the number of such states on
    a shortest plan for `j`, averaged over these plans.

    The price of a plan is the sum of the prices of its moves. A state is called certain for `i` if it lies on a
    shortest plan for `i` with price 0. Every shortest plan for `j` has a number of states that are certain for `i`; the
    bound on EDP(i | j) is the smallest of these numbers. If things with a price above 0 are forbidden, the bound still
    holds as long as the number of steps to `j` stays the same, because plans with price 0 remain.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move; each column is
            one move of a state.
        owner: ``int32 [n_states, n_ranks]``, the index of the thing (cell, edge or action) that has to be forbidden to
            remove each move; -1 for moves that no design removes.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves that no design
            removes, is False.
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        begun: ``int32 [n_states]``, the least price among the shortest paths from the start to each state.
        towards: ``int32 [n_states, n_goals]``, the least price of the moves after each state, among the shortest plans
            for each goal that lead through the state; `NO_PLAN`, a very large number, if there is no such plan.
        least: ``float64 [n_states]``, work space with any contents.
        agreed: ``float64 [n_goals, n_goals]``, filled with the bound on EDP(i | j) at ``[i, j]``; the bound is 1 if `j`
            cannot be reached.
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
