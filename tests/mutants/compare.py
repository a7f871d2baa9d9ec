"""Compare an algorithm with its oracle, without compiling; prints the first difference, and exits 1 if there is one.

Usage: ``NUMBA_DISABLE_JIT=1 python -m tests.mutants.compare ID``. Whichever `duelbench` is first on the path is looked
at, so that a mutated copy of the package can be.
"""

import sys

import numpy as np

from duelbench.algorithms import registry
from tests.conformance.literal import play
from tests.conformance.players import OneDrawIntegers, pairs_played
from tests.conformance.test_literal import MATRICES, ORACLES

SEEDS = 3
HORIZON = 1200


def first_difference(id: str) -> str | None:
    oracle = ORACLES[id]
    for name, P in MATRICES.items():
        for seed in range(SEEDS):
            literal = oracle.make(len(P), HORIZON, OneDrawIntegers(np.random.default_rng(seed)))
            expected = play(literal, P, HORIZON, np.random.default_rng([seed, 1]))
            played = pairs_played(
                registry.get(id),
                P,
                HORIZON,
                np.random.default_rng(seed),
                np.random.default_rng([seed, 1]),
                standing=oracle.standing,
            )
            for t, pair in enumerate(expected):
                if pair != played[t]:
                    return f"{name}, seed {seed}: round {t + 1}: {played[t]}, not {pair}"
    return None


if __name__ == "__main__":
    difference = first_difference(sys.argv[1])
    print(difference or "no difference")
    sys.exit(difference is not None)
