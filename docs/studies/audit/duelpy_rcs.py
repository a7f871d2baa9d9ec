"""duelpy 1.0.0 from PyPI, RelativeConfidenceSampling (`pip install duelpy`)."""

import numpy as np
from duelpy.algorithms import RelativeConfidenceSampling
from duelpy.feedback import FeedbackMechanism

name = "duelpy 1.0.0, `RelativeConfidenceSampling`"
claims = "rcs"
parameters = {"alpha": 0.501}  # its own default
horizon = 300
runs = 4


class Duels(FeedbackMechanism):
    """Duels that `audit.py` decides."""

    def __init__(self, duel, n_arms):
        super().__init__(list(range(n_arms)))
        self.duel = duel


def play(duel, n_arms, horizon, seed):
    RelativeConfidenceSampling(Duels(duel, n_arms), horizon, random_state=np.random.RandomState(seed)).run()
