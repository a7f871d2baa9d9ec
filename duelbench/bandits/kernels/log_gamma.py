"""The logarithm of the gamma function, with the same bits in plain Python and in compiled code.

`math.lgamma` is Python's own function, but Numba calls the C library's function instead, whose last bits differ.
"""

import ctypes
import math
from collections.abc import Callable
from functools import lru_cache

import llvmlite.binding
from numba.core.registry import cpu_target
from numba.extending import overload

from duelbench.bandits.kernels.decorators import INLINED_OPTIONS, PART_OPTIONS


def log_gamma(x):
    """Return the logarithm of Gamma(x) for x > 0, in kernels and in plain Python.

    Examples
    --------
    >>> round(math.exp(log_gamma(5.0)), 9)  # 4!
    24.0
    """
    return _of_c_library()(x)


@overload(log_gamma, jit_options={**INLINED_OPTIONS, **PART_OPTIONS})
def _compiled(x):
    return lambda x: math.lgamma(x)


@lru_cache(maxsize=1)
def _of_c_library() -> Callable[[float], float]:
    """Return the function that compiled code calls; Python's own if it is not available."""
    assert cpu_target.target_context  # the first access creates it; without it, no function has an address
    address = llvmlite.binding.address_of_symbol("lgamma")
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address) if address else math.lgamma
