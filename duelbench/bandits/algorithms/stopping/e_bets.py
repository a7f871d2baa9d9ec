"""e-bets: identifies the Condorcet winner by gamblers who learn their stakes.

For each arm i, a gambler with wealth M_i, at first 1, bets that i is not the Condorcet winner. The outcomes before a
duel of i determine the stake f, from 0 to 1; the duel multiplies M_i by 1 + f if i loses, by 1 - f if i wins. Arm i is
out forever once M_i >= 1 / delta. If one arm is left, it is the answer; if none is left, because several outcomes came
together, the answer is that there is no Condorcet winner. The answer is wrong with probability at most delta, whatever
the stakes: M of the Condorcet winner is a supermartingale that starts at 1.

The stakes are those of Kelly, the expectations of f_ij = 1 - 2 p_ij under a belief about all pairs:

- a scale c, one of `SCALES`, all equally likely at first: probabilities p_ij are Beta(c / 2, c / 2);
- a Condorcet winner, each arm equally likely at first: its probabilities have this distribution, given that they are
  above 1/2.

After W wins of i and L losses, f_ij is treated as normal, with the mean m = (L - W) / (n + c) and the variance
(1 - m^2) / (n + c + 1) of the Beta distribution, n = W + L.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.stopping.e_condorcet import answer, is_decided, n_left
from duelbench.bandits.algorithms.stopping.rule import DELTA, Rule
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.never import NEVER

SCALES = (2.0, 8.0, 32.0, 128.0)
"""The prior of a pair counts as this many duels, half of them won."""

MAX_STAKE = 0.99
"""No stake is larger."""

EPSILON = 1e-12
"""Stakes exceed what is missing by this factor, so that rounding leaves nothing missing."""

LEAST_Z = -37.0
"""The mean in standard deviations is at least this: further below 0 the probability underflows."""

DENSITY_AT_0 = 1.0 / math.sqrt(2.0 * math.pi)


class Bets(NamedTuple):
    """Wealth and belief; arrays are updated in place. S = number of scales."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.
    log_wealth: np.ndarray  # (K,) float64. ln M_i.
    is_in: np.ndarray  # (K,) bool. Whether each arm may still be the answer.
    scales: np.ndarray  # (S,) float64. `SCALES`.
    log_likelihood: np.ndarray  # (S,) float64. ln probability of the outcomes so far, were all pairs of this scale.
    log_ahead: np.ndarray  # (S, K, K) float64. ln 2 P(p_ij > 1/2); 0 on the diagonal.
    belief: np.ndarray  # (S, K) float64. Probability that this is the scale and that the winner.
    log_level: float  # ln(1 / delta)


def new_tests(n_arms, delta):
    """Return the gamblers before any duel: all arms are in."""
    scales = np.array(SCALES)
    shape = (scales.size, n_arms, n_arms)
    tests = Bets(
        wins=np.zeros((n_arms, n_arms), np.int64),
        log_wealth=np.zeros(n_arms),
        is_in=np.ones(n_arms, np.bool_),
        scales=scales,
        log_likelihood=np.zeros(scales.size),
        log_ahead=np.zeros(shape),
        belief=np.full(shape[:2], 1.0 / (scales.size * n_arms)),
        log_level=-math.log(delta),
    )
    for i in range(n_arms):
        for j in range(i):
            _update_pair(tests, i, j)
            _update_pair(tests, j, i)
    return tests


@kernel
def update(tests, i, j, wins, losses):
    """Update wealth and belief after duels of two different arms, of which i has won ``wins``.

    Both stakes are those before the first of these duels: outcomes that come together come in no order.
    """
    pay(tests, i, j, wins, losses, stake(tests, i, j), stake(tests, j, i))
    for _ in range(wins):
        _count(tests, i, j)
    for _ in range(losses):
        _count(tests, j, i)
    _update_pair(tests, i, j)
    _update_pair(tests, j, i)
    _update_belief(tests)


@kernel
def pay(tests, i, j, wins, losses, stake_on_i, stake_on_j):
    """Pay the gamblers against two arms for duels of which i has won ``wins``, at these stakes on their losses."""
    tests.log_wealth[i] += losses * math.log1p(stake_on_i) + wins * math.log1p(-stake_on_i)
    tests.log_wealth[j] += wins * math.log1p(stake_on_j) + losses * math.log1p(-stake_on_j)


@kernel
def stake(tests, i, j):
    """Return the stake on a loss of arm i to arm j: the expectation of 1 - 2 p_ij given that i is not the winner.

    It is at most the stake that raises the wealth to 1 / delta, and 0 if i is out.
    """
    if not tests.is_in[i]:
        return 0.0
    n = tests.wins[i, j] + tests.wins[j, i]
    lead = tests.wins[j, i] - tests.wins[i, j]
    expected = 0.0
    whole = 0.0
    for s in range(tests.scales.size):
        mean = lead / (n + tests.scales[s])
        probability, first = positive_part(mean, _deviation(mean, n + tests.scales[s]))
        others = _belief_without(tests, s, i)
        expected += (others - tests.belief[s, j]) * mean + tests.belief[s, j] * (first / probability)
        whole += others
    missing = math.exp(tests.log_level - tests.log_wealth[i]) * (1.0 + EPSILON) - 1.0
    return max(0.0, min(expected / whole, missing, MAX_STAKE))


@kernel
def positive_part(mean, deviation):
    """Return P(f > 0) and E max(f, 0) for a normal f.

    Examples
    --------
    With mean 0, half of the distribution is above 0, and E max(f, 0) is the density at 0.

    >>> probability, first = positive_part(0.0, 1.0)
    >>> probability, round(first * math.sqrt(2 * math.pi), 12)
    (0.5, 1.0)
    """
    z = max(mean / deviation, LEAST_Z)
    probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
    density = DENSITY_AT_0 * math.exp(-0.5 * z * z)
    return probability, max(deviation * (z * probability + density), 0.0)


@kernel
def _deviation(mean, weight):
    """Return the standard deviation of 1 - 2 p, where p is Beta(a, b) with a + b = ``weight``."""
    return math.sqrt((1.0 - mean * mean) / (weight + 1.0))


@kernel
def _belief_without(tests, s, i):
    """Return the probability of the scale, and of a winner other than arm i."""
    total = 0.0
    for a in range(tests.is_in.size):
        if a != i:
            total += tests.belief[s, a]
    return total


@kernel
def _count(tests, winner, loser):
    n = tests.wins[winner, loser] + tests.wins[loser, winner]
    for s in range(tests.scales.size):
        c = tests.scales[s]
        tests.log_likelihood[s] += math.log((tests.wins[winner, loser] + 0.5 * c) / (n + c))
    tests.wins[winner, loser] += 1


@kernel
def _update_pair(tests, i, j):
    """Update the evidence of the duels of i and j about f_ij."""
    n = tests.wins[i, j] + tests.wins[j, i]
    lead = tests.wins[j, i] - tests.wins[i, j]
    for s in range(tests.scales.size):
        mean = lead / (n + tests.scales[s])
        probability, _ = positive_part(mean, _deviation(mean, n + tests.scales[s]))
        tests.log_ahead[s, j, i] = math.log(2.0 * probability)


@kernel
def _update_belief(tests):
    """Update the probabilities of all scales and winners."""
    most = -np.inf
    for s in range(tests.scales.size):
        for a in range(tests.is_in.size):
            value = tests.log_likelihood[s]
            for j in range(tests.is_in.size):
                value += tests.log_ahead[s, a, j]
            tests.belief[s, a] = value
            most = max(most, value)
    total = 0.0
    for s in range(tests.scales.size):
        for a in range(tests.is_in.size):
            tests.belief[s, a] = math.exp(tests.belief[s, a] - most)
            total += tests.belief[s, a]
    for s in range(tests.scales.size):
        for a in range(tests.is_in.size):
            tests.belief[s, a] /= total


@kernel
def settle(tests):
    """Test all arms; an arm that is out stays out, and the answer is final."""
    if is_decided(tests):
        return
    for i in range(tests.is_in.size):
        tests.is_in[i] = tests.is_in[i] and tests.log_wealth[i] < tests.log_level


@kernel
def rounds_to_next(tests, i, j):
    """Return 1, because each duel changes the next stakes; NEVER if both arms are out."""
    return 1 if tests.is_in[i] or tests.is_in[j] else NEVER


E_BETS = Rule.of_module(
    __name__,
    id="e-bets",
    description="at most one arm is left that bets on its losses have not ruled out",
    targets=("condorcet",),
    assumes="condorcet",
    state=Bets,
    parameters={"delta": DELTA},
    n_left=n_left,
    answer=answer,
)
