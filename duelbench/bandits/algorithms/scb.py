"""Scalable Copeland Bandits (SCB).

Estimates every arm's Copeland score by duels with opponents drawn at random, each pair until it is clear who wins, and
eliminates the arms whose score is too low. Plays in epochs, each as long as the square of the one before: an epoch
starts afresh, and once it has an answer, plays it until its end.

Assumes only that no two arms are evenly matched. Anytime.

Algorithm 4 of [1]_, its steps numbered as below, S_i being the number of rewards 1 of arm i, and A all arms at first:

1. n <- n + 1; S_i <- S_i + reward(i) for all i in A (Algorithm 2, line 1).
2. [lo_i, hi_i] = {q : n d(S_i / n, q) <= beta}, beta = ln(4nK / delta) + 2 ln ln n.
3. A <- A without the arms with hi_i < max lo_j. The first sweep eliminates nobody: ln ln 1 is not defined.
4. Repeat from 1 until (1 - max lo) / (1 - max hi) <= 1; then argmax lo_i is the answer.

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithms 2 and 3, and
   Algorithm 4 as in public programs.
.. [2] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: the program behind its figures.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.divergence import kl, kl_lower, kl_to_half, kl_upper
from duelbench.bandits.kernels.records import BoolPerArm, IntPerArm, IntPerPair, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_index, highest
from duelbench.bandits.kernels.win_counts import recount_beaten

NO_ARM = -1


class Pairs(NamedTuple):
    """Duels and their outcomes; arrays are updated in place."""

    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j, in all epochs.
    beaten: IntPerArm  # How many arms each arm beats in these duels.
    before: IntPerPair  # The part of ``wins`` that does not count in this epoch.
    outcome: IntPerPair  # Decision of this epoch: 1 if i beats j, -1 if i loses to j, 0 if that is open.
    latest: IntPerPair  # The latest epoch in which the pair was drawn.
    reuse_stats: bool  # Whether the duels of earlier epochs count


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    pairs: Pairs  # Duels and their outcomes
    left: BoolPerArm  # The set A.
    rewards: IntPerArm  # S_i.
    n_open: IntPerArm  # The number of open outcomes of arm i.
    now: np.ndarray  # (1,) record of `start`
    epoch_end: np.ndarray  # (n_epochs,) int64. Last round of each epoch; NEVER for the last.
    log_budget: np.ndarray  # (n_epochs,) float64. ln T_r.
    log_risk: np.ndarray  # (n_epochs,) float64. ln(1 / delta).
    order: IntPerArm  # The private order of the arms, in which ties are broken.
    wu: bool  # The rules of [2]_ instead of those of [1]_


def start(n_arms, horizon, rng, standing, *, preset, reuse_stats):
    """Return the state before round 1, with a random private order of the arms."""
    budgets = [1000 if preset == "wu" else 4]  # T_r in rounds, up to the first one longer than any horizon
    while budgets[-1] < NEVER:
        budgets.append(budgets[-1] ** 2)
    return State(
        pairs=with_zeros(Pairs, n_arms, reuse_stats=reuse_stats),
        left=np.ones(n_arms, np.bool_),
        rewards=np.zeros(n_arms, np.int64),
        n_open=np.full(n_arms, n_arms - 1),
        now=record(
            epoch=0,
            sweeps=0,  # n, the number of completed sweeps
            arm=0,  # the arm whose reward is next
            opponent=NO_ARM,  # its opponent; NO_ARM until it is drawn
            answer=NO_ARM,  # the answer of this epoch
            n_left=n_arms,
            n_open=n_arms * (n_arms - 1),  # the number of open outcomes of all arms in A
            latest_answer=NO_ARM,  # the latest answer of all epochs
        ),
        epoch_end=np.array([min(sum(budgets[: r + 1]), NEVER) for r in range(len(budgets))]),
        log_budget=np.array([math.log(budget) for budget in budgets]),
        log_risk=np.array([math.log(budget) - math.log(math.log(budget)) for budget in budgets]),
        order=rng.permutation(n_arms),
        wu=preset == "wu",
    )


@kernel
def select(state, t, rng):
    """Return the pair for round ``t``: an undecided pair, or the epoch's answer against itself until its end."""
    now = state.now[0]
    while t > state.epoch_end[now.epoch]:  # Algorithm 3, line 1
        _open_epoch(state, now.epoch + 1)  # line 2
    left_of_epoch = state.epoch_end[now.epoch] - t + 1
    while now.answer == NO_ARM:
        if now.opponent == NO_ARM:  # Algorithm 2, line 1
            now.opponent = draw_index(state.left.size - 1, rng)
            now.opponent += now.opponent >= now.arm
        i = now.arm
        j = now.opponent
        meet(state.pairs, i, j, now.epoch)
        if state.pairs.outcome[i, j] == 0:
            missing = _missing_evidence(state, i, j, t)
            if missing >= 0.0:
                won, lost = won_and_lost(state.pairs, i, j)
                return i, j, min(fewest_duels(abs(won - lost), won + lost, missing), left_of_epoch)
            _decide(state, i, j)
        _reward(state, t)
    now.latest_answer = now.answer
    return now.answer, now.answer, left_of_epoch  # Algorithm 3, line 3


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, which may be late ones of an earlier epoch."""
    pairs = state.pairs
    meet(pairs, first, second, state.now[0].epoch)
    before = pairs.wins[first, second] - pairs.wins[second, first]
    pairs.wins[first, second] += first_wins
    pairs.wins[second, first] += second_wins
    after = pairs.wins[first, second] - pairs.wins[second, first]
    recount_beaten(pairs.beaten, first, second, before, after)


@kernel
def recommend(state):
    """Return the latest answer, or without one the arm that beats most arms in all duels so far."""
    latest = state.now[0].latest_answer
    return latest if latest != NO_ARM else highest(state.pairs.beaten)


@kernel
def _open_epoch(state, epoch):
    """Start Algorithm 4 with all arms and without any knowledge."""
    n_arms = state.left.size
    state.left[:] = True
    state.rewards[:] = 0
    state.n_open[:] = n_arms - 1
    now = state.now[0]
    now.epoch = epoch
    now.sweeps = 0
    now.arm = 0
    now.opponent = NO_ARM
    now.answer = NO_ARM
    now.n_left = n_arms
    now.n_open = n_arms * (n_arms - 1)


@kernel
def _missing_evidence(state, i, j, t):
    """Return ln(4 n^2 K^2 / delta) - n d(W_ij / n, 1/2) in nats; negative if the outcome is certain.

    In [2]_ the first term is 0.51 (ln(4 s K) + 2 max(1, ln ln s)), in step s of the epoch.
    """
    won, lost = won_and_lost(state.pairs, i, j)
    plays = max(1, won + lost)
    n_arms = state.left.size
    if state.wu:
        step = _step(state, t)
        threshold = 0.51 * (math.log(4.0 * step * n_arms) + 2.0 * log_log(step))
    else:
        threshold = math.log(4.0 * plays * plays * n_arms * n_arms) + state.log_risk[state.now[0].epoch]
    return threshold - plays * kl_to_half(won / plays) if won + lost > 0 else threshold


@kernel
def _decide(state, i, j):
    """Record the outcome of i against j for the rest of the epoch."""
    won, lost = won_and_lost(state.pairs, i, j)
    outcome = 1 if won > lost else -1
    state.pairs.outcome[i, j] = outcome
    state.pairs.outcome[j, i] = -outcome
    for arm in (i, j):
        state.n_open[arm] -= 1
        state.now[0].n_open -= state.left[arm]


@kernel
def _step(state, t):
    """Return how many rounds of the epoch have been played, but at least 1."""
    epoch = state.now[0].epoch
    return max(1, t - 1 - (state.epoch_end[epoch - 1] if epoch > 0 else 0))


@kernel
def log_log(x):
    """Return max(1, ln ln x)."""
    return max(1.0, math.log(max(1.0, math.log(x))))


@kernel
def _reward(state, t):
    """Algorithm 4: count the reward of the current arm and continue with the next; after the last, eliminate."""
    now = state.now[0]
    state.rewards[now.arm] += state.pairs.outcome[now.arm, now.opponent] == 1  # step 1
    now.opponent = NO_ARM
    now.arm = _next_left(state, now.arm + 1)
    if now.arm < state.left.size:
        return
    now.sweeps += 1
    if now.sweeps >= 2:
        _eliminate(state, t)  # steps 2 and 3
    now.arm = _next_left(state, 0)
    _try_to_answer(state, t)  # step 4


@kernel
def _next_left(state, i):
    """Return the first arm of A from ``i`` on; K if there is none."""
    while i < state.left.size and not state.left[i]:
        i += 1
    return i


@kernel
def _risk(state, t):
    """Return beta / n of step 2: the largest divergence between a score and its mean reward."""
    n = state.now[0].sweeps
    n_arms = state.left.size
    epoch = state.now[0].epoch
    if state.wu:
        beta = 0.51 * (math.log(4.0 * n_arms) + state.log_budget[epoch] + 2.0 * log_log(_step(state, t)))
    else:
        beta = math.log(4.0 * n * n_arms) + state.log_risk[epoch] + 2.0 * math.log(math.log(n))
    return max(0.0, beta) / n


@kernel
def _most_rewards(state):
    """Return the maximum of S_i over A."""
    most = 0
    for i in range(state.left.size):
        if state.left[i]:
            most = max(most, state.rewards[i])
    return most


@kernel
def _eliminate(state, t):
    """Steps 2 and 3: hi_i < max lo_j if S_i / n < max lo_j and d(S_i / n, max lo_j) > beta / n."""
    n = state.now[0].sweeps
    risk = _risk(state, t)
    most_low = kl_lower(_most_rewards(state) / n, risk)
    for i in range(state.left.size):
        mean = state.rewards[i] / n
        if state.left[i] and mean < most_low and kl(mean, most_low) > risk:
            state.left[i] = False
            state.now[0].n_left -= 1
            state.now[0].n_open -= state.n_open[i]


@kernel
def _try_to_answer(state, t):
    """Step 4; its ratio test never holds: stop if one arm is left, max hi - max lo is small, or all of A is decided."""
    now = state.now[0]
    if now.n_left == 1:
        now.answer = _next_left(state, 0)
    elif now.sweeps >= 2 and _width(state, t) < 1.0 / (state.left.size - 1):
        now.answer = _best(state, False)
    elif now.n_open == 0:
        now.answer = _best(state, True)


@kernel
def _width(state, t):
    """Return max hi - max lo over A."""
    mean = _most_rewards(state) / state.now[0].sweeps
    risk = _risk(state, t)
    return kl_upper(mean, risk) - kl_lower(mean, risk)


@kernel
def _best(state, by_outcomes):
    """Return the arm of A that beats most arms, or has most rewards; on ties, the first in private order."""
    best = NO_ARM
    most = -1
    for i in state.order:
        score = state.rewards[i]
        if by_outcomes:
            score = 0
            for j in range(state.left.size):
                score += state.pairs.outcome[i, j] == 1
        if state.left[i] and score > most:
            best = i
            most = score
    return best


@kernel
def meet(pairs, i, j, epoch):
    """Forget the outcome and (unless they are reused) the duels of a pair that is drawn first in this epoch."""
    if pairs.latest[i, j] == epoch:
        return
    for a, b in ((i, j), (j, i)):
        pairs.latest[a, b] = epoch
        pairs.outcome[a, b] = 0
        if not pairs.reuse_stats:
            pairs.before[a, b] = pairs.wins[a, b]


@kernel
def won_and_lost(pairs, i, j):
    """Return how many duels of this epoch i has won against j, and lost, after `meet`."""
    return pairs.wins[i, j] - pairs.before[i, j], pairs.wins[j, i] - pairs.before[j, i]


@kernel
def fewest_duels(lead, plays, missing):
    """Return a lower bound on the duels after which n d(W / n, 1/2) is more than ``missing`` >= 0 nats larger.

    A win at the mean p adds at most ln(2 p) <= min(ln 2, 2 p - 1), so m wins of an arm that leads by ``lead`` add at
    most m (lead + m) / (plays + m).
    """
    half = 0.5 * (missing - lead)
    by_slope = half + math.sqrt(half * half + missing * plays)
    return max(1, int(max(by_slope, missing / math.log(2.0))))


PARAMETERS = {
    "preset": Parameter(
        "paper",
        "epochs and confidence levels: paper, or wu: those of the program behind Wu & Liu 2016",
        choices=("paper", "wu"),
    ),
    "reuse_stats": Parameter(False, "whether an epoch starts with the duels of those before it"),
}

SCB = Algorithm.of_module(
    __name__,
    "scb",
    "SCB",
    "copeland",
    "Zoghi, Karnin, Whiteson, de Rijke 2015, Algorithms 2 to 4 (4 by a public program)",
    trace_version=2,
    look=("wine", "dashed", "p"),
    source="paper",
)
