"""Compilation of kernels (loops over plain arrays) by numba.

numba compiles a kernel once for each combination of argument types. So callers pass only 64-bit numbers, and kernels
pass no literals to other kernels. `StructType` is the type of a struct, a record of named arrays and numbers.

The machine code of a kernel that Python calls is kept on disk (`askwise._kept`), with all kernels that it calls.

During compilation, garbage collection is off, and Ctrl-C is deferred. The time does not count as an agent's decision
time. On a terminal, a message says what is being compiled.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba import extending
from numba.experimental import structref

from askwise._kept import kernel_at, locked
from askwise.workers import heartbeat
from askwise.workers.heartbeat import DeferredInterrupt

_njit: Any = numba.njit
_types: Any = numba.types
_extending: Any = extending
_structref: Any = structref

OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of all kernels. Divisions are not checked for zero, so inner loops vectorise. Fast-math stays off: infinity
is an exact answer. Nothing calls kernels from C, so there is no wrapper for that."""
INNER = {**OPTIONS, "no_cpython_wrapper": True}
"""Options of kernels that only other kernels call: no wrapper for Python, which takes as long as a small kernel."""

PARTS = {
    "askwise.planning.exact": "the search for the optimum",
    "askwise.planning": "the planner",
    "askwise.divergence": "how long goals look alike",
    "askwise.methods": "what questions are worth",
    "askwise.decisions": "the search for the best plan of questions",
    "askwise.pddl": "the search for optimal plans",
    "askwise.designs": "the search for designs",
    "askwise.model.chain": "expected steps",
    "askwise": "models",
}
"""The purpose of kernels, by the beginning of their module's name; the first match counts."""

NOT_KEPT = "not kept, because no cache folder can be written (NUMBA_CACHE_DIR sets one)"

_announced: set[str] = set()
_compiling = threading.RLock()


def within(function: Callable[..., Any], inline: str) -> Any:
    """Return a loop as a numba function that other compiled loops can call, but Python cannot.

    `inline` is ``always`` if numba copies the loop into its callers, otherwise ``never``.
    """
    loop = _calling_loops(function)
    kernel = _njit(loop, inline=inline, **INNER)
    if function.__name__ in loop.__globals__:
        loop.__globals__[function.__name__] = kernel  # it may call itself
    return kernel


def compiled_for(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """Return a loop compiled by numba for the types of the arguments `given`; it takes the same arguments as the loop.

    Machine code is loaded from disk if it is there; new machine code is written to disk if possible.
    """
    kinds = tuple(map(numba.typeof, given))
    with _compiling, _undisturbed():
        loop = _calling_loops(function)
        kernel, place = kernel_at(functools.partial(_njit, loop, **OPTIONS), function, f"{kinds} {OPTIONS} {INNER}")
        if function.__name__ in loop.__globals__:
            loop.__globals__[function.__name__] = kernel
        if place is None:
            _announce(function.__module__, NOT_KEPT)
            kernel.compile(kinds)
            return kernel
        with locked(place):
            if not place.intact():
                _announce(function.__module__, "kept for later runs")
            try:
                kernel.compile(kinds)
            except OSError:  # compiled, but not kept: the disk may be full
                kernel.compile(kinds)
            place.note()
    return kernel


def _calling_loops(function: Any) -> Any:
    """Return a copy of a loop that calls numba functions (`Kernel.within`) where the loop calls `Kernel` objects."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    known = {
        name: value.within if hasattr(type(value), "within") and value.as_written is not function else value
        for name, value in function.__globals__.items()
        if name in names or name.startswith("__")
    }
    copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _codes(code: Any) -> Iterator[Any]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Defer Ctrl-C and turn garbage collection off while the ``with`` block runs.

    The time of the block does not count as an agent's decision time.
    """
    interrupts, collects = DeferredInterrupt(), gc.isenabled()
    heartbeat.own.pause()
    interrupts.hold()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        heartbeat.own.resume()
        interrupts.release()


def _announce(module: str, then: str) -> None:
    """Print to a terminal that a part of the package is being compiled, once for each part.

    `module` is the module whose loop is compiled. `then` ends the message, such as "kept for later runs".
    """
    part = next((part for start, part in PARTS.items() if module.startswith(start)), None)
    if part is None or part in _announced or multiprocessing.parent_process() is not None:
        return
    _announced.add(part)
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"askwise: compiling {part}; this is {then}", file=sys.stderr, flush=True)


# -- structs -------------------------------------------------------------------------------------------------------


class _Fields(_types.StructRef):  # type: ignore[misc]
    """The base class of `StructType`; it tells numba's compiler the name and the type of each field of a struct.

    numba registers its own code for reading fields for this class. `StructType` replaces that code by `_read_field`.
    """


_structref.define_attributes(_Fields)


class StructType(_Fields):
    """The numba type of a `Struct`, a group of named arrays and numbers.

    Compiled loops get a struct as a pointer to 64-bit words (`StructReference`). A loop must not return an array of a
    struct, because compiled loops do not count references to these arrays.

    Args:
        class_name: name of the subclass of `Struct`.
        fields: name and numba type of each field.

    Attributes:
        first_word: a dict from each field's name to the index of its first word.
    """

    def __init__(self, class_name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        super().__init__(fields)
        self.name = f"{class_name}_{hashlib.sha256(repr(fields).encode()).hexdigest()[:12]}"
        self.first_word, n_words = {}, 0
        for name, field in fields:
            self.first_word[name] = n_words
            n_words += 1 + 2 * getattr(field, "ndim", 0)


class StructReference:
    """What Python passes to compiled loops for a `Struct`, a group of named arrays and numbers.

    It points to 64-bit words, which describe the fields in order. A number is one word. An inner struct is one word,
    the address of its words. An array is several: its address, its shape, and its strides in bytes.

    Args:
        struct: the struct.
        names: names of its fields.

    Attributes:
        type: the numba type of the struct.
        address: address of the first word.
    """

    def __init__(self, struct: Any, names: tuple[str, ...]) -> None:
        self._fields = [getattr(struct, name) for name in names]  # they stay in memory as long as their addresses
        values = [getattr(field, "compiled", field) for field in self._fields]
        self.type = StructType(type(struct).__name__, tuple(zip(names, map(numba.typeof, values), strict=True)))
        self._words = np.concatenate([_words(value) for value in values])
        self.address = self._words.ctypes.data


def _words(value: Any) -> Any:
    """Return the 64-bit words that describe one field of a struct to compiled loops, ``int64 [n_words]``.

    They are the number itself; or an array's address, shape and strides in bytes; or an inner struct's address.
    """
    if isinstance(value, StructReference):
        return np.array([value.address])
    if isinstance(value, np.ndarray):
        return np.array([value.ctypes.data, *value.shape, *value.strides])
    return np.array([value], dtype=np.float64 if isinstance(value, float) else np.int64).view(np.int64)


@_extending.typeof_impl.register(StructReference)  # type: ignore[untyped-decorator]
def _type_of(reference: StructReference, _context: Any) -> StructType:
    return reference.type


_extending.register_model(StructType)(_extending.models.OpaqueModel)  # a pointer


@_extending.unbox(StructType)  # type: ignore[untyped-decorator]
def _unbox(_type: StructType, reference: Any, c: Any) -> Any:
    """Generate machine code that gets the address out of a `StructReference`, for a struct passed to a compiled loop.

    `reference` and the result are values in the generated code. The methods of `c` add machine code.
    """
    number = c.pyapi.object_getattr_string(reference, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return _extending.NativeValue(address)


@_extending.lower_getattr_generic(StructType)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, struct: StructType, address: Any, name: str) -> Any:
    """Generate machine code that reads a field of a struct, for each expression ``struct.name`` in a compiled loop.

    `address` and the result are values in the generated code. `address` is that of the struct's words. The result is
    the number, the array, or the address of an inner struct's words. `context` knows the layout of types, and `builder`
    adds machine code.
    """
    field, first = struct.field_dict[name], struct.first_word[name]
    integer = context.get_value_type(_types.int64)
    words = builder.bitcast(address, integer.as_pointer())

    def read(k: int) -> Any:
        word = builder.load(builder.gep(words, [integer(first + k)]))
        word.set_metadata("invariant.load", builder.module.add_metadata([]))  # so it may be read once for a whole loop
        return word

    if isinstance(field, StructType):
        return builder.inttoptr(read(0), address.type)
    if not isinstance(field, _types.Array):
        kind = context.get_value_type(field)
        return builder.trunc(read(0), kind) if field == _types.boolean else builder.bitcast(read(0), kind)
    array = context.make_array(field)(context, builder)
    shape, strides, n_items = array.shape, array.strides, integer(1)
    for k in range(field.ndim):
        length = read(1 + k)
        shape = builder.insert_value(shape, length, k)
        strides = builder.insert_value(strides, read(1 + field.ndim + k), k)
        n_items = builder.mul(n_items, length)
    array.data = builder.inttoptr(read(0), array.data.type)
    array.shape, array.strides, array.nitems = shape, strides, n_items
    array.itemsize = integer(context.get_abi_sizeof(context.get_data_type(field.dtype)))
    return array._getvalue()
