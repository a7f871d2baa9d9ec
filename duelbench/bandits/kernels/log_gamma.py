"""The logarithm of the gamma function, interpreted bit for bit as compiled.

`math.lgamma` is Python's own; compiled, Numba calls that of the C library instead, whose last bits are others.
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
    """Ln Gamma(x) for x > 0, in kernels and in plain Python.

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
    """The function that compiled code calls; Python's own where it is not to be found."""
    assert cpu_target.target_context  # made when it is first asked for; before, no function has an address
    address = llvmlite.binding.address_of_symbol("lgamma")
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address) if address else math.lgamma
