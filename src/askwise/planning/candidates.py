"""Kernels that choose the candidates of a state: the questions that plans compare there.

Candidates are the proposed questions (`askwise.planning.proposals`) with the least cost (`ask_then_act`): the price
plus the expected cost of acting afterwards without a plan. More questions are proposed in two cases:

- In the state where a decision is made, a question about each single goal is tried, and the best of these goals are
  combined in proposals. The best proposals are improved by moving single goals to the other side.
- If errors are independent, the best yes/no questions are also proposed with a *margin*: such a question is repeated
  until one answer has been given `margin` more times than the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import inner, int64, part
from askwise.core.answers import CREDIBLE
from askwise.planning.beliefs import (
    after_answer,
    bits_in,
    copy_state,
    divides,
    flip,
    list_goals,
    odds_in,
    price_of,
    without_negligible,
)
from askwise.planning.leaf_values import leaf_value
from askwise.planning.proposals import (
    BY_WEIGHT,
    CHOSEN,
    ORDER,
    ask_about,
    by_weight,
    clear,
    offer,
    offer_these,
    propose,
)
from askwise.planning.settings import ANSWERS_FOLLOWED
from askwise.planning.steps import ROUNDING
from askwise.planning.workspace import POOL_ROOM, POOL_SIZE, Search

STARTS = 4
"""The number of best proposals that are improved."""
SINGLES = 9
"""The number of goals about which it is best to ask alone, that are put together in proposals."""
REPEATED = 8
"""The number of best proposals that are also considered with repetitions."""
WORTH_MOVING = 0.01
"""Goals with less than this share of the weight are not moved to the other side to improve a question."""


@inner
def answers_followed(s: Search) -> int:
    """Return for how many answers to a question a plan has separate lists of next questions.

    That is 2 if there are only yes/no questions, otherwise `ANSWERS_FOLLOWED`. All further answers share the last list.
    """
    return 2 if s.sets.shape[1] == 2 else ANSWERS_FOLLOWED


@inner
def choose_candidates(s: Search, level: int, list_no: int) -> None:
    """Choose the questions that plans compare in the state ``s.states[level]``, and write them to list `list_no`.

    They are the best of the proposed questions, ranked by the cost of asking and then only acting (`ask_then_act`).
    """
    limits, credible = s.limits[0], level
    list_goals(s, level)
    if limits.negligible > 0.0:
        credible = s.rows.shape[0] - 1
        without_negligible(s, level, credible, CREDIBLE)
    n = propose(s, credible)
    _rank(s, level, int64(0), n)
    if n > 0 and list_no == 0 and limits.climbs > 0:
        grown = _offer_singles(s, level, credible, n)
        _rank(s, level, n, grown)
        n = _climb(s, level, credible, grown)
    n = _add_choices(s, n)
    _rank(s, level, n - limits.choices, n)
    n = _add_repetitions(s, level, n)
    _list_best(s, level, n, list_no)


@part
def _list_best(s: Search, level: int, n: int, list_no: int) -> None:
    """Fill list `list_no` with the best of the first `n` proposed questions, without useless ones.

    Duplicates and questions whose answer is known are useless. The best have the smallest costs in ``s.merits[0]``,
    which is overwritten.
    """
    limits, merit, near = s.limits[0], s.merits[0], ROUNDING * s.states[level].weight
    length, into = 0, list_no * limits.candidates
    while length < limits.candidates:
        best = 0
        for i in range(1, n):
            if merit[i] < merit[best] - near:
                best = i
        if n == 0 or merit[best] == np.inf:
            break
        if _is_new(s, s.pool + best, list_no, length):
            copy_question(s, s.pool + best, into + length)
            length += 1
        merit[best] = np.inf
    s.lengths[list_no] = length


@inner
def copy_question(s: Search, question: int, target: int) -> None:
    """Copy a question from row `question` of `s.sets` and `s.asked` to row `target` of both arrays."""
    sets = s.sets
    for answer in range(sets.shape[1]):
        for k in range(sets.shape[2]):
            sets[target, answer, k] = sets[question, answer, k]
    s.asked[target] = s.asked[question]


@inner
def ask_then_act(s: Search, level: int, question: int, limit: float) -> float:
    """Return the cost of asking a question once in the state ``s.states[level]`` and then acting without a plan.

    The cost is the price plus the estimated cost after the answer (`leaf_value`), times the weight of the state;
    ``inf`` if it is at least `limit`. `question` is a row of `s.sets`; the next level of `s.states` is overwritten.
    """
    limits, n_answers = s.limits[0], s.asked[question].answers
    total = s.states[level].weight * price_of(s, level, question)
    first = np.int64(0)
    if n_answers == 2:
        inside, _ = after_answer(s, level, question, int64(0))
        outside, _ = after_answer(s, level, question, int64(1))
        first = np.int64(inside > outside)
    for k in range(n_answers + 1):
        size, chance = 0, 1.0
        if k < n_answers:
            size, chance = after_answer(s, level, question, int64(k ^ first))
        elif s.refused > 0.0 and s.asked[question].margin == 0:
            size, chance = copy_state(s, level, level + 1), s.refused
        left, value = (limit - total) / chance, 0.0
        if size > 1 and left > 0.0:
            value = leaf_value(s, level + 1, limits.identifies, left)
        if value >= left:
            return np.inf
        total += chance * value
    return float(total)


@part
def _rank(s: Search, level: int, first: int, last: int) -> None:
    """Write the costs of the proposed questions `first` to ``last - 1`` in the state ``s.states[level]`` to `s.merits`.

    ``s.merits[0, i]`` gets the cost of asking question `i` and then acting (`ask_then_act`). It gets ``inf`` if the
    question is useless, too expensive to be a candidate, or beyond the budget of states.
    """
    limits, counts, merit = s.limits[0], s.counts[0], s.merits[0]
    for i in range(first, last):
        limit = _nth_smallest(merit, i, limits.candidates)
        merit[i] = np.inf
        if (i == 0 or counts.states_seen <= limits.budget) and divides(s, level, s.pool + i):
            merit[i] = ask_then_act(s, level, s.pool + i, limit)


@inner
def _nth_smallest(numbers: Any, n: int, position: int) -> float:
    """Return the `position`-th smallest (from 1) of ``numbers[:n]``, an array of floats; ``inf`` if there are fewer."""
    least, found = -np.inf, 0
    while found < position:
        best, times = np.inf, 0
        for i in range(n):
            if least < numbers[i] < best:
                best, times = numbers[i], 0
            times += numbers[i] == best
        if best == np.inf:
            return np.inf
        least, found = best, found + times
    return float(least)


@inner
def _ascending(numbers: Any, n: int, order: Any) -> None:
    """Write the indices 0 to ``n - 1`` to `order`, sorted by ``numbers[:n]``, the index of the smallest number first.

    Indices of equal numbers stay in ascending order.
    """
    for i in range(n):
        j = i
        while j > 0 and numbers[order[j - 1]] > numbers[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


# -- more proposals, where the decision is made ----------------------------------------------------------------------


@part
def _offer_singles(s: Search, level: int, credible: int, n: int) -> int:
    """Try a question about each single goal, and propose questions about the best 1, 2, 3, 4, 6 and 9 of these goals.

    The best have the least `ask_then_act` in the state on `level`. Level `credible` has its copy without goals of
    negligible weight; these are not tried. `n` is the number of proposals; returns the new number.
    """
    spare, alone = s.pool + POOL_ROOM, s.merits[1]
    goals, order, best = s.lists[BY_WEIGHT, : by_weight(s, credible)], s.lists[ORDER], s.lists[CHOSEN]
    for i in range(goals.size):
        limit = _nth_smallest(alone, i, int64(SINGLES))
        alone[i] = np.inf
        if s.counts[0].states_seen <= s.limits[0].budget // 2:
            clear(s, spare)
            flip(s.sets, spare, goals[i])
            ask_about(s, spare)
            alone[i] = ask_then_act(s, level, spare, limit)
    _ascending(alone, goals.size, order)
    for i in range(goals.size):
        best[i] = goals[order[i]]
    for size in (1, 2, 3, 4, 6, SINGLES):
        if size < goals.size and alone[order[size - 1]] < np.inf:
            n = offer_these(s, credible, best, int64(0), size, n)
    return n


@part
def _climb(s: Search, level: int, credible: int, n: int) -> int:
    """Improve the best proposed questions by moving one goal at a time to the other side; add the results as proposals.

    Costs are `ask_then_act` in the state on `level`. Level `credible` has its copy without goals of negligible weight;
    these are not moved. `n` is the number of proposals; returns the new number.
    """
    spare, merit, limits = s.pool + POOL_ROOM, s.merits[0], s.limits[0]
    goals, order = s.lists[BY_WEIGHT, : by_weight(s, credible)], s.lists[ORDER]
    _ascending(merit, n, order)
    for i in range(min(n, STARTS)):
        start = order[i]
        if n >= POOL_SIZE or s.counts[0].states_seen > limits.budget // 2:
            break
        reached = merit[start]
        copy_question(s, s.pool + start, spare)
        for _ in range(limits.climbs):
            moved, lowest = _best_move(s, level, credible, goals, reached)
            if moved < 0:
                break
            flip(s.sets, spare, moved)
            reached = lowest
        copy_question(s, spare, s.pool + n)
        merit[n] = reached
        n = offer(s, credible, n)
    return n


@part
def _best_move(s: Search, level: int, credible: int, goals: Any, reached: float) -> tuple[Any, float]:
    """Return the best goal to move to the other side of a question, and the cost of the question after this move.

    The question is row ``s.pool + POOL_ROOM`` of `s.sets`, which is the same afterwards. Its cost is `ask_then_act` on
    `level`. `goals` are the goals to try, sorted by weight on level `credible`; those below 1 % of the weight are not
    tried. If no move costs less than `reached`, the goal is -1.
    """
    spare, limits, weight = s.pool + POOL_ROOM, s.limits[0], s.states[level].weight
    moved, lowest = np.int64(-1), reached - ROUNDING * weight
    for g in goals:
        if odds_in(s, credible, g) < WORTH_MOVING * weight or s.counts[0].states_seen > limits.budget:
            break
        flip(s.sets, spare, g)
        size = 0
        for k in range(s.sets.shape[2]):
            size += bits_in(s.sets[spare, 0, k])
        if 0 < size < goals.size:
            ask_about(s, spare)
            value = ask_then_act(s, level, spare, lowest)
            if value < lowest:
                moved, lowest = np.int64(g), value
        flip(s.sets, spare, g)
    return moved, lowest


# -- choices and repetitions -----------------------------------------------------------------------------------------


@part
def _add_choices(s: Search, n: int) -> int:
    """Add all multiple-choice questions to the `n` proposals; return the new number of proposals.

    These questions are in the rows of `s.sets` from `s.choices` on. They are copied behind the proposals, which begin
    in row `s.pool`.
    """
    for k in range(s.limits[0].choices):
        copy_question(s, s.choices + k, s.pool + n)
        n += 1
    return n


@part
def _add_repetitions(s: Search, level: int, n: int) -> int:
    """Propose the best yes/no questions among the `n` proposals again, once with each margin from 2 to the largest.

    A question with a margin `d` is repeated until one answer has been given `d` more times than the other. Returns the
    new number of proposals.
    """
    limits, merit, order = s.limits[0], s.merits[0], s.lists[ORDER]
    if limits.margins < 2:
        return n
    _ascending(merit, n, order)
    found = n
    for i in range(min(n, REPEATED)):
        question = s.pool + order[i]
        if s.asked[question].price >= 0.0 or merit[order[i]] == np.inf:
            continue
        for margin in range(2, limits.margins + 1):
            if found < POOL_ROOM and s.counts[0].states_seen <= limits.budget:
                copy_question(s, question, s.pool + found)
                s.asked[s.pool + found].margin = margin
                merit[found] = ask_then_act(s, level, s.pool + found, np.inf)
                found += 1
    return found


# -- what was asked before -------------------------------------------------------------------------------------------


@part
def _is_new(s: Search, question: int, list_no: int, length: int) -> bool:
    """Return whether a question is worth adding to the first `length` questions of list `list_no`.

    The question must differ from these questions. If errors are persistent, the question must not have been asked
    before, in the episode or in the plan.
    """
    if s.asked_word < 0:  # true answers to yes/no questions
        return True
    first = list_no * s.limits[0].candidates
    for other in range(first, first + length):
        if _same(s, question, other):
            return False
    if not s.persistent:
        return True
    while list_no > 0:  # the questions that led here
        other = (list_no - 1) // answers_followed(s)
        if _same(s, question, other):
            return False
        list_no = other // s.limits[0].candidates
    if s.asked[question].price >= 0.0:
        return not s.asked[question].known
    return not (_is_known(s, question, int64(0)) and _is_known(s, question, int64(1)))


@inner
def _same(s: Search, question: int, other: int) -> bool:
    """Return whether two questions (rows of `s.sets`) have the same margin and divide the possible goals alike.

    The possible goals are those of ``s.rows[0]``. Answers are compared in their order.
    """
    one, two = s.asked[question], s.asked[other]
    same = bool(one.answers == two.answers and one.margin == two.margin)
    for answer in range(one.answers):
        for k in range(s.sets.shape[2]):
            same = same and (s.sets[question, answer, k] ^ s.sets[other, answer, k]) & s.rows[0, k] == 0
    return same


@inner
def _is_known(s: Search, question: int, answer: int) -> bool:
    """Return whether the set of possible goals for which an answer is true was asked about before in the episode.

    `question` is a row of `s.sets`, `answer` the index of one of its answers.
    """
    for i in range(s.limits[0].known):
        same = True
        for k in range(s.sets.shape[2]):
            same = same and s.sets[question, answer, k] & s.rows[0, k] == s.known[i, k]
        if same:
            return True
    return False
