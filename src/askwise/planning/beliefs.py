"""Kernels on beliefs: which goals are possible, and how much answers have changed their weights.

A belief is a row of `Search.rows`. Its first words have the possible goals: goal `g` is bit ``g % 64`` of word
``g // 64``. If answers can be wrong (`Search.graded`), the row also has the log-odds of each goal, as whole numbers. An
answer that speaks against a goal lowers its log-odds by a number in `Search.against`. The highest log-odds are 0. In
the teammate's state `w`, goal `g` has the weight ``weight[w, g] * odds_of[-log_odds[g]]``.

A *level* is a depth in the search: ``s.states[level]`` is the state of a plan there, ``s.rows[level]`` its belief.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, part
from askwise.planning.steps import after_action
from askwise.planning.workspace import FAINTEST, Search

# -- sets of goals: rows of words ----------------------------------------------------------------------------------


@inner
def bits_in(word: Any) -> Any:
    """Return the number of ones in a 64-bit word."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def lowest_bit(word: Any) -> Any:
    """Return a word, which is not 0, with all bits cleared except the lowest one that is set."""
    return word & (~word + np.uint64(1))


@inner
def has(sets: Any, row: Any, goal: Any) -> bool:
    """Return whether `goal` is in the set ``sets[row, 0]``.

    A set of goals is stored as 64-bit words: goal `g` is bit ``g % 64`` of word ``g // 64``. `sets` is
    ``uint64 [n_rows, n_sets, n_words]``.
    """
    return bool((sets[row, 0, goal >> 6] >> np.uint64(goal & 63)) & np.uint64(1))


@inner
def flip(sets: Any, row: Any, goal: Any) -> None:
    """Add `goal` to the set ``sets[row, 0]``, or remove it if it is in the set.

    `sets` is ``uint64 [n_rows, n_sets, n_words]``; goal `g` is bit ``g % 64`` of word ``g // 64``.
    """
    sets[row, 0, goal >> 6] ^= np.uint64(1) << np.uint64(goal & 63)


# -- beliefs -------------------------------------------------------------------------------------------------------


@inner
def list_goals(s: Search, level: int) -> int:
    """Write the possible goals of the state ``s.states[level]`` with their weights to `s.ranked`; return their number.

    The sum of the weights becomes the `weight` of the state.
    """
    rows, ranked, graded, state = s.rows, s.ranked, s.graded, s.states[level]
    weight = s.world.weight[state.teammate]
    n, total = 0, 0.0
    for k in range(s.world.alive.shape[1]):
        word = rows[level, k]
        while word:
            lowest = lowest_bit(word)
            goal = 64 * k + bits_in(lowest - np.uint64(1))
            odds = weight[goal]
            if graded:
                odds *= s.odds_of[-s.log_odds[level, goal]]
            ranked[n].goal, ranked[n].odds = goal, odds
            total += odds
            n += 1
            word ^= lowest
    state.weight = total
    return n


@inner
def rank_goals(s: Search, level: int) -> int:
    """Write the possible goals of the state ``s.states[level]`` to `s.ranked`, the most probable first.

    Returns the number of possible goals.
    """
    n = list_goals(s, level)
    heaviest_first(s.ranked, n)
    return n


@inner
def heaviest_first(ranked: Any, n: int) -> None:
    """Sort the first `n` records of `ranked`, which are goals, by weight (field `odds`), the heaviest first.

    Records of equal weight keep their order.
    """
    for i in range(1, n):
        goal, odds, j = ranked[i].goal, ranked[i].odds, i
        while j > 0 and ranked[j - 1].odds < odds:
            ranked[j].odds, ranked[j].goal = ranked[j - 1].odds, ranked[j - 1].goal
            j -= 1
        ranked[j].odds, ranked[j].goal = odds, goal


@inner
def odds_in(s: Search, level: int, goal: Any) -> float:
    """Return the weight of the goal with index `goal` in the state ``s.states[level]``.

    The weight is proportional to the probability of the goal. The goal must be possible in this state.
    """
    odds = s.world.weight[s.states[level].teammate, goal]
    if s.graded:
        odds *= s.odds_of[-s.log_odds[level, goal]]
    return float(odds)


@inner
def is_possible(s: Search, level: int, goal: Any) -> bool:
    """Return whether the goal with index `goal` is possible in the state ``s.states[level]``."""
    return bool((s.rows[level, goal >> 6] >> np.uint64(goal & 63)) & np.uint64(1))


@inner
def drop_useless_load(s: Search, level: int) -> None:
    """Let the ego agent carry nothing in the state ``s.states[level]`` if no possible goal needs what it carries.

    Such a load makes no difference, so states with and without it share one value in the table of values.
    """
    state = s.states[level]
    if state.load >= 0 and not is_possible(s, level, state.load):
        state.load = -1


@inner
def copy_state(s: Search, level: int, target: int) -> int:
    """Copy the state ``s.states[level]``, with its belief, to ``s.states[target]``.

    Returns the number of possible goals of the state.
    """
    rows, n = s.rows, 0
    s.states[target] = s.states[level]
    for k in range(rows.shape[1]):
        rows[target, k] = rows[level, k]
    for k in range(s.world.alive.shape[1]):
        n += bits_in(rows[level, k])
    return n


@inner
def after_step(s: Search, level: int, action: int, teammate: int, negligible: float) -> tuple[int, float]:
    """Write the state and belief one time step after ``s.states[level]`` to ``s.states[level + 1]``.

    The ego agent takes `action`, and the teammate moves to state `teammate`. Goals whose weight is below `negligible`
    times the largest weight become impossible. Returns the number of goals left, and a factor: the new weights, times
    this factor, have the scale of the old ones.
    """
    rows, alive, before, after, target, n = s.rows, s.world.alive, s.states[level], s.states[level + 1], level + 1, 0
    for k in range(alive.shape[1]):
        word = rows[level, k] & alive[teammate, k]
        rows[target, k] = word
        n += bits_in(word)
    for k in range(alive.shape[1], rows.shape[1]):
        rows[target, k] = rows[level, k]
    after.teammate = teammate
    after.place, after.load = after_action(s.world, before.place, before.load, action)
    if negligible > 0.0:
        n = _leave_out(s, target, negligible)
    return n, _count_from_highest(s, target)


@inner
def without_negligible(s: Search, level: int, target: int, negligible: float) -> tuple[int, float]:
    """Copy the state ``s.states[level]`` to ``s.states[target]``, and make goals of negligible weight impossible there.

    A weight is negligible below `negligible` times the largest weight. Returns the number of goals left, and a factor:
    a weight in the copy, times this factor, is the old weight.
    """
    copy_state(s, level, target)
    n = _leave_out(s, target, negligible)
    return n, _count_from_highest(s, target)


@inner
def after_answer(s: Search, level: int, question: int, answer: int) -> tuple[int, float]:
    """Write the state and belief after an answer in the state ``s.states[level]`` to ``s.states[level + 1]``.

    `question` is a row of `s.sets`, and `answer` the index of one of its answers. Returns the number of goals left, and
    a factor: a goal's new weight, times this factor, is its old weight times its likelihood of the answer.
    """
    rows, asked, target = s.rows, s.asked[question], level + 1
    n_words = s.world.alive.shape[1]
    right = s.right[asked.margin]
    n = copy_state(s, level, target)
    if not s.graded:
        n = 0
        for k in range(n_words):
            word = rows[level, k] & s.sets[question, answer, k]
            rows[target, k] = word
            n += bits_in(word)
        return n, right
    lost = s.against[asked.answers] * max(asked.margin, 1)
    for k in range(n_words):
        word = rows[level, k] & ~s.sets[question, answer, k]
        while word:
            lowest = lowest_bit(word)
            goal = 64 * k + bits_in(lowest - np.uint64(1))
            s.log_odds[target, goal] = max(s.log_odds[target, goal] - lost, FAINTEST)
            word ^= lowest
    # A goal whose weight has vanished is no longer possible.
    n = _leave_out(s, target, 0.0)
    return n, right * _count_from_highest(s, target)


@inner
def _leave_out(s: Search, level: int, negligible: float) -> int:
    """Make goals of negligible weight impossible in the state ``s.states[level]``.

    A weight is negligible if it is 0, or below `negligible` times the weight of the heaviest goal. Returns the number
    of goals that are still possible.
    """
    heaviest, n = 0.0, list_goals(s, level)
    ranked = s.ranked
    for k in range(n):
        heaviest = max(heaviest, ranked[k].odds)
    least, left = negligible * heaviest, 0
    for k in range(n):
        if ranked[k].odds > 0.0 and ranked[k].odds >= least:
            left += 1
        else:
            goal = ranked[k].goal
            s.rows[level, goal >> 6] ^= np.uint64(1) << np.uint64(goal & 63)
    return left


@inner
def _count_from_highest(s: Search, level: int) -> float:
    """Shift the log-odds of all possible goals in the belief ``s.rows[level]`` by one number so that the highest are 0.

    Returns the factor by which the new weights must be multiplied to get the old weights: 1 if answers cannot be wrong.
    """
    if not s.graded:
        return 1.0
    log_odds, n_goals = s.log_odds, s.world.weight.shape[1]
    highest: Any = FAINTEST
    for goal in range(n_goals):
        if is_possible(s, level, goal):
            highest = max(highest, np.int64(log_odds[level, goal]))
    for goal in range(n_goals):
        log_odds[level, goal] = log_odds[level, goal] - highest if is_possible(s, level, goal) else 0
    return float(s.odds_of[-highest])


@inner
def divides(s: Search, level: int, question: int) -> bool:
    """Return whether a question separates some possible goals of the state ``s.states[level]`` from others.

    That is the case if at least two answers to the question are each true for some possible goal. `question` is a row
    of `s.sets`.
    """
    parts = 0
    for answer in range(s.asked[question].answers):
        for k in range(s.world.alive.shape[1]):
            if s.rows[level, k] & s.sets[question, answer, k]:
                parts += 1
                break
    return parts > 1


@part
def parts_alike(s: Search, level: int, question: int, other: int) -> bool:
    """Return whether two questions divide the possible goals of the state ``s.states[level]`` into the same parts.

    A part has the goals for which one answer is true; the order of the answers does not matter. `question` and `other`
    are rows of `s.sets`.
    """
    n_words = s.world.alive.shape[1]
    for answer in range(s.asked[question].answers):
        found = False
        for reply in range(s.asked[other].answers):
            same = True
            for k in range(n_words):
                same = same and (s.sets[question, answer, k] ^ s.sets[other, reply, k]) & s.rows[level, k] == 0
            found = found or same
        if not found:
            return False
    return True


@inner
def price_of(s: Search, level: int, question: int) -> float:
    """Return the expected price of a question, a row of `s.sets`, in the state ``s.states[level]``.

    A yes/no question names the possible goals for which "yes" is true, or all others, whichever is cheaper. If a
    question is repeated, each time is paid.
    """
    asked = s.asked[question]
    if asked.price >= 0.0:
        return float(s.times[asked.margin] * asked.price)
    rows, n_words, inside, outside = s.rows, s.world.alive.shape[1], 0, 0
    for k in range(n_words):
        inside += bits_in(rows[level, k] & s.sets[question, 0, k])
        outside += bits_in(rows[level, k] & ~s.sets[question, 0, k])
    named, others = s.per_goal * inside, s.per_goal * outside
    if not s.uniform:
        for goal in range(s.extra.size):
            if is_possible(s, level, goal):
                if has(s.sets, question, goal):
                    named += s.extra[goal]
                else:
                    others += s.extra[goal]
    price = s.base + min(named, others)
    if asked.margin > 0:
        price *= s.times[asked.margin]
    return float(price)
