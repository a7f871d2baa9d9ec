"""The algorithms: one module per family, each reading like its paper's pseudocode.

The package can be called: ``duelbench.algorithms()`` is the mapping of ids to algorithms.
"""

import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm


class _CallablePackage(types.ModuleType):
    # `duelbench.algorithms` is both this package and a public function; importing a submodule sets the attribute
    # to the package, so the package itself has to answer the call.
    def __call__(self) -> "dict[str, Algorithm]":
        """All algorithms by id."""
        from duelbench.algorithms.registry import algorithms

        return algorithms()


sys.modules[__name__].__class__ = _CallablePackage
