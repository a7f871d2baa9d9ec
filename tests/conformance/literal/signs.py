"""Signs of samples from the Beta posteriors, which is all that a count of sampled wins needs."""

from scipy.special import bdtr


def sampled_wins(W, arms, rng):
    """For each of ``arms`` (increasing), the others j of them with theta_ij > 1/2, as a dict of counts.

    theta_ij ~ Beta(W_ij + 1, W_ji + 1) and theta_ji = 1 - theta_ij. It is above 1/2 with the probability that
    Bin(N_ij + 1, 1/2) is at most W_ij: ``random()`` below that, for i < j in order of (i, j).
    """
    wins = dict.fromkeys(arms, 0)
    for i in arms:
        for j in arms:
            if i < j:
                above = rng.random() < bdtr(int(W[i, j]), int(W[i, j] + W[j, i] + 1), 0.5)
                wins[i if above else j] += 1
    return wins
