"""duelpy 1.0.0 from PyPI, DoubleThompsonSampling (`pip install duelpy`)."""

import numpy as np
from duelpy.algorithms import DoubleThompsonSampling
from duelpy.feedback import FeedbackMechanism

name = "duelpy 1.0.0, `DoubleThompsonSampling`"
claims = "d-ts"
parameters = {"alpha": 0.51}  # its own default
horizon = 250
runs = 8


class Duels(FeedbackMechanism):
    """Duels that `audit.py` decides."""

    def __init__(self, duel, n_arms):
        super().__init__(list(range(n_arms)))
        self.duel = duel


def play(duel, n_arms, horizon, seed):
    DoubleThompsonSampling(Duels(duel, n_arms), horizon, np.random.RandomState(seed)).run()
