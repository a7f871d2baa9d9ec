"""Hypothesis strategy for small preference matrices, with many ties, cycles and equal scores."""

import numpy as np
from hypothesis import strategies as st

PROBABILITIES = [0.0, 0.125, 0.3, 0.5, 0.501, 0.7, 1.0]


@st.composite
def matrices(draw, max_arms: int = 6) -> np.ndarray:
    """(K, K) float64, 2 <= K <= max_arms."""
    n_arms = draw(st.integers(2, max_arms))
    P = np.full((n_arms, n_arms), 0.5)
    for i in range(n_arms):
        for j in range(i):
            P[i, j] = draw(st.sampled_from(PROBABILITIES))
            P[j, i] = 1 - P[i, j]
    return P
