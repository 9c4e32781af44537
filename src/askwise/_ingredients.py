"""How kernels that only other kernels call are compiled: as ingredients of these, and no further.

numba optimises every function and turns it into machine code before another one uses it. The other then contains a
copy, which is optimised again with all of it, and so does the next: a loop eight calls deep is optimised eight times,
and seven times for nothing. Ingredients are handed on as they were first written down, and become machine code in the
kernels that contain them. (The first plan of the planner, from nothing compiled: 21 s on a core instead of 29.) What
they need is handed on to them as `askwise._references` says.

This goes by numba's own way to change how it compiles, a pipeline. Its step from numba's notation to LLVM's is
replaced, and others are spared work that makes no difference to loops over plain arrays: what is compiled is the same.
"""

from __future__ import annotations

import copy
import functools
import importlib
from types import CodeType
from typing import Any, ClassVar

from numba.core import codegen, ir, untyped_passes
from numba.core import compiler as numba_compiler
from numba.core import compiler_machinery as machinery
from numba.core import lowering as numba_lowering
from numba.core import typed_passes as passes
from numba.core import types as numba_types

from askwise._references import promise

# Their types leave out much of what they are.
dynfunc: Any = importlib.import_module("numba._dynfunc")
compiler: Any = numba_compiler
lowering: Any = numba_lowering
Library: Any = codegen.JITCodeLibrary
Inference: Any = passes.NopythonTypeInference
Lowering: Any = passes.NativeLowering
Rewrites: Any = passes.NopythonRewrites
Closures: Any = untyped_passes.InlineClosureLikes
types: Any = numba_types
PassManager: Any = machinery.PassManager
register_pass: Any = machinery.register_pass


class _Flags(compiler.Flags):  # type: ignore[misc]
    """How to compile: numba looks up much by them, and compares them value by value unless they are the same."""

    __slots__ = ()
    _known: ClassVar[list[_Flags]] = []

    def __hash__(self) -> int:
        return 0  # as few of them as there are, comparing them takes no time

    def __eq__(self, other: object) -> bool:
        return self is other or bool(super().__eq__(other))

    def copy(self) -> _Flags:
        """Return the one that was returned last time: what asks for a copy never changes it."""
        for known in self._known:
            if known == self:
                return known
        self._known.append(type(self)(self))
        return self._known[-1]


class _Code(Library):  # type: ignore[misc]
    """Code to be contained in other code: neither optimised nor turned into machine code, and put together there."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave it to the code that contains this, where all of it is optimised once."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Take nothing in: see `_contained`."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
        self._finalized = True


def _contained(libraries: list[Any]) -> list[Any]:
    """Return these libraries and all that they need, each once."""
    found: dict[Any, None] = {}
    waiting = list(libraries)[::-1]
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, _Code):
                waiting.extend(library._linking_libraries[::-1])
    return list(found)


class _Machine(Library):  # type: ignore[misc]
    """Code that contains other code, and becomes machine code."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """See numba."""
        self._linking_libraries = _contained(self._linking_libraries)
        super().finalize()


LOOKS = {"getattr", "static_getitem", "getitem", "typed_getitem", "cast", "build_tuple"}
"""What can be done with arrays without making any, if it is not done to many places at once."""


def _owns_arrays(state: Any) -> bool:
    """Whether a function may make arrays, or is given some by those it calls: then their uses are counted.

    No is said only where nothing else can be: copying one array into a part of another, for instance, makes none, but
    contains the making of a message for shapes that do not fit.
    """
    if _counted(state, state.return_type):
        return True
    return any(_makes_arrays(state, one) for block in state.func_ir.blocks.values() for one in block.body)


def _makes_arrays(state: Any, statement: Any) -> bool:
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        written = state.calltypes[statement]
        return written is None or not all(map(_single, written.args[1:]))
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
        return False
    made: Any = statement.value
    of = state.typemap
    if made.op == "call" and any(_counted(state, of[given.name]) for given in made.list_vars()):
        return not isinstance(of[made.func.name], types.Dispatcher) or _counted(state, of[statement.target.name])
    if made.op in ("getitem", "typed_getitem") and not _single(of[made.index.name]):
        return True
    return made.op not in LOOKS and _counted(state, of[statement.target.name])


def _single(kind: Any) -> bool:
    """Whether this is a number, or tells one place of an array."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_single, kind))
    return isinstance(kind, types.Number | types.Boolean | types.Record)


def _counted(state: Any, kind: Any) -> bool:
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())


class _Lowering(Lowering):  # type: ignore[misc]
    """From numba's notation to LLVM's, without counting uses of arrays where a function only looks into them."""

    _name = "askwise_lowering"

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        counts = state.targetctx.enable_nrt and _owns_arrays(state)
        state.targetctx = context = state.targetctx.subtarget(enable_nrt=counts)
        # It asks for the same few sizes again and again, each time by a little program for LLVM.
        context.get_abi_sizeof = functools.partial(_size, context)
        # These are there: they were loaded when the compilation began.
        context.load_additional_registries = _nothing
        return bool(super().run_pass(state))


_sizes: dict[str, int] = {}


def _size(context: Any, kind: Any) -> int:
    name = str(kind)
    if name not in _sizes:
        _sizes[name] = type(context).get_abi_sizeof(context, kind)
    return _sizes[name]


def _nothing() -> None:
    pass


@register_pass(mutates_CFG=True, analysis_only=False)
class _WriteOut(_Lowering):
    """Writes out a function that is called from Python."""

    _name = "askwise_write_out"

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        state.flags.no_cpython_wrapper = False
        state.library = code = _Machine(state.targetctx.codegen(), state.func_id.func_qualname)
        code.enable_object_caching()
        return super().run_pass(state)


class _Lower(lowering.Lower):  # type: ignore[misc]
    """numba's own, with one more thing told to LLVM."""

    def setup_function(self, fndesc: Any) -> None:
        """See numba."""
        super().setup_function(fndesc)
        promise(self)


@register_pass(mutates_CFG=True, analysis_only=False)
class _WriteDown(_Lowering):
    """Writes down a function in LLVM's notation, for others to contain."""

    _name = "askwise_write_down"
    lowering_class = _Lower

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        state.library = code = _Code(state.targetctx.codegen(), state.func_id.func_qualname)
        code.enable_object_caching()
        state.flags.no_compile = True
        super().run_pass(state)
        code.finalize()
        written = state["cr"]
        name = written.fndesc.qualname.rpartition(".")[2]
        # Nobody can call it: it has no address. It is there because callers find the code by it.
        entry = dynfunc.make_function(written.fndesc.lookup_module(), name, "", 0, written.env, (code,))
        state.targetctx.insert_user_function(entry, written.fndesc, [code])
        state["cr"] = written._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _Closures(Closures):  # type: ignore[misc]
    """Looks for functions inside a function only where there are any."""

    _name = "askwise_closures"

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        inside = any(isinstance(constant, CodeType) for constant in state.func_id.code.co_consts)
        return bool(super().run_pass(state)) if inside else False


@register_pass(mutates_CFG=True, analysis_only=False)
class _Inference(Inference):  # type: ignore[misc]
    """Remembers which way of adding, comparing or looking up is right for which types: numba tries all of them."""

    _name = "askwise_inference"
    _known: ClassVar[dict[Any, Any]] = {}

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        usual, state.typingctx = state.typingctx, copy.copy(state.typingctx)
        state.typingctx.resolve_function_type = functools.partial(self._resolve, usual.resolve_function_type)
        try:
            return bool(super().run_pass(state))
        finally:
            state.typingctx = usual

    def _resolve(self, usual: Any, function: Any, given: Any, named: Any) -> Any:
        if named or not (isinstance(function, types.Function) or getattr(function, "__module__", "") == "_operator"):
            return usual(function, given, named)
        key = function, tuple(given)
        found = self._known.get(key)
        if found is None:
            found = usual(function, given, named)
            if found is not None:
                self._known[key] = found
        return found


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrites(Rewrites):  # type: ignore[misc]
    """Puts operations on whole arrays together only where there are any."""

    _name = "askwise_rewrites"

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        whole = any(
            isinstance(state.typemap[assigned.target.name], types.Array)
            for block in state.func_ir.blocks.values()
            for assigned in block.find_insts(ir.Assign)
            if isinstance(assigned.value, ir.Expr) and assigned.value.op not in LOOKS
        )
        return bool(super().run_pass(state)) if whole else False


class _Steps(PassManager):  # type: ignore[misc]
    """Steps that leave the function in order by themselves: it is not put in order again after each of them."""

    _ENFORCING = False


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """numba's compiler with one step replaced."""

    lowering: type[_Lowering]

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        flags = _Flags(self.state.flags)
        flags.no_cpython_wrapper = True
        self.state.flags = flags

    def define_pipelines(self) -> list[Any]:
        """See numba."""
        usual = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps = _Steps("askwise")
        ours = {Closures: _Closures, Inference: _Inference, Rewrites: _Rewrites, Lowering: self.lowering}
        for step, told in usual.passes:
            steps.add_pass(ours.get(step, step), told)
        steps.finalize()
        return [steps]


class Alone(_Compiler):
    """Compiles what is called from Python."""

    lowering = _WriteOut


class Ingredient(_Compiler):
    """Compiles what only other kernels call."""

    lowering = _WriteDown
