"""Compiled loops of the planner: sets of goals, each a row of 64-bit words in one array, addressed by its number.

Goal `g` is bit ``g % 64`` of word ``g // 64``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._compiled import lean, lean_inner


@lean_inner
def bits_in(word: Any) -> Any:
    """Return the number of ones in a 64-bit word."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean_inner
def has(sets: Any, row: int, goal: Any) -> bool:
    """Whether a goal is in a set."""
    return bool((sets[row, goal >> 6] >> np.uint64(goal & 63)) & np.uint64(1))


@lean_inner
def flip(sets: Any, row: int, goal: int) -> None:
    """Put a goal into a set, or take it out."""
    sets[row, goal >> 6] ^= np.uint64(1) << np.uint64(goal & 63)


@lean_inner
def clear(sets: Any, row: int) -> None:
    """Take all goals out of a set."""
    for k in range(sets.shape[1]):
        sets[row, k] = 0


@lean_inner
def copy_set(sets: Any, row: int, target: int) -> None:
    """Write the goals of `row` into `target`."""
    for k in range(sets.shape[1]):
        sets[target, k] = sets[row, k]


@lean_inner
def equal(sets: Any, row: int, other: int) -> bool:
    """Whether two sets hold the same goals."""
    same = True
    for k in range(sets.shape[1]):
        same = same and sets[row, k] == sets[other, k]
    return same


@lean
def common(sets: Any, row: int, other: Any, target: int) -> int:
    """Write what two sets have in common into `target`; return the number of goals."""
    n = 0
    for k in range(sets.shape[1]):
        word = sets[row, k] & sets[other, k]
        sets[target, k] = word
        n += bits_in(word)
    return n


@lean
def without(sets: Any, row: int, other: int, target: int) -> int:
    """Write the goals of `row` that are not in `other` into `target`; return their number."""
    n = 0
    for k in range(sets.shape[1]):
        word = sets[row, k] & ~sets[other, k]
        sets[target, k] = word
        n += bits_in(word)
    return n


@lean_inner
def size_of(sets: Any, row: int) -> int:
    """Return the number of goals in a set."""
    n = 0
    for k in range(sets.shape[1]):
        n += bits_in(sets[row, k])
    return n


@lean_inner
def first_goal(sets: Any, row: int) -> Any:
    """Return the goal of the lowest number in a set that is not empty."""
    k = 0
    while sets[row, k] == 0:
        k += 1
    word = sets[row, k]
    return np.int64(64 * k + bits_in((word & (~word + np.uint64(1))) - np.uint64(1)))


@lean_inner
def list_goals(sets: Any, row: int, ranked: Any) -> int:
    """Write the goals of a set into `ranked`; return how many there are."""
    n = 0
    for k in range(sets.shape[1]):
        word = sets[row, k]
        while word:
            lowest = word & (~word + np.uint64(1))
            ranked[n].goal = 64 * k + bits_in(lowest - np.uint64(1))
            n += 1
            word ^= lowest
    return n


@lean
def add_up(sets: Any, row: int, numbers: Any, at: int) -> float:
    """Return the sum of ``numbers[at, g]`` over the goals of a set."""
    total = 0.0
    for k in range(sets.shape[1]):
        word = sets[row, k]
        while word:
            lowest = word & (~word + np.uint64(1))
            total += numbers[at, 64 * k + bits_in(lowest - np.uint64(1))]
            word ^= lowest
    return total


@lean
def useful(sets: Any, row: int, load: int) -> int:
    """Return the load, or -1 for none if no goal of the set needs it."""
    return load if load >= 0 and has(sets, row, load) else -1
