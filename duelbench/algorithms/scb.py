"""Scalable Copeland Bandits (SCB).

Estimates every arm's Copeland score by settling which of two arms wins, against opponents drawn at random, and
eliminates the arms whose score is too low. In epochs of squared length, each of which starts afresh and, once it has
an answer, plays it to its end.

Assumes nothing but that no two arms are evenly matched. Anytime.

Notation of [1]_: an epoch of T_r = 2^(2^r) rounds has the failure probability delta = ln(T_r) / T_r; S_i is the number
of rewards 1 of arm i in the n sweeps over the arms so far. All arms that are left have the same n, so that the
confidence bounds of their scores are in the order of S_i.

A pair duels until its outcome is certain. How many more duels that takes at least, whatever they show, follows from the
counts: a decision stands for so many rounds.

Draws: ``start`` draws the private order of the arms. ``select`` draws one number for the opponent of every reward, in
increasing order of the arms that are left: its place among the other K - 1 arms (none for K = 2).

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithms 2, 3 and 4.
.. [2] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: the program behind its figures.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.exploration.copeland_decisions import highest
from duelbench.kernels.decorators import kernel
from duelbench.kernels.divergence import kl, kl_lower, kl_to_half, kl_upper
from duelbench.kernels.sampling import draw_index
from duelbench.kernels.win_counts import recount_beaten

NO_ARM = -1
EPOCH, SWEEPS, ARM, OPPONENT, ANSWER, LEFT, OPEN, LATEST = 0, 1, 2, 3, 4, 5, 6, 7  # places in State.progress


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place.

    wins : (K, K) int64. wins[i, j] = duels arm i has won against arm j, in all epochs.
    beaten : (K,) int64. How many arms each arm beats in these duels.
    before : (K, K) int64. The part of them that does not count in this epoch.
    verdict : (K, K) int64. 1 where i has been found to beat j in this epoch, -1 where to lose, 0 where that is open.
    latest : (K, K) int64. The epoch in which a pair was met last: to ``before`` and ``verdict`` of a pair that has not
        been met in this epoch, `_meet` has yet to be applied.
    left : (K,) bool. The set A.
    rewards : (K,) int64. S_i.
    n_open : (K,) int64. How many verdicts on arm i are open.
    progress : (8,) int64. The epoch, 0-based; sweeps completed; the arm whose reward is being found; its opponent, or
        NO_ARM before it is drawn; the answer of this epoch, or NO_ARM; how many arms are left; how many verdicts on
        arms that are left are open; the latest answer of any epoch, or NO_ARM.
    epoch_end : (n_epochs,) int64. Last round of each epoch; NEVER for the last.
    log_budget : (n_epochs,) float64. ln T_r.
    log_risk : (n_epochs,) float64. ln(1 / delta).
    order : (K,) int64. The private order of the arms, in which ties are broken.
    wu : bool. The rules of [2]_ instead of those of [1]_.
    reuse_stats : bool. Whether the duels of earlier epochs count.
    """

    wins: np.ndarray
    beaten: np.ndarray
    before: np.ndarray
    verdict: np.ndarray
    latest: np.ndarray
    left: np.ndarray
    rewards: np.ndarray
    n_open: np.ndarray
    progress: np.ndarray
    epoch_end: np.ndarray
    log_budget: np.ndarray
    log_risk: np.ndarray
    order: np.ndarray
    wu: bool
    reuse_stats: bool


def start(n_arms, horizon, rng, standing, *, preset, reuse_stats):
    """State before round 1; draws the private order of the arms."""
    budgets = epoch_budgets(preset)
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        beaten=np.zeros(n_arms, np.int64),
        before=np.zeros((n_arms, n_arms), np.int64),
        verdict=np.zeros((n_arms, n_arms), np.int64),
        latest=np.zeros((n_arms, n_arms), np.int64),
        left=np.ones(n_arms, np.bool_),
        rewards=np.zeros(n_arms, np.int64),
        n_open=np.full(n_arms, n_arms - 1),
        progress=np.array([0, 0, 0, NO_ARM, NO_ARM, n_arms, n_arms * (n_arms - 1), NO_ARM]),
        epoch_end=np.array([min(sum(budgets[: r + 1]), NEVER) for r in range(len(budgets))]),
        log_budget=np.array([math.log(budget) for budget in budgets]),
        log_risk=np.array([math.log(budget) - math.log(math.log(budget)) for budget in budgets]),
        order=rng.permutation(n_arms),
        wu=preset == "wu",
        reuse_stats=reuse_stats,
    )


def epoch_budgets(preset):
    """T_r in rounds, for r = 1, 2, ... up to the first that no horizon exceeds.

    Examples
    --------
    >>> epoch_budgets("paper")[:4], epoch_budgets("wu")[:3]
    ([4, 16, 256, 65536], [1000, 1000000, 1000000000000])
    """
    budgets = [1000 if preset == "wu" else 4]
    while budgets[-1] < NEVER:
        budgets.append(budgets[-1] ** 2)
    return budgets


@kernel
def select(state, t, rng):
    """Pair for round ``t``: a pair to be decided, or the epoch's answer against itself to the epoch's end."""
    progress = state.progress
    while t > state.epoch_end[progress[EPOCH]]:  # Algorithm 3, line 1
        _open_epoch(state, progress[EPOCH] + 1)
    left_of_epoch = state.epoch_end[progress[EPOCH]] - t + 1
    while progress[ANSWER] == NO_ARM:
        if progress[OPPONENT] == NO_ARM:
            progress[OPPONENT] = _draw_opponent(state, rng)
        i = progress[ARM]
        j = progress[OPPONENT]
        _meet(state, i, j)
        if state.verdict[i, j] == 0:
            missing = _missing_evidence(state, i, j, t)
            if missing >= 0.0:
                return i, j, min(_fewest_duels(state, i, j, missing), left_of_epoch)
            _decide(state, i, j)
        _reward(state, t)
    progress[LATEST] = progress[ANSWER]
    return progress[ANSWER], progress[ANSWER], left_of_epoch  # Algorithm 3, line 3


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    _meet(state, first, second)  # before they count: outcomes may be delivered that were due in an earlier epoch
    before = state.wins[first, second] - state.wins[second, first]
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins
    after = state.wins[first, second] - state.wins[second, first]
    recount_beaten(state.beaten, first, second, before, after)


@kernel
def recommend(state):
    """The latest answer; before there is one, the arm that beats most arms in all duels so far."""
    latest = state.progress[LATEST]
    return latest if latest != NO_ARM else highest(state.beaten)


@kernel
def _open_epoch(state, epoch):
    """Start Algorithm 4 with all arms and without any knowledge."""
    n_arms = state.left.size
    state.left[:] = True
    state.rewards[:] = 0
    state.n_open[:] = n_arms - 1
    progress = state.progress
    progress[EPOCH] = epoch
    progress[SWEEPS] = 0
    progress[ARM] = 0
    progress[OPPONENT] = NO_ARM
    progress[ANSWER] = NO_ARM
    progress[LEFT] = n_arms
    progress[OPEN] = n_arms * (n_arms - 1)


@kernel
def _meet(state, i, j):
    """Forget the duels (unless they are reused) and the verdict of a pair, where it is met first in this epoch.

    Of many arms an epoch compares few pairs; to forget all of them at its start would take longer than it lasts.
    """
    epoch = state.progress[EPOCH]
    if state.latest[i, j] == epoch:
        return
    for a, b in ((i, j), (j, i)):
        state.latest[a, b] = epoch
        state.verdict[a, b] = 0
        if not state.reuse_stats:
            state.before[a, b] = state.wins[a, b]


@kernel
def _draw_opponent(state, rng):
    """Algorithm 2, line 1: a random j != i."""
    j = draw_index(state.left.size - 1, rng)
    return j if j < state.progress[ARM] else j + 1


@kernel
def _missing_evidence(state, i, j, t):
    """What the duels of i and j lack in nats; negative where their outcome is certain.

    Certain is n d(W_ij / n, 1/2) > ln(4 n^2 K^2 / delta): wrong, at whatever n, with probability at most delta / K^2.
    """
    won = state.wins[i, j] - state.before[i, j]
    plays = won + state.wins[j, i] - state.before[j, i]
    if plays == 0:
        return _threshold(state, 1, t)
    return _threshold(state, plays, t) - plays * kl_to_half(won / plays)


@kernel
def _threshold(state, plays, t):
    """What n d(W_ij / n, 1/2) must exceed; it never falls as duels and rounds go by.

    For [2]_ it is 0.51 (ln(4 s K) + 2 max(1, ln ln s)) with s the rounds of the epoch so far.
    """
    n_arms = state.left.size
    epoch = state.progress[EPOCH]
    if not state.wu:
        return math.log(4.0 * plays * plays * n_arms * n_arms) + state.log_risk[epoch]
    step = _step(state, t)
    return 0.51 * (math.log(4.0 * step * n_arms) + 2.0 * log_log(step))


@kernel
def _fewest_duels(state, i, j, missing):
    """For how many duels i and j must go on at least."""
    won = state.wins[i, j] - state.before[i, j]
    lost = state.wins[j, i] - state.before[j, i]
    return fewest_duels(abs(won - lost), won + lost, missing)


@kernel
def _decide(state, i, j):
    """Keep the outcome of i against j for the rest of the epoch."""
    won = state.wins[i, j] - state.before[i, j]
    lost = state.wins[j, i] - state.before[j, i]
    verdict = 1 if won > lost else -1
    state.verdict[i, j] = verdict
    state.verdict[j, i] = -verdict
    for arm in (i, j):
        state.n_open[arm] -= 1
        state.progress[OPEN] -= state.left[arm]


@kernel
def _step(state, t):
    """How many rounds of the epoch have been played, but at least 1."""
    epoch = state.progress[EPOCH]
    return max(1, t - 1 - (state.epoch_end[epoch - 1] if epoch > 0 else 0))


@kernel
def log_log(x):
    """max(1, ln ln x).

    Examples
    --------
    >>> log_log(1), log_log(math.exp(math.exp(2)))
    (1.0, 2.0)
    """
    return max(1.0, math.log(max(1.0, math.log(x))))


@kernel
def fewest_duels(lead, plays, missing):
    """A number of duels that n d(W / n, 1/2) needs at least to rise by more than ``missing`` nats.

    It rises fastest if the arm that is ahead wins them all. A win at the mean p then adds at most ln(2 p), which is at
    most ln 2 and at most 2 p - 1: m wins add no more than m (lead + m) / (plays + m).

    Parameters
    ----------
    lead : int
        Wins minus losses of the arm that is ahead.
    plays : int
    missing : float
        In nats, >= 0.

    Returns
    -------
    int

    Examples
    --------
    From nothing, m wins in a row give m ln 2 nats. From 50 wins in 100 duels, m wins in a row give about
    m^2 / (2 (100 + m)) nats; the bound settles for m^2 / (100 + m).

    >>> fewest_duels(0, 0, 10.0) == int(10 / math.log(2)), fewest_duels(0, 100, 1.0)
    (True, 10)
    """
    half = 0.5 * (missing - lead)
    by_slope = half + math.sqrt(half * half + missing * plays)
    return max(1, int(max(by_slope, missing / math.log(2.0))))


@kernel
def _reward(state, t):
    """Algorithm 4: count the reward of the present arm and go on to the next one; after the last, eliminate."""
    progress = state.progress
    i = progress[ARM]
    state.rewards[i] += state.verdict[i, progress[OPPONENT]] == 1
    progress[OPPONENT] = NO_ARM
    i = _next_left(state, i + 1)
    if i < state.left.size:
        progress[ARM] = i
        return
    progress[SWEEPS] += 1
    if progress[SWEEPS] >= 2:
        _eliminate(state, t)
    progress[ARM] = _next_left(state, 0)
    _try_to_answer(state, t)


@kernel
def _next_left(state, i):
    """The first arm of A from ``i`` on; K where there is none."""
    while i < state.left.size and not state.left[i]:
        i += 1
    return i


@kernel
def _risk(state, t):
    """beta / n of Algorithm 4: how far, as a divergence, a score may be from its mean reward."""
    n = state.progress[SWEEPS]
    n_arms = state.left.size
    epoch = state.progress[EPOCH]
    if state.wu:
        beta = 0.51 * (math.log(4.0 * n_arms) + state.log_budget[epoch] + 2.0 * log_log(_step(state, t)))
    else:
        beta = math.log(4.0 * n * n_arms) + state.log_risk[epoch] + 2.0 * math.log(math.log(n))
    return max(0.0, beta) / n


@kernel
def _most_rewards(state):
    """max S_i over A."""
    most = 0
    for i in range(state.left.size):
        if state.left[i]:
            most = max(most, state.rewards[i])
    return most


@kernel
def _eliminate(state, t):
    """A <- A \\ {i : hi_i < max lo_j}.

    hi_i is the largest q with d(S_i / n, q) <= beta / n: it is below max lo_j exactly where S_i / n is and
    d(S_i / n, max lo_j) > beta / n.
    """
    n = state.progress[SWEEPS]
    risk = _risk(state, t)
    most_low = kl_lower(_most_rewards(state) / n, risk)
    for i in range(state.left.size):
        mean = state.rewards[i] / n
        if state.left[i] and mean < most_low and kl(mean, most_low) > risk:
            state.left[i] = False
            state.progress[LEFT] -= 1
            state.progress[OPEN] -= state.n_open[i]


@kernel
def _try_to_answer(state, t):
    """Stop where one arm is left, where max hi and max lo are one score, or where all scores of A are certain.

    The ratio test of Algorithm 4 with eps = 0, (1 - max lo) / (1 - max hi) <= 1, is never met.
    """
    progress = state.progress
    if progress[LEFT] == 1:
        progress[ANSWER] = _next_left(state, 0)
    elif progress[SWEEPS] >= 2 and _width(state, t) < 1.0 / (state.left.size - 1):
        progress[ANSWER] = _best(state, False)
    elif progress[OPEN] == 0:
        progress[ANSWER] = _best(state, True)


@kernel
def _width(state, t):
    """max hi - max lo over A."""
    mean = _most_rewards(state) / state.progress[SWEEPS]
    risk = _risk(state, t)
    return kl_upper(mean, risk) - kl_lower(mean, risk)


@kernel
def _best(state, by_verdicts):
    """The arm of A that beats most arms, or has most rewards; the first in private order among equals."""
    best = NO_ARM
    most = -1
    for i in state.order:
        score = state.rewards[i]
        if by_verdicts:
            score = 0
            for j in range(state.left.size):
                score += state.verdict[i, j] == 1
        if state.left[i] and score > most:
            best = i
            most = score
    return best


SCB = Algorithm(
    id="scb",
    name="SCB",
    assumes="copeland",
    anytime=True,
    parameters={
        "preset": Parameter(
            "paper",
            "epochs and confidence levels: paper, or wu: those of the program behind Wu & Liu 2016",
            choices=("paper", "wu"),
        ),
        "reuse_stats": Parameter(False, "whether an epoch starts with the duels of those before it"),
    },
    reference="Zoghi, Karnin, Whiteson, de Rijke 2015, Algorithms 2 to 4",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
    trace_version=2,
)
