"""What the exact search reads and writes: the problem, a stack of states, and a table of those that are solved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._compiled import compiled, inner
from askwise.frozen import arrived

NO_CHOICE = -(1 << 62)
"""In place of a choice: the regret is a lower bound only."""

SAME = 1.0 - 1e-12
"""An option must be better by more than rounding; the first of equals is kept."""

FRAME = np.dtype(
    [
        ("goals", np.int64),
        ("w", np.int64),
        ("place", np.int64),
        ("load", np.int64),
        ("where", np.int64),
        ("options", np.int64),
        ("option", np.int64),
        ("size", np.int64),
        ("level", np.int64),
        ("choice", np.int64),
        ("least", np.float64),
        ("best", np.float64),
        ("weight", np.float64),
    ]
)
"""A state on the stack: the set of `goals` as bits, `w`, `place`, `load`, and one number for these three (`where`); how
many actions there are (`options`), which one is looked at (`option`); then of how many goals questions are made
(`size`), and how many of them are on a side (`level`, -1 before the first question); the `least` that the regret can
be, the `best` so far, the `choice` that has it, and the `weight` of the goals."""

SIDE = np.dtype(
    [
        ("goals", np.int64),
        ("size", np.int64),
        ("weight", np.float64),
        ("named", np.float64),
        ("least", np.float64),
    ]
)
"""A side of a question: its `goals` as bits, their number and `weight`, what it costs to have them `named`, and the
`least` that their regret can be."""


class Arrays(NamedTuple):
    """A problem with few goals, for compiled loops.

    Attributes:
        weight: ``float64 [n_states, n_goals]``, see `askwise.planning.tables`.
        steps: ``int32 [n_states, n_goals]``, the teammate's steps to each goal.
        alive: ``int64 [n_states]``, the goals of positive weight.
        following: ``int32 [n_states, n_moves]``, the teammate's next states, filled up by -1.
        next: ``int32 [n_places, n_actions]``, the ego agent's next place, -1 where there is none.
        unloaded: ``int32 [n_places, n_goals]``, the ego agent's steps without the goal's load.
        loaded: the same with it.
        loads: ``int64 [n_places]``, the goals whose loads are taken up there.
        base: price of a question.
        per_goal: price for each goal in it.
        extra: ``float64 [n_goals]``, what each goal adds beyond that.
        charges: ``float64 [n_zones, 2, n_goals]``, in place of all these prices, see `Charges` in
            `askwise.planning.exact.arrays`; no zones where there are none.
        zone: ``int32 [n_states]``, the row of `charges` for each state.
    """

    weight: Any
    steps: Any
    alive: Any
    following: Any
    next: Any
    unloaded: Any
    loaded: Any
    loads: Any
    base: float
    per_goal: float
    extra: Any
    charges: Any
    zone: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """Arrive as it was sent."""
        return arrived, (Arrays, *self)


class Stack(NamedTuple):
    """States that wait for the values of others.

    Attributes:
        frames: ``FRAME [depth]``.
        actions: ``int64 [depth, n_options]``, the actions of each state, most promising first: a column of
            ``Arrays.next``, or one for each goal after them, taking up its load.
        regrets: ``float64 [depth, n_options]``, what is known of the regret of each.
        order: ``int64 [depth, n_goals]``, the goals of each state as questions take them up.
        sides: ``SIDE [depth, n_goals + 1, 2]``, of each state the sides of a question with so many goals on them.
        tried: ``int64 [depth, n_goals + 1]``, on how many sides the next goal has been tried.
        room: ``float64 [4, n_options]``, to work in: loops that make arrays take longer, and longer to compile.
    """

    frames: Any
    actions: Any
    regrets: Any
    order: Any
    sides: Any
    tried: Any
    room: Any


ENTRY = np.dtype([("goals", np.int64), ("where", np.int64), ("regret", np.float64), ("choice", np.int64)])
"""A state that is solved, or bounded from below: its `goals` as bits (none: nothing is there), `where` both agents are
and what is carried (`where_of`), its `regret`, and its `choice`: an action as in `Stack`, or ``-1 - q`` for a question
about the goals `q`. A table of them is ``ENTRY [n]``, a hash table with open addressing, `n` a power of two."""


def stack_of(arrays: Arrays, steps: int) -> Stack:
    """Return room for the deepest chain of states: every step of the teammate, and a question for each goal."""
    n_goals = arrays.weight.shape[1]
    depth, n_options = steps + n_goals + 2, arrays.next.shape[1] + n_goals
    return Stack(
        np.zeros(depth, dtype=FRAME),
        np.zeros((depth, n_options), dtype=np.int64),
        np.zeros((depth, n_options)),
        np.zeros((depth, n_goals), dtype=np.int64),
        np.zeros((depth, n_goals + 1, 2), dtype=SIDE),
        np.zeros((depth, n_goals + 1), dtype=np.int64),
        np.zeros((4, n_options)),
    )


def table_of(size: int) -> Any:
    """Return an empty table of so many places."""
    return np.zeros(size, dtype=ENTRY)


def larger(table: Any) -> Any:
    """Return the same table with twice as many places."""
    grown = table_of(2 * table.size)
    _refill(table, grown)
    return grown


@inner
def useful(goals: int, load: int) -> int:
    """Return the load, or -1 for none if no goal of the set needs it."""
    return load if load >= 0 and (goals >> load) & 1 else -1


@inner
def where_of(arrays: Arrays, goals: int, w: int, place: int, load: int) -> Any:
    """Return one number for where both agents are and what is carried, if it is of use."""
    n_goals = arrays.weight.shape[1]
    return (w * arrays.next.shape[0] + place) * (n_goals + 1) + useful(goals, load) + 1


@compiled
def find(table: Any, goals: int, where: int) -> Any:
    """Return where a state is in the table, or the empty place where it would go."""
    last = table.size - 1
    mixed = ((goals ^ (goals >> 31)) * 0x7FB5D329728EA185) ^ where
    mixed = (mixed ^ (mixed >> 27)) * 0x1B03738712FAD5C9
    slot = (mixed ^ (mixed >> 33)) & last
    while table[slot].goals != 0 and (table[slot].goals != goals or table[slot].where != where):
        slot = (slot + 1) & last
    return slot


@inner
def is_solved(table: Any, slot: int) -> bool:
    """Whether the state at a place of the table is solved, not only bounded from below."""
    return bool(table[slot].goals != 0 and table[slot].choice != NO_CHOICE)


@inner
def known_regret(table: Any, slot: int) -> float:
    """Return what the state at a place of the table is sure to cost: 0 where nothing is there."""
    return float(table[slot].regret)


@compiled
def _refill(old: Any, new: Any) -> None:
    for k in range(old.size):
        if old[k].goals != 0:
            entry = new[find(new, old[k].goals, old[k].where)]
            entry.goals, entry.where = old[k].goals, old[k].where
            entry.regret, entry.choice = old[k].regret, old[k].choice
