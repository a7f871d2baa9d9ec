"""How many of n duels are won: the same numbers with all versions of NumPy and Numba, and of the right law."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.simulation.binomial import draw_binomial

N_DRAWS = 300
"""Interpreted, ten thousand take a second."""

SIZES = [(3, 0.999), (61, 0.5), (171, 0.5), (1000, 0.3), (10**6, 0.2), (10**9, 1e-8), (10**9, 0.55), (10**12, 0.5)]


@kernel
def fill(out, n, p, rng):
    for i in range(out.size):
        out[i] = draw_binomial(n, p, rng)


def draws(n, p, size, seed):
    out = np.empty(size, np.int64)
    fill(out, n, p, np.random.default_rng(seed))
    return out


def test_nothing_and_everything_are_sure():
    rng = np.random.default_rng(0)
    assert [draw_binomial(n, p, rng) for n, p in ((0, 0.5), (9, 0.0), (9, 1.0))] == [0, 0, 9]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) >= "2.5.0", reason="NumPy draws other numbers from 2.5 on")
@pytest.mark.parametrize(("n", "p"), SIZES)
def test_the_numbers_are_those_of_numpy_2_0_to_2_4(n, p):
    assert np.array_equal(draws(n, p, N_DRAWS, seed=5), np.random.default_rng(5).binomial(n, p, N_DRAWS))


@pytest.mark.parametrize(("n", "p"), [(61, 0.3), (1000, 0.7)])
def test_counts_follow_the_binomial_law(n, p):
    """Chi-square at one in a thousand; counts that are expected less than ten times stand together."""
    size = 5_000
    expected = size * stats.binom.pmf(np.arange(n + 1), n, p)
    counts = np.bincount(draws(n, p, size, seed=11), minlength=n + 1)
    usual = expected >= 10
    seen = np.append(counts[usual], counts[~usual].sum())
    awaited = np.append(expected[usual], size - expected[usual].sum())
    assert stats.chisquare(seen, awaited).pvalue > 1e-3


def test_no_compiled_code_draws_by_what_numba_changes_from_version_to_version():
    """Numba's `Generator.binomial` drew other numbers until 0.66 (and might never come back in 0.60)."""
    package = Path(duelbench.__file__).parent / "bandits"
    sources = [path for room in ("algorithms", "simulation") for path in (package / room).rglob("*.py")]
    drawn = {name for path in sources for name in re.findall(r"\brng\.([a-z_]+)\(", path.read_text(encoding="utf-8"))}
    assert drawn == {"random", "beta", "permutation", "integers"}  # the last two in `start` only, which is not compiled
