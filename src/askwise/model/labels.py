"""What the actions of a model are called where there are too many for a column each.

A table ``successor[s, a]`` with a column for every action is nearly empty where each state has a few actions out of
thousands, as in planning problems and in most graphs. Such a model has a column for each *rank* instead: column `r` of
state `s` is its `r`-th action, and ``labels[s, r]`` says which one that is. Everything that compares actions does so
within one state, by column; only names need the labels. Two actions of one label in two states are the same action,
which matters to whoever reads them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.frozen import Sealed, read_only
from askwise.model.names import Names
from askwise.types import IntArray


class Labels(Sealed):
    """The label of each action of each state.

    Attributes:
        table: ``int32 [n_states, n_columns]``, -1 where there is no action.
        names: what the labels stand for.
    """

    def __init__(self, table: IntArray, names: Iterable[Hashable]) -> None:
        self.table = read_only(table)
        named = tuple(names)
        self.names = Names("action", len(named), named)

    def name(self, state: int, column: int) -> Hashable:
        """Return what an action is called."""
        return self.names.name(int(self.table[state, column]))

    def column(self, state: int, name: Hashable, field: str, where: str) -> int:
        """Return the column that an action has in a state; an integer that is no name is a column itself."""
        label = self.names.find(name)
        if label is None:
            column = self.names.as_index(name, self.table.shape[1])
            if column is None or self.table[state, column] < 0:
                raise InputError(field, repr(name), f"an action available in {where}{self._near(state, name)}")
            return column
        found = np.flatnonzero(self.table[state] == label)
        if found.size == 0:
            raise InputError(field, repr(name), f"an action available in {where}{self._near(state, name)}")
        return int(found[0])

    def _near(self, state: int, name: Hashable) -> str:
        here = [str(self.names.name(int(label))) for label in self.table[state] if label >= 0]
        return did_you_mean(str(name), here)


def checked_labels(labels: object, successor: IntArray, n_labels: int) -> IntArray:
    """Return labels, ``int32`` and of the shape of `successor`: one where there is an action, each once in a state."""
    table = np.array(labels, dtype=np.int64)
    if table.shape != successor.shape:
        raise InputError("labels", f"a table of shape {table.shape}", f"{successor.shape}, as the successors")
    there = successor >= 0
    wrong = np.where(there, (table < 0) | (table >= n_labels), table != -1)
    if wrong.any():
        s, r = (int(k) for k in np.argwhere(wrong)[0])
        expected = f"a number from 0 to {n_labels - 1}" if there[s, r] else "-1, because there is no action"
        raise InputError(f"label of state {s}, rank {r}", int(table[s, r]), expected)
    in_order = np.sort(np.where(there, table, -1 - np.arange(table.shape[1])), axis=1)
    twice = in_order[:, 1:] == in_order[:, :-1]
    if twice.any():
        s, r = (int(k) for k in np.argwhere(twice)[0])
        raise InputError(f"labels of state {s}", f"{int(in_order[s, r])} twice", "each action once")
    return table.astype(np.int32)
