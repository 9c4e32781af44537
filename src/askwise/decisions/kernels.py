"""The compiled search of `askwise.decisions.search`: depth first, remembered, with bounds.

Beliefs are not normalised here. With weights ``w[g] = P(g and all answers so far)`` the recurrence needs no division,

    V(w) = min( min over x of sum_g w[g] loss[x, g],
                min over q of price[q] |w| + sum over a of V(w * L[q, a]) ),

and the sums at any depth are parts of the expected loss at the root.

*What is remembered.* A state is known by its intents with positive weight, the answers to the questions whose
likelihoods are not only 0 and 1, and how many more questions may be asked. That is enough: a question with likelihoods
0 and 1 acts on the weights by ruling intents out alone, and once answered it tells nothing, so it is not asked again.
Each of these parts has a random signature of 128 bits, and a state is found by the signatures' exclusive or. That two
of ten million states fall together has a probability below 1e-24.

*What is left out.* Knowing the intent costs ``K(w) = sum_g w[g] min_x loss[x, g]`` and never less. So nothing is gained
by asking where ``act(w) <= K(w) + cheapest price |w|``, and a question is dropped as soon as its price, the values of
the answers looked at and ``K`` of the others reach the best that is known.

*Where it stops.* At the last level the best action is an upper bound (it can be done), ``min(act, K + cheapest price)``
a lower one. Both are carried up; where they meet the value is exact.
"""

from __future__ import annotations

import numpy as np

from askwise._compiled import compiled
from askwise.decisions.arrays import ProblemArrays, SearchArrays, SearchLimits, SearchStack, SolvedStates
from askwise.types import FloatArray

OVERHEAD = 60.0
"""What it takes to look at an answer at all, however few intents are left, in the unit of the budget."""


@compiled
def act(world: ProblemArrays, space: SearchArrays, level: int) -> tuple[float, int]:
    """Return the least loss of acting with the weights of a level, and the action."""
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


@compiled
def listen(world: ProblemArrays, space: SearchArrays, level: int, question: int, answer: int) -> tuple[float, float]:
    """Put the weights after an answer on the next level; return their sum and the loss with the intent known."""
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


@compiled
def tells(world: ProblemArrays, space: SearchArrays, level: int, question: int) -> bool:
    """Whether some answer is more probable for one possible intent than for another."""
    for answer in range(world.first[question], world.first[question + 1]):
        row = world.likelihood[answer]
        p = row[space.intent[level, 0]]
        for k in range(1, space.size[level]):
            if row[space.intent[level, k]] != p:
                return True
    return False


@compiled
def information(world: ProblemArrays, space: SearchArrays, level: int, question: int, total: float) -> float:
    """Return how much a question tells about the intent, in nats, times the weight of the state."""
    told = 0.0
    for answer in range(world.first[question], world.first[question + 1]):
        row, surprise, heard = world.likelihood[answer], world.surprise[answer], 0.0
        for k in range(space.size[level]):
            w, g = space.weight[level, k], space.intent[level, k]
            heard += w * row[g]
            told += w * surprise[g]
        if heard > 0.0:
            told -= heard * np.log(heard / total)
    return told


@compiled
def place_of(signs: np.ndarray, sign_a: int, sign_b: int) -> int:
    """Return where a signature is in a table, or where it belongs: minus one less than that."""
    mask = np.uint64(signs.shape[0] - 1)
    place = sign_a & mask
    while True:
        a, b = signs[place, 0], signs[place, 1]
        if a == sign_a and b == sign_b:
            return np.int64(place)  # type: ignore[return-value]
        if a == 0 and b == 0:
            return -1 - np.int64(place)  # type: ignore[return-value]
        place = (place + np.uint64(1)) & mask


@compiled
def acted(world: ProblemArrays, space: SearchArrays, memory: SolvedStates, level: int) -> float:
    """Return the least loss of acting with the weights of a level, worked out once for each state."""
    sign_a, sign_b = space.sign[level, 0], space.sign[level, 1]
    place = place_of(memory.act_sign, sign_a, sign_b)
    if place >= 0:
        return memory.act[place]  # type: ignore[no-any-return]
    value, _ = act(world, space, level)
    if memory.used[1] < memory.used[2]:
        memory.used[1] += 1
        memory.act_sign[-1 - place, 0], memory.act_sign[-1 - place, 1] = sign_a, sign_b
        memory.act[-1 - place] = value
    return value


@compiled
def look(
    world: ProblemArrays,
    space: SearchArrays,
    stack: SearchStack,
    memory: SolvedStates,
    limits: SearchLimits,
    level: int,
    left: int,
) -> int:
    """Sort the questions of a state into ``space.order``, those worth following; return how many.

    ``score`` is the value of asking and then acting, ``floor`` what asking costs at least. If the search is narrow,
    the score is minus what a question tells for its price.
    """
    total, known, upper = stack.total[level], stack.known[level], stack.upper[level]
    narrow, n = limits.width < world.price.size and left > 1, 0
    for q in range(world.price.size):
        paid = world.price[q] * total
        if space.asked[q] or paid + known >= upper or not tells(world, space, level, q):
            continue
        if narrow:
            told = information(world, space, level, q, total)
            # Questions for nothing are compared by what they tell: a thousandth of what is at stake is added to prices.
            score, floor = -told / (world.price[q] + 1e-3 * (upper - known) / total), paid + known
        else:
            score, floor = paid, paid
            for answer in range(world.first[q], world.first[q + 1]):
                part, part_known = listen(world, space, level, q, answer)
                if part > 0.0:
                    value = acted(world, space, memory, level + 1)
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


@compiled
def weigh(world: ProblemArrays, space: SearchArrays, stack: SearchStack, level: int) -> None:
    """Work out what a state costs if one acts, and what it costs at least."""
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


@compiled
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
    """Begin with the state on a level; return whether there is something to follow, or its bounds are known at once."""
    sign_a = space.sign[level, 0] ^ world.left_signs[left, 0]
    sign_b = space.sign[level, 1] ^ world.left_signs[left, 1]
    place = place_of(memory.sign, sign_a, sign_b)
    if place >= 0:
        stack.upper[level], stack.lower[level] = memory.value[place, 0], memory.value[place, 1]
        stack.move[level] = memory.move[place]
        return False
    weigh(world, space, stack, level)
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
    stack.n[level] = look(world, space, stack, memory, limits, level, left)
    stack.k[level], stack.answer[level] = 0, -1
    return True


@compiled
def judge(
    world: ProblemArrays, space: SearchArrays, stack: SearchStack, level: int, value: float, least: float
) -> None:
    """Take the bounds of a question that was followed to its end."""
    stack.lower[level] = min(stack.lower[level], least)
    if value < stack.upper[level] - world.tie * stack.total[level]:
        stack.upper[level], stack.move[level] = value, space.order[level, stack.k[level]]


@compiled
def advance(world: ProblemArrays, space: SearchArrays, stack: SearchStack, level: int, left: int) -> bool:
    """Put the next answer that has to be looked at on the level below; return False if there is none any more."""
    while stack.k[level] < stack.n[level]:
        q = space.order[level, stack.k[level]]
        if left == 1:
            judge(world, space, stack, level, space.score[level, q], space.floor[level, q])
        elif stack.answer[level] >= 0 or space.floor[level, q] < stack.upper[level]:
            if stack.answer[level] < 0:
                stack.value[level] = stack.least[level] = world.price[q] * stack.total[level]
                stack.unheard[level] = stack.known[level]
                stack.answer[level] = world.first[q]
                space.asked[q] = True
            # Nobody needs to know how much worse it is.
            hopeless = stack.least[level] + stack.unheard[level] > stack.upper[level]
            while stack.answer[level] < world.first[q + 1] and not hopeless:
                part, known = listen(world, space, level, q, stack.answer[level])
                stack.answer[level] += 1
                if part > 0.0:
                    stack.unheard[level] -= known
                    return True
            if not hopeless:
                judge(world, space, stack, level, stack.value[level], stack.least[level])
            space.asked[q] = False
        stack.k[level] += 1
        stack.answer[level] = -1
    return False


@compiled
def keep(
    world: ProblemArrays, space: SearchArrays, stack: SearchStack, memory: SolvedStates, level: int, left: int
) -> None:
    """Remember a state that was followed to its end."""
    if memory.used[0] < memory.used[2]:
        sign_a = space.sign[level, 0] ^ world.left_signs[left, 0]
        sign_b = space.sign[level, 1] ^ world.left_signs[left, 1]
        place = -1 - place_of(memory.sign, sign_a, sign_b)
        memory.used[0] += 1
        memory.sign[place, 0], memory.sign[place, 1] = sign_a, sign_b
        memory.value[place, 0], memory.value[place, 1] = stack.upper[level], stack.lower[level]
        memory.move[place] = stack.move[level]


@compiled
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
    """Find an upper and a lower bound of the state on the level `top`, and its move.

    They are in ``stack.upper[top]``, ``lower`` and ``move``: a question, or minus one less an action. At most `left`
    more questions are looked at. ``spent[0]`` counts the work; beyond the budget the result means nothing.
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
