"""Names of states and actions: users write names, algorithms use integers.

`Names` maps between the two. `Labels` is for models with many actions, of which each state has few. Column k of the
table of next states is then for the k-th action of each state. The *label* ``labels[s, k]`` is the index of this action
in state `s` among all actions.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.frozen import Sealed, is_hashable, read_only
from askwise.types import IntArray


class Names(Sealed):
    """A two-way map between the indices and the names of `n` states, actions or goals.

    Lookups accept a name or an index. If some names are integers, an integer is always read as a name.

    Args:
        kind: noun for error messages, such as ``state``.
        n: number of names.
        names: names in index order; None if indices are names.
    """

    def __init__(self, kind: str, n: int, names: Iterable[Hashable] | None = None) -> None:
        self.kind = kind
        self.n = n
        self.names = None if names is None else tuple(names)
        self._index: dict[Hashable, int] = {}
        if self.names is not None:
            self._fill_index(self.names)
        self._integers_are_names = any(as_int(name) is not None for name in self.names or ())

    def _fill_index(self, names: tuple[Hashable, ...]) -> None:
        if len(names) != self.n:
            raise InputError(f"{self.kind} names", f"{len(names)} names", f"{self.n}, one for each {self.kind}")
        for i, name in enumerate(names):
            if not is_hashable(name):
                raise InputError(f"name of {self.kind} {i}", repr(name), "something hashable")
            if name in self._index:
                raise InputError(
                    f"name of {self.kind} {i}", f"{name!r}, already the name of {self._index[name]}", "a new name"
                )
            self._index[name] = i

    def index(self, name: Hashable, field: str | None = None) -> int:
        """Return the index of a state, action or goal given by name or index; raise an `InputError` for an unknown one.

        `field` is the name of the input in error messages; None for the attribute `kind`.
        """
        if is_hashable(name) and name in self._index and not isinstance(name, bool):
            return self._index[name]
        if not self._integers_are_names and (i := as_int(name)) is not None and 0 <= i < self.n:
            return i
        raise InputError(field or self.kind, repr(name), self._allowed())

    def find(self, name: Hashable) -> int | None:
        """Return the index of a name, None if it is unknown; unlike `index`, it does not accept an index."""
        return self._index.get(name) if is_hashable(name) and not isinstance(name, bool) else None

    def as_index(self, value: Hashable, n: int) -> int | None:
        """Return `value` if it is an integer from 0 to ``n - 1``, otherwise None.

        The result is always None if some of the names are integers.
        """
        i = None if self._integers_are_names else as_int(value)
        return i if i is not None and 0 <= i < n else None

    def name(self, index: int) -> Hashable:
        """Return the name that belongs to an index."""
        return index if self.names is None else self.names[index]

    def _allowed(self) -> str:
        numbers = f"an index from 0 to {self.n - 1}"
        if self.names is None:
            return numbers
        shown = ", ".join(repr(name) for name in self.names[:5]) + (", ..." if self.n > 5 else "")
        return f"one of {shown}" + ("" if self._integers_are_names else f", or {numbers}")


def as_int(value: object) -> int | None:
    """Return `value` as an int if it is an integer of any type, including those of numpy.

    For bool and all other types, return None.
    """
    if type(value) is int:  # fast path, called hundreds of times an episode
        return value
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


class Labels(Sealed):
    """A table of action names by state and column, for models with many actions of which each state has few.

    Column k is for the k-th available action of each state.

    Args:
        table: ``int32 [n_states, n_columns]``, labels: indices in `names`, -1 for no action.
        names: names of all actions.
    """

    def __init__(self, table: IntArray, names: Iterable[Hashable]) -> None:
        self.table = read_only(table)
        named = tuple(names)
        self.names = Names("action", len(named), named)

    def name(self, state: int, column: int) -> Hashable:
        """Return the name of the action that a column stands for in a state, both given by index."""
        return self.names.name(int(self.table[state, column]))

    def column(self, state: int, name: Hashable, field: str, where: str) -> int:
        """Return the column that stands for an action in a state; raise an `InputError` if it is not available there.

        `name` is the name of the action, or the index of its column if no action has an integer as its name. `field`
        and `where` are the names of the input and the state in error messages.
        """
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
    """Return the labels that a user gave for a model as a checked array, ``int32 [n_states, n_columns]``.

    A label is the index, below `n_labels`, of the action that a column stands for. `labels` and `successor` (next
    states) are ``int [n_states, n_columns]``, -1 for no action. Raises `InputError` if a label is invalid, or if two
    actions of a state share one.
    """
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
