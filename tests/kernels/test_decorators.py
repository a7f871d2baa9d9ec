"""Kernels: compiled for themselves when Python calls them, as parts when kernels do."""

import pickle

import numba
import pytest

from duelbench.kernels.decorators import KERNEL_OPTIONS, Kernel, kernel, plain
from duelbench.kernels.sampling import draw_index

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@kernel
def twice(n):
    """A part."""
    return 2 * n


@numba.njit(**KERNEL_OPTIONS)  # not kept on disk: compiled here and now
def sum_of_doubles(n):
    """A kernel that calls it with literal numbers and another one."""
    return twice(0) + twice(1) + twice(-3) + twice(n)


def test_a_part_is_compiled_once_for_all_whole_numbers():
    assert sum_of_doubles(10) == 16
    assert isinstance(twice, Kernel)
    assert twice._part.signatures == [(numba.types.int64,)]
    assert twice._entries == {}  # Python has not called it
    assert twice(4) == 8
    assert twice._entries[()].signatures == [(numba.types.int64,)]


def test_a_kernel_looks_like_the_function_it_is_made_of():
    assert (twice.__name__, twice.__doc__, twice.__module__) == ("twice", "A part.", __name__)
    assert plain(twice)(3) == 6
    assert plain(plain(twice)) is plain(twice)


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(draw_index)) is draw_index


def test_a_kernel_that_was_typed_in_is_compiled_though_it_cannot_be_kept():
    scope = {"__name__": "__main__"}
    exec(compile("def twice(x):\n    return 2 * x\n", "<stdin>", "exec"), scope)
    assert kernel(scope["twice"])(3) == 6
