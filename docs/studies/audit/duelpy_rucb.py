"""duelpy 1.0.0 from PyPI, RelativeUCB (`pip install duelpy`)."""

import numpy as np
from duelpy.algorithms import RelativeUCB
from duelpy.feedback import FeedbackMechanism

name = "duelpy 1.0.0, `RelativeUCB`"
claims = "rucb"
parameters = {"alpha": 0.51}  # its own default
horizon = 1_000
runs = 8


class Duels(FeedbackMechanism):
    """Duels that `audit.py` decides."""

    def __init__(self, duel, n_arms):
        super().__init__(list(range(n_arms)))
        self.duel = duel


def play(duel, n_arms, horizon, seed):
    RelativeUCB(Duels(duel, n_arms), horizon, random_state=np.random.RandomState(seed)).run()
