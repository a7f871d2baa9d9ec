"""How D-TS+ breaks ties of the vote: the sampled regret of each tied arm, in relation to what its duels tell.

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: section 4.3.
"""

import numpy as np

from duelbench.algorithms.thompson.dts_signs import is_above
from duelbench.kernels.decorators import kernel
from duelbench.kernels.divergence import kl_to_half
from duelbench.kernels.posteriors import beta_above_half
from duelbench.kernels.sampling import draw_member


@kernel
def least_sampled_regret(state, total, rng):
    """Among the tied arms, that of the least sum of sampled regret-to-information ratios.

    A pair whose sampled regret is zero needs no sample: its term vanishes. Sums may be equal when all terms do. They
    are left in ``total``.
    """
    votes = state.signs.votes
    n_arms = votes.size
    wins = state.bounds.wins
    most = 0
    for i in range(n_arms):
        total[i] = 0.0
        if state.over_all or state.candidate[i]:
            most = max(most, votes[i])
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            regret = (most - 0.5 * (votes[i] + votes[j])) / (n_arms - 1)
            if not (state.chosen[i] or state.chosen[j]) or regret == 0.0:
                continue
            if is_above(state.signs, i, j):
                theta = beta_above_half(wins[i, j] + 1, wins[j, i] + 1, rng)
            else:
                theta = beta_above_half(wins[j, i] + 1, wins[i, j] + 1, rng)
            ratio = regret / max(kl_to_half(theta), 1e-300)  # a sample may round to 1/2
            total[i] += ratio
            total[j] += ratio
    least = np.inf
    count = 0
    for i in range(n_arms):
        if state.chosen[i]:
            if total[i] < least:
                least = total[i]
                count = 0
            count += total[i] == least
    for i in range(n_arms):
        state.chosen[i] = state.chosen[i] and total[i] == least
    return draw_member(state.chosen, count, rng)
