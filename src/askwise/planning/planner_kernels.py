"""Compiled loops of the planner: sets of goals, a memory for values, one step ahead, and the values of silence.

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


# -- silence ---------------------------------------------------------------------------------------------------------


@compiled
def _begin(desk: Any, level: int, w: Any, pos: int, tool: int) -> None:
    """Put a state on the stack and take the action of least regret in it."""
    desk.counts[WORKED] += 1
    weight = score_actions(desk, desk.shape[STACK] + level, w, pos, tool)
    action = best_action(desk, pos, weight)
    there, hand = after(desk, pos, tool, action)
    regret = desk.scored[action]
    whole = desk.whole
    whole[level, WORKER], whole[level, POSITION], whole[level, TOOL], whole[level, CHILD] = w, pos, tool, 0
    whole[level, THERE], whole[level, HAND] = there, hand
    desk.real[level, WEIGHT] = weight
    desk.real[level, SUM] = regret if regret > ROUNDING * weight else 0.0


@compiled
def _cut(desk: Any, first: Any, last: Any) -> tuple[Any, float]:
    """Return where to cut ``odds[first:last]`` in two, and the price of the question times their weight.

    Of all cuts it is the one that tells most for its price, ``p (1 - p) / price`` for parts of shares p and 1 - p.
    """
    whole = 0.0
    for k in range(first, last):
        whole += desk.odds[k]
    part, best, paid, cut = 0.0, -1.0, 1.0, np.int64(first + 1)
    for k in range(first, last - 1):
        part += desk.odds[k]
        size = k + 1 - first
        price = desk.prices[0] + desk.prices[1] * min(size, last - first - size)
        told = part * (whole - part)
        if told * paid > best * price * (1 + ROUNDING):  # without a division: questions may cost nothing
            best, paid, cut = told, price, np.int64(k + 1)
    return cut, paid * whole


@compiled
def finding_out(desk: Any, row: int, w: Any) -> float:
    """Return what it costs to find out the goal by questions at once, times the weight of the set.

    The goals are sorted by their weight, and the list is cut in two again and again (`_cut`).
    """
    n, at = list_goals(desk, row, 0), w * desk.shape[GOALS]
    for i in range(n):
        odds, j = desk.weight[at + desk.listed[i]], i
        while j > 0 and desk.odds[j - 1] < odds:
            desk.odds[j] = desk.odds[j - 1]
            j -= 1
        desk.odds[j] = odds
    total, first, depth = 0.0, np.int64(0), 0
    desk.ends[0] = n
    while depth >= 0:
        if desk.ends[depth] - first < 2:
            first = desk.ends[depth]
            depth -= 1
            continue
        cut, paid = _cut(desk, first, desk.ends[depth])
        total += paid
        depth += 1
        desk.ends[depth] = cut
    return total


@compiled
def _next(desk: Any, level: int) -> Any:
    """Return the teammate's next state that the state at `level` has not looked at yet, -1 if there is none."""
    child, paths = desk.whole[level, CHILD], desk.shape[PATHS]
    if child >= paths:
        return np.int64(-1)
    return np.int64(desk.world[desk.shape[FOLLOWING] + desk.whole[level, WORKER] * paths + child])


@compiled
def _settled(desk: Any, level: int) -> float:
    """Return what the state at `level` costs if the goal may be found out there."""
    total = float(desk.real[level, SUM])
    if total <= desk.prices[0] * desk.real[level, WEIGHT]:
        return total
    return min(total, finding_out(desk, desk.shape[STACK] + level, desk.whole[level, WORKER]))


@compiled
def silent(desk: Any, base: int, w: Any, pos: int, tool: int, ends: bool) -> float:
    """Return the regret of going on without any question, always by the action of least regret.

    If it `ends`, the goal is found out at once wherever that is cheaper than going on (`finding_out`): a plan that is
    worked out as fast as silence, and comes much closer to what good plans cost. The goals are those of row `base` of
    the stack; all of them are alive at `w`, and there are at least two. On large maps silence takes long to be followed
    to its end; when ``MOST`` states have been looked at, what is left is valued by `finding_out`, and nothing that
    depends on it is remembered.
    """
    rows, whole, real, counts = desk.shape[STACK], desk.whole, desk.real, desk.counts
    tag = ENDING if ends else SILENT
    tool = useful(desk, rows + base, tool)
    slot = find(desk, rows + base, w, pos, tool, tag)
    if slot >= 0:
        return float(desk.values[slot])
    if counts[WORKED] >= counts[MOST]:
        return finding_out(desk, rows + base, w)
    level = base
    _begin(desk, level, w, pos, tool)
    while True:
        t = _next(desk, level)
        if t < 0:
            total = _settled(desk, level) if ends else real[level, SUM]
            if counts[WORKED] < counts[MOST]:
                keep(desk, rows + level, whole[level, WORKER], whole[level, POSITION], whole[level, TOOL], tag, total)
            if level == base:
                return float(total)
            level -= 1
            real[level, SUM] += total
            continue
        whole[level, CHILD] += 1
        if common(desk, rows + level, t, rows + level + 1) > 1:
            there, hand = whole[level, THERE], useful(desk, rows + level + 1, whole[level, HAND])
            slot = find(desk, rows + level + 1, t, there, hand, tag)
            if slot >= 0:
                real[level, SUM] += desk.values[slot]
            elif counts[WORKED] >= counts[MOST]:
                real[level, SUM] += finding_out(desk, rows + level + 1, t)
            else:
                level += 1
                _begin(desk, level, t, there, hand)
