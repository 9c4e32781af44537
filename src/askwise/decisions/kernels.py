"""A depth-first search with cached states and bounds, compiled for `askwise.decisions.search`.

A state is what is known after some answers. It has a weight for each intent, ``w[g] = P(g and these answers)``. Their
sum ``|w|`` is the probability of the state. Let ``loss[x, g]`` be the loss of action ``x``, and ``L[q, a]`` the
likelihood of answer ``a`` to question ``q``. Let ``V(w)`` be the least cost of the state, times its probability. Then::

    V(w) = min( min over x of sum_g w[g] loss[x, g],
                min over q of price[q] |w| + sum over a of V(w * L[q, a]) ).

*Cached states.* A state is identified by its possible intents, the number of questions left, and the answers to
questions with likelihoods other than 0 and 1. Each of these has a random number of 128 bits. Their exclusive or is the
key of the state.

*Pruning.* No plan costs less than ``K(w) = sum_g w[g] min_x loss[x, g]``. So asking gains nothing if acting costs at
most ``K(w) + cheapest price |w|``. A question costs at least its price, plus lower bounds after the answers searched so
far, plus ``K`` after the others. If this sum exceeds the best cost so far, the search of the question ends.

*Depth limit.* Where the search stops, the cost of acting is an upper bound. The lower bound is this cost or
``K(w) + cheapest price |w|``, whichever is less.
"""

from __future__ import annotations

import math

import numpy as np

from askwise._compiled import compiled, inner
from askwise.decisions.arrays import ProblemArrays, SearchArrays, SearchLimits, SearchStack, SolvedStates
from askwise.types import FloatArray

OVERHEAD = 60.0
"""Work for one answer that does not depend on the number of intents, in nanoseconds."""
STEP = 20.0
"""Work that takes as long as a step in Python (`askwise._compiled.PATIENCE`), in nanoseconds."""


def most_work(world: ProblemArrays, limits: SearchLimits) -> float:
    """Return an upper bound of the work of a complete search, in nanoseconds on an ordinary machine.

    Of `limits`, only ``limits.work``, the work for one answer and intent, is used.
    """
    n_answers, n_intents = world.likelihood.shape
    states = min(float(np.prod(np.diff(world.first) + 1.0)), 1e15)
    # In most states at least about half of the questions have been asked.
    return float(states * n_answers / 2 * (n_intents * limits.work + OVERHEAD))


@inner
def act(world: ProblemArrays, space: SearchArrays, level: int) -> tuple[float, int]:
    """Find the best action in the state at row `level` of `space`, without any question.

    Returns:
        The expected loss of the action, times the probability of the state; and the index of the action.
    """
    weight, intent, size = space.weight[level], space.intent[level], space.size[level]
    sums = space.sums
    if world.loss.shape[0] > 0:
        sums[:] = 0.0
        for k in range(size):
            row, w = world.loss[intent[k]], weight[k]
            for x in range(sums.size):
                sums[x] += w * row[x]
        best = int(np.argmin(sums))
        return sums[best], best
    worst, most, best = 0.0, 0.0, 0
    for k in range(size):
        g, w = intent[k], weight[k]
        worst += w * world.most[g]
        for place in range(world.columns[g], world.columns[g + 1]):
            x = world.saver[place]
            sums[x] += w * world.saved[place]
            if sums[x] > most or (sums[x] == most and x < best):
                most, best = sums[x], x
    for k in range(size):
        for place in range(world.columns[intent[k]], world.columns[intent[k] + 1]):
            sums[world.saver[place]] = 0.0
    return worst - most, best


@inner
def hear(world: ProblemArrays, space: SearchArrays, level: int, question: int, answer: int) -> tuple[float, float]:
    """Update the state at row `level` of `space` by an answer to a question, and write the new state to the next row.

    Returns the probability of the new state, and its expected loss if the intent were known, times this probability.
    Answers are numbered across all questions.
    """
    total, known, n = 0.0, 0.0, 0
    sign_a, sign_b = space.sign[level, 0], space.sign[level, 1]
    row = world.likelihood[answer]
    for k in range(space.size[level]):
        g = space.intent[level, k]
        w = space.weight[level, k] * row[g]
        if w > 0.0:
            space.weight[level + 1, n] = w
            space.intent[level + 1, n] = g
            n += 1
            total += w
            known += w * world.least[g]
        else:
            sign_a ^= world.intent_signs[g, 0]
            sign_b ^= world.intent_signs[g, 1]
    if world.noisy[question]:
        sign_a ^= world.answer_signs[answer, 0]
        sign_b ^= world.answer_signs[answer, 1]
    space.size[level + 1] = n
    space.sign[level + 1, 0] = sign_a
    space.sign[level + 1, 1] = sign_b
    return total, known


@compiled(work=lambda given: given.world.likelihood.shape[1])
def hear_from_python(
    world: ProblemArrays, space: SearchArrays, level: int, question: int, answer: int
) -> tuple[float, float]:
    """Update the state at row `level` of `space` by an answer, called from Python; write the new state to the next row.

    Returns the probability of the new state, and its expected loss if the intent were known, times this probability.
    Answers are numbered across all questions.
    """
    return hear(world, space, level, question, answer)


@inner
def is_informative(world: ProblemArrays, space: SearchArrays, level: int, question: int) -> bool:
    """Return whether some answer to a question has different likelihoods for two intents that are still possible.

    The state is at row `level` of `space`.
    """
    for answer in range(world.first[question], world.first[question + 1]):
        row = world.likelihood[answer]
        p = row[space.intent[level, 0]]
        for k in range(1, space.size[level]):
            if row[space.intent[level, k]] != p:
                return True
    return False


@inner
def information(world: ProblemArrays, space: SearchArrays, level: int, question: int, total: float) -> float:
    """Return the information gain of a question about the intent, in nats, times the probability of the state.

    The state is at row `level` of `space`; `total` is its probability.
    """
    gained = 0.0
    for answer in range(world.first[question], world.first[question + 1]):
        row, surprise, heard = world.likelihood[answer], world.surprise[answer], 0.0
        for k in range(space.size[level]):
            w, g = space.weight[level, k], space.intent[level, k]
            heard += w * row[g]
            gained += w * surprise[g]
        if heard > 0.0:
            gained -= heard * math.log(heard / total)
    return gained


@inner
def find(signs: np.ndarray, sign_a: int, sign_b: int) -> int:
    """Return the index of a key in a hash table; if it is not there, ``-1 - k``, where entry ``k`` is free for it.

    Args:
        signs: ``uint64 [n, 2]``, keys in the table, 0 in free entries; ``n`` is a power of 2.
        sign_a: first 64 bits of the key.
        sign_b: last 64 bits of the key.
    """
    mask = np.uint64(signs.shape[0] - 1)
    place = sign_a & mask
    while True:
        a, b = signs[place, 0], signs[place, 1]
        if a == sign_a and b == sign_b:
            return np.int64(place)  # type: ignore[return-value]
        if a == 0 and b == 0:
            return -1 - np.int64(place)  # type: ignore[return-value]
        place = (place + np.uint64(1)) & mask


@inner
def cached_act(world: ProblemArrays, space: SearchArrays, memory: SolvedStates, level: int) -> float:
    """Return the least expected loss of acting now, times the probability of the state, from the cache if possible.

    The state is at row `level` of `space`. A new loss is added to `memory`, unless this cache is full.
    """
    sign_a, sign_b = space.sign[level, 0], space.sign[level, 1]
    place = find(memory.act_sign, sign_a, sign_b)
    if place >= 0:
        return memory.act[place]  # type: ignore[no-any-return]
    value, _ = act(world, space, level)
    if memory.used[1] < memory.used[2]:
        memory.used[1] += 1
        memory.act_sign[-1 - place, 0], memory.act_sign[-1 - place, 1] = sign_a, sign_b
        memory.act[-1 - place] = value
    return value


@inner
def sort_questions(
    world: ProblemArrays,
    space: SearchArrays,
    stack: SearchStack,
    memory: SolvedStates,
    limits: SearchLimits,
    level: int,
    left: int,
) -> int:
    """Write the questions worth searching to ``space.order``, the most promising first; return their number.

    Also writes sort keys to ``space.score`` and lower bounds of the cost to ``space.floor``. A key is the cost of
    asking once and then acting or, if not all questions are tried, minus the information gain per price. Costs are
    times the probability of the state, at row `level`, in which `left` questions may be asked.
    """
    total, known, upper = stack.total[level], stack.known[level], stack.upper[level]
    narrow, n = limits.width < world.price.size and left > 1, 0
    for q in range(world.price.size):
        paid = world.price[q] * total
        if space.asked[q] or paid + known >= upper or not is_informative(world, space, level, q):
            continue
        if narrow:
            gained = information(world, space, level, q, total)
            # A thousandth of what could be saved is added to prices, so that free questions are compared by their gain.
            score, floor = -gained / (world.price[q] + 1e-3 * (upper - known) / total), paid + known
        else:
            score, floor = paid, paid
            for answer in range(world.first[q], world.first[q + 1]):
                part, part_known = hear(world, space, level, q, answer)
                if part > 0.0:
                    value = cached_act(world, space, memory, level + 1)
                    score += value
                    last = limits.final and left == 1
                    floor += value if last else min(value, part_known + stack.cheapest[level] * part)
        space.score[level, q], space.floor[level, q] = score, floor
        place = n
        while place > 0 and space.score[level, space.order[level, place - 1]] > score:
            space.order[level, place] = space.order[level, place - 1]
            place -= 1
        space.order[level, place] = q
        n += 1
    return min(n, limits.width) if narrow else n


@inner
def initial_bounds(world: ProblemArrays, space: SearchArrays, stack: SearchStack, level: int) -> None:
    """Write to `stack` what is known about a state before any question is searched.

    This is the state's probability, its expected loss if the intent were known, the least price of a question not asked
    yet, and the best action, whose expected loss becomes both bounds. The state is at row `level` of `space` and
    `stack`.
    """
    total, known, cheapest = 0.0, 0.0, np.inf
    for k in range(space.size[level]):
        total += space.weight[level, k]
        known += space.weight[level, k] * world.least[space.intent[level, k]]
    for q in range(world.price.size):
        if not space.asked[q]:
            cheapest = min(cheapest, world.price[q])
    value, best = act(world, space, level)
    stack.total[level], stack.known[level], stack.cheapest[level] = total, known, cheapest
    stack.upper[level], stack.lower[level], stack.move[level] = value, value, -1 - best


@inner
def enter(
    world: ProblemArrays,
    space: SearchArrays,
    stack: SearchStack,
    memory: SolvedStates,
    spent: FloatArray,
    limits: SearchLimits,
    level: int,
    left: int,
) -> bool:
    """Begin the search of a state; return whether a question has to be searched.

    If not, the state's bounds in `stack` are final. The state is at row `level`, and `left` more questions may be
    asked. The estimated work, in nanoseconds, is added to `spent`, ``float64 [1]``.
    """
    sign_a = space.sign[level, 0] ^ world.left_signs[left, 0]
    sign_b = space.sign[level, 1] ^ world.left_signs[left, 1]
    place = find(memory.sign, sign_a, sign_b)
    if place >= 0:
        stack.upper[level], stack.lower[level] = memory.value[place, 0], memory.value[place, 1]
        stack.move[level] = memory.move[place]
        return False
    initial_bounds(world, space, stack, level)
    upper, floor = stack.upper[level], stack.known[level] + stack.cheapest[level] * stack.total[level]
    if upper <= floor:
        return False
    if left == 0:
        if not limits.final:
            stack.lower[level] = floor
        return False
    spent[0] += (space.size[level] * limits.work + OVERHEAD) * world.likelihood.shape[0]
    if spent[0] > limits.budget:
        stack.lower[level] = floor
        return False
    stack.n[level] = sort_questions(world, space, stack, memory, limits, level, left)
    stack.k[level], stack.answer[level] = 0, -1
    return True


@inner
def update_bounds(
    world: ProblemArrays, space: SearchArrays, stack: SearchStack, level: int, value: float, least: float
) -> None:
    """Update the bounds and the best move of a state after its current question was searched.

    The state is at row `level` of `stack`. `value` is an upper and `least` a lower bound of the cost of asking the
    question, times the probability of the state.
    """
    stack.lower[level] = min(stack.lower[level], least)
    if value < stack.upper[level] - world.tie * stack.total[level]:
        stack.upper[level], stack.move[level] = value, space.order[level, stack.k[level]]


@inner
def advance(world: ProblemArrays, space: SearchArrays, stack: SearchStack, level: int, left: int) -> bool:
    """Find the next answer to be searched in a state, to any question; return whether there is one.

    The state is at row `level` of `space` and `stack`; `left` more questions may be asked. The state after the answer
    is written to the next row. Questions that cannot become the best move are skipped.
    """
    while stack.k[level] < stack.n[level]:
        q = space.order[level, stack.k[level]]
        if left == 1:
            update_bounds(world, space, stack, level, space.score[level, q], space.floor[level, q])
        elif stack.answer[level] >= 0 or space.floor[level, q] < stack.upper[level]:
            if stack.answer[level] < 0:
                stack.value[level] = stack.least[level] = world.price[q] * stack.total[level]
                stack.unheard[level] = stack.known[level]
                stack.answer[level] = world.first[q]
                space.asked[q] = True
            # The question is worse than the best move; by how much does not matter.
            hopeless = stack.least[level] + stack.unheard[level] > stack.upper[level]
            while stack.answer[level] < world.first[q + 1] and not hopeless:
                part, known = hear(world, space, level, q, stack.answer[level])
                stack.answer[level] += 1
                if part > 0.0:
                    stack.unheard[level] -= known
                    return True
            if not hopeless:
                update_bounds(world, space, stack, level, stack.value[level], stack.least[level])
            space.asked[q] = False
        stack.k[level] += 1
        stack.answer[level] = -1
    return False


@inner
def keep(
    world: ProblemArrays, space: SearchArrays, stack: SearchStack, memory: SolvedStates, level: int, left: int
) -> None:
    """Store the bounds and the best move of a completely searched state in `memory`, unless this cache is full.

    The state is at row `level` of `space` and `stack`; `left` more questions may be asked.
    """
    if memory.used[0] < memory.used[2]:
        sign_a = space.sign[level, 0] ^ world.left_signs[left, 0]
        sign_b = space.sign[level, 1] ^ world.left_signs[left, 1]
        place = -1 - find(memory.sign, sign_a, sign_b)
        memory.used[0] += 1
        memory.sign[place, 0], memory.sign[place, 1] = sign_a, sign_b
        memory.value[place, 0], memory.value[place, 1] = stack.upper[level], stack.lower[level]
        memory.move[place] = stack.move[level]


@compiled(work=lambda given: int(most_work(given.world, given.limits) / STEP))
def solve(
    world: ProblemArrays,
    space: SearchArrays,
    stack: SearchStack,
    memory: SolvedStates,
    spent: FloatArray,
    limits: SearchLimits,
    top: int,
    left: int,
) -> None:
    """Search for the best move, an action or a question, in a state in which at most `left` questions may be asked.

    Writes the move to ``stack.move[top]``. Writes bounds of the expected cost, times the probability of the state, to
    ``stack.upper[top]`` and ``stack.lower[top]``. The result is meaningless if the work exceeds ``limits.budget``.

    Args:
        world: the decision problem.
        space: scratch arrays, with the state at row `top`.
        stack: bounds and moves to write.
        memory: cache of solved states.
        spent: ``float64 [1]``, to which the estimated work in nanoseconds is added.
        limits: limits of the search.
        top: number of answers so far.
        left: number of questions left.
    """
    level = top
    below = enter(world, space, stack, memory, spent, limits, level, left)
    while True:
        if below:
            if advance(world, space, stack, level, left - level + top):
                level += 1
                below = enter(world, space, stack, memory, spent, limits, level, left - level + top)
                continue
            if spent[0] <= limits.budget:
                keep(world, space, stack, memory, level, left - level + top)
        if level == top:
            return
        level -= 1
        stack.value[level] += stack.upper[level + 1]
        stack.least[level] += stack.lower[level + 1]
        below = True
