"""Interpreted, kernels compute what they compute compiled, to the last bit."""

import ast
import math
import threading
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

import duelbench
from duelbench.algorithms import registry
from duelbench.kernels.decorators import KERNEL_OPTIONS, compiled_once, kernel
from duelbench.kernels.interpreting import TimeIsUp, interpreted, is_interpreted
from duelbench.kernels.log_gamma import log_gamma

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

ROOT = Path(__file__).parents[2]
MANY = 20_000
SLOW = (
    "savage-sampling", "cw-rmed", "ecw-rmed", "d-ts", "d-ts-plus", "d-ts-pure", "kelly-elimination",
    "strongest-superior",
)  # fmt: skip
"""Algorithms that take more than a tenth of a millisecond for a round, interpreted."""


@kernel
def third(n):
    """A part that divides."""
    return n / 3.0


@compiled_once
def two_thirds(n):
    """A part that is compiled once for all."""
    return 2.0 * third(n)


def test_interpreted_kernels_are_not_compiled_and_answer_the_same():
    with interpreted(60.0):
        inside = two_thirds(7), third(7)
    assert third._entries == {} and two_thirds._part.signatures == []
    assert (two_thirds(7), third(7)) == inside
    assert two_thirds._part.signatures == [(numba.types.int64,)]


def test_one_thread_interprets_while_another_does_not():
    seen = []
    with interpreted(60.0):
        thread = threading.Thread(target=lambda: seen.append(is_interpreted()))
        thread.start()
        thread.join()
        seen.append(is_interpreted())
    assert seen == [False, True] and not is_interpreted()


def test_when_the_time_is_up_the_next_kernel_says_so_and_all_is_as_before():
    with pytest.raises(TimeIsUp), interpreted(0.0):
        while True:
            third(1)
    assert not is_interpreted() and third(6) == 2.0


def test_interpreted_arithmetic_warns_as_little_as_compiled_does():
    @kernel
    def product(a):
        return a[0] * a[0]

    with warnings.catch_warnings(), interpreted(60.0):
        warnings.simplefilter("error")
        assert product(np.array([1e200])) == math.inf
        assert product(np.array([2**62])) == 0


BOUNDED = "min(x, 700.0)"
"""Exponentials of more than that are no numbers."""

FUNCTIONS = {
    "log": "math.log(x)",
    "log1p": "math.log1p(x)",
    "exp": f"math.exp({BOUNDED})",
    "expm1": f"math.expm1({BOUNDED})",
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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_kernels_have_the_same_bits_compiled_and_interpreted(name):
    scope = {"math": math, "log_gamma": log_gamma}
    exec(
        f"def fill(values, results):\n    for k, x in enumerate(values):\n        results[k] = {FUNCTIONS[name]}\n",
        scope,
    )
    fill = numba.njit(**KERNEL_OPTIONS)(scope["fill"])
    u = np.random.default_rng(1).random(MANY)
    for values in (u + 1e-9, 1.0 + np.floor(1e5 * u), 1.0 + 1e-6 * u):
        compiled = np.empty(MANY)
        fill(values, compiled)
        plain = np.empty(MANY)
        fill.py_func(values.tolist(), plain)
        assert compiled.tobytes() == plain.tobytes()


def test_kernels_use_no_function_of_math_but_these():
    """`math.lgamma`, for one, has other bits when it is compiled."""
    files = [
        path for room in ("algorithms", "kernels", "simulation") for path in (ROOT / "duelbench" / room).rglob("*.py")
    ]
    used = {
        node.attr
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math"
    }
    never_compiled = {"fsum", "isqrt"}
    assert used <= {*FUNCTIONS, *never_compiled, "e", "inf", "nan", "pi", "lgamma"}
    assert [path.name for path in files if "math.lgamma(" in path.read_text()] == ["log_gamma.py"]


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


def assert_same(plain, compiled):
    """Two traces, to the last bit."""
    for field in ("duels", "regret", "recommended"):
        assert getattr(plain, field).tobytes() == getattr(compiled, field).tobytes()
    assert plain.decisions == compiled.decisions


@pytest.mark.parametrize("id", ["random", "rucb"])
def test_a_trace_is_the_same_compiled_and_interpreted(id):
    P = duelbench.PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])

    def trace():
        return duelbench.simulate(id, P, horizon=3000, seed=3, shuffle_arms=True)

    with interpreted(60.0):
        plain = trace()
    assert_same(plain, trace())


@pytest.mark.thorough
@pytest.mark.parametrize("matrix", ["mslr5-noncondorcet", "sushi16"])
@pytest.mark.parametrize("id", [id for id in registry.BUILT_IN if "duels" in registry.get(id).plays])
def test_long_traces_of_all_algorithms_are_the_same_compiled_and_interpreted(id, matrix):
    P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
    horizon = 3_000 if id in SLOW else 20_000

    def trace():
        return duelbench.simulate(id, P, horizon=horizon, seed=11, shuffle_arms=True)

    with interpreted(600.0):
        plain = trace()
    assert_same(plain, trace())
