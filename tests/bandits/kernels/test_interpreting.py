"""Interpreted, kernels compute what they compute compiled, to the last bit."""

import ast
import math
import threading
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from duelbench.bandits.kernels.decorators import KERNEL_OPTIONS, compiled_once, kernel
from duelbench.bandits.kernels.interpreting import TimeIsUp, interpreted, is_interpreted
from duelbench.bandits.kernels.log_gamma import log_gamma

ROOT = Path(__file__).parents[3]
MANY = 5_000


@kernel
def third(n):
    """A part that divides."""
    return n / 3.0


@compiled_once
def two_thirds(n):
    """A part that is compiled once for all."""
    return 2.0 * third(n)


@kernel
def product(a):
    return a[0] * a[0]


@pytest.mark.compiled
def test_interpreted_kernels_are_not_compiled_answer_the_same_and_warn_as_little():
    with warnings.catch_warnings(), interpreted(60.0):
        warnings.simplefilter("error")
        inside = two_thirds(7), third(7)
        assert product(np.array([1e200])) == math.inf
        assert product(np.array([2**62])) == 0
    assert third._entries == {} and two_thirds.dispatcher.signatures == []
    assert (two_thirds(7), third(7)) == inside
    assert two_thirds.dispatcher.signatures == [(numba.types.int64,)]


@pytest.mark.compiled
def test_one_thread_interprets_until_its_time_is_up_while_another_does_not():
    seen = []
    with pytest.raises(TimeIsUp), interpreted(0.2):
        thread = threading.Thread(target=lambda: seen.append(is_interpreted()))
        thread.start()
        thread.join()
        seen.append(is_interpreted())
        while True:
            third(1)
    assert seen == [False, True]
    assert not is_interpreted() and third(6) == 2.0


FUNCTIONS = {
    "log": "math.log(x)",
    "log1p": "math.log1p(x)",
    "exp": "math.exp(min(x, 700.0))",
    "expm1": "math.expm1(min(x, 700.0))",
    "sqrt": "math.sqrt(x)",
    "pow": "math.pow(x, 17.0)",
    "floor": "math.floor(x)",
    "ceil": "math.ceil(x)",
    "log2": "math.log2(x)",
    "asin": "math.asin(min(x, 1.0))",
    "fabs": "math.fabs(1.5 - x)",
    "erfc": "math.erfc(8.0 - 16.0 * min(x, 1.0))",
    "log_gamma": "log_gamma(x)",
}
"""What kernels use of `math`, and an expression with it."""


@pytest.mark.compiled
def test_functions_of_kernels_have_the_same_bits_compiled_and_interpreted():
    scope = {"math": math, "log_gamma": log_gamma}
    lines = "".join(f"        results[{n}, k] = {text}\n" for n, text in enumerate(FUNCTIONS.values()))
    exec(f"def fill(values, results):\n    for k, x in enumerate(values):\n{lines}", scope)
    fill = numba.njit(**KERNEL_OPTIONS)(scope["fill"])
    u = np.random.default_rng(1).random(MANY)
    for values in (u + 1e-9, 1.0 + np.floor(1e5 * u), 1.0 + 1e-6 * u):
        compiled, plain = np.empty((2, len(FUNCTIONS), MANY))
        fill(values, compiled)
        fill.py_func(values.tolist(), plain)
        for name, one, other in zip(FUNCTIONS, compiled, plain, strict=True):
            assert one.tobytes() == other.tobytes(), name


def test_kernels_use_no_function_of_math_but_these():
    """`math.lgamma`, for one, has other bits when it is compiled."""
    packages = [ROOT / "duelbench" / "bandits" / name for name in ("algorithms", "kernels", "simulation")]
    files = [path for package in packages for path in package.rglob("*.py")]
    used = {
        node.attr
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math"
    }
    never_compiled = {"fsum", "isqrt"}
    assert used <= {*FUNCTIONS, *never_compiled, "e", "inf", "nan", "pi", "lgamma"}
    assert [path.name for path in files if "math.lgamma(" in path.read_text()] == ["log_gamma.py"]


@pytest.mark.compiled
def test_beta_variates_are_the_same_compiled_and_interpreted():
    @numba.njit(**KERNEL_OPTIONS)
    def draw(rng, a, b, drawn):
        for k in range(drawn.size):
            drawn[k] = rng.beta(a[k], b[k])

    a, b = 1.0 + np.floor(np.exp(12.0 * np.random.default_rng(1).random((2, MANY))))
    ours, theirs, drawn = np.random.default_rng(5), np.random.default_rng(5), np.empty(MANY)
    draw(ours, a, b, drawn)
    assert drawn.tolist() == [theirs.beta(*pair) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert ours.random() == theirs.random()
