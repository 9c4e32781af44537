"""Names at the edges, integers inside: the two-way map between them."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable

from askwise.errors import InputError
from askwise.frozen import Sealed, is_hashable


class Names(Sealed):
    """The names of `n` things in index order, or none, in which case the indices are the names.

    An integer stands for an index, unless integers are themselves among the names: then it is a name.
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
        """Return the index of `name`; `field` says in an error which input it came from."""
        if is_hashable(name) and name in self._index and not isinstance(name, bool):
            return self._index[name]
        if not self._integers_are_names and (i := as_int(name)) is not None and 0 <= i < self.n:
            return i
        raise InputError(field or self.kind, repr(name), self._allowed())

    def find(self, name: Hashable) -> int | None:
        """Return the index of a name, None if nothing is called so."""
        return self._index.get(name) if is_hashable(name) and not isinstance(name, bool) else None

    def as_index(self, value: Hashable, n: int) -> int | None:
        """Return a number below `n` that stands for itself: where integers are names, none does."""
        i = None if self._integers_are_names else as_int(value)
        return i if i is not None and 0 <= i < n else None

    def name(self, index: int) -> Hashable:
        """Return the name of `index`."""
        return index if self.names is None else self.names[index]

    def _allowed(self) -> str:
        numbers = f"an index from 0 to {self.n - 1}"
        if self.names is None:
            return numbers
        shown = ", ".join(repr(name) for name in self.names[:5]) + (", ..." if self.n > 5 else "")
        return f"one of {shown}" + ("" if self._integers_are_names else f", or {numbers}")


def as_int(value: object) -> int | None:
    """Return `value` as an int if it is a whole number of some kind (numpy's too), else None; bools are not."""
    if type(value) is int:  # nearly always; the rest of this is asked hundreds of times an episode otherwise
        return value
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
