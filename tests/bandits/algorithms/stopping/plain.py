"""Stopping rules as they are described, each computed from the counts alone whenever it is asked."""

import itertools
import math

import numpy as np
from scipy.special import betainc, betaln

from duelbench.bandits.algorithms.contract import NO_WINNER


def above(wins: int, losses: int, p: float = 0.5) -> float:
    """Evidence that the probability exceeds p, by SciPy."""
    a, b = wins + 0.5, losses + 0.5
    share = 1 - betainc(0.5, 0.5, p)
    mass = betainc(b, a, 1 - p)
    return math.exp(betaln(a, b) - wins * math.log(p) - losses * math.log(1 - p)) * mass / (math.pi * share)


def ends(wins: int, losses: int, x: float) -> tuple[float, float]:
    """The mixture interval at level x, on a fine grid."""
    grid = np.linspace(0, 1, 20001)[1:-1]
    a, b = wins + 0.5, losses + 0.5
    inside = betaln(a, b) - math.log(math.pi) - wins * np.log(grid) - losses * np.log(1 - grid) < math.log(1 / x)
    kept = grid[inside]
    return (0.0 if wins == 0 else kept[0]), (1.0 if losses == 0 else kept[-1])


class EvidenceOfAll:
    """All tests of a game, each computed from the counts alone whenever it is asked."""

    def __init__(self, n_arms: int, delta: float) -> None:
        self.n, self.delta, self.wins = n_arms, delta, np.zeros((n_arms, n_arms), int)
        self.out: set[int] = set()
        self.decided: set[tuple[int, int]] = set()

    def others(self, i: int) -> list[int]:
        return [j for j in range(self.n) if j != i]


class Exact(EvidenceOfAll):
    def evidence(self, i: int, j: int) -> float:
        """That i loses to j."""
        return above(self.wins[j, i], self.wins[i, j])

    def answer(self, delta: float | None = None):
        rho = 1 / (self.n - 1)
        for i in range(self.n):
            if math.prod(1 - rho + rho * self.evidence(i, j) for j in self.others(i)) >= 1 / (delta or self.delta):
                self.out.add(i)
        left = [i for i in range(self.n) if i not in self.out]
        return None if len(left) > 1 else (left[0] if left else NO_WINNER)


class Likelihoods(Exact):
    """glr-condorcet."""

    def evidence(self, i, j):
        w, n = self.wins[i, j], self.wins[i, j] + self.wins[j, i]
        if 2 * w >= n:
            return 0.0 if n else 1.0
        q = w / n
        d = math.log(2) + (q * math.log(q) if q else 0) + (1 - q) * math.log(1 - q)
        return math.exp(n * d) / (2 * math.sqrt(n))


class Pac(Exact):
    epsilon = 0.15

    def answer(self):
        exact = super().answer(self.delta / 2)
        if exact is not None:
            return exact
        level = 2 * self.n / self.delta
        for i in range(self.n):
            if all(above(self.wins[i, j], self.wins[j, i], 0.5 - self.epsilon) >= level for j in self.others(i)):
                return i
        return None


class Pairs(EvidenceOfAll):
    target = "condorcet"

    def decide(self):
        level = self.n * (self.n - 1) / 2 / self.delta
        for i, j in itertools.permutations(range(self.n), 2):
            if (j, i) not in self.decided and above(self.wins[i, j], self.wins[j, i]) >= level:
                self.decided.add((i, j))

    def closure(self) -> set[tuple[int, int]]:
        known = set(self.decided)
        while more := {(a, d) for a, b in known for c, d in known if b == c} - known:
            known |= more
        return known

    def answer(self):
        self.decide()
        beaten = [sum((i, j) in self.decided for j in self.others(i)) for i in range(self.n)]
        lost = [sum((j, i) in self.decided for j in self.others(i)) for i in range(self.n)]
        if self.target == "condorcet":
            for i in range(self.n):
                if beaten[i] == self.n - 1:
                    return i
            return NO_WINNER if min(lost) > 0 else None
        if self.target == "copeland":
            for a in range(self.n):
                if beaten[a] >= max(self.n - 1 - lost[i] for i in self.others(a)):
                    return a
            return None
        known = self.closure()
        size = [sum((i, j) in known for j in self.others(i)) for i in range(self.n)]
        if self.target == "ranking":
            pairs = itertools.combinations(range(self.n), 2)
            return int(np.argmax(size)) if all((i, j) in known or (j, i) in known for i, j in pairs) else None
        for chosen in itertools.combinations(range(self.n), 2):
            if all((i, j) in known for i in chosen for j in self.others(i) if j not in chosen):
                return int(np.argmax(size))
        return None


class Copeland(Pairs):
    target = "copeland"


class Ranking(Pairs):
    target = "ranking"


class TopTwo(Pairs):
    target = "top-k"


class Borda(EvidenceOfAll):
    def answer(self):
        x = self.delta / (self.n * (self.n - 1) / 2)
        low, high = np.zeros(self.n), np.zeros(self.n)
        for i in range(self.n):
            found = [ends(self.wins[i, j], self.wins[j, i], x) for j in self.others(i)]
            low[i], high[i] = np.mean(found, axis=0)
        for a in range(self.n):
            if low[a] >= max(high[i] for i in self.others(a)):
                return a
        return None


class Bets(EvidenceOfAll):
    """e-bets: asked after each duel, which it finds by comparing the counts."""

    scales = (2.0, 8.0, 32.0, 128.0)

    def __init__(self, n_arms, delta):
        super().__init__(n_arms, delta)
        self.before = self.wins.copy()
        self.wealth = [1.0] * n_arms
        self.likelihood = [1.0] * len(self.scales)

    def answer(self):
        ((winner, loser),) = np.argwhere(self.wins > self.before)
        belief = self.belief()
        stakes = self.stake(belief, winner, loser), self.stake(belief, loser, winner)
        self.wealth[winner] *= 1 - stakes[0]
        self.wealth[loser] *= 1 + stakes[1]
        n, w = self.before[winner, loser] + self.before[loser, winner], self.before[winner, loser]
        self.likelihood = [L * 2 * (w + c / 2) / (n + c) for L, c in zip(self.likelihood, self.scales, strict=True)]
        self.before = self.wins.copy()
        self.out |= {i for i in range(self.n) if self.wealth[i] >= 1 / self.delta}
        left = [i for i in range(self.n) if i not in self.out]
        return left[0] if len(left) == 1 else None

    def law(self, c, i, j):
        """Of f_ij = 1 - 2 p_ij: the mean, P(f > 0) and E max(f, 0)."""
        w, n = self.before[i, j], self.before[i, j] + self.before[j, i]
        mean = (n - 2 * w) / (n + c)
        deviation = math.sqrt((1 - mean**2) / (n + c + 1))
        z = mean / deviation
        above_0 = math.erfc(-z / math.sqrt(2)) / 2
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return mean, above_0, max(mean * above_0 + deviation * density, 0)

    def belief(self):
        """belief[s][a]: probability that the scale is s and the winner a."""
        raw = [
            [L * math.prod(2 * self.law(c, j, a)[1] for j in self.others(a)) for a in range(self.n)]
            for L, c in zip(self.likelihood, self.scales, strict=True)
        ]
        return np.array(raw) / np.sum(raw)

    def stake(self, belief, i, j):
        if i in self.out:
            return 0
        expected, whole = 0, 0
        for s, c in enumerate(self.scales):
            mean, above_0, part = self.law(c, i, j)
            others = sum(belief[s][a] for a in self.others(i))
            expected += (others - belief[s][j]) * mean + belief[s][j] * part / above_0
            whole += others
        missing = (1 + 1e-12) / self.delta / self.wealth[i] - 1
        return max(0, min(expected / whole, missing, 0.99))


PLAIN = {
    "e-bets": (Bets, {}, 3),
    "e-condorcet": (Exact, {}, 3),
    "glr-condorcet": (Likelihoods, {}, 3),
    "pac-condorcet": (Pac, {"epsilon": Pac.epsilon}, 3),
    "pairs condorcet": (Pairs, {"target": "condorcet", "epsilon": 0.0, "k": 1}, 4),
    "pairs copeland": (Copeland, {"target": "copeland", "epsilon": 0.0, "k": 1}, 4),
    "pairs ranking": (Ranking, {"target": "ranking", "epsilon": 0.0, "k": 1}, 4),
    "pairs top-k": (TopTwo, {"target": "top-k", "epsilon": 0.0, "k": 2}, 4),
}


def order_of(n_arms: int) -> np.ndarray:
    """Arm 0 beats all, and 1 all but it, most clearly who is next to it."""
    i, j = np.indices((n_arms, n_arms))
    return 0.5 + 0.45 * np.sign(j - i) - 0.05 * (j - i) * (np.abs(j - i) > 1)


CYCLE = np.array([[0.5, 0.95, 0.1, 0.9], [0.05, 0.5, 0.95, 0.9], [0.9, 0.05, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])
