"""Everything that an algorithm of your own imports: the contract, the decorators of compiled functions, and kernels.

Compiled functions of a plug-in can call all kernels listed here, and plain Python can, too.

>>> import numpy as np
>>> from duelbench.plugin import copeland_leader, kl
>>> copeland_leader(np.array([[0, 3], [1, 0]])), kl(0.5, 0.5)
(0, 0.0)
"""

from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, SEVERAL, Algorithm, Parameter
from duelbench.bandits.kernels.confidence_bounds import crossing_round, upper_bound
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.divergence import kl, kl_lower, kl_to_half, kl_upper
from duelbench.bandits.kernels.posteriors import beta_above_half
from duelbench.bandits.kernels.records import (
    BoolPerArm,
    BoolPerPair,
    FloatPerArm,
    FloatPerPair,
    IntPerArm,
    IntPerPair,
    record,
    with_zeros,
)
from duelbench.bandits.kernels.sampling import draw_highest, draw_index, draw_member, highest, shuffle
from duelbench.bandits.kernels.sign_evidence import log_evidence, losses_needed
from duelbench.bandits.kernels.threshold_evidence import log_evidence_above, wins_needed
from duelbench.bandits.kernels.threshold_rounds import round_after
from duelbench.bandits.kernels.win_counts import copeland_leader, recount_beaten

__all__ = [  # noqa: RUF022  # by what they are for, as on the page
    # the contract
    "Algorithm",
    "Parameter",
    "NEVER",
    "NO_WINNER",
    "SEVERAL",
    # compiled functions
    "kernel",
    "inlined",
    "not_inlined",
    # states
    "IntPerArm",
    "FloatPerArm",
    "BoolPerArm",
    "IntPerPair",
    "FloatPerPair",
    "BoolPerPair",
    "with_zeros",
    "record",
    # random draws
    "draw_index",
    "draw_member",
    "draw_highest",
    "shuffle",
    "beta_above_half",
    # wins and leaders
    "copeland_leader",
    "recount_beaten",
    "highest",
    # confidence bounds and divergences
    "upper_bound",
    "crossing_round",
    "kl",
    "kl_to_half",
    "kl_upper",
    "kl_lower",
    "round_after",
    # evidence that is valid after any number of duels
    "log_evidence",
    "losses_needed",
    "log_evidence_above",
    "wins_needed",
]
