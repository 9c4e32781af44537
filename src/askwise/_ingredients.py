"""How kernels that only other kernels call are compiled: as ingredients of these, and no further.

numba optimises every function and turns it into machine code before another one uses it. The other then contains a
copy, which is optimised again with all of it, and so does the next: a loop eight calls deep is optimised eight times,
and seven times for nothing. Ingredients are handed on as they were first written down, and become machine code in the
kernels that contain them. (The first plan of the planner, from nothing compiled: 21 s on a core instead of 29.)

This goes by numba's own way to change how it compiles, a pipeline whose one step, from numba's notation to LLVM's, is
replaced.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core import compiler, typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass


class _Code(JITCodeLibrary):  # type: ignore[misc]
    """Code to be contained in other code, together with all that it contains itself."""

    def finalize(self) -> None:
        """Put all of it together; neither optimise it nor turn it into machine code."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _WriteDown(typed_passes.NativeLowering):  # type: ignore[misc]
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
        entry = _dynfunc.make_function(written.fndesc.lookup_module(), name, "", 0, written.env, (code,))
        state.targetctx.insert_user_function(entry, written.fndesc, [code])
        state["cr"] = written._replace(cfunc=entry)
        return True


class Ingredients(compiler.CompilerBase):  # type: ignore[misc]
    """numba's compiler with that one step replaced."""

    def define_pipelines(self) -> list[Any]:
        """See numba."""
        usual = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps = compiler.PassManager("askwise_ingredients")
        for step, told in usual.passes:
            steps.add_pass(_WriteDown if step is typed_passes.NativeLowering else step, told)
        steps.finalize()
        return [steps]
