"""Decisions f about N unknown means, as Urvoy et al., ICML 2013 have them: f, its independence test, what it may cost.

A question knows nothing of samples. ``a`` and ``b`` are lists of the ends of the confidence intervals [a_i, b_i].
"""

import itertools


def ranking(x):
    """Indices by decreasing value, equal ones by increasing index."""
    return sorted(range(len(x)), key=lambda i: (-x[i], i))


class Argmax:
    """Which mean is the highest (section 3.1; appendix B.5.1)."""

    def f(self, x):
        return ranking(x)[0]

    def independent(self, a, b, i):
        """Some b_i <= a_j, or b_k <= a_i for all other k."""
        others = [k for k in range(len(a)) if k != i]
        return any(b[i] <= a[j] for j in others) or all(b[k] <= a[i] for k in others)

    def costs(self, a, b):
        """For each d the most that is missing to the highest mean, within the box."""
        return [max(0.0, *(b[k] - a[d] for k in range(len(a)) if k != d), 0.0) for d in range(len(a))]

    def worth(self, x):
        """U(i, x) of all i."""
        return list(x)


class Rigged:
    """Which mean is the (m + 1)-th highest; the m higher ones are worth nothing (section 3.1)."""

    def __init__(self, m=4):
        self.m = m

    def f(self, x):
        return ranking(x)[self.m]

    def independent(self, a, b, i):
        """Some m + 1 others are surely not below i, or N - m others are surely not above it."""
        others = [k for k in range(len(a)) if k != i]
        surely_not_below = [j for j in others if b[i] <= a[j]]
        surely_not_above = [k for k in others if b[k] <= a[i]]
        return len(surely_not_below) >= self.m + 1 or len(surely_not_above) >= len(a) - self.m

    def costs(self, a, b):
        """For each d the most that x_(m+1) - U(d, x) can be: with d among the m highest, worth nothing, or below."""
        costs = []
        for d in range(len(a)):
            others = [k for k in range(len(a)) if k != d]
            highest = sorted((b[k] for k in others), reverse=True)
            cost = 0.0
            if self.m > 0 and sum(a[k] > b[d] for k in others) < self.m:
                cost = min(b[d], highest[self.m - 1])
            if self.m < len(others):
                cost = max(cost, highest[self.m] - a[d])
            costs.append(cost)
        return costs

    def worth(self, x):
        """U(i, x) of all i."""
        return [0.0 if i in ranking(x)[: self.m] else x[i] for i in range(len(x))]


class Counting:
    """How many means lie between ``above`` and ``below`` (appendix B.5.2)."""

    def __init__(self, above=0.4, below=0.6):
        self.above, self.below = above, below

    def f(self, x):
        return sum(self.above < x_i < self.below for x_i in x)

    def outside(self, a, b, i):
        return b[i] < self.above or a[i] > self.below

    def inside(self, a, b, i):
        return self.above < a[i] and b[i] < self.below

    def independent(self, a, b, i):
        return self.outside(a, b, i) or self.inside(a, b, i)

    def costs(self, a, b):
        """For each d = 0, ..., N the farthest number there may be."""
        least = sum(self.inside(a, b, i) for i in range(len(a)))
        most = sum(not self.outside(a, b, i) for i in range(len(a)))
        return [max(most - d, d - least) for d in range(len(a) + 1)]


class CopelandWinner:
    """Which arm beats most others, of ``n_arms``; x holds p_ij for i < j in lexicographic order."""

    def __init__(self, n_arms):
        self.n_arms = n_arms
        self.pairs = list(itertools.combinations(range(n_arms), 2))

    def scores(self, x):
        """U(i, x) of all i."""
        return self.score_bounds(x, x)[0]

    def f(self, x):
        return ranking(self.scores(x))[0]

    def score_bounds(self, a, b):
        """minU(i, H) and maxU(i, H) of every arm: the arms that it surely beats, and those that it may beat."""
        lo, hi = [0] * self.n_arms, [0] * self.n_arms
        for (i, j), a_ij, b_ij in zip(self.pairs, a, b, strict=True):
            lo[i] += a_ij > 0.5
            hi[i] += b_ij > 0.5
            lo[j] += b_ij < 0.5  # a_ji = 1 - b_ij
            hi[j] += a_ij < 0.5
        return lo, hi

    def independent(self, a, b, pair):
        """Equation (9)."""
        lo, hi = self.score_bounds(a, b)
        i, j = self.pairs[pair]
        is_dominated = any(lo[k] > hi[i] and lo[k] > hi[j] for k in range(self.n_arms))
        return a[pair] > 0.5 or b[pair] < 0.5 or is_dominated

    def costs(self, a, b):
        """For each arm how many more another may beat."""
        lo, hi = self.score_bounds(a, b)
        return [max(0, *(hi[i] - lo[k] for i in range(self.n_arms) if i != k)) for k in range(self.n_arms)]


class CondorcetWinner(CopelandWinner):
    """Which arm beats all others."""

    def independent(self, a, b, pair):
        """Equation (12): one of the two arms cannot be the Condorcet winner."""
        _, hi = self.score_bounds(a, b)
        return any(hi[i] < self.n_arms - 1 for i in self.pairs[pair])

    def costs(self, a, b):
        """Equation (13) with epsilon = 0: how many arms each may not beat."""
        return [self.n_arms - 1 - surely_beaten for surely_beaten in self.score_bounds(a, b)[0]]


class Majority:
    """Whether more than half of the means are above 1/2: what someone else might ask."""

    def f(self, x):
        return int(sum(x_i > 0.5 for x_i in x) > len(x) / 2)

    def independent(self, a, b, i):
        """x_i is on one side of 1/2, or enough others are on one side for sure."""
        surely = sum(a[k] > 0.5 for k in range(len(a)) if k != i)
        possibly = sum(b[k] > 0.5 for k in range(len(a)) if k != i)
        return a[i] > 0.5 or b[i] <= 0.5 or surely > len(a) / 2 or possibly + 1 <= len(a) / 2

    def costs(self, a, b):
        """A wrong answer costs 1."""
        surely = sum(a_i > 0.5 for a_i in a) > len(a) / 2
        possibly = sum(b_i > 0.5 for b_i in b) > len(a) / 2
        return [float(possibly), float(not surely)]
