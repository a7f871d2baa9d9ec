"""The baselines on scalar bandits: Urvoy et al., ICML 2013, section 5.1. Nothing is drawn by any of them."""

import math


class Baseline:
    """Counts, and the decision at the means; a wrapped one sees U(i, mu^) in place of mu^_i."""

    def __init__(self, question, n, horizon, rng, wrapped=False):
        self.question, self.N, self.T, self.wrapped = question, n, horizon, wrapped
        self.n = [0] * n
        self.ones = [0] * n

    def means(self):
        return [self.ones[i] / self.n[i] if self.n[i] else 0.5 for i in range(self.N)]

    def values(self):
        return self.question.worth(self.means()) if self.wrapped else self.means()

    def observe(self, t, i, one):
        self.n[i] += 1
        self.ones[i] += one

    def announce(self):
        return self.question.f(self.means())

    def explored(self):
        return self.N


class RoundRobin(Baseline):
    """Uniform: each arm in turn, without end."""

    def choose(self, t):
        return (t - 1) % self.N


class UCB1(Baseline):
    """Auer, Cesa-Bianchi, Fischer 2002: each arm once, then the highest mu^_i + sqrt(2 ln t / n_i), t plays so far."""

    def choose(self, t):
        if t <= self.N:
            return t - 1
        values = self.values()
        index = [values[i] + math.sqrt(2 * math.log(t - 1) / self.n[i]) for i in range(self.N)]
        return index.index(max(index))


class Elimination(Baseline):
    """Even-Dar, Mannor, Mansour 2002, successive elimination.

    Each sweep samples every arm of S once. After sweep t those leave S whose value is 2 alpha_t or more behind the best
    of S, alpha_t = sqrt(ln(c N t^2 / delta) / t). It ends when one arm is left.
    """

    def __init__(self, question, n, horizon, rng, wrapped=False, delta=None, const=4):
        super().__init__(question, n, horizon, rng, wrapped)
        self.delta = 1 / horizon if delta is None else delta
        self.c = const
        self.S = list(range(n))
        self.sweep = 1

    def choose(self, t):
        if len(self.S) == 1:
            return None
        return next(i for i in self.S if self.n[i] < self.sweep)

    def observe(self, t, i, one):
        super().observe(t, i, one)
        if any(self.n[k] < self.sweep for k in self.S):
            return
        alpha = math.sqrt(math.log(self.c * self.N * self.sweep**2 / self.delta) / self.sweep)
        v = self.values()
        best = max(v[k] for k in self.S)
        self.S = [k for k in self.S if best - v[k] < 2 * alpha]
        self.sweep += 1

    def explored(self):
        return len(self.S)
