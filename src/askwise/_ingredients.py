"""How kernels that only other kernels call are compiled: as ingredients of these, and no further.

numba optimises every function and turns it into machine code before another one uses it. The other then contains a
copy, which is optimised again with all of it, and so does the next: a loop eight calls deep is optimised eight times,
and seven times for nothing. Ingredients are handed on as they were first written down, and become machine code in the
kernels that contain them. (The first plan of the planner, from nothing compiled: 21 s on a core instead of 29.)

This goes by numba's own way to change how it compiles, a pipeline whose one step, from numba's notation to LLVM's, is
replaced.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from numba.core import codegen, ir
from numba.core import compiler as numba_compiler
from numba.core import compiler_machinery as machinery
from numba.core import typed_passes as passes

# Their types leave out much of what they are.
dynfunc: Any = importlib.import_module("numba._dynfunc")
compiler: Any = numba_compiler
Library: Any = codegen.JITCodeLibrary
Lowering: Any = passes.NativeLowering
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
    """Code to be contained in other code, together with all that it contains itself."""

    def finalize(self) -> None:
        """Put all of it together; neither optimise it nor turn it into machine code."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


def _owns_arrays(state: Any) -> bool:
    """Whether a function makes arrays, is given arrays by those it calls, or returns some: then uses are counted."""
    called = (state.calltypes[call] for call in state.calltypes if isinstance(call, ir.Expr) and call.op == "call")
    returned = [state.return_type, *(signature.return_type for signature in called if signature is not None)]
    return any(state.targetctx.data_model_manager[kind].contains_nrt_meminfo() for kind in returned)


class _Lowering(Lowering):  # type: ignore[misc]
    """From numba's notation to LLVM's, without counting uses of arrays where a function only looks into them."""

    _name = "askwise_lowering"

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        if not _owns_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _WriteOut(_Lowering):
    """Writes out a function that is called from Python."""

    _name = "askwise_write_out"

    def run_pass(self, state: Any) -> bool:
        """See numba."""
        state.flags.no_cpython_wrapper = False
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _WriteDown(_Lowering):
    """Writes down a function in LLVM's notation, for others to contain."""

    _name = "askwise_write_down"

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
        steps = PassManager("askwise")
        for step, told in usual.passes:
            steps.add_pass(self.lowering if step is Lowering else step, told)
        steps.finalize()
        return [steps]


class Alone(_Compiler):
    """Compiles what is called from Python."""

    lowering = _WriteOut


class Ingredient(_Compiler):
    """Compiles what only other kernels call."""

    lowering = _WriteDown
