"""How parts of kernels are compiled: to LLVM's language, but not to machine code.

Numba turns every function that it compiles into machine code, together with all that it calls. For a part this is in
vain: machine code is made again of the kernel that calls it. Nor is a part optimised that will be inlined, for it is
optimised in its caller. What is used to leave this out is private to Numba. In a version that lacks any of it, parts
are compiled as Numba compiles any function: slower, with the same results.
"""

import contextlib
from typing import Any


def part_options() -> dict[str, Any]:
    """Options of `numba.njit` for functions that only kernels call."""
    # Wrappers unpack a state of a dozen arrays from Python objects: a fifth of the time to compile an algorithm.
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    with contextlib.suppress(ImportError, AttributeError):
        options["pipeline_class"] = _part_compiler()
    return options


def _part_compiler() -> type:
    """Numba's compiler, with another step in the place of `NativeLowering`."""
    from numba import _dynfunc
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NativeLowering

    make_function = _dynfunc.make_function
    library = JITCodeLibrary
    needed = library._finalize_final_module, library._finalize_dynamic_globals, library._optimize_final_module
    assert all(map(callable, needed))

    class Unfinished(JITCodeLibrary):
        """The code of a part, together with that of the parts that it calls."""

        is_inlined = False

        def _optimize_final_module(self) -> None:
            if not self.is_inlined:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            """Without the machine code."""
            self._finalize_dynamic_globals()
            self._finalized = True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class LowerPart(NativeLowering):
        """From typed code to LLVM's, and no further."""

        _name = "lower_part"

        def run_pass(self, state: Any) -> bool:
            state.library = Unfinished(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.is_inlined = state.flags.forceinline
            state.flags.no_compile = True
            super().run_pass(state)
            lowered = state["cr"]
            name, module = lowered.fndesc.qualname, lowered.fndesc.lookup_module()
            # Numba knows compiled functions by an object that Python could call; no one calls this one.
            key = make_function(module, name.split(".")[-1], "", 0, lowered.env, (state.library,))
            state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
            state["cr"] = lowered._replace(cfunc=key)
            return True

    class PartCompiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
            pipeline.passes = [(LowerPart if step is NativeLowering else step, said) for step, said in pipeline.passes]
            pipeline.finalize()
            return [pipeline]

    return PartCompiler
