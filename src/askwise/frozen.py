"""Objects that cannot be changed: problems and everything that they are made of.

The methods of a study share one problem. Arrays are read-only, dictionaries and lists refuse changes, and attributes
cannot be set once an object is made; every attempt raises `CannotChange`. An agent that has to change an array makes a
copy, such as ``problem.prior.copy()``.
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
    """Raised on an attempt to change a read-only object, such as a problem that several agents share."""


def read_only(array: _Array) -> _Array:
    """Make an array read-only in place, and return it."""
    array.setflags(write=False)
    return array


def frozen(value: Any) -> Any:
    """Return a value in which all arrays, dicts and lists, nested ones included, are read-only.

    Arrays are made read-only in place; dicts and lists are copied.
    """
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


def is_hashable(value: object) -> bool:
    """Return whether `value` is hashable; a tuple that contains a list is not."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def freeze_arrays(value: Any) -> None:
    """Make the arrays in `value` read-only in place, and leave everything else as it is.

    Args:
        value: an array, a tuple or list with arrays at any depth, or a sparse matrix; any other value is ignored.
    """
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple | list):
        for each in value:
            freeze_arrays(each)
    elif hasattr(value, "indptr"):
        freeze_arrays((value.data, value.indices, value.indptr))


def freeze_fields(record: Any, *names: str) -> None:
    """Make arrays, dicts and lists in the named fields of a frozen dataclass read-only.

    Call this in ``__post_init__``. Arrays are changed in place; dicts and lists are replaced by read-only copies.
    """
    for name in names:
        value = getattr(record, name)
        object.__setattr__(record, name, frozen(dict(value) if isinstance(value, Mapping) else value))


# -- objects -----------------------------------------------------------------------------------------------------


class _Sealing(ABCMeta):
    """The metaclass of `Sealed`: once the constructors have run, the attributes of an object can no longer be set."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        vars(made)[_SEALED] = True
        return made

    @property
    def __signature__(cls) -> Any:
        """The signature of the class's ``__init__``, for `help`, which would otherwise show ``_Sealing.__call__``."""
        from inspect import signature

        whole = signature(cls.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:], return_annotation=whole.empty)


class ArrivesFrozen:
    """A base class that makes arrays read-only again when an object is unpickled."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        freeze_arrays(tuple(state.values()))
        vars(self).update(state)


class Sealed(ArrivesFrozen, metaclass=_Sealing):
    """A base class of objects whose attributes can be set only in ``__init__``; later attempts raise `CannotChange`.

    A `cached_property` still works: it stores its value at first use.
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
        return self  # it never changes, so a copy is not needed


def replaced(given: Any, kind: type[_Object], **changes: Any) -> _Object:
    """Return a copy of a `Sealed` object with some attributes changed; the new values are not checked.

    The copy keeps every computed `cached_property`, so change only attributes on which no such property depends.

    Args:
        given: the object.
        kind: the class of the copy.
        changes: the new values, by attribute name.
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
    """A read-only dict that is equal to an ordinary dict with the same entries.

    Unlike ``types.MappingProxyType`` it can be pickled, copied and written as JSON.
    """

    __setitem__ = __delitem__ = __ior__ = _refused("dictionary")
    clear = pop = popitem = setdefault = update = _refused("dictionary")

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[Any, Any]]]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A read-only list; attempts to change it raise `CannotChange`."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused("list")
    append = clear = extend = insert = pop = remove = reverse = sort = _refused("list")

    def __reduce__(self) -> tuple[type[FrozenList], tuple[list[Any]]]:
        return FrozenList, (list(self),)
