"""Named tuples of arrays, handed from kernel to kernel as one address.

numba hands a tuple on member by member, and an array as its address, shape, strides and more: for the planner's
workspace these are 190 numbers at every call, and a function is mostly the taking apart and putting together of them
(44,000 of 84,000 instructions that LLVM was once given for a first plan). Tuples cannot be changed, so that whoever is
called can just as well look at the caller's: a kernel that only other kernels call is compiled for a `Reference` in the
place of a named tuple. What is written into memory is laid out here, one member after the other; members that are named
tuples themselves lie within it, and what is read of them is a `Reference` again.

From a reference, members are read by name, and that is all that can be done with it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from numba import types as numba_types
from numba.core import cgutils as numba_cgutils
from numba.core import imputils, typeconv
from numba.core.datamodel import models, registry
from numba.core.typing import templates

# Their types leave out much of what they are.
cgutils: Any = numba_cgutils
ir: Any = vars(numba_cgutils)["ir"]
Conversion: Any = vars(typeconv)["Conversion"]
types: Any = numba_types
borrowed: Any = imputils.impl_ret_borrowed
lower_cast: Any = imputils.lower_cast
lower_getattr: Any = imputils.lower_getattr_generic
PrimitiveModel: Any = models.PrimitiveModel
register_default: Any = registry.register_default
AttributeTemplate: Any = templates.AttributeTemplate
infer_getattr: Any = templates.infer_getattr

_ADDRESS = ir.IntType(8).as_pointer()
_WORD = 8
"""Bytes; every member begins at a multiple of it."""


class Reference(types.Type):  # type: ignore[misc]
    """Where a named tuple is."""

    def __init__(self, of: Any) -> None:
        self.of = of
        # All of its type is several thousand letters, and a part of the name of every function that is given one.
        digest = hashlib.sha256(str(of).encode()).hexdigest()[:16]
        super().__init__(f"Reference({of.instance_class.__name__}-{digest})")

    def can_convert_from(self, _: Any, other: Any) -> Any:
        """Whether something can be handed on where this is expected."""
        return Conversion.safe if other == self.of else None

    def can_convert_to(self, _: Any, other: Any) -> Any:
        """Whether this can be handed on where something else is expected."""
        return Conversion.safe if other == self.of else None


def referred(kind: Any) -> Any:
    """Return what an inner kernel is given where its caller has something of this type."""
    return Reference(kind) if isinstance(kind, types.BaseNamedTuple) else kind


def resolved(kind: Any) -> Any:
    """Return what a kernel that is called from Python, too, is given in the place of this type."""
    return kind.of if isinstance(kind, Reference) else kind


@register_default(Reference)
class _Model(PrimitiveModel):  # type: ignore[misc]
    """An address."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _ADDRESS)


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """Return the type of a member."""
        if name in kind.of.fields:
            return referred(kind.of[kind.of.fields.index(name)])
        return None


class _Layout:
    """Where members are, by the type of what they are members of."""

    def __init__(self) -> None:
        self._sizes: dict[Any, int] = {}
        self._places: dict[Any, list[int]] = {}

    def size(self, context: Any, kind: Any) -> int:
        """Return how many bytes something takes, whole words."""
        if kind not in self._sizes:
            if isinstance(kind, types.BaseNamedTuple):
                self._sizes[kind] = sum(self.size(context, member) for member in kind)
            else:
                exact = context.get_abi_sizeof(context.get_value_type(kind))
                self._sizes[kind] = -(-exact // _WORD) * _WORD
        return self._sizes[kind]

    def places(self, context: Any, kind: Any) -> list[int]:
        """Return where each member begins."""
        if kind not in self._places:
            places = [0]
            for member in kind:
                places.append(places[-1] + self.size(context, member))
            self._places[kind] = places
        return self._places[kind]


_layout = _Layout()


def _at(builder: Any, address: Any, place: int) -> Any:
    return builder.gep(address, [ir.IntType(64)(place)], inbounds=True) if place else address


@lower_getattr(Reference)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, kind: Any, address: Any, name: str) -> Any:
    """Read a member, or say where it is."""
    k = kind.of.fields.index(name)
    member, address = kind.of[k], _at(builder, address, _layout.places(context, kind.of)[k])
    if isinstance(member, types.BaseNamedTuple):
        return address
    there = builder.bitcast(address, context.get_value_type(member).as_pointer())
    return borrowed(context, builder, member, builder.load(there))


@lower_cast(types.BaseNamedTuple, Reference)  # type: ignore[untyped-decorator]
def _write(context: Any, builder: Any, given: Any, _: Any, value: Any) -> Any:
    """Write a named tuple into memory of the caller."""
    words = ir.ArrayType(ir.IntType(64), _layout.size(context, given) // _WORD)
    address = builder.bitcast(cgutils.alloca_once(builder, words), _ADDRESS)
    _write_at(context, builder, given, value, address)
    return address


def _write_at(context: Any, builder: Any, given: Any, value: Any, address: Any) -> None:
    for k, (member, place) in enumerate(zip(given, _layout.places(context, given), strict=False)):
        one, there = builder.extract_value(value, k), _at(builder, address, place)
        if isinstance(member, types.BaseNamedTuple):
            _write_at(context, builder, member, one, there)
        else:
            builder.store(one, builder.bitcast(there, one.type.as_pointer()))


@lower_cast(Reference, types.BaseNamedTuple)  # type: ignore[untyped-decorator]
def _read_all(context: Any, builder: Any, _: Any, wanted: Any, address: Any) -> Any:
    """Read a whole named tuple."""
    return borrowed(context, builder, wanted, _read_at(context, builder, wanted, address))


def _read_at(context: Any, builder: Any, wanted: Any, address: Any) -> Any:
    members = []
    for member, place in zip(wanted, _layout.places(context, wanted), strict=False):
        there = _at(builder, address, place)
        if isinstance(member, types.BaseNamedTuple):
            members.append(_read_at(context, builder, member, there))
        else:
            members.append(builder.load(builder.bitcast(there, context.get_value_type(member).as_pointer())))
    return context.make_tuple(builder, wanted, members)


def promise(lowering: Any) -> None:
    """Tell LLVM what it cannot know of the references that a function is given.

    Nothing that the function writes is in one of them. So what is read from them need be read only once, though arrays
    are written in between.
    """
    given = iter(lowering.call_conv.get_arguments(lowering.function))
    for kind in lowering.fndesc.argtypes:
        leaves = lowering.context.data_model_manager[kind].get_argument_type()
        first = [next(given) for _ in range(_count(leaves))]
        if isinstance(kind, Reference):
            first[0].add_attribute("noalias")
            first[0].attributes.align = _WORD
            first[0].attributes.dereferenceable = _layout.size(lowering.context, kind.of)


def _count(leaves: Any) -> int:
    return sum(map(_count, leaves)) if isinstance(leaves, tuple | list) else 1
