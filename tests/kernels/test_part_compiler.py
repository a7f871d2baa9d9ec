"""Parts of kernels are compiled as far as they are needed."""

import numba
import numpy as np
import pytest

from duelbench.kernels import part_compiler
from duelbench.kernels.decorators import KERNEL_OPTIONS, kernel

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@kernel
def share(wins, games):
    """A part that may refuse."""
    if games == 0:
        raise ZeroDivisionError("no games were played")
    return wins / games


@numba.njit(**KERNEL_OPTIONS)
def largest_share(wins, games):
    """A kernel that calls it."""
    largest = 0.0
    for a in range(wins.size):
        largest = max(largest, share(wins[a], games[a]))
    return largest


def test_a_part_is_linked_into_its_kernel_and_has_no_machine_code_of_its_own():
    assert largest_share(np.array([1, 3]), np.array([2, 4])) == 0.75
    (part,) = share._part.overloads.values()
    assert isinstance(part.library, part_compiler.Unfinished)
    assert part.library.get_pointer_to_function(part.fndesc.mangled_name) == 0


def test_an_error_in_a_part_is_raised_with_its_words():
    with pytest.raises(ZeroDivisionError, match="no games were played"):
        largest_share(np.array([1, 3]), np.array([2, 0]))
