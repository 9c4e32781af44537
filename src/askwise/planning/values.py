"""The recursion of `askwise.planning` over some questions and some actions, within a budget of states.

In each state, the kernel `state_value` compares some questions (candidates), then some actions. It stops early:

- A plan ends if no more questions or steps are allowed, or if the budget is used up. The state then has its leaf value
  (`askwise.planning.leaf_values`).
- A question or action is dropped once it costs as much as the best one.

A *complete* search compares all questions of one list and all actions in every state, up to the end of the episode. It
is exact for plans with few questions, and abandoned if it takes too much work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import compiled, int64, part
from askwise.planning.beliefs import (
    after_answer,
    after_step,
    copy_state,
    divides,
    drop_useless_load,
    list_goals,
    parts_alike,
    price_of,
    without_negligible,
)
from askwise.planning.candidates import answers_followed, choose_candidates
from askwise.planning.leaf_values import PLANNED, leaf_value
from askwise.planning.steps import ROUNDING, list_actions, score_actions
from askwise.planning.workspace import UNKNOWN, Search, keep, recall

COMPLETE_LIST = 0xFFF
"""In tags: the list of questions of a complete search."""
FREE_SHARE = 8
"""Where an action causes no delay, all that is left to decide is which of these actions: the budget is divided by
this."""


@part
def _tag(s: Search, questions_left: int, depth: int, list_no: int) -> Any:
    """Return a number that says how a value was computed; it is part of the key of the value in the table of values.

    From the left, 12 bits have the number of the decision or complete list, 12 bits the list of questions to compare
    (`list_no`), and 8 bits how far plans may look ahead.
    """
    limits = s.limits[0]
    if limits.complete:
        return (limits.complete_no & 0xFFF) << 20 | COMPLETE_LIST << 8 | (questions_left << 4) | PLANNED
    unanswered = questions_left << 5 if s.refused > 0.0 else 0
    return (s.counts[0].decision_no & 0xFFF) << 20 | (list_no << 8) | unanswered | (depth + 1 + PLANNED)


@part
def _leaf(s: Search, level: int, limit: float) -> float:
    """Return the cost of the state on `level` if a plan ends there, times the weight of the state (`leaf_value`).

    If the cost is at least `limit`, any other number of at least `limit` may be returned.
    """
    limits = s.limits[0]
    if limits.negligible == 0.0 or limits.complete:
        return leaf_value(s, level, limits.identifies, limit)
    n, factor = without_negligible(s, level, level + 1, limits.negligible)
    if n < 2:
        return 0.0
    return factor * leaf_value(s, level + 1, limits.identifies, limit / factor)


@compiled
def state_value(  # noqa: C901 - one recursion, which kernels that call each other could not be
    s: Search, level: int, questions_left: int, depth: int, list_no: int, limit: float
) -> float:
    """Return the cost of the best plan from the state on `level` of the recursion.

    The cost is the expected marginal cost times the sum of the goals' weights. A cost of at least `limit` may be
    replaced by any other such number. At level 0, the best action and question, and their costs, are written into
    `Search.found`.

    The plan has at most `questions_left` questions, the first from list `list_no`. It asks only until `depth` of its
    steps have caused a delay.
    """
    limits, found, options, following = s.limits[0], s.found[0], s.options[level], s.world.following
    drop_useless_load(s, level)
    tag, state = _tag(s, questions_left, depth, list_no), s.states[level]
    if level == 0:
        searched, asks, best = _begin(s, questions_left)
    else:
        searched, asks, best = _enter(s, level, questions_left, tag, limit)
    if not searched:
        return best
    near = ROUNDING * state.weight if level == 0 else 0.0
    # Questions.
    first = limits.first + list_no * limits.candidates
    for k in range(_count_questions(s, level, list_no) if asks else 0):
        question = first + k
        total = state.weight * price_of(s, level, question)
        if not divides(s, level, question) or _was_asked(s, level, k):
            total = np.inf
        # No answer comes last: it is the most expensive to follow, and seldom matters.
        n_answers = s.asked[question].answers
        for answer in range(n_answers + 1):
            if total >= best:
                break
            n, chance, next_list = _after_reply(s, level, question, answer, list_no, k)
            if n < 2:
                continue
            left = (best - total) / chance
            value = state_value(s, level + 1, questions_left - 1, depth, next_list, left)
            total += chance * value
            if value >= left:  # rounding must not hide that the limit is reached
                total = max(total, best)
        if total < best - near:
            best = total
            if level == 0:
                found.question, found.ask = question, best
    # Actions.
    if level == 0:
        best = np.inf
    for k in range(s.n_options[level] if depth > 0 else 0):
        option = options[k]
        total, next_depth = option.delay, depth
        if option.delay > 0.0 and not limits.complete:
            next_depth -= 1  # steps without delay are not counted: it is no use to ask before them
        for j in range(following.shape[1]):
            t = int64(following[state.teammate, j])
            if t < 0 or total >= best:
                break
            n, factor = after_step(s, level, option.action, t, 0.0)
            if n < 2:
                continue
            left = (best - total) / factor
            value = state_value(s, level + 1, questions_left, next_depth, list_no, left)
            total += factor * value
            if value >= left:
                total = max(total, best)
        if total < best - near:
            best = total
            if level == 0:
                found.action, found.act = option.action, best
    if level > 0 and not (limits.complete and s.counts[0].cut_short):
        keep(s, level, tag, best if best < limit else -best)
    return best


@part
def _begin(s: Search, questions_left: int) -> tuple[bool, bool, float]:
    """Prepare a decision, at level 0: find the cost of acting without questions, and list the actions to compare.

    Returns whether to compare anything, whether to compare questions, and the cost below which an option is accepted.
    """
    found, limits, counts, options, zero = s.found[0], s.limits[0], s.counts[0], s.options[0], int64(0)
    identifies, limits.identifies = limits.identifies, 0
    found.act_only = _leaf(s, zero, np.inf)
    limits.identifies = identifies
    _list_options(s, zero, limits.breadth)
    found.weight, found.free = s.states[0].weight, options[0].delay == 0.0
    found.action, found.act, found.question, found.ask = options[0].action, 0.0, -1, np.inf
    if limits.acts_only or found.act_only == 0.0:
        return False, False, 0.0
    if not limits.complete:
        counts.states_seen = 0  # the budget is for plans; acting only is there to compare with
        found.leaf = _leaf(s, zero, np.inf)
        counts.most_followed = limits.budget + limits.at_least
        if found.free:  # the only decision left is which action without delay
            limits.budget //= FREE_SHARE
    return True, questions_left > 0 and found.act_only > found.weight * s.cheapest, np.inf


@part
def _enter(s: Search, level: int, questions_left: int, tag: int, limit: float) -> tuple[bool, bool, float]:
    """Look at the state on `level`, to which a plan leads, and list its actions unless the plan ends there.

    Returns whether to compare anything, whether to compare questions, and the cost that an option must beat. If there
    is nothing to compare, the cost is the state's value; a cost of at least `limit` need not be exact.
    """
    limits, counts = s.limits[0], s.counts[0]
    if (questions_left == 0 and not limits.complete) or level + 3 >= s.rows.shape[0]:
        return False, False, _leaf(s, level, limit)
    value = recall(s, level, tag, limit)
    if value != UNKNOWN:
        return False, False, value
    leaf = _leaf(s, level, np.inf)
    if counts.states_seen > limits.budget:
        counts.cut_short += 1
        return False, False, leaf
    list_goals(s, level)
    asks = questions_left > 0 and leaf > s.states[level].weight * s.cheapest
    if leaf == 0.0 or not (asks or limits.complete):
        return False, False, leaf
    counts.states_seen += 1
    _list_options(s, level, limits.actions)
    return True, asks, min(leaf, limit)


@part
def _list_options(s: Search, level: int, most: int) -> None:
    """List in ``s.options[level]`` up to `most` actions to compare in the state on `level`, the least delay first."""
    n, state = list_goals(s, level), s.states[level]
    score_actions(s.world, s.ranked, n, s.scored, state.teammate, state.place, state.load)
    s.n_options[level] = list_actions(s.world, s.scored, s.options[level], state.place, state.weight, most)


@part
def _count_questions(s: Search, level: int, list_no: int) -> Any:
    """Return how many questions of a list are compared on `level`: all, or none while some action causes no delay.

    A complete search compares all. The questions of list `list_no` are chosen when they are first needed.
    """
    asks_now = s.options[level, 0].delay > 0.0 or s.limits[0].complete
    if (asks_now or level == 0) and s.lengths[list_no] < 0:
        choose_candidates(s, level, list_no)
    return np.int64(s.lengths[list_no]) if asks_now else np.int64(0)


@part
def _was_asked(s: Search, level: int, k: int) -> bool:
    """Return whether a complete search must not ask question number `k` of its list in the state on `level`.

    If errors are persistent, a question must not divide the possible goals like an earlier one.
    """
    if not s.limits[0].complete or not s.persistent:
        return False
    first, asked, other = s.limits[0].first, s.rows[level, s.asked_word], int64(0)
    while asked:
        if asked & np.uint64(1) and parts_alike(s, level, first + k, first + other):
            return True
        asked >>= np.uint64(1)
        other += 1
    return False


@part
def _after_reply(s: Search, level: int, question: int, answer: int, list_no: int, k: int) -> tuple[int, float, Any]:
    """Write the state after a reply to a question to the next level.

    The question is row `question` of `s.sets` and number `k` of list `list_no`. `answer` is the index of its answer;
    the index after the last stands for no answer. Returns the number of goals left (0 for an impossible reply), a
    factor, and the number of the next list. The factor times a new weight is the old weight times its likelihood of the
    reply.
    """
    n_answers, complete, following = s.asked[question].answers, s.limits[0].complete, np.int64(list_no)
    n, chance = 0, 1.0
    if answer < n_answers:
        n, chance = after_answer(s, level, question, answer)
        if not complete:
            followed = answers_followed(s)
            following = np.int64(followed * (s.limits[0].candidates * list_no + k) + 1 + min(answer, followed - 1))
    elif s.refused > 0.0 and s.asked[question].margin == 0:
        n, chance = copy_state(s, level, level + 1), s.refused
    if complete and s.persistent:
        s.rows[level + 1, s.asked_word] |= np.uint64(1) << np.uint64(k)
    return n, chance, following
