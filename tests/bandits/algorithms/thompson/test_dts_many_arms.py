"""Rows of signs of many arms; `tests.conformance.sampled_games` compares their laws."""

import os
import subprocess
import sys

import pytest

FORTY_ARMS = """
import numpy as np, duelbench
P = 0.5 + 0.2 * np.sign(np.arange(40) - np.arange(40)[:, None])
print(duelbench.simulate("d-ts-plus", P, horizon=300, seed=3).duels.tolist())
"""


@pytest.mark.thorough
def test_rows_are_the_same_compiled_or_not():
    # Which is to say: vector instructions of any width, and none, draw the same duels.
    printed = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", FORTY_ARMS],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert printed[0] == printed[1] and len(printed[0]) > 4800
