"""Kernels: compiled for themselves when Python calls them, as parts when kernels do."""

import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core import event

from duelbench.bandits.kernels.decorators import KERNEL_OPTIONS, Kernel, kernel, plain
from duelbench.bandits.kernels.sampling import draw_index
from duelbench.bandits.simulation.binomial import draw_binomial

pytestmark = pytest.mark.compiled


@kernel
def twice(n):
    """A part."""
    return 2 * n


@numba.njit(**KERNEL_OPTIONS)  # not kept on disk: compiled here and now
def sum_of_doubles(n):
    """A kernel that calls it with literal numbers and another one."""
    return twice(0) + twice(1) + twice(-3) + twice(n)


def test_a_part_is_compiled_once_for_all_whole_numbers():
    with event.install_recorder("numba:compile") as recorder:
        assert sum_of_doubles(10) == 16
    compiled = [each.data["dispatcher"].py_func for _, each in recorder.buffer if each.is_start]
    assert compiled.count(plain(twice)) == 1
    assert isinstance(twice, Kernel)
    assert twice._entries == {}  # Python has not called it
    assert twice(4) == 8
    assert twice._entries[()].signatures == [(numba.types.int64,)]


def test_what_is_compiled_once_does_not_depend_on_who_uses_it_first():
    # Without the option, Numba takes over that of the function that it is compiling, and keeps the result on disk.
    assert draw_binomial.options["forceinline"] is False


def test_a_kernel_looks_like_its_function_is_pickled_by_its_name_and_may_have_been_typed_in():
    assert (twice.__name__, twice.__doc__, twice.__module__) == ("twice", "A part.", __name__)
    assert plain(twice)(3) == 6 and plain(plain(twice)) is plain(twice)
    assert pickle.loads(pickle.dumps(draw_index)) is draw_index
    scope = {"__name__": "__main__"}
    exec(compile("def twice(x):\n    return 2 * x\n", "<stdin>", "exec"), scope)
    assert kernel(scope["twice"])(3) == 6


@kernel
def share(wins, games):
    """A part that may refuse."""
    if games == 0:
        raise ZeroDivisionError("no games were played")
    return wins / games


@numba.njit(**KERNEL_OPTIONS)
def first_share(wins, games):
    """A kernel that calls it."""
    return share(wins[0], games[0])


def test_errors_of_a_part_are_raised():
    assert first_share(np.array([3]), np.array([4])) == 0.75
    with pytest.raises(ZeroDivisionError, match="no games were played"):
        first_share(np.array([3]), np.array([0]))


def test_importing_duelbench_changes_no_setting_of_numba_for_the_code_of_others():
    show = "import numba; print({n: v for n, v in vars(numba.config).items() if n.isupper()})"
    code = f"{show}; import duelbench; duelbench.simulate; {show.partition('; ')[2]}"
    before, after = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
    assert before == after
