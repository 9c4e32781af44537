"""Compiled loops of the planner: sets of goals, a memory for values, and one step ahead.

Everything is measured in *regret*: what a plan costs beyond knowing the goal, times the weight of the goals that are
allowed (see `askwise.planning.view`). With ``R_g = max(d_g + 1, e_g)`` the steps left if `g` were known (`d` the
teammate's steps, `e` the ego agent's), a step has the regret ``r_g = 1 + max(d_g, e_g after it) - R_g``, so that

    U(A, w, f) = least over steps of  sum of weight * r  +  sum over next w' of U(A alive at w', w', f')
                 or over questions q  price(q) * Z_A(w)  +  U(A in q, w, f)  +  U(A not in q, w, f)

and U of a single goal is 0. Nothing has to be divided, and 0 bounds every U from below.

All loops keep stacks of their own instead of calling themselves. A set of goals is a row of `Desk.sets`, addressed by
its number: the goals alive at teammate state `w` are row `w`, then come the rows of the stack and those of questions.
Numbers are 64 bits wide wherever they are passed on, so that each loop is compiled once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled

ROUNDING = 1e-9
"""Differences below this share of the weight are no differences."""
PROBES = 16
"""Places of the memory that are tried for a key."""

(GOALS, WORDS, PATHS, MOVES, FOLLOWING, STEPS, NEXT, BARE, HELD, TOOLS, TOOLS_FROM, PLACE, STACK, POOL, LISTS) = range(
    15
)
"""Columns of ``Desk.shape``: sizes, offsets in ``Desk.world``, and first rows in ``Desk.sets``."""
(
    WORKER,
    POSITION,
    TOOL,
    CHILD,
    THERE,
    HAND,
    OPTION,
    OPTIONS,
    QUESTION,
    QUESTIONS,
    SIDE,
    MORE,
    DEPTH,
    LIST,
    ALL,
    ACTIONS,
) = range(16)
"""Columns of ``Desk.whole``; the options of a state follow."""
SUM, BEST, WEIGHT, REGRETS = range(4)
"""Columns of ``Desk.real``; the regrets of the options follow."""
SILENT, EXACT, ENDING, OTHERS = range(4)
"""Tags of values in the memory: silence, the optimum, silence that ends; from the last on those of this decision."""
ENTRIES, WORKED, TURN, MOST = range(4)
"""Columns of ``Desk.counts``: entries of the memory, states looked at in this decision, number of the decision, and the
number of states after which silence is no longer followed to its end."""


class Desk(NamedTuple):
    """All that the loops read and write.

    Attributes:
        shape: ``int64 [15]``.
        world: ``int32``, the tables of the view one after the other.
        weight: ``float64 [n_states * n_goals]``.
        sets: ``uint64 [n_rows * n_words]``.
        keys: ``uint64 [size * (n_words + 2)]``, the memory's keys; the last word is 0 in free places.
        values: ``float64 [size]``, its values.
        counts: ``int64 [4]``.
        whole: ``int64 [levels, 16 + options]``, whole numbers of the states on the stack.
        real: ``float64 [levels, 3 + options]``, their other numbers.
        listed: ``int64 [3 * n_goals]``, room for lists of goals.
        scored: ``float64 [2 * (n_moves + n_goals)]``, room for regrets and ties of actions.
        prices: ``float64 [2]``, of a question, and for each goal in it.
        lengths: ``int64 [n_lists]``, questions in each list, -1 where they have not been chosen.
        odds: ``float64 [n_goals]``, room for weights of goals.
        ends: ``int64 [n_goals + 2]``, room for the ends of parts of them.
    """

    shape: Any
    world: Any
    weight: Any
    sets: Any
    keys: Any
    values: Any
    counts: Any
    whole: Any
    real: Any
    listed: Any
    scored: Any
    prices: Any
    lengths: Any
    odds: Any
    ends: Any


# -- sets ------------------------------------------------------------------------------------------------------------


@compiled
def bits_in(word: Any) -> Any:
    """Return the number of ones in a 64-bit word."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def has(desk: Any, row: int, goal: Any) -> bool:
    """Whether a goal is in a set."""
    word = desk.sets[row * desk.shape[WORDS] + (goal >> 6)]
    return bool((word >> np.uint64(goal & 63)) & np.uint64(1))


@compiled
def flip(desk: Any, row: int, goal: int) -> None:
    """Put a goal into a set, or take it out."""
    desk.sets[row * desk.shape[WORDS] + (goal >> 6)] ^= np.uint64(1) << np.uint64(goal & 63)


@compiled
def common(desk: Any, row: int, other: Any, target: int) -> int:
    """Write what two sets have in common into `target`; return the number of goals."""
    n_words, n = desk.shape[WORDS], 0
    for k in range(n_words):
        word = desk.sets[row * n_words + k] & desk.sets[other * n_words + k]
        desk.sets[target * n_words + k] = word
        n += bits_in(word)
    return n


@compiled
def without(desk: Any, row: int, other: int, target: int) -> int:
    """Write the goals of `row` that are not in `other` into `target`; return their number."""
    n_words, n = desk.shape[WORDS], 0
    for k in range(n_words):
        word = desk.sets[row * n_words + k] & ~desk.sets[other * n_words + k]
        desk.sets[target * n_words + k] = word
        n += bits_in(word)
    return n


@compiled
def size_of(desk: Any, row: int) -> int:
    """Return the number of goals in a set."""
    n_words, n = desk.shape[WORDS], 0
    for k in range(n_words):
        n += bits_in(desk.sets[row * n_words + k])
    return n


@compiled
def list_goals(desk: Any, row: int, first: int) -> int:
    """Write the goals of a set into ``listed[first:]``; return how many there are."""
    n_words, n = desk.shape[WORDS], first
    for k in range(n_words):
        word = desk.sets[row * n_words + k]
        while word:
            lowest = word & (~word + np.uint64(1))
            desk.listed[n] = 64 * k + bits_in(lowest - np.uint64(1))
            n += 1
            word ^= lowest
    return n - first


@compiled
def weigh(desk: Any, row: int, w: int) -> float:
    """Return the weight of a set of goals with the teammate at `w`."""
    n_words, at, total = desk.shape[WORDS], w * desk.shape[GOALS], 0.0
    for k in range(n_words):
        word = desk.sets[row * n_words + k]
        while word:
            lowest = word & (~word + np.uint64(1))
            total += desk.weight[at + 64 * k + bits_in(lowest - np.uint64(1))]
            word ^= lowest
    return total


@compiled
def useful(desk: Any, row: int, tool: int) -> int:
    """Return the tool in hand, or -1 if no goal of the set needs it: such states are the same."""
    return tool if tool >= 0 and has(desk, row, tool) else -1


# -- memory ----------------------------------------------------------------------------------------------------------


@compiled
def find(desk: Any, row: int, w: Any, pos: int, tool: int, tag: int) -> Any:
    """Return the place of a key in the memory if it is there, else ``-1 - place`` of where it would go."""
    n_words = desk.shape[WORDS]
    width, last = n_words + 2, desk.values.size - 1
    where = np.uint64(w) | (np.uint64(pos) << np.uint64(32))
    what = np.uint64(1) | (np.uint64(tool + 1) << np.uint64(1)) | (np.uint64(tag) << np.uint64(32))
    mix = np.uint64(0x9E3779B97F4A7C15)
    h = (where ^ (where >> np.uint64(29))) * mix
    h = (h ^ what ^ (h >> np.uint64(32))) * mix
    for k in range(n_words):
        h = (h ^ desk.sets[row * n_words + k] ^ (h >> np.uint64(31))) * mix
    home = np.int64(h >> np.uint64(20)) & last
    for probe in range(PROBES):
        slot = (home + probe) & last
        at = slot * width
        if desk.keys[at + n_words + 1] == 0:
            return -1 - slot
        if desk.keys[at + n_words + 1] == what and desk.keys[at + n_words] == where:
            same = True
            for k in range(n_words):
                if desk.keys[at + k] != desk.sets[row * n_words + k]:
                    same = False
                    break
            if same:
                return slot
    return -1 - home


@compiled
def keep(desk: Any, row: int, w: int, pos: int, tool: int, tag: int, value: float) -> None:
    """Remember a value; where the memory is crowded, an older one makes room."""
    slot = find(desk, row, w, pos, tool, tag)
    if slot < 0:
        slot = -1 - slot
        n_words = desk.shape[WORDS]
        at = slot * (n_words + 2)
        if desk.keys[at + n_words + 1] == 0:
            desk.counts[ENTRIES] += 1
        for k in range(n_words):
            desk.keys[at + k] = desk.sets[row * n_words + k]
        desk.keys[at + n_words] = np.uint64(w) | (np.uint64(pos) << np.uint64(32))
        desk.keys[at + n_words + 1] = (
            np.uint64(1) | (np.uint64(tool + 1) << np.uint64(1)) | (np.uint64(tag) << np.uint64(32))
        )
    desk.values[slot] = value


# -- one step ahead --------------------------------------------------------------------------------------------------


@compiled
def score_actions(desk: Any, row: int, w: int, pos: int, tool: int) -> float:
    """Fill `scored` with the regrets of all ego actions and the steps left after them; return the weight of the set.

    The ego agent's moves come first, then the tools at its position; ``inf`` where an action is not available, or its
    tool of no use.
    """
    shape, world, scored = desk.shape, desk.world, desk.scored
    n_goals, n_moves = shape[GOALS], shape[MOVES]
    n = list_goals(desk, row, 0)
    ties = n_moves + n_goals
    weights, d_at, bare = w * n_goals, shape[STEPS] + w * n_goals, shape[BARE] + pos * n_goals
    weight, known = 0.0, 0.0
    for k in range(n):
        g = desk.listed[k]
        odds, d = desk.weight[weights + g], world[d_at + g]
        weight += odds
        e = world[shape[HELD] + pos * n_goals + g] if g == tool else world[bare + g]
        known += odds * (max(d + 1, e) - 1)
    for a in range(n_moves):
        t = np.int64(world[shape[NEXT] + pos * n_moves + a])
        if t < 0:
            scored[a] = np.inf
            continue
        total, steps = 0.0, 0.0
        there = shape[BARE] + t * n_goals
        for k in range(n):
            g = desk.listed[k]
            odds, e = desk.weight[weights + g], world[there + g]
            if g == tool:
                e = world[shape[HELD] + t * n_goals + g]
            total += odds * max(world[d_at + g], e)
            steps += odds * e
        scored[a] = total - known
        scored[ties + a] = steps
    first, last = world[shape[TOOLS_FROM] + pos], world[shape[TOOLS_FROM] + pos + 1]
    if first < last:
        empty, steps = -known, 0.0
        for k in range(n):
            g = desk.listed[k]
            empty += desk.weight[weights + g] * max(world[d_at + g], world[bare + g])
            steps += desk.weight[weights + g] * world[bare + g]
        for k in range(first, last):
            g = np.int64(world[shape[TOOLS] + k])
            a = n_moves + k - first
            if g == tool or not has(desk, row, g):
                scored[a] = np.inf
                continue
            odds, d = desk.weight[weights + g], world[d_at + g]
            held = world[shape[HELD] + pos * n_goals + g]
            scored[a] = empty + odds * (max(d, held) - max(d, world[bare + g]))
            scored[ties + a] = steps + odds * (held - world[bare + g])
    return weight


@compiled
def count_actions(desk: Any, pos: int) -> Any:
    """Return the number of ego actions at a position."""
    at = desk.shape[TOOLS_FROM] + pos
    return np.int64(desk.shape[MOVES] + desk.world[at + 1] - desk.world[at])


@compiled
def best_action(desk: Any, pos: int, weight: float) -> int:
    """Return the action of least regret; among equals the one that leaves the fewest steps, then the first."""
    scored, ties = desk.scored, desk.shape[MOVES] + desk.shape[GOALS]
    best, near = 0, ROUNDING * weight
    for a in range(1, count_actions(desk, pos)):
        if scored[a] < scored[best] - near or (
            scored[a] <= scored[best] + near and scored[ties + a] < scored[ties + best] - near
        ):
            best = a
    return best


@compiled
def after(desk: Any, pos: int, tool: int, action: int) -> tuple[Any, Any]:
    """Return position and tool after an action, numbered as in `score_actions`."""
    shape = desk.shape
    if action < shape[MOVES]:
        return np.int64(desk.world[shape[NEXT] + pos * shape[MOVES] + action]), tool
    first = desk.world[shape[TOOLS_FROM] + pos]
    return pos, np.int64(desk.world[shape[TOOLS] + first + action - shape[MOVES]])
