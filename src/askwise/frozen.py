"""What nobody can change: problems, and all that they are made of.

All methods of a study play the same problem, and share its tables. An agent that normalised ``problem.prior`` in place
would change what the others meet, and nobody would notice. So arrays are read-only, dictionaries and lists refuse to be
written to, and attributes cannot be set once an object is made. Whoever tries gets an error that says so; what an agent
works out belongs into the agent, or into a copy (``problem.prior.copy()``).

This keeps apart those who mean well. It is no prison: Python lets anybody who wants to reach around it.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

from askwise.errors import AskwiseError

SHARED = "problems and what they are made of cannot be changed"
_Array = TypeVar("_Array", bound=np.ndarray[Any, Any])
_Object = TypeVar("_Object")
_SEALED = "_sealed"


class CannotChange(AskwiseError, AttributeError, TypeError):  # noqa: N818 - it names what happened
    """Somebody tried to change what everybody shares."""


def read_only(array: _Array) -> _Array:
    """Return an array, from now on one that cannot be written to."""
    array.setflags(write=False)
    return array


def frozen(value: Any) -> Any:
    """Return the same value with read-only arrays, dictionaries and lists, however deep inside."""
    if isinstance(value, np.ndarray):
        return read_only(value)
    if isinstance(value, FrozenDict | FrozenList):
        return value
    if isinstance(value, dict):
        return FrozenDict({key: frozen(each) for key, each in value.items()})
    if isinstance(value, list):
        return FrozenList(frozen(each) for each in value)
    if type(value) is tuple and not is_hashable(value):
        return tuple(frozen(each) for each in value)
    return value


def arrived(kind: Callable[..., Any], *fields: Any) -> Any:
    """Return a record that came from another process, its arrays read-only again: pickle forgets that."""
    return kind(*map(frozen, fields))


def is_hashable(value: object) -> bool:
    """Whether `value` can be a name, and never changes; a tuple with a list inside only looks as if it could."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def freeze_arrays(value: Any) -> None:
    """Make arrays read-only where they are: one, those in a tuple or list, or those of a sparse matrix."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple | list):
        for each in value:
            freeze_arrays(each)
    elif hasattr(value, "indptr"):
        freeze_arrays((value.data, value.indices, value.indptr))


def freeze_fields(record: Any, *names: str) -> None:
    """Freeze some fields of a frozen dataclass, from its ``__post_init__``."""
    for name in names:
        value = getattr(record, name)
        object.__setattr__(record, name, frozen(dict(value) if isinstance(value, Mapping) else value))


# -- objects -----------------------------------------------------------------------------------------------------


class _Sealing(ABCMeta):
    """Closes an object as soon as it is made, whatever class of whoever's its constructor belongs to."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        vars(made)[_SEALED] = True
        return made


class ArrivesFrozen:
    """An object whose arrays are read-only in the process that it was sent to as well; pickle forgets that."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        freeze_arrays(tuple(state.values()))
        vars(self).update(state)


class Sealed(ArrivesFrozen, metaclass=_Sealing):
    """An object whose attributes are set while it is made, and never again.

    A subclass sets what it likes in its own ``__init__``. What is worked out at first use is a `cached_property`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if _SEALED in vars(self):
            raise CannotChange(f"{SHARED}: {type(self).__name__}.{name} was to be set")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if _SEALED in vars(self):
            raise CannotChange(f"{SHARED}: {type(self).__name__}.{name} was to be deleted")
        super().__delattr__(name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Sealed:
        return self  # it never changes, so nobody can tell


def replaced(given: Any, kind: type[_Object], **changes: Any) -> _Object:
    """Return a copy of a sealed object, as an object of class `kind`, with some attributes changed.

    The caller has checked the changes. Tables that were worked out already are shared with the copy, so only
    attributes on which no table depends can be changed.
    """
    other = kind.__new__(kind)
    vars(other).update(vars(given), **changes)
    return other


# -- dictionaries and lists --------------------------------------------------------------------------------------


def _refused(kind: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise CannotChange(f"{SHARED}: a {kind} in one of them was to be written to")

    return refuse


class FrozenDict(dict[Any, Any]):
    """A dictionary that cannot be written to; it is equal to, and shown as, the plain one with the same entries.

    Unlike ``types.MappingProxyType`` it can be pickled, copied and written as JSON.
    """

    __setitem__ = __delitem__ = __ior__ = _refused("dictionary")
    clear = pop = popitem = setdefault = update = _refused("dictionary")

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[Any, Any]]]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list that cannot be written to."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused("list")
    append = clear = extend = insert = pop = remove = reverse = sort = _refused("list")

    def __reduce__(self) -> tuple[type[FrozenList], tuple[list[Any]]]:
        return FrozenList, (list(self),)
