"""Parameters that algorithms of identification have in common."""

from duelbench.algorithms.contract import Parameter

DELTA = Parameter(0.05, "probability of a wrong answer", low=0.0, low_open=True, high=1.0, high_open=True)
