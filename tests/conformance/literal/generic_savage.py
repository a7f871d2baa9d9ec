"""SAVAGE for any decision, with an independence test (Algorithm 1) or simulations in its place (Algorithm 2)."""

import math


class GenericSAVAGE:
    """Urvoy et al., ICML 2013, Algorithm 1, on N means; what follows exploration is Algorithm 4.

    ``question`` has ``f(x)``, ``independent(a, b, i)`` and ``costs(a, b)`` as in `questions`. ``test_every`` = 0 tests
    after each sample, and looks whether exploration ends; k does so after every k sweeps through W. Nothing is drawn.
    """

    eta, epsilon, test_every, accept, nested = "horizon", 0, 0, "singleton", True

    def __init__(self, question, n, horizon, rng, delta=None, **parameters):
        self.question, self.N, self.T, self.rng = question, n, horizon, rng
        self.delta = 1 / horizon if delta is None else delta
        vars(self).update(parameters)
        self.W = list(range(n))
        self.t = [0] * n
        self.ones = [0] * n
        self.a, self.b = [0.0] * n, [1.0] * n
        self.finals = None

    def radius(self, t):
        eta = 2 * self.N * self.T if self.eta == "horizon" else math.pi**2 * self.N * t**2 / 3
        return math.sqrt(math.log(eta / self.delta) / (2 * t))

    def means(self):
        return [self.ones[i] / self.t[i] if self.t[i] else 0.5 for i in range(self.N)]

    def choose(self, t):
        """Line 1: of W the mean with the fewest samples, the first one of those; None once exploration has ended."""
        if self.finals is not None:
            return None
        return min(self.W, key=lambda i: (self.t[i], i))

    def observe(self, t, i, one):
        self.t[i] += 1  # line 2
        self.ones[i] += one
        self.narrow(i)  # line 3
        if self.is_time_to_test():  # line 4, and whether to go on
            self.W = self.still_needed()
            self.finals = self.accepted()

    def narrow(self, i):
        """Intersect the interval with mu^_i +- c(t_i); what would be empty becomes the point nearest to mu^_i."""
        mean, c = self.ones[i] / self.t[i], self.radius(self.t[i])
        if not self.nested:
            self.a[i], self.b[i] = max(0.0, mean - c), min(1.0, mean + c)
            return
        a, b = max(self.a[i], mean - c), min(self.b[i], mean + c)
        if a > b:
            a = b = min(max(mean, self.a[i]), self.b[i])
        self.a[i], self.b[i] = a, b

    def is_time_to_test(self):
        """After each sample, or after every so many sweeps through W."""
        if self.test_every == 0:
            return True
        sweeps = {self.t[i] for i in self.W}
        return len(sweeps) == 1 and sweeps.pop() % self.test_every == 0

    def still_needed(self):
        return [i for i in self.W if not self.question.independent(self.a, self.b, i)]

    def accepted(self):
        """The decisions it may end with, None before the end: |f(H)| = 1, or W is empty (equations 2 and 3)."""
        costs = self.question.costs(self.a, self.b)
        if self.accept == "singleton" and min(costs) <= self.epsilon:
            return [d for d, cost in enumerate(costs) if cost <= self.epsilon]
        if not self.W:
            return [d for d, cost in enumerate(costs) if cost == min(costs)]
        return None

    def announce(self):
        """d_t = f(mu^)."""
        return self.question.f(self.means())

    def explored(self):
        return 0 if self.finals is not None else len(self.W)


class SampledIndependence:
    """Urvoy et al., ICML 2013, Algorithm 2: which parameters of W a decision is seen to depend on.

    A point that is not ``feasible`` is drawn again, at most ``moves`` times; a walk then starts there all the same,
    and a parameter that cannot be moved is kept.

    Draws: for each walk ``random()`` for each parameter, in order; for each move the parameter among those not yet
    seen, and ``random()`` for its value. When one is seen the last takes its place.
    """

    def __init__(self, f, rng, simulations, moves, feasible=lambda x: True):
        self.f, self.rng, self.feasible = f, rng, feasible
        self.simulations, self.moves = simulations, moves

    def within(self, a, b, i):
        return a[i] + (b[i] - a[i]) * self.rng.random()

    def seen(self, W, a, b):
        unseen = sorted(W)
        S = []
        for _ in range(max(1, self.simulations * len(W) // self.moves)):
            if not unseen:
                return S
            x = self.start(a, b)
            for _ in range(self.moves):
                if not unseen:
                    return S
                place = 0 if len(unseen) == 1 else self.rng.integers(0, len(unseen))
                i = unseen[place]
                moved = self.move(x, a, b, i)
                if moved is None or self.f(moved) != self.f(x):
                    S.append(i)
                    unseen[place] = unseen[-1]
                    unseen.pop()
                if moved is not None:
                    x = moved
        return S

    def start(self, a, b):
        for _ in range(self.moves):
            x = [self.within(a, b, i) for i in range(len(a))]
            if self.feasible(x):
                break
        return x

    def move(self, x, a, b, i):
        for _ in range(self.moves):
            moved = [*x]
            moved[i] = self.within(a, b, i)
            if self.feasible(moved):
                return moved
        return None


class GenericSamplingSAVAGE(GenericSAVAGE):
    """Algorithm 1 with Algorithm 2 for its line 4: W keeps what is seen to matter, and exploration ends without any.

    Draws: those of `SampledIndependence`.
    """

    def __init__(self, question, n, horizon, rng, delta=None, test_every=1, nested=True, simulations=1000, moves=10):
        super().__init__(question, n, horizon, rng, delta=delta, test_every=test_every, nested=nested)
        self.sampled_independence = SampledIndependence(question.f, rng, simulations, moves)

    def still_needed(self):
        S = self.sampled_independence.seen(self.W, self.a, self.b)
        return [i for i in self.W if i in S]

    def accepted(self):
        return None if self.W else [self.announce()]
