"""Parameters that algorithms of identification have in common.

Below their least values no run is long enough.
"""

from duelbench.algorithms.contract import Parameter

DELTA = Parameter(0.05, "probability of a wrong answer", low=1e-15, high=1.0, high_open=True)

H = Parameter(0.05, "gap that the arms in question exceed", low=1e-7, high=0.5, high_open=True)
"""What it is depends on the problem; the default is that of the experiments of Haddenhorst et al. (UAI 2021)."""

EPSILON = Parameter(0.05, "gap that does not matter", low=1e-7, high=0.5)
