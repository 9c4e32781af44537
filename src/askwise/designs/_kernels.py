"""Compiled loops over the shortest plans under a design.

The theory is in `askwise.designs.paths` and `askwise.designs.branch_and_bound`. A *thing* is a cell, edge or action
that a design may forbid. The *owner* of a move is the thing whose prohibition removes the move, or -1 (`NO_OWNER`) if
nothing removes it. In all loops, ``closed [n_things + 1]`` says which things are forbidden, and
``price [n_things + 1]`` is the price of a move, by its owner. Both have one entry more than there are things: the last
one, which index -1 reads, is for moves without owner, which are never closed and cost nothing.
"""

from __future__ import annotations

from typing import Any

from askwise._compiled import compiled, inner

NO_PLAN = 1 << 29
"""A price that is larger than any plan's, for states without a plan."""


@compiled
def walk(successor: Any, owner: Any, closed: Any, start: int, depth: Any, order: Any) -> int:
    """Search a graph breadth-first, without the moves that a design removes; return the number of states reached.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move; a rank is the
            index of a move in its state.
        owner: ``int32 [n_states, n_ranks]``, the thing (cell, edge or action) whose prohibition removes each move, -1
            for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves without owner (-1),
            is False.
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
    """For each goal and state, compute the least price of a shortest plan that leads through the state.

    The price of a plan is the sum of the prices of its moves. It is stored in two parts: `begun` for the moves up to
    the state, and `towards` for the moves after it.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move.
        owner: ``int32 [n_states, n_ranks]``, the thing (cell, edge or action) whose prohibition removes each move, -1
            for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves without owner (-1),
            is False.
        price: ``int32 [n_things + 1]``, the price of a move, by its owner; the last entry, for moves without owner
            (-1), is 0.
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        targets: ``int32``, the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, where the targets of each goal begin in `targets`.
        steps: ``int32 [n_goals]``, filled with the length of a shortest plan, -1 if the goal cannot be reached.
        begun: ``int32 [n_states]``, filled with the least price of a shortest path from the start to the state.
        towards: ``int32 [n_states, n_goals]``, filled with the least price of the rest of a shortest plan that leads
            through the state, `NO_PLAN` if none does.
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
    """Compute the steps to each goal, and mark the target states in which its shortest plans end.

    Args:
        depth: ``int32 [n_states]``, the steps from the start, -1 if unreachable.
        targets: ``int32``, the target states of all goals, one goal after the other.
        starts: ``int32 [n_goals + 1]``, where the targets of each goal begin in `targets`.
        steps: ``int32 [n_goals]``, filled with the steps to the nearest target, -1 if none can be reached.
        towards: ``int32 [n_states, n_goals]``, filled with 0 at the nearest targets of each goal, `NO_PLAN` elsewhere.
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
    """Find the pair of shortest plans, for different goals and with the same first steps, that has the least price.

    At least the first `in_common` steps of both plans are the same. The price of a pair is the sum of the prices of its
    moves; moves of the common beginning count once.

    Args:
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        begun: ``int32 [n_states]``, the least price of a shortest path from the start to each state.
        towards: ``int32 [n_states, n_goals]``, the least price of the rest, from each state on, of a shortest plan for
            each goal; `NO_PLAN` if none leads through the state.
        counted: ``bool [n_goals]``, the goals that may be taken.
        in_common: the smallest allowed number of first steps that the plans share.

    Returns:
        The price; the last state of the common beginning; and the index of each plan's goal. The price is `NO_PLAN` and
        the others are -1 if there are no such plans.
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
    """List the things with a price above 0 on the cheapest shortest path from the start to a state.

    A thing is a cell, edge or action that may be forbidden. It is on a path if forbidding it removes a move of the
    path. The result is the number of things.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move.
        owner: ``int32 [n_states, n_ranks]``, the thing (cell, edge or action) whose prohibition removes each move, -1
            for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves without owner (-1),
            is False.
        price: ``int32 [n_things + 1]``, the price of a move, by its owner; the last entry, for moves without owner
            (-1), is 0.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        begun: ``int32 [n_states]``, the least price of a shortest path from the start to each state.
        state: the state to which the path leads.
        used: ``int32 [n_things + 1]``, its first entries are filled with the indices of the things, each once; there is
            room for all.
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
    """Follow a shortest plan from a state to its end, and add the things with a price above 0 on this part to a list.

    Of the shortest plans for the goal that lead through the state, one with the cheapest rest is followed. A thing is a
    cell, edge or action that may be forbidden. It is on a plan if forbidding it removes a move of the plan. The result
    is the new length of the list.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move.
        owner: ``int32 [n_states, n_ranks]``, the thing (cell, edge or action) whose prohibition removes each move, -1
            for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves without owner (-1),
            is False.
        price: ``int32 [n_things + 1]``, the price of a move, by its owner; the last entry, for moves without owner
            (-1), is 0.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        towards: ``int32 [n_states, n_goals]``, the least price of the rest, from each state on, of a shortest plan for
            each goal; `NO_PLAN` if none leads through the state.
        state: the state in which the rest of the plan begins.
        goal: the index of the plan's goal.
        used: ``int32 [n_things + 1]``, the list: indices of things, each once; there is room for all.
        filled: the length of the list before, that is, the number of entries of `used` that are in use.
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

    EDP(i | j) is the expected step at which goal `i` is ruled out if the agent pursues goal `j`. A plan's price is the
    sum of the prices of its moves. A state is certain for `i` if a shortest plan for `i` that leads through it has
    price 0. The bound is the smallest number of certain states on any shortest plan for `j`. It stays valid if things
    with a price above 0 are forbidden, because plans with price 0 remain, as long as the number of steps to `j` stays
    the same.

    Args:
        successor: ``int32 [n_states, n_ranks]``, the next state of each move, -1 if there is no move.
        owner: ``int32 [n_states, n_ranks]``, the thing (cell, edge or action) whose prohibition removes each move, -1
            for none.
        closed: ``bool [n_things + 1]``, whether each thing is forbidden; the last entry, for moves without owner (-1),
            is False.
        order: ``int32 [n_states]``, its first entries are the reached states, those nearest to the start first.
        reached: the number of reached states.
        depth: ``int32 [n_states]``, the steps from the start, -1 for states that are not reached.
        begun: ``int32 [n_states]``, the least price of a shortest path from the start to each state.
        towards: ``int32 [n_states, n_goals]``, the least price of the rest, from each state on, of a shortest plan for
            each goal; `NO_PLAN` if none leads through the state.
        least: ``float64 [n_states]``, working memory.
        agreed: ``float64 [n_goals, n_goals]``, filled with the bound on EDP(i | j) at ``[i, j]``, which is 1 if `j`
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
